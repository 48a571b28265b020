// Managed memory and devices that are switched on later.
#pragma once

#include "forebay/runtime/managed_memory.h"

namespace forebay::runtime {

// The device has been switched on: it uses all managed memory that there is.
void GrantManagedTo(int32_t device);

}  // namespace forebay::runtime
