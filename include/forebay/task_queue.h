// TaskQueue: the atomic tasks that a stream has in front of it.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/status.h"
#include "forebay/types.h"

#pragma GCC visibility push(default)
namespace forebay {

// What a stream's ring of 64-byte entries held at one moment. How deep rings are is the parameter "queue_depth" of
// docs/configuration.md; a full ring makes the submitter wait. Thread safety: a value, as a string is.
class TaskQueue {
 public:
  // Looks at the queue of `stream`; null names the default stream. Errors: kContextNull; kInvalidHandle;
  // kStreamContext.
  static Result<TaskQueue> Of(StreamHandle stream);

  // Entries that fit.
  uint32_t depth() const noexcept { return depth_; }
  // Entries submitted, and completed, since the device was set. A task takes one entry, a kernel with many arguments
  // more.
  uint64_t published() const noexcept { return published_; }
  uint64_t completed() const noexcept { return completed_; }
  // The unfinished tasks as text, one a line: number, kind, what it works on.
  const std::string& ToString() const noexcept { return text_; }

 private:
  friend class TaskQueueReader;
  uint32_t depth_ = 0;
  uint64_t published_ = 0;
  uint64_t completed_ = 0;
  std::string text_;
};

}  // namespace forebay
#pragma GCC visibility pop
