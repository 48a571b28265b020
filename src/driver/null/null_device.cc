// A device that has no hardware: every task is complete as soon as someone waits for it, and does nothing.
//
// It shows what the layers above cost by themselves, and what a backend has to supply.
#include <unistd.h>

#include <algorithm>

#include "forebay/base/macros.h"
#include "forebay/base/mutex.h"
#include "forebay/base/unique_fd.h"
#include "soft/soft_device.h"

namespace forebay::driver {
namespace {

class NullDevice final : public HostBackedDevice {
 public:
  Status PowerOn(const DeviceOptions& options) {
    const uint64_t bytes = types::BarBytes(options.boot);
    ASSIGN_OR_RETURN(file_, base::CreateMemoryFile("forebay-null", bytes));
    ASSIGN_OR_RETURN(registers_, base::Mapping::OfFile(file_.get(), 0, bytes, PROT_READ | PROT_WRITE));
    types::LayOutBar(registers_.data(), options.boot);
    FOREBAY_CHECK(types::ViewBar(registers_.data(), bytes, &bar_));
    RETURN_IF_ERROR(memory_.Create("forebay-null-memory", options.boot));
    // Polled from the start, so that no submit rings a doorbell that nobody hears.
    for (uint32_t i = 0; i < options.boot.stream_count; ++i) bar_.streams[i].active.store(1, std::memory_order_relaxed);
    return {};
  }

  int process_id() const noexcept override { return getpid(); }
  Status ChangeMappings(std::span<const types::MappingChange> changes) override { return memory_.Follow(changes); }
  Result<uint32_t> OpenFile(int descriptor) override {
    const uint32_t number = ++files_;
    RETURN_IF_ERROR(memory_.AddFile(number, descriptor));
    return number;
  }
  void CloseFile(uint32_t file) override { memory_.RemoveFile(file); }
  Result<uint32_t> LoadImage(std::span<const std::byte>, const std::vector<std::string>&, uint64_t) override {
    return images_++;
  }
  Status UnloadImage(uint32_t) override { return {}; }
  Status AbortStream(uint32_t stream) override {
    Complete(stream);
    return {};
  }
  Status HoldStream(uint32_t) override { return {}; }
  Status RecoverDevice() override { return {}; }
  Status RecoverStream(uint32_t) override { return {}; }
  WaitResult WaitDone(uint32_t stream, uint64_t, const base::Deadline&) override {
    Complete(stream);
    return WaitResult::kDone;
  }
  bool Reacts(const base::Deadline&) override { return true; }
  void Poll() override {
    for (uint32_t i = 0; i < bar_.boot.stream_count; ++i) Complete(i);
  }
  void DrainInterrupts() override {}
  bool lost() const noexcept override { return false; }

 private:
  void Complete(uint32_t stream) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    types::StreamRegisters& registers = bar_.streams[stream];
    const uint64_t tail = registers.tail.load(std::memory_order_acquire);
    const types::Command* ring = bar_.Ring(stream);
    const uint64_t mask = bar_.boot.queue_depth - 1;
    for (uint64_t at = registers.done.load(std::memory_order_acquire); at < tail;) {
      const types::Command& command = ring[at & mask];
      if (command.opcode == types::Opcode::kEventRecord && command.event.event < bar_.boot.event_count) {
        bar_.events[command.event.event].value.store(command.event.value, std::memory_order_release);
      }
      at += std::max<uint64_t>(command.entry_count, 1);
    }
    registers.done.store(tail, std::memory_order_release);
  }

  base::Mutex mutex_;
  base::UniqueFd file_;
  base::Mapping registers_;
  std::atomic<uint32_t> images_{0};
  std::atomic<uint32_t> files_{0};
};

}  // namespace

Result<std::unique_ptr<Device>> OpenNullDevice(const DeviceOptions& options, InterruptSink*) {
  auto device = std::make_unique<NullDevice>();
  RETURN_IF_ERROR(device->PowerOn(options));
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace forebay::driver
