// What a function answers that the interface has and Forebay does not build yet.
#pragma once

#include "guard.h"

namespace forebay::acl {

inline aclError NotBuilt(const char* call) noexcept {
  return Guard(call, [] {
    return Status(Code::kApiNotSupport, "Forebay does not build this function yet",
                  "docs/api-coverage.md lists those that it builds");
  });
}

}  // namespace forebay::acl
