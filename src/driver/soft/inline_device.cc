// The software NPU inside the application: for debuggers, sanitizers, and places where no process may be started.
//
// With core threads it behaves like the process, except that a device pointer can be dereferenced by the host. Without
// any (a schedule by seed), the device runs on the thread that waits, and the same seed gives the same order to the
// last step.
#include <unistd.h>

#include "forebay/base/macros.h"
#include "forebay/device/firmware.h"
#include "soft_device.h"

namespace forebay::driver {
namespace {

class InlineDevice final : public SoftDevice {
 public:
  InlineDevice(const DeviceOptions& options, InterruptSink* sink) : SoftDevice(options, sink) {}
  ~InlineDevice() override {
    firmware_.reset();
    StopInterruptThread();
  }

  Status PowerOn() {
    RETURN_IF_ERROR(CreateMemory());
    device::FirmwareResources resources;
    resources.bar = bar_;
    resources.memory_fd = memory_.file();
    if (pumped()) resources.drain_print = [this] { interrupts_->Drain(); };
    ASSIGN_OR_RETURN(firmware_, device::Firmware::Boot(std::move(resources)));
    return StartInterruptThread();
  }

  int process_id() const noexcept override { return getpid(); }

  WaitResult WaitDone(uint32_t stream, uint64_t entry, const base::Deadline& deadline) override {
    if (!pumped()) return SoftDevice::WaitDone(stream, entry, deadline);
    types::StreamRegisters& registers = bar_.streams[stream];
    bar_.header->host_waiters.fetch_add(1, std::memory_order_acq_rel);
    WaitResult result = WaitResult::kDone;
    while (registers.done.load(std::memory_order_acquire) < entry) {
      if (PumpOnce()) continue;
      if (deadline.Passed()) {
        result = WaitResult::kTimeout;
        break;
      }
      // Nothing can run by itself: a host function is under way, or an event that has not been recorded is missing.
      sched_yield();
    }
    bar_.header->host_waiters.fetch_sub(1, std::memory_order_acq_rel);
    return result;
  }

  void Poll() override {
    if (!pumped()) return;
    bar_.header->host_waiters.fetch_add(1, std::memory_order_acq_rel);
    PumpOnce();
    bar_.header->host_waiters.fetch_sub(1, std::memory_order_acq_rel);
  }

 private:
  bool pumped() const noexcept { return options_.boot.core_threads == 0; }
  bool PumpOnce() EXCLUDES(pump_mutex_) {
    base::MutexLock lock(pump_mutex_);
    return firmware_->Pump();
  }
  void ServeRequest() override {
    if (!pumped()) return;
    base::MutexLock lock(pump_mutex_);
    firmware_->ServeMailbox();
  }

  base::Mutex pump_mutex_;
  std::unique_ptr<device::Firmware> firmware_;
};

}  // namespace

Result<std::unique_ptr<Device>> OpenInlineDevice(const DeviceOptions& options, InterruptSink* sink) {
  auto device = std::make_unique<InlineDevice>(options, sink);
  RETURN_IF_ERROR(device->PowerOn());
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace forebay::driver
