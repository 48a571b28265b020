// The checking mode of one pool: what lies around its blocks, who allocated and who released them, and the rest that
// released ones take before the heap has them back.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/memory_check.h"
#include "memory/pool/heap.h"
#include "memory/pool_pages.h"

namespace forebay::runtime {

struct CheckOptions {
  int32_t device = -1;
  bool is_host = false;     // pinned memory
  uint64_t sample = 0;      // one in so many large blocks lies between addresses without memory
  uint64_t rest_bytes = 0;  // of memory that released blocks may keep; an address without memory counts a sixteenth
  int exit_code = 0;        // of the process once something has been found; 0: its own
};

// The heap sees larger blocks, and gets them back later and with nobody using them. Thread safety: all functions may be
// called from any thread.
class CheckedBlocks {
 public:
  // How a block is to lie in what the heap gives.
  struct Plan {
    uint64_t bytes = 0;
    uint64_t room = 0;     // to ask the heap for
    uint64_t own = 0;      // whole pages that are the block's alone; 0: it is a small one
    bool guarded = false;  // between pages without memory
  };

  CheckedBlocks(const CheckOptions& options, Heap& heap, PoolPages& pages, const Ordering& order, uint64_t alignment);
  ~CheckedBlocks();

  Plan MakePlan(uint64_t bytes, uint64_t reserved);
  // The same without pages of its own, for when there is not enough memory.
  void Simplify(Plan* plan, uint64_t reserved) const;
  // Where the block begins in what the heap gave.
  uint64_t AddressIn(const Plan& plan, uint64_t given) const;
  void Enter(const Plan& plan, uint64_t given, const void* site) EXCLUDES(mutex_);
  // For everybody at once, or when the stream is past the moment.
  FreeResult Free(uint64_t address, const StreamMoment& moment, const void* site) EXCLUDES(mutex_);
  // The heap has everything back that rests, and, when memory has run out, what a stream has still to release. False
  // when there was nothing.
  bool EndRests(bool pending_too) EXCLUDES(mutex_);
  // The pool ends, and nobody uses its blocks any more.
  void Finish(bool report_leaks) EXCLUDES(mutex_);

  // As the program sees them.
  std::optional<BlockInfo> Find(uint64_t address) EXCLUDES(mutex_);
  // Memory that rests and is the heap's when it asks for it.
  uint64_t resting_bytes() EXCLUDES(mutex_);
  void Correct(HeapStatistics* statistics) EXCLUDES(mutex_);
  void CountInto(MemoryCheckStatistics* statistics) EXCLUDES(mutex_);

  void Check(std::vector<MemoryReport>* found) EXCLUDES(mutex_);
  std::optional<MemoryReport> FindDoubleFree(uint64_t address, const void* site) EXCLUDES(mutex_);
  // What is wrong with an access to memory that is not there.
  std::optional<MemoryReport> FindFault(uint64_t address, uint64_t bytes) EXCLUDES(mutex_);

 private:
  enum class State { kLive, kReleased, kResting, kLeaving };
  struct Block {
    uint64_t address = 0;
    uint64_t bytes = 0;
    AddressRange given;  // by the heap
    AddressRange own;    // pages
    bool guarded = false;
    bool has_zones = false;
    State state = State::kLive;
    StreamMoment moment;
    uint64_t generation = 1;
    const void* allocated_at = nullptr;
    const void* freed_at = nullptr;
    const void* freed_before_at = nullptr;  // the block before it at this address
  };
  using Reports = std::vector<MemoryReport>;
  static constexpr uint8_t kZonePattern = 0xFB;
  static constexpr uint8_t kRestPattern = 0xFD;

  AddressRange ZoneBefore(const Block& block) const;
  AddressRange ZoneBehind(const Block& block) const;
  // The pages around it that have no memory.
  std::vector<AddressRange> Guards(const Block& block) const;
  void Fill(const AddressRange& range, uint8_t pattern);
  // The offset of the first byte that is not as filled, and how many there are up to the last.
  std::optional<AddressRange> FindDamage(const AddressRange& range, uint8_t pattern);
  void CheckZones(const Block& block, Reports* found);
  void CheckRest(const Block& block, Reports* found);
  // What is no longer as it was filled, under the name of the fault.
  void CheckFill(const Block& block, const AddressRange& range, uint8_t pattern, MemoryFault fault, Reports* found);
  MemoryReport Describe(const Block& block, MemoryFault fault, int64_t offset) const;
  MemoryReport DescribeLeak(const Block& first, uint64_t blocks, uint64_t bytes) const;
  std::string Name(const Block& block) const;

  uint64_t Weight(const Block& block) const;
  // Blocks that nobody uses any more begin their rest, and those that have rested enough go.
  void Settle() EXCLUDES(mutex_);
  std::optional<Block> TakeReleased() EXCLUDES(mutex_);
  void BeginRest(const Block& block, Reports* found) EXCLUDES(mutex_);
  // False when there is no memory for the pages that it gave back.
  bool EndRest(uint64_t address, Reports* found) EXCLUDES(mutex_);
  bool GiveBack(const Block& block, const StreamMoment& moment) EXCLUDES(mutex_);
  void Bury(const Block& block) REQUIRES(mutex_);
  bool MayWriteAround() REQUIRES(mutex_);
  // The block, live or released, around the address with its zones and pages, or the last one that was.
  const Block* Around(uint64_t address) const REQUIRES(mutex_);

  const CheckOptions options_;
  Heap& heap_;
  PoolPages& pages_;
  const Ordering& order_;
  const uint64_t alignment_;
  const uint64_t before_;  // bytes of the zone before a block
  const uint64_t page_bytes_;
  std::atomic<uint64_t> large_blocks_{0};

  base::Mutex mutex_;
  std::map<uint64_t, Block> blocks_ GUARDED_BY(mutex_);  // by address: all that the heap has given
  std::deque<uint64_t> released_ GUARDED_BY(mutex_);     // whose moment may not have passed
  std::deque<uint64_t> resting_ GUARDED_BY(mutex_);      // oldest first
  uint64_t rest_bytes_ GUARDED_BY(mutex_) = 0;
  std::vector<StreamMoment> given_early_ GUARDED_BY(mutex_);  // streams that may still use what the heap has
  std::map<uint64_t, Block> past_ GUARDED_BY(mutex_);         // by address: the last ones that have left
  std::deque<uint64_t> past_order_ GUARDED_BY(mutex_);
  bool finished_ GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::runtime
