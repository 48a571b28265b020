// expect: bad_template.cpp:5: error: the kernel 'generic' is a template
#include "forebay/kernel.h"

template <typename T>
__global__ void generic(T value) {}
