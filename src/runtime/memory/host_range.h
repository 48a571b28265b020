// What the system says of ranges of this process's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "forebay/status.h"

namespace forebay::runtime {

enum class Access { kRead, kWrite };

// Whether the whole range allows the access. The kernel is asked, so nothing faults and nothing changes.
bool IsHostRange(const void* address, std::size_t bytes, Access access);

// A piece of the address space that the system treats alike.
struct HostSegment {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool readable = false;
  bool writable = false;
  bool is_shared = false;  // with other processes or other mappings of the same file
  uint64_t file_offset = 0;
  std::string file;  // device and inode; the same for two mappings of one file

  // The offset in the file that lies at an address of the segment.
  uint64_t OffsetAt(uint64_t address) const noexcept { return file_offset + (address - begin); }
};
// The segments that overlap [begin, begin + bytes), by address. kInternal without /proc.
Result<std::vector<HostSegment>> HostSegments(uint64_t begin, uint64_t bytes);

}  // namespace forebay::runtime
