// What all devices have in common whose memory is a file of the host.
#pragma once

#include "forebay/driver/device.h"
#include "host_memory.h"

namespace forebay::driver {

class HostBackedDevice : public Device {
 public:
  Status Discard(uint64_t offset, uint64_t bytes) override { return memory_.Discard(offset, bytes); }
  int memory_file() const noexcept override { return memory_.file(); }
  Status MapForHost(void* address, uint64_t offset, uint64_t bytes, uint32_t file) override {
    return memory_.MapAt(address, offset, bytes, file);
  }
  Result<std::byte*> AddView(const types::AddressWindow& window) override { return memory_.AddWindow(window); }
  void RemoveView(uint64_t base) override { memory_.RemoveWindow(base); }
  void HideFromView(uint64_t address, uint64_t bytes) override { memory_.Hide(address, bytes); }
  std::byte* WindowView() const noexcept override { return memory_.window_view(); }
  std::byte* PinnedView() const noexcept override { return memory_.pinned_view(); }

 protected:
  HostMemory memory_;
};

}  // namespace forebay::driver
