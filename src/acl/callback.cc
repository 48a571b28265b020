// Functions of the program that streams call: by a thread of the runtime, or by threads of the program.
#include <fmt/format.h>

#include "forebay/runtime/report_threads.h"
#include "forebay/runtime/stream.h"
#include "guard.h"
#include "timeout.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return Guard("aclrtLaunchHostFunc", [&]() -> Status {
    if (fn == nullptr) return NullArgument("fn", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    return reference->LaunchHostFunction(
        reference.handle,
        [fn, args](const auto& finish) {
          fn(args);
          finish();
        },
        {.code = reinterpret_cast<const void*>(fn), .type = nullptr, .purpose = nullptr});
  });
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return Guard("aclrtSubscribeReport", [&]() -> Status {
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    return runtime::Reports().Subscribe(threadId, reference);
  });
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return Guard("aclrtUnSubscribeReport", [&]() -> Status {
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    return runtime::Reports().Unsubscribe(threadId, reference);
  });
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType, aclrtStream stream) {
  return Guard("aclrtLaunchCallback", [&]() -> Status {
    if (fn == nullptr) return NullArgument("fn", Code::kParamInvalid);
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK) {
      return Status(Code::kInvalidParam, fmt::format("there is no block type {}", static_cast<int>(blockType)),
                    "Use ACL_CALLBACK_NO_BLOCK or ACL_CALLBACK_BLOCK");
    }
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    return runtime::Reports().Launch(
        reference, [fn, userData] { fn(userData); },
        {.code = reinterpret_cast<const void*>(fn), .type = nullptr, .purpose = nullptr},
        blockType == ACL_CALLBACK_BLOCK);
  });
}

aclError aclrtProcessReport(int32_t timeout) {
  return Guard("aclrtProcessReport", [&]() -> Status {
    RETURN_IF_ERROR(CheckTimeout(timeout));
    return runtime::Reports().Process(timeout);
  });
}
