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

#include "forebay/base/address_map.h"
#include "forebay/base/architecture.h"
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

// What fails: nothing, one operator, or the device as a whole, which then can be repaired or only reset.
enum class Severity { kNotice, kOperator, kRepairable, kDevice };
constexpr bool IsDeviceFailure(Severity severity) noexcept { return severity >= Severity::kRepairable; }

// A failure as sip classifies it.
struct FaultReport {
  Severity severity = Severity::kOperator;
  Code code = Code::kInternal;
  std::string message;
  std::string advice;
  uint64_t address = 0;  // that could not be accessed; 0: none
  uint32_t stream = 0;   // slot
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
  virtual void OnTaskFailed(const FaultReport& report) = 0;  // kNotice, too
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

// The unit of physical device memory and of the addresses it lies at.
inline constexpr uint64_t kMemoryGranule = uint64_t{2} << 20;

// A range of memory.
struct MemoryRange {
  uint64_t address = 0;  // device address; for pinned memory the offset in the memory file
  uint64_t bytes = 0;
};

// A piece of physical memory, by its place in the memory file.
struct Extent {
  uint64_t offset = 0;
  uint64_t bytes = 0;

  bool operator==(const Extent&) const = default;
};

// Addresses that mean the same to the host and to every device, for three uses. Nothing else lies there.
inline constexpr uint64_t kGigabyte = uint64_t{1} << 30;
inline constexpr types::AddressWindow kManagedAddresses =
    base::kThreadSanitizer    ? types::AddressWindow{320 * kGigabyte, 32 * kGigabyte}
    : base::kAddressSanitizer ? types::AddressWindow{23552 * kGigabyte, 1024 * kGigabyte}
                              : types::AddressWindow{9216 * kGigabyte, 7168 * kGigabyte};
inline constexpr types::AddressWindow kMappedAddresses =
    base::kThreadSanitizer    ? types::AddressWindow{352 * kGigabyte, 96 * kGigabyte}
    : base::kAddressSanitizer ? types::AddressWindow{17408 * kGigabyte, 6144 * kGigabyte}
                              : types::AddressWindow{16384 * kGigabyte, 8192 * kGigabyte};
inline constexpr types::AddressWindow kLocalMappedAddresses =
    base::kThreadSanitizer ? types::AddressWindow{448 * kGigabyte, 64 * kGigabyte}
                           : types::AddressWindow{65536 * kGigabyte, 16384 * kGigabyte};

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

  // A core that has been running a kernel for some milliseconds.
  struct BusyCore {
    uint32_t core = 0;
    uint32_t stream = 0;
    int64_t since_ns = 0;  // of base::NowNanoseconds
  };
  std::vector<BusyCore> BusyCores() const;
  // Whether the device reacts within that time. It is asked for nothing, and keeps working when it does not.
  bool Reacts(int64_t timeout_ns) const;
  // Arms what the process wants to be injected now (base/injection.h), and counts what has happened.
  Status ArmInjections();

