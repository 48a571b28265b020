#include "address_space.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "forebay/base/macros.h"

namespace forebay::device {
namespace {

Status MapPages(void* place, uint64_t bytes, int file, uint64_t offset) {
  if (mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, static_cast<off_t>(offset)) == place)
    return {};
  return Status(Code::kDriverInternal,
                fmt::format("mapping {:#x}+{:#x} at {} failed: {}", offset, bytes, place, std::strerror(errno)));
}

}  // namespace

Result<AddressSpace> AddressSpace::Create(const types::BootParameters& boot, int memory_fd, bool own_process) {
  AddressSpace space;
  space.boot_ = boot;
  space.memory_fd_ = memory_fd;
  if (own_process) {
    ASSIGN_OR_RETURN(space.window_, base::Mapping::Reserve(boot.window.bytes + boot.pinned_bytes,
                                                           reinterpret_cast<void*>(boot.window.base)));
  }
  if (boot.pinned_bytes > 0) {
    ASSIGN_OR_RETURN(space.pinned_,
                     base::Mapping::OfFile(memory_fd, boot.memory_bytes, boot.pinned_bytes, PROT_READ | PROT_WRITE));
  }
  return space;
}

Status AddressSpace::CheckOffset(const types::MappingChange& change) const {
  uint64_t limit = 0;
  if (change.file == 0) {
    // A range may not reach from one part of the file into the other.
    limit = boot_.memory_bytes + (change.offset >= boot_.memory_bytes ? boot_.pinned_bytes : 0);
  } else if (const auto found = files_.find(change.file); found != files_.end()) {
    limit = found->second.bytes;
  }
  if (change.offset % 4096 == 0 && change.offset <= limit && change.bytes <= limit - change.offset) return {};
  return Status(Code::kDriverInternal, fmt::format("range {:#x}+{:#x} of file {} is inside no memory", change.offset,
                                                   change.bytes, change.file));
}

Result<uint32_t> AddressSpace::OpenFile(int host_descriptor) {
  const std::string path = fmt::format("/proc/{}/fd/{}", boot_.host_process, host_descriptor);
  File file;
  file.descriptor = base::UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status{};
  if (!file.descriptor.valid() || fstat(file.descriptor.get(), &status) != 0)
    return Status(Code::kDriverInternal, fmt::format("opening {} failed: {}", path, std::strerror(errno)));
  file.bytes = static_cast<uint64_t>(status.st_size);
  const uint32_t number = files_.empty() ? 1 : files_.rbegin()->first + 1;
  files_.emplace(number, std::move(file));
  return number;
}

Status AddressSpace::CloseFile(uint32_t file) {
  if (files_.erase(file) != 0) return {};
  return Status(Code::kDriverInternal, fmt::format("there is no file {}", file));
}

Status AddressSpace::Change(const types::MappingChange& change) {
  const types::AddressWindow own{boot_.window.base, boot_.window.bytes + boot_.pinned_bytes};
  if (change.bytes == 0 || change.bytes % 4096 != 0 || change.address % 4096 != 0 ||
      (!own.Holds(change.address, change.bytes) && !IsCommon(change.address, change.bytes))) {
    return Status(Code::kDriverInternal,
                  fmt::format("{:#x}+{:#x} are not addresses of whole pages in a window of the device", change.address,
                              change.bytes));
  }
  void* place = reinterpret_cast<void*>(change.address);
  if (change.offset != types::kNothing) {
    RETURN_IF_ERROR(CheckOffset(change));
    RETURN_IF_ERROR(MapPages(place, change.bytes, DescriptorOf(change.file), change.offset));
    mapped_.Add({change.address, change.bytes, change.offset, change.file});
    return {};
  }
  if (mmap(place, change.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != place) {
    return Status(Code::kDriverInternal,
                  fmt::format("unmapping {:#x}+{:#x} failed: {}", change.address, change.bytes, std::strerror(errno)));
  }
  mapped_.Remove(change.address, change.bytes);
  return {};
}

Status AddressSpace::Alias(std::byte* place, uint64_t address, uint64_t bytes) const {
  if (!mapped_.Covers(address, bytes))
    return Status(Code::kDriverInternal, fmt::format("nothing is mapped at {:#x}+{:#x}", address, bytes));
  for (const base::AddressMap::Piece& piece : mapped_.Find(address, bytes)) {
    RETURN_IF_ERROR(MapPages(place + (piece.address - address), piece.bytes, DescriptorOf(piece.file), piece.offset));
  }
  return {};
}

std::byte* AddressSpace::Resolve(types::MemorySpace space, uint64_t address, uint64_t bytes) const noexcept {
  if (space == types::MemorySpace::kDevice) {
    const bool inside = boot_.window.Holds(address, bytes) || IsCommon(address, bytes);
    return inside ? reinterpret_cast<std::byte*>(address) : nullptr;
  }
  // Addresses of pinned memory count from the start of the file, so its part begins behind device memory.
  const types::AddressWindow pinned{boot_.memory_bytes, boot_.pinned_bytes};
  return pinned.Holds(address, bytes) ? pinned_.data() + (address - pinned.base) : nullptr;
}

}  // namespace forebay::device
