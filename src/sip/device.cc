#include "forebay/sip/device.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "forebay/base/architecture.h"
#include "forebay/base/macros.h"
#include "forebay/driver/device.h"
#include "range_allocator.h"

namespace forebay::sip {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kMemoryGranularity = 2 * kMiB;
constexpr uint64_t kPinnedGranularity = 64 * 1024;

// Where device addresses begin. The sanitizers leave other parts of the address space to the program.
constexpr uint64_t kWindowBase = base::kThreadSanitizer ? uint64_t{64} << 30 : uint64_t{32} << 40;
constexpr uint64_t kWindowStride = base::kThreadSanitizer ? uint64_t{32} << 30 : uint64_t{1} << 40;

// The counters of the process, over all devices.
struct AtomicCounters {
  std::atomic<uint64_t> open_devices, memory_ranges, memory_bytes, pinned_ranges, pinned_bytes, stream_queues,
      event_registers, kernel_images;
};
AtomicCounters counters;

uint64_t RoundUp(uint64_t bytes, uint64_t unit) noexcept { return (bytes + unit - 1) / unit * unit; }

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
  // The window of a device has room for both.
  boot.pinned_bytes = std::min(RoundUp(pinned, kMemoryGranularity), kWindowStride / 2);
  boot.memory_bytes = std::min(DeviceMemoryBytes(configuration, profile), kWindowStride - boot.pinned_bytes);
  boot.window_base = kWindowBase + static_cast<uint64_t>(id) * kWindowStride;
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

class Device::RangeAllocator : public RangeAllocatorBase {
 public:
  using RangeAllocatorBase::RangeAllocatorBase;
};

struct Device::Driver {
  std::unique_ptr<driver::Device> device;
};

// Turns what the driver reports into what the runtime wants to know.
class Device::Upcall final : public driver::InterruptSink {
 public:
  Upcall(Device* device, Listener* listener) : device_(device), listener_(listener) {}

