// Vector clocks of the streams of one device: what each comes after by events, and how far the host has waited.
//
// Only streams that have released memory in their order take part, so that others pay a load for it. What is known is
// bounded: a stream remembers kMostKnown others. To forget is safe, because memory is then reused later.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "forebay/base/spin_lock.h"
#include "memory/pool/ordering.h"

namespace forebay::runtime {

// Thread safety: all functions may be called from any thread.
class StreamOrder final : public Ordering {
 public:
  static constexpr uint32_t kMostStreams = 2048;
  static constexpr uint32_t kMostKnown = 64;

  // `done_entry` tells how many entries of a stream's queue are done.
  explicit StreamOrder(std::function<uint64_t(uint32_t slot)> done_entry);
  ~StreamOrder() override;

  bool IsOrdered(uint32_t requester, const StreamMoment& moment) const noexcept override;
  bool HasPassed(const StreamMoment& moment) const noexcept override;

  // The stream releases memory in its order from now on.
  void TakePart(uint32_t slot) noexcept;
  // Whether any stream has.
  bool IsUsed() const noexcept { return used_.load(std::memory_order_relaxed); }
  // An event is recorded behind `moment`: what it stands for. `clock` is replaced.
  void Snapshot(const StreamMoment& moment, StreamClock& clock) EXCLUDES(lock_);
  // The stream waits for an event that stands for this.
  void NoteWait(uint32_t slot, const StreamClock& clock) EXCLUDES(lock_);
  // The host has waited until the moment passed.
  void NoteSynchronised(const StreamMoment& moment) noexcept;
  void NoteSynchronised(const StreamClock& clock) noexcept {
    for (const StreamMoment& moment : clock) NoteSynchronised(moment);
  }
  // Waits have been dropped with other tasks of a stream: it, and whoever counts on it, comes after nothing any more.
  void ForgetWaits() noexcept EXCLUDES(lock_);
  // How often that happened. A clock that was taken before means nothing afterwards.
  uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_acquire); }
  // Told of every wait (of `to` for an event of `from`), and every wait of the host (`from` is kNoStream).
  using Observer = std::function<void(uint32_t from, uint32_t to)>;
  void SetObserver(Observer observer) { observer_ = std::move(observer); }
  // Forgets everything: queues begin anew. Nothing may look at it meanwhile.
  void Reset() EXCLUDES(lock_);

 private:
  // The moments of other streams that one stream comes after.
  struct Row {
    std::array<std::atomic<uint8_t>, kMostStreams> place = {};  // 1 + the index below; 0: none
    std::array<std::atomic<uint32_t>, kMostKnown> slot = {};
    std::array<std::atomic<uint64_t>, kMostKnown> entry = {};
    uint32_t count = 0;
    uint32_t next_to_forget = 0;
  };

  static void Raise(Row& row, const StreamMoment& moment) noexcept;

  const std::function<uint64_t(uint32_t)> done_entry_;
  Observer observer_;
  std::atomic<bool> used_{false};
  std::atomic<uint64_t> epoch_{0};
  std::array<std::atomic<bool>, kMostStreams> takes_part_ = {};
  std::array<std::atomic<uint64_t>, kMostStreams> synchronised_ = {};
  base::SpinLock lock_;                                    // for writers of rows
  std::array<std::atomic<Row*>, kMostStreams> rows_ = {};  // made when a stream first waits; in made_
  std::vector<std::unique_ptr<Row>> made_ GUARDED_BY(lock_);
};

}  // namespace forebay::runtime
