// A stream: its task queue, its failure, and what its unfinished tasks hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/handle_table.h"
#include "forebay/base/mutex.h"
#include "forebay/base/spin_lock.h"
#include "forebay/runtime/core_limits.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/status.h"
#include "forebay/types.h"
#include "forebay/types/queue_grant.h"

namespace forebay::sip {
class Device;
enum class Severity;
}  // namespace forebay::sip

namespace forebay::runtime {

class Context;
class DeviceState;

struct StreamOptions {
  int32_t priority = 0;
  uint32_t flags = 0;
  FailurePolicy policy = FailurePolicy::kContinue;
  bool is_default = false;           // comes with its context and goes with it
  const void* created_at = nullptr;  // an address in the code of the program that makes it
};

// Where a task was put: what to wait for, and its number.
struct Submission {
  uint64_t end_entry = 0;  // `done` reaches this when the task has run
  uint32_t task = 0;
};

// A task in a ring, by its first entry.
struct QueuedTask {
  types::Command command;
  uint64_t entry = 0;
  uint32_t submitter = 0;  // see diagnosis/submit_sites.h
};

// What a stream's ring held at one moment.
struct QueueSnapshot {
  uint32_t depth = 0;
  uint64_t published = 0;
  uint64_t completed = 0;
  std::vector<QueuedTask> tasks;  // those that are unfinished
};

// A host function for those who look at it: its code, or the type of what is called, or what it does.
struct FunctionName {
  const void* code = nullptr;
  const std::type_info* type = nullptr;
  const char* purpose = nullptr;
};

// kHandedOn: to a thread of the program, which is to call aclrtProcessReport.
enum class FunctionStage { kQueued, kHandedOn, kRunning };
struct FunctionState {
  FunctionName name;
  FunctionStage stage = FunctionStage::kQueued;
  int64_t since_ns = 0;  // of base::NowNanoseconds; when it came to this stage
};

// A task as it was submitted.
struct TaskRecord {
  types::Command command;
  std::vector<std::byte> arguments;  // of a kernel: as they lie in the ring
  uint32_t submitter = 0;            // see diagnosis/submit_sites.h
};

// Thread safety: all functions may be called from any thread; tasks submitted at the same time are put in some order.
class Stream {
 public:
  static Result<uint64_t> Create(Context& context, const StreamOptions& options);
  // Waits for the tasks unless `force`, which drops them. The default stream goes only with its context (`internal`).
  static Status Destroy(uint64_t handle, bool force, bool internal = false);

  uint64_t handle() const noexcept { return handle_.load(std::memory_order_acquire); }
  Context& context() const noexcept { return *context_.load(std::memory_order_acquire); }
  DeviceState& device() const noexcept { return *device_.load(std::memory_order_acquire); }
  uint32_t slot() const noexcept { return slot_.load(std::memory_order_acquire); }
  int32_t priority() const noexcept { return priority_.load(std::memory_order_acquire); }
  uint32_t flags() const noexcept { return flags_.load(std::memory_order_acquire); }
  bool is_default() const noexcept { return is_default_.load(std::memory_order_acquire); }
  FailurePolicy policy() const noexcept { return policy_.load(std::memory_order_acquire); }
  // Null for a default stream, and when it is not known.
  const void* created_at() const noexcept { return created_at_.load(std::memory_order_acquire); }
  CoreLimits& core_limits() noexcept { return core_limits_; }
  const CoreLimits& core_limits() const noexcept { return core_limits_; }
  types::QueueGrant queue() const EXCLUDES(lock_);
  // The end of what is queued now, when it has not all run; empty too when the handle is stale.
  std::optional<uint64_t> UnfinishedTail(uint64_t handle) const EXCLUDES(lock_);
  // The end of what is queued now; empty when the handle is stale.
  std::optional<uint64_t> TailOf(uint64_t handle) const EXCLUDES(lock_);
  std::shared_ptr<sip::Device> sip() const EXCLUDES(lock_);

