// What the program is told of failures: callbacks, what they may ask, and what a device reports.
#include "forebay/runtime/exception_info.h"

#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

using runtime::ExceptionInfo;

const ExceptionInfo& InfoOf(const aclrtExceptionInfo* info) { return *reinterpret_cast<const ExceptionInfo*>(info); }

runtime::ExceptionCallback Wrap(aclrtExceptionInfoCallback callback) {
  return [callback](ExceptionInfo& info) { callback(reinterpret_cast<aclrtExceptionInfo*>(&info)); };
}

// The identity of a function, which an object pointer holds as well on the systems that there are.
const void* IdentityOf(aclrtExceptionInfoCallback callback) { return reinterpret_cast<const void*>(callback); }

uint32_t Number(const char* call, const aclrtExceptionInfo* info, uint32_t ExceptionInfo::* member) {
  if (info != nullptr) return InfoOf(info).*member;
  Guard(call, [] { return NullArgument("info"); });
  return ExceptionInfo::kOfDevice;
}

}  // namespace

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  return Guard("aclrtSetExceptionInfoCallback", [&]() -> Status {
    runtime::SetExceptionCallback(callback != nullptr ? Wrap(callback) : runtime::ExceptionCallback());
    return {};
  });
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback) {
  return Guard("aclrtExceptionInfoCallbackRegister", [&]() -> Status {
    if (callback == nullptr) return NullArgument("callback", Code::kParamInvalid);
    runtime::AddExceptionCallback(IdentityOf(callback), Wrap(callback));
    return {};
  });
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback) {
  return Guard("aclrtExceptionInfoCallbackUnregister", [&]() -> Status {
    if (callback == nullptr) return NullArgument("callback", Code::kParamInvalid);
    runtime::RemoveExceptionCallback(IdentityOf(callback));
    return {};
  });
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Number("aclrtGetTaskIdFromExceptionInfo", info, &ExceptionInfo::task);
}
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Number("aclrtGetStreamIdFromExceptionInfo", info, &ExceptionInfo::stream);
}
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Number("aclrtGetThreadIdFromExceptionInfo", info, &ExceptionInfo::thread);
}
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Number("aclrtGetDeviceIdFromExceptionInfo", info, &ExceptionInfo::device);
}
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Number("aclrtGetErrorCodeFromExceptionInfo", info, &ExceptionInfo::code);
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info, void** devArgsPtr, uint32_t* devArgsLen) {
  return Guard("aclrtGetArgsFromExceptionInfo", [&]() -> Status {
    if (info == nullptr) return NullArgument("info");
    if (devArgsPtr == nullptr || devArgsLen == nullptr)
      return NullArgument(devArgsPtr == nullptr ? "devArgsPtr" : "devArgsLen");
    ASSIGN_OR_RETURN(const ExceptionInfo::Arguments arguments, InfoOf(info).CopyArguments());
    *devArgsPtr = arguments.address;
    *devArgsLen = arguments.bytes;
    return {};
  });
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info, aclrtFuncHandle* func) {
  return Guard("aclrtGetFuncHandleFromExceptionInfo", [&]() -> Status {
    if (info == nullptr || func == nullptr) return NullArgument(info == nullptr ? "info" : "func");
    if (InfoOf(info).function == 0) {
      return Status(Code::kParamInvalid, "what failed is not a kernel, or its binary was unloaded since",
                    "Keep a binary loaded until its launches have run");
    }
    *func = FromHandle(InfoOf(info).function);
    return {};
  });
}

aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void* userData) {
  return Guard("aclrtBinarySetExceptionCallback", [&]() -> Status {
    if (binHandle == nullptr || callback == nullptr)
      return NullArgument(binHandle == nullptr ? "binHandle" : "callback");
    return runtime::SetBinaryExceptionCallback(ToHandle(binHandle), [callback, userData](ExceptionInfo& info) {
      callback(reinterpret_cast<aclrtExceptionInfo*>(&info), userData);
    });
  });
}
