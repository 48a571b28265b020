#include "forebay/base/unique_fd.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace forebay::base {
namespace {

Status SystemFailure(std::string_view what, std::size_t bytes) {
  return Status(Code::kDriverInternal, fmt::format("{} of {} bytes failed: {}", what, bytes, std::strerror(errno)),
                "Check the limits on memory and address space (ulimit -v, cgroup)");
}

}  // namespace

Result<Mapping> Mapping::OfFile(int fd, std::size_t offset, std::size_t bytes, int protection, void* fixed_address) {
  const int flags = MAP_SHARED | (fixed_address != nullptr ? MAP_FIXED : 0);
  void* address = mmap(fixed_address, bytes, protection, flags, fd, static_cast<off_t>(offset));
  if (address == MAP_FAILED) return SystemFailure("mapping", bytes);
  return Mapping(address, bytes);
}

Result<Mapping> Mapping::Reserve(std::size_t bytes, void* fixed_address) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (fixed_address != nullptr) flags |= MAP_FIXED_NOREPLACE;
  void* address = mmap(fixed_address, bytes, PROT_NONE, flags, -1, 0);
  if (address == MAP_FAILED) return SystemFailure("reserving addresses", bytes);
  if (fixed_address != nullptr && address != fixed_address) {
    munmap(address, bytes);
    errno = EEXIST;
    return SystemFailure("reserving addresses", bytes);
  }
  return Mapping(address, bytes);
}

Result<UniqueFd> CreateMemoryFile(const char* name, std::size_t bytes) {
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC));
  if (!fd.valid()) return SystemFailure("memfd_create", bytes);
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) return SystemFailure("growing a memory file", bytes);
  return fd;
}

}  // namespace forebay::base
