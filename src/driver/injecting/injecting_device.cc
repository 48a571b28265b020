#include "injecting/injecting_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "forebay/base/injection.h"
#include "forebay/base/macros.h"
#include "forebay/base/mutex.h"
#include "forebay/types/queue_grant.h"

namespace forebay::driver {
namespace {

using base::InjectionKind;
using base::InjectionPlace;
using types::FaultAction;
using types::FaultCause;

struct FaultRow {
  InjectionKind kind;
  FaultAction action;
  FaultCause cause = FaultCause::kNone;
  bool on_vector_core = false;
};

constexpr FaultRow kFaults[] = {
    {InjectionKind::kAicoreException, FaultAction::kFailTask, FaultCause::kException},
    {InjectionKind::kAicoreTrap, FaultAction::kFailTask, FaultCause::kTrap},
    {InjectionKind::kAicoreReadOverflow, FaultAction::kFailTask, FaultCause::kReadOverflow},
    {InjectionKind::kAicoreWriteOverflow, FaultAction::kFailTask, FaultCause::kWriteOverflow},
    {InjectionKind::kVectorException, FaultAction::kFailTask, FaultCause::kException, true},
    {InjectionKind::kVectorTrap, FaultAction::kFailTask, FaultCause::kTrap, true},
    {InjectionKind::kVectorReadOverflow, FaultAction::kFailTask, FaultCause::kReadOverflow, true},
    {InjectionKind::kVectorWriteOverflow, FaultAction::kFailTask, FaultCause::kWriteOverflow, true},
    {InjectionKind::kTimeout, FaultAction::kLoop},
    {InjectionKind::kVectorTimeout, FaultAction::kLoop, FaultCause::kNone, true},
    {InjectionKind::kAicpuException, FaultAction::kFailTask, FaultCause::kAicpuException},
    {InjectionKind::kAicpuTimeout, FaultAction::kFailTask, FaultCause::kAicpuTimeout},
    {InjectionKind::kAicpuDump, FaultAction::kFailTask, FaultCause::kAicpuDump},
    {InjectionKind::kAicpuModel, FaultAction::kFailTask, FaultCause::kAicpuModel},
    {InjectionKind::kAicpuLoad, FaultAction::kFailTask, FaultCause::kAicpuLoad},
    {InjectionKind::kAicpuInternal, FaultAction::kFailTask, FaultCause::kAicpuInternal},
    {InjectionKind::kDmaError, FaultAction::kFailTask, FaultCause::kDmaError},
    {InjectionKind::kFftsTimeout, FaultAction::kFailTask, FaultCause::kFftsTimeout},
    {InjectionKind::kFftsException, FaultAction::kFailTask, FaultCause::kFftsException},
    {InjectionKind::kFftsTrap, FaultAction::kFailTask, FaultCause::kFftsTrap},
    {InjectionKind::kCcuTimeout, FaultAction::kFailTask, FaultCause::kCcuTimeout},
    {InjectionKind::kCcuException, FaultAction::kFailTask, FaultCause::kCcuException},
    {InjectionKind::kWaitTimeout, FaultAction::kFailTask, FaultCause::kWaitTimeout},
    {InjectionKind::kSchedulerError, FaultAction::kFailTask, FaultCause::kSchedulerError},
    {InjectionKind::kTaskTypeNotSupport, FaultAction::kFailTask, FaultCause::kUnknownTask},
    {InjectionKind::kDeviceOom, FaultAction::kFailTask, FaultCause::kDeviceOom},
    {InjectionKind::kModelExecute, FaultAction::kFailTask, FaultCause::kModelExecute},
    {InjectionKind::kModelAbort, FaultAction::kFailTask, FaultCause::kModelAbort},
    {InjectionKind::kEndOfSequence, FaultAction::kFailTask, FaultCause::kEndOfSequence},
    {InjectionKind::kSlow, FaultAction::kSlow},
    {InjectionKind::kOverflow, FaultAction::kOverflow},
    {InjectionKind::kMemoryUce, FaultAction::kFailDevice, FaultCause::kMemoryUce},
    {InjectionKind::kEcc, FaultAction::kFailDevice, FaultCause::kEcc},
    {InjectionKind::kSuspectMemory, FaultAction::kFailDevice, FaultCause::kSuspectMemory},
    {InjectionKind::kSuspectRemote, FaultAction::kFailDevice, FaultCause::kSuspectRemote},
    {InjectionKind::kLinkError, FaultAction::kFailDevice, FaultCause::kLinkError},
    {InjectionKind::kL3Port, FaultAction::kFailDevice, FaultCause::kL3Port},
    {InjectionKind::kOverheat, FaultAction::kFailDevice, FaultCause::kOverheat},
    {InjectionKind::kPower, FaultAction::kFailDevice, FaultCause::kPowerFailure},
    {InjectionKind::kHeartbeat, FaultAction::kFailDevice, FaultCause::kHeartbeat},
    {InjectionKind::kLinkLost, FaultAction::kFailDevice, FaultCause::kLinkLost},
    {InjectionKind::kHungScheduler, FaultAction::kHang},
    {InjectionKind::kDeviceLost, FaultAction::kDie, FaultCause::kPowerDown},
    {InjectionKind::kDropDoorbell, FaultAction::kDropDoorbell},
};

uint32_t TasksOf(InjectionPlace place) noexcept {
  constexpr uint32_t kWork = types::kKernelTasks | types::kCopyTasks | types::kOtherTasks;
  switch (place) {
    case InjectionPlace::kKernel: return types::kKernelTasks;
    case InjectionPlace::kCopy: return types::kCopyTasks;
    case InjectionPlace::kWait: return types::kWaitTasks;
    case InjectionPlace::kDevice: return kWork | types::kWaitTasks;
    default: return kWork;
  }
}

void Write(const base::ArmedInjection& armed, types::ArmedFault& fault) {
  const base::Injection& wanted = armed.injection;
  const InjectionPlace place = base::RowOf(wanted.kind).place;
  const FaultRow* row =
      std::find_if(std::begin(kFaults), std::end(kFaults), [&](const FaultRow& r) { return r.kind == wanted.kind; });
  FOREBAY_CHECK(row != std::end(kFaults));
  fault.id = armed.id;
  fault.action = row->action;
  fault.cause = row->cause;
  fault.on_vector_core = row->on_vector_core ? 1 : 0;
  fault.tasks = wanted.kernel.empty() ? TasksOf(place) : types::kKernelTasks;
  // What becomes of a whole device need not be tied to a task. A chance is one at each task.
  const bool tied =
      wanted.stream >= 0 || wanted.task >= 0 || !wanted.kernel.empty() || wanted.nth != 0 || wanted.probability < 1;
  fault.at_task = place != InjectionPlace::kDoorbell && (place != InjectionPlace::kDevice || tied) ? 1 : 0;
  fault.stream = wanted.stream;
  fault.task = wanted.task;
  fault.nth = wanted.nth;
  const uint64_t happened = armed.happened.load(std::memory_order_relaxed);
  fault.count = wanted.count == 0 ? 0 : wanted.count - std::min(wanted.count, happened);
  if (wanted.count != 0 && fault.count == 0) fault.action = FaultAction::kNone;
  fault.after_us = wanted.after_us < 0 ? 0 : static_cast<uint64_t>(wanted.after_us);
  fault.seed = wanted.seed;
  fault.probability = wanted.probability;
  fault.factor = wanted.factor;
  fault.address = wanted.address;
  const auto copy = [](const std::string& text, char* to, std::size_t bytes) {
    std::fill(to, to + bytes, '\0');
    text.copy(to, bytes - 1);
  };
  copy(wanted.kernel, fault.kernel, sizeof fault.kernel);
  copy(wanted.text, fault.text, sizeof fault.text);
  fault.matched.store(0, std::memory_order_relaxed);
  fault.happened.store(0, std::memory_order_relaxed);
}

class InjectingDevice final : public Device {
 public:
  InjectingDevice(std::unique_ptr<Device> device, int32_t id) : device_(std::move(device)), id_(id) {
    bar_ = device_->bar();
  }
  ~InjectingDevice() override {
    base::MutexLock lock(mutex_);
    Count();
  }

