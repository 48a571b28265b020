// Words of device memory that streams write and wait for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/status.h"
#include "forebay/types/command.h"

namespace forebay::runtime {

// An aligned word of 64 bits in device memory, written in stream order, or waited for by the stream. Errors:
// kAddressUnaligned; kParamInvalid when it is not allocated memory of the stream's device.
Status WriteWordOnStream(void* address, uint64_t value, uint64_t stream);
Status WaitForWordOnStream(void* address, types::Condition condition, uint64_t value, uint64_t stream);

}  // namespace forebay::runtime
