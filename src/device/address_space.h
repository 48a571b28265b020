// The device's view of memory: windows of device addresses, of which only mapped ranges can be touched, and the pinned
// host memory, which the copy engine sees all through, and kernels only where it is mapped into the window.
#pragma once

#include <cstdint>
#include <map>

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
  // Another memory file to map from, which the host's process has open under this descriptor. Its number is at least 1.
  Result<uint32_t> OpenFile(int host_descriptor);
  Status CloseFile(uint32_t file);
  uint64_t mapped_bytes() const noexcept { return mapped_.bytes(); }

  // Makes the pages at `place` those that are mapped at `address`, which keep their content. Both are on page
  // boundaries.
  Status Alias(std::byte* place, uint64_t address, uint64_t bytes) const;

  // The place of a copy operand, or null when it lies outside its space. A place inside a window may still be unmapped:
  // touching it faults.
  std::byte* Resolve(types::MemorySpace space, uint64_t address, uint64_t bytes) const noexcept;

 private:
  AddressSpace() = default;
  struct File {
    base::UniqueFd descriptor;
    uint64_t bytes = 0;
  };
  bool IsCommon(uint64_t address, uint64_t bytes) const noexcept {
    return boot_.common[0].Holds(address, bytes) || boot_.common[1].Holds(address, bytes) ||
           boot_.common[2].Holds(address, bytes);
  }
  Status CheckOffset(const types::MappingChange& change) const;
  int DescriptorOf(uint32_t file) const { return file == 0 ? memory_fd_ : files_.at(file).descriptor.get(); }

  types::BootParameters boot_{};
  int memory_fd_ = -1;
  base::Mapping window_;
  base::Mapping pinned_;
  base::AddressMap mapped_;
  std::map<uint32_t, File> files_;  // but the memory file
};

}  // namespace forebay::device
