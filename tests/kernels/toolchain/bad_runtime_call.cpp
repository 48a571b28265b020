// expect: undefined reference to `aclrtMalloc'
#include "forebay/kernel.h"

extern "C" int aclrtMalloc(void**, unsigned long, int);
extern "C" __global__ void allocate(GM_ADDR out) { aclrtMalloc(reinterpret_cast<void**>(out), 1, 0); }
