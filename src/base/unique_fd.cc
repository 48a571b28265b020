#include "forebay/base/unique_fd.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <cerrno>

#include "forebay/base/system_failure.h"

namespace forebay::base {
namespace {

Status Failure(std::string_view what, std::size_t bytes, int error = errno) {
  return SystemFailure(Code::kDriverInternal, fmt::format("{} of {} bytes failed", what, bytes), error);
}

}  // namespace

Result<Mapping> Mapping::OfFile(int fd, std::size_t offset, std::size_t bytes, int protection, void* fixed_address) {
  const int flags = MAP_SHARED | (fixed_address != nullptr ? MAP_FIXED : 0);
  void* address = mmap(fixed_address, bytes, protection, flags, fd, static_cast<off_t>(offset));
  if (address == MAP_FAILED) return Failure("mapping", bytes);
  return Mapping(address, bytes);
}

Result<Mapping> Mapping::Reserve(std::size_t bytes, void* fixed_address) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (fixed_address != nullptr) flags |= MAP_FIXED_NOREPLACE;
  void* address = mmap(fixed_address, bytes, PROT_NONE, flags, -1, 0);
  if (address == MAP_FAILED) return Failure("reserving addresses", bytes);
  if (fixed_address != nullptr && address != fixed_address) {
    munmap(address, bytes);
    return Failure("reserving addresses", bytes, EEXIST);
  }
  return Mapping(address, bytes);
}

Result<UniqueFd> CreateMemoryFile(const char* name, std::size_t bytes) {
  // Growing a file beyond the limit is a signal, not an error.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
    return Failure("making a memory file", bytes, EFBIG);
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC));
  if (!fd.valid() || ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) return Failure("making a memory file", bytes);
  return fd;
}

}  // namespace forebay::base
