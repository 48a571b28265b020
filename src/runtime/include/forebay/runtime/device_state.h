// The runtime's side of one device: its reference count, default context, memory pools, and streams by slot.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/configuration.h"
#include "forebay/base/mutex.h"
#include "forebay/base/soc_profile.h"
#include "forebay/memory_pool.h"
#include "forebay/runtime/core_limits.h"
#include "forebay/runtime/pending_tasks.h"
#include "forebay/status.h"
#include "forebay/types/bar.h"

namespace forebay::sip {
class Device;
enum class Severity;
}  // namespace forebay::sip

namespace forebay::runtime {

class Context;
class ExceptionModule;
class Stream;
class PoolRegistry;
class StreamOrder;

// Thread safety: all functions may be called from any thread.
class DeviceState {
 public:
  explicit DeviceState(int32_t id);
  ~DeviceState();

  int32_t id() const noexcept { return id_; }
  // Counts a reference and powers the device on when it is the first.
  Status Retain() EXCLUDES(power_mutex_);
  // As Retain, but does nothing when there is a reference already.
  Status RetainFirst() EXCLUDES(power_mutex_);
  // Counts down; at 0, or with `force`, destroys all contexts and powers the device off. kInvalidDeviceId when not set.
  Status Release(bool force) EXCLUDES(power_mutex_);
  // The open device, shared so that it outlives whoever uses it; null while it is off.
  std::shared_ptr<sip::Device> sip() const EXCLUDES(mutex_);
  uint64_t default_context() const noexcept { return default_context_.load(std::memory_order_acquire); }
  // Grows whenever the device goes on or off; odd while it is on. What was made under another number is stale.
  uint64_t power_cycle() const noexcept { return power_cycle_.load(std::memory_order_acquire); }
  // The failure of the device as a whole; ok while it works.
  Status device_failure() const EXCLUDES(mutex_);
  bool is_failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  // The device as a whole has failed: all its streams end, until it is repaired or reset. `address` is where its
  // memory is bad, if it is.
  void Fail(Status failure, sip::Severity severity, uint64_t address) EXCLUDES(mutex_);
  // What is wrong with the device as a whole; `failure` is ok when nothing is.
  struct BadPage {
    uint64_t address;
    uint64_t bytes;
  };
  struct Trouble {
    Status failure;
    bool can_be_repaired = false;
    std::vector<BadPage> bad_pages;
  };
  Trouble trouble() const EXCLUDES(mutex_);
  // Stops what runs and drops what is queued, on all streams. 0 ms: without a limit. kTimeout, and kTaskAbortStop when
  // there was no time left for the callbacks at its end.
  Status AbortTasks(uint32_t timeout_ms) EXCLUDES(mutex_, turn_mutex_);
  // After that: these bad pages of memory are replaced, and when none is left all streams take tasks again.
  // kFeatureNotSupport: only a reset helps.
  Status Repair(const std::vector<BadPage>& pages) EXCLUDES(mutex_, turn_mutex_);
  // How often the tasks were aborted, and whether that is under way.
  uint32_t task_aborts() const noexcept { return task_aborts_.load(std::memory_order_acquire); }
  bool is_aborting() const noexcept { return is_aborting_.load(std::memory_order_acquire); }
  // What calls about the device return meanwhile, and those that were waiting.
  Status AbortingFailure() const;
  // Returns once the application has been told that this device, which is lost, has failed.
  void AwaitNewsOfLoss(const sip::Device& device) const EXCLUDES(mutex_);
  void NoteFailureTold() EXCLUDES(mutex_);
  // Whether a kernel has failed since the device was powered on.
  bool kernel_has_failed() const noexcept { return kernel_has_failed_.load(std::memory_order_acquire); }
  void NoteKernelFailure() noexcept { kernel_has_failed_.store(true, std::memory_order_release); }
  uint32_t streams_available() const EXCLUDES(mutex_);
  uint32_t events_available() EXCLUDES(mutex_);

  // In percent, since the last call or since the device was set.
  int32_t Utilization() EXCLUDES(mutex_);
  // Whether this device may reach the memory of `peer`. Setting returns what it was before.
  bool HasPeerAccess(int32_t peer) const noexcept { return (peers_.load(std::memory_order_acquire) >> peer & 1) != 0; }
  bool SetPeerAccess(int32_t peer, bool enabled) noexcept;
  CoreLimits& core_limits() noexcept { return core_limits_; }
  const CoreLimits& core_limits() const noexcept { return core_limits_; }

  std::shared_ptr<MemoryPool> memory_pool() const EXCLUDES(mutex_);
  std::shared_ptr<MemoryPool> pinned_pool() const EXCLUDES(mutex_);

  // Device address of the 64 bytes that show whether arithmetic overflowed in kernels of streams with this tag. The
  // first 64-bit word is 0 until one did. Made, and zero, at the first call; goes with the device.
  Result<void*> OverflowStatus(uint32_t tag) EXCLUDES(mutex_);
  static constexpr std::size_t kOverflowStatusBytes = 64;

