// A named thread that is joined before it goes away.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "forebay/status.h"

namespace forebay::base {

// The thread blocks the signals that are sent to the process as a whole, so that an application's handlers run on the
// application's own threads; faults and directed signals still arrive.
class Thread {
 public:
  Thread() noexcept = default;
  // `name` is cut to 15 bytes, as the kernel does. Whoever starts a thread looks at status(): the system may have none
  // left to give.
  Thread(const std::string& name, std::function<void()> body);
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&&) noexcept = default;
  ~Thread() { Join(); }

  // Why the thread could not be started. It is not joinable then, and `body` never runs.
  const Status& status() const noexcept { return status_; }
  bool joinable() const noexcept { return thread_.joinable(); }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }
  // Lets a thread go that will never end, because the process forked and it does not exist here.
  void Detach() {
    if (thread_.joinable()) thread_.detach();
  }
  bool IsCurrent() const noexcept { return thread_.get_id() == std::this_thread::get_id(); }

 private:
  std::thread thread_;
  Status status_;
};

}  // namespace forebay::base
