// Copies and fills: what the facade calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/status.h"
#include "forebay/types/command.h"

namespace forebay::runtime {

// Where an address lies, from the calling thread's view.
enum class Place { kDevice, kPinned, kPageable };
Place PlaceOf(const void* address) noexcept;

// Copied by the calling thread; no stream is waited for. Addresses tell the direction.
Status CopyNow(void* destination, const void* source, std::size_t bytes);
Status FillNow(void* destination, int32_t value, std::size_t bytes);
// In stream order. With pageable host memory the call returns only after the copy.
Status CopyOnStream(void* destination, const void* source, std::size_t bytes, uint64_t stream);
Status FillOnStream(void* destination, int32_t value, std::size_t bytes, uint64_t stream);

// An aligned word of 64 bits in device memory, written in stream order, or waited for by the stream. Errors:
// kAddressUnaligned; kParamInvalid when it is not allocated memory of the stream's device.
Status WriteWordOnStream(void* address, uint64_t value, uint64_t stream);
Status WaitForWordOnStream(void* address, types::Condition condition, uint64_t value, uint64_t stream);

}  // namespace forebay::runtime
