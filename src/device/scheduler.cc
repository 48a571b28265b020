#include "scheduler.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "forebay/base/architecture.h"
#include "forebay/base/futex.h"

namespace forebay::device {

using base::ReadCycleCounter;
using types::Command;
using types::StreamRegisters;

Scheduler::Scheduler(const types::BarView& bar, AddressSpace* memory, KernelImages* images, Interrupts* interrupts,
                     CoreTeam* team, std::function<void()> end_process)
    : bar_(bar),
      ring_mask_(bar.boot.queue_depth - 1),
      memory_(memory),
      images_(images),
      interrupts_(interrupts),
      team_(team),
      cycles_per_us_(std::max<uint64_t>(1, bar.boot.cycle_frequency / 1'000'000)),
      streams_(bar.boot.stream_count),
      waiters_(bar.boot.event_count),
      ready_(bar.boot.stream_count),
      dry_(bar.boot.stream_count),
      limited_waits_(bar.boot.stream_count),
      memory_waits_(bar.boot.stream_count),
      by_seed_(bar.boot.scheduled_by_seed != 0),
      random_(bar.boot.schedule_seed),
      faults_(bar),
      end_process_(std::move(end_process)) {}

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
      if (faults_.armed()) [[unlikely]] {
        // That of a driver that rings again is heard, however unlikely that is.
        stream.missed_doorbell = !stream.missed_doorbell && faults_.DropsDoorbell(index);
        if (stream.missed_doorbell) continue;
      }
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
  for (const TaskResult& result : finished) {
    CountLong(-1);
    FinishHead(result.stream, result);
  }
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

void Scheduler::RetryWithoutCore() {
  if (!team_->HasSpare()) return;
  for (const uint32_t index : without_core_) MakeReady(index);
  without_core_.clear();
}

void Scheduler::WakeDispatcher() noexcept {
  // The exchange orders the store to `posted_` before it: a dispatcher about to sleep sees one of the two.
  auto& parked = bar_.header->doorbell.parked;
  if (parked.exchange(0, std::memory_order_seq_cst) != 0) base::FutexWakeAll(parked);
}

void Scheduler::CarryOut(const StreamRequest& request) {
  if (request.kind == types::Request::kRecoverDevice) return Resume();
  if (request.kind == types::Request::kArmFaults) {
    ForgetInjected();
    return faults_.Arm();
  }
  Stream& stream = streams_[request.stream];
  if (request.kind == types::Request::kRecoverStream) {
    stream.stopped = false;
    stream.aborted = false;
    Release(request.stream);
  } else if (request.kind == types::Request::kAbortStream) {
    stream.aborted = true;
    StopStream(request.stream, request.stream, Head(request.stream).task);
    Release(request.stream);
  } else if (request.kind == types::Request::kHoldStream) {
    stream.held = true;
  }
}

void Scheduler::Release(uint32_t index) {
  streams_[index].held = false;
  if (streams_[index].phase == Phase::kHeld) MakeReady(index);
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
  uint32_t level = ready_.HighestLevel();
  const uint32_t lower = ready_.levels() & ~(1u << level);
  if (lower != 0) [[unlikely]] {
    uint32_t chosen = level;
    for (uint32_t levels = lower; levels != 0; levels &= levels - 1) {
      const uint32_t candidate = static_cast<uint32_t>(std::countr_zero(levels));
      if (passed_over_[candidate]++ >= kStarvationBound) chosen = candidate;
    }
    level = chosen;
  }
  passed_over_[level] = 0;
  return ready_.PopFront(level);
}

Scheduler::StepResult Scheduler::Step(Core& core) {
  steps_.store(steps_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  CollectNews();
  if (faults_.armed()) [[unlikely]] {
    if (const types::FaultOrder* fault = faults_.AtTime()) HappenToDevice(*fault);
  }
  if (!limited_waits_.empty()) CheckWaitLimits();
  if (!memory_waits_.empty()) CheckMemoryWaits(core);
  if (!without_core_.empty()) RetryWithoutCore();
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
  if (faults_.armed()) return 1'000'000;
  // Held back, or waiting for the host to take interrupts. A word of memory may change without anyone saying so.
  if (!ready_.empty() || !memory_waits_.empty()) return 200'000;
  if (limited_waits_.empty() && without_core_.empty()) return -1;
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

void Scheduler::CountTasks(uint32_t tasks) noexcept {
  auto& counter = bar_.header->counters.tasks;
  counter.store(counter.load(std::memory_order_relaxed) + tasks, std::memory_order_relaxed);
}

void Scheduler::CountBusy(uint64_t cycles) noexcept {
  auto& counter = bar_.header->counters.busy_cycles;
  counter.store(counter.load(std::memory_order_relaxed) + cycles, std::memory_order_relaxed);
}

// The time with at least one long task counts once.
void Scheduler::CountLong(int change) noexcept {
  auto& since = bar_.header->counters.long_since;
  const bool was_none = long_tasks_ == 0;
  long_tasks_ += static_cast<uint32_t>(change);
  if (was_none) {
    since.store(ReadCycleCounter(), std::memory_order_relaxed);
  } else if (long_tasks_ == 0) {
    const uint64_t began = since.exchange(0, std::memory_order_relaxed);
    CountBusy(ReadCycleCounter() - began);
  }
}

Scheduler::StepResult Scheduler::RunQuantum(uint32_t index, Core& core) {
  Stream& stream = streams_[index];
  StreamRegisters& registers = bar_.streams[index];
  // Acquire pairs with the host's release: the entries below the tail are seen.
  const uint64_t tail = registers.tail.load(std::memory_order_acquire);
  // Others may become ready meanwhile, so the limit holds also when there are none now.
  const uint64_t quantum_start = ReadCycleCounter();
  // Reading the clock costs as much as a third of a short task, so tasks that prove short are looked at eight at a
  // time.
  uint32_t clock_mask = 0;
  const uint32_t limit = by_seed_ ? 1 : kQuantumTasks;
  uint64_t published = stream.head;
  uint64_t elapsed = 0;
  Outcome outcome = Outcome::kDone;
  quantum_tasks_ = 0;
  while (stream.head != tail && quantum_tasks_ < limit) {
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
    ++quantum_tasks_;
    if (registers.target.load(std::memory_order_relaxed) <= stream.head) {
      Publish(index);
      published = stream.head;
    }
    if ((quantum_tasks_ & clock_mask) == 0) {
      elapsed = ReadCycleCounter() - quantum_start;
      if (elapsed >= kQuantumMicroseconds * cycles_per_us_) break;
      clock_mask = elapsed < quantum_tasks_ * cycles_per_us_ ? 7 : 0;
    }
  }
  const uint32_t tasks = std::exchange(quantum_tasks_, 0);
  CountTasks(tasks);
  CountBusy(elapsed);
  if (stream.head != published) Publish(index);
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

void Scheduler::Takeover() {
  if (current_ == kNoStream) return;
  // What was done before the long task may have someone waiting.
  Publish(current_);
  current_ = kNoStream;
  CountTasks(std::exchange(quantum_tasks_, 0));
  CountLong(1);
  auto& counters = bar_.header->counters;
  counters.hand_overs.store(counters.hand_overs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace forebay::device
