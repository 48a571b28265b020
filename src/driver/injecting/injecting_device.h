// A device that fails as it is asked to. It stands around a real one, and costs a call more for what is not a submit.
#pragma once

#include <memory>

#include "forebay/driver/device.h"

namespace forebay::driver {

std::unique_ptr<Device> MakeInjectingDevice(std::unique_ptr<Device> device, int32_t id);

}  // namespace forebay::driver
