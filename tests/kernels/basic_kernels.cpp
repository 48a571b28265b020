// Kernels that do what they should: work on memory, tell order, wait, synchronise, print.
#include "basic_kernels.h"

#include "forebay/kernel.h"

namespace {

uint64_t Ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#endif
}

void SpinTicks(uint64_t ticks) {
  const uint64_t begin = Ticks();
  while (Ticks() - begin < ticks) asm volatile("");
}

// The part of n elements that the running block works on: [begin, end).
struct Share {
  uint32_t begin;
  uint32_t end;
};
Share ShareOf(uint32_t n) {
  const auto index = static_cast<uint64_t>(GetBlockIdx());
  const auto count = static_cast<uint64_t>(GetBlockNum());
  return {static_cast<uint32_t>(n * index / count), static_cast<uint32_t>(n * (index + 1) / count)};
}

uint32_t* Words(GM_ADDR address) { return reinterpret_cast<uint32_t*>(address); }

}  // namespace

extern "C" __global__ __aicore__ void nop() {}

// Adds 1 to each of n words.
extern "C" __global__ __aicore__ void add_one(GM_ADDR data, uint32_t n) {
  const Share share = ShareOf(n);
  for (uint32_t i = share.begin; i < share.end; ++i) Words(data)[i] += 1;
}

// Sets n words to value.
extern "C" __global__ __aicore__ void fill(GM_ADDR data, uint32_t n, uint32_t value) {
  const Share share = ShareOf(n);
  for (uint32_t i = share.begin; i < share.end; ++i) Words(data)[i] = value;
}

// Counts in `others` how many of n words are not value.
extern "C" __global__ __aicore__ void count_others(GM_ADDR data, GM_ADDR others, uint32_t n, uint32_t value) {
  const Share share = ShareOf(n);
  uint32_t count = 0;
  for (uint32_t i = share.begin; i < share.end; ++i) count += static_cast<uint32_t>(Words(data)[i] != value);
  if (count != 0) __atomic_fetch_add(Words(others), count, __ATOMIC_RELAXED);
}

// Squares n numbers.
extern "C" __global__ __aicore__ void square(GM_ADDR numbers, uint32_t n) {
  const Share share = ShareOf(n);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    auto* number = reinterpret_cast<float*>(numbers) + i;
    *number = *number * *number;
  }
}

// Copies n words.
extern "C" __global__ __aicore__ void copy_words(GM_ADDR destination, GM_ADDR source, uint32_t n) {
  const Share share = ShareOf(n);
  for (uint32_t i = share.begin; i < share.end; ++i) Words(destination)[i] = Words(source)[i];
}

// Notes value at the end of a log: log[0] is the number of values, which follow it. Several blocks, or kernels that run
// at the same time, may append to one log.
extern "C" __global__ __aicore__ void append(GM_ADDR log, uint32_t value) {
  const uint32_t position = __atomic_fetch_add(Words(log), 1, __ATOMIC_ACQ_REL);
  __atomic_store_n(Words(log) + 1 + position, value, __ATOMIC_RELEASE);
}

// Keeps its core busy for `ticks` of the time stamp counter.
extern "C" __global__ __aicore__ void spin_ticks(uint64_t ticks) { SpinTicks(ticks); }

// Keeps its core busy for `us` microseconds of a time stamp counter that runs at `ticks_per_second`.
extern "C" __global__ __aicore__ void spin_microseconds(uint32_t us, uint64_t ticks_per_second) {
  SpinTicks(static_cast<uint64_t>(static_cast<double>(us) * static_cast<double>(ticks_per_second) / 1e6));
}

// Waits, busy, until the word at flag is value.
extern "C" __global__ __aicore__ void wait_flag(GM_ADDR flag, uint32_t value) {
  while (__atomic_load_n(Words(flag), __ATOMIC_ACQUIRE) != value) {
  }
}

extern "C" __global__ __aicore__ void set_flag(GM_ADDR flag, uint32_t value) {
  __atomic_store_n(Words(flag), value, __ATOMIC_RELEASE);
}

