// Memory at one address for the host and all devices.
#include "forebay/runtime/managed_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "guard.h"

using namespace forebay;           // NOLINT(google-build-using-namespace)
using namespace forebay::acl;      // NOLINT(google-build-using-namespace)
using namespace forebay::runtime;  // NOLINT(google-build-using-namespace)

namespace {

// How attributes name the host; and none, or pages that differ.
constexpr int32_t kHost = -1;
constexpr int32_t kNoneOrMixed = -2;

ManagedPlace PlaceOf(const aclrtMemManagedLocation& location) {
  return {static_cast<ManagedPlace::Type>(location.type), location.id};
}

int32_t NumberOf(const ManagedPlace& place) {
  if (place.type == ManagedPlace::Type::kNone) return kNoneOrMixed;
  return place.type == ManagedPlace::Type::kDevice ? place.id : kHost;
}
int32_t IdOf(const ManagedPlace& place) {
  return place.type == ManagedPlace::Type::kHostNode ? place.id : NumberOf(place);
}

Status CheckRange(const void* address, uint64_t bytes) {
  if (address == nullptr) return NullArgument("ptr");
  if (bytes == 0) return Status(Code::kInvalidParam, "argument size is 0", "Name at least 1 byte");
  return {};
}

int32_t ValueOf(aclrtMemManagedRangeAttribute attribute, const ManagedPage& page) {
  switch (attribute) {
    case ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: return page.read_mostly ? 1 : 0;
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: return NumberOf(page.preferred);
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: return static_cast<int32_t>(page.preferred.type);
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: return IdOf(page.preferred);
    case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: return NumberOf(page.last_prefetch);
    case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: return static_cast<int32_t>(page.last_prefetch.type);
    case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: return IdOf(page.last_prefetch);
    case ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: break;
  }
  return kNoneOrMixed;
}

// The places that all pages have.
std::vector<int32_t> AccessedBy(const std::vector<ManagedPage>& pages) {
  std::vector<int32_t> numbers;
  for (const ManagedPlace& place : pages.front().accessed_by) {
    const bool all = std::all_of(pages.begin(), pages.end(), [&](const ManagedPage& page) {
      return std::find(page.accessed_by.begin(), page.accessed_by.end(), place) != page.accessed_by.end();
    });
    if (all) numbers.push_back(NumberOf(place));
  }
  return numbers;
}

Status CheckAttribute(aclrtMemManagedRangeAttribute attribute, const void* data, std::size_t bytes) {
  if (attribute < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
      attribute > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID) {
    return Status(Code::kInvalidParam, fmt::format("there is no attribute {}", static_cast<int>(attribute)),
                  "See aclrtMemManagedRangeAttribute");
  }
  if (data == nullptr) return NullArgument("data");
  if (bytes == 0) return Status(Code::kInvalidParam, "argument dataSize is 0", "Make room for an int32_t");
  if (bytes % sizeof(int32_t) == 0 && (attribute == ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY || bytes == sizeof(int32_t)))
    return {};
  return Status(Code::kParamInvalid,
                fmt::format("the room for attribute {} is {} bytes", static_cast<int>(attribute), bytes),
                "It is 4 bytes, and for ACCESSED_BY a multiple of 4");
}

void Write(aclrtMemManagedRangeAttribute attribute, const std::vector<ManagedPage>& pages, void* data,
           std::size_t bytes) {
  std::vector<int32_t> values;
  if (attribute == ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) {
    values = AccessedBy(pages);
  } else {
    const int32_t first = ValueOf(attribute, pages.front());
    const bool alike = std::all_of(pages.begin(), pages.end(),
                                   [&](const ManagedPage& page) { return ValueOf(attribute, page) == first; });
    values.push_back(alike ? first : kNoneOrMixed);
  }
  values.resize(bytes / sizeof(int32_t), kNoneOrMixed);
  std::memcpy(data, values.data(), bytes);
}

Status CheckFlags(uint64_t flags) {
  if (flags == 0) return {};
  return Status(Code::kInvalidParam, fmt::format("the flags are {:#x}", flags), "Pass 0");
}

}  // namespace

aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag) {
  return Guard("aclrtMemAllocManaged", [&]() -> Status {
    if (ptr == nullptr) return NullArgument("ptr");
    if (size == 0 || flag != ACL_RT_MEM_ATTACH_GLOBAL) {
      return Status(Code::kInvalidParam, fmt::format("size is {} and flag {}", size, flag),
                    "size is at least 1 and flag is ACL_RT_MEM_ATTACH_GLOBAL");
    }
    ASSIGN_OR_RETURN(*ptr, AllocateManaged(size));
    return {};
  });
}

aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size, aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location) {
  return Guard("aclrtMemManagedAdvise", [&]() -> Status {
    RETURN_IF_ERROR(CheckRange(ptr, size));
    if (advise < ACL_MEM_ADVISE_SET_READ_MOSTLY || advise > ACL_MEM_ADVISE_UNSET_ACCESSED_BY) {
      return Status(Code::kInvalidParam, fmt::format("there is no advice {}", static_cast<int>(advise)),
                    "See aclrtMemManagedAdviseType");
    }
    // They come in pairs: set, unset.
    constexpr ManagedAdvice kAdvice[] = {ManagedAdvice::kReadMostly, ManagedAdvice::kPreferredPlace,
                                         ManagedAdvice::kAccessedBy};
    return AdviseManaged({ptr, size}, kAdvice[advise / 2], advise % 2 == 0, PlaceOf(location));
  });
}

aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void* ptr, size_t size, void* data,
                                size_t dataSize) {
  return Guard("aclrtMemManagedGetAttr", [&]() -> Status {
    RETURN_IF_ERROR(CheckRange(ptr, size));
    RETURN_IF_ERROR(CheckAttribute(attribute, data, dataSize));
    ASSIGN_OR_RETURN(const std::vector<ManagedPage> pages, PagesOfManaged({ptr, size}));
    Write(attribute, pages, data, dataSize);
    return {};
  });
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes, size_t numAttributes, const void* ptr,
                                 size_t size, void** data, size_t* dataSizes) {
  return Guard("aclrtMemManagedGetAttrs", [&]() -> Status {
    if (attributes == nullptr) return NullArgument("attributes");
    if (data == nullptr) return NullArgument("data");
    if (dataSizes == nullptr) return NullArgument("dataSizes");
    if (numAttributes == 0) return Status(Code::kInvalidParam, "argument numAttributes is 0", "Ask for at least one");
    RETURN_IF_ERROR(CheckRange(ptr, size));
    for (size_t i = 0; i < numAttributes; ++i) RETURN_IF_ERROR(CheckAttribute(attributes[i], data[i], dataSizes[i]));
    ASSIGN_OR_RETURN(const std::vector<ManagedPage> pages, PagesOfManaged({ptr, size}));
    for (size_t i = 0; i < numAttributes; ++i) Write(attributes[i], pages, data[i], dataSizes[i]);
    return {};
  });
}

aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size, aclrtMemManagedLocation location, uint32_t flags,
                                      aclrtStream stream) {
  return Guard("aclrtMemManagedPrefetchAsync", [&]() -> Status {
    RETURN_IF_ERROR(CheckRange(ptr, size));
    RETURN_IF_ERROR(CheckFlags(flags));
    const ManagedPrefetch prefetch{{ptr, size}, PlaceOf(location)};
    return PrefetchManaged({&prefetch, 1}, ToHandle(stream));
  });
}

aclError aclrtMemManagedPrefetchBatchAsync(const void** ptrs, size_t* sizes, size_t count,
                                           aclrtMemManagedLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                           size_t numPrefetchLocs, uint64_t flags, aclrtStream stream) {
  return Guard("aclrtMemManagedPrefetchBatchAsync", [&]() -> Status {
    if (ptrs == nullptr) return NullArgument("ptrs");
    if (sizes == nullptr) return NullArgument("sizes");
    if (prefetchLocs == nullptr) return NullArgument("prefetchLocs");
    if (prefetchLocIdxs == nullptr) return NullArgument("prefetchLocIdxs");
    if (count == 0 || numPrefetchLocs == 0) {
      return Status(Code::kInvalidParam, fmt::format("count is {} and numPrefetchLocs {}", count, numPrefetchLocs),
                    "Both are at least 1");
    }
    RETURN_IF_ERROR(CheckFlags(flags));
    for (size_t i = 0; i < numPrefetchLocs; ++i) {
      const bool fits =
          i == 0 ? prefetchLocIdxs[0] == 0 : prefetchLocIdxs[i] > prefetchLocIdxs[i - 1] && prefetchLocIdxs[i] < count;
      if (fits) continue;
      return Status(Code::kParamInvalid, fmt::format("index {} of the places is {}", i, prefetchLocIdxs[i]),
                    fmt::format("The indexes ascend from 0 to less than {}", count));
    }
    std::vector<ManagedPrefetch> prefetches;
    size_t place = 0;
    for (size_t i = 0; i < count; ++i) {
      RETURN_IF_ERROR(CheckRange(ptrs[i], sizes[i]));
      if (place + 1 < numPrefetchLocs && prefetchLocIdxs[place + 1] == i) ++place;
      prefetches.push_back({{ptrs[i], sizes[i]}, PlaceOf(prefetchLocs[place])});
    }
    return PrefetchManaged(prefetches, ToHandle(stream));
  });
}
