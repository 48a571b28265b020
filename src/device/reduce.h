// Element-wise reduction of two arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/types/command.h"

namespace forebay::device {

// destination = destination `operation` source for each element. Integers wrap around. A number that is none (NaN) wins
// maximum and minimum. kEqual gives 1 or 0. `bytes` holds whole elements. False for a type or operation it has not.
bool CanReduce(DataType type, types::ReduceOperation operation) noexcept;
void Reduce(DataType type, types::ReduceOperation operation, std::byte* destination, const std::byte* source,
            uint64_t bytes) noexcept;

}  // namespace forebay::device