// In every round each block counts up its own word of `counters`, one word per block, and then compares all the others.
// The word behind the counters receives the number of comparisons that failed: 0 unless a block left a barrier before
// all had come to it.
extern "C" __global__ __aicore__ void sync_blocks(GM_ADDR counters, uint32_t rounds) {
  const auto index = static_cast<uint32_t>(GetBlockIdx());
  const auto count = static_cast<uint32_t>(GetBlockNum());
  for (uint32_t round = 1; round <= rounds; ++round) {
    __atomic_store_n(Words(counters) + index, round, __ATOMIC_RELAXED);
    SyncAll();
    for (uint32_t i = 0; i < count; ++i) {
      if (__atomic_load_n(Words(counters) + i, __ATOMIC_RELAXED) != round) {
        __atomic_fetch_add(Words(counters) + count, 1, __ATOMIC_RELAXED);
      }
    }
    SyncAll();
  }
}

// Each block prints n lines that name it.
extern "C" __global__ __aicore__ void print_lines(uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) printf("block %ld of %ld: line %u\n", block_idx, block_num, i);
}

// Prints one line in three parts, and the beginning of another that it leaves unfinished.
extern "C" __global__ __aicore__ void print_partial() {
  AscendC::printf("one ");
  AscendC::PRINTF("%s ", "line");
  printf("in parts\n");
  printf("unfinished");
}

// Writes {block index, block count} of each block: two words per block.
extern "C" __global__ __aicore__ void block_identity(GM_ADDR out) {
  const auto index = static_cast<uint32_t>(AscendC::GetBlockIdx());
  Words(out)[2 * index] = index;
  Words(out)[2 * index + 1] = static_cast<uint32_t>(AscendC::GetBlockNum());
}

// Writes its 19 other arguments, each as one word, into out.
extern "C" __global__ __aicore__ void many_arguments(GM_ADDR out, uint8_t a1, uint64_t a2, int16_t a3, uint32_t a4,
                                                     float a5, uint8_t a6, double a7, uint16_t a8, int64_t a9, bool a10,
                                                     uint32_t a11, uint8_t a12, uint8_t a13, uint16_t a14, int32_t a15,
                                                     uint64_t a16, float a17, int8_t a18, uint32_t a19) {
  const uint32_t values[] = {a1,
                             static_cast<uint32_t>(a2),
                             static_cast<uint32_t>(a3),
                             a4,
                             static_cast<uint32_t>(a5),
                             a6,
                             static_cast<uint32_t>(a7),
                             a8,
                             static_cast<uint32_t>(a9),
                             a10,
                             a11,
                             a12,
                             a13,
                             a14,
                             static_cast<uint32_t>(a15),
                             static_cast<uint32_t>(a16),
                             static_cast<uint32_t>(a17),
                             static_cast<uint32_t>(a18),
                             a19};
  for (uint32_t i = 0; i < sizeof(values) / sizeof(values[0]); ++i) Words(out)[i] = values[i];
}

// Writes the sum of the bytes of a struct passed by value.
extern "C" __global__ __aicore__ void large_struct(GM_ADDR out, forebay_test::LargeStruct value) {
  uint32_t sum = 0;
  for (uint8_t byte : value.bytes) sum += byte;
  Words(out)[0] = sum;
}

// Writes its arguments, whose sizes and alignments differ, into a struct.
extern "C" __global__ __aicore__ void mixed_arguments(uint8_t small, GM_ADDR out, float real,
                                                      forebay_test::Triple triple, double wide) {
  auto* mixed = reinterpret_cast<forebay_test::Mixed*>(out);
  mixed->small = small;
  mixed->real = real;
  mixed->triple = triple;
  mixed->wide = wide;
}

// A kernel for both kinds of cores, in a namespace.
namespace forebay_test {
__global__ __mix__(1, 2) void mixed_cores(GM_ADDR out) { Words(out)[0] = 1; }
}  // namespace forebay_test

extern "C" __global__ __cube__ void cube_cores(GM_ADDR out) { Words(out)[0] = 1; }
