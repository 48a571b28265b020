// What a search for kernels has to get right. /* __global__ void in_comment() {} */
// clang-format off
#include <cmath>
#include <cstdio>
#include <cstring>

#include "forebay/kernel.h"

#include <cstdio>  // once more, behind kernel.h

// __global__ void in_line_comment() {}
#if 0
extern "C" __global__ void excluded() {}
#endif
#ifdef EXTRA_KERNEL
extern "C" __global__ void extra() {}
#endif

static const char kText[] = "extern \"C\" __global__ void in_string() {}";
static const char kRaw[] = R"raw(
__global__ void in_raw_string() { " }
)raw";
static const int kThousand = 1'000 + ('"' == '\'' ? 1 : 0);

// Only announced here.
extern "C" __global__ __aicore__ void apart(GM_ADDR out, uint32_t n);
extern "C" __global__ void announced_only();

extern "C" __global__ __attribute__((noinline))
__aicore__  // over several lines
void
apart(
    GM_ADDR out, uint32_t n) {
  std::memset(out, kText[0] + kRaw[0] + kThousand, n);
}

#define DEFINE_ROOT(name, Type) \
  extern "C" __global__ void name(GM_ADDR out, Type x) { *reinterpret_cast<Type*>(out) = std::sqrt(std::fabs(x)); }
DEFINE_ROOT(root_float, float)
DEFINE_ROOT(root_double, double)

namespace outer {
namespace {
int Helper(int x) { return x + 1; }
}  // namespace
inline namespace v1 {
namespace inner::most {
__global__ __aicore__ void in_namespace(GM_ADDR out) noexcept { *reinterpret_cast<int*>(out) = Helper(1); }
}  // namespace inner::most
}  // namespace v1
static __global__ void internal(GM_ADDR out) { *reinterpret_cast<int*>(out) = Helper(2); }
}  // namespace outer

extern "C" {
__global__ [[gnu::cold]] void in_block(int block_idx) { printf("%d\n", block_idx); }
}

extern "C" __global__ void prints() {
  printf("plain\n");
  std::printf("%s\n", "through std");
  printf("%d%%\n", 5);
  puts("puts");
  std::putchar('c');
  using namespace AscendC;
  printf("%ld %u\n", GetBlockIdx(), 7u);
}
