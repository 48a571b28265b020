// The kernel of the pipeline.
#include "forebay/kernel.h"

// sum[i] += other[i]
extern "C" __global__ __aicore__ void add(GM_ADDR sum, GM_ADDR other, uint64_t count) {
  auto* to = reinterpret_cast<__gm__ uint32_t*>(sum);
  const auto* from = reinterpret_cast<__gm__ uint32_t*>(other);
  const auto blocks = static_cast<uint64_t>(AscendC::GetBlockNum());
  for (auto i = static_cast<uint64_t>(AscendC::GetBlockIdx()); i < count; i += blocks) to[i] += from[i];
}
