// The seam to one device: mapped registers, requests, interrupts, waiting. Nothing above knows what is behind it.
//
// Backends: the software NPU in a process of its own or inside the application (soft/), and one without a device
// (null/). Around each stands a device that injects faults (injecting/).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/status.h"
#include "forebay/types/bar.h"

namespace forebay::driver {

enum class Backend { kProcess, kInline, kNull };

struct DeviceOptions {
  Backend backend = Backend::kProcess;
  types::BootParameters boot{};
  // The firmware image. Only for kProcess.
  std::string firmware_path;
  int64_t boot_timeout_ms = 10'000;
  int64_t request_timeout_ms = 10'000;
  int64_t heartbeat_ms = 0;  // how long work makes no progress before the device is asked whether it lives; 0: for ever
  uint32_t spin_us = 20;     // how long a waiting host thread spins before it sleeps
};

// What the device reports. Called on the interrupt thread or on a thread that drains; never with a lock held, never by
// two threads at once for one device. Implemented by the layer above.
class InterruptSink {
 public:
  virtual ~InterruptSink() = default;
  virtual void OnInterrupt(const types::InterruptRecord& record) = 0;
  virtual void OnPrint(std::string_view text) = 0;
  // The device is gone. `reason` is one sentence. Called once.
  virtual void OnLost(const std::string& reason) = 0;
};

enum class WaitResult { kDone, kTimeout, kLost };

// Thread safety: all functions may be called from any thread.
class Device {
 public:
  // Powers the device on and waits until its firmware runs. Each way to fail has its own message: an image that is
  // missing, corrupt, of another version, or that does not come up in time (kDeviceSetup).
  static Result<std::unique_ptr<Device>> Open(const DeviceOptions& options, InterruptSink* sink);
  // Powers the device off. Work that still runs is lost.
  virtual ~Device() = default;

  const types::BarView& bar() const noexcept { return bar_; }
  // Process id of the device, or of this process when it has none of its own.
  virtual int process_id() const noexcept = 0;

  // Changes what lies at addresses of the device, in whole pages, all with one request: at an address inside a window
  // a part of the memory file becomes accessible to kernels and copies, or nothing is any longer. What the file holds
  // stays. When it fails, changes before the one that failed are done.
  virtual Status ChangeMappings(std::span<const types::MappingChange> changes) = 0;
  Status Map(uint64_t address, uint64_t offset, uint64_t bytes) {
    const types::MappingChange change{address, bytes, offset, 0, 0};
    return ChangeMappings({&change, 1});
  }
  Status Unmap(uint64_t address, uint64_t bytes) { return Map(address, types::kNothing, bytes); }
  // Forgets what a part of the memory file holds, and gives its pages back to the system. It is zero from then on.
  virtual Status Discard(uint64_t offset, uint64_t bytes) = 0;
  virtual int memory_file() const noexcept = 0;
  // Another memory file that ChangeMappings can map from, by its number, which is at least 1. The descriptor may be
  // closed then. A file is closed when nothing of it is mapped.
  virtual Result<uint32_t> OpenFile(int descriptor) = 0;
  virtual void CloseFile(uint32_t file) = 0;
  // Puts [offset, offset + bytes) of a file, 0 for the memory file, at an address of the host too, in place of what is
  // there.
  virtual Status MapForHost(void* address, uint64_t offset, uint64_t bytes, uint32_t file = 0) = 0;
  // Begins a view, as WindowView is one, of addresses in the common windows; and ends it.
  virtual Result<std::byte*> AddView(const types::AddressWindow& window) = 0;
  virtual void RemoveView(uint64_t base) = 0;
  // What is unmapped stays in the host's views until something else is mapped there. This takes it out.
  virtual void HideFromView(uint64_t address, uint64_t bytes) = 0;
  // The host's own view of what is mapped in the device's own window: what lies at an address lies as far from here as
  // the address from the window's base. Touching what was never mapped faults.
  virtual std::byte* WindowView() const noexcept = 0;
  // The host's own view of pinned memory.
  virtual std::byte* PinnedView() const noexcept = 0;

  // Loads a kernel image whose kernels have these names; the result names it in kernel commands. Unless `home` is 0 it
  // lies at that address of mapped device memory.
  virtual Result<uint32_t> LoadImage(std::span<const std::byte> image, const std::vector<std::string>& names,
                                     uint64_t home) = 0;
  virtual Status UnloadImage(uint32_t image) = 0;

  // Stops the running task of a stream and drops the queued ones. The stream stays stopped until RecoverStream.
  virtual Status AbortStream(uint32_t stream) = 0;
  // Stops the running task of a stream and keeps the queued ones, which do not run before AbortStream drops them.
  virtual Status HoldStream(uint32_t stream) = 0;
  // Lets a stopped stream, whose ring is empty, take tasks again.
  virtual Status RecoverStream(uint32_t stream) = 0;

  // Lets all streams take tasks again after the device as a whole has failed and stopped.
  virtual Status RecoverDevice() = 0;

  // Has the device take the faults that are armed in its registers.
  virtual Status TakeFaults() { return {}; }
  // Arms what the process wants to be injected now (base/injection.h), and counts what happened so far.
  virtual Status ArmInjections() { return {}; }

  // Waits until the stream's `done` has reached `entry`.
  virtual WaitResult WaitDone(uint32_t stream, uint64_t entry, const base::Deadline& deadline) = 0;
  // Whether the device reacts by then. It is asked for nothing, so it need not hurry, and is not lost when it does not.
  virtual bool Reacts(const base::Deadline& deadline) = 0;
  // Gives a device without threads of its own the chance to run a step. To be called by whoever polls.
  virtual void Poll() = 0;
  // Passes on every interrupt raised, and every byte printed, before the call. No effect inside a sink's callback.
  virtual void DrainInterrupts() = 0;
  virtual bool lost() const noexcept = 0;

 protected:
  types::BarView bar_;
};

}  // namespace forebay::driver
