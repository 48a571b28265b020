// Kernels that go wrong, each in one way. What goes wrong is hidden from the optimiser, which may drop what it sees to
// be undefined.
#include <cstdlib>

#include "forebay/kernel.h"

namespace {

// The same value, but unknown to the optimiser.
template <typename T>
T Opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

__attribute__((noinline)) uint32_t Recurse(uint32_t depth) {
  volatile uint8_t frame[256];
  frame[0] = static_cast<uint8_t>(depth);
  asm volatile("" : : "r"(&frame) : "memory");
  return Opaque(depth) == 0 ? 0 : Recurse(depth + 1) + frame[0];
}

__attribute__((noinline)) uint32_t RecurseBy(uint32_t kib) {
  volatile uint8_t frame[1024];
  frame[0] = static_cast<uint8_t>(kib);
  asm volatile("" : : "r"(&frame) : "memory");
  return kib == 0 ? 0 : RecurseBy(kib - 1) + frame[0];
}

}  // namespace

// Reads the word at address 0.
extern "C" __global__ __aicore__ void read_null() { (void)*Opaque(static_cast<volatile uint32_t*>(nullptr)); }

// Reads the word at p.
extern "C" __global__ __aicore__ void read_address(GM_ADDR p) {
  (void)*Opaque(reinterpret_cast<volatile uint32_t*>(p));
}

// Writes a word at p.
extern "C" __global__ __aicore__ void write_address(GM_ADDR p) {
  *Opaque(reinterpret_cast<volatile uint32_t*>(p)) = 0x600DF00D;
}

// Executes an instruction that does not exist.
extern "C" __global__ __aicore__ void trap() { asm("trap"); }

// Writes 1000 / d.
extern "C" __global__ __aicore__ void divide_by_zero(GM_ADDR out, int32_t d) {
#if !defined(__x86_64__)
  if (Opaque(d) == 0) asm("trap");  // other processors divide by zero without a fault
#endif
  *reinterpret_cast<int32_t*>(out) = 1000 / Opaque(d);
}

// Recurses until its stack is used up.
extern "C" __global__ __aicore__ void overflow_stack() { Recurse(Opaque(1u)); }

// Needs so much stack, and somewhat more.
extern "C" __global__ __aicore__ void use_stack(uint32_t kib) { (void)Opaque(RecurseBy(kib)); }

extern "C" __global__ __aicore__ void call_abort() { std::abort(); }

extern "C" __global__ __aicore__ void call_exit() { std::exit(3); }

// Never comes back.
extern "C" __global__ __aicore__ void loop_forever() {
  for (;;) asm volatile("");
}

extern "C" __global__ __aicore__ void assert_false() {
  const int one = Opaque(1);
  assert(one == 2);
}

#if defined(__x86_64__)
// Executes an instruction that belongs to the operating system.
extern "C" __global__ __aicore__ void halt() { asm volatile("hlt"); }

// Turns the processor's alignment checks on, and the direction of string instructions round. Then reads at p.
extern "C" __global__ __aicore__ void check_alignment(GM_ADDR p) {
  asm volatile("pushf; orl $0x40400, (%%rsp); popf; movl (%0), %%eax" : : "r"(p) : "eax", "memory", "cc");
}

// Divides by zero with floating-point exceptions turned on.
extern "C" __global__ __aicore__ void trap_float_division() {
  const uint32_t unmasked = 0x1F80 & ~0x200u;
  asm volatile("ldmxcsr %0; xorps %%xmm0, %%xmm0; movss %1, %%xmm1; divss %%xmm0, %%xmm1"
               :
               : "m"(unmasked), "m"(unmasked)
               : "xmm0", "xmm1", "memory");
}
#endif
