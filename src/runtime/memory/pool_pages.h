// The pages that pools stand on: of device memory, at addresses that belong to one pool, and of pinned host memory.
#pragma once

#include <memory>
#include <optional>

#include "memory/pool/page_source.h"

namespace forebay::sip {
class Device;
}

namespace forebay::runtime {

class PoolPages : public PageSource {
 public:
  // The range of addresses that is the pool's for good, and holds this one.
  virtual std::optional<AddressRange> RangeAround(uint64_t address) = 0;
  // Whether addresses may be without memory for a while, as the checking mode wants it.
  virtual bool can_withdraw() const noexcept { return false; }
  // Takes the memory from behind whole pages of what was obtained; their addresses stay the pool's.
  virtual void Withdraw(const AddressRange& /*range*/) {}
  // Puts other memory there, all zero. kMemoryAllocation, with nothing changed, when there is not enough.
  virtual Status Restore(const AddressRange& /*range*/) { return {}; }
  // Gives everything back. Every later call fails.
  virtual void Detach() = 0;
};

// Device memory at a range of addresses, and at more ranges when that is full, each as large as all before it. Any
// pages of the device can lie under any of them.
Result<std::unique_ptr<PoolPages>> MakeDevicePages(std::shared_ptr<sip::Device> device, uint64_t address_bytes);
// Pinned host memory: its addresses are those of the host, and go with the memory.
std::unique_ptr<PoolPages> MakePinnedPages(std::shared_ptr<sip::Device> device);

}  // namespace forebay::runtime
