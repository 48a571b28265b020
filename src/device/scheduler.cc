#include "scheduler.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "forebay/base/architecture.h"
#include "forebay/base/futex.h"

namespace forebay::device {

using base::ReadCycleCounter;
using types::Command;
using types::FaultCause;
using types::Opcode;
using types::StreamRegisters;

Scheduler::Scheduler(const types::BarView& bar, AddressSpace* memory, KernelImages* images, Interrupts* interrupts,
                     CoreTeam* team)
    : bar_(bar),
      ring_mask_(bar.header->boot.queue_depth - 1),
      memory_(memory),
      images_(images),
      interrupts_(interrupts),
      team_(team),
      cycles_per_us_(std::max<uint64_t>(1, bar.header->boot.cycle_frequency / 1'000'000)),
      streams_(bar.header->boot.stream_count),
      event_waiters_(bar.header->boot.event_count, kNoStream),
      ready_(bar.header->boot.stream_count),
      dry_(bar.header->boot.stream_count),
      limited_waits_(bar.header->boot.stream_count),
      by_seed_(bar.header->boot.scheduled_by_seed != 0),
      random_(bar.header->boot.schedule_seed) {}

// ---- What arrives ----

bool Scheduler::HasNews() const noexcept {
  return bar_.header->doorbell.summary.load(std::memory_order_acquire) != 0 || posted_.load(std::memory_order_acquire);
}

void Scheduler::MakeReady(uint32_t index) {
  Stream& stream = streams_[index];
  stream.level = std::min(bar_.streams[index].priority.load(std::memory_order_relaxed), types::kPriorityLevels - 1);
  stream.phase = Phase::kReady;
  ready_.PushBack(stream.level, index);
}

void Scheduler::CollectDoorbells() {
  auto& doorbell = bar_.header->doorbell;
  if (doorbell.summary.load(std::memory_order_relaxed) == 0) return;
  // Acquire pairs with the host's release in ringing: the tail behind the bit is seen.
  uint64_t words = doorbell.summary.exchange(0, std::memory_order_acq_rel);
  while (words != 0) {
    const uint32_t word = static_cast<uint32_t>(std::countr_zero(words));
    words &= words - 1;
    uint64_t bits = doorbell.words[word].exchange(0, std::memory_order_acq_rel);
    while (bits != 0) {
      const uint32_t index = word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
      if (index >= streams_.size()) continue;
      Stream& stream = streams_[index];
      if (stream.phase == Phase::kInactive) {
        MakeReady(index);
      } else if (stream.phase == Phase::kHostFunction &&
                 bar_.streams[index].host_function_done.load(std::memory_order_acquire) > stream.head) {
        FinishHead(index, TaskResult{index, false, {}});
      }
    }
  }
}

void Scheduler::CollectNews() {
  CollectDoorbells();
  if (!posted_.load(std::memory_order_relaxed)) return;
  std::vector<TaskResult> finished;
  std::vector<StreamRequest> requests;
  {
    base::MutexLock lock(mutex_);
    posted_.store(false, std::memory_order_relaxed);
    finished.swap(finished_);
    requests.swap(requests_);
  }
  for (const TaskResult& result : finished) FinishHead(result.stream, result);
  for (const StreamRequest& request : requests) {
    CarryOut(request);
    requests_done_.fetch_add(1, std::memory_order_acq_rel);
    base::FutexWakeAll(requests_done_);
  }
}

void Scheduler::PostFinished(const TaskResult& result) {
  base::MutexLock lock(mutex_);
  finished_.push_back(result);
  posted_.store(true, std::memory_order_release);
  WakeDispatcher();
}

void Scheduler::PostRequest(const StreamRequest& request) {
  base::MutexLock lock(mutex_);
  requests_.push_back(request);
  posted_.store(true, std::memory_order_release);
  WakeDispatcher();
}

void Scheduler::WakeDispatcher() noexcept {
  // The exchange orders the store to `posted_` before it: a dispatcher about to sleep sees one of the two.
  auto& parked = bar_.header->doorbell.parked;
  if (parked.exchange(0, std::memory_order_seq_cst) != 0) base::FutexWakeAll(parked);
}

void Scheduler::CarryOut(const StreamRequest& request) {
  Stream& stream = streams_[request.stream];
  if (request.kind == types::Request::kRecoverStream) {
    stream.stopped = false;
  } else if (request.kind == types::Request::kAbortStream) {
    StopStream(request.stream, request.stream, Head(request.stream).task);
  }
}

bool Scheduler::PollDry() {
  bool found = false;
  for (std::size_t i = 0; i < dry_.size();) {
    const uint32_t index = dry_[i];
    // Acquire pairs with the host's release: the entries below the tail are seen.
    if (bar_.streams[index].tail.load(std::memory_order_acquire) != streams_[index].head) {
      dry_.RemoveAt(i);
      MakeReady(index);
      found = true;
    } else {
      ++i;
    }
  }
  return found;
}

bool Scheduler::RetireDry() {
  for (std::size_t i = 0; i < dry_.size(); ++i) bar_.streams[dry_[i]].active.store(0, std::memory_order_relaxed);
  // Pairs with the fence of a submit: either the host sees `active` 0 and rings, or the tail is seen here.
  base::FullFence();
  bool all_dry = true;
  for (std::size_t i = dry_.size(); i > 0; --i) {
    const uint32_t index = dry_[i - 1];
    dry_.RemoveAt(i - 1);
    if (bar_.streams[index].tail.load(std::memory_order_acquire) == streams_[index].head) {
      streams_[index].phase = Phase::kInactive;
    } else {
      bar_.streams[index].active.store(1, std::memory_order_relaxed);
      MakeReady(index);
      all_dry = false;
    }
  }
  return all_dry;
}

// ---- Choosing ----

bool Scheduler::HoldsBack() {
  // The adversarial scheduler lets work pile up, so that there is an order to choose: until a host thread waits, or
  // nothing has arrived for a millisecond.
  if (was_idle_ && !ready_.empty()) {
    was_idle_ = false;
    holding_ = random_.Below(8) != 0;
    hold_until_ = ReadCycleCounter() + 1000 * cycles_per_us_;
  }
  if (!holding_) return false;
  // Without threads of its own the device runs only while the host waits or asks, so time has no say and the same seed
  // gives the same order.
  const bool expired = team_ != nullptr && ReadCycleCounter() >= hold_until_;
  if (bar_.header->host_waiters.load(std::memory_order_acquire) != 0 || expired) holding_ = false;
  return holding_;
}

uint32_t Scheduler::PickStream() {
  if (by_seed_) {
    // Half of the picks reverse the order of arrival, which an even draw would rarely do for a whole chain.
    const uint32_t count = ready_.size();
    return ready_.PopNth(random_.Below(2) != 0 ? count - 1 : random_.Below(count));
  }
  const uint32_t highest = ready_.HighestLevel();
  const uint32_t lowest = ready_.LowestLevel();
  if (highest != lowest && ++quanta_since_lowest_ >= kStarvationBound) {
    quanta_since_lowest_ = 0;
    return ready_.PopFront(lowest);
  }
  return ready_.PopFront(highest);
}

Scheduler::StepResult Scheduler::Step(Core& core) {
  CollectNews();
  if (!limited_waits_.empty()) CheckWaitLimits();
  PollDry();
  if (ready_.empty()) {
    was_idle_ = true;
    return StepResult::kIdle;
  }
  if (!interrupts_->HasRoom()) return StepResult::kIdle;
  if (by_seed_ && HoldsBack()) return StepResult::kIdle;
  return RunQuantum(PickStream(), core);
}

int64_t Scheduler::SleepLimitNanoseconds() const noexcept {
  if (!ready_.empty()) return 200'000;  // held back, or waiting for the host to take interrupts
  if (limited_waits_.empty()) return -1;
  return 1'000'000;
}

// ---- Running ----

void Scheduler::Publish(uint32_t index) {
  StreamRegisters& registers = bar_.streams[index];
  const uint64_t head = streams_[index].head;
  // Release pairs with the host's acquire: what the tasks did is seen by who sees the count.
  registers.done.store(head, std::memory_order_release);
  // Pairs with the fence of a host that is about to sleep: it sees the count, or its target is seen here.
  base::FullFence();
  uint64_t target = registers.target.load(std::memory_order_relaxed);
  while (target <= head) {
    // A host that changed the target meanwhile is looked at again.
    if (!registers.target.compare_exchange_weak(target, types::kNoTarget, std::memory_order_relaxed)) continue;
    base::FutexWakeAll(base::LowHalf(registers.done));
    break;
  }
}

Scheduler::StepResult Scheduler::RunQuantum(uint32_t index, Core& core) {
  Stream& stream = streams_[index];
  StreamRegisters& registers = bar_.streams[index];
  const uint64_t tail = registers.tail.load(std::memory_order_acquire);
  // Others may become ready meanwhile, so the limit holds also when there are none now.
  const uint64_t quantum_end = ReadCycleCounter() + kQuantumMicroseconds * cycles_per_us_;
  const uint32_t limit = by_seed_ ? 1 : kQuantumTasks;
  const uint64_t start = stream.head;
  uint32_t tasks = 0;
  Outcome outcome = Outcome::kDone;
  while (stream.head != tail && tasks < limit) {
    const Command& command = bar_.Ring(index)[stream.head & ring_mask_];
    if (by_seed_) {
      auto& hash = bar_.header->counters.schedule_hash;
      Random mix(hash.load(std::memory_order_relaxed) ^ (uint64_t{index} << 40) ^ stream.head);
      hash.store(mix.Next(), std::memory_order_relaxed);
    }
    outcome = Execute(index, command, core);
    if (outcome == Outcome::kRoleLost) return StepResult::kRoleLost;
    if (outcome == Outcome::kParked) break;
    stream.head += command.entry_count;
    ++tasks;
    if (registers.target.load(std::memory_order_relaxed) <= stream.head) Publish(index);
    if (ReadCycleCounter() >= quantum_end) break;
  }
  auto& counters = bar_.header->counters;
  counters.tasks.store(counters.tasks.load(std::memory_order_relaxed) + tasks, std::memory_order_relaxed);
  if (stream.head != start) Publish(index);
  busy_visits_ = tasks >= 2 && outcome == Outcome::kDone ? busy_visits_ + 1 : 0;
  if (outcome == Outcome::kParked) return StepResult::kRan;
  if (stream.head != registers.tail.load(std::memory_order_acquire)) {
    MakeReady(index);
  } else {
    stream.phase = Phase::kDry;
    dry_.Insert(index);
  }
  return StepResult::kRan;
}

Scheduler::Outcome Scheduler::Execute(uint32_t index, const Command& command, Core& core) {
  const uint64_t available = bar_.streams[index].tail.load(std::memory_order_relaxed) - streams_[index].head;
  if (command.entry_count == 0 || command.entry_count > available) {
    FaultDetail detail;
    detail.cause = FaultCause::kBadCommand;
    std::snprintf(detail.text, sizeof detail.text, "an entry claims %u entries of %llu published ones", command.entry_count,
                  static_cast<unsigned long long>(available));
    Fail(index, command, detail);
    streams_[index].head = bar_.streams[index].tail.load(std::memory_order_relaxed) - command.entry_count;
    return Outcome::kDone;
  }
  if (streams_[index].stopped && command.opcode != Opcode::kEventRecord &&
      !(command.opcode == Opcode::kHostFunction && (command.flags & types::kFlagRunsAfterFailure) != 0)) {
    return Outcome::kDone;
  }
  switch (command.opcode) {
    case Opcode::kKernel: return ExecuteKernel(index, command, core);
    case Opcode::kCopy:
    case Opcode::kFill: return ExecuteCopy(index, command, core);
    case Opcode::kEventRecord: return ExecuteRecord(index, command);
    case Opcode::kEventWait: return ExecuteWait(index, command);
    case Opcode::kHostFunction: return ExecuteHostFunction(index, command);
    case Opcode::kNone: return Outcome::kDone;
  }
  FaultDetail detail;
  detail.cause = FaultCause::kBadCommand;
  std::snprintf(detail.text, sizeof detail.text, "opcode %u is not known", static_cast<unsigned>(command.opcode));
  Fail(index, command, detail);
  return Outcome::kDone;
}

template <typename Body>
Scheduler::Outcome Scheduler::RunLong(uint32_t index, Core& core, Body body) {
  const Command& command = Head(index);
  TaskResult result;
  result.stream = index;
  streams_[index].phase = Phase::kRunning;
  current_ = index;
  if (team_ == nullptr) {
    result.failed = !body(&result.detail);
  } else {
    team_->BeginTask(core);
    result.failed = !body(&result.detail);
    if (!team_->EndTask(core)) {
      PostFinished(result);
      return Outcome::kRoleLost;
    }
  }
  current_ = kNoStream;
  streams_[index].phase = Phase::kReady;
  if (result.failed) Fail(index, command, result.detail);
  return Outcome::kDone;
}

const void* Scheduler::GatherArguments(const Command& command, uint32_t index, std::vector<std::byte>& buffer) {
  const auto& kernel = command.kernel;
  const uint64_t entry = streams_[index].head & ring_mask_;
  const bool contiguous = entry + command.entry_count <= ring_mask_ + 1;
  if (contiguous && kernel.placeholder_count == 0) return kernel.arguments;
  // The entries wrap around the end of the ring, or addresses have to be filled in: the core makes a copy.
  const std::size_t pairs_at = (kernel.argument_bytes + 7u) / 8 * 8;
  const std::size_t total = kernel.placeholder_count == 0 ? kernel.argument_bytes
                                                          : pairs_at + uint64_t{kernel.placeholder_count} * 8;
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

Scheduler::Outcome Scheduler::ExecuteKernel(uint32_t index, const Command& command, Core& core) {
  FaultDetail detail;
  const auto& kernel = command.kernel;
  LoadedKernel* loaded = images_->Find(kernel.image, kernel.function);
  if (loaded == nullptr) {
    detail.cause = FaultCause::kUnknownKernel;
    Fail(index, command, detail);
    return Outcome::kDone;
  }
  const void* arguments = GatherArguments(command, index, core.argument_buffer());
  if (arguments != nullptr && (command.flags & types::kFlagArgumentsOnDevice) != 0) {
    uint64_t address = 0;
    std::memcpy(&address, arguments, sizeof address);
    arguments = memory_->Resolve(types::MemorySpace::kDevice, address, kernel.argument_bytes);
  }
  if (arguments == nullptr) {
    detail.cause = FaultCause::kBadCommand;
    std::snprintf(detail.text, sizeof detail.text, "the arguments of the kernel (%u bytes) cannot be read", kernel.argument_bytes);
    Fail(index, command, detail);
    return Outcome::kDone;
  }
  auto& counters = bar_.header->counters;
  counters.kernels.store(counters.kernels.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return RunLong(index, core, [&](FaultDetail* failure) {
    KernelJob& job = core.job_storage();
    job.Begin(loaded->entry, arguments, kernel.block_count, bar_.header->boot.ai_core_count);
    job.stream = index;
    job.timeout_us = kernel.timeout_us;
    if (team_ == nullptr || kernel.block_count == 1) {
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
    if (job.failed.load(std::memory_order_acquire) == 0) return true;
    *failure = job.detail;
    return false;
  });
}

Scheduler::Outcome Scheduler::ExecuteCopy(uint32_t index, const Command& command, Core& core) {
  const bool is_copy = command.opcode == Opcode::kCopy;
  const auto& copy = command.copy;
  const auto& fill = command.fill;
  const uint64_t bytes = is_copy ? copy.bytes : fill.bytes;
  std::byte* destination = is_copy ? memory_->Resolve(copy.destination_space, copy.destination, bytes)
                                   : memory_->Resolve(fill.space, fill.destination, bytes);
  const std::byte* source = is_copy ? memory_->Resolve(copy.source_space, copy.source, bytes) : nullptr;
  auto& counters = bar_.header->counters;
  counters.copies.store(counters.copies.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (destination == nullptr || (is_copy && source == nullptr)) {
    FaultDetail detail;
    detail.cause = FaultCause::kCopyAddress;
    detail.address = destination == nullptr ? (is_copy ? copy.destination : fill.destination) : copy.source;
    Fail(index, command, detail);
    return Outcome::kDone;
  }
  return RunLong(index, core, [&](FaultDetail* failure) {
    return is_copy ? core.Copy(destination, source, bytes, failure) : core.Fill(destination, fill.value, bytes, failure);
  });
}

Scheduler::Outcome Scheduler::ExecuteRecord(uint32_t index, const Command& command) {
  const auto& record = command.event;
  if (record.event >= event_waiters_.size()) return Outcome::kDone;
  types::EventRegister& event = bar_.events[record.event];
  const Stream& stream = streams_[index];
  if (stream.stopped) {
    // The failure travels with the event. Consecutive failed values form one range.
    if (event.failed_to.load(std::memory_order_relaxed) + 1 != record.value) {
      event.failed_from.store(record.value, std::memory_order_relaxed);
    }
    event.cause_stream.store(stream.cause_stream, std::memory_order_relaxed);
    event.cause_task.store(stream.cause_task, std::memory_order_relaxed);
    event.failed_to.store(record.value, std::memory_order_release);
  }
  if ((command.flags & types::kFlagTimestamp) != 0) event.timestamp.store(ReadCycleCounter(), std::memory_order_relaxed);
  // Release pairs with the acquire of waits and queries: time stamp, failure and the work before are seen.
  event.value.store(record.value, std::memory_order_release);
  if (event_waiters_[record.event] != kNoStream) ReleaseWaiters(record.event);
  return Outcome::kDone;
}

Scheduler::Outcome Scheduler::ExecuteWait(uint32_t index, const Command& command) {
  const auto& wait = command.event;
  if (wait.event >= event_waiters_.size()) return Outcome::kDone;
  types::EventRegister& event = bar_.events[wait.event];
  Stream& stream = streams_[index];
  if (event.value.load(std::memory_order_acquire) >= wait.value) {
    if (wait.value >= event.failed_from.load(std::memory_order_relaxed) &&
        wait.value <= event.failed_to.load(std::memory_order_relaxed)) {
      FaultDetail detail;
      detail.cause = FaultCause::kDependency;
      Fail(index, command, detail);
    }
    return Outcome::kDone;
  }
  stream.phase = Phase::kWaiting;
  stream.event = wait.event;
  stream.event_value = wait.value;
  stream.next_waiter = event_waiters_[wait.event];
  event_waiters_[wait.event] = index;
  if (wait.timeout_ms != 0) {
    stream.wait_started = ReadCycleCounter();
    stream.wait_limit = stream.wait_started + uint64_t{wait.timeout_ms} * 1000 * cycles_per_us_;
    limited_waits_.Insert(index);
  }
  return Outcome::kParked;
}

Scheduler::Outcome Scheduler::ExecuteHostFunction(uint32_t index, const Command& command) {
  streams_[index].phase = Phase::kHostFunction;
  types::InterruptRecord record{};
  record.kind = types::InterruptKind::kHostFunction;
  record.stream = index;
  record.task = command.task;
  record.entry = streams_[index].head;
  interrupts_->Raise(record);
  return Outcome::kParked;
}

// ---- Waiting and ending ----

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
  for (std::size_t i = limited_waits_.size(); i > 0; --i) {
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
  if (result.failed) Fail(index, command, result.detail);
  stream.head += command.entry_count;
  Publish(index);
  MakeReady(index);
}

void Scheduler::Fail(uint32_t index, const Command& command, const FaultDetail& detail) {
  StreamRegisters& registers = bar_.streams[index];
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
  if (detail.cause == FaultCause::kWaitTimeout) record.elapsed_us = command.event.timeout_ms * 1000;
  const uint32_t policy = registers.stop_on_failure.load(std::memory_order_relaxed);
  if (policy == 1) StopStream(index, cause_stream, cause_task);
  if (policy == 2) {
    const uint32_t group = registers.group.load(std::memory_order_relaxed);
    for (uint32_t other = 0; other < streams_.size(); ++other) {
      if (bar_.streams[other].group.load(std::memory_order_relaxed) == group) StopStream(other, cause_stream, cause_task);
    }
  }
  interrupts_->Raise(record);
  // Release pairs with the host's acquire of `done`, which is published after this: who sees the task done sees the count.
  registers.failures.store(registers.failures.load(std::memory_order_relaxed) + 1, std::memory_order_release);
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
  }
}

void Scheduler::Takeover() {
  if (current_ == kNoStream) return;
  // What was done before the long task may have someone waiting.
  Publish(current_);
  current_ = kNoStream;
  auto& counters = bar_.header->counters;
  counters.hand_overs.store(counters.hand_overs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace forebay::device
