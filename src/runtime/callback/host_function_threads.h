// The threads that run the host functions of a context's streams.
//
// A stream waits for its function, so it has at most one under way. A function that blocks must hold up its own stream
// only: when no thread is free another is started. Of the threads that have had nothing to do for a while one is kept.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/base/thread.h"
#include "forebay/status.h"

namespace forebay::runtime {

class Stream;

class HostFunctionThreads {
 public:
  HostFunctionThreads() = default;
  // Runs what is queued, then ends the threads.
  ~HostFunctionThreads();
  HostFunctionThreads(const HostFunctionThreads&) = delete;
  HostFunctionThreads& operator=(const HostFunctionThreads&) = delete;

  // Makes sure that there is a thread, so that what is posted later runs. Fails when the system gives none.
  Status Prepare();
  // `function` runs on a thread, which is then known to run on behalf of `stream`. When the system gives no further
  // thread it waits for one of those that there are.
  void Post(const Stream* stream, std::function<void()> function);

 private:
  struct Job {
    const Stream* stream;
    std::function<void()> function;
  };
  // Shared with the threads: one of them may outlive this object when it is destroyed from inside one of its functions.
  struct State {
    base::Mutex mutex;
    base::CondVar changed;
    std::deque<Job> jobs GUARDED_BY(mutex);
    std::size_t idle GUARDED_BY(mutex) = 0;  // threads that wait for a job
    bool stop GUARDED_BY(mutex) = false;
    std::vector<base::Thread> threads GUARDED_BY(mutex);
    base::Thread ended GUARDED_BY(mutex);  // the one that ended last, to be joined by the next
  };

  Status StartThread() REQUIRES(state_->mutex);
  static void Run(State& state);
  // Waits for a job. False when the calling thread is to end.
  static bool TakeJob(State& state, Job* job);
  static void EndIdle(State& state, base::Thread* before) REQUIRES(state.mutex);

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace forebay::runtime
