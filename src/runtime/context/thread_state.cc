#include "forebay/runtime/thread_state.h"

#include <pthread.h>
#include <unistd.h>

#include <string>

#include "exception/fault_injection.h"
#include "forebay/base/configuration.h"
#include "forebay/runtime/device_state.h"
#include "fork_guard.h"

namespace forebay::runtime {
namespace {

std::atomic<bool> used{false};

void MarkChild() noexcept {
  if (used.load(std::memory_order_relaxed)) call_attention.fetch_or(kForkedChild, std::memory_order_relaxed);
}

}  // namespace

thread_local constinit ThreadState current_thread;
std::atomic<uint32_t> call_attention{kFirstCall};

void NoteDeviceUse() noexcept {
  static const int registered = pthread_atfork(nullptr, nullptr, &MarkChild);
  (void)registered;
  used.store(true, std::memory_order_relaxed);
}

Status ForkedChildFailure() {
  return Status(Code::kInternal, "this process was forked off one whose devices were in use, which are the parent's",
                "Set devices only in the child, or start it by exec");
}

Status AttendToCall(const char* call) {
  uint32_t reasons = call_attention.load(std::memory_order_relaxed);
  if ((reasons & kFirstCall) != 0) {
    call_attention.fetch_and(~uint32_t{kFirstCall}, std::memory_order_relaxed);
    CurrentConfiguration();
    reasons = call_attention.load(std::memory_order_relaxed);
  }
  if ((reasons & kForkedChild) != 0) return ForkedChildFailure();
  return (reasons & kInjectedFaults) != 0 ? FaultOfCall(call) : Status();
}

Status NotificationFailure(const char* what) {
  constexpr const char* kKinds[] = {"", "a callback of aclInit or aclFinalize", "a callback on a device or stream",
                                    "an exception callback"};
  return Status(Code::kParamInvalid,
                std::string(kKinds[static_cast<int>(CurrentThread().notification)]) + " " + what +
                    ", which would wait for that callback",
                "Note what is to be done, and do it after the callback has returned");
}

Status CheckNotInHostFunction(const char* what) {
  if (CurrentThread().callback_stream == nullptr) [[likely]]
    return {};
  return Status(Code::kParamInvalid, std::string("a host function ") + what + ", which would wait for that function",
                "Do not call the runtime from a host function");
}

}  // namespace forebay::runtime
