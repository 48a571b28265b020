// How a stream is waited for, fails, stops, and recovers.
#include <fmt/format.h>

#include "diagnosis/wait_chain.h"
#include "exception/propagation.h"
#include "forebay/base/macros.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/report_threads.h"
#include "forebay/runtime/stream.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"
#include "memory/pool/stream_order.h"
#include "memory/pool_registry.h"

namespace forebay::runtime {

Status Stream::Synchronize(uint64_t handle, int64_t timeout_ms) {
  if (device().is_aborting()) return device().AbortingFailure();
  // What the stream comes after by now has happened, too, when its tail has been reached.
  StreamOrder& order = device().stream_order();
  StreamClock clock;
  if (order.IsUsed()) order.Snapshot({slot(), 0}, clock);
  uint64_t tail = 0;
  {
    base::SpinLockHolder hold(lock_);
    if (handle_.load(std::memory_order_relaxed) != handle) return StaleStreamFailure();
    tail = tail_;
  }
  RETURN_IF_ERROR(CheckNotHeld());
  RETURN_IF_ERROR(WaitEntry(tail, timeout_ms, Code::kStreamSyncTimeout));
  order.NoteSynchronised(clock);
  device().pools().NoteHostWait();
  return ReportFailure();
}

Status Stream::WaitEntry(uint64_t entry, int64_t timeout_ms, Code timeout_code) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "waits for a stream"));
  if (CurrentThread().callback_stream == this) {
    return Status(Code::kParamInvalid,
                  fmt::format("a host function of stream {} waits for its own stream, which would never end", slot()),
                  "Do not call the runtime from a host function");
  }
  const std::shared_ptr<sip::Device> device = sip();
  if (!device) return StaleStreamFailure();
  const uint32_t aborts = aborts_.load(std::memory_order_acquire);
  const uint32_t aborts_of_device = this->device().task_aborts();
  const bool is_aborting = this->device().is_aborting();
  const auto deadline = timeout_ms < 0 ? base::Deadline() : base::Deadline::AfterNanoseconds(timeout_ms * 1'000'000);
  const sip::WaitResult result = device->WaitDone(slot(), entry, deadline);
  // What the device reported up to here, and what kernels printed, is passed on before the wait returns.
  device->DrainInterrupts();
  Reclaim();
  if (result == sip::WaitResult::kTimeout) {
    return Status(timeout_code,
                  fmt::format("stream {} of device {} had not finished after {} ms; its tasks go on; {}", slot(),
                              this->device().id(), timeout_ms, DescribeWait(*this)),
                  "Wait again, or end what it waits for");
  }
  if (result == sip::WaitResult::kLost) return LossOf(*device);
  this->device().stream_order().NoteSynchronised({slot(), entry});
  if (is_aborting || this->device().task_aborts() != aborts_of_device) return this->device().AbortingFailure();
  if (aborts_.load(std::memory_order_acquire) != aborts) {
    return Status(Code::kStreamAbort, fmt::format("stream {} was aborted while a thread waited for it", slot()),
                  "Submit its work again");
  }
  return {};
}

Status Stream::LossOf(const sip::Device& device) const {
  this->device().AwaitNewsOfLoss(device);
  // The stream's own first failure came before.
  if (const Status failure = QueryFailure(); !failure.ok()) return failure;
  Error error;
  error.code = Code::kLostHeartbeat;
  error.message = "the device is gone";
  error.advice = "Reset the device and set it again";
  error.device = device.id();
  return Status(std::move(error));
}

Status Stream::ReportFailure() {
  Status failure;
  {
    base::MutexLock lock(state_mutex_);
    failure = first_failure_;
    if (!failure.ok() && RuleFor(first_severity_, policy()).IsForgotten()) first_failure_ = Status();
  }
  return WithThatOfDevice(std::move(failure));
}

Status Stream::QueryFailure() const {
  Status failure;
  {
    base::MutexLock lock(state_mutex_);
    failure = first_failure_;
  }
  return WithThatOfDevice(std::move(failure));
}

