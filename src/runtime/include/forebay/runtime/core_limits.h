// How many cores of each kind a program wants to use, by device or stream; 0 where it has set nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace forebay::runtime {

struct CoreLimits {
  std::atomic<uint32_t> cores[2] = {};  // by CoreKind

  void Clear() noexcept {
    for (auto& limit : cores) limit.store(0, std::memory_order_relaxed);
  }
};

}  // namespace forebay::runtime
