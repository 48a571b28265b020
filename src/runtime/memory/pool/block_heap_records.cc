// The records of the blocks: how they are found, released, joined, split, and turned into pages again.
#include <algorithm>

#include "memory/pool/block_heap.h"

namespace forebay::runtime {

// Makes one live block of the run. What is not needed stays free, with the moment of the part it comes from.
BlockIndex BlockHeap::TakeRun(const Run& run, const Want& want) {
  BlockIndex index = run.first;
  uint64_t excess = 0;
  if (run.first != run.last) {
    uint64_t bytes = blocks_[index].bytes;
    for (BlockIndex part = index; part != run.last; bytes += blocks_[part].bytes) part = blocks_[part].next;
    excess = bytes - want.bytes;
  }
  RemoveFree(index);
  if (run.at_end && excess != 0) {
    index = Split(index, excess);
    InsertFree(blocks_[index].previous);
    excess = 0;
  }
  for (BlockIndex last = run.first; last != run.last;) {
    last = blocks_[index].next;
    RemoveFree(last);
    if (last == run.last && excess != 0) InsertFree(Split(last, blocks_[last].bytes - excess));
    Join(index, last);
  }
  if (const uint64_t lead = (~blocks_[index].address + 1) & (want.alignment - 1); lead != 0) {
    index = Split(index, lead);
    InsertFree(blocks_[index].previous);
  }
  if (blocks_[index].bytes > want.bytes) InsertFree(Split(index, want.bytes));
  blocks_[index].requester = want.requester < kNoRequester ? static_cast<uint16_t>(want.requester) : kNoRequester;
  blocks_[index].state = BlockState::kLive;
  return index;
}

void BlockHeap::Release(BlockIndex index, const StreamMoment& moment, uint32_t most_joins) {
  HeapBlock& block = blocks_[index];
  // Everybody comes after it already: not a moment to wait for.
  const bool is_everybodys = moment.slot == kNoStream || order_.IsOrdered(kNoStream, moment);
  const StreamMoment known = block.requester == moment.slot ? block.moment : StreamMoment{};
  block.moment = is_everybodys ? StreamMoment{} : moment;
  block.requester = kNoRequester;
  block.state = BlockState::kHeld;
  // A neighbour may itself have one that it could not join before.
  for (uint32_t joins = 0; joins < most_joins; ++joins) {
    BlockIndex left = index, right = blocks_[index].next;
    if (right == kNoBlock || !CanJoin(blocks_[index], right, known)) {
      right = index;
      left = blocks_[index].previous;
      if (left == kNoBlock || !CanJoin(blocks_[index], left, known)) break;
    }
    const BlockIndex neighbour = left == index ? right : left;
    StreamMoment joined = blocks_[index].moment;
    RemoveFree(neighbour);
    if (joined.slot != kNoStream && joined.slot == blocks_[neighbour].moment.slot) {
      joined.entry = std::max(joined.entry, blocks_[neighbour].moment.entry);
    }
    Join(left, right);
    blocks_[left].moment = joined;
    index = left;
  }
  InsertFree(index);
}

// Of the same stream, the later of the two moments holds for both. What others may use too joins a released block of a
// stream only where it is the smaller part: until the moment passes it serves that stream alone.
//
// That an event orders the stream after a neighbour is not enough: the event may have come after the moment of this
// release. `known` is a moment that the stream came after when it got the block, and so before it released it.
bool BlockHeap::CanJoin(const HeapBlock& block, BlockIndex neighbour, const StreamMoment& known) const noexcept {
  const HeapBlock& other = blocks_[neighbour];
  if (other.state != BlockState::kFree) return false;
  if (other.moment.slot == block.moment.slot) return true;
  const bool is_everybodys = block.moment.slot == kNoStream;
  if (!is_everybodys && other.bytes > block.bytes) return false;
  if (other.moment.slot == kNoStream || order_.IsOrdered(kNoStream, other.moment)) return true;
  return !is_everybodys && other.bytes <= block.bytes / 4 && other.moment.slot == known.slot &&
         other.moment.entry <= known.entry;
}

void BlockHeap::Join(BlockIndex left, BlockIndex right) {
  blocks_[left].bytes += blocks_[right].bytes;
  blocks_[left].next = blocks_[right].next;
  if (blocks_[right].next != kNoBlock) blocks_[blocks_[right].next].previous = left;
  if (right == frontier_) frontier_ = left;
  Erase(right);
}

// Cuts what lies beyond `bytes` off a block in no bin: returns it.
BlockIndex BlockHeap::Split(BlockIndex index, uint64_t bytes) {
  const BlockIndex right = NewBlock(blocks_[index].address + bytes, blocks_[index].bytes - bytes);
  HeapBlock& block = blocks_[index];
  HeapBlock& rest = blocks_[right];
  rest.moment = block.moment;
  rest.previous = index;
  rest.next = block.next;
  if (rest.next != kNoBlock) blocks_[rest.next].previous = right;
  block.next = right;
  block.bytes = bytes;
  if (index == frontier_) frontier_ = right;
  return right;
}

FreeBins& BlockHeap::MakeBins(uint32_t slot) {
  if (slot >= streams_.size()) streams_.resize(slot + 1);
  if (streams_[slot] == nullptr) {
    streams_[slot] = std::make_unique<StreamBins>();
    waiting_.reserve(streams_.size());
  }
  return streams_[slot]->bins;
}

void BlockHeap::InsertFree(BlockIndex index) {
  HeapBlock& block = blocks_[index];
  block.state = BlockState::kFree;
  free_bytes_ += block.bytes;
  if (block.moment.slot != kNoStream) pending_bytes_ += block.bytes;
  if (index != frontier_) EnterBins(index);
}

void BlockHeap::EnterBins(BlockIndex index) {
  const HeapBlock& block = blocks_[index];
  const uint32_t slot = block.moment.slot;
  FreeBins& bins = slot == kNoStream ? everybodys_ : MakeBins(slot);
  if (slot != kNoStream) {
    StreamBins& stream = *streams_[slot];
    stream.newest_entry = std::max(stream.newest_entry, block.moment.entry);
    if (bins.IsEmpty()) {
      stream.place = static_cast<uint32_t>(waiting_.size());
      waiting_.push_back(slot);
    }
  }
  bins.Insert(blocks_, index, unit_shift_);
}

void BlockHeap::RemoveFree(BlockIndex index) {
  HeapBlock& block = blocks_[index];
  if (block.state != BlockState::kFree) return;  // held already
  block.state = BlockState::kHeld;
  free_bytes_ -= block.bytes;
  if (block.moment.slot != kNoStream) pending_bytes_ -= block.bytes;
  if (index != frontier_) LeaveBins(index);
}

void BlockHeap::LeaveBins(BlockIndex index) {
  const uint32_t slot = blocks_[index].moment.slot;
  FreeBins& bins = slot == kNoStream ? everybodys_ : streams_[slot]->bins;
  bins.Remove(blocks_, index, unit_shift_);
  if (slot == kNoStream || !bins.IsEmpty()) return;
  const uint32_t place = streams_[slot]->place;
  waiting_[place] = waiting_.back();
  streams_[waiting_[place]]->place = place;
  waiting_.pop_back();
}

BlockIndex BlockHeap::NewBlock(uint64_t address, uint64_t bytes) {
  BlockIndex index = spare_;
  if (index != kNoBlock) {
    spare_ = blocks_[index].next;
    --spare_records_;
  } else {
    index = next_record_++;
  }
  blocks_[index] = {.address = address,
                    .bytes = bytes,
                    .requested = 0,
                    .moment = {},
                    .previous = kNoBlock,
                    .next = kNoBlock,
                    .bin_previous = kNoBlock,
                    .bin_next = kNoBlock,
                    .next_of_chunk = kNoBlock,
                    .requester = kNoRequester,
                    .state = BlockState::kHeld};
  EnterChunk(index);
  return index;
}

void BlockHeap::Erase(BlockIndex index) {
  LeaveChunk(index);
  blocks_[index].state = BlockState::kUnused;
  blocks_[index].next = spare_;
  spare_ = index;
  ++spare_records_;
}

void BlockHeap::LinkToNeighbours(BlockIndex index) {
  HeapBlock& block = blocks_[index];
  block.next = FindStart(block.address + block.bytes);
  if (block.next != kNoBlock) blocks_[block.next].previous = index;
  block.previous = block.address == 0 ? kNoBlock : FindContaining(block.address - 1);
  if (block.previous != kNoBlock) blocks_[block.previous].next = index;
}

void BlockHeap::EnterChunk(BlockIndex index) {
  HeapBlock& block = blocks_[index];
  AddressIndex::Region& region = *addresses_.RegionOf(block.address);
  const uint32_t chunk = AddressIndex::ChunkInRegion(block.address);
  uint32_t& first = region.first_block[chunk];
  block.next_of_chunk = first == 0 ? kNoBlock : first - 1;
  if (first == 0) region.used_chunks[chunk / 64] |= uint64_t{1} << chunk % 64;
  first = index + 1;
}

void BlockHeap::LeaveChunk(BlockIndex index) {
  HeapBlock& block = blocks_[index];
  AddressIndex::Region& region = *addresses_.RegionOf(block.address);
  const uint32_t chunk = AddressIndex::ChunkInRegion(block.address);
  uint32_t& first = region.first_block[chunk];
  if (first == index + 1) {
    first = block.next_of_chunk + 1;  // kNoBlock + 1 is 0
    if (first == 0) region.used_chunks[chunk / 64] &= ~(uint64_t{1} << chunk % 64);
    return;
  }
  BlockIndex before = first - 1;
  while (blocks_[before].next_of_chunk != index) before = blocks_[before].next_of_chunk;
  blocks_[before].next_of_chunk = block.next_of_chunk;
}

BlockIndex BlockHeap::FindStart(uint64_t address) const noexcept {
  const AddressIndex::Region* region = addresses_.RegionOf(address);
  if (region == nullptr) return kNoBlock;
  const uint32_t first = region->first_block[AddressIndex::ChunkInRegion(address)];
  for (BlockIndex index = first - 1; index != kNoBlock; index = blocks_[index].next_of_chunk) {
    if (blocks_[index].address == address) return index;
  }
  return kNoBlock;
}

BlockIndex BlockHeap::FindContaining(uint64_t address) const noexcept {
  if (address >> AddressIndex::kAddressBits != 0) return kNoBlock;
  // In the chunk of the address all blocks may begin above it. Then it is the last of a chunk below.
  for (uint64_t chunk = address, turn = 0; turn < 2 && addresses_.LastUsedChunk(chunk, &chunk); ++turn) {
    BlockIndex found = kNoBlock;
    const uint32_t first = addresses_.RegionOf(chunk)->first_block[AddressIndex::ChunkInRegion(chunk)];
    for (BlockIndex index = first - 1; index != kNoBlock; index = blocks_[index].next_of_chunk) {
      if (blocks_[index].address <= address && (found == kNoBlock || blocks_[index].address > blocks_[found].address)) {
        found = index;
      }
    }
    if (found != kNoBlock) return address - blocks_[found].address < blocks_[found].bytes ? found : kNoBlock;
    if (chunk == 0) break;
    --chunk;
  }
  return kNoBlock;
}

std::vector<BlockIndex> BlockHeap::All() const {
  std::vector<BlockIndex> all;
  uint64_t chunk = 0;
  for (uint64_t from = 0; addresses_.NextUsedChunk(from, &chunk); from = chunk + (1U << AddressIndex::kChunkShift)) {
    const std::size_t begin = all.size();
    const uint32_t first = addresses_.RegionOf(chunk)->first_block[AddressIndex::ChunkInRegion(chunk)];
    for (BlockIndex index = first - 1; index != kNoBlock; index = blocks_[index].next_of_chunk) all.push_back(index);
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(),
              [&](BlockIndex a, BlockIndex b) { return blocks_[a].address < blocks_[b].address; });
  }
  return all;
}

