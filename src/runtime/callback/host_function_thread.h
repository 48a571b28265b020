// The thread that runs the host functions of a context's streams, one at a time.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "forebay/base/mutex.h"
#include "forebay/base/thread.h"

namespace forebay::runtime {

class Stream;

class HostFunctionThread {
 public:
  HostFunctionThread();
  // Runs what is queued, then ends.
  ~HostFunctionThread();
  HostFunctionThread(const HostFunctionThread&) = delete;
  HostFunctionThread& operator=(const HostFunctionThread&) = delete;

  // `function` runs on the thread, which is then known to run on behalf of `stream`.
  void Post(const Stream* stream, std::function<void()> function);

 private:
  struct Job {
    const Stream* stream;
    std::function<void()> function;
  };
  // Shared with the thread, which may outlive this object when it is destroyed from inside one of its own functions.
  struct State {
    base::Mutex mutex;
    base::CondVar changed;
    std::deque<Job> jobs GUARDED_BY(mutex);
    bool stop GUARDED_BY(mutex) = false;
  };

  static void Run(State& state);

  std::shared_ptr<State> state_ = std::make_shared<State>();
  base::Thread thread_;
};

}  // namespace forebay::runtime
