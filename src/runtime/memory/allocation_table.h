// What the program has allocated: where, how much, by which call. Pools hand out the memory; this knows what it is for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/flat_table.h"
#include "forebay/base/mutex.h"
#include "forebay/base/spin_lock.h"
#include "forebay/runtime/allocation.h"

namespace forebay::runtime {

// Every aclrtMalloc and aclrtFree comes by here, so it is cut into parts with a lock each, and an entry costs no
// allocation. Only exact addresses are found; who has one inside asks the pool first where its block begins.
// Thread safety: all functions may be called from any thread.
class AllocationTable {
 public:
  static AllocationTable& Get();

  void Add(const Allocation& allocation);
  // Takes out what begins at the address, if `host` fits.
  std::optional<Allocation> Remove(uint64_t address, bool host);
  // What begins at the address.
  std::optional<Allocation> Find(uint64_t address);
  // What was allocated as pinned memory that kernels use at the host's address, and holds this one.
  std::optional<Allocation> FindSameAddress(uint64_t address) EXCLUDES(mutex_);
  void RemoveAllOf(int32_t device) EXCLUDES(mutex_);
  // The most first.
  std::vector<ModuleUse> UseByModule(int32_t device) EXCLUDES(modules_lock_);
  // The calls that hold the most device memory, one clause for each, and for what pools hold of `in_use` besides.
  std::string DescribeHolders(int32_t device, uint64_t in_use);
  // Everything that is allocated on a device, host memory too.
  std::vector<Allocation> AllOf(int32_t device);

 private:
  static constexpr std::size_t kParts = 32;
  struct alignas(64) Part {
    base::SpinLock lock;
    base::FlatTable<Allocation> live GUARDED_BY(lock);
  };
  Part& PartOf(uint64_t address) noexcept { return parts_[(address >> 9) * 0x9E3779B97F4A7C15u >> 59]; }

  static uint64_t ModuleKey(const Allocation& allocation) noexcept {
    return (static_cast<uint64_t>(allocation.device) + 1) << 16 | allocation.module;
  }
  void CountIn(const Allocation& allocation) EXCLUDES(modules_lock_);
  void CountOut(const Allocation& allocation) EXCLUDES(modules_lock_);

  std::array<Part, kParts> parts_;
  base::SpinLock modules_lock_;
  base::FlatTable<ModuleUse> modules_ GUARDED_BY(modules_lock_);
  base::Mutex mutex_;
  std::map<uint64_t, Allocation> same_address_ GUARDED_BY(mutex_);
};

}  // namespace forebay::runtime
