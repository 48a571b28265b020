// What the process is doing, as text.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "diagnosis/task_text.h"
#include "diagnosis/wait_chain.h"
#include "diagnosis/waiting_submits.h"
#include "forebay/base/clock.h"
#include "forebay/memory_pool.h"
#include "forebay/runtime.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/sip/device.h"

namespace forebay {
namespace runtime {
namespace {

constexpr std::size_t kMostTasks = 8;  // of one stream
constexpr std::size_t kMostBusy = 64;  // streams with tasks, of one device
constexpr int64_t kPatienceNanoseconds = 100'000'000;

using Text = std::back_insert_iterator<std::string>;

void AddStream(Text out, const Stream& stream) {
  static constexpr const char* kStates[] = {"ready", "failed", "stopped", "lost"};
  const QueueSnapshot queue = stream.Snapshot();
  const auto state = static_cast<std::size_t>(stream.state());
  fmt::format_to(out, "  s{}{}: {}, {} of {} entries done, {} tasks queued, priority {}\n", stream.slot(),
                 stream.is_default() ? " (default)" : "", state < std::size(kStates) ? kStates[state] : "?",
                 queue.completed, queue.published, queue.tasks.size(), stream.priority());
  if (const Status failure = stream.QueryFailure(); !failure.ok())
    fmt::format_to(out, "    failure: {}\n", failure.ToString());
  if (queue.tasks.empty()) return;
  fmt::format_to(out, "    {}\n", DescribeWait(stream));
  for (std::size_t i = 0; i < std::min(queue.tasks.size(), kMostTasks); ++i)
    fmt::format_to(out, "    {}\n", TaskLine(queue.tasks[i], stream));
  if (queue.tasks.size() > kMostTasks) fmt::format_to(out, "    and {} more\n", queue.tasks.size() - kMostTasks);
}

void AddPool(Text out, const char* name, const std::shared_ptr<MemoryPool>& pool) {
  if (!pool) return;
  const MemoryPoolStatistics now = pool->statistics();
  fmt::format_to(out, "  {} memory: {} bytes in {} blocks, {} bytes held\n", name, now.allocated_bytes, now.live_blocks,
                 now.reserved_bytes);
}

void AddDevice(Text out, const DeviceState& device) {
  const std::shared_ptr<sip::Device> sip = device.sip();
  if (!sip) return;
  fmt::format_to(out, "device {}: {}, process {}\n", device.id(), sip->profile().name, sip->process_id());
  if (const Status failure = device.device_failure(); !failure.ok())
    fmt::format_to(out, "  failure: {}\n", failure.ToString());
  if (!sip->Reacts(kPatienceNanoseconds)) {
    fmt::format_to(out, "  it does not react within {} ms; what follows is what it wrote last\n",
                   kPatienceNanoseconds / 1'000'000);
  }
  std::size_t busy = 0;
  std::size_t left_out = 0;
  device.ForEachStream([&](const Stream& stream, uint64_t handle) {
    if (stream.UnfinishedTail(handle) && ++busy > kMostBusy) {
      ++left_out;
    } else {
      AddStream(out, stream);
    }
  });
  if (left_out != 0) fmt::format_to(out, "  and {} more streams with tasks\n", left_out);
  for (const sip::Device::BusyCore& core : sip->BusyCores()) {
    fmt::format_to(out, "  core {}: a kernel of s{}, for {} ms\n", core.core, core.stream,
                   base::MillisecondsSince(core.since_ns));
  }
  AddPool(out, "device", device.memory_pool());
  AddPool(out, "pinned", device.pinned_pool());
}

}  // namespace
}  // namespace runtime

std::string DumpState() {
  std::string text = fmt::format("forebay: state of process {}\n", getpid());
  const auto out = std::back_inserter(text);
  const int32_t count = runtime::DeviceCount();
  for (int32_t id = 0; id < count; ++id) {
    if (const Result<runtime::DeviceState*> device = runtime::FindDevice(id); device.ok())
      runtime::AddDevice(out, **device);
  }
  for (const runtime::WaitingSubmit::Row& row : runtime::WaitingSubmit::All()) {
    fmt::format_to(out, "thread {} has been waiting for room for {} entries in s{} for {} ms\n", row.thread,
                   row.entries, row.stream->slot(), base::MillisecondsSince(row.since_ns));
  }
  return text;
}

}  // namespace forebay
