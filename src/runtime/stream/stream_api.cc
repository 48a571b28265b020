// The stream functions of the C++ interface.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "device/call_sites.h"
#include "diagnosis/task_text.h"
#include "forebay/base/macros.h"
#include "forebay/device.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"
#include "forebay/stream.h"
#include "forebay/task_queue.h"

namespace forebay {
namespace {

uint64_t ToHandle(StreamHandle stream) noexcept { return reinterpret_cast<uint64_t>(stream); }

}  // namespace

namespace runtime {

QueueSnapshot Stream::Snapshot() const {
  QueueSnapshot snapshot;
  snapshot.tasks.reserve(queue().mask + 1);
  // Under the lock nothing is overwritten; the device only reads.
  base::SpinLockHolder hold(lock_);
  if (!sip_) return snapshot;
  snapshot.depth = static_cast<uint32_t>(queue_.mask + 1);
  snapshot.published = tail_;
  snapshot.completed = std::min(queue_.registers->done.load(std::memory_order_acquire), tail_);
  for (uint64_t at = snapshot.completed; at < tail_ && snapshot.tasks.size() < snapshot.tasks.capacity();) {
    snapshot.tasks.push_back({queue_.Entry(at), at, submitters_[at & queue_.mask]});
    at += std::max<uint64_t>(snapshot.tasks.back().command.entry_count, 1);
  }
  return snapshot;
}

std::optional<QueuedTask> Stream::FindUnfinished(bool (*accepts)(const types::Command&, const types::Command&),
                                                 const types::Command& wanted) const {
  base::SpinLockHolder hold(lock_);
  if (!sip_) return std::nullopt;
  const uint64_t done = queue_.registers->done.load(std::memory_order_acquire);
  // What the device has written is not believed when it cannot be.
  if (done > tail_ || tail_ - done > queue_.mask + 1) return std::nullopt;
  for (uint64_t at = done; at < tail_;) {
    const types::Command& command = queue_.Entry(at);
    if (accepts(command, wanted)) return QueuedTask{command, at, submitters_[at & queue_.mask]};
    at += std::max<uint64_t>(command.entry_count, 1);
  }
  return std::nullopt;
}

std::string TopCreationSites(const DeviceState& device) {
  SiteTally tally;
  device.ForEachStream([&](const Stream& stream, uint64_t) { tally.Add(stream.created_at()); });
  std::string text;
  for (const SiteTally::Holder& holder : tally.Top(3)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", holder.count,
                        holder.site == nullptr ? "with their context" : "at " + DescribeSite(holder.site));
  }
  return text;
}

}  // namespace runtime

Result<StreamHandle> CreateStream(int32_t priority, FailurePolicy policy) {
  if (policy > FailurePolicy::kStopStream) {
    return Status(Code::kParamInvalid, fmt::format("the failure policy is {}", static_cast<uint32_t>(policy)),
                  "Use kContinue, kStopStream or kStopContext");
  }
  if (priority < kHighestPriority || priority > kLowestPriority) {
    return Status(Code::kParamInvalid, fmt::format("there is no stream priority {}", priority),
                  fmt::format("Use {} (highest) to {} (lowest)", kHighestPriority, kLowestPriority));
  }
  ASSIGN_OR_RETURN(runtime::Context * context, runtime::CurrentContext());
  ASSIGN_OR_RETURN(const uint64_t handle, runtime::Stream::Create(*context, {priority, 0, policy}));
  return reinterpret_cast<StreamHandle>(handle);
}

Status DestroyStream(StreamHandle stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return runtime::Stream::Destroy(reference.handle, /*force=*/false);
}

Status SynchronizeStream(StreamHandle stream, int64_t timeout_ms) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return reference->Synchronize(reference.handle, timeout_ms);
}

Status QueryStreamStatus(StreamHandle stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return reference->QueryFailure();
}

Result<bool> IsStreamIdle(StreamHandle stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return reference->IsIdle();
}

Result<StreamState> GetStreamState(StreamHandle stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return reference->state();
}

Status RecoverStream(StreamHandle stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return reference->Recover(reference.handle);
}

Result<int32_t> GetStreamId(StreamHandle stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return static_cast<int32_t>(reference->slot());
}

Status LaunchHostFunction(StreamHandle stream, std::function<void()> function) {
  if (!function) return Status(Code::kParamInvalid, "the host function is empty", "Pass something that can be called");
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  runtime::FunctionName name;
  if (const auto* plain = function.target<void (*)()>()) name.code = reinterpret_cast<const void*>(*plain);
  name.type = &function.target_type();
  return reference->LaunchHostFunction(reference.handle, runtime::Stream::Calling(std::move(function)), name);
}

// Fills the value that TaskQueue::Of gives out.
class TaskQueueReader {
 public:
  static TaskQueue Read(const runtime::Stream& stream) {
    const runtime::QueueSnapshot snapshot = stream.Snapshot();
    TaskQueue queue;
    queue.depth_ = snapshot.depth;
    queue.published_ = snapshot.published;
    queue.completed_ = snapshot.completed;
    for (const runtime::QueuedTask& task : snapshot.tasks) queue.text_ += runtime::TaskLine(task, stream) + "\n";
    return queue;
  }
};

Result<TaskQueue> TaskQueue::Of(StreamHandle stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return TaskQueueReader::Read(*reference.stream);
}

Status SynchronizeDevice(int64_t timeout_ms) {
  RETURN_IF_ERROR(runtime::CheckNotNotified(runtime::Notification::kFailure, "waits for streams"));
  RETURN_IF_ERROR(runtime::CheckNotInHostFunction("waits for all streams of its context"));
  ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
  Status first;
  const auto deadline = timeout_ms < 0 ? base::Deadline() : base::Deadline::AfterNanoseconds(timeout_ms * 1'000'000);
  for (const uint64_t handle : context->streams()) {
    runtime::Stream* stream = runtime::Streams().Find(handle);
    if (stream == nullptr) continue;
    const int64_t left_ms = deadline.never() ? -1 : (deadline.RemainingNanoseconds() + 999'999) / 1'000'000;
    const Status status = stream->Synchronize(handle, left_ms);
    if (status.code() == Code::kInvalidHandle) continue;  // another thread destroyed it meanwhile, after its work
    if (first.ok()) first = status;
    if (status.code() == Code::kStreamSyncTimeout) break;
  }
  return first;
}

}  // namespace forebay
