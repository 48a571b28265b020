// Host memory of the program that devices use.
#include "forebay/runtime/host_registration.h"

#include <fmt/format.h>

#include "forebay/runtime/device_state.h"
#include "guard.h"

using namespace forebay;           // NOLINT(google-build-using-namespace)
using namespace forebay::acl;      // NOLINT(google-build-using-namespace)
using namespace forebay::runtime;  // NOLINT(google-build-using-namespace)

namespace {

Status CheckRange(const void* address, uint64_t bytes) {
  if (address == nullptr) return NullArgument("ptr", Code::kParamInvalid);
  if (bytes == 0) return Status(Code::kParamInvalid, "argument size is 0", "Register at least 1 byte");
  return {};
}

Status CheckKind(uint64_t flags, uint64_t known) {
  const uint64_t unsupported = flags & (ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY);
  if (unsupported != 0) {
    return Status(Code::kFeatureNotSupport,
                  fmt::format("registering device registers or read-only memory ({:#x})", unsupported),
                  "Register memory that can be read and written");
  }
  if ((flags & ~known) == 0) return {};
  return Status(Code::kParamInvalid, fmt::format("there is no way of registering {:#x}", flags),
                "See aclrtHostRegisterType and ACL_HOST_REG_*");
}

}  // namespace

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  return Guard("aclrtHostRegister", [&]() -> Status {
    if (devPtr == nullptr) return NullArgument("devPtr", Code::kParamInvalid);
    RETURN_IF_ERROR(CheckRange(ptr, size));
    RETURN_IF_ERROR(CheckKind(static_cast<uint32_t>(type), ACL_HOST_REGISTER_MAPPED));
    RETURN_IF_ERROR(RegisterHost(ptr, size, {.mapped = true}));
    ASSIGN_OR_RETURN(*devPtr, DeviceAddressOfHost(ptr));
    return {};
  });
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  return Guard("aclrtHostRegisterV2", [&]() -> Status {
    RETURN_IF_ERROR(CheckRange(ptr, size));
    RETURN_IF_ERROR(CheckKind(flag, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
    if (flag == 0) {
      return Status(Code::kParamInvalid, "the flag says neither mapped nor pinned",
                    "Pass ACL_HOST_REG_MAPPED, ACL_HOST_REG_PINNED, or both");
    }
    return RegisterHost(ptr, size,
                        {.mapped = (flag & ACL_HOST_REG_MAPPED) != 0, .pinned = (flag & ACL_HOST_REG_PINNED) != 0});
  });
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  return Guard("aclrtHostGetDevicePointer", [&]() -> Status {
    if (pHost == nullptr) return NullArgument("pHost", Code::kParamInvalid);
    if (pDevice == nullptr) return NullArgument("pDevice", Code::kParamInvalid);
    if (flag != 0) return Status(Code::kParamInvalid, fmt::format("the reserved flag is {}", flag), "Pass 0");
    ASSIGN_OR_RETURN(*pDevice, DeviceAddressOfHost(pHost));
    return {};
  });
}

aclError aclrtHostUnregister(void* ptr) {
  return Guard("aclrtHostUnregister", [&]() -> Status {
    if (ptr == nullptr) return NullArgument("ptr", Code::kParamInvalid);
    return UnregisterHost(ptr);
  });
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability* capabilities) {
  return Guard("aclrtHostMemMapCapabilities", [&]() -> Status {
    if (capabilities == nullptr) return NullArgument("capabilities", Code::kParamInvalid);
    RETURN_IF_ERROR(FindDevice(static_cast<int32_t>(deviceId)).status());
    if (hacType < ACL_RT_HAC_TYPE_STARS || hacType > ACL_RT_HAC_TYPE_CCU) {
      return Status(Code::kParamInvalid, fmt::format("there is no engine {}", static_cast<int>(hacType)),
                    "See aclrtHacType");
    }
    // Kernels use mapped host memory; the copy engine takes it by its host address only.
    const bool is_core = hacType == ACL_RT_HAC_TYPE_AIC || hacType == ACL_RT_HAC_TYPE_AIV;
    *capabilities = is_core ? ACL_RT_HOST_MEM_MAP_SUPPORTED : ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
    return {};
  });
}
