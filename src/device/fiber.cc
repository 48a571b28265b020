#include "fiber.h"

#include "forebay/base/architecture.h"
#include "forebay/base/macros.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace forebay::device {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// A frame larger than this could reach past it, into another block's stack.
constexpr std::size_t kGuardBytes = 64 * 1024;

}  // namespace

Result<std::unique_ptr<Fiber>> Fiber::Create(std::size_t stack_bytes, Body body, void* argument) {
  ASSIGN_OR_RETURN(base::Mapping memory, base::Mapping::Reserve(stack_bytes + kGuardBytes));
  if (mprotect(memory.data() + kGuardBytes, stack_bytes, PROT_READ | PROT_WRITE) != 0) {
    return Status(Code::kDriverInternal, "the stack of a block cannot be made accessible");
  }
  std::unique_ptr<Fiber> fiber(new Fiber(std::move(memory), body, argument));
#if defined(__SANITIZE_THREAD__)
  fiber->sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
  fiber->Reset();
  return fiber;
}

Fiber::~Fiber() {
#if defined(__SANITIZE_ADDRESS__)
  // Whatever is mapped here next does not know of the frames that an abandoned block left marked.
  __asan_unpoison_memory_region(memory_.data(), memory_.size());
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(sanitizer_fiber_);
#endif
}

void Fiber::Reset() noexcept {
  std::byte* top = memory_.data() + memory_.size();
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(memory_.data() + kGuardBytes, memory_.size() - kGuardBytes);
#endif
  inside_ = make_fcontext(top, memory_.size() - kGuardBytes, &Fiber::Start);
}

void Fiber::Start(transfer_t transfer) {
  auto* fiber = static_cast<Fiber*>(transfer.data);
  fiber->outside_ = transfer.fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &fiber->outside_stack_, &fiber->outside_stack_bytes_);
#endif
  fiber->body_(*fiber, fiber->argument_);
  FOREBAY_CHECK(false && "a fiber's body returned");
}

void Fiber::Enter() noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&fake_stack_outside_, memory_.data() + kGuardBytes, memory_.size() - kGuardBytes);
#endif
#if defined(__SANITIZE_THREAD__)
  sanitizer_thread_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_fiber_, 0);
#endif
  const transfer_t transfer = jump_fcontext(inside_, this);
  inside_ = transfer.fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack_outside_, nullptr, nullptr);
#endif
}

void Fiber::Leave() noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&fake_stack_inside_, outside_stack_, outside_stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(sanitizer_thread_, 0);
#endif
  const transfer_t transfer = jump_fcontext(outside_, nullptr);
  outside_ = transfer.fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack_inside_, &outside_stack_, &outside_stack_bytes_);
#endif
}

void Fiber::AbandonFromSignal() noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(nullptr, outside_stack_, outside_stack_bytes_);
  __sanitizer_finish_switch_fiber(fake_stack_outside_, nullptr, nullptr);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(sanitizer_thread_, 0);
#endif
}

bool Fiber::InGuardArea(const void* address) const noexcept {
  const auto* byte = static_cast<const std::byte*>(address);
  return byte >= memory_.data() && byte < memory_.data() + kGuardBytes;
}

}  // namespace forebay::device
