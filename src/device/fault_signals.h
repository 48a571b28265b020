// The signals by which the system reports the faults of instructions.
#pragma once

#include <csignal>
#include <cstdint>

#include "forebay/types/bar.h"

namespace forebay::device {

// Makes `handler` the process's for all faults and for `interrupt_signal`. PassOn knows the handlers that were there.
void TakeFaultSignals(void (*handler)(int, siginfo_t*, void*), int interrupt_signal) noexcept;
// Hands a signal that is not ours to whoever handled it before.
void PassOn(int signal, siginfo_t* info, void* context) noexcept;

// Whether a process sent the signal: no instruction of this thread is to blame for it.
inline bool WasSent(const siginfo_t& info) noexcept { return info.si_code <= 0; }
types::FaultCause CauseOfFault(int signal, const siginfo_t& info) noexcept;
// Of the instruction that was interrupted. `context` is the handler's third argument.
uint64_t InstructionPointer(const void* context) noexcept;

// Kernels may leave the processor checking alignment, or copying backwards, which nobody else is prepared for.
inline void ResetProcessorFlags() noexcept {
#if defined(__x86_64__)
  constexpr uint64_t kDirection = 1u << 10, kAlignmentCheck = 1u << 18;
  const uint64_t flags = __builtin_ia32_readeflags_u64();
  if ((flags & (kDirection | kAlignmentCheck)) != 0) [[unlikely]]
    __builtin_ia32_writeeflags_u64(flags & ~(kDirection | kAlignmentCheck));
#endif
}

}  // namespace forebay::device
