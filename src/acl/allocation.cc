// Allocating and freeing device and pinned memory.
#include "forebay/runtime/allocation.h"

#include <fmt/format.h>

#include <bit>

#include "forebay/device.h"
#include "guard.h"

using namespace forebay;           // NOLINT(google-build-using-namespace)
using namespace forebay::acl;      // NOLINT(google-build-using-namespace)
using namespace forebay::runtime;  // NOLINT(google-build-using-namespace)

namespace {

struct Pages {
  uint64_t page_bytes;
  bool falls_back;
};
// By policy, without what may be added to it.
constexpr Pages kPages[] = {
    {kHugePage, true},  {kHugePage, false},   {kNormalPage, false}, {kHugePage, true},
    {kHugePage, false}, {kNormalPage, false}, {kGiantPage, false},  {kGiantPage, false},
};
constexpr std::size_t kLargestInNormalPages = std::size_t{1} << 20;
constexpr uint32_t kBandWidths = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH;
constexpr uint32_t kAdditions = kBandWidths | ACL_MEM_ACCESS_USER_SPACE_READONLY;

enum class Items { kOne, kSeveral };

// There is one kind of memory, so that of a policy only the pages count.
Result<Pages> PagesOf(aclrtMemMallocPolicy policy, std::size_t bytes, Items items) {
  const auto bits = static_cast<uint32_t>(policy);
  const uint32_t base = bits & ~kAdditions;
  const int given = std::popcount(bits & kAdditions) + (base != 0 ? 1 : 0);
  if ((items == Items::kOne && given > 1 && base < std::size(kPages)) || (bits & kBandWidths) == kBandWidths) {
    return Status(Code::kParamInvalid, fmt::format("the policy {:#x} joins what does not go together here", bits),
                  "aclrtMallocWithCfg takes a policy, one band width and read-only; the other calls take one of them");
  }
  // A policy of another version: by size.
  if (base >= std::size(kPages)) return bytes >= kHugePage ? Pages{kHugePage, true} : Pages{kNormalPage, false};
  const Pages pages = kPages[base];
  return pages.falls_back && bytes <= kLargestInNormalPages ? Pages{kNormalPage, false} : pages;
}

// What an aclrtMallocConfig says besides.
struct Settings {
  uint16_t module = kApplicationModule;
  bool same_address = false;
};

enum class Target { kDevice, kHost };

Status SetFromAttribute(const aclrtMallocAttribute& attribute, Target target, Settings& settings) {
  switch (attribute.attr) {
    case ACL_RT_MEM_ATTR_MODULE_ID: settings.module = attribute.value.moduleId; return {};
    case ACL_RT_MEM_ATTR_DEVICE_ID: {
      ASSIGN_OR_RETURN(const int32_t current, CurrentDevice());
      if (attribute.value.deviceId == static_cast<uint32_t>(current)) return {};
      return Status(
          Code::kParamInvalid,
          fmt::format("the attribute asks for device {}, but device {} is current", attribute.value.deviceId, current),
          "Make that device current first, or leave the attribute out");
    }
    case ACL_RT_MEM_ATTR_VA_FLAG:
      if (target == Target::kHost && attribute.value.vaFlag <= 1) {
        settings.same_address = attribute.value.vaFlag == 1;
        return {};
      }
      return Status(Code::kParamInvalid, fmt::format("the attribute VA_FLAG is {}", attribute.value.vaFlag),
                    "It is 0 or 1, and for host memory only");
    case ACL_RT_MEM_ATTR_RSV: break;
  }
  return Status(Code::kParamInvalid, fmt::format("there is no attribute {}", static_cast<int>(attribute.attr)),
                "See aclrtMallocAttrType");
}

Result<Settings> SettingsOf(const aclrtMallocConfig* config, Target target) {
  Settings settings;
  if (config == nullptr || config->numAttrs == 0) return settings;
  if (config->attrs == nullptr) return NullArgument("cfg->attrs");
  for (std::size_t i = 0; i < config->numAttrs; ++i)
    RETURN_IF_ERROR(SetFromAttribute(config->attrs[i], target, settings));
  return settings;
}

Status CheckRequest(const void* output, const char* name, std::size_t bytes) {
  if (output == nullptr) return NullArgument(name);
  if (bytes == 0) return Status(Code::kInvalidParam, "argument size is 0", "Ask for at least 1 byte");
  return {};
}

Status AllocateInto(void** address, std::size_t bytes, aclrtMemMallocPolicy policy, Items items, bool with_tail,
                    const aclrtMallocConfig* config, const void* site) {
  RETURN_IF_ERROR(CheckRequest(address, "devPtr", bytes));
  ASSIGN_OR_RETURN(const Pages pages, PagesOf(policy, bytes, items));
  ASSIGN_OR_RETURN(const Settings settings, SettingsOf(config, Target::kDevice));
  AllocationRequest request;
  request.bytes = bytes;
  request.page_bytes = pages.page_bytes;
  request.falls_back = pages.falls_back;
  request.with_tail = with_tail;
  request.module = settings.module;
  request.site = site;
  ASSIGN_OR_RETURN(*address, AllocateDevice(request));
  return {};
}

Status AllocateHostInto(void** address, const char* name, std::size_t bytes, const aclrtMallocConfig* config,
                        const void* site) {
  RETURN_IF_ERROR(CheckRequest(address, name, bytes));
  ASSIGN_OR_RETURN(const Settings settings, SettingsOf(config, Target::kHost));
  AllocationRequest request;
  request.bytes = bytes;
  request.same_address = settings.same_address;
  request.module = settings.module;
  request.site = site;
  ASSIGN_OR_RETURN(*address, AllocatePinned(request));
  return {};
}

Status Free(void* address, BeforeFree before, const void* site) {
  if (address == nullptr) return NullArgument("devPtr", Code::kParamInvalid);
  return FreeDevice(address, before, site);
}

Status FreeHost(void* address, BeforeFree before, const void* site) {
  if (address == nullptr) return NullArgument("hostPtr", Code::kParamInvalid);
  return FreePinned(address, before, site);
}

}  // namespace

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  const void* site = CALL_SITE;
  return Guard("aclrtMalloc", [&] { return AllocateInto(devPtr, size, policy, Items::kOne, true, nullptr, site); });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  const void* site = CALL_SITE;
  return Guard("aclrtMallocAlign32",
               [&] { return AllocateInto(devPtr, size, policy, Items::kOne, false, nullptr, site); });
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  const void* site = CALL_SITE;
  return Guard("aclrtMallocCached",
               [&] { return AllocateInto(devPtr, size, policy, Items::kOne, true, nullptr, site); });
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  const void* site = CALL_SITE;
  return Guard("aclrtMallocWithCfg",
               [&] { return AllocateInto(devPtr, size, policy, Items::kSeveral, true, cfg, site); });
}

aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  const void* site = CALL_SITE;
  return Guard("aclrtMallocForTaskScheduler",
               [&] { return AllocateInto(devPtr, size, policy, Items::kSeveral, true, cfg, site); });
}

aclError aclrtFree(void* devPtr) {
  const void* site = CALL_SITE;
  return Guard("aclrtFree", [&] { return Free(devPtr, BeforeFree::kNothing, site); });
}

aclError aclrtFreeWithDevSync(void* devPtr) {
  const void* site = CALL_SITE;
  return Guard("aclrtFreeWithDevSync", [&] { return Free(devPtr, BeforeFree::kWaitForDevice, site); });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  const void* site = CALL_SITE;
  return Guard("aclrtMallocHost", [&] { return AllocateHostInto(hostPtr, "hostPtr", size, nullptr, site); });
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
  const void* site = CALL_SITE;
  return Guard("aclrtMallocHostWithCfg", [&] { return AllocateHostInto(ptr, "ptr", size, cfg, site); });
}

aclError aclrtFreeHost(void* hostPtr) {
  const void* site = CALL_SITE;
  return Guard("aclrtFreeHost", [&] { return FreeHost(hostPtr, BeforeFree::kNothing, site); });
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  const void* site = CALL_SITE;
  return Guard("aclrtFreeHostWithDevSync", [&] { return FreeHost(hostPtr, BeforeFree::kWaitForDevice, site); });
}
