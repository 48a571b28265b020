// A stack of its own for a block, so that blocks can wait for each other without a thread each.
//
// The stack ends in a guard area: running over it faults, and the fault can be told from others by its address.
// Switching is Boost.Context's; the sanitizers are told of every switch.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>

#include "forebay/base/unique_fd.h"
#include "forebay/status.h"

namespace forebay::device {

class Fiber {
 public:
  // Runs on the fiber's stack, once per Enter after a Reset. It must not return; it leaves by Leave.
  using Body = void (*)(Fiber& fiber, void* argument);

  static Result<std::unique_ptr<Fiber>> Create(std::size_t stack_bytes, Body body, void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Continues the fiber where it left last. Returns when it leaves again.
  void Enter() noexcept;
  // From the fiber: back to who entered.
  void Leave() noexcept;
  // Forgets where the fiber was; the next Enter starts its body anew. After a fault the stack is just abandoned.
  void Reset() noexcept;
  // Tells the sanitizers that control jumped from the fiber back to the thread without Leave.
  void AbandonFromSignal() noexcept;

  bool InGuardArea(const void* address) const noexcept;

 private:
  Fiber(base::Mapping memory, Body body, void* argument) noexcept
      : memory_(std::move(memory)), body_(body), argument_(argument) {}
  static void Start(boost::context::detail::transfer_t transfer);

  base::Mapping memory_;  // guard area, then the stack
  Body body_;
  void* argument_;
  boost::context::detail::fcontext_t inside_ = nullptr;   // where the fiber goes on
  boost::context::detail::fcontext_t outside_ = nullptr;  // where it was entered from
#if defined(__SANITIZE_THREAD__)
  void* sanitizer_fiber_ = nullptr;
  void* sanitizer_thread_ = nullptr;
#endif
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack_inside_ = nullptr;
  void* fake_stack_outside_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_stack_bytes_ = 0;
#endif
};

}  // namespace forebay::device
