#include "callback/host_function_thread.h"

#include "forebay/runtime/thread_state.h"

namespace forebay::runtime {

HostFunctionThread::HostFunctionThread() : thread_("fb-callback", [state = state_] { Run(*state); }) {}

HostFunctionThread::~HostFunctionThread() {
  {
    base::MutexLock lock(state_->mutex);
    state_->stop = true;
    state_->changed.NotifyAll();
  }
  // Inside one of its own functions the thread cannot be waited for; it ends when that function returns.
  if (thread_.IsCurrent()) thread_.Detach();
}

void HostFunctionThread::Post(const Stream* stream, std::function<void()> function) {
  base::MutexLock lock(state_->mutex);
  state_->jobs.push_back({stream, std::move(function)});
  state_->changed.NotifyOne();
}

void HostFunctionThread::Run(State& state) {
  for (;;) {
    Job job;
    {
      base::MutexLock lock(state.mutex);
      while (state.jobs.empty() && !state.stop) state.changed.Wait(state.mutex);
      if (state.jobs.empty()) return;
      job = std::move(state.jobs.front());
      state.jobs.pop_front();
    }
    CurrentThread().callback_stream = job.stream;
    job.function();
    CurrentThread().callback_stream = nullptr;
  }
}

}  // namespace forebay::runtime
