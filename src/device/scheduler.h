// The hardware scheduler: takes tasks from the rings of the streams and runs them.
//
// One thread at a time is the dispatcher. It picks the highest-priority stream that can run, takes a bounded number of
// its tasks (a quantum), and moves on; streams of equal priority take turns, and a lower priority is served at the
// latest after kStarvationBound quanta of higher ones. A task that must wait parks its stream only.
//
// The dispatcher runs short kernels and copies itself. When one runs long, the role moves to another core thread
// (`Takeover`), and the first thread hands its result in later (`PostFinished`).
//
// Threads: everything is the dispatcher's but PostFinished and PostRequest.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "address_space.h"
#include "core.h"
#include "core_team.h"
#include "fault_injector.h"
#include "forebay/base/architecture.h"
#include "forebay/base/mutex.h"
#include "interrupts.h"
#include "kernel_images.h"
#include "random.h"
#include "stream_lists.h"

namespace forebay::device {

// How a task that the dispatcher does not run itself ended.
struct TaskResult {
  uint32_t stream = kNoStream;
  bool failed = false;
  FaultDetail detail;
};

// What the control thread asks of the dispatcher.
struct StreamRequest {
  types::Request kind = types::Request::kNone;
  uint32_t stream = kNoStream;
};

class Scheduler {
 public:
  // A priority with ready streams waits for at most this many quanta of higher ones, and one more for each other
  // priority that has waited as long.
  static constexpr uint32_t kStarvationBound = 64;
  // A quantum ends after this many tasks, or after the task during which it has lasted kQuantumMicroseconds.
  static constexpr uint32_t kQuantumTasks = 32;
  static constexpr uint32_t kQuantumMicroseconds = 100;

  // `team` is null when the caller of Step is the only thread. `end_process` ends the device at once, where it has a
  // process of its own.
  Scheduler(const types::BarView& bar, AddressSpace* memory, KernelImages* images, Interrupts* interrupts,
            CoreTeam* team, std::function<void()> end_process);

  // Executes up to one quantum. kRan: something ran. kIdle: nothing can run now. kRoleLost: a task ran so long that
  // another thread is the dispatcher by now; its result was handed in, and the caller must not touch the scheduler.
  enum class StepResult { kRan, kIdle, kRoleLost };
  StepResult Step(Core& core);
  // Whether the last quantum found work behind work, so that looking again at once would only take the line from the
  // host.
  bool ShouldPauseBeforePolling() const noexcept { return busy_visits_ >= 4 && ready_.empty(); }

  // Before sleeping: stops polling the streams that ran dry. False when one of them got work meanwhile.
  bool RetireDry();
  // Work that arrived since the last look: doorbells, results, requests.
  bool HasNews() const noexcept;
  // How long the dispatcher may sleep when nobody wakes it: waits may run out or words of memory change. -1: for ever.
  int64_t SleepLimitNanoseconds() const noexcept;

  // The new dispatcher goes on where the old one is stuck in a task.
  void Takeover();
  void PostFinished(const TaskResult& result) EXCLUDES(mutex_);
  void PostRequest(const StreamRequest& request) EXCLUDES(mutex_);
  // Requests taken so far, for whoever posted one. Bumped after a request has been carried out.
  std::atomic<uint32_t>& requests_done() noexcept { return requests_done_; }

  FaultInjector& faults() noexcept { return faults_; }
  // Grows with every step: what the control thread sees of the dispatcher's life.
  uint64_t steps() const noexcept { return steps_.load(std::memory_order_relaxed); }
  // The device as a whole has failed: kernels that still run are to be stopped.
  bool halted() const noexcept { return halted_.load(std::memory_order_acquire); }
  // From the control thread: the dispatcher makes no step.
  void HaltHung();

 private:
  enum class Phase : uint8_t { kInactive, kDry, kReady, kWaiting, kRunning, kHostFunction, kWithoutCore, kHeld };
  enum class Outcome { kDone, kParked, kRoleLost };

