// The one rule for time-outs in milliseconds: -1 waits for ever, anything else is at least 1.
#pragma once

#include <fmt/format.h>

#include "forebay/status.h"

namespace forebay::acl {

inline Status CheckTimeout(int32_t timeout_ms) {
  if (timeout_ms == -1 || timeout_ms > 0) return {};
  return Status(Code::kParamInvalid, fmt::format("the time-out is {} ms", timeout_ms),
                "Use -1 to wait for ever, or at least 1");
}

}  // namespace forebay::acl
