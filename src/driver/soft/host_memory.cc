#include "host_memory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "forebay/base/macros.h"

namespace forebay::driver {

Result<HostMemory> HostMemory::Create(const char* name, const types::BootParameters& boot) {
  HostMemory memory;
  memory.window_ = boot.window;
  ASSIGN_OR_RETURN(memory.file_, base::CreateMemoryFile(name, boot.memory_bytes + boot.pinned_bytes));
  ASSIGN_OR_RETURN(memory.window_view_, base::Mapping::Reserve(boot.window.bytes));
  if (boot.pinned_bytes > 0) {
    ASSIGN_OR_RETURN(memory.pinned_view_, base::Mapping::OfFile(memory.file(), boot.memory_bytes, boot.pinned_bytes,
                                                                PROT_READ | PROT_WRITE));
  }
  return memory;
}

Status HostMemory::Follow(std::span<const types::MappingChange> changes) {
  for (const types::MappingChange& change : changes) {
    if (change.offset == types::kNothing || !window_.Holds(change.address, change.bytes)) continue;
    RETURN_IF_ERROR(MapAt(window_view_.data() + (change.address - window_.base), change.offset, change.bytes));
  }
  return {};
}

Status HostMemory::MapAt(void* address, uint64_t offset, uint64_t bytes) const {
  if (mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file(), static_cast<off_t>(offset)) ==
      address) {
    return {};
  }
  return Status(
      Code::kDriverInternal,
      fmt::format("{} bytes at {} cannot be replaced by device memory: {}", bytes, address, std::strerror(errno)),
      "The system may have reached its number of mappings (vm.max_map_count), or the pages are huge ones of "
      "hugetlbfs");
}

Status HostMemory::Discard(uint64_t offset, uint64_t bytes) const {
  if (fallocate(file(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(bytes)) == 0) {
    return {};
  }
  return Status(Code::kDriverInternal,
                fmt::format("giving back {:#x}+{:#x} failed: {}", offset, bytes, std::strerror(errno)));
}

}  // namespace forebay::driver
