// Memory pools whose blocks are taken and released in the order of streams.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "acl/acl_rt_memory_soma.h"
#include "forebay/runtime/pool_handle.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

constexpr uint64_t kPageBytes = uint64_t{2} << 20;

// What an attribute is: a switch or a number of bytes, and what may be done with it.
enum class AttributeKind { kSwitch, kThreshold, kFigure, kPeak };
struct Attribute {
  aclrtMemPoolAttr name;
  AttributeKind kind;
  bool MemoryPoolOptions::* option;            // kSwitch
  uint64_t MemoryPoolStatistics::* statistic;  // kFigure, kPeak
};
constexpr Attribute kAttributes[] = {
    {ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, AttributeKind::kSwitch, &MemoryPoolOptions::follow_events,
     nullptr},
    {ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, AttributeKind::kSwitch, &MemoryPoolOptions::opportunistic, nullptr},
    {ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, AttributeKind::kSwitch, &MemoryPoolOptions::insert_waits,
     nullptr},
    {ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, AttributeKind::kThreshold, nullptr, nullptr},
    {ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, AttributeKind::kFigure, nullptr, &MemoryPoolStatistics::reserved_bytes},
    {ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, AttributeKind::kPeak, nullptr, &MemoryPoolStatistics::reserved_peak},
    {ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, AttributeKind::kFigure, nullptr, &MemoryPoolStatistics::allocated_bytes},
    {ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, AttributeKind::kPeak, nullptr, &MemoryPoolStatistics::peak_bytes},
};

Result<const Attribute*> FindAttribute(aclrtMemPoolAttr name) {
  for (const Attribute& attribute : kAttributes) {
    if (attribute.name == name) return &attribute;
  }
  return Status(Code::kInvalidParam, fmt::format("there is no pool attribute {}", static_cast<int>(name)),
                "Use one of aclrtMemPoolAttr");
}

template <typename T>
T Read(const void* value) noexcept {
  T number;
  std::memcpy(&number, value, sizeof number);
  return number;
}
template <typename T>
void Write(void* value, T number) noexcept {
  std::memcpy(value, &number, sizeof number);
}

Status SetAttribute(MemoryPool& pool, const Attribute& attribute, const void* value) {
  const int name = static_cast<int>(attribute.name);
  MemoryPoolOptions options = pool.options();
  switch (attribute.kind) {
    case AttributeKind::kSwitch: {
      const auto number = Read<uint32_t>(value);
      if (number > 1) {
        return Status(Code::kParamInvalid, fmt::format("pool attribute {} is to be {}", name, number), "Use 0 or 1");
      }
      options.*attribute.option = number != 0;
      return pool.SetOptions(options);
    }
    case AttributeKind::kThreshold: options.release_threshold = Read<uint64_t>(value); return pool.SetOptions(options);
    case AttributeKind::kFigure:
      return Status(Code::kParamInvalid, fmt::format("pool attribute {} is a figure of the pool", name),
                    "Only read it");
    case AttributeKind::kPeak:
      if (const auto number = Read<uint64_t>(value); number != 0) {
        return Status(Code::kParamInvalid,
                      fmt::format("the highest value, pool attribute {}, is to be {}", name, number),
                      "It can only be set to 0, to begin anew");
      }
      pool.ResetPeak(attribute.statistic);
      return {};
  }
  return {};
}

void GetAttribute(MemoryPool& pool, const Attribute& attribute, void* value) {
  switch (attribute.kind) {
    case AttributeKind::kSwitch: Write<uint32_t>(value, pool.options().*attribute.option ? 1 : 0); return;
    case AttributeKind::kThreshold: Write<uint64_t>(value, pool.options().release_threshold); return;
    case AttributeKind::kFigure:
    case AttributeKind::kPeak: Write<uint64_t>(value, pool.statistics().*attribute.statistic); return;
  }
}

