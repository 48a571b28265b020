// Devices in the C++ interface.
#include <fmt/format.h>

#include <utility>

#include "forebay/base/macros.h"
#include "forebay/device.h"
#include "forebay/runtime.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/sip/device.h"

namespace forebay {

Result<int32_t> Runtime::DeviceCount() { return runtime::DeviceCount(); }
Status SetDevice(int32_t device) { return runtime::SetDevice(device); }
Status ResetDevice(int32_t device) { return runtime::ResetDevice(device, /*force=*/false); }

Result<Device> Device::Open(int32_t id) {
  RETURN_IF_ERROR(SetDevice(id));
  return Device(id);
}

Device& Device::operator=(Device&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}

Device::~Device() {
  // The application may have reset the device by force; nobody is left to tell.
  if (id_ >= 0) ResetDevice(id_).IgnoreError();
}

Result<std::shared_ptr<MemoryPool>> Device::memory_pool() const {
  ASSIGN_OR_RETURN(const runtime::DeviceState* device, runtime::FindDevice(id_));
  std::shared_ptr<MemoryPool> pool = device->memory_pool();
  if (!pool) return Status(Code::kContextNull, fmt::format("device {} is off", id_), "Open the device first");
  return pool;
}

Result<int32_t> CurrentDevice() {
  ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
  return context->device().id();
}

ResourceCounters Runtime::Counters() {
  const sip::Counters counters = sip::ReadCounters();
  return {counters.open_devices,  counters.memory_ranges,   counters.memory_bytes, counters.pinned_bytes,
          counters.stream_queues, counters.event_registers, counters.kernel_images};
}

}  // namespace forebay