  // Whether a stopped stream takes a task. The device drops it then, except for records, which complete with the
  // failure.
  enum class WhenStopped { kRefuse, kAccept };
  // Puts one task of `entries` ring entries into the queue. `fill(Command&, at)` writes them under the stream's lock;
  // `at` is the index of the first. Waits while the ring is full. `handle` is checked again under the lock.
  template <typename Fill>
  Status Submit(uint64_t handle, uint32_t entries, Fill fill, Submission* submission = nullptr,
                WhenStopped when_stopped = WhenStopped::kRefuse) EXCLUDES(lock_);
  // Why the stream takes no tasks now; ok when it does.
  Status CheckAccepts() const;

  // Waits until `entry` is done (default: everything submitted), and returns what Report returns.
  Status Synchronize(uint64_t handle, int64_t timeout_ms);
  Status WaitEntry(uint64_t entry, int64_t timeout_ms, Code timeout_code);
  // The first failure; under kContinue it is forgotten by this.
  Status ReportFailure();
  Status QueryFailure() const;
  StreamState state() const;
  bool IsIdle() const noexcept;
  Status Recover(uint64_t handle);
  // Ends the running task, drops the queued ones, and waits until that has happened.
  Status Abort(uint64_t handle);
  // Its two halves, so that streams that wait for each other can be aborted together. kTimeout when the deadline passes
  // first: the stream takes no tasks then until an abort succeeds.
  Status BeginAbort(uint64_t handle);
  Status EndAbort(uint64_t handle, const base::Deadline& deadline);
  // How often it was aborted.
  uint32_t aborts() const noexcept { return aborts_.load(std::memory_order_acquire); }
  // kParamInvalid when set before.
  Status SetFailurePolicy(FailurePolicy policy);
  // Ends the running task and keeps the queued ones from running. Only an abort or a destruction leads on from there.
  Status Hold(uint64_t handle);
  // kStreamAbort after that: who would wait for its tasks would wait for ever.
  Status CheckNotHeld() const;
  // For the next task that is picked.
  void SetPriority(int32_t priority) EXCLUDES(lock_);
  // Whether kernels submitted from now on note in the status of the stream's tag that a result was infinite or no
  // number. Streams with the same tag share a status; 0 is the tag of all that have none.
  Status SetOverflowCheck(bool on) EXCLUDES(settings_mutex_);
  Status SetOverflowTag(uint32_t tag) EXCLUDES(settings_mutex_);
  bool checks_overflow() const noexcept { return checks_overflow_.load(std::memory_order_relaxed); }
  uint32_t overflow_tag() const noexcept { return overflow_tag_.load(std::memory_order_acquire); }
  std::atomic<bool>& keeps_operator_info() noexcept { return keeps_operator_info_; }

  // From the exception module.
  void RecordFailure(const Status& failure, sip::Severity severity) EXCLUDES(state_mutex_);
  // A failure elsewhere in the context, or of the device, ends this stream too.
  void StopWithContext(const Status& failure) EXCLUDES(state_mutex_);
  void StopWithDevice() noexcept { CloseGate(kDeviceFailed); }
  void GoOnWithDevice() noexcept { gate_.fetch_and(~uint32_t{kDeviceFailed}, std::memory_order_acq_rel); }
  void CloseForAbortOfDevice() noexcept { CloseGate(kDeviceAborting); }
  void OpenAfterAbortOfDevice() noexcept { gate_.fetch_and(~uint32_t{kDeviceAborting}, std::memory_order_acq_rel); }

  // Called when everything before it has run. Later tasks wait until it has called its argument, from any thread.
  // `runs_when_stopped`: under kContinue it runs even when the stream was aborted.
  using HostFunction = std::function<void(std::function<void()> finish)>;
  // One that is over when the function returns. What it holds is let go of before: who waits for the stream finds that
  // it has been.
  static HostFunction Calling(std::function<void()> function) {
    return [function = std::move(function)](const std::function<void()>& finish) mutable {
      std::exchange(function, nullptr)();
      finish();
    };
  }
  Status LaunchHostFunction(uint64_t handle, HostFunction function, const FunctionName& name,
                            bool runs_when_stopped = true);
  // The device has reached the host function at `entry`; takes it out of the queue. Empty when it was dropped.
  HostFunction TakeHostFunction(uint64_t handle, uint64_t entry) EXCLUDES(state_mutex_);
  void FinishHostFunction(uint64_t handle, uint64_t entry) EXCLUDES(lock_);
  // The function that was taken last has come to another stage.
  void NoteFunctionStage(uint64_t handle, FunctionStage stage) EXCLUDES(state_mutex_);
  // The host function at an entry, until it has finished.
  std::optional<FunctionState> FunctionAt(uint64_t entry) const EXCLUDES(state_mutex_);