std::vector<StreamMoment> BlockHeap::PendingMoments() const {
  std::vector<StreamMoment> moments;
  for (const uint32_t slot : waiting_) moments.push_back({slot, streams_[slot]->newest_entry});
  if (frontier_ != kNoBlock && blocks_[frontier_].state == BlockState::kFree &&
      blocks_[frontier_].moment.slot != kNoStream) {
    moments.push_back(blocks_[frontier_].moment);
  }
  return moments;
}

uint64_t BlockHeap::largest_free() const noexcept {
  uint64_t largest = 0;
  if (frontier_ != kNoBlock && blocks_[frontier_].state == BlockState::kFree) largest = blocks_[frontier_].bytes;
  const auto look_into = [&](const FreeBins& bins) {
    uint32_t looks = StepCount::kMost;
    bins.VisitLargestFirst(blocks_, [&](BlockIndex index) {
      largest = std::max(largest, blocks_[index].bytes);
      return --looks != 0;
    });
  };
  look_into(everybodys_);
  for (const uint32_t slot : waiting_) look_into(streams_[slot]->bins);
  return largest;
}

void BlockHeap::PromotePassed() {
  constexpr std::size_t kBatch = 64;
  std::array<BlockIndex, kBatch> passed;
  const auto promote = [&](BlockIndex index) {
    // It may have joined one that was promoted before it.
    if (blocks_[index].state != BlockState::kFree || blocks_[index].moment.slot == kNoStream) return;
    RemoveFree(index);
    Release(index, {}, ~uint32_t{0});
  };
  if (frontier_ != kNoBlock && order_.HasPassed(blocks_[frontier_].moment)) promote(frontier_);
  const std::vector<uint32_t> slots = waiting_;
  for (const uint32_t slot : slots) {
    for (std::size_t count = kBatch; count == kBatch;) {
      count = 0;
      std::size_t others = 0;
      streams_[slot]->bins.VisitLargestFirst(blocks_, [&](BlockIndex index) {
        if (order_.HasPassed(blocks_[index].moment)) {
          passed[count++] = index;
        } else {
          ++others;
        }
        return count < kBatch && others < kBatch;
      });
      for (std::size_t i = 0; i < count; ++i) promote(passed[i]);
    }
  }
}

