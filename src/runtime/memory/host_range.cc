#include "memory/host_range.h"

#include <sys/mman.h>

#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace forebay::runtime {

namespace {

constexpr uint64_t kPage = 4096;
// From here on a look at the list of mappings costs little beside the copy. It goes first, so that a size that is wrong
// by far does not bring in all pages up to the first hole.
constexpr uint64_t kLarge = uint64_t{16} << 20;
// Of Linux 5.14; the headers may be older.
constexpr int kPopulateRead = 22;
constexpr int kPopulateWrite = 23;

bool MappingsAllow(uint64_t begin, uint64_t bytes, Access access) {
  const auto segments = HostSegments(begin, bytes);
  if (!segments.ok()) return true;  // nobody knows
  uint64_t end = begin;
  for (const HostSegment& segment : *segments) {
    if (segment.begin > end || !(access == Access::kRead ? segment.readable : segment.writable)) return false;
    end = segment.end;
  }
  return end >= begin + bytes;
}

}  // namespace

bool IsHostRange(const void* address, std::size_t bytes, Access access) {
  const auto first = reinterpret_cast<uint64_t>(address);
  if (bytes == 0) return true;
  if (bytes - 1 > UINT64_MAX - kPage - first) return false;
  if (bytes > kLarge && !MappingsAllow(first, bytes, access)) return false;
  const uint64_t page = first / kPage * kPage;
  if (madvise(reinterpret_cast<void*>(page), first - page + bytes,
              access == Access::kRead ? kPopulateRead : kPopulateWrite) == 0) {
    return true;
  }
  // Other answers may also mean that the kernel does not know the question, or the kind of mapping.
  if (errno == ENOMEM || errno == EFAULT || errno == EHWPOISON) return false;
  return MappingsAllow(first, bytes, access);
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
