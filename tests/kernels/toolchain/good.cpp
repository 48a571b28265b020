// Uses headers of its own, of the build, and of the standard library.
#include <algorithm>

#include "forebay/kernel.h"
#include "generated.h"
#include "own.h"

extern "C" __global__ __aicore__ void now(GM_ADDR out, int n) { out[std::max(n, 0)] = kOne + GENERATED; }
#ifdef WITH_LATER
extern "C" __global__ __aicore__ void later() {}
#endif
