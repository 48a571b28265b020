#include "forebay/runtime/device_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "context/fork_guard.h"
#include "device/visible_devices.h"
#include "diagnosis/dump_signal.h"
#include "exception/exception_module.h"
#include "forebay/base/architecture.h"
#include "forebay/base/log.h"
#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/share_directory.h"
#include "forebay/base/soc_profile.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/event.h"
#include "forebay/runtime/kernel.h"
#include "forebay/runtime/notify.h"
#include "forebay/runtime/state_callbacks.h"
#include "forebay/runtime/stream.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"
#include "memory/allocation_table.h"
#include "memory/check/memory_reports.h"
#include "memory/host_registration.h"
#include "memory/managed_memory.h"
#include "memory/memory_pool_impl.h"
#include "memory/pool/stream_order.h"
#include "memory/pool_registry.h"
#include "memory/virtual_memory.h"

namespace forebay::runtime {
namespace {

constexpr int32_t kMostDevices = 64;

class DeviceTable {
 public:
  DeviceTable() {
    for (int32_t id = 0; id < kMostDevices; ++id) devices_[static_cast<size_t>(id)] = std::make_unique<DeviceState>(id);
  }
  std::array<std::unique_ptr<DeviceState>, kMostDevices>& devices() noexcept { return devices_; }

 private:
  std::array<std::unique_ptr<DeviceState>, kMostDevices> devices_;
};

std::array<std::unique_ptr<DeviceState>, kMostDevices>& Devices() {
  static base::NeverDestroyed<DeviceTable> table;
  return table->devices();
}

void LogEvent(const std::string& text) { base::Log(base::LogModule::kRuntime, base::LogLevel::kEvent, text); }

Status NoSuchDevice(int32_t id) {
  const base::Configuration configuration = CurrentConfiguration();
  const VisibleDevices visible = FindVisibleDevices(configuration);
  const std::size_t count = visible.physical.size();
  if (visible.list.empty()) {
    return Status(Code::kInvalidDeviceId, fmt::format("device {} does not exist", id),
                  fmt::format("There are {} devices; use 0 to {}", count, count - 1));
  }
  return Status(
      Code::kInvalidDeviceId,
      fmt::format("device {} is not among the visible ones: ASCEND_RT_VISIBLE_DEVICES, or visible_devices, is "
                  "\"{}\", which shows {} of {} devices",
                  id, visible.list, count, configuration.devices),
      count == 0 ? "No device is visible; correct the list"
                 : fmt::format("Use a logical number (logical -> physical: {})", visible.Describe()));
}

}  // namespace

Result<DeviceState*> FindDevice(int32_t id) {
  const int32_t count = DeviceCount();
  if (id < 0 || id >= count) {
    return NoSuchDevice(id);
  }
  return Devices()[static_cast<size_t>(id)].get();
}

DeviceState* DeviceOfAddress(const void* address) noexcept {
  const auto owns = [address](const DeviceState& device) {
    if ((device.power_cycle() & 1) == 0) return false;
    const auto sip = device.sip();
    return sip && sip->OwnsAddress(reinterpret_cast<uint64_t>(address));
  };
  const auto& devices = Devices();
  // Mostly it is of the device that the thread uses.
  const auto current = static_cast<std::size_t>(CurrentThread().device);
  if (current < devices.size() && owns(*devices[current])) return devices[current].get();
  for (const auto& device : devices) {
    if (owns(*device)) return device.get();
  }
  return nullptr;
}

DeviceState* DeviceOfPinned(const void* address, uint64_t bytes) noexcept {
  for (const auto& device : Devices()) {
    if ((device->power_cycle() & 1) == 0) continue;
    const auto sip = device->sip();
    if (sip && sip->FindPinned(address, bytes)) return device.get();
  }
  return nullptr;
}

Status SetDevice(int32_t id) {
  RETURN_IF_ERROR(CheckNotForked());
  RETURN_IF_ERROR(EnvironmentStatus());
  ASSIGN_OR_RETURN(DeviceState * device, FindDevice(id));
  RETURN_IF_ERROR(device->Retain());
  ThreadState& thread = CurrentThread();
  thread.device = id;
  thread.explicit_context = 0;
  thread.default_context = device->default_context();
  return {};
}

Status ResetDevice(int32_t id, bool force) {
  RETURN_IF_ERROR(CheckNotForked());
  ASSIGN_OR_RETURN(DeviceState * device, FindDevice(id));
  return device->Release(force);
}

void ResetAllDevices() {
  for (const auto& device : Devices()) device->Release(/*force=*/true).IgnoreError();
}

DeviceState::DeviceState(int32_t id)
    : id_(id),
      exceptions_(std::make_unique<ExceptionModule>(this)),
      stream_order_(std::make_unique<StreamOrder>([this](uint32_t slot) {
        const sip::Device* device = done_source_.load(std::memory_order_acquire);
        return device != nullptr ? device->DoneEntry(slot) : ~uint64_t{0};
      })),
      pools_(std::make_unique<PoolRegistry>()) {
  stream_order_->SetObserver([this](uint32_t from, uint32_t to) { pools_->NoteOrder(from, to); });
}
DeviceState::~DeviceState() = default;

// ---- Power ----

bool DeviceState::LockPower() {
  const Stream* stream = CurrentThread().callback_stream;
  if (stream == nullptr || &stream->device() != this) {
    power_mutex_.Lock();
    return true;
  }
  while (!power_mutex_.TryLock()) {
    if (switching_off_.load(std::memory_order_acquire)) return false;
    std::this_thread::yield();
  }
  return true;
}

Status DeviceState::SwitchesOff() const {
  return Status(
      Code::kParamInvalid,
      fmt::format("a host function of a stream of device {} sets or resets it while the reset waits for that function",
                  id_),
      "Do not call the runtime from a host function");
}

Status DeviceState::Retain() {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kStateChange, "sets a device"));
  if (!LockPower()) return SwitchesOff();
  const Status retained = RetainLocked();
  power_mutex_.Unlock();
  return retained;
}

