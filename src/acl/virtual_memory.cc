// Addresses and physical memory apart from each other.
#include "forebay/runtime/virtual_memory.h"

#include <fmt/format.h>

#include <vector>

#include "forebay/runtime/managed_memory.h"
#include "guard.h"
#include "memory_pages.h"

using namespace forebay;           // NOLINT(google-build-using-namespace)
using namespace forebay::acl;      // NOLINT(google-build-using-namespace)
using namespace forebay::runtime;  // NOLINT(google-build-using-namespace)

namespace {

Status CheckReservation(void** address, std::size_t bytes, std::size_t alignment, uint64_t flags) {
  if (address == nullptr) return NullArgument("virPtr");
  if (bytes != 0 && alignment == 0 && flags == 0) return {};
  return Status(Code::kInvalidParam, fmt::format("size is {}, alignment {} and flags {}", bytes, alignment, flags),
                "size is at least 1, alignment and flags are 0");
}

Status CheckMapping(const void* address, const void* handle, std::size_t offset, uint64_t flags) {
  if (address == nullptr) return NullArgument("virPtr");
  if (handle == nullptr) return NullArgument("handle");
  if (offset == 0 && flags == 0) return {};
  return Status(Code::kInvalidParam, fmt::format("offset is {} and flags {}", offset, flags), "Both are 0");
}

Result<PhysicalProperties> PropertiesOf(const aclrtPhysicalMemProp& prop) {
  if (prop.handleType != ACL_MEM_HANDLE_TYPE_NONE || prop.allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED) {
    return Status(Code::kParamInvalid,
                  fmt::format("handleType is {} and allocationType {}", static_cast<int>(prop.handleType),
                              static_cast<int>(prop.allocationType)),
                  "They are ACL_MEM_HANDLE_TYPE_NONE and ACL_MEM_ALLOCATION_TYPE_PINNED");
  }
  if (prop.location.type != ACL_MEM_LOCATION_TYPE_DEVICE) {
    return Status(Code::kParamInvalid, fmt::format("the location is of type {}", static_cast<int>(prop.location.type)),
                  "Physical memory is that of a device: ACL_MEM_LOCATION_TYPE_DEVICE");
  }
  const auto page_bytes = PageBytesOf(prop.memAttr);
  if (!page_bytes) {
    return Status(Code::kParamInvalid, fmt::format("there is no kind of memory {}", static_cast<int>(prop.memAttr)),
                  "See aclrtMemAttr");
  }
  // The normal pages of high-bandwidth memory are huge ones.
  const bool huge = prop.memAttr == ACL_HBM_MEM_NORMAL;
  return PhysicalProperties{static_cast<int32_t>(prop.location.id), static_cast<uint32_t>(prop.memAttr),
                            huge ? kHugePage : *page_bytes};
}

Result<AccessPlace> PlaceOf(const aclrtMemLocation& location) {
  if (location.type == ACL_MEM_LOCATION_TYPE_HOST) return AccessPlace{true, 0};
  if (location.type == ACL_MEM_LOCATION_TYPE_DEVICE) return AccessPlace{false, static_cast<int32_t>(location.id)};
  return Status(Code::kParamInvalid, fmt::format("the location is of type {}", static_cast<int>(location.type)),
                "It is ACL_MEM_LOCATION_TYPE_HOST or ACL_MEM_LOCATION_TYPE_DEVICE");
}

Status Reserve(void** address, std::size_t bytes, std::size_t alignment, void* wanted, uint64_t flags, AddressUse use) {
  RETURN_IF_ERROR(CheckReservation(address, bytes, alignment, flags));
  ASSIGN_OR_RETURN(*address, ReserveMapping(bytes, wanted, use));
  return {};
}

}  // namespace

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr, uint64_t flags) {
  return Guard("aclrtReserveMemAddress",
               [&] { return Reserve(virPtr, size, alignment, expectPtr, flags, AddressUse::kShared); });
}

aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                          uint64_t flags) {
  return Guard("aclrtReserveMemAddressNoUCMemory",
               [&] { return Reserve(virPtr, size, alignment, expectPtr, flags, AddressUse::kLocal); });
}

aclError aclrtReleaseMemAddress(void* virPtr) {
  return Guard("aclrtReleaseMemAddress", [&]() -> Status {
    if (virPtr == nullptr) return NullArgument("virPtr");
    return ReleaseMapping(virPtr);
  });
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t flags) {
  return Guard("aclrtMallocPhysical", [&]() -> Status {
    if (handle == nullptr) return NullArgument("handle");
    if (prop == nullptr) return NullArgument("prop");
    if (size == 0 || flags != 0) {
      return Status(Code::kInvalidParam, fmt::format("size is {} and flags {}", size, flags),
                    "size is at least 1 and flags is 0");
    }
    ASSIGN_OR_RETURN(const PhysicalProperties properties, PropertiesOf(*prop));
    ASSIGN_OR_RETURN(const uint64_t taken, TakePhysical(size, properties));
    *handle = FromHandle(taken);
    return {};
  });
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return Guard("aclrtFreePhysical", [&]() -> Status {
    if (handle == nullptr) return NullArgument("handle");
    return GivePhysical(ToHandle(handle));
  });
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
  return Guard("aclrtMapMem", [&]() -> Status {
    RETURN_IF_ERROR(CheckMapping(virPtr, handle, offset, flags));
    return MapPhysical(virPtr, size, ToHandle(handle), /*usable=*/true);
  });
}

aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
  return Guard("aclrtMemMapNoAccess", [&]() -> Status {
    RETURN_IF_ERROR(CheckMapping(virPtr, handle, offset, flags));
    return MapPhysical(virPtr, size, ToHandle(handle), /*usable=*/false);
  });
}

aclError aclrtUnmapMem(void* virPtr) {
  return Guard("aclrtUnmapMem", [&]() -> Status {
    if (virPtr == nullptr) return NullArgument("virPtr");
    if (IsManagedAddress(virPtr))
      return Status(Code::kParamInvalid, fmt::format("{} is managed memory", virPtr), "Free it with aclrtFree");
    return UnmapPhysical(virPtr);
  });
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option,
                                          size_t* granularity) {
  return Guard("aclrtMemGetAllocationGranularity", [&]() -> Status {
    if (prop == nullptr) return NullArgument("prop");
    if (granularity == nullptr) return NullArgument("granularity");
    if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
      return Status(Code::kInvalidParam, fmt::format("there is no option {}", static_cast<int>(option)),
                    "See aclrtMemGranularityOptions");
    }
    ASSIGN_OR_RETURN(const PhysicalProperties properties, PropertiesOf(*prop));
    *granularity = properties.page_bytes;
    return {};
  });
}

aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count) {
  return Guard("aclrtMemSetAccess", [&]() -> Status {
    if (virPtr == nullptr) return NullArgument("virPtr");
    if (desc == nullptr) return NullArgument("desc");
    if (size == 0 || count == 0) {
      return Status(Code::kInvalidParam, fmt::format("size is {} and count {}", size, count), "Both are at least 1");
    }
    std::vector<AccessPlace> places;
    for (size_t i = 0; i < count; ++i) {
      if (desc[i].flags != ACL_RT_MEM_ACCESS_FLAGS_READWRITE) {
        return Status(Code::kParamInvalid,
                      fmt::format("entry {} asks for the access {}", i, static_cast<int>(desc[i].flags)),
                      "Only ACL_RT_MEM_ACCESS_FLAGS_READWRITE can be granted");
      }
      ASSIGN_OR_RETURN(const AccessPlace place, PlaceOf(desc[i].location));
      places.push_back(place);
    }
    return GrantAccess(virPtr, size, places);
  });
}

aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag) {
  return Guard("aclrtMemGetAccess", [&]() -> Status {
    if (virPtr == nullptr) return NullArgument("virPtr");
    if (location == nullptr) return NullArgument("location");
    if (flag == nullptr) return NullArgument("flag");
    ASSIGN_OR_RETURN(const AccessPlace place, PlaceOf(*location));
    ASSIGN_OR_RETURN(const bool usable, HasAccess(virPtr, place));
    *flag = usable ? ACL_RT_MEM_ACCESS_FLAGS_READWRITE : ACL_RT_MEM_ACCESS_FLAGS_NONE;
    return {};
  });
}

aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle) {
  return Guard("aclrtMemRetainAllocationHandle", [&]() -> Status {
    if (virPtr == nullptr) return NullArgument("virPtr");
    if (handle == nullptr) return NullArgument("handle");
    ASSIGN_OR_RETURN(const uint64_t found, RetainPhysicalAt(virPtr));
    *handle = FromHandle(found);
    return {};
  });
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp* prop) {
  return Guard("aclrtMemGetAllocationPropertiesFromHandle", [&]() -> Status {
    if (handle == nullptr) return NullArgument("handle");
    if (prop == nullptr) return NullArgument("prop");
    ASSIGN_OR_RETURN(const PhysicalProperties properties, PropertiesOfPhysical(ToHandle(handle)));
    *prop = {};
    prop->handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop->allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    prop->memAttr = static_cast<aclrtMemAttr>(properties.attribute);
    prop->location = {static_cast<uint32_t>(properties.device), ACL_MEM_LOCATION_TYPE_DEVICE};
    return {};
  });
}

aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId, uint64_t flags) {
  return Guard("aclrtMemP2PMap", [&]() -> Status {
    if (devPtr == nullptr) return NullArgument("devPtr");
    if (size == 0 || flags != 0) {
      return Status(Code::kInvalidParam, fmt::format("size is {} and flags {}", size, flags),
                    "size is at least 1 and flags is 0");
    }
    return MapForPeer(devPtr, size, dstDevId);
  });
}

aclError aclrtMemMapSelectedLink(void* virPtrDst, size_t size, void* virPtrSrc, uint32_t linkIdx) {
  return Guard("aclrtMemMapSelectedLink", [&]() -> Status {
    if (virPtrDst == nullptr) return NullArgument("virPtrDst");
    if (virPtrSrc == nullptr) return NullArgument("virPtrSrc");
    if (size == 0) return Status(Code::kInvalidParam, "argument size is 0", "Pass the size of the mapping");
    // All memory is reached in one way.
    if (linkIdx != 0)
      return Status(Code::kParamInvalid, fmt::format("there is no link {}", linkIdx), "There is one link: 0");
    return MapAgain(virPtrDst, size, virPtrSrc);
  });
}

aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle, aclrtMemLinkType adviceLink) {
  return Guard("aclrtMemMapSetLink", [&]() -> Status {
    if (handle == nullptr) return NullArgument("handle");
    if (adviceLink < ACL_RT_MEM_ACCESS_LINK_SIO || adviceLink > ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH) {
      return Status(Code::kParamInvalid, fmt::format("there is no link {}", static_cast<int>(adviceLink)),
                    "See aclrtMemLinkType");
    }
    return AdviseLink(ToHandle(handle));
  });
}
