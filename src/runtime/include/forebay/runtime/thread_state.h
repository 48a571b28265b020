// What the runtime knows of each host thread.
#pragma once

#include <cstdint>

#include "forebay/status.h"

namespace forebay::runtime {

class Stream;

struct ThreadState {
  uint64_t explicit_context = 0;  // handle set by aclrtSetCurrentContext or aclrtCreateContext; 0: none
  int32_t device = -1;            // device set last; its default context is current when no explicit one is
  int64_t last_task = -1;         // number of the task this thread submitted last
  const Stream* callback_stream = nullptr;  // the stream whose host function runs on this thread
};

// The calling thread's.
ThreadState& CurrentThread() noexcept;

// Success, or kInternal in a child that was forked off a process whose devices were in use.
Status CheckNotForked() noexcept;

}  // namespace forebay::runtime
