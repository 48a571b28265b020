#include "soft_device.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "forebay/base/futex.h"
#include "forebay/base/macros.h"
#include "forebay/kernel_abi.h"

namespace forebay::driver {
namespace {

// How much longer a thread waits for an answer. It waits piece by piece: were this process stopped meanwhile, perhaps
// together with the device, then that time is not the device's.
class Patience {
 public:
  explicit Patience(int64_t timeout_ms) : left_ns_(timeout_ms * 1'000'000) {}
  bool IsOver() const noexcept { return left_ns_ <= 0; }
  int64_t NextPiece() const noexcept { return std::min(left_ns_, kPiece); }
  // A piece is over.
  void Spend() noexcept {
    const int64_t now = base::NowNanoseconds();
    left_ns_ -= std::min(now - since_ns_, 2 * kPiece);
    since_ns_ = now;
  }

 private:
  static constexpr int64_t kPiece = 50'000'000;
  int64_t left_ns_;
  int64_t since_ns_ = base::NowNanoseconds();
};

}  // namespace

SoftDevice::~SoftDevice() { StopInterruptThread(); }

Status SoftDevice::CreateMemory() {
  const uint64_t bar_bytes = types::BarBytes(options_.boot);
  ASSIGN_OR_RETURN(bar_file_, base::CreateMemoryFile("forebay-bar", bar_bytes));
  ASSIGN_OR_RETURN(bar_mapping_, base::Mapping::OfFile(bar_file_.get(), 0, bar_bytes, PROT_READ | PROT_WRITE));
  types::LayOutBar(bar_mapping_.data(), options_.boot);
  FOREBAY_CHECK(types::ViewBar(bar_mapping_.data(), bar_bytes, &bar_));
  // The application's own addresses in the device's window: with a device in another process touching a device pointer
  // faults, and a device inside the application maps its memory there.
  ASSIGN_OR_RETURN(window_, base::Mapping::Reserve(options_.boot.window.bytes + options_.boot.pinned_bytes,
                                                   reinterpret_cast<void*>(options_.boot.window.base)));
  RETURN_IF_ERROR(memory_.Create("forebay-memory", options_.boot));
  interrupts_ = std::make_unique<InterruptQueue>(bar_, sink_);
  waiter_ = std::make_unique<CompletionWaiter>(bar_, options_.spin_us);
  return {};
}

Status SoftDevice::StartInterruptThread() {
  interrupt_thread_ = base::Thread("fb-interrupt", [this] {
    auto& raised = bar_.header->interrupts_raised;
    for (;;) {
      // In this order: who sees the count of the last, empty interrupt sees that it is to stop.
      const uint64_t seen = raised.load(std::memory_order_acquire);
      if (stop_interrupts_.load(std::memory_order_acquire)) return;
      DrainInterrupts();
      if (seen != raised.load(std::memory_order_acquire)) continue;
      base::FutexWait(base::LowHalf(raised), static_cast<uint32_t>(seen));
    }
  });
  return interrupt_thread_.status();
}

void SoftDevice::StopInterruptThread() {
  if (!interrupt_thread_.joinable()) return;
  stop_interrupts_.store(true, std::memory_order_release);
  // The thread may be about to sleep on a count that the device no longer changes. So an interrupt without a meaning is
  // raised in its place.
  interrupts_->Drain();
  auto& raised = bar_.header->interrupts_raised;
  types::InterruptRecord nothing{};
  nothing.stream = ~0u;
  bar_.interrupts[raised.load(std::memory_order_acquire) % types::kInterruptDepth] = nothing;
  raised.fetch_add(1, std::memory_order_acq_rel);
  base::FutexWakeAll(base::LowHalf(raised));
  interrupt_thread_.Join();
}

Result<int32_t> SoftDevice::Ask(types::Request request, uint64_t first, uint64_t second,
                                const std::function<void()>& prepare) {
  return AskWithin(options_.request_timeout_ms, request, first, second, prepare);
}

Result<int32_t> SoftDevice::AskWithin(int64_t timeout_ms, types::Request request, uint64_t first, uint64_t second,
                                      const std::function<void()>& prepare) {
  Answer answer = Answer::kNone;
  int32_t result = 0;
  std::string text;
  {
    base::MutexLock lock(mailbox_mutex_);
    answer = AwaitAnswer(timeout_ms, request, first, second, prepare);
    if (answer == Answer::kCame) {
      const types::Mailbox& mailbox = bar_.header->mailbox;
      result = mailbox.result;
      if (result < 0) text.assign(mailbox.text, strnlen(mailbox.text, sizeof mailbox.text));
    }
  }
  if (answer == Answer::kLate) {
    const std::string reason = fmt::format("the device did not answer a request within {} ms", timeout_ms);
    // Without a way to stop it the device might still answer some day, so it is only this request that failed.
    if (CanCutOff() && !closing_.load(std::memory_order_acquire)) MarkLost(reason);
    return Status(Code::kLostHeartbeat, reason, "The device process may be stopped or starved; reset the device");
  }
  if (answer == Answer::kNone)
    return Status(Code::kLostHeartbeat, "the device is gone", "Reset the device and set it again");
  if (result < 0) return RefusalOf(result, text);
  return result;
}

SoftDevice::Answer SoftDevice::AwaitAnswer(int64_t timeout_ms, types::Request request, uint64_t first, uint64_t second,
                                           const std::function<void()>& prepare) {
  types::Mailbox& mailbox = bar_.header->mailbox;
  Patience patience(timeout_ms);
  // An earlier request may have been given up, but not by the device. The arguments are still its.
  while (mailbox.pending.load(std::memory_order_acquire) != 0) {
    if (lost()) return Answer::kNone;
    if (patience.IsOver()) return Answer::kLate;
    sched_yield();
    patience.Spend();
  }
  if (lost()) return Answer::kNone;
  const uint32_t before = mailbox.completed.load(std::memory_order_acquire);
  if (prepare) prepare();
  mailbox.request = request;
  mailbox.argument[0] = first;
  mailbox.argument[1] = second;
  mailbox.pending.store(1, std::memory_order_release);  // pairs with the device's acquire
  mailbox.doorbell.fetch_add(1, std::memory_order_acq_rel);
  base::FutexWakeAll(mailbox.doorbell);
  ServeRequest();
  while (mailbox.completed.load(std::memory_order_acquire) == before) {
    // A device that is closed need not show that it lives.
    if (lost() || (closing_.load(std::memory_order_acquire) && request == types::Request::kPing)) return Answer::kNone;
    if (patience.IsOver()) return Answer::kLate;
    base::FutexWait(mailbox.completed, before, patience.NextPiece());
    patience.Spend();
  }
  return Answer::kCame;
}

Status SoftDevice::RefusalOf(int32_t result, const std::string& text) const {
  // The device may write any number.
  const auto code = static_cast<Code>(-int64_t{result});
  return Status(code == Code::kParamInvalid ? code : Code::kDriverInternal, text);
}

Status SoftDevice::ChangeMappings(std::span<const types::MappingChange> changes) {
  while (!changes.empty()) {
    const auto now = changes.first(std::min<std::size_t>(changes.size(), types::kMaxMappingChanges));
    const auto stage = [&] { std::memcpy(bar_.staging, now.data(), now.size_bytes()); };
    RETURN_IF_ERROR(Ask(types::Request::kChangeMappings, now.size(), 0, stage).status());
    RETURN_IF_ERROR(memory_.Follow(now));
    changes = changes.subspan(now.size());
  }
  return {};
}
Result<uint32_t> SoftDevice::OpenFile(int descriptor) {
  ASSIGN_OR_RETURN(const int32_t answer, Ask(types::Request::kOpenFile, static_cast<uint64_t>(descriptor)));
  const auto file = static_cast<uint32_t>(answer);
  if (Status kept = memory_.AddFile(file, descriptor); !kept.ok()) {
    CloseFile(file);
    return kept;
  }
  return file;
}

void SoftDevice::CloseFile(uint32_t file) {
  // A device that is gone has nothing open any more.
  Ask(types::Request::kCloseFile, file).status().IgnoreError();
  memory_.RemoveFile(file);
}

Status SoftDevice::UnloadImage(uint32_t image) { return Ask(types::Request::kUnloadImage, image).status(); }
Status SoftDevice::AbortStream(uint32_t stream) { return Ask(types::Request::kAbortStream, stream).status(); }
Status SoftDevice::HoldStream(uint32_t stream) { return Ask(types::Request::kHoldStream, stream).status(); }
Status SoftDevice::RecoverStream(uint32_t stream) { return Ask(types::Request::kRecoverStream, stream).status(); }
Status SoftDevice::RecoverDevice() { return Ask(types::Request::kRecoverDevice).status(); }
Status SoftDevice::TakeFaults() { return Ask(types::Request::kArmFaults).status(); }

Result<uint32_t> SoftDevice::LoadImage(std::span<const std::byte> image, const std::vector<std::string>& names,
                                       uint64_t home) {
  types::StagedImage staged{image.size(), static_cast<uint32_t>(names.size()), 0};
  const uint64_t names_bytes = names.size() * kernel_abi::kMaxNameBytes;
  const uint64_t room = types::kStagingBytes - sizeof staged;
  if (names_bytes > room || image.size() > room - names_bytes) {
    return Status(
        Code::kParamInvalid,
        fmt::format("a kernel image of {} bytes is larger than the {} bytes a device takes", image.size(), room));
  }
  const auto stage = [&] {
    std::byte* place = bar_.staging;
    std::memcpy(place, &staged, sizeof staged);
    place += sizeof staged;
    for (const std::string& name : names) {
      std::memset(place, 0, kernel_abi::kMaxNameBytes);
      std::memcpy(place, name.data(), std::min<std::size_t>(name.size(), kernel_abi::kMaxNameBytes - 1));
      place += kernel_abi::kMaxNameBytes;
    }
    if (!image.empty()) std::memcpy(place, image.data(), image.size());
  };
  ASSIGN_OR_RETURN(const int32_t slot, Ask(types::Request::kLoadImage, home, 0, stage));
  return static_cast<uint32_t>(slot);
}

void SoftDevice::LookForLife() {
  bool is_unfinished = false;
  uint64_t progress = 0;
  for (uint32_t i = 0; i < options_.boot.stream_count; ++i) {
    const uint64_t done = bar_.streams[i].done.load(std::memory_order_acquire);
    is_unfinished = is_unfinished || done < bar_.streams[i].tail.load(std::memory_order_relaxed);
    progress += done;
  }
  if (is_unfinished && progress == seen_progress_) Ask(types::Request::kPing).status().IgnoreError();
  seen_progress_ = progress;
}

WaitResult SoftDevice::WaitDone(uint32_t stream, uint64_t entry, const base::Deadline& deadline) {
  switch (waiter_->Wait(stream, entry, deadline, lost_)) {
    case CompletionWaiter::Outcome::kDone: return WaitResult::kDone;
    case CompletionWaiter::Outcome::kTimeout: return WaitResult::kTimeout;
    case CompletionWaiter::Outcome::kLost: break;
    case CompletionWaiter::Outcome::kBroken:
      MarkLost(fmt::format(
          "the device completed more entries of stream {} than there are: its registers are overwritten", stream));
  }
  return WaitResult::kLost;
}

bool SoftDevice::Reacts(const base::Deadline& deadline) {
  // A device without threads runs on those that wait for it.
  if (options_.boot.core_threads == 0) return !lost();
  auto& looks = bar_.header->counters.looks;
  auto& doorbell = bar_.header->mailbox.doorbell;
  const uint64_t before = looks.load(std::memory_order_acquire);
  // The next look after a ring wakes who waits for it.
  doorbell.fetch_add(1, std::memory_order_acq_rel);
  base::FutexWakeAll(doorbell);
  while (looks.load(std::memory_order_acquire) == before) {
    if (lost() || deadline.Passed()) return false;
    base::FutexWait(base::LowHalf(looks), static_cast<uint32_t>(before), deadline.RemainingNanoseconds());
  }
  return !lost();
}

void SoftDevice::DrainInterrupts() {
  if (interrupts_->Drain()) return;
  MarkLost("the device reported more than its rings can hold: its registers are overwritten");
}

void SoftDevice::MarkLost(const std::string& reason) {
  if (lost_.exchange(true, std::memory_order_acq_rel)) return;
  bar_.header->lost.store(1, std::memory_order_release);
  CutOff();
  // What the device still reported comes first: it may be why it is gone.
  interrupts_->Drain();
  interrupts_->CallAlone([&] { sink_->OnLost(reason); });
  waiter_->ReleaseAll();
  base::FutexWakeAll(bar_.header->mailbox.completed);
  base::FutexWakeAll(base::LowHalf(bar_.header->counters.looks));
}

}  // namespace forebay::driver