  // Keeps `lease` until `entry` is done.
  void Hold(uint64_t handle, uint64_t entry, std::shared_ptr<void> lease) EXCLUDES(state_mutex_);
  // Lets go of what tasks that have run, or were dropped, still hold.
  void Reclaim() EXCLUDES(state_mutex_);
  // The value that the stream's own event register reaches with an operator. Called while its record is filled in, so
  // that values have the order of the queue.
  uint64_t NextOperatorValue() noexcept { return operator_value_.fetch_add(1, std::memory_order_relaxed) + 1; }
  QueueSnapshot Snapshot() const EXCLUDES(lock_);
  // The first unfinished task that `accepts` takes, in the order of the queue.
  std::optional<QueuedTask> FindUnfinished(bool (*accepts)(const types::Command& command, const types::Command& wanted),
                                           const types::Command& wanted = {}) const EXCLUDES(lock_);
  // The task at an entry of the ring; empty when later tasks have taken its place.
  std::optional<TaskRecord> TaskAt(uint64_t entry) const EXCLUDES(lock_);

 private:
  // Why a submit cannot go on as usual.
  enum Gate : uint32_t { kOpen = 0, kStopped = 1, kDeviceFailed = 2, kAborting = 4, kHeld = 8, kDeviceAborting = 16 };

  Status Refuse(uint32_t gate) const;
  bool HasRoom(uint32_t entries) noexcept REQUIRES(lock_);
  bool StillHolds(uint64_t entry) const noexcept REQUIRES(lock_);
  Status WaitForRoom(uint32_t entries, uint64_t tail, uint64_t depth, const std::shared_ptr<sip::Device>& device);
  Status LossOf(const sip::Device& device) const;
  void CloseGate(Gate reason) noexcept { gate_.fetch_or(reason, std::memory_order_acq_rel); }
  void ApplyPolicy(FailurePolicy policy) noexcept;
  Status ApplyOverflowCheck() REQUIRES(settings_mutex_);
  Status HeldFailure() const;
  Status WithThatOfDevice(Status failure) const;
  // It stopped, and does not go on without its context.
  bool StopsWithContext() const;
  void KeepFailure(const Status& failure, sip::Severity severity) EXCLUDES(state_mutex_);

  std::atomic<uint64_t> handle_{0};
  // Atomic because a caller with a stale handle may still look while the slot is given to another stream.
  std::atomic<Context*> context_{nullptr};
  std::atomic<DeviceState*> device_{nullptr};
  std::atomic<uint32_t> slot_{0};
  std::atomic<int32_t> priority_{0};
  std::atomic<uint32_t> flags_{0};
  std::atomic<bool> is_default_{false};
  std::atomic<const void*> created_at_{nullptr};
  CoreLimits core_limits_;
  std::atomic<FailurePolicy> policy_{FailurePolicy::kContinue};
  std::atomic<uint32_t> gate_{kOpen};
  base::Mutex settings_mutex_;
  std::atomic<bool> checks_overflow_{false};
  std::atomic<uint32_t> overflow_tag_{0};
  std::atomic<bool> keeps_operator_info_{false};

  mutable base::SpinLock lock_;
  types::QueueGrant queue_ GUARDED_BY(lock_);
  uint64_t tail_ GUARDED_BY(lock_) = 0;
  uint64_t done_seen_ GUARDED_BY(lock_) = 0;
  uint32_t next_task_ GUARDED_BY(lock_) = 0;
  std::shared_ptr<sip::Device> sip_ GUARDED_BY(lock_);
  std::vector<uint32_t> submitters_ GUARDED_BY(lock_);  // who submitted each entry of the ring
  std::atomic<uint64_t> operator_value_{0};
  std::atomic<uint32_t> aborts_{0};  // how often the stream was aborted

