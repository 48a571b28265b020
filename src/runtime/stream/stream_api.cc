// The stream functions of the C++ interface.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "device/call_sites.h"
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

// One task as a line of text.
std::string Describe(const types::Command& command, const runtime::DeviceState& device) {
  using types::Opcode;
  static constexpr const char* kOperations[] = {"set", "add", "or", "and"};
  static constexpr const char* kConditions[] = {
      "<", "==", ">", ">=", "has all bits of", ">= (cyclic)", "has a bit of", "leaves a bit to"};
  const std::shared_ptr<sip::Device> sip = device.sip();
  const auto notify = [&] { return sip ? sip->NotifyNumber(command.counter.counter) : command.counter.counter; };
  const auto side = [](types::MemorySpace space) { return space == types::MemorySpace::kDevice ? "device" : "pinned"; };
  switch (command.opcode) {
    case Opcode::kKernel:
      return fmt::format("kernel {} ({} blocks)", device.KernelName(command.kernel.image, command.kernel.function),
                         command.kernel.block_count);
    case Opcode::kCopy:
      return fmt::format("copy {} bytes from {} to {}", command.copy.bytes * command.copy.rows,
                         side(command.copy.source_space), side(command.copy.destination_space));
    case Opcode::kIndirectCopy: return "copy between addresses in device memory";
    case Opcode::kReduce: return fmt::format("reduce {} bytes", command.reduce.bytes);
    case Opcode::kRandom: return "random numbers";
    case Opcode::kFill: return fmt::format("fill {} bytes", command.fill.bytes);
    case Opcode::kEventRecord: return fmt::format("record event {} = {}", command.event.event, command.event.value);
    case Opcode::kEventWait: return fmt::format("wait until event {} >= {}", command.event.event, command.event.value);
    case Opcode::kEventReset: return fmt::format("reset event {} <= {}", command.event.event, command.event.value);
    case Opcode::kCounterRecord:
      return fmt::format("record notify {}: {} {}", notify(),
                         kOperations[static_cast<std::size_t>(command.counter.operation)], command.counter.value);
    case Opcode::kCounterWait:
      return fmt::format("wait until notify {} {} {}{}", notify(),
                         kConditions[static_cast<std::size_t>(command.counter.condition)], command.counter.value,
                         command.counter.clears != 0 ? ", then clear it" : "");
    case Opcode::kMemoryWrite:
      return fmt::format("write {} to device address {:#x}", command.memory.value, command.memory.address);
    case Opcode::kMemoryWait:
      return fmt::format("wait until the word at device address {:#x} {} {}", command.memory.address,
                         kConditions[static_cast<std::size_t>(command.memory.condition)], command.memory.value);
    case Opcode::kHostFunction: return "host function";
    case Opcode::kNone: break;
  }
  return "no operation";
}

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
    snapshot.tasks.push_back(queue_.Entry(at));
    at += std::max<uint64_t>(snapshot.tasks.back().entry_count, 1);
  }
  return snapshot;
}

std::string TopCreationSites(const DeviceState& device) {
  SiteTally tally;
  for (uint32_t slot = 0; slot < types::kMaxStreams; ++slot) {
    if (const Stream* stream = Streams().Find(device.StreamAtSlot(slot))) tally.Add(stream->created_at());
  }
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
  return reference->LaunchHostFunction(reference.handle, [function = std::move(function)](const auto& finish) {
    function();
    finish();
  });
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
    for (const types::Command& command : snapshot.tasks) {
      fmt::format_to(std::back_inserter(queue.text_), "task {}: {}\n", command.task,
                     Describe(command, stream.device()));
    }
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
