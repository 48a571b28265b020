// Lines printed by kernels, on their way to the application's standard output.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "forebay/base/mutex.h"
#include "forebay/types/bar.h"

namespace forebay::device {

class PrintRing {
 public:
  // `raise` tells the host that there is something to print. `drain` is what to do when the ring is full and no host
  // thread listens; empty: wait for the host.
  PrintRing(const types::BarView& bar, std::function<void()> raise, std::function<void()> drain)
      : bar_(bar), raise_(std::move(raise)), drain_(std::move(drain)) {}

  // Adds text that is never torn apart by another block's. Thread-safe. A full ring makes the caller wait; `waiting` is
  // counted up as long as it does.
  void Append(std::string_view text, std::atomic<uint32_t>& waiting) EXCLUDES(mutex_);

 private:
  const types::BarView bar_;
  const std::function<void()> raise_;
  const std::function<void()> drain_;
  base::Mutex mutex_;
};

}  // namespace forebay::device
