// The threads that run the host functions of a context's streams.
//
// A stream waits for its function, so it has at most one under way. A function that blocks must hold up its own stream
// only: when no thread is free another is started, and threads are kept for later functions.
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
  };

  Status StartThread() REQUIRES(state_->mutex);
  static void Run(State& state);

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace forebay::runtime
