// Limits that a program sets: sizes for the process, cores for devices and streams.
#include <fmt/format.h>

#include <limits>

#include "forebay/runtime/device_info.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

Result<runtime::DeviceLimit> LimitOf(aclrtDeviceLimit limit) {
  if (limit >= ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE && limit <= ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE)
    return static_cast<runtime::DeviceLimit>(limit);
  return Status(Code::kInvalidParam, fmt::format("there is no limit {}", static_cast<int>(limit)),
                "Use a value of aclrtDeviceLimit");
}

Result<runtime::CoreKind> KindOf(aclrtDevResLimitType type) {
  if (type == ACL_RT_DEV_RES_CUBE_CORE) return runtime::CoreKind::kCube;
  if (type == ACL_RT_DEV_RES_VECTOR_CORE) return runtime::CoreKind::kVector;
  return Status(Code::kParamInvalid, fmt::format("there is no kind of core {}", static_cast<int>(type)),
                "Use ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE");
}

}  // namespace

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value) {
  return Guard("aclrtDeviceSetLimit", [&]() -> Status {
    ASSIGN_OR_RETURN(const runtime::DeviceLimit kind, LimitOf(limit));
    if (value > std::numeric_limits<uint32_t>::max())
      return Status(Code::kInvalidParam, fmt::format("argument value is {}", value), "Limits have 32 bits");
    return runtime::SetDeviceLimit(kind, value);
  });
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value) {
  return Guard("aclrtDeviceGetLimit", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const runtime::DeviceLimit kind, LimitOf(limit));
    ASSIGN_OR_RETURN(*value, runtime::GetDeviceLimit(kind));
    return {};
  });
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value) {
  return Guard("aclrtGetDeviceResLimit", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const runtime::CoreKind kind, KindOf(type));
    ASSIGN_OR_RETURN(*value, runtime::CoreLimitOfDevice(deviceId, kind));
    return {};
  });
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value) {
  return Guard("aclrtSetDeviceResLimit", [&]() -> Status {
    ASSIGN_OR_RETURN(const runtime::CoreKind kind, KindOf(type));
    return runtime::SetCoreLimitOfDevice(deviceId, kind, value);
  });
}

aclError aclrtResetDeviceResLimit(int32_t deviceId) {
  return Guard("aclrtResetDeviceResLimit", [&] { return runtime::ResetCoreLimitsOfDevice(deviceId); });
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value) {
  return Guard("aclrtGetStreamResLimit", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const runtime::CoreKind kind, KindOf(type));
    ASSIGN_OR_RETURN(*value, runtime::CoreLimitOfStream(ToHandle(stream), kind));
    return {};
  });
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value) {
  return Guard("aclrtSetStreamResLimit", [&]() -> Status {
    ASSIGN_OR_RETURN(const runtime::CoreKind kind, KindOf(type));
    return runtime::SetCoreLimitOfStream(ToHandle(stream), kind, value);
  });
}

aclError aclrtResetStreamResLimit(aclrtStream stream) {
  return Guard("aclrtResetStreamResLimit", [&] { return runtime::ResetCoreLimitsOfStream(ToHandle(stream)); });
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  return Guard("aclrtUseStreamResInCurrentThread", [&] { return runtime::UseCoreLimitsOfStream(ToHandle(stream)); });
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  return Guard("aclrtUnuseStreamResInCurrentThread",
               [&] { return runtime::UnuseCoreLimitsOfStream(ToHandle(stream)); });
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  return Guard("aclrtGetResInCurrentThread", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const runtime::CoreKind kind, KindOf(type));
    ASSIGN_OR_RETURN(*value, runtime::CoreLimitOfThread(kind));
    return {};
  });
}