// The first failure is kept. That the device has failed since is shown beside it.
Status Stream::WithThatOfDevice(Status failure) const {
  if (!device().is_failed()) return failure;
  Status of_device = device().device_failure();
  if (failure.ok() || of_device.ok()) return failure.ok() ? of_device : failure;
  Error both = *failure.error();
  both.message += fmt::format("; since then device {} has failed as a whole: {} ({})", device().id(),
                              of_device.error()->message, static_cast<int>(of_device.code()));
  both.advice = of_device.error()->advice;
  return Status(std::move(both));
}

StreamState Stream::state() const {
  if (device().is_failed()) return StreamState::kLost;
  base::MutexLock lock(state_mutex_);
  if (first_failure_.ok()) return StreamState::kReady;
  return RuleFor(first_severity_, policy()).stops == Reach::kNobody ? StreamState::kFailed : StreamState::kStopped;
}

bool Stream::IsIdle() const noexcept {
  const std::shared_ptr<sip::Device> device = sip();
  if (!device) return true;
  device->Poll();
  {
    base::SpinLockHolder hold(lock_);
    if (sip_ == device && queue_.registers->done.load(std::memory_order_acquire) < tail_) return false;
    this->device().stream_order().NoteSynchronised({slot(), tail_});
  }
  // Who finds the stream idle finds its failures recorded, too.
  device->DrainInterrupts();
  return true;
}

void Stream::KeepFailure(const Status& failure, sip::Severity severity) {
  base::MutexLock lock(state_mutex_);
  // The first failure is kept; later ones never overwrite it. That something ended is none.
  if (!first_failure_.ok() && first_severity_ >= sip::Severity::kOperator) return;
  first_failure_ = failure;
  first_severity_ = severity;
}

void Stream::RecordFailure(const Status& failure, sip::Severity severity) {
  KeepFailure(failure, severity);
  const Reach stops = RuleFor(severity, policy()).stops;
  // A stream that stops drops its waits.
  if (stops != Reach::kNobody) device().stream_order().ForgetWaits();
  switch (stops) {
    case Reach::kNobody: break;
    case Reach::kStream: CloseGate(kStopped); break;
    case Reach::kDevice:  // is told of by the device
    case Reach::kContext:
      context().RecordFailure(failure);
      for (const uint64_t handle : context().streams()) {
        if (Stream* stream = Streams().Find(handle)) stream->StopWithContext(failure);
      }
      break;
  }
}

void Stream::StopWithContext(const Status& failure) {
  KeepFailure(failure, sip::Severity::kOperator);
  CloseGate(kStopped);
}

Status Stream::SetFailurePolicy(FailurePolicy policy) {
  {
    base::MutexLock lock(state_mutex_);
    if (policy_chosen_) {
      return Status(Code::kParamInvalid, fmt::format("the failure mode of stream {} was set before", slot()),
                    "It can be set once");
    }
    policy_chosen_ = true;
  }
  if (policy == FailurePolicy::kStopContext) {
    context().set_stops_on_failure();
    for (const uint64_t handle : context().streams()) {
      if (Stream* stream = Streams().Find(handle)) stream->ApplyPolicy(policy);
    }
  }
  ApplyPolicy(policy);
  return {};
}

bool Stream::StopsWithContext() const {
  return (gate_.load(std::memory_order_acquire) & kStopped) != 0 &&
         RuleFor(sip::Severity::kOperator, policy()).ends == Ending::kDestroyContext;
}

Status Stream::Recover(uint64_t handle) {
  const std::shared_ptr<sip::Device> device = sip();
  if (!device) return StaleStreamFailure();
  if (this->device().is_failed()) return this->device().device_failure();
  if (StopsWithContext()) {
    Error error;
    error.code = Code::kParamInvalid;
    error.message = fmt::format("stream {} cannot be recovered by itself: its context has stopped", slot());
    error.advice = "Destroy the context, or reset the device";
    error.cause = QueryFailure().error();
    return Status(std::move(error));
  }
  uint64_t tail = 0;
  {
    base::SpinLockHolder hold(lock_);
    if (handle_.load(std::memory_order_relaxed) != handle) return StaleStreamFailure();
    tail = tail_;
  }
  RETURN_IF_ERROR(WaitEntry(tail, -1, Code::kStreamSyncTimeout));
  RETURN_IF_ERROR(device->RecoverStream(slot()));
  Reclaim();
  base::MutexLock lock(state_mutex_);
  first_failure_ = Status();
  gate_.fetch_and(~uint32_t{kStopped}, std::memory_order_acq_rel);
  return {};
}