  // What a stream waits for that waits for no register.
  static constexpr uint32_t kMemoryWord = ~0u;

  struct Stream {
    uint64_t head = 0;
    Phase phase = Phase::kInactive;
    bool stopped = false;
    bool aborted = false;  // stopped because the host asked: that its running task fails is no news
    bool held = false;     // keeps its tasks, and runs none
    bool missed_doorbell = false;
    bool stopped_with_device = false;  // and not before
    uint32_t level = 0;
    uint32_t cause_stream = kNoStream;  // where the failure that stopped it happened
    uint32_t cause_task = 0;
    // While it waits for a register, or for a word of memory.
    uint32_t wait_register = kMemoryWord;
    uint64_t wait_limit = 0;  // time stamp; 0: none
    uint32_t next_waiter = kNoStream;
  };

  // The streams that wait for a register, the longest waiting first.
  struct Waiters {
    uint32_t first = kNoStream;
    uint32_t last = kNoStream;
  };

  void CollectNews();
  void CollectDoorbells();
  void MakeReady(uint32_t stream);
  bool PollDry();
  void CheckWaitLimits();
  void CheckMemoryWaits(Core& core);
  void RetryWithoutCore();
  uint32_t PickStream();
  void CountTasks(uint32_t tasks) noexcept;
  void CountBusy(uint64_t cycles) noexcept;
  void CountLong(int change) noexcept;
  StepResult RunQuantum(uint32_t index, Core& core);
  Outcome Execute(uint32_t index, const types::Command& command, Core& core);
  // Puts a stream aside whose kernel would take the last core.
  bool LacksCore(uint32_t index);
  Outcome ExecuteKernel(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteCopy(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteFill(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteIndirectCopy(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteReduce(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteRandom(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteRecord(uint32_t index, const types::Command& command);
  Outcome ExecuteReset(const types::Command& command);
  Outcome ExecuteCounterRecord(uint32_t index, const types::Command& command);
  Outcome ExecuteWait(uint32_t index, const types::Command& command);
  Outcome ExecuteMemoryWrite(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteMemoryWait(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteHostFunction(uint32_t index, const types::Command& command);
  // Brackets a task that may run long; `body` returns whether it succeeded.
  template <typename Body>
  Outcome RunLong(uint32_t index, Core& core, Body body);
  // A range that a task touches, and how its failure names it.
  struct Operand {
    const char* role;
    types::MemorySpace space;
    uint64_t address;
    uint64_t bytes;
    std::byte* place = nullptr;
  };
  // Finds the operands and does `work` on them; an address out of reach fails the task, with the operand's name.
  template <std::size_t kCount, typename Work>
  Outcome RunOnMemory(uint32_t index, const types::Command& command, Core& core, Operand (&operands)[kCount],
                      const Work& work);
  // Reads what a task needs to know from device memory. False when it is out of reach: the task has failed.
  bool Fetch(uint32_t index, const types::Command& command, Core& core, Operand operand, void* value);
  void FailOn(uint32_t index, const types::Command& command, const Operand& operand);
  const void* GatherArguments(const types::Command& command, uint32_t index, std::vector<std::byte>& buffer);
  void FinishHead(uint32_t index, const TaskResult& result);
  void Fail(uint32_t index, const types::Command& command, const FaultDetail& detail);
  void StopStream(uint32_t index, uint32_t cause_stream, uint32_t cause_task);
  void CarryOut(const StreamRequest& request);
  void Release(uint32_t index);
  void Publish(uint32_t index);
  // Whether a wait is over by what its register holds now; then it has taken it, if it clears, and `failure` has a
  // cause when it ends as failed.
  bool EndsWait(const types::Command& command, FaultDetail* failure);
  bool EndsMemoryWait(const types::MemoryCommand& wait, Core& core, FaultDetail* failure);
  // Where a word of memory is; null, with the failure, when there cannot be one.
  std::byte* ResolveWord(uint64_t address, FaultDetail* failure) const noexcept;
  void Park(uint32_t index, uint32_t wait_register, uint32_t timeout_ms);
  void ReleaseWaiters(uint32_t wait_register);
  void RemoveWaiter(uint32_t index);
  const types::Command& Head(uint32_t index) const noexcept {
    return bar_.Ring(index)[streams_[index].head & ring_mask_];
  }
  // Reports a failing task, unless its failure is wanted.
  void EndFailed(uint32_t index, const types::Command& command, const FaultDetail& detail);
  bool HoldsBack();
  void WakeDispatcher() noexcept;
  std::optional<Outcome> InjectAtTask(uint32_t index, const types::Command& command);
  void ForgetInjected() noexcept;
  void DrawOut(uint64_t since, uint64_t factor) const noexcept;
  void HappenToDevice(const types::FaultOrder& fault);
  void RaiseDeviceFailure(types::FaultCause cause, uint64_t address, const char* text);
  void FailDevice(types::FaultCause cause, uint64_t address, const char* text);
  void DropAll();
  void Resume();

  const types::BarView bar_;
  const uint64_t ring_mask_;
  AddressSpace* const memory_;
  KernelImages* const images_;
  Interrupts* const interrupts_;
  CoreTeam* const team_;
  const uint64_t cycles_per_us_;

  std::vector<Stream> streams_;
  std::vector<Waiters> waiters_;  // by register
  ReadyLists ready_;
  StreamSet dry_;
  StreamSet limited_waits_;       // streams whose wait has a time-out
  StreamSet memory_waits_;        // streams that wait for a word of memory
  uint32_t current_ = kNoStream;  // the stream whose task runs now
  uint32_t quantum_tasks_ = 0;    // tasks of this quantum that are done
  uint32_t busy_visits_ = 0;
  uint32_t long_tasks_ = 0;  // tasks that the dispatcher's role has left behind
  std::array<uint32_t, types::kPriorityLevels>
      passed_over_{};                   // quanta that higher priorities had since this one's last
  std::vector<uint32_t> without_core_;  // streams whose kernel waits because all cores are inside long ones

  // The scheduler that picks by seed.
  const bool by_seed_;
  Random random_;
  bool holding_ = false;
  bool was_idle_ = true;
  uint64_t hold_until_ = 0;

  FaultInjector faults_;
  const std::function<void()> end_process_;
  std::atomic<uint64_t> steps_{0};
  std::atomic<bool> halted_{false};
  // What an armed fault does to the task that runs next.
  uint64_t slow_factor_ = 1;
  types::FaultAction kernel_fault_ = types::FaultAction::kNone;
  bool kernel_fault_on_vector_core_ = false;

  base::Mutex mutex_;
  std::vector<TaskResult> finished_ GUARDED_BY(mutex_);
  std::vector<StreamRequest> requests_ GUARDED_BY(mutex_);
  std::atomic<bool> posted_{false};
  std::atomic<uint32_t> requests_done_{0};
};

template <typename Body>
Scheduler::Outcome Scheduler::RunLong(uint32_t index, Core& core, Body body) {
  const types::Command& command = Head(index);
  TaskResult result;
  result.stream = index;
  streams_[index].phase = Phase::kRunning;
  current_ = index;
  const uint64_t slow_factor = slow_factor_;
  uint64_t since = 0;
  if (slow_factor != 1) [[unlikely]] {
    slow_factor_ = 1;
    since = base::ReadCycleCounter();
  }
  if (team_ == nullptr) {
    result.failed = !body(&result.detail);
    if (since != 0) DrawOut(since, slow_factor);
  } else {
    team_->BeginTask(core);
    result.failed = !body(&result.detail);
    if (since != 0) DrawOut(since, slow_factor);
    if (!team_->EndTask(core)) {
      PostFinished(result);
      return Outcome::kRoleLost;
    }
  }
  current_ = kNoStream;
  streams_[index].phase = Phase::kReady;
  if (result.failed) EndFailed(index, command, result.detail);
  return Outcome::kDone;
}

}  // namespace forebay::device
