#include "forebay/runtime/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "callback/host_function_threads.h"
#include "diagnosis/wait_chain.h"
#include "diagnosis/waiting_submits.h"
#include "exception/propagation.h"
#include "forebay/base/log.h"
#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/report_threads.h"
#include "forebay/runtime/state_callbacks.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"
#include "memory/pool/stream_order.h"

namespace forebay::runtime {
namespace {

constexpr uint32_t kStopsNothing = 0;
constexpr uint32_t kStopsStream = 1;
constexpr uint32_t kStopsGroup = 2;

}  // namespace

Status StaleStreamFailure() {
  return Status(Code::kInvalidHandle, "the stream handle is stale, of another kind, or never was one",
                "Use the handle that the creating call gave, until the stream is destroyed");
}

StreamTable& Streams() {
  // Never destroyed: static objects of the application may still destroy streams after main.
  static base::NeverDestroyed<StreamTable> table(64 * types::kMaxStreams);
  return *table;
}

Result<StreamReference> ResolveStream(uint64_t handle) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "uses a stream"));
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  if (handle == 0) handle = context->default_stream();
  Stream* stream = Streams().Find(handle);
  if (stream == nullptr) [[unlikely]]
    return StaleStreamFailure();
  if (&stream->context() != context) [[unlikely]] {
    return Status(Code::kStreamContext,
                  fmt::format("stream {} of device {} belongs to another context than the calling thread's",
                              stream->slot(), stream->device().id()),
                  "Switch to the stream's device or context first");
  }
  return StreamReference{stream, handle};
}

// ---- Life ----

Result<uint64_t> Stream::Create(Context& context, const StreamOptions& options) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "makes a stream"));
  const std::shared_ptr<sip::Device> device = context.device().sip();
  if (!device) return Status(Code::kContextNull, "the device is off", "Set the device first");
  if (context.device().is_failed()) return context.device().device_failure();
  if (context.device().is_aborting()) return context.device().AbortingFailure();
  std::vector<uint32_t> submitters(device->queue_depth());
  const auto granted = device->GrantQueue();
  if (!granted.ok()) {
    Error error = *granted.status().error();
    error.message += "; most were made " + TopCreationSites(context.device());
    return Status(std::move(error));
  }
  const types::QueueGrant& queue = *granted;
  const StreamTable::Entry entry = Streams().Allocate();
  if (entry.object == nullptr) {
    device->ReturnQueue(queue.slot);
    return Status(Code::kResourceAllocFail, "the process has no room for another stream");
  }
  Stream& stream = *entry.object;
  {
    base::SpinLockHolder hold(stream.lock_);
    stream.submitters_.swap(submitters);
    stream.context_ = &context;
    stream.device_ = &context.device();
    stream.slot_.store(queue.slot, std::memory_order_release);
    stream.priority_.store(options.priority, std::memory_order_release);
    stream.flags_.store(options.flags, std::memory_order_release);
    stream.is_default_.store(options.is_default, std::memory_order_release);
    stream.created_at_.store(options.created_at, std::memory_order_release);
    stream.core_limits_.Clear();
    stream.queue_ = queue;
    stream.sip_ = device;
    stream.gate_.store(kOpen, std::memory_order_relaxed);
    stream.checks_overflow_.store(false, std::memory_order_relaxed);
    stream.overflow_tag_.store(0, std::memory_order_relaxed);
    stream.keeps_operator_info_.store(false, std::memory_order_relaxed);
    // The ring's counters go on where the slot's last stream left them.
    stream.tail_ = queue.registers->tail.load(std::memory_order_acquire);
    stream.done_seen_ = stream.tail_;
    stream.next_task_ = 0;
    stream.operator_value_.store(device->event_register(queue.event).value.load(std::memory_order_acquire),
                                 std::memory_order_relaxed);
    stream.handle_.store(entry.handle, std::memory_order_release);
  }
  {
    base::MutexLock lock(stream.state_mutex_);
    stream.first_failure_ = Status();
    stream.policy_chosen_ = false;
    stream.owner_ = entry.handle;
    stream.done_ = &queue.registers->done;
  }
  if (const Status failure = context.failure(); !failure.ok()) stream.StopWithContext(failure);
  queue.registers->priority.store(static_cast<uint32_t>(options.priority), std::memory_order_relaxed);
  stream.ApplyPolicy(context.stops_on_failure() ? FailurePolicy::kStopContext : options.policy);
  context.device().RegisterStream(queue.slot, entry.handle);
  Streams().Publish(entry.handle);
  if (!context.AddStream(entry.handle)) {
    Destroy(entry.handle, /*force=*/true, /*internal=*/true).IgnoreError();
    return Status(Code::kContextNull, "the context was destroyed while a stream was made for it",
                  "Set the device again");
  }
  // The default stream is told of when its context can be used.
  if (!options.is_default) NotifyStreamChange(context.handle(), entry.handle, StreamChange::kCreated);
  return entry.handle;
}