  // Whether results out of range become infinite or no number, or the largest finite one. kFeatureNotSupport when the
  // part does not have the mode. Back to the part's own when the device is switched on.
  enum class OverflowMode { kSaturation, kInfNan };
  Status SetOverflowMode(OverflowMode mode);
  OverflowMode overflow_mode() const noexcept { return overflow_mode_.load(std::memory_order_acquire); }

  // Streams of the device by their slot, for what the device reports.
  void RegisterStream(uint32_t slot, uint64_t stream) noexcept;
  void UnregisterStream(uint32_t slot) noexcept;
  uint64_t StreamAtSlot(uint32_t slot) const noexcept;
  // Null when there is none. It may be destroyed meanwhile, which its handle tells.
  Stream* FindStream(uint32_t slot, uint64_t* handle) const noexcept;
  // Calls visit(stream, handle) for every stream of the device, in the order of their slots.
  template <typename Visit>
  void ForEachStream(const Visit& visit) const {
    for (uint32_t slot = 0; slot < types::kMaxStreams; ++slot) {
      uint64_t handle = 0;
      if (Stream* stream = FindStream(slot, &handle)) visit(*stream, handle);
    }
  }
  void AddContext(uint64_t context) EXCLUDES(mutex_);
  void RemoveContext(uint64_t context) EXCLUDES(mutex_);

  // The streams that have not run all that was queued by now.
  struct UnfinishedStream {
    uint32_t slot;
    uint64_t tail;
  };
  std::vector<UnfinishedStream> UnfinishedStreams() const;

  // Frees what operators that have run still hold, on all streams.
  void ReclaimAll();

  // What the streams come after, for memory that they release.
  StreamOrder& stream_order() noexcept { return *stream_order_; }
  // Its pools of device memory; what they hold goes with the device.
  PoolRegistry& pools() noexcept { return *pools_; }

  // Event registers whose last record is still pending when their event moves on or is destroyed.
  Result<uint32_t> AllocateEventRegister(sip::Device& device) EXCLUDES(mutex_);
  void RetireEventRegister(sip::Device& device, uint32_t event, uint64_t value) EXCLUDES(mutex_);
  // Registers of notifies that are destroyed before the last task for them has run.
  Result<uint32_t> AllocateNotify(sip::Device& device) EXCLUDES(mutex_);
  void RetireNotify(sip::Device& device, uint32_t notify, PendingTasks users) EXCLUDES(mutex_);

  // Memory of the device that kernels meet through, the same for the whole device until it is reset. It begins as
  // zeros.
  Result<void*> SynchronisationArea() EXCLUDES(mutex_);

  // Kernel images wait here until no task that was queued at the time of their unloading is left.
  void RetireKernelImage(const std::shared_ptr<sip::Device>& device, uint32_t image, std::shared_ptr<void> room)
      EXCLUDES(mutex_);
  std::string KernelName(uint32_t image, uint32_t function) const EXCLUDES(mutex_);
  // False when the device was switched off meanwhile.
  bool AddKernelNames(const sip::Device& device, uint32_t image, std::vector<std::string> names) EXCLUDES(mutex_);

 private:
  struct RetiredEvent {
    uint32_t event;
    uint64_t value;
  };
  struct RetiredImage {
    uint32_t image;
    std::shared_ptr<void> room;  // the device memory in which it lies
    PendingTasks users;
  };
  struct RetiredNotify {
    uint32_t notify;
    PendingTasks users;
  };

  // False in a host function of this device while it is being switched off, which waits for that function.
  bool LockPower() TRY_ACQUIRE(true, power_mutex_);
  Status SwitchesOff() const;
  Status RetainLocked() REQUIRES(power_mutex_);
  Status ReleaseLocked(bool force) REQUIRES(power_mutex_);
  // The turn to abort or repair. False when the deadline passed first.
  bool TakeTurn(const base::Deadline& deadline) EXCLUDES(turn_mutex_);
  void EndTurn() EXCLUDES(turn_mutex_);
  class Turn {
   public:
    Turn(DeviceState* device, const base::Deadline& deadline)
        : device_(device->TakeTurn(deadline) ? device : nullptr) {}
    ~Turn() {
      if (device_ != nullptr) device_->EndTurn();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    bool is_taken() const noexcept { return device_ != nullptr; }

   private:
    DeviceState* const device_;
  };
  // The device is as good as new.
  void ForgetFailure() EXCLUDES(mutex_);
  Status PowerOn() REQUIRES(power_mutex_);
  // Waits for the work of the streams; when it is `bounded` only for reset_timeout, and then drops it.
  void PowerOff(bool bounded) REQUIRES(power_mutex_);
  // Device memory that the runtime keeps for itself: made, and zero, at the first call for its key; goes with the
  // device.
  Result<void*> ZeroedArea(uint64_t key, std::size_t bytes) EXCLUDES(mutex_);
  bool StreamsEndWithin(int64_t timeout_ms) EXCLUDES(mutex_);
  void ReclaimEventsLocked(sip::Device& device) REQUIRES(mutex_);
  void ReclaimNotifiesLocked(sip::Device& device) REQUIRES(mutex_);
  void ReclaimImages(const std::shared_ptr<sip::Device>& device) EXCLUDES(mutex_);

