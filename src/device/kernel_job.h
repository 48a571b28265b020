// One launch of a kernel while it runs: which blocks are left, which wait for each other, what went wrong first.
#pragma once

#include <atomic>
#include <cstdint>

#include "forebay/kernel_abi.h"
#include "forebay/types/bar.h"

namespace forebay::device {

// What is known of a task's failure where it happens.
struct FaultDetail {
  types::FaultCause cause = types::FaultCause::kNone;
  uint64_t address = 0;
  uint64_t instruction = 0;  // absolute
  int32_t block = -1;
  int8_t on_vector_core = -1;  // -1: as the task says
  char text[sizeof types::InterruptRecord::text] = {};
};

struct KernelJob {
  kernel_abi::EntryFunction entry = nullptr;
  const void* arguments = nullptr;
  uint32_t block_count = 0;
  uint32_t first_block = 0;          // index of the first block
  uint32_t synchronising_limit = 0;  // most blocks that may meet in SyncAll
  // Read by the watchdog while the next job may begin already.
  std::atomic<uint32_t> stream{0};
  std::atomic<uint32_t> timeout_us{0};  // 0: no limit
  // Whether blocks look at the floating-point flags at their end, and whether one found that a result was infinite or
  // no number.
  bool checks_overflow = false;
  std::atomic<bool> overflowed{false};
  std::atomic<uint32_t> next_block{0};
  std::atomic<uint32_t> finished_blocks{0};
  // The barrier: blocks that arrived in this round, and the round.
  std::atomic<uint32_t> arrived{0};
  std::atomic<uint32_t> round{0};
  // Set by the first failure; `detail` is that failure's, written before `failed` is 2.
  std::atomic<uint32_t> failed{0};
  FaultDetail detail;
  // Cores of this job that wait for room to print, which is the host's to make.
  std::atomic<uint32_t> waiting_to_print{0};
  // Other cores that run blocks of this job.
  std::atomic<uint32_t> helpers{0};

  void Begin(kernel_abi::EntryFunction entry_function, const void* packed_arguments, uint32_t first, uint32_t blocks,
             uint32_t limit) noexcept {
    entry = entry_function;
    arguments = packed_arguments;
    first_block = first;
    block_count = blocks;
    synchronising_limit = limit;
    next_block.store(0, std::memory_order_relaxed);
    finished_blocks.store(0, std::memory_order_relaxed);
    arrived.store(0, std::memory_order_relaxed);
    round.store(0, std::memory_order_relaxed);
    failed.store(0, std::memory_order_relaxed);
    overflowed.store(false, std::memory_order_relaxed);
    detail = FaultDetail{};
  }
  // Keeps the first failure only.
  void Fail(const FaultDetail& what) noexcept {
    uint32_t expected = 0;
    if (!failed.compare_exchange_strong(expected, 1, std::memory_order_acq_rel)) return;
    detail = what;
    failed.store(2, std::memory_order_release);
  }
};

}  // namespace forebay::device
