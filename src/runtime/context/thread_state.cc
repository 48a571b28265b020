#include "forebay/runtime/thread_state.h"

#include <pthread.h>

#include <atomic>

#include "fork_guard.h"

namespace forebay::runtime {
namespace {

std::atomic<bool> used{false};
std::atomic<bool> forked{false};

void MarkChild() noexcept {
  if (used.load(std::memory_order_relaxed)) forked.store(true, std::memory_order_relaxed);
}

}  // namespace

ThreadState& CurrentThread() noexcept {
  static thread_local ThreadState state;
  return state;
}

void NoteDeviceUse() noexcept {
  static const int registered = pthread_atfork(nullptr, nullptr, &MarkChild);
  (void)registered;
  used.store(true, std::memory_order_relaxed);
}

bool IsForkedChild() noexcept { return forked.load(std::memory_order_relaxed); }

Status CheckNotForked() noexcept {
  if (!IsForkedChild()) [[likely]] return {};
  return Status(Code::kInternal, "this process was forked off one whose devices were in use, which are the parent's",
                "Set devices only in the child, or start it by exec");
}

}  // namespace forebay::runtime
