// expect: a kernel returns void
#include "forebay/kernel.h"

extern "C" __global__ int answer() { return 42; }