  static constexpr uint64_t kUnknownEntry = ~uint64_t{0};
  struct QueuedFunction {
    uint64_t entry;  // kUnknownEntry until its task has been submitted
    HostFunction function;
    FunctionName name;
  };
  struct TakenFunction {
    uint64_t entry;
    FunctionState state;
  };
  struct HeldLease {
    uint64_t entry;
    std::shared_ptr<void> lease;
  };
  // Held during an abort: the first of two must not open the stream while the second is under way.
  base::Mutex abort_order_;
  // Held while a host function is submitted, so that the list below has the order of the queue. Whoever waits for it
  // would wait for room in the queue as well.
  base::Mutex host_function_order_;
  mutable base::Mutex state_mutex_;
  // The stream whose state this is: from its making until all its tasks are gone; else 0.
  uint64_t owner_ GUARDED_BY(state_mutex_) = 0;
  // How far the device is. Valid while there is something to reclaim.
  const std::atomic<uint64_t>* done_ GUARDED_BY(state_mutex_) = nullptr;
  Status first_failure_ GUARDED_BY(state_mutex_);
  sip::Severity first_severity_ GUARDED_BY(state_mutex_) = {};
  bool policy_chosen_ GUARDED_BY(state_mutex_) = false;
  std::deque<QueuedFunction> host_functions_ GUARDED_BY(state_mutex_);
  std::optional<TakenFunction> taken_function_ GUARDED_BY(state_mutex_);  // until it has finished
  std::deque<HeldLease> held_ GUARDED_BY(state_mutex_);
};

// The global stream table: every stream of the process by handle. A reset of a device finds all of its streams here.
using StreamTable = base::HandleTable<Stream, base::HandleKind::kStream>;
StreamTable& Streams();

// The stream that a handle names for the calling thread: null is the default stream of its context. Errors:
// kContextNull; kInvalidHandle; kStreamContext for a stream of another context.
struct StreamReference {
  Stream* stream = nullptr;
  uint64_t handle = 0;
  Stream* operator->() const noexcept { return stream; }
};
Result<StreamReference> ResolveStream(uint64_t handle);
// Where the program makes most of the streams that a device has: "5 at model.so+0x1234 (Load), ...".
std::string TopCreationSites(const DeviceState& device);
// kInvalidHandle, in words.
Status StaleStreamFailure();

template <typename Fill>
Status Stream::Submit(uint64_t handle, uint32_t entries, Fill fill, Submission* submission, WhenStopped when_stopped) {
  const uint32_t submitter = Submitter();
  for (;;) {
    uint64_t tail = 0;
    uint64_t depth = 0;
    uint32_t gate = kOpen;
    std::shared_ptr<sip::Device> device;
    {
      base::SpinLockHolder hold(lock_);
      if (handle_.load(std::memory_order_relaxed) != handle) [[unlikely]] {
        return Status(Code::kInvalidHandle, "the stream was destroyed", "Do not use a stream after destroying it");
      }
      gate = gate_.load(std::memory_order_acquire);
      if (gate == kStopped && when_stopped == WhenStopped::kAccept) gate = kOpen;
      if (gate == kOpen && HasRoom(entries)) [[likely]] {
        const uint32_t task = next_task_++;
        types::Command& first = queue_.Entry(tail_);
        first.entry_count = static_cast<uint16_t>(entries);
        first.task = task;
        fill(first, tail_);
        submitters_[tail_ & queue_.mask] = submitter;
        tail_ += entries;
        queue_.Publish(tail_);
        // 16 bits, as the documentation has it.
        if (!is_default_.load(std::memory_order_relaxed)) CurrentThread().last_task = task & 0xFFFF;
        if (submission != nullptr) *submission = {tail_, task};
        return {};
      }
      tail = tail_;
      depth = queue_.mask + 1;
      device = sip_;
    }
    if (gate != kOpen) return Refuse(gate);
    Status waited = WaitForRoom(entries, tail, depth, device);
    if (!waited.ok()) return waited;
  }
}

}  // namespace forebay::runtime