void Stream::ApplyPolicy(FailurePolicy policy) noexcept {
  policy_.store(policy, std::memory_order_release);
  base::SpinLockHolder hold(lock_);
  if (!sip_) return;
  // The context's handle without its kind and generation is its number.
  queue_.registers->group.store(static_cast<uint32_t>(context().handle()), std::memory_order_relaxed);
  const Reach stops = RuleFor(sip::Severity::kOperator, policy).stops;
  queue_.registers->stop_on_failure.store(stops == Reach::kNobody   ? kStopsNothing
                                          : stops == Reach::kStream ? kStopsStream
                                                                    : kStopsGroup,
                                          std::memory_order_release);
}

Status Stream::Destroy(uint64_t handle, bool force, bool internal) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "destroys a stream"));
  Stream* stream = Streams().Find(handle);
  if (stream == nullptr) return StaleStreamFailure();
  if (!internal && stream->context().default_stream() == handle) {
    return Status(Code::kParamInvalid, "the default stream cannot be destroyed", "It goes with its context or device");
  }
  if (CurrentThread().callback_stream == stream) {
    return Status(
        Code::kParamInvalid,
        fmt::format("a host function of stream {} destroys its own stream, which would never end", stream->slot()),
        "Do not call the runtime from a host function");
  }
  // Whoever destroys a context tells of all its streams.
  if (!internal) NotifyStreamChange(stream->context().handle(), handle, StreamChange::kDestroying);
  std::shared_ptr<sip::Device> device;
  uint32_t slot = 0;
  uint64_t tail = 0;
  {
    base::SpinLockHolder hold(stream->lock_);
    if (stream->handle_.load(std::memory_order_relaxed) != handle) return StaleStreamFailure();
    device = stream->sip_;
    slot = stream->slot();
    tail = stream->tail_;
  }
  // Its tasks run first; what they report is lost with the stream. Those of a held stream never would.
  force |= (stream->gate_.load(std::memory_order_acquire) & kHeld) != 0;
  if (!force) device->WaitDone(slot, tail, base::Deadline());
  bool dropped = false;
  {
    base::SpinLockHolder hold(stream->lock_);
    uint64_t expected = handle;
    if (!stream->handle_.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) return StaleStreamFailure();
    tail = stream->tail_;
    dropped = force && stream->queue_.registers->done.load(std::memory_order_acquire) < tail;
  }
  base::MutexLock order(stream->abort_order_);
  if (dropped) {
    // Who waits for what is dropped has to hear of it.
    stream->aborts_.fetch_add(1, std::memory_order_acq_rel);
    stream->device().stream_order().ForgetWaits();
    device->AbortStream(slot).IgnoreError();
    Reports().Drop(handle);
  }
  // A submit that was under way before the handle went stale may have come in last. The handle stays in the table until
  // then, so that a host function still finds its stream.
  device->WaitDone(slot, tail, base::Deadline());
  device->DrainInterrupts();
  Streams().Retire(handle);
  Reports().Forget(handle);
  // The slot goes to the next stream without a policy and without a stop. The failure of another stream of the context
  // may reach it up to this moment, so a stream of such a context is recovered in any case.
  types::StreamRegisters& registers = *stream->queue().registers;
  registers.stop_on_failure.store(kStopsNothing, std::memory_order_release);
  const bool stopped = stream->policy() == FailurePolicy::kStopContext ||
                       (stream->policy() == FailurePolicy::kStopStream && !stream->QueryFailure().ok());
  if (dropped || stopped) device->RecoverStream(slot).IgnoreError();
  stream->device().stream_order().NoteSynchronised({slot, tail});
  stream->context().RemoveStream(handle);
  stream->device().UnregisterStream(slot);
  {
    // Destroyed after the lock is: what they hold may call the runtime.
    std::deque<HeldLease> held;
    std::deque<QueuedFunction> functions;
    base::MutexLock lock(stream->state_mutex_);
    stream->owner_ = 0;
    held.swap(stream->held_);
    functions.swap(stream->host_functions_);
  }
  device->ReturnQueue(slot);
  {
    base::SpinLockHolder hold(stream->lock_);
    stream->sip_.reset();
  }
  Streams().Release(handle);
  return {};
}

