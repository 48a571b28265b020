// Device management: discovery, firmware, physical memory, queues, health, faults. The runtime above schedules and owns
// resources; what the device physically has is counted and handed out here.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/configuration.h"
#include "forebay/base/mutex.h"
#include "forebay/base/soc_profile.h"
#include "forebay/status.h"
#include "forebay/types/bar.h"
#include "forebay/types/queue_grant.h"

namespace forebay::sip {

// Memory of the machine that nobody uses now, and what of it a device promises when it is powered on now.
uint64_t FreeMemoryBytes() noexcept;
uint64_t DeviceMemoryBytes(const base::Configuration& configuration, const base::SocProfile& profile) noexcept;

// Whether one operator failed, or the device as a whole.
enum class Severity { kOperator, kDevice };

// A failure as sip classifies it.
struct FaultReport {
  Severity severity = Severity::kOperator;
  Code code = Code::kInternal;
  std::string message;
  std::string advice;
  uint32_t stream = 0;  // slot
  uint32_t task = 0;
  uint64_t entry = 0;
  int32_t block = -1;
  uint32_t image = 0;
  uint32_t function = 0;
  bool from_kernel = false;
  bool from_dependency = false;
  uint32_t other_stream = 0;  // where a dependency failed
  uint32_t other_task = 0;
};
// The classification, a table by cause. Operator-level causes concern the stream; the rest the device.
FaultReport Classify(const types::InterruptRecord& record);

// What the device tells the runtime. Never called with a lock held, and by one thread at a time for one device.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void OnTaskFailed(const FaultReport& report) = 0;
  virtual void OnDeviceFailed(const FaultReport& report) = 0;
  // The stream has reached its host function at this entry.
  virtual void OnHostFunction(uint32_t stream, uint64_t entry) = 0;
  virtual void OnPrint(std::string_view text) = 0;
};

// What is handed out now. All zero after the last device was closed.
struct Counters {
  uint64_t open_devices = 0;
  uint64_t memory_ranges = 0;
  uint64_t memory_bytes = 0;
  uint64_t pinned_ranges = 0;
  uint64_t pinned_bytes = 0;
  uint64_t stream_queues = 0;
  uint64_t event_registers = 0;  // of events and notifies
  uint64_t kernel_images = 0;

  bool operator==(const Counters&) const = default;
};
// Over all devices of the process.
Counters ReadCounters() noexcept;

// A range of physical memory.
struct MemoryRange {
  uint64_t address = 0;  // device address; for pinned memory the offset in the memory file
  uint64_t bytes = 0;
};

enum class WaitResult { kDone, kTimeout, kLost };

// One open device. Thread safety: all functions may be called from any thread.
class Device {
 public:
  // Powers the device on: finds, verifies and starts the firmware. kDeviceSetup says what is wrong with it.
  static Result<std::unique_ptr<Device>> Open(int32_t id, const base::Configuration& configuration, Listener* listener);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int32_t id() const noexcept { return id_; }
  const base::SocProfile& profile() const noexcept { return profile_; }
  int process_id() const noexcept;
  uint64_t memory_bytes() const noexcept { return boot_.memory_bytes; }
  uint64_t memory_in_use() const noexcept;
  uint32_t ai_core_count() const noexcept { return boot_.ai_core_count; }
  // Whether a launch chooses between AI cores and vector cores, and so which part of its blocks it is.
  bool launches_choose_cores() const noexcept { return profile_.Has(base::SocFeature::kEngineType); }
  uint32_t queue_depth() const noexcept { return boot_.queue_depth; }
  uint64_t cycle_frequency() const noexcept { return boot_.cycle_frequency; }
  const types::DeviceCounters& device_counters() const noexcept;

