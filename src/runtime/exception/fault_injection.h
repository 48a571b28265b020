// What the configuration and the calls have to do with injected faults.
#pragma once

#include <string>

#include "forebay/status.h"

namespace forebay::runtime {

// In place of what an earlier configuration armed. Devices that are set take it with ArmDevices.
void ConfigureFaults(const std::string& text);
// Has the devices that are set take what is armed now, and counts what has happened there.
Status ArmDevices();
// What is injected into this call now; ok: nothing.
Status FaultOfCall(const char* call);

}  // namespace forebay::runtime