std::shared_ptr<sip::Device> Stream::sip() const {
  base::SpinLockHolder hold(lock_);
  return sip_;
}

// ---- Submitting ----

bool Stream::StillHolds(uint64_t entry) const noexcept {
  return sip_ != nullptr && entry < tail_ && tail_ - entry <= queue_.mask + 1;
}

std::optional<TaskRecord> Stream::TaskAt(uint64_t entry) const {
  TaskRecord task;
  {
    base::SpinLockHolder hold(lock_);
    if (!StillHolds(entry)) return std::nullopt;
    task.command = queue_.Entry(entry);
    task.submitter = submitters_[entry & queue_.mask];
  }
  if (task.command.opcode != types::Opcode::kKernel) return task;
  task.arguments.resize(sizeof task.command.kernel.arguments +
                        (task.command.entry_count - std::size_t{1}) * types::kEntryBytes);
  std::memcpy(task.arguments.data(), task.command.kernel.arguments, sizeof task.command.kernel.arguments);
  base::SpinLockHolder hold(lock_);
  if (!StillHolds(entry)) return std::nullopt;
  for (uint32_t i = 1; i < task.command.entry_count; ++i) {
    std::memcpy(task.arguments.data() + sizeof task.command.kernel.arguments + (i - 1) * types::kEntryBytes,
                &queue_.Entry(entry + i), types::kEntryBytes);
  }
  return task;
}

bool Stream::HasRoom(uint32_t entries) noexcept {
  const uint64_t depth = queue_.mask + 1;
  if (tail_ - done_seen_ + entries <= depth) return true;
  const uint64_t done = queue_.registers->done.load(std::memory_order_acquire);
  // The device may have written anything; a count from the future is not believed.
  if (done <= tail_) done_seen_ = done;
  return tail_ - done_seen_ + entries <= depth;
}

std::optional<uint64_t> Stream::TailOf(uint64_t handle) const {
  base::SpinLockHolder hold(lock_);
  return handle_.load(std::memory_order_relaxed) == handle ? std::optional(tail_) : std::nullopt;
}

types::QueueGrant Stream::queue() const {
  base::SpinLockHolder hold(lock_);
  return queue_;
}

std::optional<uint64_t> Stream::UnfinishedTail(uint64_t handle) const {
  base::SpinLockHolder hold(lock_);
  if (handle_.load(std::memory_order_relaxed) != handle || !sip_) return std::nullopt;
  if (queue_.registers->done.load(std::memory_order_acquire) >= tail_) return std::nullopt;
  return tail_;
}

