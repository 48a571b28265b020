#include "forebay/runtime/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "callback/host_function_threads.h"
#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/state_callbacks.h"
#include "forebay/runtime/stream.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

std::atomic<int32_t> default_device{-1};

// The contexts that ended last with their device: setting one of them has an answer of its own.
class EndedContexts {
 public:
  static EndedContexts& Get() {
    static base::NeverDestroyed<EndedContexts> instance;
    return *instance;
  }
  void Add(uint64_t handle) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    handles_.push_back(handle);
    if (handles_.size() > kMost) handles_.pop_front();
  }
  bool Contains(uint64_t handle) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return std::find(handles_.begin(), handles_.end(), handle) != handles_.end();
  }

 private:
  static constexpr std::size_t kMost = 256;
  base::Mutex mutex_;
  std::deque<uint64_t> handles_ GUARDED_BY(mutex_);
};

}  // namespace

ContextTable& Contexts() {
  // Never destroyed: threads that end after main may still ask for their context.
  static base::NeverDestroyed<ContextTable> table(4096u);
  return *table;
}

void Context::RecordFailure(const Status& failure) {
  base::MutexLock lock(mutex_);
  if (failure_.ok()) failure_ = failure;
}

Status Context::failure() const {
  base::MutexLock lock(mutex_);
  return failure_;
}

void Context::SetOption(std::size_t option, int64_t value) {
  base::MutexLock lock(mutex_);
  options_[option] = value;
}

std::optional<int64_t> Context::option(std::size_t option) const {
  base::MutexLock lock(mutex_);
  return options_[option];
}

HostFunctionThreads& Context::host_functions() {
  base::MutexLock lock(mutex_);
  if (!host_functions_) host_functions_ = std::make_unique<HostFunctionThreads>();
  return *host_functions_;
}

bool Context::AddStream(uint64_t stream) {
  base::MutexLock lock(mutex_);
  if (closing_) return false;
  streams_.insert(stream);
  return true;
}

void Context::RemoveStream(uint64_t stream) {
  base::MutexLock lock(mutex_);
  streams_.erase(stream);
}

std::vector<uint64_t> Context::streams() const {
  base::MutexLock lock(mutex_);
  return {streams_.begin(), streams_.end()};
}

Result<uint64_t> Context::Create(DeviceState& device, bool is_default) {
  const ContextTable::Entry entry = Contexts().Allocate();
  if (entry.object == nullptr) {
    return Status(Code::kResourceAllocFail, "no further context can be made: 4096 exist",
                  "Destroy contexts that are no longer used");
  }
  Context& context = *entry.object;
  context.device_.store(&device, std::memory_order_release);
  context.is_default_.store(is_default, std::memory_order_release);
  context.stops_on_failure_.store(false, std::memory_order_relaxed);
  {
    base::MutexLock lock(context.mutex_);
    context.failure_ = Status();
    context.streams_.clear();
    context.closing_ = false;
    context.options_ = {};
  }
  context.handle_.store(entry.handle, std::memory_order_release);
  auto stream = Stream::Create(context, {.is_default = true});
  if (!stream.ok()) {
    Contexts().Release(entry.handle);
    return stream.status();
  }
  context.default_stream_.store(*stream, std::memory_order_release);
  device.AddContext(entry.handle);
  Contexts().Publish(entry.handle);
  // A reset at the same time may have looked for contexts before this one could be found.
  if (device.sip() == nullptr) {
    Destroy(entry.handle, /*force=*/true).IgnoreError();
    return Status(Code::kContextNull, "the device was reset while a context was made on it", "Set the device again");
  }
  NotifyStreamChange(entry.handle, *stream, StreamChange::kCreated);
  return entry.handle;
}

Status Context::Destroy(uint64_t handle, bool force) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "destroys a context"));
  Context* context = Contexts().Find(handle);
  const Stream* callback_stream = CurrentThread().callback_stream;
  if (context != nullptr && callback_stream != nullptr && &callback_stream->context() == context) {
    return Status(Code::kParamInvalid, "a host function destroys the context of its own stream, which would never end",
                  "Do not call the runtime from a host function");
  }
  uint64_t expected = handle;
  // Of several threads that destroy the same context one goes on.
  if (context == nullptr || !context->handle_.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) {
    return Status(Code::kInvalidHandle, "the context handle is stale or never was one", "Destroy a context once");
  }
  {
    base::MutexLock lock(context->mutex_);
    context->closing_ = true;  // a stream that is being made in another thread is not added any more
  }
  for (const uint64_t stream : context->streams()) NotifyStreamChange(handle, stream, StreamChange::kDestroying);
  Contexts().Retire(handle);
  context->device().RemoveContext(handle);
  for (const uint64_t stream : context->streams()) Stream::Destroy(stream, force, /*internal=*/true).IgnoreError();
  std::unique_ptr<HostFunctionThreads> threads;
  {
    base::MutexLock lock(context->mutex_);
    threads = std::move(context->host_functions_);
  }
  threads.reset();
  context->default_stream_.store(0, std::memory_order_release);
  Contexts().Release(handle);
  return {};
}

Status Context::EndWithDevice(uint64_t handle, bool force) {
  EndedContexts::Get().Add(handle);
  return Destroy(handle, force);
}

void SetDefaultDevice(int32_t device) noexcept { default_device.store(device, std::memory_order_release); }

Result<Context*> CurrentContext() {
  RETURN_IF_ERROR(CheckNotForked());
  ThreadState& thread = CurrentThread();
  if (thread.explicit_context != 0) {
    if (Context* context = Contexts().Find(thread.explicit_context)) [[likely]]
      return context;
    // Destroyed by another thread: this one lets go of it.
    thread.explicit_context = 0;
    thread.device = -1;
    thread.default_context = 0;
    return Status(Code::kContextNull, "the calling thread's context was destroyed",
                  "Call aclrtSetDevice or aclrtSetCurrentContext");
  }
  if (Context* context = Contexts().Find(thread.default_context)) [[likely]]
    return context;
  if (thread.device >= 0) {
    // The device may have been reset and set again since.
    if (const auto device = FindDevice(thread.device); device.ok())
      thread.default_context = (*device)->default_context();
    if (Context* context = Contexts().Find(thread.default_context)) return context;
  }
  // Without a device, or after the reset of the one it had.
  if (const int32_t device = default_device.load(std::memory_order_acquire); device >= 0) {
    RETURN_IF_ERROR(SetDevice(device));
    if (Context* context = Contexts().Find(thread.default_context)) return context;
  }
  return Status(Code::kContextNull, "the calling thread has no device",
                "Call aclrtSetDevice, or SetDevice, in this thread first");
}

Status SetCurrentContext(uint64_t handle) {
  Context* context = Contexts().Find(handle);
  if (context == nullptr) {
    if (EndedContexts::Get().Contains(handle)) {
      return Status(Code::kContextNull, "the device of the context was reset",
                    "Set the device again, and create contexts anew");
    }
    return Status(Code::kInvalidHandle, "the context was destroyed, or the handle never was a context",
                  "Create a context with aclrtCreateContext");
  }
  ThreadState& thread = CurrentThread();
  thread.explicit_context = handle;
  thread.device = context->device().id();
  thread.default_context = context->device().default_context();
  return {};
}

}  // namespace forebay::runtime
