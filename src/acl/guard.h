// The C boundary: nothing is thrown across it, and every failure is remembered for the thread.
#pragma once

#include <exception>
#include <new>

#include "acl/acl.h"
#include "forebay/base/macros.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/status.h"
#include "messages.h"

// The address that the exported function returns to, which is where the program called it.
#define CALL_SITE __builtin_return_address(0)

namespace forebay::acl {

// Runs `body`, which returns a Status, and turns the outcome into an AscendCL code. `call` is the function's name.
template <typename Body>
aclError Guard(const char* call, Body body) noexcept {
  try {
    Status status = runtime::BeginCall(call);
    if (status.ok()) [[likely]]
      status = body();
    return status.ok() ? ACL_SUCCESS : Fail(call, status);
  } catch (const std::bad_alloc&) {
    return Fail(call, Status(Code::kBadAlloc, "host memory is exhausted"));
  } catch (...) {
    return Fail(call, Status(Code::kInternal, "an unexpected exception was stopped at the C boundary"));
  }
}

// Runs `body`, which may as well not run to its end.
template <typename Body>
void Quietly(Body body) noexcept {
  try {
    body();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

// What the interface rejects before the runtime sees it. Messages of this end have an id of their own.
inline constexpr const char* kIsNull = " is NULL";
inline Status NullArgument(const char* name, Code code = Code::kInvalidParam) {
  return Status(code, std::string("argument ") + name + kIsNull, "Pass a valid pointer");
}

inline uint64_t ToHandle(const void* handle) noexcept { return reinterpret_cast<uint64_t>(handle); }
inline void* FromHandle(uint64_t handle) noexcept { return reinterpret_cast<void*>(handle); }

}  // namespace forebay::acl
