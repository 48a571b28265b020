// What the runtime knows of each host thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "forebay/status.h"

namespace forebay::runtime {

class Stream;

struct ThreadState {
  uint64_t explicit_context = 0;  // handle set by aclrtSetCurrentContext or aclrtCreateContext; 0: none
  int32_t device = -1;            // device set last; its default context is current when no explicit one is
  uint64_t default_context = 0;   // that context, as it was when it was last looked up
  int64_t last_task = -1;      // number of the task this thread submitted last to a stream that was created explicitly
  uint64_t limits_stream = 0;  // the stream whose core limits this thread uses; 0: none
  const Stream* callback_stream = nullptr;  // the stream whose host function runs on this thread
};

// Every call looks at it, so it lies in the block that a thread pointer reaches without a call.
extern thread_local constinit ThreadState current_thread __attribute__((tls_model("initial-exec")));
inline ThreadState& CurrentThread() noexcept { return current_thread; }

// True in a child that was forked off a process whose devices were in use.
extern std::atomic<bool> is_forked_child;
Status ForkedChildFailure();
// Success, or kInternal in such a child.
inline Status CheckNotForked() {
  if (!is_forked_child.load(std::memory_order_relaxed)) [[likely]]
    return {};
  return ForkedChildFailure();
}

// Success, or kParamInvalid in a host function, which what it wants to do would wait for. `what` completes "a host
// function".
Status CheckNotInHostFunction(const char* what);

}  // namespace forebay::runtime
