// What a pool was asked for, in the order of the calls, as `forebay tune-memory` reads it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/flat_table.h"
#include "forebay/base/mutex.h"
#include "memory/pool/snapshot.h"
#include "memory/pool/trace.h"

namespace forebay::runtime {

// Thread safety: all functions may be called from any thread.
class PoolHistory {
 public:
  // Begins anew; what is live by then is not part of it.
  void Start() EXCLUDES(mutex_);
  // Ends, and gives what was noted. Empty when nothing was started.
  std::string Take() EXCLUDES(mutex_);
  bool is_on() const noexcept { return on_.load(std::memory_order_relaxed); }

  void NoteAllocation(uint64_t address, uint64_t bytes, uint32_t stream, const PoolSample& after) EXCLUDES(mutex_);
  // Before the pool may give the address to somebody else.
  void NoteFree(uint64_t address, uint32_t stream) EXCLUDES(mutex_);
  void NoteWait(uint32_t from, uint32_t to) EXCLUDES(mutex_);
  void NoteSynchronised(uint32_t stream) EXCLUDES(mutex_);
  void NoteStep() EXCLUDES(mutex_);
  // The pool after each allocation since the last start, as a picture.
  std::string Picture(const std::string& title) EXCLUDES(mutex_);

 private:
  void Append(const TraceEvent& event) REQUIRES(mutex_);

  std::atomic<bool> on_{false};
  base::Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  base::FlatTable<uint32_t> ids_ GUARDED_BY(mutex_);  // of live blocks, by address
  std::vector<uint32_t> free_ids_ GUARDED_BY(mutex_);
  uint32_t next_id_ GUARDED_BY(mutex_) = 0;
  std::vector<PoolSample> samples_ GUARDED_BY(mutex_);
};

}  // namespace forebay::runtime
