#include "diagnosis/wait_chain.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "diagnosis/submit_sites.h"
#include "diagnosis/task_text.h"
#include "forebay/base/clock.h"
#include "forebay/runtime/device_state.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

using types::Command;
using types::Opcode;

constexpr std::size_t kMostStreams = 16;
constexpr std::size_t kMostText = 4096;

bool AcceptsAny(const Command&, const Command&) { return true; }

// Whether a task brings about what `wait` is for, or may.
bool EndsWait(const Command& command, const Command& wait) {
  switch (wait.opcode) {
    case Opcode::kEventWait:
      return command.opcode == Opcode::kEventRecord && command.event.event == wait.event.event &&
             command.event.value >= wait.event.value;
    case Opcode::kCounterWait:
      return command.opcode == Opcode::kCounterRecord && command.counter.counter == wait.counter.counter;
    case Opcode::kMemoryWait:
      return command.opcode == Opcode::kMemoryWrite && command.memory.address == wait.memory.address;
    default: return false;
  }
}

bool IsWait(Opcode opcode) {
  return opcode == Opcode::kEventWait || opcode == Opcode::kCounterWait || opcode == Opcode::kMemoryWait;
}

std::string Since(int64_t since_ns) { return fmt::format("{} ms", base::MillisecondsSince(since_ns)); }

class Chain {
 public:
  explicit Chain(const DeviceState& device) : device_(device), sip_(device.sip()) {}

  // What the stream is at, as the end of a sentence that begins with its name.
  void AddStream(const Stream& stream) {
    visited_.push_back(&stream);
    const std::optional<QueuedTask> head = stream.FindUnfinished(&AcceptsAny);
    if (!stream.CheckNotHeld().ok()) {
      text_ += "was stopped and keeps its tasks";
    } else if (!head) {
      text_ += "has run all its tasks by now";
    } else if (IsWait(head->command.opcode)) {
      text_ += "waits for " + Target(head->command) + WithSubmitSite(head->submitter);
      AddSource(head->command);
    } else {
      text_ += "is at " + Work(stream, *head);
    }
  }

  // Where what a task waits for comes from.
  void AddSource(const Command& wait) {
    const bool is_written = wait.opcode == Opcode::kMemoryWait;
    if (IsReached(wait)) {
      text_ += ", which has come by now";
      return;
    }
    QueuedTask record;
    const Stream* stream = FindSource(wait, &record);
    if (stream == nullptr) {
      text_ += is_written ? ", which no stream is to write" : ", which no stream is to record";
      return;
    }
    text_ += fmt::format(", to be {} on s{}", is_written ? "written" : "recorded", stream->slot());
    text_ += WithSubmitSite(record.submitter);
    if (std::find(visited_.begin(), visited_.end(), stream) != visited_.end()) {
      text_ += ": a cycle";
      return;
    }
    if (visited_.size() >= kMostStreams || text_.size() >= kMostText) {
      text_ += ", and so on";
      return;
    }
    const std::optional<QueuedTask> head = stream->FindUnfinished(&AcceptsAny);
    if (!head || head->entry >= record.entry) {
      text_ += " next";
    } else if (IsWait(head->command.opcode) || !stream->CheckNotHeld().ok()) {
      text_ += ", which ";
      AddStream(*stream);
    } else {
      text_ += " behind " + Work(*stream, *head);
    }
  }

  void Add(std::string_view text) { text_ += text; }
  // A name of the program may be of any length.
  std::string Take() {
    if (text_.size() > 2 * kMostText) text_.resize(2 * kMostText);
    return std::move(text_);
  }

  std::string Target(const Command& wait) const {
    if (wait.opcode == Opcode::kEventWait) return EventName(wait.event.event);
    if (wait.opcode == Opcode::kMemoryWait) {
      return fmt::format("the word at device address {:#x} to be {}{}", wait.memory.address,
                         DescribeCondition(wait.memory.condition, wait.memory.value), Now(wait));
    }
    return fmt::format("notify n{} to be {}{}", sip_ ? sip_->NotifyNumber(wait.counter.counter) : wait.counter.counter,
                       DescribeCondition(wait.counter.condition, wait.counter.value), Now(wait));
  }

