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
#include <vector>

#include "address_space.h"
#include "core.h"
#include "core_team.h"
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

  // `team` is null when the caller of Step is the only thread.
  Scheduler(const types::BarView& bar, AddressSpace* memory, KernelImages* images, Interrupts* interrupts,
            CoreTeam* team);

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
  // Nanoseconds until the next event wait runs out, or until a held-back schedule goes on; -1: never.
  int64_t SleepLimitNanoseconds() const noexcept;

  // The new dispatcher goes on where the old one is stuck in a task.
  void Takeover();
  void PostFinished(const TaskResult& result) EXCLUDES(mutex_);
  void PostRequest(const StreamRequest& request) EXCLUDES(mutex_);
  // Requests taken so far, for whoever posted one. Bumped after a request has been carried out.
  std::atomic<uint32_t>& requests_done() noexcept { return requests_done_; }

 private:
  enum class Phase : uint8_t { kInactive, kDry, kReady, kWaiting, kRunning, kHostFunction, kWithoutCore };
  enum class Outcome { kDone, kParked, kRoleLost };

  struct Stream {
    uint64_t head = 0;
    Phase phase = Phase::kInactive;
    bool stopped = false;
    bool aborted = false;  // stopped because the host asked: that its running task fails is no news
    uint32_t level = 0;
    uint32_t cause_stream = kNoStream;  // where the failure that stopped it happened
    uint32_t cause_task = 0;
    // While it waits for an event.
    uint32_t event = 0;
    uint64_t event_value = 0;
    uint64_t wait_started = 0;
    uint64_t wait_limit = 0;  // time stamp; 0: none
    uint32_t next_waiter = kNoStream;
  };

  void CollectNews();
  void CollectDoorbells();
  void MakeReady(uint32_t stream);
  bool PollDry();
  void CheckWaitLimits();
  void RetryWithoutCore();
  uint32_t PickStream();
  void CountTasks(uint32_t tasks) noexcept;
  void CountBusy(uint64_t cycles) noexcept;
  void CountLong(int change) noexcept;
  StepResult RunQuantum(uint32_t index, Core& core);
  Outcome Execute(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteKernel(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteCopy(uint32_t index, const types::Command& command, Core& core);
  Outcome ExecuteRecord(uint32_t index, const types::Command& command);
  Outcome ExecuteWait(uint32_t index, const types::Command& command);
  Outcome ExecuteHostFunction(uint32_t index, const types::Command& command);
  // Brackets a task that may run long; `body` returns whether it succeeded.
  template <typename Body>
  Outcome RunLong(uint32_t index, Core& core, Body body);
  const void* GatherArguments(const types::Command& command, uint32_t index, std::vector<std::byte>& buffer);
  void FinishHead(uint32_t index, const TaskResult& result);
  void Fail(uint32_t index, const types::Command& command, const FaultDetail& detail);
  void StopStream(uint32_t index, uint32_t cause_stream, uint32_t cause_task);
  void CarryOut(const StreamRequest& request);
  void Publish(uint32_t index);
  void ReleaseWaiters(uint32_t event);
  void RemoveWaiter(uint32_t index);
  const types::Command& Head(uint32_t index) const noexcept {
    return bar_.Ring(index)[streams_[index].head & ring_mask_];
  }
  // Reports a failing task, unless its failure is wanted.
  void EndFailed(uint32_t index, const types::Command& command, const FaultDetail& detail);
  bool HoldsBack();
  void WakeDispatcher() noexcept;

  const types::BarView bar_;
  const uint64_t ring_mask_;
  AddressSpace* const memory_;
  KernelImages* const images_;
  Interrupts* const interrupts_;
  CoreTeam* const team_;
  const uint64_t cycles_per_us_;

  std::vector<Stream> streams_;
  std::vector<uint32_t> event_waiters_;  // first waiting stream of each event register
  ReadyLists ready_;
  StreamSet dry_;
  StreamSet limited_waits_;       // streams whose event wait has a time-out
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

  base::Mutex mutex_;
  std::vector<TaskResult> finished_ GUARDED_BY(mutex_);
  std::vector<StreamRequest> requests_ GUARDED_BY(mutex_);
  std::atomic<bool> posted_{false};
  std::atomic<uint32_t> requests_done_{0};
};

}  // namespace forebay::device
