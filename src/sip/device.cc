#include "forebay/sip/device.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "device_parts.h"
#include "forebay/base/architecture.h"
#include "forebay/base/injection.h"
#include "forebay/base/macros.h"
#include "forebay/driver/device.h"

namespace forebay::sip {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr uint64_t kTiB = uint64_t{1} << 40;

// The addresses of all devices, of which each has a part, as far as they go; and the parts of many devices are smaller.
// The sanitizers leave other parts of the address space to the program.
constexpr types::AddressWindow kDeviceAddresses =
    base::kThreadSanitizer ? types::AddressWindow{64 * kGiB, 256 * kGiB} : types::AddressWindow{32 * kTiB, 32 * kTiB};
constexpr uint64_t kMostAddresses = base::kThreadSanitizer ? 32 * kGiB : 4 * kTiB;

// The firmware lies beside the library that holds this code.
std::string FindFirmware(const base::Configuration& configuration) {
  if (!configuration.firmware.empty()) return configuration.firmware;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&FindFirmware), &info) == 0 || info.dli_fname == nullptr)
    return "forebay-npu";
  std::error_code ignored;
  const auto library = std::filesystem::canonical(info.dli_fname, ignored);
  return (library.parent_path() / "forebay" / "forebay-npu").string();
}

types::BootParameters MakeBootParameters(int32_t id, const base::Configuration& configuration,
                                         const base::SocProfile& profile) {
  types::BootParameters boot{};
  uint64_t pinned = static_cast<uint64_t>(configuration.pinned_memory) * kMiB;
  if (pinned == 0) pinned = std::max(FreeMemoryBytes() / 4, 64 * kMiB);
  // Half of the device's addresses are for its own memory, half for pinned memory.
  const uint64_t devices = static_cast<uint64_t>(configuration.devices);
  const uint64_t addresses = std::min(kMostAddresses, kDeviceAddresses.bytes / devices / kGiB * kGiB);
  boot.window = {kDeviceAddresses.base + static_cast<uint64_t>(id) * addresses, addresses / 2};
  boot.pinned_bytes = std::min(RoundUp(pinned, kMemoryGranule), boot.window.bytes);
  boot.memory_bytes = std::min(DeviceMemoryBytes(configuration, profile), boot.window.bytes);
  boot.common[0] = {kManagedAddresses.base, kMappedAddresses.base + kMappedAddresses.bytes - kManagedAddresses.base};
  if constexpr (kManagedAddresses.base > kMappedAddresses.base)
    boot.common[0] = {kMappedAddresses.base, kManagedAddresses.base + kManagedAddresses.bytes - kMappedAddresses.base};
  boot.common[1] = kLocalMappedAddresses;
  boot.common[2] = kDeviceAddresses;  // memory of other devices
  boot.cycle_frequency = base::CycleCounterFrequency();
  uint64_t seed = 0;
  boot.scheduled_by_seed = configuration.ScheduleSeed(&seed) ? 1 : 0;
  boot.schedule_seed = seed;
  boot.stream_count =
      configuration.streams != 0 ? static_cast<uint32_t>(configuration.streams) : profile.generation->streams;
  const uint32_t events =
      configuration.events != 0 ? static_cast<uint32_t>(configuration.events) : profile.generation->events;
  // Every stream has an event register of its own for the events that the runtime inserts.
  boot.event_count = boot.stream_count + events + profile.generation->notifies;
  boot.queue_depth = static_cast<uint32_t>(configuration.queue_depth);
  boot.ai_core_count = configuration.ai_cores != 0 ? static_cast<uint32_t>(configuration.ai_cores)
                                                   : std::max(profile.cube_cores, profile.vector_cores);
  boot.core_threads = configuration.core_threads != 0 ? static_cast<uint32_t>(configuration.core_threads)
                                                      : std::max(2u, std::thread::hardware_concurrency());
  // By seed and inside the application the device runs on the waiting thread, so that nothing depends on timing.
  if (boot.scheduled_by_seed != 0 && configuration.device_mode == "inline") boot.core_threads = 0;
  boot.stack_bytes = static_cast<uint32_t>(configuration.block_stack) * 1024;
  boot.spin_us = static_cast<uint32_t>(configuration.device_spin);
  boot.device_id = static_cast<uint32_t>(id);
  boot.host_process = static_cast<uint32_t>(getpid());
  profile.name.copy(boot.part, sizeof boot.part - 1);
  return boot;
}

}  // namespace

