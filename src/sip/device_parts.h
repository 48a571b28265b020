// What the parts of sip::Device share.
#pragma once

#include "forebay/driver/device.h"
#include "forebay/sip/device.h"
#include "physical_memory.h"
#include "range_allocator.h"

namespace forebay::sip {

inline constexpr uint64_t kPinnedGranularity = 64 * 1024;

// The counters of the process, over all devices.
struct AtomicCounters {
  std::atomic<uint64_t> open_devices, memory_ranges, memory_bytes, pinned_ranges, pinned_bytes, stream_queues,
      event_registers, kernel_images;
};
inline AtomicCounters counters;

inline uint64_t RoundUp(uint64_t bytes, uint64_t unit) noexcept { return (bytes + unit - 1) / unit * unit; }

class Device::RangeAllocator : public RangeAllocatorBase {
 public:
  using RangeAllocatorBase::RangeAllocatorBase;
};

struct Device::Driver {
  std::unique_ptr<driver::Device> device;
};

// Device memory: which of it is free, which addresses are reserved, and what lies at these.
struct Device::Memory {
  explicit Memory(const types::BootParameters& boot)
      : physical(boot.memory_bytes / kMemoryGranule * kMemoryGranule),
        addresses(boot.window.base, boot.window.bytes, kMemoryGranule) {}

  PhysicalMemory physical;
  RangeAllocator addresses;
  base::AddressMap backing;
};

}  // namespace forebay::sip
