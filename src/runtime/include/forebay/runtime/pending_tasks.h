// Tasks that use something, to know when none of them is left.
#pragma once

#include <cstdint>
#include <vector>

namespace forebay::sip {
class Device;
}

namespace forebay::runtime {

// The last such task of each stream. Not thread-safe.
class PendingTasks {
 public:
  // The task of the stream in this slot that ends at this entry of its ring.
  void Add(uint32_t slot, uint64_t end_entry);
  bool AllDone(const sip::Device& device) noexcept;
  void Clear() noexcept { tasks_.clear(); }

 private:
  struct Task {
    uint32_t slot;
    uint64_t end_entry;
  };
  std::vector<Task> tasks_;
};

}  // namespace forebay::runtime
