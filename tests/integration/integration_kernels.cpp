// Kernels that only the integration tests need.
#include "forebay/kernel.h"

// The first `count` blocks meet, the others return at once.
extern "C" __global__ __aicore__ void sync_some(uint32_t count) {
  if (block_idx < count) SyncAll();
}

// Each block prints `lines` lines of `length` characters, all of them the block's own letter.
extern "C" __global__ __aicore__ void print_long(uint32_t lines, uint32_t length) {
  char text[1024];
  for (uint32_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + block_idx);
  text[length] = 0;
  for (uint32_t i = 0; i < lines; ++i) printf("%s\n", text);
}

// Prints one line of `length` characters with one call, and one that many calls put together.
extern "C" __global__ __aicore__ void print_line_of(uint32_t length) {
  char text[20000];
  for (uint32_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + i % 26);
  text[length] = 0;
  printf("%s\n", text);
  for (uint32_t i = 0; i < length; ++i) putchar(text[i]);
  putchar('\n');
}
