// How tasks end that did not simply run: by an event, a time-out, a failure, or because their stream stops.
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

// ---- Waits ----

bool Scheduler::EndsWait(const Command& command, FaultDetail* failure) {
  types::EventRegister& waited = bar_.events[command.event.event];
  // Acquire pairs with the release of records: the work before, and the failure, are seen.
  const uint64_t now = waited.value.load(std::memory_order_acquire);
  bool failed = false;
  if (command.opcode == Opcode::kEventWait) {
    const uint64_t wanted = std::max(command.event.value, waited.reset_to.load(std::memory_order_relaxed) + 1);
    if (now < wanted) return false;
    failed = (command.flags & types::kFlagOrdersOnly) == 0 &&
             wanted >= waited.failed_from.load(std::memory_order_relaxed) &&
             wanted <= waited.failed_to.load(std::memory_order_relaxed);
  } else {
    if (!types::Holds(command.counter.condition, now, command.counter.value)) return false;
    failed = waited.failed_to.load(std::memory_order_relaxed) != 0;
    if (command.counter.clears != 0) {
      waited.failed_to.store(0, std::memory_order_relaxed);
      waited.value.store(0, std::memory_order_release);
    }
  }
  if (failed) failure->cause = FaultCause::kDependency;
  return true;
}

std::byte* Scheduler::ResolveWord(uint64_t address, FaultDetail* failure) const noexcept {
  std::byte* word = address % sizeof(uint64_t) == 0
                        ? memory_->Resolve(types::MemorySpace::kDevice, address, sizeof(uint64_t))
                        : nullptr;
  if (word == nullptr) {
    failure->cause = FaultCause::kCopyAddress;
    failure->address = address;
  }
  return word;
}

bool Scheduler::EndsMemoryWait(const types::MemoryCommand& wait, Core& core, FaultDetail* failure) {
  const std::byte* word = ResolveWord(wait.address, failure);
  uint64_t now = 0;
  if (word == nullptr || !core.LoadWord(word, &now, failure)) return true;
  return types::Holds(wait.condition, now, wait.value);
}

void Scheduler::Park(uint32_t index, uint32_t wait_register, uint32_t timeout_ms) {
  Stream& stream = streams_[index];
  stream.phase = Phase::kWaiting;
  stream.wait_register = wait_register;
  stream.next_waiter = kNoStream;
  if (wait_register == kMemoryWord) {
    memory_waits_.Insert(index);
  } else {
    Waiters& waiters = waiters_[wait_register];
    (waiters.first == kNoStream ? waiters.first : streams_[waiters.last].next_waiter) = index;
    waiters.last = index;
  }
  if (timeout_ms != 0) {
    stream.wait_limit = ReadCycleCounter() + uint64_t{timeout_ms} * 1000 * cycles_per_us_;
    limited_waits_.Insert(index);
  }
}

void Scheduler::RemoveWaiter(uint32_t index) {
  Stream& stream = streams_[index];
  if (stream.wait_register == kMemoryWord) {
    memory_waits_.Remove(index);
  } else {
    Waiters& waiters = waiters_[stream.wait_register];
    uint32_t previous = kNoStream;
    for (uint32_t other = waiters.first; other != index; other = streams_[other].next_waiter) previous = other;
    (previous == kNoStream ? waiters.first : streams_[previous].next_waiter) = stream.next_waiter;
    if (waiters.last == index) waiters.last = previous;
  }
  if (stream.wait_limit != 0) limited_waits_.Remove(index);
  stream.wait_limit = 0;
  stream.phase = Phase::kReady;
}

// Ends the waits that a change of the register ends. They end here and not when their streams run again, because two
// records in a row release two waits, although the register is set only once.
void Scheduler::ReleaseWaiters(uint32_t wait_register) {
  for (uint32_t index = waiters_[wait_register].first; index != kNoStream;) {
    TaskResult result;
    result.stream = index;
    if (!EndsWait(Head(index), &result.detail)) {
      index = streams_[index].next_waiter;
      continue;
    }
    result.failed = result.detail.cause != FaultCause::kNone;
    RemoveWaiter(index);
    FinishHead(index, result);
    // From the front: it may have cleared the register, and a failure takes others off the list.
    index = waiters_[wait_register].first;
  }
}

void Scheduler::CheckMemoryWaits(Core& core) {
  // A failure may stop other streams of the group, which takes them off the list too.
  for (std::size_t i = memory_waits_.size(); i > 0; i = std::min(i - 1, memory_waits_.size())) {
    TaskResult result;
    result.stream = memory_waits_[i - 1];
    if (!EndsMemoryWait(Head(result.stream).memory, core, &result.detail)) continue;
    result.failed = result.detail.cause != FaultCause::kNone;
    RemoveWaiter(result.stream);
    FinishHead(result.stream, result);
  }
}

