// Devices and contexts.
#include "forebay/device.h"

#include <fmt/format.h>

#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/types.h"
#include "guard.h"
#include "timeout.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

aclError aclrtGetDeviceCount(uint32_t* count) {
  return Guard("aclrtGetDeviceCount", [&]() -> Status {
    if (count == nullptr) return NullArgument("count");
    *count = static_cast<uint32_t>(runtime::DeviceCount());
    return {};
  });
}

aclError aclrtSetDevice(int32_t deviceId) {
  return Guard("aclrtSetDevice", [&] { return runtime::SetDevice(deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return Guard("aclrtResetDevice", [&] { return runtime::ResetDevice(deviceId, /*force=*/false); });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return Guard("aclrtResetDeviceForce", [&] { return runtime::ResetDevice(deviceId, /*force=*/true); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return Guard("aclrtGetDevice", [&]() -> Status {
    if (deviceId == nullptr) return NullArgument("deviceId", Code::kParamInvalid);
    ASSIGN_OR_RETURN(*deviceId, CurrentDevice());
    return {};
  });
}

aclError aclrtSynchronizeDevice(void) {
  return Guard("aclrtSynchronizeDevice", [] { return SynchronizeDevice(); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return Guard("aclrtSynchronizeDeviceWithTimeout", [&]() -> Status {
    RETURN_IF_ERROR(CheckTimeout(timeout));
    return SynchronizeDevice(timeout);
  });
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return Guard("aclrtQueryDeviceStatus", [&]() -> Status {
    if (deviceStatus == nullptr) return NullArgument("deviceStatus");
    ASSIGN_OR_RETURN(const runtime::DeviceState* device, runtime::FindDevice(deviceId));
    *deviceStatus = device->is_failed() ? ACL_RT_DEVICE_STATUS_ABNORMAL : ACL_RT_DEVICE_STATUS_NORMAL;
    return {};
  });
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return Guard("aclrtDeviceGetStreamPriorityRange", [&]() -> Status {
    if (leastPriority == nullptr || greatestPriority == nullptr)
      return NullArgument("leastPriority or greatestPriority");
    *leastPriority = kLowestPriority;
    *greatestPriority = kHighestPriority;
    return {};
  });
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return Guard("aclrtCreateContext", [&]() -> Status {
    if (context == nullptr) return NullArgument("context", Code::kParamInvalid);
    ASSIGN_OR_RETURN(runtime::DeviceState * device, runtime::FindDevice(deviceId));
    // A context on a device that nobody has set powers it on and keeps it on.
    RETURN_IF_ERROR(device->RetainFirst());
    ASSIGN_OR_RETURN(const uint64_t handle, runtime::Context::Create(*device, /*is_default=*/false));
    RETURN_IF_ERROR(runtime::SetCurrentContext(handle));
    *context = FromHandle(handle);
    return {};
  });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return Guard("aclrtDestroyContext", [&]() -> Status {
    if (context == nullptr) return NullArgument("context", Code::kParamInvalid);
    const runtime::Context* object = runtime::Contexts().Find(ToHandle(context));
    if (object == nullptr) {
      return Status(Code::kInvalidHandle,
                    "the context was destroyed before, its device was reset, or it never was a context",
                    "Destroy a context once, before its device is reset");
    }
    if (object->is_default()) {
      return Status(Code::kParamInvalid,
                    fmt::format("the context is the default one of device {}", object->device().id()),
                    "It goes with aclrtResetDevice");
    }
    return runtime::Context::Destroy(ToHandle(context), object->device().is_failed());
  });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return Guard("aclrtSetCurrentContext", [&]() -> Status {
    if (context == nullptr) return NullArgument("context", Code::kParamInvalid);
    return runtime::SetCurrentContext(ToHandle(context));
  });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return Guard("aclrtGetCurrentContext", [&]() -> Status {
    if (context == nullptr) return NullArgument("context", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::Context* current, runtime::CurrentContext());
    *context = FromHandle(current->handle());
    return {};
  });
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return Guard("aclrtCtxGetCurrentDefaultStream", [&]() -> Status {
    if (stream == nullptr) return NullArgument("stream");
    ASSIGN_OR_RETURN(const runtime::Context* current, runtime::CurrentContext());
    *stream = FromHandle(current->default_stream());
    return {};
  });
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return Guard("aclrtGetPrimaryCtxState", [&]() -> Status {
    if (active == nullptr) return NullArgument("active");
    if (flags != nullptr) return Status(Code::kInvalidParam, "argument flags is not NULL", "Pass NULL; it is reserved");
    ASSIGN_OR_RETURN(const runtime::DeviceState* device, runtime::FindDevice(deviceId));
    *active = device->default_context() != 0 ? 1 : 0;
    return {};
  });
}
