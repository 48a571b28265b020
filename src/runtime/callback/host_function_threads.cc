#include "callback/host_function_threads.h"

#include "forebay/runtime/thread_state.h"

namespace forebay::runtime {

HostFunctionThreads::~HostFunctionThreads() {
  std::vector<base::Thread> threads;
  {
    base::MutexLock lock(state_->mutex);
    state_->stop = true;
    state_->changed.NotifyAll();
    threads.swap(state_->threads);
  }
  for (base::Thread& thread : threads) {
    // Inside one of its own functions a thread cannot be waited for; it ends when that function returns.
    if (thread.IsCurrent()) thread.Detach();
    thread.Join();
  }
}

Status HostFunctionThreads::StartThread() {
  base::Thread thread("fb-callback", [state = state_] { Run(*state); });
  Status status = thread.status();
  if (status.ok()) state_->threads.push_back(std::move(thread));
  return status;
}

Status HostFunctionThreads::Prepare() {
  base::MutexLock lock(state_->mutex);
  return state_->threads.empty() ? StartThread() : Status();
}

void HostFunctionThreads::Post(const Stream* stream, std::function<void()> function) {
  base::MutexLock lock(state_->mutex);
  state_->jobs.push_back({stream, std::move(function)});
  if (state_->jobs.size() > state_->idle) StartThread().IgnoreError();
  state_->changed.NotifyOne();
}

void HostFunctionThreads::Run(State& state) {
  for (;;) {
    Job job;
    {
      base::MutexLock lock(state.mutex);
      ++state.idle;
      while (state.jobs.empty() && !state.stop) state.changed.Wait(state.mutex);
      --state.idle;
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
