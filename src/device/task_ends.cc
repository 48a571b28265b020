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

void Scheduler::RemoveWaiter(uint32_t index) {
  Stream& stream = streams_[index];
  uint32_t* link = &event_waiters_[stream.event];
  while (*link != index) link = &streams_[*link].next_waiter;
  *link = stream.next_waiter;
  if (stream.wait_limit != 0) limited_waits_.Remove(index);
  stream.wait_limit = 0;
  stream.phase = Phase::kReady;
}

void Scheduler::ReleaseWaiters(uint32_t event) {
  const uint64_t value = bar_.events[event].value.load(std::memory_order_relaxed);
  uint32_t index = event_waiters_[event];
  while (index != kNoStream) {
    const uint32_t next = streams_[index].next_waiter;
    if (value >= streams_[index].event_value) {
      RemoveWaiter(index);
      // The wait itself runs again and passes, or fails with the event.
      MakeReady(index);
    }
    index = next;
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
    detail.address = stream.event;
    RemoveWaiter(index);
    FinishHead(index, TaskResult{index, true, detail});
  }
}

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
  if (!streams_[index].aborted) Fail(index, command, detail);
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
  if (detail.cause == FaultCause::kWaitTimeout) record.elapsed_ms = command.event.timeout_ms;
  // The news goes out before any stream stops: who then sees one of its tasks as done finds the reason.
  interrupts_->Raise(record);
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
