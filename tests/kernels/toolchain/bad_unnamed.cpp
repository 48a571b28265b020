// expect: bad_unnamed.cpp:4: error: the function's name is expected after __global__
#include "forebay/kernel.h"

__global__ int value = 3;
