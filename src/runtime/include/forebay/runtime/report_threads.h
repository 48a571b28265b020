// Callbacks that the application's own threads run: a stream is served by one thread, which takes its callbacks from
// here when it asks for them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "forebay/base/mutex.h"
#include "forebay/runtime/stream.h"
#include "forebay/status.h"

namespace forebay::runtime {

// Threads are named by what pthread_self returns in them, streams by their handles.
// Thread safety: all functions may be called from any thread.
class ReportThreads {
 public:
  static constexpr std::size_t kMaxThreads = 1024;

  // The thread serves the stream from now on. Errors: kStreamSubscribe when the stream has a thread; kThreadSubscribe
  // when the thread serves another device, or there are kMaxThreads.
  Status Subscribe(uint64_t thread, const StreamReference& stream) EXCLUDES(mutex_);
  // Callbacks of the stream that have not begun are dropped. Errors: kThreadSubscribe, kStreamSubscribe.
  Status Unsubscribe(uint64_t thread, const StreamReference& stream) EXCLUDES(mutex_);
  // Queues a task that hands `callback` to the stream's thread. With `blocking` later tasks of the stream wait until it
  // has run. Errors: kStreamNoCallbackRegistered, and those of a submission.
  Status Launch(const StreamReference& stream, std::function<void()> callback, const FunctionName& name, bool blocking)
      EXCLUDES(mutex_);
  // Waits until the calling thread has a callback, and runs one. Errors: kThreadSubscribe; kReportTimeout.
  Status Process(int64_t timeout_ms) EXCLUDES(mutex_);
  // Callbacks of the stream that have not begun are not run, and no longer waited for.
  void Drop(uint64_t stream) EXCLUDES(mutex_);
  // The stream is gone. What its tasks handed over before is still run.
  void Forget(uint64_t stream) EXCLUDES(mutex_);

 private:
  struct Report {
    Stream* stream = nullptr;
    uint64_t handle = 0;
    std::function<void()> callback;
    std::function<void()> finish;  // empty when the stream has gone on already
  };
  struct Server {
    int32_t device = 0;
    uint32_t streams = 0;
    std::deque<Report> reports;
    base::CondVar changed;
  };

  void Post(Report report, uint32_t aborts) EXCLUDES(mutex_);
  std::deque<Report> TakeReports(uint64_t stream) REQUIRES(mutex_);
  void Leave(uint64_t thread) REQUIRES(mutex_);

  base::Mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Server>> servers_ GUARDED_BY(mutex_);
  std::map<uint64_t, uint64_t> thread_of_stream_ GUARDED_BY(mutex_);
};

ReportThreads& Reports();

}  // namespace forebay::runtime
