#include "memory/host_range.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace forebay::runtime {

bool IsHostRange(const void* address, std::size_t bytes) noexcept {
  const auto first = reinterpret_cast<uintptr_t>(address);
  if (bytes == 0) return true;
  if (bytes - 1 > UINTPTR_MAX - first) return false;
  char probe[2];
  iovec here[2] = {{&probe[0], 1}, {&probe[1], 1}};
  iovec there[2] = {{reinterpret_cast<void*>(first), 1}, {reinterpret_cast<void*>(first + bytes - 1), 1}};
  const ssize_t read = process_vm_readv(getpid(), here, 2, there, 2, 0);
  if (read < 0) return errno != EFAULT;
  return read == 2;
}

}  // namespace forebay::runtime
