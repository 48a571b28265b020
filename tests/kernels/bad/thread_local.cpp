// Has a variable per thread, where blocks do not run on threads of their own.
#include "forebay/kernel.h"

thread_local uint32_t calls = 0;

extern "C" __global__ __aicore__ void count(GM_ADDR out) { *reinterpret_cast<uint32_t*>(out) = ++calls; }
