// One block of memory in which the blocks of a step have places that were chosen before the step began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "memory/pool/heap.h"
#include "memory/pool/ordering.h"
#include "memory/pool/placement.h"
#include "memory/pool/step_recorder.h"

namespace forebay::runtime {

// Thread safety: none.
class Arena {
 public:
  // The recorder holds a step whose survivors are left out.
  Arena(StepRecorder& recorder, Placement placement);

  uint64_t bytes() const { return placement_.bytes; }
  uint64_t address() const { return address_; }
  void set_address(uint64_t address) { address_ = address; }
  bool Contains(uint64_t address) const { return address - address_ < placement_.bytes; }

  // The step begins again.
  void BeginStep();
  // The address of the block that comes next on this stream; empty when the step does something else, or the place is
  // not free for it yet.
  std::optional<uint64_t> Allocate(uint64_t bytes, const HeapRequest& request, const Ordering& order,
                                   bool opportunistic);
  FreeResult Free(uint64_t address, const StreamMoment& moment);

  // Since BeginStep: blocks that had no place where the step had one for the same request, or that it does not know.
  uint32_t misses() const { return misses_; }
  uint32_t hits() const { return hits_; }
  // Whether the step so far did what was recorded, to the end.
  bool IsComplete() const;
  uint64_t live_blocks() const { return live_blocks_; }
  uint64_t live_bytes() const { return live_bytes_; }
  uint64_t live_requested() const { return live_requested_; }
  // Whether nobody uses it any more, as far as the host knows.
  bool IsIdle(const Ordering& order) const;

  std::optional<BlockInfo> Find(uint64_t address) const;
  // Live blocks and what is between them, in the order of addresses.
  void AppendBlocks(std::vector<BlockInfo>* blocks) const;

 private:
  static constexpr uint32_t kLookAhead = 32;    // blocks that a step may leave out at once
  static constexpr uint32_t kMostChecked = 64;  // blocks whose space one may take over
  static constexpr uint32_t kNobody = ~uint32_t{0};

  struct Block {
    uint64_t bytes = 0;
    uint64_t requested = 0;
    uint64_t turn = 0;         // the last step in which it was in its place
    uint64_t looked = 0;       // by which search last
    uint64_t looked_turn = 0;  // and for which step
    StreamMoment freed;
    bool is_live = false;
    bool survives = false;  // it has no place
  };
  // The blocks of a stream, in order.
  struct Sequence {
    uint32_t slot = kNoStream;
    std::vector<uint32_t> blocks;
    std::size_t next = 0;
  };
  uint32_t Next(uint64_t bytes, uint32_t slot);
  // Who wants a place, and how much may be looked at for it.
  struct Search {
    uint32_t slot;
    const Ordering& order;
    bool opportunistic;
    uint32_t budget = kMostChecked;
  };
  bool IsFree(uint32_t block, Search search);
  // Whether those before it in its space have left it.
  bool AreFree(uint32_t block, uint64_t turn, Search& search);
  // Whether one after it has its space already, because streams or threads came in another order.
  bool IsOvertaken(uint32_t block, Search& search);
  std::span<const uint32_t> Successors(uint32_t block) const {
    return {successors_.data() + first_successor_[block], successors_.data() + first_successor_[block + 1]};
  }
  uint32_t LiveBlockAround(uint64_t offset) const;

  Placement placement_;
  uint64_t address_ = 0;
  std::vector<Block> blocks_;
  std::vector<Sequence> sequences_;
  std::unordered_map<uint64_t, uint32_t> live_at_;  // offset -> the live block there; every offset has an entry
  std::vector<uint32_t> successors_;
  std::vector<std::size_t> first_successor_;
  uint64_t turn_ = 0;
  uint64_t look_ = 0;
  uint32_t furthest_ = 0;  // one above the last block, in the order of the plan, that has its place in this step
  uint32_t hits_ = 0;
  uint32_t misses_ = 0;
  uint64_t live_blocks_ = 0;
  uint64_t live_bytes_ = 0;
  uint64_t live_requested_ = 0;
};

}  // namespace forebay::runtime
