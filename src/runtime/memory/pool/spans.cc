#include "memory/pool/spans.h"

#include <algorithm>

namespace forebay::runtime {
namespace {

constexpr uint32_t kMostStreamsAsked = 8;
constexpr uint32_t kMostReclaimed = 64;

}  // namespace

void ReleasedSlots::PushNewest(const Entry& entry) {
  if (count_ == ring_.size()) {
    std::vector<Entry> larger(std::max<std::size_t>(16, 2 * ring_.size()));
    for (uint32_t i = 0; i < count_; ++i) larger[i] = (*this)[i];
    ring_ = std::move(larger);
    first_ = 0;
  }
  ring_[(first_ + count_++) & (ring_.size() - 1)] = entry;
}

void Spans::LinkSpan(ClassState& state, uint32_t number) {
  SpanRecord& span = addresses_.Span(number);
  span.previous = 0;
  span.next = state.with_free;
  if (span.next != 0) addresses_.Span(span.next - 1).previous = number + 1;
  state.with_free = number + 1;
}

void Spans::UnlinkSpan(ClassState& state, uint32_t number) {
  SpanRecord& span = addresses_.Span(number);
  if (span.previous != 0) {
    addresses_.Span(span.previous - 1).next = span.next;
  } else {
    state.with_free = span.next;
  }
  if (span.next != 0) addresses_.Span(span.next - 1).previous = span.previous;
}

uint32_t Spans::TakeFree(uint32_t size_class, uint64_t* slots, uint32_t wanted) {
  ClassState& state = states_[size_class];
  const SizeClasses::Class& of_class = classes_[size_class];
  base::SpinLockHolder hold(state.lock);
  uint32_t count = 0;
  while (count < wanted && state.with_free != 0) {
    const uint32_t number = state.with_free - 1;
    const uint64_t address = uint64_t{number} << AddressIndex::kSpanShift;
    SpanRecord& span = addresses_.Span(number);
    SlotWord* words = addresses_.SlotsOf(*addresses_.RegionOf(address), address);
    uint32_t slot = span.first_free;
    for (; count < wanted && span.free_slots != 0; ++slot) {
      if (words[slot].load(std::memory_order_relaxed) != kSlotFree) continue;
      words[slot].store(kSlotCached, std::memory_order_relaxed);
      slots[count++] = address + uint64_t{slot} * of_class.bytes;
      --span.free_slots;
    }
    span.first_free = static_cast<uint16_t>(slot);
    if (span.free_slots == 0) UnlinkSpan(state, number);
  }
  return count;
}

void Spans::GiveOne(ClassState& state, uint32_t size_class, uint64_t address) {
  const auto number = static_cast<uint32_t>(address >> AddressIndex::kSpanShift);
  AddressIndex::Region& region = *addresses_.RegionOf(address);
  SpanRecord& span = region.spans[AddressIndex::SpanInRegion(address)];
  const uint32_t slot = classes_.SlotAt(size_class, address & (SizeClasses::kSpanBytes - 1));
  addresses_.SlotsOf(region, address)[slot].store(kSlotFree, std::memory_order_relaxed);
  if (span.free_slots++ == 0) {
    span.first_free = static_cast<uint16_t>(slot);
    LinkSpan(state, number);
  } else if (slot < span.first_free) {
    span.first_free = static_cast<uint16_t>(slot);
  }
}

void Spans::GiveFree(uint32_t size_class, const uint64_t* slots, uint32_t count) {
  ClassState& state = states_[size_class];
  base::SpinLockHolder hold(state.lock);
  for (uint32_t i = 0; i < count; ++i) GiveOne(state, size_class, slots[i]);
}

void Spans::AddSpan(uint32_t size_class, uint64_t address, BlockIndex block) {
  ClassState& state = states_[size_class];
  AddressIndex::Region& region = *addresses_.RegionOf(address);
  SpanRecord& span = region.spans[AddressIndex::SpanInRegion(address)];
  base::SpinLockHolder hold(state.lock);
  span.block = block;
  span.free_slots = static_cast<uint16_t>(classes_[size_class].slots);
  span.first_free = 0;
  SlotWord* words = addresses_.SlotsOf(region, address);
  for (uint32_t i = 0; i < classes_[size_class].slots; ++i) words[i].store(kSlotFree, std::memory_order_relaxed);
  // Release: who finds the class finds the slots in order.
  region.span_class[AddressIndex::SpanInRegion(address)].store(static_cast<uint8_t>(size_class + 1),
                                                               std::memory_order_release);
  LinkSpan(state, static_cast<uint32_t>(address >> AddressIndex::kSpanShift));
}

void Spans::RemoveEmpty(std::vector<BlockIndex>& blocks) {
  for (uint32_t size_class = 0; size_class < classes_.count(); ++size_class) {
    ClassState& state = states_[size_class];
    base::SpinLockHolder hold(state.lock);
    for (uint32_t next = state.with_free; next != 0;) {
      const uint32_t number = next - 1;
      SpanRecord& span = addresses_.Span(number);
      next = span.next;
      if (span.free_slots != classes_[size_class].slots) continue;
      UnlinkSpan(state, number);
      const uint64_t address = uint64_t{number} << AddressIndex::kSpanShift;
      addresses_.RegionOf(address)->span_class[AddressIndex::SpanInRegion(address)].store(0, std::memory_order_release);
      blocks.push_back(span.block);
    }
  }
}

Spans::Stream* Spans::FindStream(ClassState& state, uint32_t slot) {
  const uint32_t place = slot < state.stream_of_slot.size() ? state.stream_of_slot[slot] : 0;
  return place == 0 ? nullptr : state.streams[place - 1].get();
}

void Spans::LockAll() {
  for (ClassState& state : states_) state.lock.Lock();
}

void Spans::UnlockAll() {
  for (ClassState& state : states_) state.lock.Unlock();
}

uint64_t Spans::TakeReleased(uint32_t size_class, uint32_t requester, const ReusePolicy& policy, ReuseKind* kind) {
  ClassState& state = states_[size_class];
  base::SpinLockHolder hold(state.lock);
  uint64_t address = 0;
  if (Stream* own = FindStream(state, requester); own != nullptr && !own->released.IsEmpty()) {
    *kind = ReuseKind::kOwn;
    address = own->released.newest().address;
    own->released.PopNewest();
  } else {
    const auto count = static_cast<uint32_t>(state.streams.size());
    if (count != 0) ++state.turn;
    for (uint32_t i = 0; i < std::min(count, kMostStreamsAsked); ++i) {
      Stream& other = *state.streams[(state.turn + i) % count];
      if (other.slot == requester || other.released.IsEmpty()) continue;
      const StreamMoment moment{other.slot, other.released.oldest().entry};
      if (order_.IsOrdered(policy.follow_events ? requester : kNoStream, moment)) {
        *kind = ReuseKind::kEvent;
      } else if (policy.opportunistic && order_.HasPassed(moment)) {
        *kind = ReuseKind::kPassed;
      } else {
        continue;
      }
      address = other.released.oldest().address;
      other.released.PopOldest();
      break;
    }
  }
  if (address != 0) pending_bytes_.fetch_sub(classes_[size_class].bytes, std::memory_order_relaxed);
  return address;
}

uint64_t Spans::TakeAnyReleased(uint32_t size_class, StreamMoment* wait_for) {
  ClassState& state = states_[size_class];
  base::SpinLockHolder hold(state.lock);
  for (auto& stream : state.streams) {
    if (stream->released.IsEmpty()) continue;
    const ReleasedSlots::Entry oldest = stream->released.oldest();
    stream->released.PopOldest();
    *wait_for = {stream->slot, oldest.entry};
    pending_bytes_.fetch_sub(classes_[size_class].bytes, std::memory_order_relaxed);
    return oldest.address;
  }
  return 0;
}

void Spans::PutReleased(uint32_t size_class, uint64_t address, const StreamMoment& moment) {
  ClassState& state = states_[size_class];
  base::SpinLockHolder hold(state.lock);
  Stream* stream = FindStream(state, moment.slot);
  if (stream == nullptr) {
    if (moment.slot >= state.stream_of_slot.size()) state.stream_of_slot.resize(moment.slot + 1);
    state.streams.push_back(std::make_unique<Stream>());
    stream = state.streams.back().get();
    stream->slot = moment.slot;
    state.stream_of_slot[moment.slot] = static_cast<uint32_t>(state.streams.size());
  }
  uint64_t entry = moment.entry;
  if (!stream->released.IsEmpty()) entry = std::max(entry, stream->released.newest().entry);
  stream->released.PushNewest({address, entry});
  pending_bytes_.fetch_add(classes_[size_class].bytes, std::memory_order_relaxed);
}

bool Spans::Reclaim(uint32_t size_class, bool opportunistic) {
  ClassState& state = states_[size_class];
  base::SpinLockHolder hold(state.lock);
  uint32_t reclaimed = 0;
  const auto count = static_cast<uint32_t>(state.streams.size());
  if (count != 0) ++state.turn;
  for (uint32_t i = 0; i < std::min(count, kMostStreamsAsked) && reclaimed < kMostReclaimed; ++i) {
    Stream& stream = *state.streams[(state.turn + i) % count];
    while (!stream.released.IsEmpty() && reclaimed < kMostReclaimed) {
      const StreamMoment moment{stream.slot, stream.released.oldest().entry};
      if (!order_.IsOrdered(kNoStream, moment) && !(opportunistic && order_.HasPassed(moment))) break;
      GiveOne(state, size_class, stream.released.oldest().address);
      stream.released.PopOldest();
      ++reclaimed;
    }
  }
  pending_bytes_.fetch_sub(uint64_t{reclaimed} * classes_[size_class].bytes, std::memory_order_relaxed);
  return reclaimed != 0;
}

void Spans::AddPendingMoments(std::vector<StreamMoment>& moments) {
  for (uint32_t size_class = 0; size_class < classes_.count(); ++size_class) {
    ClassState& state = states_[size_class];
    base::SpinLockHolder hold(state.lock);
    for (const auto& stream : state.streams) {
      if (!stream->released.IsEmpty()) moments.push_back({stream->slot, stream->released.newest().entry});
    }
  }
}

}  // namespace forebay::runtime
