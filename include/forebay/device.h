// Devices: powering one on and making it a thread's.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/memory_pool.h"
#include "forebay/status.h"

#pragma GCC visibility push(default)
namespace forebay {

// Makes `device` the calling thread's, and powers it on the first time: firmware, memory pool, default stream. Counted:
// each call wants a ResetDevice. Errors: kInvalidDeviceId outside [0, Runtime::DeviceCount()); kDeviceSetup.
Status SetDevice(int32_t device);
// Counts down; at 0 waits for the work of the device's default context, destroys its streams and powers the device off.
// Handles from before then are stale. Errors: kInvalidDeviceId when the device is not set.
Status ResetDevice(int32_t device);
// The calling thread's device. Errors: kContextNull when it has none.
Result<int32_t> CurrentDevice();
// Waits for all streams of the calling thread's context; the first failure found. `timeout_ms` < 0: no limit.
// Errors: kStreamSyncTimeout; the failures of the streams.
Status SynchronizeDevice(int64_t timeout_ms = -1);

// A device that is set for the calling thread as long as the object lives.
class Device {
 public:
  // SetDevice, with the matching ResetDevice at the end of the object's life.
  static Result<Device> Open(int32_t id);
  Device(Device&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Device& operator=(Device&& other) noexcept;
  ~Device();

  int32_t id() const noexcept { return id_; }
  // The pool that aclrtMalloc uses too. Errors: kContextNull after the device was reset.
  Result<std::shared_ptr<MemoryPool>> memory_pool() const;

 private:
  explicit Device(int32_t id) noexcept : id_(id) {}
  int32_t id_;
};

}  // namespace forebay
#pragma GCC visibility pop
