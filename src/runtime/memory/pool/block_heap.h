// The large blocks of a heap: two-level bins for each stream that has released some, and for what everybody may use.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "memory/pool/address_index.h"
#include "memory/pool/free_bins.h"
#include "memory/pool/ordering.h"
#include "memory/pool/page_source.h"
#include "memory/pool/reuse.h"

namespace forebay::runtime {

// Not thread-safe. No operation but the slow ones looks at more than StepCount::kMost blocks. Asks Ordering, which only
// loads, and calls nothing else.
class BlockHeap {
 public:
  struct Want {
    uint64_t bytes = 0;      // a multiple of the unit
    uint64_t alignment = 0;  // a power of two of at least the unit
    uint32_t requester = kNoStream;
  };
  struct Taken {
    BlockIndex block = kNoBlock;
    uint64_t address = 0;
    ReuseKind kind = ReuseKind::kNone;
    StreamMoment wait_for;  // slot != kNoStream: the requester must wait for it
  };
  // Free blocks that touch each other, from `first` to `last`, kept while more memory is being obtained behind them.
  struct Growth {
    BlockIndex first = kNoBlock, last = kNoBlock;
    uint64_t held_bytes = 0;
    uint64_t after = 0;  // where more memory should begin; 0: anywhere
  };

  BlockHeap(const Ordering& order, AddressIndex& addresses, uint32_t unit_shift)
      : order_(order), addresses_(addresses), unit_shift_(unit_shift) {}

  // Takes a block of the requester or of everybody. Begins the count of steps. False when none fits.
  bool TakeOwn(const Want& want, Taken* taken);
  // After TakeOwn: a block of another stream, or the end of the newest range. `taken->block` kNoBlock when none fits.
  void TakeOther(const Want& want, const ReusePolicy& policy, Taken* taken);
  // Before memory is obtained for `want`: keeps the free blocks at the end of the newest range.
  Growth BeginGrowth(const Want& want);
  // `obtained` begins at `growth.after` if anything is held. kNoBlock, with nothing changed but that the growth is
  // over, when the host has no memory for the bookkeeping.
  BlockIndex FinishGrowth(const Growth& growth, const AddressRange& obtained, const Want& want);
  void CancelGrowth(const Growth& growth);
  // Free memory again, for everybody. False when the host has no memory for the bookkeeping.
  bool AddRange(const AddressRange& range);

  // Frees the block. `moment.slot` kNoStream: for everybody at once. Joins at most so many neighbours.
  void Release(BlockIndex index, const StreamMoment& moment, uint32_t most_joins = 32);
  // Free blocks whose moments have passed become everybody's, and join their neighbours. Looks at those that have
  // passed and at few others.
  void PromotePassed();
  static constexpr uint32_t kMostRanges = 32;
  using Ranges = std::array<AddressRange, kMostRanges>;
  // Takes whole pages out of free blocks whose moments have passed, the largest blocks first: up to `limit` bytes.
  // Returns how many ranges. `look_at_all` looks at all of everybody's blocks, and first of all at the end of the
  // newest range; otherwise the bound on steps holds.
  uint32_t RemovePages(uint64_t page_bytes, uint64_t limit, bool look_at_all, Ranges& ranges);

  // The block that begins there, or kNoBlock.
  BlockIndex FindStart(uint64_t address) const noexcept;
  // The block that contains the address, or kNoBlock. Slow, but walks over addresses, not blocks.
  BlockIndex FindContaining(uint64_t address) const noexcept;
  // Indices in the order of addresses. Slow.
  std::vector<BlockIndex> All() const;
  // For each stream that free blocks wait for, the newest of their moments.
  std::vector<StreamMoment> PendingMoments() const;

  HeapBlock& operator[](BlockIndex index) noexcept { return blocks_[index]; }
  const HeapBlock& operator[](BlockIndex index) const noexcept { return blocks_[index]; }
  uint64_t free_bytes() const noexcept { return free_bytes_; }
  uint64_t pending_bytes() const noexcept { return pending_bytes_; }  // free, and waiting for a stream
  uint64_t largest_free() const noexcept;
  uint32_t most_steps() const noexcept { return steps_.most(); }
  void ForgetMostSteps() noexcept { steps_.ForgetMost(); }
  uint64_t block_count() const noexcept { return next_record_ - spare_records_; }

 private:
  struct StreamBins {
    FreeBins bins;
    uint64_t newest_entry = 0;
    uint32_t place = kNoBlock;  // in waiting_, while there are blocks
  };
  struct Run {
    BlockIndex first = kNoBlock, last = kNoBlock;
    bool at_end = false;  // what is not needed is left at the beginning, not at the end
  };

  bool HasRoom(const HeapBlock& block, const Want& want) const noexcept;
  bool IsUsable(uint32_t requester, const HeapBlock& block) const noexcept {
    return block.moment.slot == kNoStream || block.moment.slot == requester ||
           order_.IsOrdered(requester, block.moment);
  }
  template <typename Accepts>
  BlockIndex FindOfOthers(const Want& want, const Accepts& accepts);
  template <typename Fits>
  BlockIndex FindOwn(const Want& want, const Fits& fits);
  Run Gather(const Want& want, const ReusePolicy& policy);
  bool GatherAround(BlockIndex index, const Want& want, Run* run);
  void Found(const Run& run, const Want& want, ReuseKind kind, Taken* taken);
  BlockIndex TakeRun(const Run& run, const Want& want);

  bool CanJoin(const HeapBlock& block, BlockIndex neighbour, const StreamMoment& known) const noexcept;
  void Join(BlockIndex left, BlockIndex right);
  BlockIndex Split(BlockIndex index, uint64_t bytes);
  void InsertFree(BlockIndex index);
  void RemoveFree(BlockIndex index);  // leaves it held
  void EnterBins(BlockIndex index);
  void LeaveBins(BlockIndex index);
  void RemovePiece(BlockIndex index, const AddressRange& pages);
  FreeBins& MakeBins(uint32_t slot);
  void Erase(BlockIndex index);
  BlockIndex NewBlock(uint64_t address, uint64_t bytes);
  void LinkToNeighbours(BlockIndex index);
  void EnterChunk(BlockIndex index);
  void LeaveChunk(BlockIndex index);
  bool ReserveRecords(uint32_t count) { return blocks_.Reserve(next_record_ + count); }

  const Ordering& order_;
  AddressIndex& addresses_;
  const uint32_t unit_shift_;
  HeapBlocks blocks_;
  uint32_t next_record_ = 0;
  BlockIndex spare_ = kNoBlock;  // records to use again, linked by `next`
  uint32_t spare_records_ = 0;
  BlockIndex frontier_ = kNoBlock;  // the last block of the newest range; in no bin, used when nothing else fits
  FreeBins everybodys_;
  std::vector<std::unique_ptr<StreamBins>> streams_;  // by slot
  std::vector<uint32_t> waiting_;                     // slots whose bins are not empty
  uint32_t turn_ = 0;                                 // which of them is asked first
  uint64_t free_bytes_ = 0, pending_bytes_ = 0;
  StepCount steps_;
};

}  // namespace forebay::runtime
