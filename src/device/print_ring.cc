#include "print_ring.h"

#include <algorithm>
#include <cstring>

#include "forebay/base/futex.h"

namespace forebay::device {

void PrintRing::Append(std::string_view text, std::atomic<uint32_t>& waiting) {
  if (!mutex_.TryLock()) {
    // Whoever has it may wait for room.
    waiting.fetch_add(1, std::memory_order_relaxed);
    mutex_.Lock();
    waiting.fetch_sub(1, std::memory_order_relaxed);
  }
  types::BarHeader& header = *bar_.header;
  bool was_full = false;
  while (!text.empty()) {
    const uint64_t printed = header.printed.load(std::memory_order_relaxed);
    // Acquire pairs with the host's release after it has copied the bytes out.
    const uint64_t taken = header.print_taken.load(std::memory_order_acquire);
    const uint64_t room = types::kPrintBytes - (printed - taken);
    const bool full = room == 0;
    if (full != was_full) waiting.fetch_add(full ? 1 : ~0u, std::memory_order_relaxed);
    was_full = full;
    if (full) {
      raise_();
      if (drain_) {
        drain_();
      } else {
        base::FutexWait(base::LowHalf(header.print_taken), static_cast<uint32_t>(taken), 10'000'000);
      }
      continue;
    }
    const uint64_t at = printed % types::kPrintBytes;
    const uint64_t piece = std::min({static_cast<uint64_t>(text.size()), room, types::kPrintBytes - at});
    std::memcpy(bar_.print + at, text.data(), piece);
    // Release pairs with the host's acquire: the bytes are seen before the count.
    header.printed.store(printed + piece, std::memory_order_release);
    text.remove_prefix(piece);
  }
  raise_();
  mutex_.Unlock();
}

}  // namespace forebay::device
