// The kernels of the custom_kernel example.
#include "forebay/kernel.h"

// y[i] = scale * x[i] + the sum of coefficients[n] * x[i]^n
extern "C" __global__ __aicore__ void polynomial(GM_ADDR x, GM_ADDR y, GM_ADDR coefficients, uint32_t terms,
                                                 float scale, uint32_t count) {
  const auto* from = reinterpret_cast<__gm__ float*>(x);
  const auto* factors = reinterpret_cast<__gm__ float*>(coefficients);
  auto* to = reinterpret_cast<__gm__ float*>(y);
  const auto blocks = static_cast<uint32_t>(AscendC::GetBlockNum());
  for (auto i = static_cast<uint32_t>(AscendC::GetBlockIdx()); i < count; i += blocks) {
    float value = 0;
    for (uint32_t n = terms; n-- > 0;) value = value * from[i] + factors[n];
    to[i] = value + scale * from[i];
  }
}

extern "C" __global__ __aicore__ void endless() {
  for (;;) asm volatile("");
}
