// What the checking mode has found, and the pools that it looks after.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/memory_check.h"
#include "forebay/runtime/memory_reports.h"

namespace forebay::sip {
struct FaultReport;
}

namespace forebay::runtime {

class CheckedBlocks;

// How a finding is told to the program: by the failure of the call or task that it concerns, or as a message.
enum class Told { kByFailure, kAsMessage };

// Thread safety: all functions may be called from any thread. The lock of a pool's blocks is taken inside this one's.
class MemoryReports {
 public:
  static MemoryReports& Get();

  // Counts it, keeps it, and writes it to standard error. No lock of a pool may be held.
  void Add(MemoryReport report, Told told) EXCLUDES(mutex_);
  // With an `exit_code` the process ends with it, whatever it exits with, once something has been found.
  void AddPool(CheckedBlocks* pool, int exit_code) EXCLUDES(pools_mutex_, mutex_);
  void RemovePool(CheckedBlocks* pool) EXCLUDES(pools_mutex_);

  uint64_t CheckNow() EXCLUDES(pools_mutex_, mutex_);
  MemoryCheckStatistics Statistics() EXCLUDES(pools_mutex_, mutex_);
  std::vector<MemoryReport> Reports() EXCLUDES(mutex_);
  void Clear() EXCLUDES(mutex_);
  // The numbers on one line of standard error; nothing when no pool was ever checked.
  void WriteSummary() EXCLUDES(mutex_);

  // What a released block at the address is, after it was released once more: reported, and returned as the reason.
  // Empty when it is none.
  std::string FindDoubleFree(uint64_t address, const void* site) EXCLUDES(pools_mutex_, mutex_);
  // What a task did wrong when it failed at this address: reported, and returned. Empty when nothing is known of it.
  std::string FindFault(const sip::FaultReport& fault) EXCLUDES(pools_mutex_, mutex_);
  // The same for memory that a call names and that is not there.
  std::string FindAccess(uint64_t address, uint64_t bytes) EXCLUDES(pools_mutex_, mutex_);

 private:
  std::optional<MemoryReport> Find(uint64_t address, uint64_t bytes) EXCLUDES(pools_mutex_);

  base::Mutex pools_mutex_ ACQUIRED_BEFORE(mutex_);
  std::vector<CheckedBlocks*> pools_ GUARDED_BY(pools_mutex_);
  base::Mutex mutex_;
  MemoryCheckStatistics counts_ GUARDED_BY(mutex_);
  std::vector<MemoryReport> reports_ GUARDED_BY(mutex_);
  bool has_checked_ GUARDED_BY(mutex_) = false;
  bool ends_badly_ GUARDED_BY(mutex_) = false;  // the exit code is arranged for
};

}  // namespace forebay::runtime
