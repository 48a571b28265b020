#include "memory/pool/arena.h"

#include <algorithm>

namespace forebay::runtime {

Arena::Arena(StepRecorder& recorder, Placement placement) : placement_(std::move(placement)) {
  const std::vector<StepBlock>& blocks = recorder.record().blocks();
  blocks_.resize(blocks.size());
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    const uint32_t slot = recorder.SlotOf(blocks[i].stream);
    auto sequence =
        std::find_if(sequences_.begin(), sequences_.end(), [&](const Sequence& one) { return one.slot == slot; });
    if (sequence == sequences_.end()) sequence = sequences_.insert(sequence, Sequence{slot, {}, 0});
    sequence->blocks.push_back(i);
    blocks_[i].bytes = recorder.BytesOf(i);
    blocks_[i].survives = blocks[i].end == kAfterStep;
    if (!blocks_[i].survives) live_at_[placement_.offsets[i]] = kNobody;
  }
  std::vector<std::vector<uint32_t>> successors(blocks.size());
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    for (const uint32_t before : placement_.Predecessors(i)) successors[before].push_back(i);
  }
  for (const std::vector<uint32_t>& list : successors) {
    first_successor_.push_back(successors_.size());
    successors_.insert(successors_.end(), list.begin(), list.end());
  }
  first_successor_.push_back(successors_.size());
}

void Arena::BeginStep() {
  ++turn_;
  furthest_ = 0;
  hits_ = 0;
  misses_ = 0;
  for (Sequence& sequence : sequences_) sequence.next = 0;
}

bool Arena::IsComplete() const {
  return misses_ == 0 && std::all_of(sequences_.begin(), sequences_.end(),
                                     [](const Sequence& one) { return one.next == one.blocks.size(); });
}

uint32_t Arena::Next(uint64_t bytes, uint32_t slot) {
  for (Sequence& sequence : sequences_) {
    if (sequence.slot != slot) continue;
    const std::size_t end = std::min(sequence.next + kLookAhead, sequence.blocks.size());
    for (std::size_t at = sequence.next; at < end; ++at) {
      if (blocks_[sequence.blocks[at]].bytes != bytes) continue;
      if (at > sequence.next) ++misses_;
      sequence.next = at + 1;
      return sequence.blocks[at];
    }
  }
  return kNobody;
}

bool Arena::AreFree(uint32_t block, uint64_t turn, Search& search) {
  for (const uint32_t before : placement_.Predecessors(block)) {
    Block& other = blocks_[before];
    const uint64_t its_turn = before < block ? turn : turn - 1;
    if (other.looked == look_ && other.looked_turn >= its_turn) continue;
    other.looked = look_;
    other.looked_turn = its_turn;
    if (search.budget == 0 || other.is_live) return false;
    --search.budget;
    if (other.turn != 0 && !search.order.IsOrdered(search.slot, other.freed) &&
        !(search.opportunistic && search.order.HasPassed(other.freed)))
      return false;
    // One that was in its place has looked at those before it. Of one that was not, they are looked at here.
    if (other.turn < its_turn && !AreFree(before, its_turn, search)) return false;
  }
  return true;
}

bool Arena::IsOvertaken(uint32_t block, Search& search) {
  for (const uint32_t after : Successors(block)) {
    if (after <= block || after >= furthest_) continue;
    Block& other = blocks_[after];
    if (other.turn == turn_) return true;
    if (other.looked == look_) continue;
    other.looked = look_;
    if (search.budget == 0) return true;
    --search.budget;
    if (IsOvertaken(after, search)) return true;
  }
  return false;
}

bool Arena::IsFree(uint32_t block, Search search) {
  if (blocks_[block].is_live) return false;
  ++look_;
  if (block < furthest_ && IsOvertaken(block, search)) return false;
  ++look_;
  return AreFree(block, turn_, search);
}

std::optional<uint64_t> Arena::Allocate(uint64_t bytes, const HeapRequest& request, const Ordering& order,
                                        bool opportunistic) {
  const uint32_t index = Next(bytes, request.stream);
  if (index == kNobody) {
    ++misses_;
    return std::nullopt;
  }
  ++hits_;
  Block& block = blocks_[index];
  if (block.survives || !IsFree(index, {request.stream, order, opportunistic})) return std::nullopt;
  block.is_live = true;
  block.turn = turn_;
  furthest_ = std::max(furthest_, index + 1);
  block.requested = request.bytes;
  ++live_blocks_;
  live_bytes_ += bytes;
  live_requested_ += request.bytes;
  const uint64_t offset = placement_.offsets[index];
  live_at_.find(offset)->second = index;
  return address_ + offset;
}

FreeResult Arena::Free(uint64_t address, const StreamMoment& moment) {
  const uint64_t offset = address - address_;
  const auto at = live_at_.find(offset);
  if (at == live_at_.end() || at->second == kNobody) {
    const uint32_t around = LiveBlockAround(offset);
    if (around != kNobody) return {Freed::kInterior, address_ + placement_.offsets[around], blocks_[around].bytes};
    return {at == live_at_.end() ? Freed::kNotABlock : Freed::kAlreadyFree, address, 0};
  }
  Block& block = blocks_[at->second];
  at->second = kNobody;
  block.is_live = false;
  block.freed = moment;
  --live_blocks_;
  live_bytes_ -= block.bytes;
  live_requested_ -= block.requested;
  return {Freed::kOk, address, block.bytes};
}

bool Arena::IsIdle(const Ordering& order) const {
  if (live_blocks_ > 0) return false;
  return std::all_of(blocks_.begin(), blocks_.end(), [&](const Block& block) {
    return block.turn == 0 || order.IsOrdered(kNoStream, block.freed) || order.HasPassed(block.freed);
  });
}

uint32_t Arena::LiveBlockAround(uint64_t offset) const {
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].is_live && offset - placement_.offsets[i] < blocks_[i].bytes) return i;
  }
  return kNobody;
}

std::optional<BlockInfo> Arena::Find(uint64_t address) const {
  const uint32_t index = LiveBlockAround(address - address_);
  if (index != kNobody) {
    const Block& block = blocks_[index];
    return BlockInfo{address_ + placement_.offsets[index], block.requested, block.bytes, true, StreamMoment()};
  }
  std::vector<BlockInfo> blocks;
  AppendBlocks(&blocks);
  for (const BlockInfo& block : blocks) {
    if (address - block.address < block.rounded) return block;
  }
  return std::nullopt;
}

void Arena::AppendBlocks(std::vector<BlockInfo>* blocks) const {
  std::vector<uint32_t> live;
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].is_live) live.push_back(i);
  }
  std::sort(live.begin(), live.end(),
            [&](uint32_t a, uint32_t b) { return placement_.offsets[a] < placement_.offsets[b]; });
  uint64_t end = address_;
  const auto add_free = [&](uint64_t until) {
    if (until > end) blocks->push_back({end, 0, until - end, false, StreamMoment()});
  };
  for (const uint32_t i : live) {
    const uint64_t begin = address_ + placement_.offsets[i];
    add_free(begin);
    blocks->push_back({begin, blocks_[i].requested, blocks_[i].bytes, true, StreamMoment()});
    end = begin + blocks_[i].bytes;
  }
  add_free(address_ + placement_.bytes);
}

}  // namespace forebay::runtime
