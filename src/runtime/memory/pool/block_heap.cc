#include "memory/pool/block_heap.h"

#include <algorithm>

namespace forebay::runtime {
namespace {

constexpr uint32_t kOwnLooks = 4, kOwnLists = 3;
constexpr uint32_t kOtherLooks = 2, kOtherLists = 2, kOtherStreams = 8;

uint64_t AlignUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

}  // namespace

bool BlockHeap::HasRoom(const HeapBlock& block, const Want& want) const noexcept {
  return block.bytes >= want.bytes &&
         block.bytes - want.bytes >= AlignUp(block.address, want.alignment) - block.address;
}

template <typename Fits>
BlockIndex BlockHeap::FindOwn(const Want& want, const Fits& fits) {
  BlockIndex own = kNoBlock;
  if (want.requester < streams_.size() && streams_[want.requester] != nullptr) {
    own = streams_[want.requester]->bins.Find(blocks_, want.bytes, unit_shift_, kOwnLooks, kOwnLists, steps_, fits);
    if (own != kNoBlock && blocks_[own].bytes == want.bytes) return own;
  }
  const BlockIndex other = everybodys_.Find(blocks_, want.bytes, unit_shift_, kOwnLooks, kOwnLists, steps_, fits);
  if (own == kNoBlock || (other != kNoBlock && blocks_[other].bytes < blocks_[own].bytes)) return other;
  return own;
}

bool BlockHeap::TakeOwn(const Want& want, Taken* taken) {
  steps_.Begin();
  if (want.bytes >> AddressIndex::kAddressBits != 0 || !ReserveRecords(3)) return false;
  // Only aligned blocks need more than two lists: one of larger blocks may hold none that can be aligned.
  const BlockIndex own = want.alignment >> unit_shift_ == 1
                             ? FindOwn(want, [&](const HeapBlock& block) { return block.bytes >= want.bytes; })
                             : FindOwn(want, [&](const HeapBlock& block) { return HasRoom(block, want); });
  if (own == kNoBlock) return false;
  Found({own, own}, want, ReuseKind::kOwn, taken);
  return true;
}

template <typename Accepts>
BlockIndex BlockHeap::FindOfOthers(const Want& want, const Accepts& accepts) {
  const auto fits = [&](const HeapBlock& block) { return HasRoom(block, want) && accepts(block); };
  BlockIndex best = kNoBlock;
  const auto count = static_cast<uint32_t>(waiting_.size());
  for (uint32_t i = 0; i < std::min(count, kOtherStreams) && !steps_.IsOver(); ++i) {
    const uint32_t slot = waiting_[(turn_ + i) % count];
    if (slot == want.requester) continue;
    const BlockIndex found =
        streams_[slot]->bins.Find(blocks_, want.bytes, unit_shift_, kOtherLooks, kOtherLists, steps_, fits);
    if (found != kNoBlock && (best == kNoBlock || blocks_[found].bytes < blocks_[best].bytes)) best = found;
  }
  return best;
}

void BlockHeap::Found(const Run& run, const Want& want, ReuseKind kind, Taken* taken) {
  if (kind == ReuseKind::kWait) taken->wait_for = blocks_[run.first].moment;
  taken->block = TakeRun(run, want);
  taken->address = blocks_[taken->block].address;
  taken->kind = kind;
}

void BlockHeap::TakeOther(const Want& want, const ReusePolicy& policy, Taken* taken) {
  policy_ = policy;
  if (want.bytes >> AddressIndex::kAddressBits != 0 || !ReserveRecords(3)) return;
  BlockIndex found = kNoBlock;
  if (!waiting_.empty()) {
    ++turn_;
    found = FindOfOthers(want, [&](const HeapBlock& block) { return IsOrdered(want.requester, block); });
    if (found != kNoBlock) return Found({found, found}, want, ReuseKind::kEvent, taken);
    if (policy.opportunistic) {
      found = FindOfOthers(want, [&](const HeapBlock& block) { return order_.HasPassed(block.moment); });
      if (found != kNoBlock) return Found({found, found}, want, ReuseKind::kPassed, taken);
    }
  }
  const bool is_frontier_free = frontier_ != kNoBlock && blocks_[frontier_].state == BlockState::kFree;
  const bool fits_frontier = is_frontier_free && HasRoom(blocks_[frontier_], want);
  if (fits_frontier && IsUsable(want.requester, blocks_[frontier_])) {
    return Found({frontier_, frontier_}, want, ReuseKind::kOwn, taken);
  }
  if (const Run run = Gather(want); run.first != kNoBlock) return Found(run, want, ReuseKind::kOwn, taken);
  if (!policy.insert_waits || want.requester == kNoStream) return;
  if (!waiting_.empty()) found = FindOfOthers(want, [](const HeapBlock&) { return true; });
  if (found == kNoBlock && fits_frontier) found = frontier_;
  if (found != kNoBlock) Found({found, found}, want, ReuseKind::kWait, taken);
}

// Neighbours that nobody could join when they were released, because they then belonged to different streams.
bool BlockHeap::GatherAround(BlockIndex index, const Want& want, Run* run) {
  uint64_t bytes = blocks_[index].bytes;
  const auto is_usable = [&](BlockIndex neighbour) {
    if (neighbour == kNoBlock || steps_.IsOver()) return false;
    steps_.Add();
    return blocks_[neighbour].state == BlockState::kFree && IsUsable(want.requester, blocks_[neighbour]);
  };
  *run = {index, index};
  while (bytes < want.bytes && is_usable(blocks_[run->first].previous)) {
    run->first = blocks_[run->first].previous;
    bytes += blocks_[run->first].bytes;
    run->at_end = true;
  }
  if (bytes >= want.bytes) return true;
  run->at_end = false;
  while (bytes < want.bytes && is_usable(blocks_[run->last].next)) {
    run->last = blocks_[run->last].next;
    bytes += blocks_[run->last].bytes;
  }
  return bytes >= want.bytes;
}

BlockHeap::Run BlockHeap::Gather(const Want& want) {
  constexpr uint32_t kCandidates = 10;
  Run run;
  if (want.alignment >> unit_shift_ > 1) return run;
  const auto look_into = [&](const FreeBins& bins, bool of_other) {
    bool found = false;
    uint32_t candidates = kCandidates;
    bins.VisitLargestFirst(blocks_, [&](BlockIndex index) {
      if (steps_.IsOver()) return false;
      steps_.Add();
      if (!of_other || IsUsable(want.requester, blocks_[index])) {
        found = GatherAround(index, want, &run);
      }
      return !found && --candidates != 0;
    });
    return found;
  };
  if (frontier_ != kNoBlock && blocks_[frontier_].state == BlockState::kFree &&
      IsUsable(want.requester, blocks_[frontier_]) && GatherAround(frontier_, want, &run)) {
    return run;
  }
  if (want.requester < streams_.size() && streams_[want.requester] != nullptr &&
      look_into(streams_[want.requester]->bins, false)) {
    return run;
  }
  if (look_into(everybodys_, false)) return run;
  for (uint32_t i = 0; i < waiting_.size() && i < kOtherStreams && !steps_.IsOver(); ++i) {
    const uint32_t slot = waiting_[(turn_ + i) % waiting_.size()];
    if (slot != want.requester && look_into(streams_[slot]->bins, true)) return run;
  }
  return Run();
}

BlockHeap::Growth BlockHeap::BeginGrowth(const Want& want) {
  constexpr int kParts = 8;
  Growth growth;
  if (frontier_ == kNoBlock) return growth;
  growth.after = blocks_[frontier_].address + blocks_[frontier_].bytes;
  if (want.alignment >> unit_shift_ > 1) return growth;
  BlockIndex part = frontier_;
  for (int parts = 0; parts < kParts && part != kNoBlock; ++parts) {
    const HeapBlock& block = blocks_[part];
    if (block.state != BlockState::kFree || !IsUsable(want.requester, block) ||
        growth.held_bytes + block.bytes >= want.bytes) {
      break;
    }
    RemoveFree(part);
    growth.first = part;
    if (growth.last == kNoBlock) growth.last = part;
    growth.held_bytes += block.bytes;
    part = block.previous;
  }
  return growth;
}

void BlockHeap::CancelGrowth(const Growth& growth) {
  if (growth.first == kNoBlock) return;
  for (BlockIndex part = growth.first;;) {
    const BlockIndex next = blocks_[part].next;
    // Meanwhile a neighbour may have been released, or memory of another thread been added behind it.
    Release(part, blocks_[part].moment);
    if (part == growth.last) break;
    part = next;
  }
}

BlockIndex BlockHeap::FinishGrowth(const Growth& growth, const AddressRange& obtained, const Want& want) {
  if (!ReserveRecords(4) || !addresses_.Cover(obtained.address, obtained.bytes)) {
    CancelGrowth(growth);
    return kNoBlock;
  }
  const BlockIndex added = NewBlock(obtained.address, obtained.bytes);
  LinkToNeighbours(added);
  if (blocks_[added].next == kNoBlock) {
    const BlockIndex before = frontier_;
    frontier_ = added;
    if (before != kNoBlock && blocks_[before].state == BlockState::kFree) EnterBins(before);
  }
  if (growth.first != kNoBlock) return TakeRun({growth.first, added}, want);
  const BlockIndex previous = blocks_[added].previous;
  if (previous == kNoBlock || !CanJoin(blocks_[added], previous, {})) return TakeRun({added, added}, want);
  RemoveFree(previous);
  Join(previous, added);
  return TakeRun({previous, previous}, want);
}

bool BlockHeap::AddRange(const AddressRange& range) {
  if (!ReserveRecords(1) || !addresses_.Cover(range.address, range.bytes)) return false;
  const BlockIndex added = NewBlock(range.address, range.bytes);
  LinkToNeighbours(added);
  if (frontier_ == kNoBlock && blocks_[added].next == kNoBlock) frontier_ = added;
  Release(added, {});
  return true;
}

}  // namespace forebay::runtime
