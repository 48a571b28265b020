#include "callback/host_function_threads.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "forebay/runtime/thread_state.h"

namespace forebay::runtime {
namespace {

constexpr std::chrono::milliseconds kIdleTime{500};

}  // namespace

HostFunctionThreads::~HostFunctionThreads() {
  std::vector<base::Thread> threads;
  {
    base::MutexLock lock(state_->mutex);
    state_->stop = true;
    state_->changed.NotifyAll();
    threads.swap(state_->threads);
    threads.push_back(std::move(state_->ended));
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

void HostFunctionThreads::EndIdle(State& state, base::Thread* before) {
  const auto self = std::find_if(state.threads.begin(), state.threads.end(),
                                 [](const base::Thread& thread) { return thread.IsCurrent(); });
  *before = std::exchange(state.ended, std::move(*self));
  state.threads.erase(self);
}

bool HostFunctionThreads::TakeJob(State& state, Job* job) {
  base::Thread before;  // joined without the lock
  base::MutexLock lock(state.mutex);
  ++state.idle;
  while (state.jobs.empty() && !state.stop) {
    if (state.changed.WaitUntil(state.mutex, std::chrono::steady_clock::now() + kIdleTime)) continue;
    if (!state.jobs.empty() || state.stop || state.idle == 1) continue;
    --state.idle;
    EndIdle(state, &before);
    return false;
  }
  --state.idle;
  if (state.jobs.empty()) return false;
  *job = std::move(state.jobs.front());
  state.jobs.pop_front();
  return true;
}

void HostFunctionThreads::Run(State& state) {
  Job job;
  while (TakeJob(state, &job)) {
    CurrentThread().callback_stream = job.stream;
    job.function();
    CurrentThread().callback_stream = nullptr;
    job = {};
  }
}

}  // namespace forebay::runtime
