#include "memory/pool_history.h"

#include <utility>

namespace forebay::runtime {

void PoolHistory::Start() {
  base::MutexLock lock(mutex_);
  text_.clear();
  ids_ = {};
  free_ids_.clear();
  next_id_ = 0;
  samples_.clear();
  on_.store(true, std::memory_order_release);
}

std::string PoolHistory::Take() {
  base::MutexLock lock(mutex_);
  on_.store(false, std::memory_order_release);
  return std::exchange(text_, {});
}

void PoolHistory::Append(const TraceEvent& event) {
  if (is_on()) AppendTraceEvent(event, &text_);
}

void PoolHistory::NoteAllocation(uint64_t address, uint64_t bytes, uint32_t stream, const PoolSample& after) {
  base::MutexLock lock(mutex_);
  if (!is_on()) return;
  uint32_t id = 0;
  if (free_ids_.empty()) {
    id = next_id_++;
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  ids_.Insert(address, id);
  samples_.push_back(after);
  // The format has no allocations of the host: its first stream stands for it.
  Append({TraceOperation::kAllocate, id, stream == kNoStream ? 0 : stream, bytes});
}

void PoolHistory::NoteFree(uint64_t address, uint32_t stream) {
  base::MutexLock lock(mutex_);
  const uint32_t* id = ids_.Find(address);
  if (id == nullptr) return;
  Append({TraceOperation::kFree, *id, stream, 0});
  free_ids_.push_back(*id);
  ids_.Erase(address);
}

void PoolHistory::NoteWait(uint32_t from, uint32_t to) {
  base::MutexLock lock(mutex_);
  Append({TraceOperation::kWait, from, to, 0});
}

void PoolHistory::NoteSynchronised(uint32_t stream) {
  base::MutexLock lock(mutex_);
  Append({TraceOperation::kSynchronise, 0, stream, 0});
}

void PoolHistory::NoteStep() {
  base::MutexLock lock(mutex_);
  Append({TraceOperation::kStep, 0, 0, 0});
}

std::string PoolHistory::Picture(const std::string& title) {
  base::MutexLock lock(mutex_);
  return HistorySvg(samples_, title);
}

}  // namespace forebay::runtime