  const int32_t id_;
  const std::unique_ptr<ExceptionModule> exceptions_;
  const std::unique_ptr<StreamOrder> stream_order_;
  const std::unique_ptr<PoolRegistry> pools_;
  std::atomic<const sip::Device*> done_source_{nullptr};  // while no pool is left, null
  std::atomic<uint64_t> default_context_{0};
  std::atomic<OverflowMode> overflow_mode_{OverflowMode::kInfNan};
  std::atomic<bool> failed_{false};
  std::atomic<bool> switching_off_{false};
  std::atomic<bool> kernel_has_failed_{false};
  std::atomic<uint64_t> power_cycle_{0};
  std::atomic<uint64_t> peers_{0};  // a bit for each device
  CoreLimits core_limits_;
  std::atomic<uint32_t> task_aborts_{0};
  std::atomic<bool> is_aborting_{false};
  base::Mutex turn_mutex_;
  base::CondVar turn_ended_;
  bool turn_is_taken_ GUARDED_BY(turn_mutex_) = false;  // by an abort or a repair
  mutable base::Mutex power_mutex_;
  uint32_t references_ GUARDED_BY(power_mutex_) = 0;
  mutable base::Mutex mutex_;
  mutable base::CondVar told_;
  bool failure_told_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<sip::Device> sip_ GUARDED_BY(mutex_);
  std::shared_ptr<MemoryPool> memory_pool_ GUARDED_BY(mutex_);
  std::shared_ptr<MemoryPool> pinned_pool_ GUARDED_BY(mutex_);
  // When the utilization was asked for last, and how long the device had been busy by then; in cycles.
  uint64_t sampled_at_ GUARDED_BY(mutex_) = 0;
  uint64_t sampled_busy_ GUARDED_BY(mutex_) = 0;
  Status failure_ GUARDED_BY(mutex_);
  sip::Severity severity_ GUARDED_BY(mutex_) = {};
  std::vector<BadPage> bad_pages_ GUARDED_BY(mutex_);
  bool is_aborted_ GUARDED_BY(mutex_) = false;  // since it failed
  std::vector<uint64_t> contexts_ GUARDED_BY(mutex_);
  std::deque<RetiredEvent> retired_events_ GUARDED_BY(mutex_);
  std::vector<RetiredNotify> retired_notifies_ GUARDED_BY(mutex_);
  std::vector<RetiredImage> retired_images_ GUARDED_BY(mutex_);
  std::map<uint64_t, void*> areas_ GUARDED_BY(mutex_);  // from memory_pool_, by key
  std::vector<std::vector<std::string>> kernel_names_ GUARDED_BY(mutex_);
  std::atomic<uint64_t> streams_[types::kMaxStreams] = {};
};

// The process-wide parameters. Read when a device is powered on.
base::Configuration CurrentConfiguration();
// What is wrong with the environment variables that set them.
Status EnvironmentStatus();
Status UpdateConfiguration(const base::Configuration& configuration);

// The parameters that frequent calls look at, as plain atomics.
struct LaunchParameters {
  std::atomic<int32_t> device_count{0};
  std::atomic<bool> blocking{false};
  std::atomic<int64_t> execute_timeout_us{0};
  std::atomic<const base::SocProfile*> profile{nullptr};
  std::atomic<uint64_t> timeout_interval_us{1};
  std::atomic<int64_t> submit_timeout_ms{0};
  std::atomic<int64_t> submit_warning_ms{0};
};
LaunchParameters& LaunchSettings() noexcept;

// The part that the devices stand for.
const base::SocProfile& CurrentProfile();
// kFeatureNotSupport, which names the part and those that have the feature, when this one does not.
Status RequireFeature(base::SocFeature feature);

// The device with this id, open or not. kInvalidDeviceId.
Result<DeviceState*> FindDevice(int32_t id);
int32_t DeviceCount();
// How many devices a process with this configuration sees.
int32_t DeviceCount(const base::Configuration& configuration);
// The device whose window holds this address; null when none does.
DeviceState* DeviceOfAddress(const void* address) noexcept;
// The device whose pinned memory, of its own or registered, holds these bytes of the host; null when none does.
DeviceState* DeviceOfPinned(const void* address, uint64_t bytes = 1) noexcept;
// Makes `id` the calling thread's device, counting a reference.
Status SetDevice(int32_t id);
Status ResetDevice(int32_t id, bool force);
// Powers everything off, for finalising.
void ResetAllDevices();

}  // namespace forebay::runtime