Status DeviceState::RetainLocked() {
  if (references_ == 0) RETURN_IF_ERROR(PowerOn());
  ++references_;
  return {};
}

Status DeviceState::RetainFirst() {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kStateChange, "makes a context"));
  base::MutexLock lock(power_mutex_);
  if (references_ > 0) return {};
  RETURN_IF_ERROR(PowerOn());
  references_ = 1;
  return {};
}

Status DeviceState::Release(bool force) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kStateChange, "resets a device"));
  if (!LockPower()) return SwitchesOff();
  const Status released = ReleaseLocked(force);
  power_mutex_.Unlock();
  return released;
}

Status DeviceState::ReleaseLocked(bool force) {
  if (references_ == 0) {
    return Status(Code::kInvalidDeviceId, fmt::format("device {} is not set", id_),
                  "Reset a device as often as it was set");
  }
  if (!force && references_ > 1) {
    --references_;
    return {};
  }
  if (const Stream* stream = CurrentThread().callback_stream; stream != nullptr && &stream->device() == this)
    return SwitchesOff();
  references_ = 0;
  switching_off_.store(true, std::memory_order_release);
  PowerOff(/*bounded=*/force);
  switching_off_.store(false, std::memory_order_release);
  return {};
}

Status DeviceState::PowerOn() {
  NoteDeviceUse();
  // What a process has left that was killed together with its device.
  base::TidyShareDirectory();
  EnsureDumpThread();
  NotifyDeviceChange(0, id_, DeviceChange::kSetBegins);
  const base::Configuration configuration = CurrentConfiguration();
  // Before the device runs: it may fail at once.
  ForgetFailure();
  ASSIGN_OR_RETURN(std::shared_ptr<sip::Device> device, sip::Device::Open(id_, configuration, exceptions_.get()));
  stream_order_->Reset();
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryPool> pool,
                   MakeDevicePool(*this, device, uint64_t(configuration.initial_pool) << 20));
  std::shared_ptr<MemoryPool> pinned = MakePinnedPool(*this, device);
  done_source_.store(device.get(), std::memory_order_release);
  pools_->Open();
  pools_->Add(pool);
  {
    base::MutexLock lock(mutex_);
    sip_ = device;
    sampled_at_ = base::ReadCycleCounter();
    sampled_busy_ = 0;
    memory_pool_ = pool;
    pinned_pool_ = pinned;
    kernel_names_.clear();
    retired_images_.clear();
    retired_events_.clear();
    retired_notifies_.clear();
    areas_.clear();
    overflow_mode_.store(device->profile().generation->inf_nan_mode ? OverflowMode::kInfNan : OverflowMode::kSaturation,
                         std::memory_order_release);
    power_cycle_.fetch_add(1, std::memory_order_acq_rel);
  }
  GrantManagedTo(id_);
  auto context = Context::Create(*this, /*is_default=*/true);
  if (!context.ok()) {
    pools_->DetachAll();
    DetachPool(*pinned);
    done_source_.store(nullptr, std::memory_order_release);
    EndMappingsOf(id_, device);
    base::MutexLock lock(mutex_);
    memory_pool_.reset();
    pinned_pool_.reset();
    sip_.reset();
    power_cycle_.fetch_add(1, std::memory_order_acq_rel);
    return context.status();
  }
  default_context_.store(*context, std::memory_order_release);
  NotifyDeviceChange(*context, id_, DeviceChange::kSet);
  LogEvent(fmt::format("device {} is started: {}, {}", id_, configuration.soc, configuration.device_mode));
  return {};
}

