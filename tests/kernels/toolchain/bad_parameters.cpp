// expect: a kernel has at most 128 parameters
#include "forebay/kernel.h"

#define FOUR(x) x, x, x, x
#define SIXTEEN(x) FOUR(x), FOUR(x), FOUR(x), FOUR(x)
extern "C" __global__ void many(SIXTEEN(int), SIXTEEN(int), SIXTEEN(int), SIXTEEN(int), SIXTEEN(int), SIXTEEN(int),
                                SIXTEEN(int), SIXTEEN(int), int) {}
