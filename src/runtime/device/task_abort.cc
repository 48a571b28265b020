// How the tasks of a device are aborted as a whole, and how it is repaired.
#include <fmt/format.h>

#include <chrono>

#include "exception/propagation.h"
#include "forebay/base/macros.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/state_callbacks.h"
#include "forebay/runtime/stream.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

// What is left of a limit in milliseconds, for who must keep to it; 0: there is none.
uint32_t MillisecondsLeft(const base::Deadline& deadline) noexcept {
  const int64_t left_ns = deadline.RemainingNanoseconds();
  return left_ns < 0 ? 0 : std::max<uint32_t>(1, static_cast<uint32_t>(left_ns / 1'000'000));
}

}  // namespace

void DeviceState::Fail(Status failure, sip::Severity severity, uint64_t address) {
  {
    base::MutexLock lock(mutex_);
    if (failure_.ok()) {
      failure_ = std::move(failure);
      severity_ = severity;
      is_aborted_ = false;
    }
    // What cannot be repaired outweighs what can.
    severity_ = std::max(severity_, severity);
    if (EndingOf(severity) == Ending::kRepairDevice && sip_) {
      if (const auto page = sip_->PageAround(address)) bad_pages_.push_back({page->address, page->bytes});
    }
  }
  failed_.store(true, std::memory_order_release);
  ForEachStream([](Stream& stream, uint64_t) { stream.StopWithDevice(); });
}

DeviceState::Trouble DeviceState::trouble() const {
  base::MutexLock lock(mutex_);
  return {failure_, EndingOf(severity_) == Ending::kRepairDevice, bad_pages_};
}

// One abort or repair at a time. Whoever has the turn calls functions of the application, and may take long.
bool DeviceState::TakeTurn(const base::Deadline& deadline) {
  base::MutexLock lock(turn_mutex_);
  while (turn_is_taken_) {
    const int64_t left_ns = deadline.RemainingNanoseconds();
    if (left_ns == 0) return false;
    if (left_ns < 0) {
      turn_ended_.Wait(turn_mutex_);
    } else {
      turn_ended_.WaitUntil(turn_mutex_, std::chrono::steady_clock::now() + std::chrono::nanoseconds(left_ns));
    }
  }
  turn_is_taken_ = true;
  return true;
}

void DeviceState::EndTurn() {
  base::MutexLock lock(turn_mutex_);
  turn_is_taken_ = false;
  turn_ended_.NotifyOne();
}

Status DeviceState::AbortTasks(uint32_t timeout_ms) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kStateChange, "aborts the tasks of a device"));
  RETURN_IF_ERROR(CheckNotInHostFunction("aborts the tasks of a device"));
  const std::shared_ptr<sip::Device> device = sip();
  if (!device) return Status(Code::kContextNull, fmt::format("device {} is not set", id_), "Set it first");
  const auto deadline =
      timeout_ms == 0 ? base::Deadline() : base::Deadline::AfterNanoseconds(int64_t{timeout_ms} * 1'000'000);
  const Turn turn(this, deadline);
  if (!turn.is_taken()) {
    return Status(Code::kTimeout,
                  fmt::format("another abort or repair of device {} had not ended after {} ms; nothing was done", id_,
                              timeout_ms),
                  "Wait for it, or allow more time");
  }
  // In this order: who sees the count of before sees the flag, or is woken.
  is_aborting_.store(true, std::memory_order_release);
  task_aborts_.fetch_add(1, std::memory_order_acq_rel);
  ForEachStream([](Stream& stream, uint64_t) { stream.CloseForAbortOfDevice(); });
  NotifyTaskAbort(default_context(), id_, TaskAbortStage::kBegins, MillisecondsLeft(deadline));
  Status aborted;
  // One that was destroyed meanwhile has no tasks.
  const auto note = [&aborted](Status one) {
    if (aborted.ok() && one.code() != Code::kInvalidHandle) aborted = std::move(one);
  };
  // All before any is waited for: what runs on one may wait for another.
  ForEachStream([&](Stream& stream, uint64_t handle) { note(stream.BeginAbort(handle)); });
  ForEachStream([&](Stream& stream, uint64_t handle) { note(stream.EndAbort(handle, deadline)); });
  if (aborted.ok() && deadline.Passed()) {
    aborted = Status(Code::kTaskAbortStop,
                     fmt::format("the tasks of device {} are aborted, but the {} ms were over before the callbacks for "
                                 "its end were called",
                                 id_, timeout_ms),
                     "Allow more time");
  }
  if (aborted.ok()) NotifyTaskAbort(default_context(), id_, TaskAbortStage::kEnds, MillisecondsLeft(deadline));
  if (aborted.ok()) {
    base::MutexLock lock(mutex_);
    is_aborted_ = true;
  }
  ForEachStream([](Stream& stream, uint64_t) { stream.OpenAfterAbortOfDevice(); });
  is_aborting_.store(false, std::memory_order_release);
  return aborted;
}

Status DeviceState::AbortingFailure() const {
  return Status(Code::kDeviceTaskAbort, fmt::format("the tasks of device {} are aborted", id_),
                "Submit the work again after aclrtDeviceTaskAbort has returned");
}

Status DeviceState::Repair(const std::vector<BadPage>& pages) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kStateChange, "repairs a device"));
  const std::shared_ptr<sip::Device> device = sip();
  if (!device) return Status(Code::kContextNull, fmt::format("device {} is not set", id_), "Set it first");
  const Turn turn(this, base::Deadline());
  if (!is_failed()) return {};
  {
    base::MutexLock lock(mutex_);
    if (EndingOf(severity_) != Ending::kRepairDevice) {
      return Status(Code::kFeatureNotSupport,
                    fmt::format("device {} cannot be repaired: {}", id_, failure_.error()->message),
                    "Reset the device and set it again");
    }
    if (!is_aborted_) {
      return Status(Code::kParamInvalid, fmt::format("the tasks of device {} have not been aborted", id_),
                    "Call aclrtDeviceTaskAbort first");
    }
  }
  for (const BadPage& page : pages) {
    RETURN_IF_ERROR(device->ReplacePage(page.address));
    base::MutexLock lock(mutex_);
    std::erase_if(bad_pages_, [&page](const BadPage& bad) { return bad.address == page.address; });
  }
  {
    base::MutexLock lock(mutex_);
    if (!bad_pages_.empty()) return {};
  }
  RETURN_IF_ERROR(device->RecoverDevice());
  ForgetFailure();
  ForEachStream([](Stream& stream, uint64_t) { stream.GoOnWithDevice(); });
  return {};
}

void DeviceState::ForgetFailure() {
  {
    base::MutexLock lock(mutex_);
    failure_ = Status();
    severity_ = sip::Severity::kNotice;
    bad_pages_.clear();
    is_aborted_ = false;
    failure_told_ = false;
  }
  kernel_has_failed_.store(false, std::memory_order_release);
  failed_.store(false, std::memory_order_release);
}

}  // namespace forebay::runtime
