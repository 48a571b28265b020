// Streams and pages that a test controls.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/mutex.h"
#include "memory/pool/ordering.h"
#include "memory/pool/page_source.h"

namespace forebay::runtime {

inline constexpr uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

// A few streams: how far each is, how far the host has waited, and what each comes after.
class TestStreams final : public Ordering {
 public:
  static constexpr uint32_t kCount = 8;

  bool IsOrdered(uint32_t requester, const StreamMoment& moment) const noexcept override {
    if (moment.slot == kNoStream || moment.slot == requester || synchronised[moment.slot] >= moment.entry) return true;
    return requester != kNoStream && known[requester][moment.slot] >= moment.entry;
  }
  bool HasPassed(const StreamMoment& moment) const noexcept override {
    return moment.slot == kNoStream || done[moment.slot] >= moment.entry;
  }
  StreamMoment Submit(uint32_t stream) {
    clocks[stream].push_back(known[stream]);
    return {stream, ++submitted[stream]};
  }
  void Event(uint32_t from, uint32_t to) {
    Raise(known[to], known[from]);
    known[to][from] = std::max(known[to][from], submitted[from]);
  }
  // The stream waits, and so comes after whatever that moment came after.
  void Wait(uint32_t stream, const StreamMoment& moment) {
    Raise(known[stream], clocks[moment.slot][moment.entry - 1]);
    known[stream][moment.slot] = std::max(known[stream][moment.slot], moment.entry);
  }
  // What a stream waited for is done, too.
  void Advance(uint32_t stream, uint64_t entry) {
    if (entry == 0) return;
    Raise(done, clocks[stream][entry - 1]);
    done[stream] = std::max(done[stream], entry);
  }
  void Synchronise(uint32_t stream) {
    if (submitted[stream] == 0) return;
    Advance(stream, submitted[stream]);
    Raise(synchronised, clocks[stream].back());
    synchronised[stream] = submitted[stream];
  }

  using Clock = std::array<uint64_t, kCount>;
  Clock submitted = {}, done = {}, synchronised = {};
  std::array<Clock, kCount> known = {};
  std::array<std::vector<Clock>, kCount> clocks;  // what each entry came after

 private:
  static void Raise(Clock& clock, const Clock& by) {
    for (uint32_t i = 0; i < kCount; ++i) clock[i] = std::max(clock[i], by[i]);
  }
};

// Addresses without memory. Checks that what is given back was obtained.
class TestPages final : public PageSource {
 public:
  explicit TestPages(uint64_t page = 2 * kMiB) : page_(page) {}

  uint64_t page_bytes() const noexcept override { return page_; }
  Result<AddressRange> Obtain(uint64_t bytes, uint64_t after) override {
    base::MutexLock hold(lock_);
    return Place(bytes, bytes, after);
  }
  void Return(const AddressRange& range) override {
    base::MutexLock hold(lock_);
    ++calls;
    reserved -= range.bytes;
    Remove(range);
  }
  Result<AddressRange> Rearrange(std::span<const AddressRange> from, uint64_t fresh, uint64_t after) override {
    base::MutexLock hold(lock_);
    if (!can_rearrange) return Status(Code::kFeatureNotSupport, "fixed");
    uint64_t bytes = fresh;
    for (const AddressRange& range : from) bytes += range.bytes;
    Result<AddressRange> placed = Place(bytes, fresh, after);
    if (!placed.ok()) return placed;
    for (const AddressRange& range : from) Remove(range);
    return placed;
  }
  std::byte* HostView(uint64_t, uint64_t) override { return nullptr; }

  bool can_rearrange = true;
  bool is_scattered = false;            // never where asked
  uint64_t refuse_from = ~uint64_t{0};  // number of the first call that fails
  uint64_t calls = 0, reserved = 0, peak = 0;
  std::string broken;  // what a heap did wrong

 private:
  Result<AddressRange> Place(uint64_t bytes, uint64_t fresh, uint64_t after) {
    if (calls++ >= refuse_from) return Status(Code::kMemoryAllocation, "refused");
    if (bytes == 0 || bytes % page_ != 0) broken = "not whole pages";
    if (is_scattered || after != next_) next_ += 16 * kMiB;
    const AddressRange range{next_, bytes};
    next_ += bytes;
    for (uint64_t at = range.address; at < next_; at += page_) pages_[at] = true;
    reserved += fresh;
    peak = std::max(peak, reserved);
    return range;
  }
  void Remove(const AddressRange& range) {
    if (range.bytes == 0 || range.address % page_ != 0 || range.bytes % page_ != 0) broken = "not whole pages";
    for (uint64_t at = range.address; at < range.address + range.bytes; at += page_) {
      if (pages_.erase(at) == 0) broken = "a page that was not obtained";
    }
  }

  const uint64_t page_;
  base::Mutex lock_;
  uint64_t next_ = uint64_t{1} << 40;
  std::map<uint64_t, bool> pages_;
};

}  // namespace forebay::runtime