 private:
  std::string EventName(uint32_t event_register) const {
    if (sip_ && sip_->IsOfStream(event_register)) return fmt::format("operators of s{}", event_register);
    const uint32_t owner = sip_ && sip_->HasRegister(event_register)
                               ? sip_->event_register(event_register).owner.load(std::memory_order_relaxed)
                               : 0;
    return owner != 0 ? fmt::format("event e{}", owner - 1) : fmt::format("the event in register {}", event_register);
  }

  bool Read(const Command& wait, uint64_t* value) const {
    if (!sip_) return false;
    if (wait.opcode != Opcode::kMemoryWait) {
      // The device can write to the ring.
      if (!sip_->HasRegister(wait.event.event)) return false;
      *value = sip_->event_register(wait.event.event).value.load(std::memory_order_acquire);
      return true;
    }
    std::byte* word = sip_->HostViewOfDevice(wait.memory.address, sizeof *value);
    if (word == nullptr) return false;
    // It may be unmapped meanwhile. The system reads without a fault.
    const iovec to{value, sizeof *value};
    const iovec from{word, sizeof *value};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof *value;
  }

  std::string Now(const Command& wait) const {
    uint64_t now = 0;
    return Read(wait, &now) ? fmt::format(" (it is {})", now) : "";
  }

  bool IsReached(const Command& wait) const {
    uint64_t now = 0;
    if (!Read(wait, &now)) return false;
    if (wait.opcode == Opcode::kMemoryWait) return types::Holds(wait.memory.condition, now, wait.memory.value);
    if (wait.opcode == Opcode::kCounterWait) return types::Holds(wait.counter.condition, now, wait.counter.value);
    return now >= std::max(wait.event.value, sip_->event_register(wait.event.event).reset_to.load() + 1);
  }

  const Stream* FindSource(const Command& wait, QueuedTask* record) const {
    for (uint32_t slot = 0; slot < types::kMaxStreams; ++slot) {
      uint64_t handle = 0;
      const Stream* stream = device_.FindStream(slot, &handle);
      if (stream == nullptr) continue;
      if (const auto found = stream->FindUnfinished(&EndsWait, wait)) {
        *record = *found;
        return stream;
      }
    }
    return nullptr;
  }

  std::string Work(const Stream& stream, const QueuedTask& task) const {
    const std::string site = WithSubmitSite(task.submitter);
    if (task.command.opcode == Opcode::kHostFunction) {
      const std::optional<FunctionState> function = stream.FunctionAt(task.entry);
      if (!function) return "a host function" + site;
      const std::string name = DescribeFunction(function->name) + site;
      switch (function->stage) {
        case FunctionStage::kQueued: return fmt::format("host function {}, which has not begun", name);
        case FunctionStage::kHandedOn:
          return fmt::format("callback {}, which has waited for aclrtProcessReport for {}", name,
                             Since(function->since_ns));
        case FunctionStage::kRunning: break;
      }
      return fmt::format("host function {}, running for {}", name, Since(function->since_ns));
    }
    const std::string name = DescribeTask(task.command, device_) + site;
    for (const auto& busy : sip_ ? sip_->BusyCores() : std::vector<sip::Device::BusyCore>()) {
      if (busy.stream == stream.slot() && task.command.opcode == Opcode::kKernel)
        return fmt::format("{}, running for {} on core {}", name, Since(busy.since_ns), busy.core);
    }
    return name;
  }

  const DeviceState& device_;
  const std::shared_ptr<sip::Device> sip_;
  std::vector<const Stream*> visited_;
  std::string text_;
};

}  // namespace

std::string DescribeWait(const Stream& stream) {
  Chain chain(stream.device());
  chain.Add(fmt::format("s{} ", stream.slot()));
  chain.AddStream(stream);
  return chain.Take();
}

std::string DescribeEndedWait(const Stream& stream, const Command& wait) {
  Chain chain(stream.device());
  if (!IsWait(wait.opcode)) return {};
  chain.Add(fmt::format("s{} waited for {}", stream.slot(), chain.Target(wait)));
  chain.AddSource(wait);
  return chain.Take();
}

std::string DescribeRecord(const DeviceState& device, uint32_t event_register, uint64_t value) {
  Chain chain(device);
  Command wait{};
  wait.opcode = Opcode::kEventWait;
  wait.event = {value, event_register, 0};
  chain.Add("the host waits for " + chain.Target(wait));
  chain.AddSource(wait);
  return chain.Take();
}

}  // namespace forebay::runtime