  Status ArmInjections() override EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    base::ArmedInjections wanted = base::InjectionRegistry::Get().All();
    std::erase_if(wanted, [&](const auto& armed) {
      const base::Injection& injection = armed->injection;
      return !base::HappensOnDevice(base::RowOf(injection.kind).place) ||
             (injection.device >= 0 && injection.device != id_);
    });
    Count();
    // What stays keeps its slot and its counts.
    bool changes = false;
    for (Slot& slot : slots_) {
      const bool stays = std::erase(wanted, slot.armed) != 0;
      if (slot.armed != nullptr && !stays) {
        bar_.faults[&slot - slots_.data()].action = FaultAction::kNone;
        slot = {};
        changes = true;
      }
    }
    changes = changes || !wanted.empty();
    if (!changes) return {};
    for (const auto& armed : wanted) {
      auto free = std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.armed == nullptr; });
      if (free == slots_.end()) {
        if (slots_.size() == types::kMaxFaults) {
          return Status(Code::kParamInvalid,
                        fmt::format("device {} cannot have more than {} injections", id_, types::kMaxFaults),
                        "Remove some first");
        }
        free = slots_.insert(slots_.end(), Slot{});
      }
      free->armed = armed;
      Write(*armed, bar_.faults[free - slots_.begin()]);
    }
    bar_.header->fault_count.store(static_cast<uint32_t>(slots_.size()), std::memory_order_release);
    // First: what is lost from the moment on that the device takes them is made up for.
    is_armed_.store(true, std::memory_order_release);
    Status taken = device_->TakeFaults();
    // It may be what was armed that ended the device before it could answer.
    return device_->lost() ? Status() : taken;
  }

  int process_id() const noexcept override { return device_->process_id(); }
  Status ChangeMappings(std::span<const types::MappingChange> changes) override {
    RETURN_IF_ERROR(Refusal("to change what lies at its addresses"));
    return device_->ChangeMappings(changes);
  }
  Status Discard(uint64_t offset, uint64_t bytes) override { return device_->Discard(offset, bytes); }
  int memory_file() const noexcept override { return device_->memory_file(); }
  Result<uint32_t> OpenFile(int descriptor) override { return device_->OpenFile(descriptor); }
  void CloseFile(uint32_t file) override { device_->CloseFile(file); }
  Status MapForHost(void* address, uint64_t offset, uint64_t bytes, uint32_t file) override {
    return device_->MapForHost(address, offset, bytes, file);
  }
  Result<std::byte*> AddView(const types::AddressWindow& window) override { return device_->AddView(window); }
  void RemoveView(uint64_t base) override { device_->RemoveView(base); }
  void HideFromView(uint64_t address, uint64_t bytes) override { device_->HideFromView(address, bytes); }
  std::byte* WindowView() const noexcept override { return device_->WindowView(); }
  std::byte* PinnedView() const noexcept override { return device_->PinnedView(); }
  Result<uint32_t> LoadImage(std::span<const std::byte> image, const std::vector<std::string>& names,
                             uint64_t home) override {
    RETURN_IF_ERROR(Refusal("to load a kernel image"));
    return device_->LoadImage(image, names, home);
  }
  Status UnloadImage(uint32_t image) override { return device_->UnloadImage(image); }
  Status AbortStream(uint32_t stream) override { return device_->AbortStream(stream); }
  Status HoldStream(uint32_t stream) override { return device_->HoldStream(stream); }
  Status RecoverStream(uint32_t stream) override { return device_->RecoverStream(stream); }
  Status RecoverDevice() override { return device_->RecoverDevice(); }
  // Where doorbells may be lost, who waits rings again from time to time, as a driver does that does not trust its
  // hardware.
  WaitResult WaitDone(uint32_t stream, uint64_t entry, const base::Deadline& deadline) override {
    if (!is_armed_.load(std::memory_order_acquire)) return device_->WaitDone(stream, entry, deadline);
    for (;;) {
      const int64_t left_ns = deadline.RemainingNanoseconds();
      const bool is_last = left_ns >= 0 && left_ns <= kRingAgainNanoseconds;
      const auto until = is_last ? deadline : base::Deadline::AfterNanoseconds(kRingAgainNanoseconds);
      const WaitResult result = device_->WaitDone(stream, entry, until);
      if (result != WaitResult::kTimeout || is_last) return result;
      RingAgain();
    }
  }
  bool Reacts(const base::Deadline& deadline) override { return device_->Reacts(deadline); }
  void Poll() override {
    if (is_armed_.load(std::memory_order_acquire)) RingAgain();
    device_->Poll();
  }
  void DrainInterrupts() override { device_->DrainInterrupts(); }
  bool lost() const noexcept override { return device_->lost(); }

 private:
  static constexpr int64_t kRingAgainNanoseconds = 20'000'000;

  struct Slot {
    std::shared_ptr<base::ArmedInjection> armed;
    uint64_t matched = 0, happened = 0;  // counted already
  };

  // What the device has counted since the last time.
  void Count() REQUIRES(mutex_) {
    for (Slot& slot : slots_) {
      if (slot.armed == nullptr) continue;
      const types::ArmedFault& fault = bar_.faults[&slot - slots_.data()];
      const uint64_t matched = fault.matched.load(std::memory_order_relaxed);
      const uint64_t happened = fault.happened.load(std::memory_order_relaxed);
      slot.armed->matched.fetch_add(matched - std::exchange(slot.matched, matched), std::memory_order_relaxed);
      slot.armed->happened.fetch_add(happened - std::exchange(slot.happened, happened), std::memory_order_relaxed);
    }
  }

  Status Refusal(const char* what) const {
    if (base::InjectionRegistry::Get().IsEmpty()) return {};
    for (const auto& armed : base::InjectionRegistry::Get().Of(InjectionPlace::kRequest, id_)) {
      if (armed->Match()) {
        return Status(Code::kDriverInternal,
                      fmt::format("device {} refused {}: injected by {}", id_, what, armed->injection.text));
      }
    }
    return {};
  }

  void RingAgain() {
    for (uint32_t slot = 0; slot < bar_.boot.stream_count; ++slot) {
      types::StreamRegisters& registers = bar_.streams[slot];
      if (registers.done.load(std::memory_order_relaxed) < registers.tail.load(std::memory_order_relaxed))
        types::RingDoorbell(*bar_.header, registers, slot);
    }
  }

  const std::unique_ptr<Device> device_;
  const int32_t id_;
  std::atomic<bool> is_armed_{false};
  base::Mutex mutex_;
  std::vector<Slot> slots_ GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Device> MakeInjectingDevice(std::unique_ptr<Device> device, int32_t id) {
  return std::make_unique<InjectingDevice>(std::move(device), id);
}

}  // namespace forebay::driver
