// The kernels of the tour. They run on the software NPU, block by block.
#include "forebay/kernel.h"

// y = factor * x, each block its share of the n elements.
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, float factor, uint32_t n) {
  const float* from = reinterpret_cast<const float*>(x);
  float* to = reinterpret_cast<float*>(y);
  for (uint32_t i = block_idx; i < n; i += GetBlockNum()) to[i] = factor * from[i];
}

// Writes to an address that is not mapped on the device.
extern "C" __global__ __aicore__ void broken(GM_ADDR y) { *reinterpret_cast<float*>(y + (uint64_t{1} << 40)) = 1.0F; }