Status Stream::Abort(uint64_t handle) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "aborts a stream"));
  if (CurrentThread().callback_stream == this) {
    return Status(Code::kParamInvalid,
                  fmt::format("a host function of stream {} aborts its own stream, which would never end", slot()),
                  "Do not call the runtime from a host function");
  }
  RETURN_IF_ERROR(BeginAbort(handle));
  return EndAbort(handle, base::Deadline());
}

Status Stream::BeginAbort(uint64_t handle) {
  base::MutexLock order(abort_order_);
  const std::shared_ptr<sip::Device> device = sip();
  if (!device) return StaleStreamFailure();
  {
    base::SpinLockHolder hold(lock_);
    if (handle_.load(std::memory_order_relaxed) != handle) return StaleStreamFailure();
    CloseGate(kAborting);
  }
  aborts_.fetch_add(1, std::memory_order_acq_rel);
  {
    // Functions that have not begun are dropped, also where they would run after a failure.
    std::deque<QueuedFunction> dropped;
    base::MutexLock lock(state_mutex_);
    dropped.swap(host_functions_);
  }
  this->device().stream_order().ForgetWaits();
  const Status aborted = device->AbortStream(slot());
  // A callback that no thread has begun would hold the stream for ever.
  Reports().Drop(handle);
  return aborted;
}

Status Stream::EndAbort(uint64_t handle, const base::Deadline& deadline) {
  base::MutexLock order(abort_order_);
  const std::shared_ptr<sip::Device> device = sip();
  if (!device) return StaleStreamFailure();
  uint64_t tail = 0;
  {
    base::SpinLockHolder hold(lock_);
    if (handle_.load(std::memory_order_relaxed) != handle) return StaleStreamFailure();
    tail = tail_;
  }
  if (device->WaitDone(slot(), tail, deadline) == sip::WaitResult::kTimeout) {
    // It goes on dropping tasks, so that it may not take any.
    return Status(
        Code::kTimeout, fmt::format("the time was over before stream {} had stopped", slot()),
        "Allow more time: a host function that runs is waited for. Until an abort succeeds the stream takes no "
        "tasks");
  }
  device->DrainInterrupts();
  // A failure of the stream alone is over with its tasks. One that stopped the context is not.
  const bool stays_stopped = StopsWithContext();
  const Status recovered = stays_stopped ? Status() : device->RecoverStream(slot());
  if (!stays_stopped) {
    base::MutexLock lock(state_mutex_);
    first_failure_ = Status();
  }
  const uint32_t over = kAborting | kHeld | (stays_stopped ? kOpen : kStopped);
  gate_.fetch_and(~over, std::memory_order_acq_rel);
  Reclaim();
  return recovered;
}

Status Stream::HeldFailure() const {
  return Status(Code::kStreamAbort,
                fmt::format("stream {} was stopped and keeps its tasks without running them", slot()),
                "Abort the stream to use it again, or destroy it");
}

Status Stream::CheckNotHeld() const {
  return (gate_.load(std::memory_order_acquire) & kHeld) != 0 ? HeldFailure() : Status();
}

Status Stream::Hold(uint64_t handle) {
  base::MutexLock order(abort_order_);
  const std::shared_ptr<sip::Device> device = sip();
  if (!device) return StaleStreamFailure();
  {
    base::SpinLockHolder hold(lock_);
    if (handle_.load(std::memory_order_relaxed) != handle) return StaleStreamFailure();
    CloseGate(kHeld);
  }
  Status held = device->HoldStream(slot());
  if (!held.ok()) gate_.fetch_and(~uint32_t{kHeld}, std::memory_order_acq_rel);
  return held;
}

}  // namespace forebay::runtime
