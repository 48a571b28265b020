// Time-outs. In milliseconds: -1 waits for ever, anything else is at least 1. In seconds: 0 waits for ever.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "forebay/status.h"

namespace forebay::acl {

// What is more than the device counts, 49 days, counts as that.
inline uint32_t InMilliseconds(uint32_t seconds) noexcept {
  return seconds > UINT32_MAX / 1000 ? UINT32_MAX : seconds * 1000;
}

inline Status CheckTimeout(int32_t timeout_ms) {
  if (timeout_ms == -1 || timeout_ms > 0) return {};
  return Status(Code::kParamInvalid, fmt::format("the time-out is {} ms", timeout_ms),
                "Use -1 to wait for ever, or at least 1");
}

}  // namespace forebay::acl
