// expect: bad_syntax.cpp:4
#include "forebay/kernel.h"

extern "C" __global__ void wrong(GM_ADDR out) { out = "text"; }
