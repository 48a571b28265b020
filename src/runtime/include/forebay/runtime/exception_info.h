// What the application is told of a failure while it happens, and the functions that it registers for it.
//
// Thread safety: all functions may be called from any thread. Callbacks are called without a lock, on the thread that
// takes the news from the device; a synchronise returns its failure only after them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "forebay/runtime/stream.h"
#include "forebay/status.h"

namespace forebay {
class MemoryPool;
}

namespace forebay::runtime {

// One failure, valid while its callbacks run.
class ExceptionInfo {
 public:
  // What every number is when the device as a whole has failed.
  static constexpr uint32_t kOfDevice = 0xFFFFFFFF;

  ExceptionInfo() = default;
  ~ExceptionInfo();
  ExceptionInfo(const ExceptionInfo&) = delete;
  ExceptionInfo& operator=(const ExceptionInfo&) = delete;

  uint32_t task = kOfDevice;
  uint32_t stream = kOfDevice;  // its number on the device
  uint32_t thread = kOfDevice;  // the thread that submitted the task; 0 when that is no longer known
  uint32_t device = kOfDevice;
  uint32_t code = kOfDevice;
  uint64_t context = 0;   // handle
  uint64_t function = 0;  // handle of the kernel that failed; 0: it was no kernel, or it was unloaded since
  std::optional<TaskRecord> record;
  std::shared_ptr<MemoryPool> pool;  // for a copy of the arguments

  struct Arguments {
    void* address = nullptr;
    uint32_t bytes = 0;
  };
  // The kernel's arguments in device memory. kParamInvalid: it was no kernel. kRingBufferNoData: later tasks have taken
  // their place.
  Result<Arguments> CopyArguments() const;

 private:
  mutable Arguments copy_;
};

using ExceptionCallback = std::function<void(ExceptionInfo& info)>;

// The one callback of the older interface; an empty one takes it back.
void SetExceptionCallback(ExceptionCallback callback);
// Callbacks by an identity of their own. The same one again changes nothing, nor does taking back an unknown one.
void AddExceptionCallback(const void* identity, ExceptionCallback callback);
void RemoveExceptionCallback(const void* identity);
// For failures of the kernels of one binary; the last one set counts. kInvalidHandle.
Status SetBinaryExceptionCallback(uint64_t binary, ExceptionCallback callback);
void RemoveBinaryExceptionCallback(uint64_t binary);

}  // namespace forebay::runtime