uint32_t BlockHeap::RemovePages(uint64_t page_bytes, uint64_t limit, bool look_at_all, Ranges& ranges) {
  struct Piece {
    BlockIndex block;
    AddressRange pages;
  };
  std::array<Piece, kMostRanges> pieces;
  uint32_t count = 0;
  uint64_t taken = 0;
  if (!ReserveRecords(2 * kMostRanges)) return 0;
  steps_.Begin();
  // False when no more is wanted.
  const auto look_at = [&](BlockIndex index) {
    const HeapBlock& block = blocks_[index];
    if (count == kMostRanges || taken >= limit) return false;
    if (!look_at_all) {
      if (steps_.IsOver()) return false;
      steps_.Add();
    }
    if (block.moment.slot != kNoStream && !order_.HasPassed(block.moment)) return true;
    const uint64_t begin = (block.address + page_bytes - 1) & ~(page_bytes - 1);
    const uint64_t end = (block.address + block.bytes) & ~(page_bytes - 1);
    if (begin >= end) return block.bytes >= page_bytes;
    const uint64_t bytes = std::min(end - begin, limit - taken);
    pieces[count++] = {index, {end - bytes, bytes}};
    taken += bytes;
    return true;
  };
  if (look_at_all && frontier_ != kNoBlock && blocks_[frontier_].state == BlockState::kFree) look_at(frontier_);
  everybodys_.VisitLargestFirst(blocks_, look_at);
  if (!look_at_all) {
    for (const uint32_t slot : waiting_) streams_[slot]->bins.VisitLargestFirst(blocks_, look_at);
  }
  for (uint32_t i = 0; i < count; ++i) {
    ranges[i] = pieces[i].pages;
    RemovePiece(pieces[i].block, pieces[i].pages);
  }
  return count;
}

void BlockHeap::RemovePiece(BlockIndex index, const AddressRange& pages) {
  RemoveFree(index);
  if (pages.address > blocks_[index].address) {
    index = Split(index, pages.address - blocks_[index].address);
    InsertFree(blocks_[index].previous);
  }
  if (pages.bytes < blocks_[index].bytes) InsertFree(Split(index, pages.bytes));
  const BlockIndex previous = blocks_[index].previous, next = blocks_[index].next;
  if (previous != kNoBlock) blocks_[previous].next = kNoBlock;
  if (next != kNoBlock) blocks_[next].previous = kNoBlock;
  if (index == frontier_) {
    frontier_ = previous;
    // The frontier is in no bin.
    if (previous != kNoBlock && blocks_[previous].state == BlockState::kFree) LeaveBins(previous);
  }
  Erase(index);
}

}  // namespace forebay::runtime
