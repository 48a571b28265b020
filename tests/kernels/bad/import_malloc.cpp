// Calls functions of the C library that a kernel may not call.
#include <cstdlib>

#include "forebay/kernel.h"

extern "C" __global__ __aicore__ void allocate(GM_ADDR out, uint32_t n) {
  *reinterpret_cast<void**>(out) = std::malloc(n);
  std::free(*reinterpret_cast<void**>(out + 8));
}
