// The memory file of a device, and where the host itself reads and writes what is in it.
#pragma once

#include <span>

#include "forebay/base/unique_fd.h"
#include "forebay/types/bar.h"

namespace forebay::driver {

class HostMemory {
 public:
  static Result<HostMemory> Create(const char* name, const types::BootParameters& boot);

  int file() const noexcept { return file_.get(); }
  std::byte* window_view() const noexcept { return window_view_.data(); }
  std::byte* pinned_view() const noexcept { return pinned_view_.data(); }

  // Follows what the device maps in its own window. What it unmaps stays in view until something else is mapped there:
  // a thread of the host that is just copying must not fault for it.
  Status Follow(std::span<const types::MappingChange> changes);
  // Puts a part of the file at an address of the host, in place of what is there.
  Status MapAt(void* address, uint64_t offset, uint64_t bytes) const;
  Status Discard(uint64_t offset, uint64_t bytes) const;

 private:
  types::AddressWindow window_{};
  base::UniqueFd file_;
  base::Mapping window_view_;
  base::Mapping pinned_view_;
};

}  // namespace forebay::driver
