// Waiting on a 32-bit word, within a process or between two that share the memory.
#pragma once

#include <atomic>
#include <cstdint>

namespace forebay::base {

// Sleeps while *word == expected, until woken or until `timeout_ns` has passed (negative: no limit). May return early.
// False when the time ran out. The word may lie in memory shared with another process.
bool FutexWait(std::atomic<uint32_t>& word, uint32_t expected, int64_t timeout_ns = -1) noexcept;
void FutexWakeAll(std::atomic<uint32_t>& word) noexcept;
void FutexWakeOne(std::atomic<uint32_t>& word) noexcept;

// The low half of a 64-bit counter, as a word to wait on.
inline std::atomic<uint32_t>& LowHalf(std::atomic<uint64_t>& counter) noexcept {
  static_assert(std::atomic<uint64_t>::is_always_lock_free);
  return reinterpret_cast<std::atomic<uint32_t>*>(&counter)[0];
}

}  // namespace forebay::base
