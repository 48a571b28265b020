// A second source of the same binary.
#include "forebay/kernel.h"

extern "C" __global__ void in_second_source(GM_ADDR out) { *reinterpret_cast<int64_t*>(out) = block_idx + block_num; }
