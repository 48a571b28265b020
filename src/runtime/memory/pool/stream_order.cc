#include "memory/pool/stream_order.h"

#include <algorithm>

namespace forebay::runtime {

StreamOrder::StreamOrder(std::function<uint64_t(uint32_t)> done_entry) : done_entry_(std::move(done_entry)) {}

StreamOrder::~StreamOrder() = default;

bool StreamOrder::IsOrdered(uint32_t requester, const StreamMoment& moment) const noexcept {
  if (requester == moment.slot) return true;
  if (moment.slot >= kMostStreams) return true;  // the host released it
  if (synchronised_[moment.slot].load(std::memory_order_acquire) >= moment.entry) return true;
  if (requester >= kMostStreams) return false;
  const Row* row = rows_[requester].load(std::memory_order_acquire);
  if (row == nullptr) return false;
  const uint8_t place = row->place[moment.slot].load(std::memory_order_acquire);
  if (place == 0) return false;
  const uint64_t entry = row->entry[place - 1].load(std::memory_order_acquire);
  // The place may have been given to another stream meanwhile. Who sees its entry sees its name.
  return row->slot[place - 1].load(std::memory_order_relaxed) == moment.slot && entry >= moment.entry;
}

bool StreamOrder::HasPassed(const StreamMoment& moment) const noexcept {
  return moment.slot >= kMostStreams || done_entry_(moment.slot) >= moment.entry;
}

void StreamOrder::TakePart(uint32_t slot) noexcept {
  if (slot >= kMostStreams || takes_part_[slot].load(std::memory_order_relaxed)) return;
  takes_part_[slot].store(true, std::memory_order_release);
  used_.store(true, std::memory_order_release);
}

void StreamOrder::Raise(Row& row, const StreamMoment& moment) noexcept {
  const uint8_t place = row.place[moment.slot].load(std::memory_order_relaxed);
  if (place != 0) {
    auto& entry = row.entry[place - 1];
    if (entry.load(std::memory_order_relaxed) < moment.entry) entry.store(moment.entry, std::memory_order_release);
    return;
  }
  uint32_t index = row.count;
  if (index < kMostKnown) {
    ++row.count;
  } else {
    index = row.next_to_forget;
    row.next_to_forget = (index + 1) % kMostKnown;
    row.place[row.slot[index].load(std::memory_order_relaxed)].store(0, std::memory_order_release);
  }
  row.slot[index].store(moment.slot, std::memory_order_release);
  row.entry[index].store(moment.entry, std::memory_order_release);
  row.place[moment.slot].store(static_cast<uint8_t>(index + 1), std::memory_order_release);
}

void StreamOrder::Snapshot(const StreamMoment& moment, StreamClock& clock) {
  clock.clear();
  if (moment.slot >= kMostStreams) return;
  if (takes_part_[moment.slot].load(std::memory_order_acquire)) clock.push_back(moment);
  const Row* row = rows_[moment.slot].load(std::memory_order_acquire);
  if (row == nullptr) return;
  base::SpinLockHolder hold(lock_);
  for (uint32_t i = 0; i < row->count; ++i) {
    const StreamMoment known{row->slot[i].load(std::memory_order_relaxed),
                             row->entry[i].load(std::memory_order_relaxed)};
    if (known.slot == moment.slot) continue;
    // What the host has waited for is known to all.
    if (synchronised_[known.slot].load(std::memory_order_acquire) < known.entry) clock.push_back(known);
  }
}

void StreamOrder::NoteWait(uint32_t slot, const StreamClock& clock) {
  if (clock.empty() || slot >= kMostStreams) return;
  if (observer_) observer_(clock.front().slot, slot);
  std::unique_ptr<Row> made;
  if (rows_[slot].load(std::memory_order_acquire) == nullptr) made = std::make_unique<Row>();
  base::SpinLockHolder hold(lock_);
  if (rows_[slot].load(std::memory_order_relaxed) == nullptr) {
    rows_[slot].store(made.get(), std::memory_order_release);
    made_.push_back(std::move(made));
  }
  Row& row = *rows_[slot].load(std::memory_order_relaxed);
  for (const StreamMoment& moment : clock) {
    if (moment.slot != slot) Raise(row, moment);
  }
}

void StreamOrder::NoteSynchronised(const StreamMoment& moment) noexcept {
  if (moment.slot >= kMostStreams || !takes_part_[moment.slot].load(std::memory_order_acquire)) return;
  auto& known = synchronised_[moment.slot];
  uint64_t before = known.load(std::memory_order_relaxed);
  if (observer_ && before < moment.entry) observer_(kNoStream, moment.slot);
  while (before < moment.entry &&
         !known.compare_exchange_weak(before, moment.entry, std::memory_order_acq_rel, std::memory_order_relaxed)) {
  }
}

void StreamOrder::ForgetWaits() noexcept {
  base::SpinLockHolder hold(lock_);
  epoch_.fetch_add(1, std::memory_order_acq_rel);
  for (const std::unique_ptr<Row>& row : made_) {
    for (auto& place : row->place) place.store(0, std::memory_order_release);
    row->count = 0;
    row->next_to_forget = 0;
  }
}

void StreamOrder::Reset() {
  used_.store(false, std::memory_order_release);
  base::SpinLockHolder hold(lock_);
  for (uint32_t slot = 0; slot < kMostStreams; ++slot) {
    takes_part_[slot].store(false, std::memory_order_relaxed);
    synchronised_[slot].store(0, std::memory_order_relaxed);
    rows_[slot].store(nullptr, std::memory_order_release);
  }
  made_.clear();
}

}  // namespace forebay::runtime