Counters ReadCounters() noexcept {
  const auto read = [](const std::atomic<uint64_t>& counter) { return counter.load(std::memory_order_acquire); };
  return {read(counters.open_devices),    read(counters.memory_ranges), read(counters.memory_bytes),
          read(counters.pinned_ranges),   read(counters.pinned_bytes),  read(counters.stream_queues),
          read(counters.event_registers), read(counters.kernel_images)};
}

// Turns what the driver reports into what the runtime wants to know.
class Device::Upcall final : public driver::InterruptSink {
 public:
  Upcall(Device* device, Listener* listener) : device_(device), listener_(listener) {}

  void OnInterrupt(const types::InterruptRecord& record) override {
    if (record.kind == types::InterruptKind::kHostFunction) {
      listener_->OnHostFunction(record.stream, record.entry);
    } else if (record.kind == types::InterruptKind::kTaskFailed || record.kind == types::InterruptKind::kDeviceFailed) {
      const FaultReport report = Classify(record);
      if (IsDeviceFailure(report.severity) || record.kind == types::InterruptKind::kDeviceFailed) {
        listener_->OnDeviceFailed(report);
      } else {
        listener_->OnTaskFailed(report);
      }
    }
  }
  void OnPrint(std::string_view text) override { listener_->OnPrint(text); }
  void OnLost(const std::string& reason) override {
    device_->lost_.store(true, std::memory_order_release);
    types::InterruptRecord record{};
    record.cause = types::FaultCause::kPowerDown;
    record.block = -1;
    FaultReport report = Classify(record);
    report.message = reason;
    listener_->OnDeviceFailed(report);
  }

 private:
  Device* const device_;
  Listener* const listener_;
};

Device::Device(int32_t id, const base::SocProfile& profile) : id_(id), profile_(profile) {}

Result<std::unique_ptr<Device>> Device::Open(int32_t id, const base::Configuration& configuration, Listener* listener) {
  const base::SocProfile* profile = base::FindSocProfile(configuration.soc);
  if (profile == nullptr) {
    return Status(Code::kDeviceSetup, fmt::format("the part \"{}\" is not known", configuration.soc),
                  fmt::format("Set soc to one of {}", base::SocNames()));
  }
  for (const auto& armed : base::InjectionRegistry::Get().Of(base::InjectionPlace::kStart, id)) {
    if (armed->Match()) {
      return Status(Code::kDeviceSetup,
                    fmt::format("device {} did not start: injected by {}", id, armed->injection.text));
    }
  }
  std::unique_ptr<Device> device(new Device(id, *profile));
  driver::DeviceOptions options;
  options.backend = configuration.device_mode == "inline" ? driver::Backend::kInline
                    : configuration.device_mode == "null" ? driver::Backend::kNull
                                                          : driver::Backend::kProcess;
  options.boot = MakeBootParameters(id, configuration, *profile);
  options.boot_timeout_ms = configuration.boot_timeout;
  options.request_timeout_ms = configuration.request_timeout;
  options.heartbeat_ms = configuration.heartbeat;
  options.spin_us = static_cast<uint32_t>(configuration.host_spin);
  if (options.backend == driver::Backend::kProcess) options.firmware_path = FindFirmware(configuration);
  device->boot_ = options.boot;
  device->stream_limit_ = options.boot.stream_count;
  device->first_notify_ = options.boot.event_count - profile->generation->notifies;
  device->upcall_ = std::make_unique<Upcall>(device.get(), listener);
  {
    base::MutexLock lock(device->mutex_);
    device->memory_ = std::make_unique<Memory>(options.boot);
    device->pinned_ =
        std::make_unique<RangeAllocator>(options.boot.memory_bytes, options.boot.pinned_bytes, kPinnedGranularity);
    for (uint32_t i = options.boot.stream_count; i > 0; --i) device->free_queues_.push_back(i - 1);
    for (uint32_t i = device->first_notify_; i > options.boot.stream_count; --i) device->free_events_.push_back(i - 1);
    for (uint32_t i = options.boot.event_count; i > device->first_notify_; --i) device->free_notifies_.push_back(i - 1);
  }
  auto opened = driver::Device::Open(options, device->upcall_.get());
  if (!opened.ok()) {
    Error error = *opened.status().error();
    error.device = id;
    if (error.code == Code::kDriverInternal) {
      error.message += fmt::format("; device_memory is {} MiB, pinned_memory {} MiB", options.boot.memory_bytes / kMiB,
                                   options.boot.pinned_bytes / kMiB);
    }
    // Whatever is missing, the device cannot be started for want of it.
    error.code = Code::kDeviceSetup;
    return Status(std::move(error));
  }
  device->driver_ = std::make_unique<Driver>(Driver{*std::move(opened)});
  counters.open_devices.fetch_add(1, std::memory_order_acq_rel);
  return device;
}