bool DeviceState::StreamsEndWithin(int64_t timeout_ms) {
  const std::shared_ptr<sip::Device> device = sip();
  const auto deadline = base::Deadline::AfterNanoseconds(timeout_ms * 1'000'000);
  for (const UnfinishedStream& busy : UnfinishedStreams()) {
    if (device->WaitDone(busy.slot, busy.tail, deadline) != sip::WaitResult::kDone) return false;
  }
  return true;
}

void DeviceState::PowerOff(bool bounded) {
  NotifyDeviceChange(default_context(), id_, DeviceChange::kResetBegins);
  // A reset by force is the way out when a stream waits for what never comes, so it does not wait for ever with it.
  const bool drop = is_failed() || (bounded && !StreamsEndWithin(CurrentConfiguration().reset_timeout));
  default_context_.store(0, std::memory_order_release);
  peers_.store(0, std::memory_order_release);
  std::vector<uint64_t> contexts;
  {
    base::MutexLock lock(mutex_);
    contexts = contexts_;
  }
  // The stream table is walked context by context: every stream of the device becomes stale before its queue is gone.
  for (const uint64_t context : contexts) Context::EndWithDevice(context, drop || is_failed()).IgnoreError();
  std::shared_ptr<sip::Device> device;
  std::shared_ptr<MemoryPool> pool;
  std::shared_ptr<MemoryPool> pinned;
  {
    // From here on nothing new is handed out.
    base::MutexLock lock(mutex_);
    device.swap(sip_);
    pool.swap(memory_pool_);
    pinned.swap(pinned_pool_);
    power_cycle_.fetch_add(1, std::memory_order_acq_rel);
    contexts = contexts_;
    told_.NotifyAll();
  }
  // Contexts that other threads made meanwhile.
  for (const uint64_t context : contexts) Context::EndWithDevice(context, drop || is_failed()).IgnoreError();
  Event::DestroyAllOf(*this);
  Notify::DestroyAllOf(*this);
  UnloadAllKernelsOf(*this);
  ReclaimImages(device);
  {
    base::MutexLock lock(mutex_);
    for (const RetiredEvent& event : retired_events_) device->FreeEvent(event.event);
    retired_events_.clear();
    for (const RetiredNotify& notify : retired_notifies_) device->FreeNotify(notify.notify);
    retired_notifies_.clear();
    for (const RetiredImage& image : retired_images_) device->UnloadImage(image.image);
    retired_images_.clear();
  }
  EndRegistrationsOf(*device);
  EndMappingsOf(id_, device);
  AllocationTable::Get().RemoveAllOf(id_);
  pools_->DetachAll();
  DetachPool(*pinned);
  done_source_.store(nullptr, std::memory_order_release);
  // A thread that is just leaving a call may still hold the device. It has to be closed before it can be opened again,
  // because its addresses are the same.
  const auto deadline = base::Deadline::AfterNanoseconds(10'000'000'000);
  while (device.use_count() > 1 && !deadline.Passed()) std::this_thread::yield();
  device.reset();
  MemoryReports::Get().WriteSummary();
  ForgetFailure();
  NotifyDeviceChange(0, id_, DeviceChange::kReset);
  LogEvent(fmt::format("device {} is ended", id_));
}

std::shared_ptr<sip::Device> DeviceState::sip() const {
  base::MutexLock lock(mutex_);
  return sip_;
}

Status DeviceState::device_failure() const {
  base::MutexLock lock(mutex_);
  return failure_;
}

std::shared_ptr<MemoryPool> DeviceState::memory_pool() const {
  base::MutexLock lock(mutex_);
  return memory_pool_;
}

std::shared_ptr<MemoryPool> DeviceState::pinned_pool() const {
  base::MutexLock lock(mutex_);
  return pinned_pool_;
}

void DeviceState::NoteFailureTold() {
  base::MutexLock lock(mutex_);
  failure_told_ = true;
  told_.NotifyAll();
}

void DeviceState::AwaitNewsOfLoss(const sip::Device& device) const {
  base::MutexLock lock(mutex_);
  // The thread that tells may wait itself, where the application frees what it has.
  if (CurrentThread().notification == Notification::kFailure) return;
  while (!failure_told_ && sip_.get() == &device) told_.Wait(mutex_);
}

uint32_t DeviceState::streams_available() const {
  const std::shared_ptr<sip::Device> device = sip();
  return device ? device->queues_available() : 0;
}

uint32_t DeviceState::events_available() {
  base::MutexLock lock(mutex_);
  if (!sip_) return 0;
  ReclaimEventsLocked(*sip_);
  return sip_->events_available();
}

}  // namespace forebay::runtime
