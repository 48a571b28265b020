// The threads whose submit waits for room in a task queue.
#pragma once

#include <cstdint>
#include <vector>

namespace forebay::runtime {

class Stream;

// One of them, while it lives.
class WaitingSubmit {
 public:
  struct Row {
    const Stream* stream = nullptr;
    uint32_t entries = 0;
    uint32_t thread = 0;
    int64_t since_ns = 0;  // of base::NowNanoseconds
  };
  WaitingSubmit(const Stream& stream, uint32_t entries);
  ~WaitingSubmit();
  WaitingSubmit(const WaitingSubmit&) = delete;
  WaitingSubmit& operator=(const WaitingSubmit&) = delete;

  // All that wait now, the longest waiting first.
  static std::vector<Row> All();

 private:
  const Row row_;
};

}  // namespace forebay::runtime
