#include "fuzz/scripted_device.h"

#include <unistd.h>

#include <atomic>

#include "forebay/base/futex.h"
#include "forebay/base/macros.h"
#include "injecting/injecting_device.h"

namespace fuzz {
namespace {

using namespace forebay;

std::atomic<ScriptedDevice*> open_device{nullptr};

}  // namespace

ScriptedDevice* ScriptedDevice::Open() { return open_device.load(); }

ScriptedDevice::ScriptedDevice(const driver::DeviceOptions& options, driver::InterruptSink* sink)
    : SoftDevice(options, sink), boot_(options.boot) {}

ScriptedDevice::~ScriptedDevice() {
  open_device.store(nullptr);
  StopInterruptThread();
}

Status ScriptedDevice::PowerOn() {
  RETURN_IF_ERROR(CreateMemory());
  RETURN_IF_ERROR(StartInterruptThread());
  // Polled from the start: nobody hears a doorbell.
  for (uint32_t i = 0; i < boot_.stream_count; ++i) bar_.streams[i].active.store(1);
  open_device.store(this);
  return {};
}

int ScriptedDevice::process_id() const noexcept { return getpid(); }

void ScriptedDevice::AnswerWith(int32_t result, std::string_view text) {
  base::MutexLock lock(mutex_);
  answer_ = result;
  text_ = text;
}

void ScriptedDevice::ServeRequest() {
  types::Mailbox& mailbox = bar_.header->mailbox;
  base::MutexLock lock(mutex_);
  const bool numbers = mailbox.request == types::Request::kOpenFile || mailbox.request == types::Request::kLoadImage;
  mailbox.result = answer_ != 0 ? answer_ : (numbers ? 1 : 0);
  // Also without an end.
  text_.copy(mailbox.text, sizeof mailbox.text);
  if (text_.size() < sizeof mailbox.text) mailbox.text[text_.size()] = '\0';
  mailbox.pending.store(0);
  mailbox.completed.fetch_add(1);
  base::FutexWakeAll(mailbox.completed);
}

void ScriptedDevice::Raise(const types::InterruptRecord& record) {
  auto& raised = bar_.header->interrupts_raised;
  bar_.interrupts[raised.load() % types::kInterruptDepth] = record;
  raised.fetch_add(1);
  base::FutexWakeAll(base::LowHalf(raised));
}

void ScriptedDevice::Complete() {
  for (uint32_t stream = 0; stream < boot_.stream_count; ++stream) {
    types::StreamRegisters& registers = bar_.streams[stream];
    const uint64_t tail = registers.tail.load();
    const types::Command* ring = bar_.rings + uint64_t{stream} * boot_.queue_depth;
    uint64_t at = registers.done.load();
    // A register that was scribbled on says nothing about what is in the ring.
    if (at > tail || tail - at > boot_.queue_depth) at = tail;
    while (at < tail) {
      const types::Command& command = ring[at & (boot_.queue_depth - 1)];
      if (command.opcode == types::Opcode::kEventRecord && command.event.event < boot_.event_count)
        bar_.events[command.event.event].value.store(command.event.value);
      at += std::max<uint64_t>(command.entry_count, 1);
      if (command.opcode != types::Opcode::kHostFunction) continue;
      types::InterruptRecord record{};
      record.kind = types::InterruptKind::kHostFunction;
      record.stream = stream;
      record.entry = at;
      Raise(record);
    }
    registers.done.store(tail);
    base::FutexWakeAll(base::LowHalf(registers.done));
  }
}

types::InterruptRecord ScriptedDevice::MakeRecord(Input& input) const {
  types::InterruptRecord record{};
  record.kind = static_cast<types::InterruptKind>(input.OneIn(8) ? input.Take<uint32_t>() : input.Below(5));
  record.cause = static_cast<types::FaultCause>(input.OneIn(8) ? input.Take<uint32_t>() : input.Below(107));
  record.stream = input.OneIn(8) ? input.Take<uint32_t>() : input.Below(boot_.stream_count);
  record.task = static_cast<uint32_t>(input.Number());
  record.entry = input.Number();
  record.address = input.OneIn(2) ? boot_.window.base + input.Number() : input.Number();
  record.instruction = input.Number();
  record.image = static_cast<uint32_t>(input.Number());
  record.function = static_cast<uint32_t>(input.Number());
  record.block = static_cast<int32_t>(input.Number());
  record.other_stream = static_cast<uint32_t>(input.Number());
  record.other_task = static_cast<uint32_t>(input.Number());
  record.elapsed_ms = static_cast<uint32_t>(input.Number());
  record.on_vector_core = static_cast<uint32_t>(input.Number());
  // A text that does not end, too.
  std::memset(record.text, 'x', sizeof record.text);
  input.Text(sizeof record.text).copy(record.text, sizeof record.text);
  return record;
}

void ScriptedDevice::Scribble(Input& input) {
  types::BarHeader& header = *bar_.header;
  types::StreamRegisters& stream = bar_.streams[input.Below(boot_.stream_count)];
  types::EventRegister& event = bar_.events[input.Below(boot_.event_count)];
  switch (input.Below(12)) {
    case 0: {
      const uint64_t done = input.OneIn(4) ? input.Number() : stream.done.load() + input.Below(4);
      stream.done.store(done);
      base::FutexWakeAll(base::LowHalf(stream.done));
      break;
    }
    case 1: stream.failures.store(input.Number()); break;
    case 2: stream.target.store(input.Number()); break;
    case 3: {
      event.value.store(input.Number());
      event.timestamp.store(input.Number());
      event.failed_from.store(input.Number());
      event.failed_to.store(input.Number());
      event.reset_to.store(input.Number());
      event.cause_stream.store(static_cast<uint32_t>(input.Number()));
      event.cause_task.store(static_cast<uint32_t>(input.Number()));
      break;
    }
    case 4:
    case 5: Raise(MakeRecord(input)); break;
    case 6:
      header.interrupts_raised.store(input.Number());
      base::FutexWakeAll(base::LowHalf(header.interrupts_raised));
      break;
    case 7: {
      const std::string_view text = input.Text(40);
      std::memcpy(bar_.print, text.data(), text.size());
      header.printed.store(input.OneIn(2) ? input.Number() : header.printed.load() + text.size());
      types::InterruptRecord record{};
      record.kind = types::InterruptKind::kPrinted;
      Raise(record);
      break;
    }
    case 8: {
      auto* counters = reinterpret_cast<std::atomic<uint64_t>*>(&header.counters);
      counters[input.Below(sizeof header.counters / sizeof(uint64_t))].store(input.Number());
      break;
    }
    case 9: {
      types::CoreState& core = bar_.cores[input.Below(types::CoreLimit(boot_))];
      core.since_ns.store(static_cast<int64_t>(input.Number()));
      core.stream.store(static_cast<uint32_t>(input.Number()));
      break;
    }
    case 10: {
      types::ArmedFault& fault = bar_.faults[input.Below(types::kMaxFaults)];
      fault.matched.store(input.Number());
      fault.happened.store(input.Number());
      break;
    }
    default: {
      // A kernel that writes wildly reaches what the device itself never writes: any word of the registers.
      const auto words =
          static_cast<std::size_t>(reinterpret_cast<std::byte*>(bar_.rings) - reinterpret_cast<std::byte*>(&header)) /
          sizeof(uint64_t);
      const std::size_t at = (uint64_t{input.Take<uint32_t>()}) % words;
      reinterpret_cast<std::atomic<uint64_t>*>(&header)[at].store(input.Number());
    }
  }
}

}  // namespace fuzz

namespace forebay::driver {

// In place of the library's: whatever backend is asked for, it is this one.
Result<std::unique_ptr<Device>> Device::Open(const DeviceOptions& options, InterruptSink* sink) {
  auto device = std::make_unique<fuzz::ScriptedDevice>(options, sink);
  RETURN_IF_ERROR(device->PowerOn());
  return MakeInjectingDevice(std::move(device), static_cast<int32_t>(options.boot.device_id));
}

}  // namespace forebay::driver
