#include "diagnosis/task_text.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "diagnosis/submit_sites.h"
#include "diagnosis/symbols.h"
#include "forebay/runtime/device_state.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

constexpr const char* kOperations[] = {"set", "add", "or", "and"};
constexpr const char* kConditions[] = {
    "<", "==", ">", ">=", "has all bits of", ">= (cyclic)", "has a bit of", "leaves a bit to"};

// The device can write to the ring, so any number may be there.
template <std::size_t kCount>
const char* NameIn(const char* const (&names)[kCount], std::size_t number) {
  return number < kCount ? names[number] : "?";
}

}  // namespace

std::string DescribeCondition(types::Condition condition, uint64_t value) {
  return fmt::format("{} {}", NameIn(kConditions, static_cast<std::size_t>(condition)), value);
}

std::string DescribeTask(const types::Command& command, const DeviceState& device) {
  using types::Opcode;
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
                         NameIn(kOperations, static_cast<std::size_t>(command.counter.operation)),
                         command.counter.value);
    case Opcode::kCounterWait:
      return fmt::format("wait until notify {} {}{}", notify(),
                         DescribeCondition(command.counter.condition, command.counter.value),
                         command.counter.clears != 0 ? ", then clear it" : "");
    case Opcode::kMemoryWrite:
      return fmt::format("write {} to device address {:#x}", command.memory.value, command.memory.address);
    case Opcode::kMemoryWait:
      return fmt::format("wait until the word at device address {:#x} {}", command.memory.address,
                         DescribeCondition(command.memory.condition, command.memory.value));
    case Opcode::kHostFunction: return "host function";
    case Opcode::kNone: break;
  }
  return "no operation";
}

std::string DescribeFunction(const FunctionName& name) {
  if (name.purpose != nullptr && name.type == nullptr) return name.purpose;
  if (name.code != nullptr) return DescribeCode(name.code);
  if (name.type == nullptr) return "of unknown name";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name.type->name(), nullptr, nullptr, &status), &std::free);
  const std::string type = status == 0 ? readable.get() : name.type->name();
  return name.purpose == nullptr ? type : fmt::format("{} {}", name.purpose, type);
}

std::string TaskLine(const QueuedTask& task, const Stream& stream) {
  std::string line = fmt::format("task {}: {}", task.command.task, DescribeTask(task.command, stream.device()));
  if (task.command.opcode == types::Opcode::kHostFunction) {
    if (const auto function = stream.FunctionAt(task.entry))
      line += fmt::format(" {}", DescribeFunction(function->name));
  }
  return line + WithSubmitSite(task.submitter);
}

}  // namespace forebay::runtime
