// Registrations that end because what they need goes away.
#pragma once

#include <cstdint>

#include "forebay/runtime/host_registration.h"

namespace forebay::sip {
class Device;
}

namespace forebay::runtime {

// The device is being switched off. Application memory keeps its contents.
void EndRegistrationsOf(const sip::Device& device);
// Pinned memory is being freed.
void EndRegistrationsIn(const void* address, uint64_t bytes);

}  // namespace forebay::runtime
