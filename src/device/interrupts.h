// The ring of interrupt records: how the device tells the host that a task failed or wants attention.
#pragma once

#include <cstdint>

#include "forebay/base/mutex.h"
#include "forebay/types/bar.h"

namespace forebay::device {

class Interrupts {
 public:
  explicit Interrupts(const types::BarView& bar) : bar_(bar) {}

  // False while fewer than kReserve records are free: a task that might fail is then not started, so that no failure
  // is ever lost, also when the host is stopped for long.
  bool HasRoom() const noexcept;
  // Adds a record and wakes the host. Thread-safe.
  void Raise(const types::InterruptRecord& record) noexcept EXCLUDES(mutex_);
  // Asks the host to take what kernels printed. At most one such record is on its way.
  void RaisePrinted() noexcept EXCLUDES(mutex_);

 private:
  static constexpr uint64_t kReserve = 256;

  const types::BarView bar_;
  base::Mutex mutex_;
};

}  // namespace forebay::device
