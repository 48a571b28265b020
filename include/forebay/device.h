// Devices: setting one for a thread, and the runtime's parameters.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/status.h"

#pragma GCC visibility push(default)
namespace forebay {

// Sets a parameter of docs/configuration.md, such as "queue_depth". Takes effect for devices set afterwards.
// Errors: kInvalidParam for an unknown name or a bad value.
Status Configure(std::string_view name, std::string_view value);

// How many devices there are.
Result<int32_t> DeviceCount();
// Makes `device` the calling thread's, and powers it on the first time: firmware, memory pool, default stream. Counted:
// each call wants a ResetDevice. Errors: kInvalidDeviceId outside [0, DeviceCount()); kDeviceSetup.
Status SetDevice(int32_t device);
// Counts down; at 0 waits for the work of the device's default context, destroys its streams and powers the device off.
// Handles from before then are stale. Errors: kInvalidDeviceId when the device is not set.
Status ResetDevice(int32_t device);
// The calling thread's device. Errors: kContextNull when it has none.
Result<int32_t> CurrentDevice();
// Waits for all streams of the calling thread's context; the first failure found. `timeout_ms` < 0: no limit.
// Errors: kStreamSyncTimeout; the failures of the streams.
Status SynchronizeDevice(int64_t timeout_ms = -1);

// What is handed out over all devices of the process. All zero when everything was given back.
struct ResourceCounters {
  uint64_t open_devices = 0;
  uint64_t memory_ranges = 0;
  uint64_t memory_bytes = 0;
  uint64_t pinned_bytes = 0;
  uint64_t streams = 0;
  uint64_t events = 0;
  uint64_t kernel_images = 0;

  bool operator==(const ResourceCounters&) const = default;
};
ResourceCounters ReadResourceCounters();

}  // namespace forebay
#pragma GCC visibility pop
