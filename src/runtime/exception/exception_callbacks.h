// Passing a failure on to the application's callbacks.
#pragma once

#include "forebay/runtime/exception_info.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {

class DeviceState;

void NotifyTaskFailure(const DeviceState& device, const Stream& stream, const sip::FaultReport& report);
void NotifyDeviceFailure();

}  // namespace forebay::runtime
