#include "forebay/base/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace forebay::base {

bool FutexWait(std::atomic<uint32_t>& word, uint32_t expected, int64_t timeout_ns) noexcept {
  timespec limit{};
  timespec* limit_pointer = nullptr;
  if (timeout_ns >= 0) {
    limit.tv_sec = timeout_ns / 1'000'000'000;
    limit.tv_nsec = timeout_ns % 1'000'000'000;
    limit_pointer = &limit;
  }
  const long result = syscall(SYS_futex, &word, FUTEX_WAIT, expected, limit_pointer, nullptr, 0);
  return !(result == -1 && errno == ETIMEDOUT);
}

void FutexWakeAll(std::atomic<uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void FutexWakeOne(std::atomic<uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace forebay::base