Device::~Device() {
  if (!driver_) return;
  driver_.reset();
  counters.open_devices.fetch_sub(1, std::memory_order_acq_rel);
}

int Device::process_id() const noexcept { return driver_->device->process_id(); }
const types::DeviceCounters& Device::device_counters() const noexcept {
  return driver_->device->bar().header->counters;
}

std::vector<Device::BusyCore> Device::BusyCores() const {
  std::vector<BusyCore> busy;
  const types::CoreState* cores = driver_->device->bar().cores;
  for (uint32_t i = 0; cores != nullptr && i < types::CoreLimit(boot_); ++i) {
    const int64_t since_ns = cores[i].since_ns.load(std::memory_order_acquire);
    if (since_ns != 0) busy.push_back({i, cores[i].stream.load(std::memory_order_relaxed), since_ns});
  }
  return busy;
}

bool Device::Reacts(int64_t timeout_ns) const {
  return driver_->device->Reacts(base::Deadline::AfterNanoseconds(timeout_ns));
}

Result<types::QueueGrant> Device::GrantQueue() {
  const types::BarView& bar = driver_->device->bar();
  base::MutexLock lock(mutex_);
  if (free_queues_.empty()) {
    return Status(
        Code::kResourceAllocFail,
        fmt::format("device {} has no stream left: {} of at most {} exist", id_, stream_limit_, stream_limit_),
        "Destroy streams that are no longer used; default streams count too");
  }
  // The queue returned last is given out first: its ring is still in the caches.
  const uint32_t slot = free_queues_.back();
  free_queues_.pop_back();
  counters.stream_queues.fetch_add(1, std::memory_order_acq_rel);
  bar.header->queues_granted.fetch_add(1, std::memory_order_relaxed);
  return types::QueueGrant{bar.header, &bar.streams[slot], bar.Ring(slot), uint64_t{boot_.queue_depth} - 1, slot, slot};
}

void Device::ReturnQueue(uint32_t slot) {
  base::MutexLock lock(mutex_);
  free_queues_.push_back(slot);
  counters.stream_queues.fetch_sub(1, std::memory_order_acq_rel);
  driver_->device->bar().header->queues_granted.fetch_sub(1, std::memory_order_relaxed);
}

uint32_t Device::queues_available() const noexcept {
  base::MutexLock lock(mutex_);
  return static_cast<uint32_t>(free_queues_.size());
}

Result<uint32_t> Device::AllocateEvent() {
  base::MutexLock lock(mutex_);
  if (free_events_.empty()) {
    return Status(
        Code::kNoEventResource,
        fmt::format("device {} has no event left: all {} are in use", id_, first_notify_ - boot_.stream_count),
        "Destroy events that are no longer used");
  }
  const uint32_t event = free_events_.back();
  free_events_.pop_back();
  counters.event_registers.fetch_add(1, std::memory_order_acq_rel);
  return event;
}

