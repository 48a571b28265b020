// Contexts: what owns streams and events, and carries the failure that stops all of them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "forebay/base/handle_table.h"
#include "forebay/base/mutex.h"
#include "forebay/status.h"

namespace forebay::runtime {

class DeviceState;
class HostFunctionThreads;
class Stream;

// Thread safety: all functions may be called from any thread.
class Context {
 public:
  uint64_t handle() const noexcept { return handle_.load(std::memory_order_acquire); }
  DeviceState& device() const noexcept { return *device_.load(std::memory_order_acquire); }
  uint64_t default_stream() const noexcept { return default_stream_.load(std::memory_order_acquire); }
  bool is_default() const noexcept { return is_default_.load(std::memory_order_acquire); }

  // Every stream of the context stops at the first failure of one of them, from now on.
  void set_stops_on_failure() noexcept { stops_on_failure_.store(true, std::memory_order_release); }
  bool stops_on_failure() const noexcept { return stops_on_failure_.load(std::memory_order_acquire); }
  // Keeps the first.
  void RecordFailure(const Status& failure) EXCLUDES(mutex_);
  Status failure() const EXCLUDES(mutex_);

  // Settings for the libraries that make kernels; the runtime keeps them. Empty until set.
  static constexpr std::size_t kOptions = 4;
  void SetOption(std::size_t option, int64_t value) EXCLUDES(mutex_);
  std::optional<int64_t> option(std::size_t option) const EXCLUDES(mutex_);

  HostFunctionThreads& host_functions() EXCLUDES(mutex_);
  // False when the context is being destroyed.
  bool AddStream(uint64_t stream) EXCLUDES(mutex_);
  void RemoveStream(uint64_t stream) EXCLUDES(mutex_);
  std::vector<uint64_t> streams() const EXCLUDES(mutex_);

  // Makes a context with its default stream on an open device.
  static Result<uint64_t> Create(DeviceState& device, bool is_default);
  // Destroys all its streams (waiting for their work unless `force`) and makes the handle stale.
  static Status Destroy(uint64_t handle, bool force);
  // As Destroy, because its device is reset: who sets it afterwards is told so.
  static Status EndWithDevice(uint64_t handle, bool force);

 private:
  std::atomic<uint64_t> handle_{0};
  // Atomic because a caller with a stale handle may still look while the slot is given to another context.
  std::atomic<DeviceState*> device_{nullptr};
  std::atomic<uint64_t> default_stream_{0};
  std::atomic<bool> is_default_{false};
  std::atomic<bool> stops_on_failure_{false};
  mutable base::Mutex mutex_;
  Status failure_ GUARDED_BY(mutex_);
  std::set<uint64_t> streams_ GUARDED_BY(mutex_);
  bool closing_ GUARDED_BY(mutex_) = false;
  std::array<std::optional<int64_t>, kOptions> options_ GUARDED_BY(mutex_);
  std::unique_ptr<HostFunctionThreads> host_functions_ GUARDED_BY(mutex_);
};

using ContextTable = base::HandleTable<Context, base::HandleKind::kContext>;
ContextTable& Contexts();

// The calling thread's context: the one it set, else the default one of its device. kContextNull when there is none.
Result<Context*> CurrentContext();
// The device that threads without one get by themselves; -1: none.
void SetDefaultDevice(int32_t device) noexcept;
// Makes an existing context the calling thread's. kInvalidHandle; kContextNull when its device was reset.
Status SetCurrentContext(uint64_t handle);

}  // namespace forebay::runtime
