// The device's view of memory: windows of device addresses, of which only mapped ranges can be touched, and the pinned
// host memory, which the copy engine sees all through, and kernels only where it is mapped into the window.
#pragma once

#include <cstdint>

#include "forebay/base/address_map.h"
#include "forebay/base/unique_fd.h"
#include "forebay/status.h"
#include "forebay/types/bar.h"

namespace forebay::device {

class AddressSpace {
 public:
  // The device's own window is reserved by whoever shares the address space with it; in a process of its own by itself.
  static Result<AddressSpace> Create(const types::BootParameters& boot, int memory_fd, bool own_process);

  // Makes a part of the memory file accessible at an address inside a window, in place of what is there, or takes away
  // what is there. What the file holds stays as it is.
  Status Change(const types::MappingChange& change);
  uint64_t mapped_bytes() const noexcept { return mapped_.bytes(); }

  // Makes the pages at `place` those that are mapped at `address`, which keep their content. Both are on page
  // boundaries.
  Status Alias(std::byte* place, uint64_t address, uint64_t bytes) const;

  // The place of a copy operand, or null when it lies outside its space. A place inside a window may still be unmapped:
  // touching it faults.
  std::byte* Resolve(types::MemorySpace space, uint64_t address, uint64_t bytes) const noexcept;

 private:
  AddressSpace() = default;
  Status CheckOffset(uint64_t offset, uint64_t bytes) const;

  types::BootParameters boot_{};
  int memory_fd_ = -1;
  base::Mapping window_;
  base::Mapping pinned_;
  base::AddressMap mapped_;
};

}  // namespace forebay::device