void Device::FreeEvent(uint32_t event) {
  base::MutexLock lock(mutex_);
  free_events_.push_back(event);
  counters.event_registers.fetch_sub(1, std::memory_order_acq_rel);
}

types::EventRegister& Device::event_register(uint32_t event) const noexcept {
  return driver_->device->bar().events[event];
}

uint32_t Device::events_available() const noexcept {
  base::MutexLock lock(mutex_);
  return static_cast<uint32_t>(free_events_.size());
}

Result<uint32_t> Device::AllocateNotify() {
  base::MutexLock lock(mutex_);
  if (free_notifies_.empty()) {
    return Status(
        Code::kNoNotifyResource,
        fmt::format("device {} has no notify left: all {} are in use", id_, boot_.event_count - first_notify_),
        "Destroy notifies that are no longer used");
  }
  const uint32_t notify = free_notifies_.back();
  free_notifies_.pop_back();
  types::EventRegister& counter = event_register(notify);
  counter.failed_to.store(0, std::memory_order_relaxed);
  counter.value.store(0, std::memory_order_release);
  counters.event_registers.fetch_add(1, std::memory_order_acq_rel);
  return notify;
}

void Device::FreeNotify(uint32_t notify) {
  base::MutexLock lock(mutex_);
  free_notifies_.push_back(notify);
  counters.event_registers.fetch_sub(1, std::memory_order_acq_rel);
}

Result<uint32_t> Device::LoadImage(std::span<const std::byte> image, const std::vector<std::string>& names,
                                   uint64_t home) {
  ASSIGN_OR_RETURN(const uint32_t slot, driver_->device->LoadImage(image, names, home));
  counters.kernel_images.fetch_add(1, std::memory_order_acq_rel);
  return slot;
}

void Device::UnloadImage(uint32_t image) {
  driver_->device->UnloadImage(image).IgnoreError();
  counters.kernel_images.fetch_sub(1, std::memory_order_acq_rel);
}

Status Device::ArmInjections() { return driver_->device->ArmInjections(); }
Status Device::RecoverDevice() { return driver_->device->RecoverDevice(); }
Status Device::AbortStream(uint32_t stream) { return driver_->device->AbortStream(stream); }
Status Device::HoldStream(uint32_t stream) { return driver_->device->HoldStream(stream); }
Status Device::RecoverStream(uint32_t stream) { return driver_->device->RecoverStream(stream); }

WaitResult Device::WaitDone(uint32_t stream, uint64_t entry, const base::Deadline& deadline) {
  switch (driver_->device->WaitDone(stream, entry, deadline)) {
    case driver::WaitResult::kDone: return WaitResult::kDone;
    case driver::WaitResult::kTimeout: return WaitResult::kTimeout;
    case driver::WaitResult::kLost: break;
  }
  return WaitResult::kLost;
}

uint64_t Device::DoneEntry(uint32_t stream) const noexcept {
  return driver_->device->bar().streams[stream].done.load(std::memory_order_acquire);
}

void Device::Poll() { driver_->device->Poll(); }
void Device::DrainInterrupts() { driver_->device->DrainInterrupts(); }

std::optional<MemoryRange> Device::FindPinnedPiece(const void* address, uint64_t bytes) const noexcept {
  if (const auto offset = FindPinned(address, bytes)) return MemoryRange{*offset, bytes};
  const auto offset = FindPinned(address, 1);
  if (!offset) return std::nullopt;
  const auto at = reinterpret_cast<uint64_t>(address);
  base::MutexLock lock(mutex_);
  auto alias = aliases_.upper_bound(at);
  if (alias != aliases_.begin() && at - (--alias)->first < alias->second.bytes)
    return MemoryRange{*offset, std::min(bytes, alias->second.bytes - (at - alias->first))};
  return MemoryRange{*offset, std::min(bytes, boot_.memory_bytes + boot_.pinned_bytes - *offset)};
}

}  // namespace forebay::sip