  // Addresses of the device, rounded up to whole granules, with nothing behind them yet: accesses fault.
  // kMemoryAllocation when there are none left.
  Result<uint64_t> ReserveAddresses(uint64_t bytes) EXCLUDES(mutex_);
  // The page of memory, with an address of a pool, that holds the address; 0: the lowest that has memory behind it.
  std::optional<MemoryRange> PageAround(uint64_t address) const EXCLUDES(mutex_);
  // Puts other memory, all zero, behind a page that has gone bad. The bad one is not used again until the device is
  // closed. kMemoryAllocation when there is none.
  Status ReplacePage(uint64_t address) EXCLUDES(mapping_mutex_, mutex_);
  // By what ReserveAddresses gave, with all that is still behind them.
  void ReleaseAddresses(uint64_t address) EXCLUDES(mapping_mutex_, mutex_);
  // Puts physical memory, all zero, behind reserved addresses that have none, in whole granules. kMemoryAllocation when
  // there is not enough. On failure nothing has changed.
  Status BackAddresses(uint64_t address, uint64_t bytes) EXCLUDES(mapping_mutex_, mutex_);
  // Gives back what is behind [address, address + bytes), which may be in parts only.
  void UnbackAddresses(uint64_t address, uint64_t bytes) EXCLUDES(mapping_mutex_, mutex_);
  // Moves the physical memory behind the ranges `from`, side by side, to `to`, where there is none yet. That costs one
  // request to the device and no fresh pages; what it holds is undefined then. All in whole granules. kParamInvalid,
  // with nothing changed, when something is not as said; after another failure nothing is behind any of the addresses.
  Status MoveBacking(uint64_t to, std::span<const MemoryRange> from) EXCLUDES(mapping_mutex_, mutex_);
  // Physical memory, all zero, without an address, in whole pages of 4 KiB. kMemoryAllocation when there is not enough.
  Result<std::vector<Extent>> TakePhysical(uint64_t bytes) EXCLUDES(mutex_);
  // Where it is mapped it is unmapped first. `discards`: what it holds is forgotten; else another process goes on with
  // it after this device, which is being closed.
  void GivePhysical(std::span<const Extent> extents, bool discards = true) EXCLUDES(mutex_);
  // Lets kernels and copies of this device use extents of a file, side by side, at addresses that are reserved, or that
  // lie in a common window. It neither takes nor gives physical memory. On failure nothing has changed.
  Status MapExtents(uint64_t address, std::span<const Extent> extents, uint32_t file) EXCLUDES(mapping_mutex_, mutex_);
  void UnmapExtents(uint64_t address, uint64_t bytes) EXCLUDES(mapping_mutex_, mutex_);
  // What of the memory file lies behind addresses; none when they have not memory of this device behind all of them.
  std::vector<Extent> ExtentsAt(uint64_t address, uint64_t bytes) const EXCLUDES(mutex_);
  // Makes this device the one that addresses of a common window belong to, and shows what is mapped there to the host
  // too, in a view of its own (HostViewOfDevice).
  Status OwnCommon(const types::AddressWindow& window) EXCLUDES(mutex_);
  void DisownCommon(uint64_t base) EXCLUDES(mutex_);
  // Shows the host extents of a file at an address, in place of what is there.
  Status ShowToHost(void* address, std::span<const Extent> extents, uint32_t file);
  // The memory file, and other files to map from: number 0, and those that OpenFile gave.
  int memory_file() const noexcept;
  Result<uint32_t> OpenFile(int descriptor);
  void CloseFile(uint32_t file);
  // Pinned host memory, rounded up to 64 KiB; `address` is the offset in the memory file, which the copy engine takes.
  Result<MemoryRange> AllocatePinned(uint64_t bytes) EXCLUDES(mutex_);
  // All of it, or whole pages of 64 KiB.
  void FreePinned(const MemoryRange& range) EXCLUDES(mutex_);
  // Where the host reads and writes [address, address + bytes), or null when not all of it has memory behind it.
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
  uint64_t PinnedWindowAddress(uint64_t offset) const noexcept {
    return boot_.window.base + boot_.window.bytes + (offset - boot_.memory_bytes);
  }
  // How many addresses the device has.
  uint64_t address_bytes() const noexcept { return boot_.window.bytes; }
  // Whether an address lies in this device's window, allocated or not, or is mapped where OwnCommon was called.
  bool OwnsAddress(uint64_t address) const noexcept EXCLUDES(mutex_) {
    return boot_.window.Holds(address, 1) ||
           (common_count_.load(std::memory_order_acquire) != 0 && OwnsCommonAddress(address));
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
  bool HasRegister(uint32_t event) const noexcept { return event < boot_.event_count; }
  // Whether a register is the one that comes with a stream of that number, and not an event's.
  bool IsOfStream(uint32_t event) const noexcept { return event < boot_.stream_count; }
  // The number of a notify among those of the device, from 0.
  uint32_t NotifyNumber(uint32_t notify) const noexcept { return notify - first_notify_; }

  // `home` is the address of allocated device memory in which the image then lies, on a page boundary; 0: nowhere.
  Result<uint32_t> LoadImage(std::span<const std::byte> image, const std::vector<std::string>& names, uint64_t home);
  void UnloadImage(uint32_t image);

  Status AbortStream(uint32_t stream);
  Status HoldStream(uint32_t stream);
  Status RecoverStream(uint32_t stream);
  // Lets all streams take tasks again after the device as a whole has failed.
  Status RecoverDevice();
  WaitResult WaitDone(uint32_t stream, uint64_t entry, const base::Deadline& deadline);
  // How many entries of a queue are done, whoever has it now. Never goes back.
  uint64_t DoneEntry(uint32_t stream) const noexcept;
  void Poll();
  void DrainInterrupts();
  bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }

 private:
  class Upcall;
  class RangeAllocator;
  struct Memory;
  struct CommonRange {
    uint64_t bytes = 0;
    std::byte* view = nullptr;
  };

  bool OwnsCommonAddress(uint64_t address) const noexcept EXCLUDES(mutex_);
  // The place of an address in the host's view; null when it is in none.
  std::byte* ViewOf(uint64_t address, uint64_t bytes) const noexcept REQUIRES(mutex_);

  Status InjectedLack(uint64_t bytes) const REQUIRES(mutex_);
  Status CheckGranules(const Memory& memory, const MemoryRange& range) const;
  // Unmaps and gives back what was taken out of the map already.
  void GiveBack(std::span<const base::AddressMap::Piece> pieces) REQUIRES(mapping_mutex_) EXCLUDES(mutex_);
  Device(int32_t id, const base::SocProfile& profile);

  const int32_t id_;
  const base::SocProfile& profile_;
  types::BootParameters boot_{};
  uint32_t stream_limit_ = 0;
  uint32_t first_notify_ = 0;  // registers: of streams, of events, of notifies
  std::atomic<bool> lost_{false};
  mutable base::Mutex mutex_;
  // Held over requests to the device, so that what is mapped there follows the tables below.
  base::Mutex mapping_mutex_ ACQUIRED_BEFORE(mutex_);
  std::unique_ptr<Memory> memory_ GUARDED_BY(mutex_);
  std::map<uint64_t, CommonRange> common_ GUARDED_BY(mutex_);  // by address
  std::atomic<std::size_t> common_count_{0};
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
