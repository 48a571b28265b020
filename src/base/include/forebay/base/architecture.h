// Everything that depends on the processor, in one place. x86-64 first, AArch64 beside it.
#pragma once

#include <atomic>
#include <cstdint>

namespace forebay::base {

// Tells the processor that this is a spin loop.
inline void CpuRelax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The time stamp counter: constant rate, the same on all cores and in all processes of the machine.
inline uint64_t ReadCycleCounter() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#endif
}

// Orders every earlier store before every later load. ThreadSanitizer does not model fences, so there a
// read-modify-write stands in; the accesses around it are atomics with their own orders.
inline void FullFence() noexcept {
#if defined(__SANITIZE_THREAD__)
  static std::atomic<uint32_t> word{0};
  word.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

inline constexpr std::size_t kCacheLine = 64;

}  // namespace forebay::base
