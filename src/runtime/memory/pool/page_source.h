// Where a pool gets its memory: whole pages at addresses of the pool's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "forebay/status.h"

namespace forebay::runtime {

struct AddressRange {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

// Thread safety: the pool calls without a lock, from any thread.
class PageSource {
 public:
  virtual ~PageSource() = default;
  // The unit of everything below, a power of two.
  virtual uint64_t page_bytes() const noexcept = 0;
  // Memory with undefined content. It begins at `after`, the end of an earlier range (0: anywhere), whenever that is
  // possible, so that the two are one. kMemoryAllocation when there is not enough.
  virtual Result<AddressRange> Obtain(uint64_t bytes, uint64_t after) = 0;
  // Any whole pages of what was obtained.
  virtual void Return(const AddressRange& range) = 0;
  // One range made of the pages under `from`, whose addresses end, and of `fresh_bytes` of new ones. Costs mappings
  // only. Nothing changes when it fails; kFeatureNotSupport where addresses are tied to their memory.
  virtual Result<AddressRange> Rearrange(std::span<const AddressRange> from, uint64_t fresh_bytes, uint64_t after) = 0;
  // Where the host can write the block, to fill it; null when it cannot.
  virtual std::byte* HostView(uint64_t address, uint64_t bytes) = 0;
};

}  // namespace forebay::runtime
