#include "forebay/base/macros.h"
#include "forebay/driver/device.h"
#include "injecting/injecting_device.h"
#include "soft/soft_device.h"

namespace forebay::driver {
namespace {

Result<std::unique_ptr<Device>> OpenBackend(const DeviceOptions& options, InterruptSink* sink) {
  switch (options.backend) {
    case Backend::kProcess: return OpenProcessDevice(options, sink);
    case Backend::kInline: return OpenInlineDevice(options, sink);
    case Backend::kNull: return OpenNullDevice(options, sink);
  }
  return Status(Code::kInternal, "there is no such device backend");
}

}  // namespace

Result<std::unique_ptr<Device>> Device::Open(const DeviceOptions& options, InterruptSink* sink) {
  ASSIGN_OR_RETURN(std::unique_ptr<Device> device, OpenBackend(options, sink));
  device = MakeInjectingDevice(std::move(device), static_cast<int32_t>(options.boot.device_id));
  RETURN_IF_ERROR(device->ArmInjections());
  return device;
}

}  // namespace forebay::driver
