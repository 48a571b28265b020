// What the software NPU's two backends have in common: memory, mailbox, waits, the interrupt thread.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "completion_waiter.h"
#include "forebay/base/mutex.h"
#include "forebay/base/thread.h"
#include "forebay/base/unique_fd.h"
#include "forebay/driver/device.h"
#include "host_backed_device.h"
#include "interrupt_queue.h"

namespace forebay::driver {

class SoftDevice : public HostBackedDevice {
 public:
  ~SoftDevice() override;

  Status ChangeMappings(std::span<const types::MappingChange> changes) override;
  Result<uint32_t> OpenFile(int descriptor) override;
  void CloseFile(uint32_t file) override;
  Result<uint32_t> LoadImage(std::span<const std::byte> image, const std::vector<std::string>& names,
                             uint64_t home) override;
  Status UnloadImage(uint32_t image) override;
  Status AbortStream(uint32_t stream) override;
  Status HoldStream(uint32_t stream) override;
  Status RecoverStream(uint32_t stream) override;
  Status RecoverDevice() override;
  Status TakeFaults() override;
  WaitResult WaitDone(uint32_t stream, uint64_t entry, const base::Deadline& deadline) override;
  bool Reacts(const base::Deadline& deadline) override;
  void Poll() override {}
  void DrainInterrupts() override;
  bool lost() const noexcept override { return lost_.load(std::memory_order_acquire); }

 protected:
  SoftDevice(const DeviceOptions& options, InterruptSink* sink) : options_(options), sink_(sink) {}
  // Makes the two memory files, lays out the BAR, and reserves the device's own window.
  Status CreateMemory();
  Status StartInterruptThread();
  // Once the device is gone.
  void StopInterruptThread();
  // Puts a request into the mailbox and waits for the answer. `prepare` is called before, with the mailbox in hand.
  Result<int32_t> Ask(types::Request request, uint64_t first = 0, uint64_t second = 0,
                      const std::function<void()>& prepare = {}) EXCLUDES(mailbox_mutex_);
  Result<int32_t> AskWithin(int64_t timeout_ms, types::Request request, uint64_t first, uint64_t second,
                            const std::function<void()>& prepare) EXCLUDES(mailbox_mutex_);
  // Called with a request in the mailbox; answers it when no control thread does.
  virtual void ServeRequest() {}
  // Whether a device that is given up can be kept from writing on; CutOff does that.
  virtual bool CanCutOff() const { return false; }
  virtual void CutOff() {}
  // The device is gone: ends every wait and request, and tells the layer above. Once.
  void MarkLost(const std::string& reason);
  // A device that is stopped tells nobody. Its control thread answers whatever its cores do, so that one with work and
  // without progress since the last look, which does not answer either, is lost. One thread calls this now and then.
  void LookForLife() EXCLUDES(mailbox_mutex_);

  const DeviceOptions options_;
  InterruptSink* const sink_;
  base::UniqueFd bar_file_;
  base::Mapping bar_mapping_;
  base::Mapping window_;
  std::unique_ptr<InterruptQueue> interrupts_;
  std::unique_ptr<CompletionWaiter> waiter_;
  std::atomic<bool> lost_{false};
  std::atomic<bool> closing_{false};  // its end is no loss from here on

 private:
  enum class Answer { kCame, kLate, kNone };
  Answer AwaitAnswer(int64_t timeout_ms, types::Request request, uint64_t first, uint64_t second,
                     const std::function<void()>& prepare) REQUIRES(mailbox_mutex_);
  Status RefusalOf(int32_t result, const std::string& text) const;

  base::Mutex mailbox_mutex_;
  uint64_t seen_progress_ = 0;
  std::atomic<bool> stop_interrupts_{false};
  base::Thread interrupt_thread_;
};

// The two backends.
Result<std::unique_ptr<Device>> OpenProcessDevice(const DeviceOptions& options, InterruptSink* sink);
Result<std::unique_ptr<Device>> OpenInlineDevice(const DeviceOptions& options, InterruptSink* sink);
Result<std::unique_ptr<Device>> OpenNullDevice(const DeviceOptions& options, InterruptSink* sink);

}  // namespace forebay::driver
