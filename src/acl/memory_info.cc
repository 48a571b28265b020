// How much memory there is, who has it, and what an address is; caches, which a device that is coherent has none of.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "forebay/runtime/allocation.h"
#include "forebay/runtime/context.h"
#include "guard.h"
#include "memory_pages.h"

using namespace forebay;           // NOLINT(google-build-using-namespace)
using namespace forebay::acl;      // NOLINT(google-build-using-namespace)
using namespace forebay::runtime;  // NOLINT(google-build-using-namespace)

namespace {

void WriteName(const ModuleUse& use, char (&name)[32]) {
  const std::string text = use.module == kApplicationModule ? std::string("APP") : fmt::format("MODULE_{}", use.module);
  std::memset(name, 0, sizeof name);
  std::memcpy(name, text.data(), std::min(text.size(), sizeof name - 1));
}

// For calls that write back or drop what a cache holds of a range.
Status CheckCachedRange(const void* address, std::size_t bytes) {
  if (address == nullptr) return NullArgument("devPtr", Code::kParamInvalid);
  if (bytes == 0) return Status(Code::kParamInvalid, "argument size is 0", "Name at least 1 byte");
  if (IsDeviceMemory(address, bytes)) return {};
  return Status(Code::kParamInvalid,
                fmt::format("the {} bytes at {} are not allocated device memory all through", bytes, address),
                "Check the address and the size");
}

}  // namespace

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return Guard("aclrtGetMemInfo", [&]() -> Status {
    if (free == nullptr || total == nullptr) return NullArgument("free or total", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const MemoryInfo info, QueryMemory());
    const auto pages = PageBytesOf(attr);
    // Normal pages are shared out in smaller pieces.
    const uint64_t page_bytes = pages && *pages != kNormalPage ? *pages : 1;
    *free = pages ? info.free_bytes / page_bytes * page_bytes : 0;
    *total = pages ? info.total_bytes / page_bytes * page_bytes : 0;
    return {};
  });
}

aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum, size_t* outputNum) {
  return Guard("aclrtGetMemUsageInfo", [&]() -> Status {
    if (memUsageInfo == nullptr) return NullArgument("memUsageInfo", Code::kParamInvalid);
    if (outputNum == nullptr) return NullArgument("outputNum", Code::kParamInvalid);
    if (inputNum == 0) return Status(Code::kParamInvalid, "argument inputNum is 0", "Make room for at least one entry");
    ASSIGN_OR_RETURN(const std::vector<ModuleUse> uses, QueryModules(deviceId));
    const std::size_t count = std::min(uses.size(), inputNum);
    for (std::size_t i = 0; i < count; ++i) {
      memUsageInfo[i] = {};
      WriteName(uses[i], memUsageInfo[i].name);
      memUsageInfo[i].curMemSize = uses[i].bytes;
      memUsageInfo[i].memPeakSize = uses[i].peak_bytes;
    }
    *outputNum = count;
    return {};
  });
}

aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType, uint32_t* checkResult, uint32_t reserve) {
  return Guard("aclrtCheckMemType", [&]() -> Status {
    if (addrList == nullptr) return NullArgument("addrList", Code::kParamInvalid);
    if (checkResult == nullptr) return NullArgument("checkResult", Code::kParamInvalid);
    constexpr uint32_t kKnown = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD;
    if (size == 0 || memType == 0 || (memType & ~kKnown) != 0 || reserve != 0) {
      return Status(Code::kParamInvalid,
                    fmt::format("size is {}, memType {:#x} and reserve {}", size, memType, reserve),
                    "size is at least 1, memType a sum of ACL_RT_MEM_TYPE values, and reserve 0");
    }
    // There is neither media memory nor reserved memory: an address is of the device or of no type.
    const bool fits = (memType & ACL_RT_MEM_TYPE_DEV) != 0 && std::all_of(addrList, addrList + size, [](void* address) {
                        const auto found = FindAllocation(address);
                        return found && !found->host;
                      });
    *checkResult = fits ? 1 : 0;
    return {};
  });
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return Guard("aclrtPointerGetAttributes", [&]() -> Status {
    if (ptr == nullptr) return NullArgument("ptr", Code::kParamInvalid);
    if (attributes == nullptr) return NullArgument("attributes", Code::kParamInvalid);
    aclrtPtrAttributes found{};
    found.location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    if (const auto allocation = FindAllocation(ptr)) {
      found.location.type = allocation->host      ? ACL_MEM_LOCATION_TYPE_HOST
                            : allocation->managed ? ACL_MEM_LOCATION_TYPE_MANAGED
                                                  : ACL_MEM_LOCATION_TYPE_DEVICE;
      found.location.id = allocation->host ? 0 : static_cast<uint32_t>(allocation->device);
      found.pageSize = static_cast<uint32_t>(allocation->page_bytes);
    }
    *attributes = found;
    return {};
  });
}

aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  return Guard("aclrtMemGetAddressRange", [&]() -> Status {
    if (ptr == nullptr) return NullArgument("ptr", Code::kParamInvalid);
    if (pbase == nullptr && psize == nullptr) return NullArgument("pbase, and psize too,", Code::kParamInvalid);
    const auto allocation = FindAllocation(ptr);
    if (!allocation) {
      return Status(Code::kParamInvalid, fmt::format("nothing is allocated at {}", ptr),
                    "Ask for an address in memory of aclrtMalloc or aclrtMallocHost, before it is freed");
    }
    if (pbase != nullptr) *pbase = FromHandle(allocation->address);
    if (psize != nullptr) *psize = allocation->bytes;
    return {};
  });
}

aclError aclrtMemFlush(void* devPtr, size_t size) {
  return Guard("aclrtMemFlush", [&] { return CheckCachedRange(devPtr, size); });
}

aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  return Guard("aclrtMemInvalidate", [&] { return CheckCachedRange(devPtr, size); });
}

aclError aclrtDeviceL2CacheFlush(void* rsv) {
  return Guard("aclrtDeviceL2CacheFlush", [&]() -> Status {
    if (rsv != nullptr) {
      return Status(Code::kParamInvalid, fmt::format("the reserved argument is {}", rsv), "Pass NULL");
    }
    return CurrentContext().status();
  });
}
