// Memory at one address for the host and all devices. Here it always lies in the device that was current when it was
// allocated; where it would go on hardware is only kept, by pages of 2 MiB, and told.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "forebay/status.h"

namespace forebay::runtime {

// Where pages may be. The numbers are those of aclrtMemManagedLocationType.
struct ManagedPlace {
  enum class Type : int32_t { kNone = 0, kDevice = 1, kHost = 2, kHostNode = 3, kCurrentHostNode = 4 };
  Type type = Type::kNone;
  int32_t id = 0;  // of the device or node

  bool operator==(const ManagedPlace&) const = default;
};

struct ManagedRange {
  const void* address = nullptr;
  uint64_t bytes = 0;
};

// What is known of each page.
struct ManagedPage {
  bool read_mostly = false;
  ManagedPlace preferred;
  ManagedPlace last_prefetch;
  std::vector<ManagedPlace> accessed_by;

  bool operator==(const ManagedPage&) const = default;
};

// In whole pages of 2 MiB, all zero. kMemoryAllocation when there is not enough.
Result<void*> AllocateManaged(uint64_t bytes);
// Whether an address is one of those that managed memory lies at.
bool IsManagedAddress(const void* address) noexcept;
// By the address that AllocateManaged gave. kMemoryFree when nothing begins there.
Status FreeManaged(void* address);

enum class ManagedAdvice { kReadMostly, kPreferredPlace, kAccessedBy };
// Sets or takes back what is known of a range of whole pages. kParamInvalid for a range that is not managed all
// through, or a place that there is none of.
Status AdviseManaged(const ManagedRange& range, ManagedAdvice advice, bool set, const ManagedPlace& place);
// The pages that a range touches.
Result<std::vector<ManagedPage>> PagesOfManaged(const ManagedRange& range);
struct ManagedPrefetch {
  ManagedRange range;
  ManagedPlace place;
};
// A task that moves nothing, and a note of where it was meant to.
Status PrefetchManaged(std::span<const ManagedPrefetch> prefetches, uint64_t stream);

}  // namespace forebay::runtime
