// Filling memory with a repeated word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace forebay::base {

// Writes the bytes of `pattern`, lowest first, again and again.
inline void FillPattern(std::byte* destination, uint32_t pattern, std::size_t bytes) noexcept {
  if (pattern == (pattern & 0xFF) * 0x01010101u) {
    std::memset(destination, static_cast<int>(pattern & 0xFF), bytes);
    return;
  }
  for (; bytes >= sizeof pattern; bytes -= sizeof pattern, destination += sizeof pattern) {
    std::memcpy(destination, &pattern, sizeof pattern);
  }
  std::memcpy(destination, &pattern, bytes);
}

}  // namespace forebay::base
