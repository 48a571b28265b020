// MemoryCheck: what the checking mode (FOREBAY_MEMCHECK=1) has found wrong with the use of memory.
//
// It covers blocks of aclrtMalloc, aclrtMallocHost, aclrtMemPool*, MemoryPool and HostPool (for copies). Every block
// lies between red zones, which are compared when it is released, when its device is reset, and by CheckNow. Some large
// blocks also lie between addresses without memory, so that a kernel that leaves them fails at once. What is released
// rests for a while: large blocks without memory, so that a task that still uses one fails; small ones filled with a
// pattern, so that a write is seen when they come out of their rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace forebay {

enum class MemoryFault : uint32_t {
  kOutOfBounds = 0,   // beyond the end of a block, or before its start
  kUseAfterFree = 1,  // of a block that had been released, by a task or by a write of the host
  kDoubleFree = 2,
  kLeak = 3,  // not released when the device was reset
};

struct MemoryReport {
  MemoryFault fault = MemoryFault::kOutOfBounds;
  int32_t device = -1;
  bool is_host = false;     // pinned memory
  uint64_t address = 0;     // of the block; of a leak 0 when there are several blocks
  uint64_t bytes = 0;       // as asked for; of a leak all together
  uint64_t blocks = 1;      // of a leak: how many were allocated by the call
  int64_t offset = 0;       // from the start of the block to the first byte that was touched wrongly
  uint64_t generation = 0;  // which block it is, counted from 1, of those that began at this address
  int64_t stream = -1;      // of the task that failed, where it was one
  int64_t task = -1;
  std::string allocated_at;  // the call as module+offset, which addr2line takes, with the function where it is known
  std::string freed_at;      // empty: not released
  std::string text;          // all of it in a sentence
};

// How often each was found since the process began, or Clear.
struct MemoryCheckStatistics {
  uint64_t out_of_bounds = 0;
  uint64_t uses_after_free = 0;
  uint64_t double_frees = 0;
  uint64_t leaked_blocks = 0;
  uint64_t leaked_bytes = 0;
  // Now.
  uint64_t live_blocks = 0;
  uint64_t guarded_blocks = 0;  // live, between addresses without memory
  uint64_t resting_blocks = 0;  // released, and not yet given out again
  uint64_t resting_bytes = 0;

  uint64_t errors() const noexcept { return out_of_bounds + uses_after_free + double_frees; }
};

// Thread safety: all functions may be called from any thread. Without the checking mode everything is empty.
class MemoryCheck {
 public:
  MemoryCheck() = delete;
  // Compares the red zones of all live blocks and the contents of what rests. Tasks should have run. Returns how many
  // faults it found.
  static uint64_t CheckNow();
  static MemoryCheckStatistics Statistics();
  // The first 1000, oldest first.
  static std::vector<MemoryReport> Reports();
  // Forgets the reports and their numbers.
  static void Clear();
};

}  // namespace forebay
#pragma GCC visibility pop
