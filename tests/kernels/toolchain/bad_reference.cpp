// expect: a kernel cannot take a reference
#include "forebay/kernel.h"

extern "C" __global__ void reference(int& value) { value = 1; }
