// What the scheduler does for a task of each kind.
#include "scheduler.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "forebay/base/architecture.h"

namespace forebay::device {

using base::ReadCycleCounter;
using types::Command;
using types::FaultCause;
using types::Opcode;

namespace {

// A kernel that hangs. The loop has a side effect, so that it stays one.
void LoopForEver(const void* /*arguments*/) {
  for (;;) base::CpuRelax();
}

}  // namespace

Scheduler::Outcome Scheduler::Execute(uint32_t index, const Command& command, Core& core) {
  if (streams_[index].held) [[unlikely]] {
    streams_[index].phase = Phase::kHeld;
    return Outcome::kParked;
  }
  const uint64_t available = bar_.streams[index].tail.load(std::memory_order_relaxed) - streams_[index].head;
  if (command.entry_count == 0 || command.entry_count > available) {
    FaultDetail detail;
    detail.cause = FaultCause::kBadCommand;
    std::snprintf(detail.text, sizeof detail.text, "an entry claims %u entries of %llu published ones",
                  command.entry_count, static_cast<unsigned long long>(available));
    Fail(index, command, detail);
    // Where the next task begins is anyone's guess, so all that was published is skipped.
    streams_[index].head += available - command.entry_count;
    return Outcome::kDone;
  }
  if (streams_[index].stopped && command.opcode != Opcode::kEventRecord && command.opcode != Opcode::kCounterRecord &&
      !(command.opcode == Opcode::kHostFunction && (command.flags & types::kFlagRunsAfterFailure) != 0 && !halted())) {
    return Outcome::kDone;
  }
  if (faults_.armed()) [[unlikely]] {
    if (const auto outcome = InjectAtTask(index, command)) return *outcome;
  }
  switch (command.opcode) {
    case Opcode::kKernel: return ExecuteKernel(index, command, core);
    case Opcode::kCopy: return ExecuteCopy(index, command, core);
    case Opcode::kFill: return ExecuteFill(index, command, core);
    case Opcode::kIndirectCopy: return ExecuteIndirectCopy(index, command, core);
    case Opcode::kReduce: return ExecuteReduce(index, command, core);
    case Opcode::kRandom: return ExecuteRandom(index, command, core);
    case Opcode::kEventRecord: return ExecuteRecord(index, command);
    case Opcode::kEventWait:
    case Opcode::kCounterWait: return ExecuteWait(index, command);
    case Opcode::kEventReset: return ExecuteReset(command);
    case Opcode::kCounterRecord: return ExecuteCounterRecord(index, command);
    case Opcode::kMemoryWrite: return ExecuteMemoryWrite(index, command, core);
    case Opcode::kMemoryWait: return ExecuteMemoryWait(index, command, core);
    case Opcode::kHostFunction: return ExecuteHostFunction(index, command);
    case Opcode::kNone: return Outcome::kDone;
  }
  FaultDetail detail;
  detail.cause = FaultCause::kBadCommand;
  std::snprintf(detail.text, sizeof detail.text, "opcode %u is not known", static_cast<unsigned>(command.opcode));
  Fail(index, command, detail);
  return Outcome::kDone;
}

const void* Scheduler::GatherArguments(const Command& command, uint32_t index, std::vector<std::byte>& buffer) {
  const auto& kernel = command.kernel;
  const uint64_t entry = streams_[index].head & ring_mask_;
  const bool contiguous = entry + command.entry_count <= ring_mask_ + 1;
  if (contiguous && kernel.placeholder_count == 0) return kernel.arguments;
  // The entries wrap around the end of the ring, or addresses have to be filled in: the core makes a copy.
  const std::size_t pairs_at = (kernel.argument_bytes + 7u) / 8 * 8;
  const std::size_t total =
      kernel.placeholder_count == 0 ? kernel.argument_bytes : pairs_at + uint64_t{kernel.placeholder_count} * 8;
  const uint64_t capacity = types::kInlineArgumentBytes + (command.entry_count - 1u) * types::kEntryBytes;
  if (total > capacity) return nullptr;
  if (buffer.size() < total) buffer.resize(total);
  std::byte* gathered = buffer.data();
  std::size_t copied = std::min(total, types::kInlineArgumentBytes);
  std::memcpy(gathered, kernel.arguments, copied);
  for (uint64_t i = 1; copied < total; ++i) {
    const std::size_t piece = std::min(total - copied, types::kEntryBytes);
    std::memcpy(gathered + copied, &bar_.Ring(index)[(entry + i) & ring_mask_], piece);
    copied += piece;
  }
  for (uint32_t i = 0; i < kernel.placeholder_count; ++i) {
    uint32_t pair[2];
    std::memcpy(pair, gathered + pairs_at + i * sizeof pair, sizeof pair);
    const auto address = reinterpret_cast<uint64_t>(gathered + pair[1]);
    if (uint64_t{pair[0]} + sizeof address > kernel.argument_bytes || pair[1] > kernel.argument_bytes) return nullptr;
    std::memcpy(gathered + pair[0], &address, sizeof address);
  }
  return gathered;
}

bool Scheduler::LacksCore(uint32_t index) {
  if (team_ == nullptr || team_->HasSpare()) [[likely]]
    return false;
  // All other cores are inside long kernels. Were this one to follow, nobody would serve the copies and events.
  streams_[index].phase = Phase::kWithoutCore;
  without_core_.push_back(index);
  return true;
}

Scheduler::Outcome Scheduler::ExecuteKernel(uint32_t index, const Command& command, Core& core) {
  FaultDetail detail;
  const auto& kernel = command.kernel;
  LoadedKernel* loaded = images_->Find(kernel.image, kernel.function);
  if (loaded == nullptr) {
    detail.cause = FaultCause::kUnknownKernel;
    Fail(index, command, detail);
    return Outcome::kDone;
  }
  if (LacksCore(index)) [[unlikely]]
    return Outcome::kParked;
  const void* arguments = GatherArguments(command, index, core.argument_buffer());
  if (arguments != nullptr && (command.flags & types::kFlagArgumentsOnDevice) != 0) {
    std::memcpy(&detail.address, arguments, sizeof detail.address);
    arguments = memory_->Resolve(types::MemorySpace::kDevice, detail.address, kernel.argument_bytes);
    if (arguments == nullptr) {
      // The kernel's first block would read there.
      detail.cause = FaultCause::kBadAddress;
      detail.block = kernel.first_block;
      std::snprintf(detail.text, sizeof detail.text, "its %u bytes of arguments were to be there",
                    kernel.argument_bytes);
      Fail(index, command, detail);
      return Outcome::kDone;
    }
  }
  if (arguments == nullptr) {
    detail.cause = FaultCause::kBadCommand;
    std::snprintf(detail.text, sizeof detail.text, "the arguments of the kernel (%u bytes) cannot be read",
                  kernel.argument_bytes);
    Fail(index, command, detail);
    return Outcome::kDone;
  }
  uint64_t* overflow_status = nullptr;
  if ((command.flags & types::kFlagCheckOverflow) != 0) {
    const uint64_t address = bar_.streams[index].overflow_status.load(std::memory_order_relaxed);
    overflow_status =
        reinterpret_cast<uint64_t*>(memory_->Resolve(types::MemorySpace::kDevice, address, sizeof *overflow_status));
  }
  auto& counters = bar_.header->counters;
  counters.kernels.store(counters.kernels.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  // Taken before the kernel begins: what is noted for the next task is the next dispatcher's soon.
  const types::FaultAction injected = kernel_fault_;
  if (injected != types::FaultAction::kNone) [[unlikely]]
    kernel_fault_ = types::FaultAction::kNone;
  const bool injected_on_vector_core = kernel_fault_on_vector_core_;
  return RunLong(index, core, [&](FaultDetail* failure) {
    KernelJob& job = core.job_storage();
    const bool loops = injected == types::FaultAction::kLoop;
    job.Begin(loops ? &LoopForEver : loaded->entry, arguments, kernel.first_block, kernel.block_count,
              bar_.boot.ai_core_count);
    job.stream.store(index, std::memory_order_relaxed);
    job.timeout_us.store(kernel.timeout_us, std::memory_order_relaxed);
    job.checks_overflow = overflow_status != nullptr;
    if (team_ == nullptr && kernel.timeout_us != 0) {
      core.RunBlocksWithin(job, kernel.timeout_us);
    } else if (team_ == nullptr || kernel.block_count == 1) {
      core.RunBlocks(job);
    } else {
      // Waking another core costs some microseconds, which only a kernel that runs longer gains back.
      const bool worth_helping = loaded->typical_ns.load(std::memory_order_relaxed) > 40'000;
      const uint64_t start = ReadCycleCounter();
      if (worth_helping) team_->CallHelpers(job);
      core.RunBlocks(job);
      if (worth_helping) team_->DismissHelpers(job);
      const uint64_t ns = (ReadCycleCounter() - start) * 1000 / cycles_per_us_;
      const uint64_t work_ns = worth_helping ? ns * 2 : ns;
      const uint64_t before = loaded->typical_ns.load(std::memory_order_relaxed);
      loaded->typical_ns.store(static_cast<uint32_t>(std::min<uint64_t>((before * 3 + work_ns) / 4, ~0u)),
                               std::memory_order_relaxed);
    }
    const bool overflowed = injected == types::FaultAction::kOverflow || job.overflowed.load(std::memory_order_acquire);
    if (overflow_status != nullptr && overflowed) {
      // A kernel or a copy may look at the word meanwhile.
      std::atomic_ref<uint64_t>(*overflow_status).fetch_or(1, std::memory_order_release);
    }
    if (job.failed.load(std::memory_order_acquire) == 0) return true;
    *failure = job.detail;
    if (loops) failure->on_vector_core = injected_on_vector_core ? 1 : 0;
    return false;
  });
}

Scheduler::Outcome Scheduler::ExecuteRecord(uint32_t index, const Command& command) {
  const auto& record = command.event;
  if (record.event >= waiters_.size()) return Outcome::kDone;
  types::EventRegister& event = bar_.events[record.event];
  const Stream& stream = streams_[index];
  if (stream.stopped) {
    // The failure travels with the event. Consecutive failed values form one range.
    if (event.failed_from.load(std::memory_order_relaxed) == 0 ||
        event.failed_to.load(std::memory_order_relaxed) + 1 != record.value) {
      event.failed_from.store(record.value, std::memory_order_relaxed);
    }
    event.cause_stream.store(stream.cause_stream, std::memory_order_relaxed);
    event.cause_task.store(stream.cause_task, std::memory_order_relaxed);
    event.failed_to.store(record.value, std::memory_order_release);
  }
  if ((command.flags & types::kFlagTimestamp) != 0)
    event.timestamp.store(ReadCycleCounter(), std::memory_order_relaxed);
  // Values only grow: of two records that host threads submitted in the other order the later one stands for both.
  // Release pairs with the acquire of waits and queries: time stamp, failure and the work before are seen.
  if (event.value.load(std::memory_order_relaxed) < record.value)
    event.value.store(record.value, std::memory_order_release);
  if (waiters_[record.event].first != kNoStream) ReleaseWaiters(record.event);
  return Outcome::kDone;
}

Scheduler::Outcome Scheduler::ExecuteReset(const Command& command) {
  if (command.event.event >= waiters_.size()) return Outcome::kDone;
  types::EventRegister& event = bar_.events[command.event.event];
  event.reset_to.store(event.value.load(std::memory_order_relaxed), std::memory_order_release);
  return Outcome::kDone;
}

Scheduler::Outcome Scheduler::ExecuteCounterRecord(uint32_t index, const Command& command) {
  const auto& record = command.counter;
  if (record.counter >= waiters_.size()) return Outcome::kDone;
  types::EventRegister& counter = bar_.events[record.counter];
  const Stream& stream = streams_[index];
  if (stream.stopped) {
    // The failure travels with the count, until it is set or cleared.
    counter.cause_stream.store(stream.cause_stream, std::memory_order_relaxed);
    counter.cause_task.store(stream.cause_task, std::memory_order_relaxed);
    counter.failed_to.store(1, std::memory_order_relaxed);
  } else if (record.operation == types::CounterOperation::kSet) {
    counter.failed_to.store(0, std::memory_order_relaxed);
  }
  // The host may set a counter to 0 at the same time, which must not be lost.
  uint64_t now = counter.value.load(std::memory_order_relaxed);
  uint64_t next = 0;
  do {
    switch (record.operation) {
      case types::CounterOperation::kSet: next = record.value; break;
      case types::CounterOperation::kAdd: next = now + record.value; break;
      case types::CounterOperation::kOr: next = now | record.value; break;
      case types::CounterOperation::kAnd: next = now & record.value; break;
    }
    next = static_cast<uint32_t>(next);
  } while (!counter.value.compare_exchange_weak(now, next, std::memory_order_acq_rel));
  if (waiters_[record.counter].first != kNoStream) ReleaseWaiters(record.counter);
  return Outcome::kDone;
}

Scheduler::Outcome Scheduler::ExecuteWait(uint32_t index, const Command& command) {
  const uint32_t waited = command.event.event;
  if (waited >= waiters_.size()) return Outcome::kDone;
  FaultDetail detail;
  if (!EndsWait(command, &detail)) {
    Park(index, waited, command.event.timeout_ms);
    return Outcome::kParked;
  }
  if (detail.cause != FaultCause::kNone) Fail(index, command, detail);
  // It may have cleared what others wait to be cleared.
  if (waiters_[waited].first != kNoStream) ReleaseWaiters(waited);
  return Outcome::kDone;
}

Scheduler::Outcome Scheduler::ExecuteMemoryWrite(uint32_t index, const Command& command, Core& core) {
  FaultDetail detail;
  std::byte* word = ResolveWord(command.memory.address, &detail);
  if (word == nullptr || !core.StoreWord(word, command.memory.value, &detail)) Fail(index, command, detail);
  return Outcome::kDone;
}

Scheduler::Outcome Scheduler::ExecuteMemoryWait(uint32_t index, const Command& command, Core& core) {
  FaultDetail detail;
  if (!EndsMemoryWait(command.memory, core, &detail)) {
    Park(index, kMemoryWord, 0);
    return Outcome::kParked;
  }
  if (detail.cause != FaultCause::kNone) Fail(index, command, detail);
  return Outcome::kDone;
}

Scheduler::Outcome Scheduler::ExecuteHostFunction(uint32_t index, const Command& command) {
  streams_[index].phase = Phase::kHostFunction;
  // The function may ask whether what came before it is complete.
  Publish(index);
  types::InterruptRecord record{};
  record.kind = types::InterruptKind::kHostFunction;
  record.stream = index;
  record.task = command.task;
  record.entry = streams_[index].head;
  interrupts_->Raise(record);
  return Outcome::kParked;
}

}  // namespace forebay::device