  void OnInterrupt(const types::InterruptRecord& record) override {
    if (record.kind == types::InterruptKind::kHostFunction) {
      listener_->OnHostFunction(record.stream, record.entry);
    } else if (record.kind == types::InterruptKind::kTaskFailed) {
      const FaultReport report = Classify(record);
      if (report.severity == Severity::kDevice) {
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
  std::unique_ptr<Device> device(new Device(id, *profile));
  driver::DeviceOptions options;
  options.backend = configuration.device_mode == "inline" ? driver::Backend::kInline
                    : configuration.device_mode == "null" ? driver::Backend::kNull
                                                          : driver::Backend::kProcess;
  options.boot = MakeBootParameters(id, configuration, *profile);
  options.boot_timeout_ms = configuration.boot_timeout;
  options.request_timeout_ms = configuration.request_timeout;
  options.spin_us = static_cast<uint32_t>(configuration.host_spin);
  if (options.backend == driver::Backend::kProcess) options.firmware_path = FindFirmware(configuration);
  device->boot_ = options.boot;
  device->stream_limit_ = options.boot.stream_count;
  device->first_notify_ = options.boot.event_count - profile->generation->notifies;
  device->upcall_ = std::make_unique<Upcall>(device.get(), listener);
  {
    base::MutexLock lock(device->mutex_);
    device->memory_ =
        std::make_unique<RangeAllocator>(options.boot.window_base, options.boot.memory_bytes, kMemoryGranularity);
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

uint64_t Device::memory_in_use() const noexcept {
  base::MutexLock lock(mutex_);
  return memory_->in_use();
}

Result<MemoryRange> Device::AllocateMemory(uint64_t bytes) {
  MemoryRange range;
  {
    base::MutexLock lock(mutex_);
    const uint64_t total = memory_->total();
    const uint64_t free_bytes = total - memory_->in_use();
    const auto refuse = [&] {
      return Status(Code::kMemoryAllocation,
                    fmt::format("device {} has no {} bytes of memory left in one piece: {} of {} are free", id_, bytes,
                                free_bytes, total),
                    "Free memory first, or give the device more with device_memory");
    };
    if (bytes == 0 || bytes > total) return refuse();
    range.bytes = RoundUp(bytes, kMemoryGranularity);
    const auto at = memory_->Allocate(range.bytes);
    if (!at) return refuse();
    range.address = *at;
  }
  if (Status mapped = driver_->device->Map(range.address - boot_.window_base, range.bytes); !mapped.ok()) {
    base::MutexLock lock(mutex_);
    memory_->Free(range.address);
    return mapped;
  }
  counters.memory_ranges.fetch_add(1, std::memory_order_acq_rel);
  counters.memory_bytes.fetch_add(range.bytes, std::memory_order_acq_rel);
  return range;
}

void Device::FreeMemory(const MemoryRange& range) {
  {
    base::MutexLock lock(mutex_);
    if (range.bytes == 0 || memory_->SizeAt(range.address) != range.bytes) return;
  }
  // A device that is gone has nothing mapped any more.
  driver_->device->Unmap(range.address - boot_.window_base, range.bytes).IgnoreError();
  base::MutexLock lock(mutex_);
  if (!memory_->Free(range.address)) return;
  counters.memory_ranges.fetch_sub(1, std::memory_order_acq_rel);
  counters.memory_bytes.fetch_sub(range.bytes, std::memory_order_acq_rel);
}

Result<MemoryRange> Device::AllocatePinned(uint64_t bytes) {
  base::MutexLock lock(mutex_);
  const uint64_t rounded = RoundUp(std::max<uint64_t>(bytes, 1), kPinnedGranularity);
  const auto at = bytes > pinned_->total() ? std::nullopt : pinned_->Allocate(rounded);
  if (!at) {
    return Status(Code::kMemoryAllocation,
                  fmt::format("device {} has no {} bytes of pinned host memory left: {} of {} are in use", id_, bytes,
                              pinned_->in_use(), pinned_->total()),
                  "Free pinned memory first, or raise pinned_memory");
  }
  counters.pinned_ranges.fetch_add(1, std::memory_order_acq_rel);
  counters.pinned_bytes.fetch_add(rounded, std::memory_order_acq_rel);
  return MemoryRange{*at, rounded};
}

void Device::FreePinned(const MemoryRange& range) {
  base::MutexLock lock(mutex_);
  if (range.bytes == 0 || pinned_->SizeAt(range.address) != range.bytes) return;
  // The pages go back to the system; whoever gets the range next finds zeros.
  madvise(driver_->device->HostView() + range.address, range.bytes, MADV_REMOVE);
  pinned_->Free(range.address);
  counters.pinned_ranges.fetch_sub(1, std::memory_order_acq_rel);
  counters.pinned_bytes.fetch_sub(range.bytes, std::memory_order_acq_rel);
}

std::byte* Device::HostViewOfDevice(uint64_t address, uint64_t bytes) const noexcept {
  base::MutexLock lock(mutex_);
  if (!memory_->Contains(address, bytes)) return nullptr;
  return driver_->device->HostView() + (address - boot_.window_base);
}

std::byte* Device::HostViewOfPinned(uint64_t offset) const noexcept { return driver_->device->HostView() + offset; }

std::optional<uint64_t> Device::FindPinned(const void* address, uint64_t bytes) const noexcept {
  const auto view = reinterpret_cast<uint64_t>(driver_->device->HostView());
  const auto at = reinterpret_cast<uint64_t>(address);
  const uint64_t begin = view + boot_.memory_bytes;
  if (at >= begin && at - begin < boot_.pinned_bytes) {
    if (bytes > boot_.pinned_bytes - (at - begin)) return std::nullopt;
    return at - view;
  }
  if (alias_count_.load(std::memory_order_acquire) == 0) return std::nullopt;
  base::MutexLock lock(mutex_);
  auto alias = aliases_.upper_bound(at);
  if (alias == aliases_.begin()) return std::nullopt;
  --alias;
  const uint64_t into = at - alias->first;
  const MemoryRange& range = alias->second;
  if (into >= range.bytes || bytes > range.bytes - into) return std::nullopt;
  return range.address + into;
}

Status Device::AliasPinned(void* address, const MemoryRange& range) {
  RETURN_IF_ERROR(driver_->device->MapForHost(address, range.address, range.bytes));
  base::MutexLock lock(mutex_);
  aliases_[reinterpret_cast<uint64_t>(address)] = range;
  alias_count_.store(aliases_.size(), std::memory_order_release);
  return {};
}

void Device::ForgetAlias(const void* address) {
  base::MutexLock lock(mutex_);
  aliases_.erase(reinterpret_cast<uint64_t>(address));
  alias_count_.store(aliases_.size(), std::memory_order_release);
}

Status Device::MapPinned(const MemoryRange& range) { return driver_->device->Map(range.address, range.bytes); }
void Device::UnmapPinned(const MemoryRange& range) {
  // A device that is gone has nothing mapped any more.
  driver_->device->Unmap(range.address, range.bytes).IgnoreError();
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
