// Runtime: what concerns the whole process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/status.h"

#pragma GCC visibility push(default)
namespace forebay {

// What is handed out over all devices of the process. All zero when everything was given back.
struct ResourceCounters {
  uint64_t open_devices = 0;
  uint64_t memory_ranges = 0;
  uint64_t memory_bytes = 0;
  uint64_t pinned_bytes = 0;
  uint64_t streams = 0;
  uint64_t events = 0;
  uint64_t kernel_images = 0;

  bool operator==(const ResourceCounters&) const = default;
};

// There is one runtime in a process; it begins with the first device that is set. Thread safety: all functions may be
// called from any thread.
class Runtime {
 public:
  Runtime() = delete;
  // Sets a parameter of docs/configuration.md, such as "queue_depth". Takes effect for devices set afterwards.
  // Errors: kInvalidParam for an unknown name or a bad value; nothing changes then.
  static Status Configure(std::string_view name, std::string_view value);
  // How many devices there are.
  static Result<int32_t> DeviceCount();
  static ResourceCounters Counters();
};

// What the runtime is doing, as text for people: devices that are on, their streams with the first tasks and what they
// wait for, kernels that run long, memory, and threads whose submit waits for room. It waits at most 100 ms for each
// device that does not react. With the parameter "dump_signal" a signal makes the process write it to standard error
// and to the log. Thread safety: may be called from any thread.
std::string DumpState();

}  // namespace forebay
#pragma GCC visibility pop
