// expect: bad_duplicate.cpp:6: error: the kernel 'twice' is already defined at
#include "forebay/kernel.h"

extern "C" __global__ void twice() {}
namespace other {
__global__ void twice() {}
}  // namespace other
