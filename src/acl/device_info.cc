// What can be asked of devices: figures, numbers, addresses, links, and access to each other.
#include "forebay/runtime/device_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "forebay/runtime/device_state.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

using base::SocFeature;

// Figures of parts that run kernels of many threads; others have 0 of each. CHOICE: the documents name the attributes
// only.
struct SimtFigure {
  aclrtDevAttr attribute;
  int64_t value;
};
constexpr SimtFigure kSimtFigures[] = {
    {ACL_DEV_ATTR_WARP_SIZE, 32},
    {ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE, 2048},
    {ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, 256 * 1024},
    {ACL_DEV_ATTR_MAX_GRID_DIM_X, 65535},
    {ACL_DEV_ATTR_MAX_GRID_DIM_Y, 65535},
    {ACL_DEV_ATTR_MAX_GRID_DIM_Z, 65535},
    {ACL_DEV_ATTR_MAX_BLOCK_PER_GRID, 65535},
    {ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK, 2048},
    {ACL_DEV_ATTR_MAX_BLOCK_DIM_X, 2048},
    {ACL_DEV_ATTR_MAX_BLOCK_DIM_Y, 2048},
    {ACL_DEV_ATTR_MAX_BLOCK_DIM_Z, 2048},
};

Result<int64_t> Attribute(int32_t device, aclrtDevAttr attribute) {
  const base::SocProfile& profile = runtime::CurrentProfile();
  ASSIGN_OR_RETURN(const int32_t physical, runtime::PhysicalId(device));
  for (const SimtFigure& figure : kSimtFigures) {
    if (figure.attribute == attribute) return profile.Has(SocFeature::kSimt) ? figure.value : int64_t{0};
  }
  switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM: return profile.cpu_cores;
    // A core of the newer generations is one for matrices with those for vectors that serve it.
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM: return runtime::HardwareCores().cube;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM: return runtime::HardwareCores().vector;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: {
      ASSIGN_OR_RETURN(const uint64_t bytes, runtime::MemoryBytes(device));
      return static_cast<int64_t>(bytes);
    }
    case ACL_DEV_ATTR_L2_CACHE_SIZE: return int64_t{profile.l2_mib} << 20;
    // All devices are run by one operating system.
    case ACL_DEV_ATTR_SMP_ID: return 0;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
      return profile.generation->link == base::SocLink::kPairsOnSwitch ? physical / 2 : physical;
    // One super pod of one server. CHOICE: parts that are never in one refuse.
    case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
      RETURN_IF_ERROR(runtime::RequireFeature(SocFeature::kSuperPod));
      return physical;
    case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
    case ACL_DEV_ATTR_SUPER_POD_ID: RETURN_IF_ERROR(runtime::RequireFeature(SocFeature::kSuperPod)); return 0;
    // Any program may load kernels of its own.
    case ACL_DEV_ATTR_CUST_OP_PRIVILEGE: return 1;
    case ACL_DEV_ATTR_MAINBOARD_ID: return 0;
    // CHOICE: by the PCI bus, and as a card.
    case ACL_DEV_ATTR_HD_CONNECT_TYPE:
    case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
      RETURN_IF_ERROR(runtime::RequireFeature(SocFeature::kConnectionInfo));
      return 0;
    // Not a share of a device.
    case ACL_DEV_ATTR_IS_VIRTUAL: return 0;
    case ACL_DEV_ATTR_NPU_ARCH: return profile.generation->npu_arch;
    default: break;
  }
  return Status(Code::kParamInvalid, fmt::format("there is no device attribute {}", static_cast<int>(attribute)),
                "Use a value of aclrtDevAttr");
}

bool IsAtomicOperation(aclrtAtomicOperation operation) {
  const int value = operation;
  return (value >= ACL_RT_ATOMIC_OPERATION_INTEGER_ADD && value <= ACL_RT_ATOMIC_OPERATION_FLOAT_MAX) ||
         (value >= ACL_RT_ATOMIC_OPERATION_DMA_ADD && value <= ACL_RT_ATOMIC_OPERATION_DMA_MAX) ||
         (value >= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD && value <= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH);
}

// Neither kernels nor the copy engine reach memory outside the device with anything but plain copies: no operation is
// atomic there, whatever the part.
Status NoAtomics(uint32_t* capabilities, const aclrtAtomicOperation* operations, uint32_t count) {
  if (capabilities == nullptr || operations == nullptr) return NullArgument("capabilities or operations");
  if (count == 0) return Status(Code::kParamInvalid, "argument count is 0", "Ask for at least one operation");
  for (uint32_t i = 0; i < count; ++i) {
    if (IsAtomicOperation(operations[i])) continue;
    return Status(Code::kParamInvalid,
                  fmt::format("operations[{}] is {}, which is no operation", i, static_cast<int>(operations[i])),
                  "Use values of aclrtAtomicOperation");
  }
  std::fill_n(capabilities, count, 0u);
  return {};
}

