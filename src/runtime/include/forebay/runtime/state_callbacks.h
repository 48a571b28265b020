// Functions of the application that are called when a device or a stream comes or goes.
//
// Thread safety: all functions may be called from any thread. What is registered is called without a lock of this
// module, in the order of registration, on the thread that makes the change.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "forebay/status.h"

namespace forebay::runtime {

enum class DeviceChange { kSetBegins, kSet, kResetBegins, kReset };
enum class StreamChange { kCreated, kDestroying };
using DeviceCallback = std::function<void(int32_t device, DeviceChange change)>;
enum class TaskAbortStage { kBegins, kEnds };
using StreamCallback = std::function<void(uint64_t stream, StreamChange change)>;

// Registers a callback under a name of its own; an empty one takes that of the name back. kParamInvalid: the name is
// empty, has one already, or has none to be taken back.
Status RegisterDeviceCallback(const std::string& name, DeviceCallback callback);
// It is told how many milliseconds it may take; 0: as many as it likes.
using TaskAbortCallback = std::function<void(int32_t device, TaskAbortStage stage, uint32_t limit_ms)>;
Status RegisterTaskAbortCallback(const std::string& name, TaskAbortCallback callback);
Status RegisterStreamCallback(const std::string& name, StreamCallback callback);

// Calls all. `context` is current while they run; 0: that of the thread.
void NotifyDeviceChange(uint64_t context, int32_t device, DeviceChange change);
void NotifyTaskAbort(uint64_t context, int32_t device, TaskAbortStage stage, uint32_t limit_ms);
void NotifyStreamChange(uint64_t context, uint64_t stream, StreamChange change);

}  // namespace forebay::runtime
