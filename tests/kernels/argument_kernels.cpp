// Kernels for what can be asked and said about a launch: variants, variables, many parameters, kinds of cores.
#include "forebay/kernel.h"

// Variables that the host reads and writes.
uint32_t shared_counter = 7;
uint32_t shared_table[16];
uint32_t many_sum;
const uint32_t constant_word = 5;

namespace {

uint32_t* Words(GM_ADDR address) { return reinterpret_cast<uint32_t*>(address); }

}  // namespace

// Adds n to the counter and writes what it became.
extern "C" __global__ __aicore__ void count_up(GM_ADDR out, uint32_t n) {
  shared_counter += n;
  Words(out)[0] = shared_counter + (constant_word - 5);
}

// Copies the table to out.
extern "C" __global__ __aicore__ void read_table(GM_ADDR out) {
  for (uint32_t i = 0; i < 16; ++i) Words(out)[i] = shared_table[i];
}

// As many parameters as a kernel may have: sums each times its number, from 1.
#define PARAMETER(n) uint32_t p##n
#define VALUE(n) p##n
#define EIGHT(X, n) X(n##0), X(n##1), X(n##2), X(n##3), X(n##4), X(n##5), X(n##6), X(n##7)
#define SIXTY_FOUR(X, n)                                                                                          \
  EIGHT(X, n##0), EIGHT(X, n##1), EIGHT(X, n##2), EIGHT(X, n##3), EIGHT(X, n##4), EIGHT(X, n##5), EIGHT(X, n##6), \
      EIGHT(X, n##7)
extern "C" __global__ __aicore__ void many(SIXTY_FOUR(PARAMETER, 0), SIXTY_FOUR(PARAMETER, 1)) {
  const uint32_t values[] = {SIXTY_FOUR(VALUE, 0), SIXTY_FOUR(VALUE, 1)};
  many_sum = 0;
  for (uint32_t i = 0; i < 128; ++i) many_sum += values[i] * (i + 1);
}

// Variants of one kernel, and of another with one of the same keys.
extern "C" __global__ __aicore__ void variant_1(GM_ADDR out) { Words(out)[0] = 1; }
extern "C" __global__ __aicore__ void variant_21(GM_ADDR out) { Words(out)[0] = 21; }
extern "C" __global__ __aicore__ void variant_3(GM_ADDR out) { Words(out)[0] = 3; }
extern "C" __global__ __aicore__ void other_3(GM_ADDR out) { Words(out)[0] = 33; }

// Each block writes, at its index, its index and the number of blocks.
extern "C" __global__ __aicore__ void mark_blocks(GM_ADDR out) {
  Words(out)[block_idx] = static_cast<uint32_t>(block_idx) << 16 | static_cast<uint32_t>(block_num);
}

// Writes the word that the word at pointer points at.
extern "C" __global__ __aicore__ void follow_twice(GM_ADDR out, GM_ADDR pointer) {
  Words(out)[0] = **reinterpret_cast<uint32_t**>(pointer);
}

extern "C" __global__ __vector__ void vector_trap() { asm("trap"); }
extern "C" __global__ __vector__ void vector_forever() {
  for (;;) asm volatile("");
}
extern "C" __global__ __mix__(1, 2) void one_to_two(GM_ADDR out) { Words(out)[0] = 1; }