  // Physical device memory, rounded up to 2 MiB and mapped. kMemoryAllocation when there is none left.
  Result<MemoryRange> AllocateMemory(uint64_t bytes) EXCLUDES(mutex_);
  void FreeMemory(const MemoryRange& range) EXCLUDES(mutex_);
  // Pinned host memory, rounded up to 64 KiB; `address` is the offset in the memory file, which the copy engine takes.
  Result<MemoryRange> AllocatePinned(uint64_t bytes) EXCLUDES(mutex_);
  void FreePinned(const MemoryRange& range) EXCLUDES(mutex_);
  // Where the host reads and writes [address, address + bytes), or null when that is not allocated device memory.
  std::byte* HostViewOfDevice(uint64_t address, uint64_t bytes) const noexcept EXCLUDES(mutex_);
  std::byte* HostViewOfPinned(uint64_t offset) const noexcept;
  // The offset of a host range that lies in this device's pinned memory, or in an alias of it, all through.
  std::optional<uint64_t> FindPinned(const void* address, uint64_t bytes) const noexcept EXCLUDES(mutex_);
  // How much of a host range, from its beginning on, lies in one piece of pinned memory, and where. Empty when it does
  // not begin in any.
  std::optional<MemoryRange> FindPinnedPiece(const void* address, uint64_t bytes) const noexcept EXCLUDES(mutex_);
  // Shows pinned memory at another host address too, in place of what is there, in whole pages. Whoever forgets the
  // alias puts something else there.
  Status AliasPinned(void* address, const MemoryRange& range) EXCLUDES(mutex_);
  void ForgetAlias(const void* address) EXCLUDES(mutex_);
  // Lets kernels use pinned memory, in whole pages, at PinnedWindowAddress.
  Status MapPinned(const MemoryRange& range);
  void UnmapPinned(const MemoryRange& range);
  uint64_t PinnedWindowAddress(uint64_t offset) const noexcept { return boot_.window_base + offset; }
  // Whether an address lies in this device's window, allocated or not.
  bool OwnsAddress(uint64_t address) const noexcept {
    return address >= boot_.window_base && address - boot_.window_base < boot_.memory_bytes;
  }

  // A stream's queue. kResourceAllocFail when all are taken.
  Result<types::QueueGrant> GrantQueue() EXCLUDES(mutex_);
  void ReturnQueue(uint32_t slot) EXCLUDES(mutex_);
  uint32_t queues_available() const noexcept EXCLUDES(mutex_);
  uint32_t queue_limit() const noexcept { return stream_limit_; }

  // An event register. kNoEventResource when all are taken.
  Result<uint32_t> AllocateEvent() EXCLUDES(mutex_);
  void FreeEvent(uint32_t event) EXCLUDES(mutex_);
  types::EventRegister& event_register(uint32_t event) const noexcept;
  uint32_t events_available() const noexcept EXCLUDES(mutex_);

  // A register that counts, at 0. kNoNotifyResource when all are taken. It is an event_register too.
  Result<uint32_t> AllocateNotify() EXCLUDES(mutex_);
  void FreeNotify(uint32_t notify) EXCLUDES(mutex_);
  // The number of a notify among those of the device, from 0.
  uint32_t NotifyNumber(uint32_t notify) const noexcept { return notify - first_notify_; }

  // `home` is the address of allocated device memory in which the image then lies, on a page boundary; 0: nowhere.
  Result<uint32_t> LoadImage(std::span<const std::byte> image, const std::vector<std::string>& names, uint64_t home);
  void UnloadImage(uint32_t image);

  Status AbortStream(uint32_t stream);
  Status HoldStream(uint32_t stream);
  Status RecoverStream(uint32_t stream);
  WaitResult WaitDone(uint32_t stream, uint64_t entry, const base::Deadline& deadline);
  // How many entries of a queue are done, whoever has it now. Never goes back.
  uint64_t DoneEntry(uint32_t stream) const noexcept;
  void Poll();
  void DrainInterrupts();
  bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }

 private:
  class Upcall;
  class RangeAllocator;

  Device(int32_t id, const base::SocProfile& profile);

  const int32_t id_;
  const base::SocProfile& profile_;
  types::BootParameters boot_{};
  uint32_t stream_limit_ = 0;
  uint32_t first_notify_ = 0;  // registers: of streams, of events, of notifies
  std::atomic<bool> lost_{false};
  mutable base::Mutex mutex_;
  std::unique_ptr<RangeAllocator> memory_ GUARDED_BY(mutex_);
  std::unique_ptr<RangeAllocator> pinned_ GUARDED_BY(mutex_);
  std::map<uint64_t, MemoryRange> aliases_ GUARDED_BY(mutex_);  // by host address
  std::atomic<std::size_t> alias_count_{0};
  std::vector<uint32_t> free_queues_ GUARDED_BY(mutex_);
  std::vector<uint32_t> free_events_ GUARDED_BY(mutex_);
  std::vector<uint32_t> free_notifies_ GUARDED_BY(mutex_);
  std::unique_ptr<Upcall> upcall_;
  // Type-erased, so that the driver's headers stay below.
  struct Driver;
  std::unique_ptr<Driver> driver_;
};

}  // namespace forebay::sip