Status Stream::WaitForRoom(uint32_t entries, uint64_t tail, uint64_t depth,
                           const std::shared_ptr<sip::Device>& device) {
  if (CurrentThread().callback_stream == this) {
    return Status(
        Code::kStreamTaskFull,
        fmt::format("the task queue of stream {} is full, and its host function, which it waits for, submits to it",
                    slot()),
        "Submit to another stream from a host function, or raise queue_depth");
  }
  // A quarter of the ring is waited for at once, so that a submitter does not sleep for every single entry.
  const uint64_t wanted = tail + std::max<uint64_t>(entries, depth / 4) - depth;
  const WaitingSubmit waiting(*this, entries);
  const int64_t timeout_ms = LaunchSettings().submit_timeout_ms.load(std::memory_order_relaxed);
  const int64_t warning_ms = LaunchSettings().submit_warning_ms.load(std::memory_order_relaxed);
  const auto after = [](int64_t ms) {
    return ms == 0 ? base::Deadline() : base::Deadline::AfterNanoseconds(ms * 1'000'000);
  };
  const base::Deadline deadline = after(timeout_ms);
  if (warning_ms != 0 && (timeout_ms == 0 || warning_ms < timeout_ms)) {
    if (device->WaitDone(slot(), wanted, after(warning_ms)) != sip::WaitResult::kTimeout) return {};
    // It may wait for ever, as in a cycle of waits, and would say nothing.
    if (base::IsLogged(base::LogModule::kRuntime, base::LogLevel::kWarning)) {
      base::Log(
          base::LogModule::kRuntime, base::LogLevel::kWarning,
          fmt::format("a submit has waited for {} ms for room in the task queue of stream {} of device {}, and goes "
                      "on waiting; {}",
                      warning_ms, slot(), this->device().id(), DescribeWait(*this)));
    }
  }
  if (device->WaitDone(slot(), wanted, deadline) != sip::WaitResult::kTimeout) return {};
  return Status(Code::kStreamTaskFull,
                fmt::format("the task queue of stream {} of device {} had no room for {} ms; {}", slot(),
                            this->device().id(), timeout_ms, DescribeWait(*this)),
                "End what it waits for, or raise submit_timeout or queue_depth");
}

Status Stream::CheckAccepts() const {
  const uint32_t gate = gate_.load(std::memory_order_acquire);
  return gate == kOpen ? Status() : Refuse(gate);
}

Status Stream::Refuse(uint32_t gate) const {
  if ((gate & kDeviceAborting) != 0) return device().AbortingFailure();
  if ((gate & kDeviceFailed) != 0) {
    const Status failure = QueryFailure();
    return device().device_failure().ok() ? failure : device().device_failure();
  }
  if ((gate & kAborting) != 0) {
    return Status(Code::kStreamAbort, fmt::format("stream {} is being aborted", slot()),
                  "Submit again after the abort has returned; after one that ran out of time, abort it again");
  }
  if ((gate & kHeld) != 0) return HeldFailure();
  const Status failure = QueryFailure();
  if (!failure.ok()) return failure;
  return Status(Code::kStreamAbort, fmt::format("stream {} has stopped", slot()));
}

// ---- Host functions ----

Status Stream::LaunchHostFunction(uint64_t handle, HostFunction function, const FunctionName& name,
                                  bool runs_when_stopped) {
  RETURN_IF_ERROR(context().host_functions().Prepare());
  const bool runs_always = runs_when_stopped && policy() == FailurePolicy::kContinue;
  // The function is in the list before the device can reach its task; the entry is known only under the submit lock, so
  // the list is ordered by submission instead and matched from the front.
  base::MutexLock lock(host_function_order_);
  Submission submission;
  {
    base::MutexLock state(state_mutex_);
    if (owner_ != handle) return StaleStreamFailure();
    host_functions_.push_back({kUnknownEntry, std::move(function), name});
  }
  const Status submitted = Submit(
      handle, 1,
      [&](types::Command& command, uint64_t) {
        command.opcode = types::Opcode::kHostFunction;
        command.flags = runs_always ? types::kFlagRunsAfterFailure : uint8_t{0};
      },
      &submission);
  QueuedFunction refused;
  base::MutexLock state(state_mutex_);
  // Only this thread adds to the list now. Its function is the last one, unless the device was faster.
  if (host_functions_.empty() || host_functions_.back().entry != kUnknownEntry) return submitted;
  if (submitted.ok()) {
    host_functions_.back().entry = submission.end_entry - 1;
  } else {
    refused = std::move(host_functions_.back());
    host_functions_.pop_back();
  }
  return submitted;
}

