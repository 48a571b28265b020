// One device at the level of the driver, with a host that records what the device reports, for tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/architecture.h"
#include "forebay/base/mutex.h"
#include "forebay/driver/device.h"
#include "forebay/types/queue_grant.h"

namespace forebay::testing {

inline constexpr uint64_t kTestMemoryBytes = 32u << 20;
inline constexpr uint64_t kTestPinnedBytes = 8u << 20;
inline constexpr uint64_t kTestWindowBytes = 64u << 20;
inline constexpr uint64_t kTestWindow = base::kThreadSanitizer ? uint64_t{64} << 30 : uint64_t{32} << 40;
// Long enough on any machine; a wait that takes this long has failed.
inline base::Deadline Patience() { return base::Deadline::AfterNanoseconds(60'000'000'000); }

inline driver::DeviceOptions TestOptions(driver::Backend backend) {
  driver::DeviceOptions options;
  options.backend = backend;
  options.boot.memory_bytes = kTestMemoryBytes;
  options.boot.pinned_bytes = kTestPinnedBytes;
  options.boot.window = {kTestWindow, kTestWindowBytes};
  options.boot.cycle_frequency = base::CycleCounterFrequency();
  options.boot.stream_count = 64;
  options.boot.queue_depth = 64;
  options.boot.event_count = 256;
  options.boot.ai_core_count = 40;
  options.boot.core_threads = 2;
  options.boot.stack_bytes = 96 * 1024;
  options.boot.spin_us = 20;
  options.boot.host_process = static_cast<uint32_t>(getpid());
  if (const char* firmware = std::getenv("FOREBAY_FIRMWARE")) options.firmware_path = firmware;
  return options;
}

// Records what the device reports. Host functions are answered at once unless `answer_host_functions` is off.
class RecordingSink : public driver::InterruptSink {
 public:
  void OnInterrupt(const types::InterruptRecord& record) override {
    std::function<void(const types::InterruptRecord&)> answer;
    {
      base::MutexLock lock(mutex_);
      records_.push_back(record);
      answer = on_interrupt_;
    }
    changed_.NotifyAll();
    if (answer) answer(record);
  }
  void OnPrint(std::string_view text) override {
    base::MutexLock lock(mutex_);
    printed_ += text;
  }
  void OnLost(const std::string& reason) override {
    base::MutexLock lock(mutex_);
    ++losses_;
    reason_ = reason;
    changed_.NotifyAll();
  }

  void set_on_interrupt(std::function<void(const types::InterruptRecord&)> answer) {
    base::MutexLock lock(mutex_);
    on_interrupt_ = std::move(answer);
  }
  std::vector<types::InterruptRecord> Failures() const {
    base::MutexLock lock(mutex_);
    std::vector<types::InterruptRecord> failures;
    for (const auto& record : records_) {
      if (record.kind == types::InterruptKind::kTaskFailed) failures.push_back(record);
    }
    return failures;
  }
  std::vector<types::InterruptRecord> records() const {
    base::MutexLock lock(mutex_);
    return records_;
  }
  std::string printed() const {
    base::MutexLock lock(mutex_);
    return printed_;
  }
  // Waits until the device is reported lost; empty when it never is.
  std::string AwaitLoss() {
    base::MutexLock lock(mutex_);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (losses_ == 0) {
      if (!changed_.WaitUntil(mutex_, limit)) return {};
    }
    return reason_;
  }
  int losses() const {
    base::MutexLock lock(mutex_);
    return losses_;
  }

 private:
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<types::InterruptRecord> records_ GUARDED_BY(mutex_);
  std::function<void(const types::InterruptRecord&)> on_interrupt_ GUARDED_BY(mutex_);
  std::string printed_ GUARDED_BY(mutex_);
  std::string reason_ GUARDED_BY(mutex_);
  int losses_ GUARDED_BY(mutex_) = 0;
};

// Fills the ring of one stream, as the runtime does. For one thread at a time.
class TestStream {
 public:
  TestStream(driver::Device* device, uint32_t slot) : device_(device) {
    const types::BarView& bar = device->bar();
    grant_ = {bar.header, &bar.streams[slot], bar.Ring(slot), uint64_t{bar.header->boot.queue_depth} - 1, slot, slot};
    tail_ = grant_.registers->tail.load();
  }

  // Adds a task, waiting for room. Returns the entry behind it, which `done` reaches when it is complete.
  uint64_t Push(const types::Command& command, std::span<const std::byte> more_arguments = {}) {
    WaitForRoom(command.entry_count);
    types::Command& entry = grant_.Entry(tail_);
    entry = command;
    entry.task = next_task_++;
    for (uint32_t i = 1; i < command.entry_count; ++i) {
      const std::size_t at = (i - 1) * types::kEntryBytes;
      std::memcpy(static_cast<void*>(&grant_.Entry(tail_ + i)), more_arguments.data() + at,
                  std::min(types::kEntryBytes, more_arguments.size() - at));
    }
    tail_ += command.entry_count;
    if (!held_) grant_.Publish(tail_);
    return tail_;
  }
  // Between these, tasks become visible to the device all at once.
  void Hold() { held_ = true; }
  void Release() {
    held_ = false;
    grant_.Publish(tail_);
  }

  uint64_t Copy(types::MemorySpace to, uint64_t destination, types::MemorySpace from, uint64_t source, uint64_t bytes) {
    types::Command command = Make(types::Opcode::kCopy);
    command.copy = {destination, source, bytes, to, from, 1, 0, 0};
    return Push(command);
  }
  uint64_t Fill(types::MemorySpace space, uint64_t destination, uint8_t value, uint64_t bytes) {
    types::Command command = Make(types::Opcode::kFill);
    command.fill = {destination, bytes, value * 0x01010101u, space};
    return Push(command);
  }
  uint64_t Record(uint32_t event, uint64_t value, uint8_t flags = 0) {
    types::Command command = Make(types::Opcode::kEventRecord);
    command.flags = flags;
    command.event = {value, event, 0};
    return Push(command);
  }
  uint64_t Wait(uint32_t event, uint64_t value, uint32_t timeout_ms = 0) {
    types::Command command = Make(types::Opcode::kEventWait);
    command.event = {value, event, timeout_ms};
    return Push(command);
  }
  uint64_t Reset(uint32_t event, uint64_t value) {
    types::Command command = Make(types::Opcode::kEventReset);
    command.event = {value, event, 0};
    return Push(command);
  }
  uint64_t CounterRecord(uint32_t counter, types::CounterOperation operation, uint64_t value) {
    types::Command command = Make(types::Opcode::kCounterRecord);
    command.counter = {value, counter, 0, operation, types::Condition::kLess, 0};
    return Push(command);
  }
  uint64_t CounterWait(uint32_t counter, types::Condition condition, uint64_t value, bool clears = true,
                       uint32_t timeout_ms = 0) {
    types::Command command = Make(types::Opcode::kCounterWait);
    command.counter = {
        value, counter, timeout_ms, types::CounterOperation::kSet, condition, clears ? uint8_t{1} : uint8_t{0}};
    return Push(command);
  }
  uint64_t MemoryWrite(uint64_t address, uint64_t value) {
    types::Command command = Make(types::Opcode::kMemoryWrite);
    command.memory = {value, address, types::Condition::kLess};
    return Push(command);
  }
  uint64_t MemoryWait(uint64_t address, types::Condition condition, uint64_t value) {
    types::Command command = Make(types::Opcode::kMemoryWait);
    command.memory = {value, address, condition};
    return Push(command);
  }
  uint64_t HostFunction(uint8_t flags = 0) {
    types::Command command = Make(types::Opcode::kHostFunction);
    command.flags = flags;
    return Push(command);
  }
  uint64_t Nothing() { return Push(Make(types::Opcode::kNone)); }
  // A task that fails: a copy from an address outside of the device's memory.
  uint64_t Failure() { return Fill(types::MemorySpace::kDevice, 0x1000, 0, 8); }
  uint64_t Kernel(uint32_t image, uint32_t function, uint32_t blocks, std::span<const std::byte> arguments = {},
                  uint32_t timeout_us = 0) {
    types::Command command = Make(types::Opcode::kKernel);
    command.kernel = {};
    command.kernel.image = image;
    command.kernel.function = function;
    command.kernel.block_count = static_cast<uint16_t>(blocks);
    command.kernel.first_block = 0;
    command.kernel.timeout_us = timeout_us;
    command.kernel.argument_bytes = static_cast<uint32_t>(arguments.size());
    const std::size_t inline_bytes = std::min(arguments.size(), types::kInlineArgumentBytes);
    if (inline_bytes != 0) std::memcpy(command.kernel.arguments, arguments.data(), inline_bytes);
    command.entry_count = static_cast<uint16_t>(types::KernelEntryCount(arguments.size()));
    return Push(command, arguments.subspan(inline_bytes));
  }

  driver::WaitResult Await(uint64_t entry) { return device_->WaitDone(grant_.slot, entry, Patience()); }
  driver::WaitResult AwaitAll() { return Await(tail_); }
  uint64_t done() const { return grant_.registers->done.load(std::memory_order_acquire); }
  uint64_t tail() const { return tail_; }
  uint32_t slot() const { return grant_.slot; }
  uint64_t failures() const { return grant_.registers->failures.load(std::memory_order_acquire); }
  types::StreamRegisters& registers() const { return *grant_.registers; }

 private:
  static types::Command Make(types::Opcode opcode) {
    types::Command command{};
    command.opcode = opcode;
    command.entry_count = 1;
    return command;
  }
  void WaitForRoom(uint32_t entries) {
    const uint64_t depth = grant_.mask + 1;
    if (tail_ + entries - done() <= depth) return;
    ASSERT_EQ(device_->WaitDone(grant_.slot, tail_ + entries - depth, Patience()), driver::WaitResult::kDone);
  }

  driver::Device* device_;
  types::QueueGrant grant_;
  uint64_t tail_ = 0;
  uint32_t next_task_ = 0;
  bool held_ = false;
};

// Answers a host function: the stream goes on.
inline void FinishHostFunction(const types::BarView& bar, const types::InterruptRecord& record) {
  types::StreamRegisters& registers = bar.streams[record.stream];
  registers.host_function_done.store(record.entry + 1, std::memory_order_release);
  types::RingDoorbell(*bar.header, registers, record.stream);
}

// An open device and its sink.
struct TestDevice {
  explicit TestDevice(const driver::DeviceOptions& options) {
    auto opened = driver::Device::Open(options, &sink);
    status = opened.status();
    if (opened.ok()) device = *std::move(opened);
  }
  TestStream Stream(uint32_t slot) { return TestStream(device.get(), slot); }
  types::EventRegister& Event(uint32_t index) const { return device->bar().events[index]; }
  // In the device's window. It begins with an address of device memory, at which nothing need be mapped.
  uint64_t Address(uint64_t offset) const { return kTestWindow + offset; }
  uint64_t Pinned(uint64_t offset) const { return device->bar().header->boot.memory_bytes + offset; }
  // Where the host reads what was mapped at Address(offset), or pinned memory at Pinned(offset).
  std::byte* View(uint64_t offset) const {
    const uint64_t memory_bytes = device->bar().header->boot.memory_bytes;
    return offset < memory_bytes ? device->WindowView() + offset : device->PinnedView() + (offset - memory_bytes);
  }

  RecordingSink sink;
  Status status;
  std::unique_ptr<driver::Device> device;
};

}  // namespace forebay::testing
