// What the runtime itself takes from the host pool.
#pragma once

#include <cstddef>
#include <memory>

namespace forebay::runtime {

class DeviceState;

// Memory for copies that goes back to the device's pool with the last reference, from any thread. Null when there is
// no room, also after blocks of tasks that have run were taken back.
std::shared_ptr<void> AllocateStaging(DeviceState& device, std::size_t bytes);

}  // namespace forebay::runtime
