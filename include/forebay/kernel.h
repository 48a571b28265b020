// What a kernel source includes: the words of a kernel's declaration, and what a block can ask of its device.
//
// C++17. A kernel is a function such as
//     extern "C" __global__ __aicore__ void add_one(GM_ADDR data, uint32_t n)
// The device runs it once per block. It may use the functions below, memory and string functions, and the mathematics
// library; abort, exit, assert and printf are led to the device. Anything else is refused when the binary is loaded.
#ifndef FOREBAY_KERNEL_H_
#define FOREBAY_KERNEL_H_

#ifndef FOREBAY_KERNEL_BUILD
#error \
    "forebay/kernel.h is for kernel sources: build this file with forebay_add_kernel_binary() of CMake, or do not include it in host code"
#endif

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include "forebay/kernel_abi.h"

// The build looks for kernels in the preprocessed source, so while it looks these words have to stay in the text.
#ifndef FOREBAY_KERNEL_SCAN
#define __global__    // a kernel: the host can launch it
#define __cube__      // runs on cube cores
#define __vector__    // runs on vector cores; a kernel that says nothing runs on any
#define __mix__(...)  // runs on both, in the given ratio
#endif
#define __aicore__  // runs on the device
#define __gm__      // points to global memory
#define __ubuf__    // points to the unified buffer of a vector core
#define __cbuf__    // points to the L1 buffer of a cube core
#define __ca__      // points to the L0A buffer of a cube core
#define __cb__      // points to the L0B buffer of a cube core
#define __cc__      // points to the L0C buffer of a cube core
#define GM_ADDR __gm__ uint8_t*

// asm("trap") stops the kernel with a fault, as the instruction of that name does on an AI core.
#if defined(__x86_64__)
asm(".macro trap\n\tud2\n\t.endm");
#elif defined(__aarch64__)
asm(".macro trap\n\tudf #0\n\t.endm");
#endif

namespace forebay::kernel {

// The device's service table. Set once when the binary is loaded, before any block runs.
__attribute__((visibility("hidden"))) extern const kernel_abi::DeviceServices* services;

// Stands for the index of the running block wherever an integer is expected. An object and not a macro, so that a
// kernel may have variables and members of the same name.
struct BlockIndex {
  operator int64_t() const noexcept { return services->block_context()->block_index; }
};
// Stands for the number of blocks of the running kernel wherever an integer is expected.
struct BlockCount {
  operator int64_t() const noexcept { return services->block_context()->block_count; }
};

template <typename T>
inline constexpr bool kStandsForInteger = std::is_same_v<T, BlockIndex> || std::is_same_v<T, BlockCount>;

// What is passed to a function of variable arguments for `value`.
template <typename T>
auto VariableArgument(const T& value) noexcept {
  if constexpr (kStandsForInteger<T>) {
    return static_cast<int64_t>(value);
  } else {
    return static_cast<std::decay_t<const T&>>(value);
  }
}

}  // namespace forebay::kernel

// The index of the running block, from 0. Converts to int64_t.
inline constexpr forebay::kernel::BlockIndex block_idx{};
// The number of blocks the running kernel was launched with. Converts to int64_t.
inline constexpr forebay::kernel::BlockCount block_num{};

// printf with block_idx or block_num among its arguments, which cannot be passed as they are. All other calls take the
// C library's declaration; linking leads them to the device as well.
template <typename... Arguments, std::enable_if_t<(forebay::kernel::kStandsForInteger<Arguments> || ...), int> = 0>
int printf(const char* format, const Arguments&... arguments) {
  return ::printf(format, forebay::kernel::VariableArgument(arguments)...);
}

namespace AscendC {

// The index of the running block, from 0.
inline int64_t GetBlockIdx() noexcept { return forebay::kernel::services->block_context()->block_index; }
// The number of blocks the running kernel was launched with.
inline int64_t GetBlockNum() noexcept { return forebay::kernel::services->block_context()->block_count; }
// Waits until every block of the kernel has come here. What a block wrote to global memory before is visible to all
// afterwards. Every block must call it equally often. The argument is accepted for the sake of existing sources.
template <bool isAIVOnly = true>
inline void SyncAll() {
  forebay::kernel::services->sync_all();
}
// Prints on the application's standard output, by whole lines: one of up to 64 KiB is not torn apart by what other
// blocks print, a longer one may be. One call prints at most 64 KiB. Returns the number of bytes of the text, or a
// negative number. A kernel waits until the application takes what it prints; that does not count as its running time.
using ::printf;
// The same as printf.
__attribute__((visibility("hidden"), format(printf, 1, 2))) int PRINTF(const char* format, ...);

}  // namespace AscendC

using AscendC::GetBlockIdx;
using AscendC::GetBlockNum;
using AscendC::PRINTF;
using AscendC::SyncAll;

#endif  // FOREBAY_KERNEL_H_