uint64_t BitOf(runtime::DeviceLink link) {
  switch (link) {
    case runtime::DeviceLink::kDirect: return ACL_RT_DEVS_TOPOLOGY_HCCS;
    case runtime::DeviceLink::kSameChip: return ACL_RT_DEVS_TOPOLOGY_SIO;
    case runtime::DeviceLink::kSwitch: return ACL_RT_DEVS_TOPOLOGY_HCCS_SW;
    case runtime::DeviceLink::kPcieBridge: break;
  }
  return ACL_RT_DEVS_TOPOLOGY_PHB;
}

// The numbers of the system: each visible device by the one that is given, in both directions.
Status FromUserId(int32_t user, int32_t* system, const char* name) {
  if (system == nullptr) return NullArgument(name);
  ASSIGN_OR_RETURN(*system, runtime::PhysicalId(user));
  return {};
}
Status ToUserId(int32_t system, int32_t* user, const char* name) {
  if (user == nullptr) return NullArgument(name);
  ASSIGN_OR_RETURN(*user, runtime::DeviceWithPhysicalId(system));
  return {};
}

}  // namespace

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return Guard("aclrtGetDeviceInfo", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(*value, Attribute(static_cast<int32_t>(deviceId), attr));
    return {};
  });
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return Guard("aclGetDeviceCapability", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    const auto device = static_cast<int32_t>(deviceId);
    switch (deviceInfo) {
      case ACL_DEVICE_INFO_AI_CORE_NUM: {
        ASSIGN_OR_RETURN(*value, Attribute(device, ACL_DEV_ATTR_AICORE_CORE_NUM));
        return {};
      }
      case ACL_DEVICE_INFO_VECTOR_CORE_NUM: {
        ASSIGN_OR_RETURN(*value, Attribute(device, ACL_DEV_ATTR_VECTOR_CORE_NUM));
        return {};
      }
      case ACL_DEVICE_INFO_L2_SIZE: {
        ASSIGN_OR_RETURN(*value, Attribute(device, ACL_DEV_ATTR_L2_CACHE_SIZE));
        return {};
      }
      default: break;
    }
    return Status(Code::kInvalidParam, fmt::format("there is no figure {}", static_cast<int>(deviceInfo)),
                  "Use a value of aclDeviceInfo other than ACL_DEVICE_INFO_UNDEFINED");
  });
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t* value) {
  return Guard("aclrtGetDeviceCapability", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    RETURN_IF_ERROR(runtime::FindDevice(deviceId).status());
    if (devFeatureType != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV &&
        devFeatureType != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV) {
      return Status(Code::kParamInvalid, fmt::format("there is no feature {}", static_cast<int>(devFeatureType)),
                    "Use a value of aclrtDevFeatureType");
    }
    // Kernels that are queued cannot be updated, and there are no queues of memory between devices.
    *value = 0;
    return {};
  });
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
  return Guard("aclrtDeviceGetUuid", [&]() -> Status {
    if (uuid == nullptr) return NullArgument("uuid");
    ASSIGN_OR_RETURN(const auto bytes, runtime::Uuid(deviceId));
    static_assert(sizeof bytes == sizeof uuid->bytes);
    std::memcpy(uuid->bytes, bytes.data(), sizeof uuid->bytes);
    return {};
  });
}

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len) {
  return Guard("aclrtDeviceGetPCIBusId", [&]() -> Status {
    if (pciBusId == nullptr) return NullArgument("pciBusId");
    ASSIGN_OR_RETURN(const std::string id, runtime::PciBusId(deviceId));
    if (len < static_cast<int32_t>(id.size()) + 1) {
      return Status(Code::kParamInvalid, fmt::format("argument len is {}", len),
                    fmt::format("The text takes {} bytes with its end", id.size() + 1));
    }
    std::memcpy(pciBusId, id.c_str(), id.size() + 1);
    return {};
  });
}

aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId) {
  return Guard("aclrtDeviceGetByPCIBusId", [&]() -> Status {
    if (pciBusId == nullptr || deviceId == nullptr) return NullArgument("pciBusId or deviceId");
    ASSIGN_OR_RETURN(*deviceId, runtime::DeviceWithPciBusId(pciBusId));
    return {};
  });
}

aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                              const uint32_t count, int32_t deviceId) {
  return Guard("aclrtDeviceGetHostAtomicCapabilities", [&]() -> Status {
    RETURN_IF_ERROR(runtime::FindDevice(deviceId).status());
    return NoAtomics(capabilities, operations, count);
  });
}

aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                             const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId) {
  return Guard("aclrtDeviceGetP2PAtomicCapabilities", [&]() -> Status {
    RETURN_IF_ERROR(runtime::FindDevice(srcDeviceId).status());
    RETURN_IF_ERROR(runtime::FindDevice(dstDeviceId).status());
    return NoAtomics(capabilities, operations, count);
  });
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value) {
  return Guard("aclrtGetDevicesTopo", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const runtime::DeviceLink link,
                     runtime::LinkBetween(static_cast<int32_t>(deviceId), static_cast<int32_t>(otherDeviceId)));
    *value = BitOf(link);
    return {};
  });
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
  return Guard("aclrtGetDeviceUtilizationRate", [&]() -> Status {
    if (utilizationInfo == nullptr) return NullArgument("utilizationInfo");
    ASSIGN_OR_RETURN(const int32_t percent, runtime::Utilization(deviceId));
    // One kind of core runs all kernels here, and none runs on the device's own processors.
    utilizationInfo->cubeUtilization = percent;
    utilizationInfo->vectorUtilization = percent;
    utilizationInfo->aicpuUtilization = 0;
    utilizationInfo->memoryUtilization = -1;
    return {};
  });
}

aclError aclrtSetTsDevice(aclrtTsId tsId) {
  return Guard("aclrtSetTsDevice", [&]() -> Status {
    // No part has a scheduler of its own for vector cores, so that choosing it changes nothing.
    if (tsId == ACL_TS_ID_AICORE || tsId == ACL_TS_ID_AIVECTOR) return {};
    return Status(Code::kParamInvalid, fmt::format("there is no scheduler {}", static_cast<int>(tsId)),
                  "Use ACL_TS_ID_AICORE or ACL_TS_ID_AIVECTOR");
  });
}

// ---- Numbers ----

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId) {
  return Guard("aclrtGetLogicDevIdByUserDevId", [&] { return FromUserId(userDevid, logicDevId, "logicDevId"); });
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid) {
  return Guard("aclrtGetUserDevIdByLogicDevId", [&] { return ToUserId(logicDevId, userDevid, "userDevid"); });
}

// In spite of their names, which are documented as mistaken, these two take and give the program's own numbers.
aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId) {
  return Guard("aclrtGetLogicDevIdByPhyDevId", [&] { return ToUserId(phyDevId, logicDevId, "logicDevId"); });
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId) {
  return Guard("aclrtGetPhyDevIdByLogicDevId", [&] { return FromUserId(logicDevId, phyDevId, "phyDevId"); });
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId) {
  return Guard("aclrtGetUserDevIdByPhyDevId", [&] { return ToUserId(phyDevId, userDevId, "userDevId"); });
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId) {
  return Guard("aclrtGetPhyDevIdByUserDevId", [&] { return FromUserId(userDevId, phyDevId, "phyDevId"); });
}

// ---- Peer access ----

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return Guard("aclrtDeviceCanAccessPeer", [&]() -> Status {
    if (canAccessPeer == nullptr) return NullArgument("canAccessPeer");
    ASSIGN_OR_RETURN(const bool can, runtime::CanAccessPeer(deviceId, peerDeviceId));
    *canAccessPeer = can ? 1 : 0;
    return {};
  });
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return Guard("aclrtDeviceEnablePeerAccess", [&]() -> Status {
    if (flags != 0)
      return Status(Code::kFeatureUnsupported, fmt::format("argument flags is {}", flags), "Pass 0; it is reserved");
    return runtime::EnablePeerAccess(peerDeviceId);
  });
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return Guard("aclrtDeviceDisablePeerAccess", [&] { return runtime::DisablePeerAccess(peerDeviceId); });
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
  return Guard("aclrtDevicePeerAccessStatus", [&]() -> Status {
    if (status == nullptr) return NullArgument("status");
    for (const int32_t id : {deviceId, peerDeviceId}) {
      if (runtime::FindDevice(id).ok()) continue;
      return Status(Code::kParamInvalid, fmt::format("device {} does not exist", id),
                    fmt::format("There are {} devices", runtime::DeviceCount()));
    }
    *status = runtime::PeerAccessEnabled(deviceId, peerDeviceId) ? 1 : 0;
    return {};
  });
}
