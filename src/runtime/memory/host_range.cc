#include "memory/host_range.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

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

Result<std::vector<HostSegment>> HostSegments(uint64_t begin, uint64_t bytes) {
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "re"), &std::fclose);
  if (!maps) {
    return Status(Code::kInternal, std::string("/proc/self/maps cannot be read: ") + std::strerror(errno),
                  "Mount /proc; registering host memory needs to know what it is");
  }
  std::vector<HostSegment> segments;
  char* line = nullptr;
  std::size_t room = 0;
  while (getline(&line, &room, maps.get()) > 0) {
    HostSegment segment;
    char flags[5] = {};
    char file[64] = {};
    char inode[32] = {};
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %63s %31s", &segment.begin, &segment.end, flags,
                    &segment.file_offset, file, inode) != 6) {
      continue;
    }
    if (segment.end <= begin || segment.begin >= begin + bytes) continue;
    segment.readable = flags[0] == 'r';
    segment.writable = flags[1] == 'w';
    segment.is_shared = flags[3] == 's';
    segment.file = std::string(file) + " " + inode;
    segments.push_back(std::move(segment));
  }
  std::free(line);
  return segments;
}

}  // namespace forebay::runtime
