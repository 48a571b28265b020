// The kernels of the missing_event example.
#include "forebay/kernel.h"

namespace {

struct Range {
  uint32_t begin;
  uint32_t end;
};

// The part of the items from `begin` to `end` that belongs to the block which asks.
__aicore__ inline Range MyShare(uint32_t begin, uint32_t end) {
  const auto count = static_cast<uint64_t>(end - begin);
  const auto block = static_cast<uint64_t>(AscendC::GetBlockIdx());
  const auto blocks = static_cast<uint64_t>(AscendC::GetBlockNum());
  return {begin + static_cast<uint32_t>(count * block / blocks),
          begin + static_cast<uint32_t>(count * (block + 1) / blocks)};
}

__aicore__ inline __gm__ uint32_t* Words(GM_ADDR address) { return reinterpret_cast<__gm__ uint32_t*>(address); }

}  // namespace

// data[i] = factor * i, from `begin` to `end`
extern "C" __global__ __aicore__ void produce(GM_ADDR data, uint32_t begin, uint32_t end, uint32_t factor) {
  const Range mine = MyShare(begin, end);
  for (uint32_t i = mine.begin; i < mine.end; ++i) Words(data)[i] = factor * i;
}

// table[i] = i to the power of `power`, modulo 2^32, from `begin` to `end`
extern "C" __global__ __aicore__ void prepare(GM_ADDR table, uint32_t begin, uint32_t end, uint32_t power) {
  const Range mine = MyShare(begin, end);
  for (uint32_t i = mine.begin; i < mine.end; ++i) {
    uint32_t product = 1;
    for (uint32_t n = 0; n < power; ++n) product *= i;
    Words(table)[i] = product;
  }
}

// result[i] = data[i] + table[i], from `begin` to `end`
extern "C" __global__ __aicore__ void consume(GM_ADDR data, GM_ADDR table, GM_ADDR result, uint32_t begin,
                                              uint32_t end) {
  const Range mine = MyShare(begin, end);
  for (uint32_t i = mine.begin; i < mine.end; ++i) Words(result)[i] = Words(data)[i] + Words(table)[i];
}