void Scheduler::CheckWaitLimits() {
  const uint64_t now = ReadCycleCounter();
  // A failure may stop other streams of the group, which takes them off the list too.
  for (std::size_t i = limited_waits_.size(); i > 0; i = std::min(i - 1, limited_waits_.size())) {
    const uint32_t index = limited_waits_[i - 1];
    Stream& stream = streams_[index];
    if (now < stream.wait_limit) continue;
    FaultDetail detail;
    detail.cause = FaultCause::kWaitTimeout;
    detail.address = stream.wait_register;
    if (Head(index).opcode == Opcode::kCounterWait) {
      std::snprintf(detail.text, sizeof detail.text, "a counter that holds %llu",
                    static_cast<unsigned long long>(bar_.events[stream.wait_register].value.load()));
    }
    RemoveWaiter(index);
    FinishHead(index, TaskResult{index, true, detail});
  }
}

// ---- Ends ----

// Ends the task at the head of a stream that was off the ready list, and puts the stream back.
void Scheduler::FinishHead(uint32_t index, const TaskResult& result) {
  Stream& stream = streams_[index];
  const Command& command = Head(index);
  if (result.failed) EndFailed(index, command, result.detail);
  stream.head += command.entry_count;
  CountTasks(1);
  Publish(index);
  MakeReady(index);
}

void Scheduler::EndFailed(uint32_t index, const Command& command, const FaultDetail& detail) {
  if (!streams_[index].aborted && !streams_[index].held) Fail(index, command, detail);
}

void Scheduler::Fail(uint32_t index, const Command& command, const FaultDetail& detail) {
  types::StreamRegisters& registers = bar_.streams[index];
  types::InterruptRecord record{};
  record.kind = types::InterruptKind::kTaskFailed;
  record.cause = detail.cause;
  record.stream = index;
  record.task = command.task;
  record.entry = streams_[index].head;
  record.address = detail.address;
  record.block = detail.block;
  std::memcpy(record.text, detail.text, sizeof record.text);
  if (command.opcode == Opcode::kKernel) {
    record.image = command.kernel.image;
    record.function = command.kernel.function;
    record.on_vector_core = (command.flags & types::kFlagVectorCore) != 0 ? 1 : 0;
    if (detail.on_vector_core >= 0) record.on_vector_core = static_cast<uint32_t>(detail.on_vector_core);
    const LoadedImage* image = images_->FindImage(command.kernel.image);
    if (image != nullptr && detail.instruction - image->base < image->bytes) {
      record.instruction = detail.instruction - image->base;
    }
  }
  uint32_t cause_stream = index;
  uint32_t cause_task = command.task;
  if (detail.cause == FaultCause::kDependency) {
    record.other_stream = cause_stream = bar_.events[command.event.event].cause_stream.load(std::memory_order_relaxed);
    record.other_task = cause_task = bar_.events[command.event.event].cause_task.load(std::memory_order_relaxed);
  }
  if (detail.cause == FaultCause::kWaitTimeout && command.opcode != Opcode::kMemoryWait)
    record.elapsed_ms = command.event.timeout_ms;
  // The news goes out before any stream stops: who then sees one of its tasks as done finds the reason.
  interrupts_->Raise(record);
  if (detail.cause == FaultCause::kEndOfSequence) return;
  // Release pairs with the host's acquire of `done`, which is published after this: who sees the task done sees the
  // count.
  registers.failures.store(registers.failures.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  const uint32_t policy = registers.stop_on_failure.load(std::memory_order_relaxed);
  if (policy == 1) StopStream(index, cause_stream, cause_task);
  if (policy == 2) {
    const uint32_t group = registers.group.load(std::memory_order_relaxed);
    for (uint32_t other = 0; other < streams_.size(); ++other) {
      // A free slot has no policy, whatever group it belonged to.
      const types::StreamRegisters& candidate = bar_.streams[other];
      if (candidate.stop_on_failure.load(std::memory_order_relaxed) == 2 &&
          candidate.group.load(std::memory_order_relaxed) == group) {
        StopStream(other, cause_stream, cause_task);
      }
    }
  }
}

void Scheduler::StopStream(uint32_t index, uint32_t cause_stream, uint32_t cause_task) {
  Stream& stream = streams_[index];
  if (stream.stopped) return;
  stream.stopped = true;
  stream.cause_stream = cause_stream;
  stream.cause_task = cause_task;
  if (stream.phase == Phase::kWaiting) {
    RemoveWaiter(index);
    FinishHead(index, TaskResult{index, false, {}});
  } else if (stream.phase == Phase::kWithoutCore) {
    without_core_.erase(std::find(without_core_.begin(), without_core_.end(), index));
    MakeReady(index);
  }
}

}  // namespace forebay::device
