#include "fault_signals.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace forebay::device {
namespace {

using types::FaultCause;

constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
struct sigaction previous_actions[NSIG];

}  // namespace

void TakeFaultSignals(void (*handler)(int, siginfo_t*, void*), int interrupt_signal) noexcept {
  struct sigaction action{};
  action.sa_sigaction = handler;
  // Interrupts queue up while the system keeps a core from running. They are let in one at a time, or their frames
  // would pile up on the signal stack.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaddset(&action.sa_mask, interrupt_signal);
  for (int signal : kFaultSignals) sigaction(signal, &action, &previous_actions[signal]);
  sigaction(interrupt_signal, &action, nullptr);
}

void PassOn(int signal, siginfo_t* info, void* context) noexcept {
  const struct sigaction& previous = previous_actions[signal];
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || (previous.sa_handler == SIG_IGN && !WasSent(*info))) {
    // Returning with the default action in place makes a fault happen again, now fatally; one that was sent has to be
    // sent again. A fault cannot be ignored.
    struct sigaction default_action{};
    default_action.sa_handler = SIG_DFL;
    sigaction(signal, &default_action, nullptr);
    if (WasSent(*info)) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
  } else if (previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  }
}

FaultCause CauseOfFault(int signal, const siginfo_t& info) noexcept {
  switch (signal) {
    case SIGILL:
    case SIGTRAP: return FaultCause::kIllegalInstruction;
    case SIGFPE:
      return info.si_code == FPE_INTDIV || info.si_code == FPE_INTOVF ? FaultCause::kArithmetic
                                                                      : FaultCause::kFloatingPoint;
    case SIGBUS: return info.si_code == BUS_ADRALN ? FaultCause::kMisaligned : FaultCause::kBadAddress;
    // The processor refuses without naming an address.
    default: return info.si_code == SI_KERNEL ? FaultCause::kForbidden : FaultCause::kBadAddress;
  }
}

uint64_t InstructionPointer(const void* context) noexcept {
  const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uint64_t>(machine->gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine->pc;
#endif
}

}  // namespace forebay::device
