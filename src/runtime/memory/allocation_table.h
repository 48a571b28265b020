// What the program has allocated: where, how much, by which call. Pools hand out the memory; this knows what it is for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/runtime/allocation.h"

namespace forebay::runtime {

// Thread safety: all functions may be called from any thread.
class AllocationTable {
 public:
  static AllocationTable& Get();

  void Add(const Allocation& allocation) EXCLUDES(mutex_);
  // Takes out what begins at the address, if `host` fits.
  std::optional<Allocation> Remove(uint64_t address, bool host) EXCLUDES(mutex_);
  // What begins at the address, or holds it.
  std::optional<Allocation> Find(uint64_t address) EXCLUDES(mutex_);
  void RemoveAllOf(int32_t device) EXCLUDES(mutex_);
  // The most first.
  std::vector<ModuleUse> UseByModule(int32_t device) EXCLUDES(mutex_);
  // The calls that hold the most device memory, one clause for each, and for what pools hold of `in_use` besides.
  std::string DescribeHolders(int32_t device, uint64_t in_use) EXCLUDES(mutex_);

 private:
  using ModuleKey = std::pair<int32_t, uint16_t>;  // device, module
  void CountOut(const Allocation& allocation) REQUIRES(mutex_);

  base::Mutex mutex_;
  std::map<uint64_t, Allocation> live_ GUARDED_BY(mutex_);
  std::map<ModuleKey, ModuleUse> modules_ GUARDED_BY(mutex_);
};

}  // namespace forebay::runtime
