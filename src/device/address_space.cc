#include "address_space.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "forebay/base/macros.h"

namespace forebay::device {

Result<AddressSpace> AddressSpace::Create(const types::BootParameters& boot, int memory_fd) {
  AddressSpace space;
  space.boot_ = boot;
  space.memory_fd_ = memory_fd;
  ASSIGN_OR_RETURN(space.window_, base::Mapping::Reserve(boot.memory_bytes + boot.pinned_bytes,
                                                         reinterpret_cast<void*>(boot.window_base)));
  if (boot.pinned_bytes > 0) {
    ASSIGN_OR_RETURN(space.pinned_,
                     base::Mapping::OfFile(memory_fd, boot.memory_bytes, boot.pinned_bytes, PROT_READ | PROT_WRITE));
  }
  return space;
}

Status AddressSpace::CheckRange(uint64_t offset, uint64_t bytes) const {
  // A range may not reach from one part of the file into the other.
  const uint64_t limit = boot_.memory_bytes + (offset >= boot_.memory_bytes ? boot_.pinned_bytes : 0);
  if (bytes == 0 || offset % 4096 != 0 || bytes % 4096 != 0 || offset > limit || bytes > limit - offset) {
    return Status(Code::kDriverInternal,
                  fmt::format("range {:#x}+{:#x} is inside neither device nor pinned memory", offset, bytes));
  }
  return {};
}

Status AddressSpace::Map(uint64_t offset, uint64_t bytes) noexcept {
  RETURN_IF_ERROR(CheckRange(offset, bytes));
  void* place = window_.data() + offset;
  if (mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory_fd_, static_cast<off_t>(offset)) !=
      place) {
    return Status(Code::kDriverInternal, fmt::format("mapping {:#x}+{:#x} failed", offset, bytes));
  }
  return {};
}

Status AddressSpace::Unmap(uint64_t offset, uint64_t bytes) noexcept {
  RETURN_IF_ERROR(CheckRange(offset, bytes));
  void* place = window_.data() + offset;
  if (mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != place) {
    return Status(Code::kDriverInternal, fmt::format("unmapping {:#x}+{:#x} failed", offset, bytes));
  }
  if (offset >= boot_.memory_bytes) return {};  // pinned memory stays the host's
  // The pages go back to the system; whoever maps the range next finds zeros.
  if (fallocate(memory_fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(bytes)) != 0) {
    return Status(Code::kDriverInternal, fmt::format("giving back {:#x}+{:#x} failed", offset, bytes));
  }
  return {};
}

Status AddressSpace::Alias(std::byte* place, uint64_t address, uint64_t bytes) const noexcept {
  const uint64_t offset = address - boot_.window_base;
  RETURN_IF_ERROR(CheckRange(offset, bytes));
  if (mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory_fd_, static_cast<off_t>(offset)) !=
      place) {
    return Status(Code::kDriverInternal, fmt::format("mapping {:#x}+{:#x} a second time failed", offset, bytes));
  }
  return {};
}

std::byte* AddressSpace::Resolve(types::MemorySpace space, uint64_t address, uint64_t bytes) const noexcept {
  const uint64_t limit = space == types::MemorySpace::kDevice ? boot_.memory_bytes : boot_.pinned_bytes;
  // Addresses of pinned memory count from the start of the file, so its part begins behind device memory.
  const uint64_t base = space == types::MemorySpace::kDevice ? boot_.window_base : boot_.memory_bytes;
  if (address < base || address - base > limit || bytes > limit - (address - base)) return nullptr;
  const base::Mapping& mapping = space == types::MemorySpace::kDevice ? window_ : pinned_;
  return mapping.data() + (address - base);
}

}  // namespace forebay::device
