// What the scheduler does for tasks that move or make data: copies, fills, reductions, random numbers.
#include <cstdio>
#include <cstring>

#include "forebay/base/fill_pattern.h"
#include "random_numbers.h"
#include "reduce.h"
#include "scheduler.h"

namespace forebay::device {
namespace {

using types::Command;
using types::FaultCause;
using types::MemorySpace;

}  // namespace

void Scheduler::FailOn(uint32_t index, const Command& command, const Operand& operand) {
  FaultDetail detail;
  detail.cause = FaultCause::kCopyAddress;
  detail.address = operand.address;
  std::snprintf(detail.text, sizeof detail.text, "%s, %llu bytes", operand.role,
                static_cast<unsigned long long>(operand.bytes));
  Fail(index, command, detail);
}

template <std::size_t kCount, typename Work>
Scheduler::Outcome Scheduler::RunOnMemory(uint32_t index, const Command& command, Core& core,
                                          Operand (&operands)[kCount], const Work& work) {
  auto& counters = bar_.header->counters;
  counters.copies.store(counters.copies.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  for (Operand& operand : operands) {
    operand.place = memory_->Resolve(operand.space, operand.address, operand.bytes);
    if (operand.place == nullptr) [[unlikely]] {
      FailOn(index, command, operand);
      return Outcome::kDone;
    }
  }
  return RunLong(index, core, [&](FaultDetail* failure) {
    if (core.RunGuarded(work, failure)) [[likely]]
      return true;
    for (const Operand& operand : operands) {
      if (failure->address - reinterpret_cast<uint64_t>(operand.place) >= operand.bytes) continue;
      std::snprintf(failure->text, sizeof failure->text, "%s at %#llx, %llu bytes", operand.role,
                    static_cast<unsigned long long>(operand.address), static_cast<unsigned long long>(operand.bytes));
      break;
    }
    return false;
  });
}

bool Scheduler::Fetch(uint32_t index, const Command& command, Core& core, Operand operand, void* value) {
  operand.place = memory_->Resolve(operand.space, operand.address, operand.bytes);
  FaultDetail ignored;
  if (operand.place != nullptr &&
      core.RunGuarded([&] { std::memcpy(value, operand.place, operand.bytes); }, &ignored)) {
    return true;
  }
  FailOn(index, command, operand);
  return false;
}

Scheduler::Outcome Scheduler::ExecuteCopy(uint32_t index, const Command& command, Core& core) {
  const auto& copy = command.copy;
  Operand operands[] = {
      {"destination", copy.destination_space, copy.destination,
       types::RowSpan(copy.rows, copy.destination_pitch, copy.bytes)},
      {"source", copy.source_space, copy.source, types::RowSpan(copy.rows, copy.source_pitch, copy.bytes)}};
  return RunOnMemory(index, command, core, operands, [&] {
    for (uint64_t row = 0; row < copy.rows; ++row) {
      std::memmove(operands[0].place + row * copy.destination_pitch, operands[1].place + row * copy.source_pitch,
                   copy.bytes);
    }
  });
}

Scheduler::Outcome Scheduler::ExecuteIndirectCopy(uint32_t index, const Command& command, Core& core) {
  const auto& copy = command.indirect_copy;
  const auto at = [](const char* role, uint64_t address) {
    return Operand{role, MemorySpace::kDevice, address, sizeof(uint64_t)};
  };
  uint64_t destination = 0;
  uint64_t source = 0;
  uint64_t bytes = copy.bytes;
  if (!Fetch(index, command, core, at("the place of the destination's address", copy.destination_at), &destination) ||
      !Fetch(index, command, core, at("the place of the source's address", copy.source_at), &source) ||
      (copy.bytes_at != 0 &&
       !Fetch(index, command, core, at("the place of the number of bytes", copy.bytes_at), &bytes))) {
    return Outcome::kDone;
  }
  if (bytes == 0) {
    FaultDetail detail;
    detail.cause = FaultCause::kBadParameter;
    std::snprintf(detail.text, sizeof detail.text, "a copy of 0 bytes at %#llx: nothing was set there",
                  static_cast<unsigned long long>(copy.bytes_at));
    Fail(index, command, detail);
    return Outcome::kDone;
  }
  Operand operands[] = {{"destination", MemorySpace::kDevice, destination + copy.destination_offset, bytes},
                        {"source", MemorySpace::kDevice, source + copy.source_offset, bytes}};
  return RunOnMemory(index, command, core, operands,
                     [&] { std::memmove(operands[0].place, operands[1].place, bytes); });
}

Scheduler::Outcome Scheduler::ExecuteFill(uint32_t index, const Command& command, Core& core) {
  const auto& fill = command.fill;
  Operand operands[] = {{"destination", fill.space, fill.destination, fill.bytes}};
  return RunOnMemory(index, command, core, operands,
                     [&] { base::FillPattern(operands[0].place, fill.pattern, fill.bytes); });
}

Scheduler::Outcome Scheduler::ExecuteReduce(uint32_t index, const Command& command, Core& core) {
  const auto& reduce = command.reduce;
  if (!CanReduce(reduce.type, reduce.operation)) {
    FaultDetail detail;
    detail.cause = FaultCause::kBadCommand;
    std::snprintf(detail.text, sizeof detail.text, "no reduction %u of type %d",
                  static_cast<unsigned>(reduce.operation), static_cast<int>(reduce.type));
    Fail(index, command, detail);
    return Outcome::kDone;
  }
  Operand operands[] = {{"destination", MemorySpace::kDevice, reduce.destination, reduce.bytes},
                        {"source", MemorySpace::kDevice, reduce.source, reduce.bytes}};
  return RunOnMemory(index, command, core, operands, [&] {
    Reduce(reduce.type, reduce.operation, operands[0].place, operands[1].place, reduce.bytes);
  });
}

Scheduler::Outcome Scheduler::ExecuteRandom(uint32_t index, const Command& command, Core& core) {
  const auto& random = command.random;
  RandomTask task{static_cast<DataType>(random.type),
                  random.distribution,
                  {},
                  random.seed,
                  random.count,
                  random.first,
                  random.second};
  struct Parameter {
    uint8_t in_memory;
    const char* role;
    uint64_t* value;
    uint64_t bytes;
  };
  // What has larger elements is refused below, with what fits fetched.
  const uint64_t element = std::min<uint64_t>(SizeOf(task.type), sizeof task.first);
  const Parameter parameters[] = {{types::kSeedInMemory, "seed", &task.seed, sizeof task.seed},
                                  {types::kCountInMemory, "number of random numbers", &task.count, sizeof task.count},
                                  {types::kFirstInMemory, "first parameter", &task.first, element},
                                  {types::kSecondInMemory, "second parameter", &task.second, element}};
  for (const Parameter& parameter : parameters) {
    if ((random.in_memory & parameter.in_memory) == 0) continue;
    const Operand operand{parameter.role, MemorySpace::kDevice, *parameter.value, parameter.bytes};
    *parameter.value = 0;
    if (!Fetch(index, command, core, operand, parameter.value)) return Outcome::kDone;
  }
  if (!Fetch(index, command, core, {"counter", MemorySpace::kDevice, random.counter, sizeof task.counter},
             &task.counter)) {
    return Outcome::kDone;
  }
  if (const char* mistake = CheckRandomTask(task)) {
    FaultDetail detail;
    detail.cause = FaultCause::kBadParameter;
    std::snprintf(detail.text, sizeof detail.text, "%s", mistake);
    Fail(index, command, detail);
    return Outcome::kDone;
  }
  if (task.count == 0) return Outcome::kDone;
  Operand operands[] = {{"random numbers", MemorySpace::kDevice, random.destination,
                         types::RandomBytes(task.distribution, task.type, task.count)}};
  return RunOnMemory(index, command, core, operands, [&] { FillRandom(task, operands[0].place); });
}

}  // namespace forebay::device
