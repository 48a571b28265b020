// The device's view of memory: a window of device addresses, of which only mapped ranges can be touched, and the pinned
// host memory, which the copy engine sees all through, and kernels only where it is mapped into the window.
#pragma once

#include <cstdint>

#include "forebay/base/unique_fd.h"
#include "forebay/status.h"
#include "forebay/types/bar.h"

namespace forebay::device {

class AddressSpace {
 public:
  static Result<AddressSpace> Create(const types::BootParameters& boot, int memory_fd);

  // Makes [offset, offset + bytes) of device or pinned memory accessible at window_base + offset; Unmap takes it away
  // again, and with device memory what it holds.
  Status Map(uint64_t offset, uint64_t bytes) noexcept;
  Status Unmap(uint64_t offset, uint64_t bytes) noexcept;

  // Makes the pages at `place` those of device memory at `address`, which keep their content. Both are on page
  // boundaries.
  Status Alias(std::byte* place, uint64_t address, uint64_t bytes) const noexcept;

  // The place of a copy operand, or null when it lies outside its space. A place inside the window may still be
  // unmapped: touching it faults.
  std::byte* Resolve(types::MemorySpace space, uint64_t address, uint64_t bytes) const noexcept;

 private:
  AddressSpace() = default;
  Status CheckRange(uint64_t offset, uint64_t bytes) const;

  types::BootParameters boot_{};
  int memory_fd_ = -1;
  base::Mapping window_;
  base::Mapping pinned_;
};

}  // namespace forebay::device
