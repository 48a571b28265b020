#include "exception/exception_callbacks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "diagnosis/submit_sites.h"
#include "forebay/base/macros.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/memory_pool.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/copy.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/kernel.h"
#include "forebay/runtime/thread_state.h"
#include "memory/memory_pool_impl.h"

namespace forebay::runtime {
namespace {

class ExceptionCallbacks {
 public:
  static ExceptionCallbacks& Get() {
    static base::NeverDestroyed<ExceptionCallbacks> instance;
    return *instance;
  }
  void SetSingle(ExceptionCallback callback) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    single_ = std::move(callback);
  }
  void Add(const void* identity, ExceptionCallback callback) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    for (const auto& [known, function] : added_) {
      if (known == identity) return;
    }
    added_.emplace_back(identity, std::move(callback));
  }
  void Remove(const void* identity) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    added_.erase(std::remove_if(added_.begin(), added_.end(), [&](const auto& row) { return row.first == identity; }),
                 added_.end());
  }
  void SetOfBinary(uint64_t binary, ExceptionCallback callback) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    of_binaries_[binary] = std::move(callback);
  }
  void RemoveOfBinary(uint64_t binary) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    of_binaries_.erase(binary);
  }
  // Those for a failure of a kernel of that binary; 0: of none.
  std::vector<ExceptionCallback> For(uint64_t binary) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    std::vector<ExceptionCallback> all;
    if (single_) all.push_back(single_);
    for (const auto& [identity, callback] : added_) all.push_back(callback);
    if (const auto own = of_binaries_.find(binary); own != of_binaries_.end()) all.push_back(own->second);
    return all;
  }

 private:
  base::Mutex mutex_;
  ExceptionCallback single_ GUARDED_BY(mutex_);
  std::vector<std::pair<const void*, ExceptionCallback>> added_ GUARDED_BY(mutex_);
  std::map<uint64_t, ExceptionCallback> of_binaries_ GUARDED_BY(mutex_);
};

void CallAll(const std::vector<ExceptionCallback>& callbacks, ExceptionInfo& info) {
  for (const ExceptionCallback& callback : callbacks) {
    const NotificationScope scope(Notification::kFailure, info.context);
    callback(info);
  }
}

}  // namespace

ExceptionInfo::~ExceptionInfo() {
  if (copy_.address != nullptr) pool->Free(copy_.address).IgnoreError();
}

Result<ExceptionInfo::Arguments> ExceptionInfo::CopyArguments() const {
  if (code != kOfDevice && !record) {
    return Status(Code::kRingBufferNoData, "the arguments are no longer known: later tasks have taken their place",
                  "Raise queue_depth, or synchronise more often");
  }
  if (!record || record->command.opcode != types::Opcode::kKernel) {
    return Status(Code::kParamInvalid, "what failed is not a kernel, so it has no arguments",
                  "Copies, fills and waits have none");
  }
  const types::KernelCommand& kernel = record->command.kernel;
  Arguments arguments{nullptr, kernel.argument_bytes};
  if ((record->command.flags & types::kFlagArgumentsOnDevice) != 0) {
    std::memcpy(&arguments.address, kernel.arguments, sizeof arguments.address);
    return arguments;
  }
  if (copy_.address != nullptr || kernel.argument_bytes == 0) return copy_;
  if (!pool) return Status(Code::kContextNull, "the device is being reset", "Ask before its reset");
  ASSIGN_OR_RETURN(arguments.address, AllocateFor(*pool, kernel.argument_bytes, nullptr));
  // As the kernel saw them: with addresses of the data behind them.
  std::vector<std::byte> bytes(record->arguments.begin(), record->arguments.begin() + kernel.argument_bytes);
  const std::size_t pairs_at = (std::size_t{kernel.argument_bytes} + 7) / 8 * 8;
  for (uint32_t i = 0; i < kernel.placeholder_count; ++i) {
    Placeholder pair;
    std::memcpy(&pair, record->arguments.data() + pairs_at + i * sizeof pair, sizeof pair);
    const void* target = static_cast<const std::byte*>(arguments.address) + pair.data_offset;
    std::memcpy(bytes.data() + pair.address_offset, &target, sizeof target);
  }
  CopyRequest request;
  request.destination = arguments.address;
  request.source = bytes.data();
  request.bytes = bytes.size();
  if (const Status copied = CopyNow(request); !copied.ok()) {
    pool->Free(arguments.address).IgnoreError();
    return copied;
  }
  return copy_ = arguments;
}

void SetExceptionCallback(ExceptionCallback callback) { ExceptionCallbacks::Get().SetSingle(std::move(callback)); }
void AddExceptionCallback(const void* identity, ExceptionCallback callback) {
  ExceptionCallbacks::Get().Add(identity, std::move(callback));
}
void RemoveExceptionCallback(const void* identity) { ExceptionCallbacks::Get().Remove(identity); }

Status SetBinaryExceptionCallback(uint64_t handle, ExceptionCallback callback) {
  if (KernelBinary* binary = KernelBinaries().Find(handle)) {
    base::MutexLock lock(binary->mutex);
    if (binary->handle == handle) {
      ExceptionCallbacks::Get().SetOfBinary(handle, std::move(callback));
      return {};
    }
  }
  return Status(Code::kInvalidHandle, "the kernel binary handle is stale, of another kind, or never was one",
                "Use the handle that loading gave, until the binary is unloaded");
}

void RemoveBinaryExceptionCallback(uint64_t binary) { ExceptionCallbacks::Get().RemoveOfBinary(binary); }

void NotifyTaskFailure(const DeviceState& device, const Stream& stream, const sip::FaultReport& report) {
  ExceptionInfo info;
  uint64_t binary = 0;
  if (report.from_kernel) {
    KernelFunctions().ForEach([&](uint64_t handle, const KernelFunction& function) {
      if (function.device != device.id() || function.image != report.image || function.function != report.function)
        return;
      info.function = handle;
      binary = function.binary;
    });
  }
  const std::vector<ExceptionCallback> callbacks = ExceptionCallbacks::Get().For(binary);
  if (callbacks.empty()) return;
  info.record = stream.TaskAt(report.entry);
  info.task = report.task;
  info.stream = report.stream;
  info.thread = info.record ? SubmitterThread(info.record->submitter) : 0;
  info.device = static_cast<uint32_t>(device.id());
  info.code = static_cast<uint32_t>(report.code);
  info.context = stream.context().handle();
  info.pool = device.memory_pool();
  CallAll(callbacks, info);
}

void NotifyDeviceFailure() {
  ExceptionInfo info;
  CallAll(ExceptionCallbacks::Get().For(0), info);
}

}  // namespace forebay::runtime