Status CheckProperties(const aclrtMemPoolProps& properties) {
  const auto refuse = [](const char* what, auto value, const char* advice) {
    return Status(Code::kParamInvalid, fmt::format("the pool's {} is {}", what, static_cast<uint64_t>(value)), advice);
  };
  if (properties.allocType != ACL_MEM_ALLOCATION_TYPE_PINNED)
    return refuse("allocType", properties.allocType, "Use ACL_MEM_ALLOCATION_TYPE_PINNED");
  if (properties.handleType != ACL_MEM_HANDLE_TYPE_NONE)
    return refuse("handleType", properties.handleType, "Use ACL_MEM_HANDLE_TYPE_NONE: pools are not shared");
  if (properties.location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
    return refuse("location", properties.location.type, "Use ACL_MEM_LOCATION_TYPE_DEVICE");
  if (std::any_of(std::begin(properties.reserved), std::end(properties.reserved),
                  [](unsigned char c) { return c != 0; }))
    return Status(Code::kParamInvalid, "the pool's reserved bytes are not all 0", "Set the properties to 0 first");
  return {};
}

}  // namespace

aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps) {
  return Guard("aclrtMemPoolCreate", [&]() -> Status {
    if (memPool == nullptr) return NullArgument("memPool");
    if (poolProps == nullptr) return NullArgument("poolProps");
    RETURN_IF_ERROR(CheckProperties(*poolProps));
    MemoryPoolOptions options;
    // In whole pages, as the pool grows.
    const uint64_t maximum = poolProps->maxSize;
    options.maximum_bytes =
        maximum > UINT64_MAX - kPageBytes ? maximum : (maximum + kPageBytes - 1) / kPageBytes * kPageBytes;
    options.release_threshold = 0;
    ASSIGN_OR_RETURN(const uint64_t handle, runtime::CreatePool(static_cast<int32_t>(poolProps->location.id), options));
    *memPool = FromHandle(handle);
    return {};
  });
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool) {
  return Guard("aclrtMemPoolDestroy", [&]() -> Status {
    if (memPool == nullptr) return NullArgument("memPool");
    return runtime::DestroyPool(ToHandle(memPool));
  });
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return Guard("aclrtMemPoolSetAttr", [&]() -> Status {
    if (memPool == nullptr) return NullArgument("memPool");
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const Attribute* attribute, FindAttribute(attr));
    ASSIGN_OR_RETURN(const std::shared_ptr<MemoryPool> pool, runtime::FindPool(ToHandle(memPool)));
    return SetAttribute(*pool, *attribute, value);
  });
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return Guard("aclrtMemPoolGetAttr", [&]() -> Status {
    if (memPool == nullptr) return NullArgument("memPool");
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const Attribute* attribute, FindAttribute(attr));
    ASSIGN_OR_RETURN(const std::shared_ptr<MemoryPool> pool, runtime::FindPool(ToHandle(memPool)));
    GetAttribute(*pool, *attribute, value);
    return {};
  });
}

aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool, aclrtStream stream) {
  const void* site = CALL_SITE;
  return Guard("aclrtMemPoolMallocAsync", [&]() -> Status {
    if (ptr == nullptr) return NullArgument("ptr");
    if (memPool == nullptr) return NullArgument("memPool");
    ASSIGN_OR_RETURN(*ptr, runtime::AllocateFromPool(ToHandle(memPool), size, ToHandle(stream), site));
    return {};
  });
}

aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream) {
  const void* site = CALL_SITE;
  return Guard("aclrtMemPoolFreeAsync", [&]() -> Status {
    if (ptr == nullptr) return NullArgument("ptr");
    return runtime::FreeToPool(ptr, ToHandle(stream), site);
  });
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep) {
  return Guard("aclrtMemPoolTrimTo", [&]() -> Status {
    if (memPool == nullptr) return NullArgument("memPool");
    ASSIGN_OR_RETURN(const std::shared_ptr<MemoryPool> pool, runtime::FindPool(ToHandle(memPool)));
    pool->Trim(minBytesToKeep);
    return {};
  });
}
