// The firmware of the software NPU: hardware scheduler, cores, copy engine, event registers, watchdog, address space.
//
// It sees the host only through the BAR and the memory file. The same code runs as its own process (forebay-npu) and
// linked into the application ("inline").
#pragma once

#include <functional>
#include <memory>

#include "forebay/status.h"
#include "forebay/types/bar.h"

namespace forebay::device {

// What the driver hands over. The file descriptor stays the caller's and must outlive the firmware.
struct FirmwareResources {
  types::BarView bar;
  int memory_fd = -1;
  // The firmware is a process of its own, which may end itself when a core cannot be stopped.
  bool own_process = false;
  // Called on the pumping thread when the print ring is full and nobody else can drain it. Only for core_threads == 0.
  std::function<void()> drain_print;
};

class Firmware {
 public:
  // Maps device memory and, with core_threads > 0, starts the threads. The BAR says how to configure everything.
  static Result<std::unique_ptr<Firmware>> Boot(FirmwareResources resources);
  // Stops all threads. A kernel that still runs is stopped by signal.
  ~Firmware();
  Firmware(const Firmware&) = delete;
  Firmware& operator=(const Firmware&) = delete;

  // Blocks until the driver asks the device to stop. For the process.
  void WaitForStop();
  // Answers a request that waits in the mailbox. For core_threads == 0, where no control thread exists.
  void ServeMailbox();
  // Runs one step on the calling thread. False when no stream can make progress by itself. For core_threads == 0.
  // Not thread-safe: the caller serialises.
  bool Pump();

 private:
  class Impl;
  explicit Firmware(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace forebay::device
