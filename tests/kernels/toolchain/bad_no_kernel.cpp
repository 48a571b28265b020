// expect: its sources define no kernel
#include "forebay/kernel.h"

void not_a_kernel() {}  // __global__
