// What the runtime knows of each host thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "forebay/status.h"

namespace forebay::runtime {

class Stream;

// What kind of function of the application the runtime is calling on a thread. The later ones may do less.
enum class Notification : uint8_t {
  kNone,
  kLifeCycle,    // of aclInit or aclFinalize: may not call these
  kStateChange,  // of a device or stream: may neither set nor reset a device, as that waits for this very call
  kFailure,      // of a failed task: may not use streams either, as news of the device waits for it
};

struct ThreadState {
  uint64_t explicit_context = 0;  // handle set by aclrtSetCurrentContext or aclrtCreateContext; 0: none
  int32_t device = -1;            // device set last; its default context is current when no explicit one is
  uint64_t default_context = 0;   // that context, as it was when it was last looked up
  int64_t last_task = -1;      // number of the task this thread submitted last to a stream that was created explicitly
  uint64_t limits_stream = 0;  // the stream whose core limits this thread uses; 0: none
  const Stream* callback_stream = nullptr;  // the stream whose host function runs on this thread
  // What is noted with each task that the thread submits: the system's number of the thread, or, while submit sites are
  // kept, always 0, so that every submit asks. 0 until it is needed.
  std::atomic<uint32_t> submitter{0};
  Notification notification = Notification::kNone;
};

// Every call looks at it, so it lies in the block that a thread pointer reaches without a call.
extern thread_local constinit ThreadState current_thread __attribute__((tls_model("initial-exec")));
inline ThreadState& CurrentThread() noexcept { return current_thread; }

// Why a call needs more than usual: one word, so that a call which needs nothing looks at one only.
enum CallAttention : uint32_t {
  kForkedChild = 1,     // this process was forked off one whose devices were in use
  kFirstCall = 2,       // nobody has read the configuration yet
  kInjectedFaults = 4,  // some calls are to fail
};
extern std::atomic<uint32_t> call_attention;
Status ForkedChildFailure();
// Success, or kInternal in a forked child.
inline Status CheckNotForked() {
  if ((call_attention.load(std::memory_order_relaxed) & kForkedChild) == 0) [[likely]]
    return {};
  return ForkedChildFailure();
}
// What every function of the interface asks first. A failure is what it returns, and then it does nothing.
Status AttendToCall(const char* call);
inline Status BeginCall(const char* call) {
  if (call_attention.load(std::memory_order_relaxed) == 0) [[likely]]
    return {};
  return AttendToCall(call);
}

// Who submits: see diagnosis/submit_sites.h for what it says.
uint32_t AskSubmitter() noexcept;
inline uint32_t Submitter() noexcept {
  const uint32_t known = CurrentThread().submitter.load(std::memory_order_relaxed);
  return known != 0 ? known : AskSubmitter();
}

// While it lives, the calling thread runs a function of the application of that kind, in the context (0: in its own).
class NotificationScope {
 public:
  explicit NotificationScope(Notification notification, uint64_t context = 0) noexcept {
    ThreadState& thread = CurrentThread();
    before_ = {thread.explicit_context, thread.default_context, thread.device, thread.notification};
    thread.notification = notification;
    if (context != 0) thread.explicit_context = context;
  }
  ~NotificationScope() {
    ThreadState& thread = CurrentThread();
    thread.notification = before_.notification;
    thread.explicit_context = before_.explicit_context;
    thread.device = before_.device;
    thread.default_context = before_.default_context;
  }
  NotificationScope(const NotificationScope&) = delete;
  NotificationScope& operator=(const NotificationScope&) = delete;

 private:
  struct {
    uint64_t explicit_context;
    uint64_t default_context;
    int32_t device;
    Notification notification;
  } before_;
};

// Success, or kParamInvalid in a function of the application of the kind `first` or a later one. `what` completes "a
// callback".
Status NotificationFailure(const char* what);
inline Status CheckNotNotified(Notification first, const char* what) {
  if (CurrentThread().notification < first) [[likely]]
    return {};
  return NotificationFailure(what);
}

// Success, or kParamInvalid in a host function, which what it wants to do would wait for. `what` completes "a host
// function".
Status CheckNotInHostFunction(const char* what);

}  // namespace forebay::runtime
