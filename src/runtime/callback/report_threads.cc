#include "forebay/runtime/report_threads.h"

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>

#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/thread_state.h"

namespace forebay::runtime {
namespace {

Status NoSuchThread(uint64_t thread) {
  return Status(Code::kThreadSubscribe, fmt::format("thread {:#x} serves the callbacks of no stream", thread),
                "Pass what pthread_self returns in the thread to aclrtSubscribeReport first");
}

}  // namespace

ReportThreads& Reports() {
  static base::NeverDestroyed<ReportThreads> threads;
  return *threads;
}

Status ReportThreads::Subscribe(uint64_t thread, const StreamReference& stream) {
  base::MutexLock lock(mutex_);
  if (thread_of_stream_.count(stream.handle) != 0) {
    return Status(Code::kStreamSubscribe, fmt::format("stream {} has a thread for its callbacks", stream->slot()),
                  "Unsubscribe that thread first");
  }
  const int32_t device = stream->device().id();
  auto found = servers_.find(thread);
  if (found != servers_.end() && found->second->device != device) {
    return Status(Code::kThreadSubscribe,
                  fmt::format("thread {:#x} serves device {} and cannot serve device {} as well", thread,
                              found->second->device, device),
                  "Use one thread per device");
  }
  if (found == servers_.end()) {
    if (servers_.size() >= kMaxThreads) {
      return Status(Code::kThreadSubscribe,
                    fmt::format("{} threads serve callbacks, more are not allowed", kMaxThreads),
                    "Let one thread serve several streams");
    }
    found = servers_.emplace(thread, std::make_shared<Server>()).first;
    found->second->device = device;
  }
  ++found->second->streams;
  thread_of_stream_[stream.handle] = thread;
  return {};
}

Status ReportThreads::Unsubscribe(uint64_t thread, const StreamReference& stream) {
  std::deque<Report> dropped;
  {
    base::MutexLock lock(mutex_);
    if (servers_.count(thread) == 0) return NoSuchThread(thread);
    const auto found = thread_of_stream_.find(stream.handle);
    if (found == thread_of_stream_.end() || found->second != thread) {
      return Status(Code::kStreamSubscribe,
                    fmt::format("thread {:#x} does not serve the callbacks of stream {}", thread, stream->slot()),
                    "Unsubscribe the pair that was subscribed");
    }
    dropped = TakeReports(stream.handle);
    thread_of_stream_.erase(found);
    Leave(thread);
  }
  for (const Report& report : dropped) {
    if (report.finish) report.finish();
  }
  return {};
}

void ReportThreads::Leave(uint64_t thread) {
  const auto found = servers_.find(thread);
  Server& server = *found->second;
  if (--server.streams != 0) return;
  // A thread that waits for callbacks learns that it serves nothing any more.
  server.changed.NotifyAll();
  if (server.reports.empty()) servers_.erase(found);
}

Status ReportThreads::Launch(const StreamReference& stream, std::function<void()> callback, const FunctionName& name,
                             bool blocking) {
  {
    base::MutexLock lock(mutex_);
    if (thread_of_stream_.count(stream.handle) == 0) {
      return Status(Code::kStreamNoCallbackRegistered,
                    fmt::format("no thread serves the callbacks of stream {}", stream->slot()),
                    "Call aclrtSubscribeReport for the stream first");
    }
  }
  Stream* object = stream.stream;
  return stream->LaunchHostFunction(
      stream.handle,
      [this, object, handle = stream.handle, aborts = stream->aborts(), callback = std::move(callback),
       blocking](const std::function<void()>& finish) {
        if (blocking) object->NoteFunctionStage(handle, FunctionStage::kHandedOn);
        Post({object, handle, callback, blocking ? finish : nullptr}, aborts);
        if (!blocking) finish();
      },
      name);
}

void ReportThreads::Post(Report report, uint32_t aborts) {
  {
    base::MutexLock lock(mutex_);
    const auto found = thread_of_stream_.find(report.handle);
    // An abort counts before it drops what is here, so that nothing slips in behind it.
    const bool wanted = report.stream->aborts() == aborts && report.stream->handle() == report.handle;
    if (wanted && found != thread_of_stream_.end()) {
      Server& server = *servers_[found->second];
      server.reports.push_back(std::move(report));
      server.changed.NotifyAll();
      return;
    }
  }
  if (report.finish) report.finish();
}

Status ReportThreads::Process(int64_t timeout_ms) {
  const auto thread = static_cast<uint64_t>(pthread_self());
  const auto limit =
      std::chrono::steady_clock::now() + (timeout_ms < 0 ? std::chrono::milliseconds(std::chrono::hours(24 * 365))
                                                         : std::chrono::milliseconds(timeout_ms));
  Report report;
  {
    base::MutexLock lock(mutex_);
    const auto found = servers_.find(thread);
    if (found == servers_.end()) return NoSuchThread(thread);
    const std::shared_ptr<Server> server = found->second;
    while (server->reports.empty() && server->streams != 0) {
      if (std::chrono::steady_clock::now() >= limit) {
        return Status(Code::kReportTimeout, fmt::format("no callback arrived within {} ms", timeout_ms),
                      "Call again, or look at what the streams wait for");
      }
      server->changed.WaitUntil(mutex_, limit);
    }
    if (server->reports.empty()) return NoSuchThread(thread);
    report = std::move(server->reports.front());
    server->reports.pop_front();
    if (server->streams == 0 && server->reports.empty()) servers_.erase(thread);
  }
  ThreadState& state = CurrentThread();
  if (report.finish) {
    state.callback_stream = report.stream;
    report.stream->NoteFunctionStage(report.handle, FunctionStage::kRunning);
  }
  report.callback();
  state.callback_stream = nullptr;
  if (report.finish) report.finish();
  return {};
}

std::deque<ReportThreads::Report> ReportThreads::TakeReports(uint64_t stream) {
  std::deque<Report> taken;
  const auto found = thread_of_stream_.find(stream);
  if (found == thread_of_stream_.end()) return taken;
  std::deque<Report> kept;
  std::deque<Report>& reports = servers_[found->second]->reports;
  for (Report& report : reports) (report.handle == stream ? taken : kept).push_back(std::move(report));
  reports.swap(kept);
  return taken;
}

void ReportThreads::Drop(uint64_t stream) {
  std::deque<Report> dropped;
  {
    base::MutexLock lock(mutex_);
    dropped = TakeReports(stream);
  }
  for (const Report& report : dropped) {
    if (report.finish) report.finish();
  }
}

void ReportThreads::Forget(uint64_t stream) {
  base::MutexLock lock(mutex_);
  const auto found = thread_of_stream_.find(stream);
  if (found == thread_of_stream_.end()) return;
  const uint64_t thread = found->second;
  thread_of_stream_.erase(found);
  Leave(thread);
}

}  // namespace forebay::runtime
