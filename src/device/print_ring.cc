#include "print_ring.h"

#include <algorithm>
#include <cstring>

#include "forebay/base/futex.h"

namespace forebay::device {

void PrintRing::Append(std::string_view text) {
  base::MutexLock lock(mutex_);
  types::BarHeader& header = *bar_.header;
  while (!text.empty()) {
    const uint64_t printed = header.printed.load(std::memory_order_relaxed);
    // Acquire pairs with the host's release after it has copied the bytes out.
    const uint64_t taken = header.print_taken.load(std::memory_order_acquire);
    const uint64_t room = types::kPrintBytes - (printed - taken);
    if (room == 0) {
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
}

}  // namespace forebay::device
