// Whether the host can reach a range of its own memory.
#pragma once

#include <cstddef>

namespace forebay::runtime {

// False when the first or the last byte cannot be read, or the range runs over the end of the address space. The kernel
// is asked, so nothing faults. True where the kernel does not answer.
bool IsHostRange(const void* address, std::size_t bytes) noexcept;

}  // namespace forebay::runtime
