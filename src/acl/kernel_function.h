// What programs pass as a kernel function: its handle, or an address that stands for a kernel of the program.
#pragma once

#include <cstdint>

#include "forebay/runtime/kernel.h"
#include "forebay/status.h"

namespace forebay::acl {

// The handle. Errors: those of runtime::FindKernelBySymbol.
Result<uint64_t> FindFunction(const void* function);

}  // namespace forebay::acl
