// Has a global object that is made when the binary is loaded.
#include "forebay/kernel.h"

struct Counter {
  Counter() { asm volatile("" : "+m"(value)); }
  uint32_t value = 0;
};
Counter counter;

extern "C" __global__ __aicore__ void count(GM_ADDR out) { *reinterpret_cast<uint32_t*>(out) = ++counter.value; }