Stream::HostFunction Stream::TakeHostFunction(uint64_t handle, uint64_t entry) {
  std::vector<QueuedFunction> dropped;
  base::MutexLock lock(state_mutex_);
  if (owner_ != handle) return {};
  // Those before it were dropped with a stopped stream.
  while (!host_functions_.empty() && host_functions_.front().entry < entry) {
    dropped.push_back(std::move(host_functions_.front()));
    host_functions_.pop_front();
  }
  if (host_functions_.empty()) return {};
  if (host_functions_.front().entry != entry && host_functions_.front().entry != kUnknownEntry) return {};
  HostFunction function = std::move(host_functions_.front().function);
  taken_function_ = {entry, {host_functions_.front().name, FunctionStage::kRunning, base::NowNanoseconds()}};
  host_functions_.pop_front();
  return function;
}

void Stream::NoteFunctionStage(uint64_t handle, FunctionStage stage) {
  base::MutexLock lock(state_mutex_);
  if (owner_ != handle || !taken_function_) return;
  taken_function_->state.stage = stage;
  taken_function_->state.since_ns = base::NowNanoseconds();
}

std::optional<FunctionState> Stream::FunctionAt(uint64_t entry) const {
  base::MutexLock lock(state_mutex_);
  if (taken_function_ && taken_function_->entry == entry) return taken_function_->state;
  for (const QueuedFunction& queued : host_functions_) {
    if (queued.entry == entry) return FunctionState{queued.name, FunctionStage::kQueued, 0};
  }
  return std::nullopt;
}

void Stream::FinishHostFunction(uint64_t handle, uint64_t entry) {
  {
    // After the loss of the device the stream may be gone, and its object another stream's.
    base::MutexLock state(state_mutex_);
    if (owner_ != handle) return;
    if (taken_function_ && taken_function_->entry == entry) taken_function_.reset();
  }
  base::SpinLockHolder hold(lock_);
  if (!sip_) return;
  queue_.registers->host_function_done.store(entry + 1, std::memory_order_release);
  types::RingDoorbell(*queue_.header, *queue_.registers, queue_.slot);
}

// ---- What unfinished tasks hold ----

void Stream::Hold(uint64_t handle, uint64_t entry, std::shared_ptr<void> lease) {
  base::MutexLock lock(state_mutex_);
  // A stream that is gone has run all its tasks.
  if (owner_ != handle) return;
  held_.push_back({entry, std::move(lease)});
}

void Stream::Reclaim() {
  // Let go of without the lock: the last lease gives its block back to a pool, and a function may own anything.
  std::vector<std::shared_ptr<void>> finished;
  std::vector<QueuedFunction> dropped;
  base::MutexLock lock(state_mutex_);
  if (held_.empty() && host_functions_.empty()) return;
  const uint64_t done = done_->load(std::memory_order_acquire);
  while (!held_.empty() && held_.front().entry <= done) {
    finished.push_back(std::move(held_.front().lease));
    held_.pop_front();
  }
  // A function whose task is over without having been taken was dropped with a stopped stream.
  while (!host_functions_.empty() && host_functions_.front().entry < done) {
    dropped.push_back(std::move(host_functions_.front()));
    host_functions_.pop_front();
  }
}

}  // namespace forebay::runtime
