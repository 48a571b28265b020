// expect: bad_long_name.cpp:4: error: the kernel's name has 130 characters, at most 127 are possible
#include "forebay/kernel.h"

extern "C" __global__ void
kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk() {
}
