#include "forebay/runtime/state_callbacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/thread_state.h"

namespace forebay::runtime {
namespace {

template <typename Callback>
class NamedCallbacks {
 public:
  static NamedCallbacks& Get() {
    static base::NeverDestroyed<NamedCallbacks> instance;
    return *instance;
  }

  Status Register(const std::string& name, Callback callback) EXCLUDES(mutex_) {
    if (name.empty()) return Status(Code::kParamInvalid, "the name of a callback is empty", "Give it a name");
    base::MutexLock lock(mutex_);
    const auto found =
        std::find_if(callbacks_.begin(), callbacks_.end(), [&](const auto& c) { return c.first == name; });
    if (callback && found != callbacks_.end()) {
      return Status(Code::kParamInvalid, fmt::format("a callback is registered as \"{}\" already", name),
                    "Use a name of your own, or take the other back first by registering NULL");
    }
    if (!callback && found == callbacks_.end())
      return Status(Code::kParamInvalid, fmt::format("no callback is registered as \"{}\"", name));
    if (callback) {
      callbacks_.emplace_back(name, std::move(callback));
    } else {
      callbacks_.erase(found);
    }
    return {};
  }

  template <typename... Arguments>
  void Notify(uint64_t context, Arguments... arguments) EXCLUDES(mutex_) {
    std::vector<std::pair<std::string, Callback>> callbacks;
    {
      base::MutexLock lock(mutex_);
      callbacks = callbacks_;
    }
    for (const auto& [name, callback] : callbacks) {
      const NotificationScope scope(Notification::kStateChange, context);
      callback(arguments...);
    }
  }

 private:
  base::Mutex mutex_;
  std::vector<std::pair<std::string, Callback>> callbacks_ GUARDED_BY(mutex_);
};

}  // namespace

Status RegisterDeviceCallback(const std::string& name, DeviceCallback callback) {
  return NamedCallbacks<DeviceCallback>::Get().Register(name, std::move(callback));
}
Status RegisterStreamCallback(const std::string& name, StreamCallback callback) {
  return NamedCallbacks<StreamCallback>::Get().Register(name, std::move(callback));
}
Status RegisterTaskAbortCallback(const std::string& name, TaskAbortCallback callback) {
  return NamedCallbacks<TaskAbortCallback>::Get().Register(name, std::move(callback));
}
void NotifyTaskAbort(uint64_t context, int32_t device, TaskAbortStage stage, uint32_t limit_ms) {
  NamedCallbacks<TaskAbortCallback>::Get().Notify(context, device, stage, limit_ms);
}
void NotifyDeviceChange(uint64_t context, int32_t device, DeviceChange change) {
  NamedCallbacks<DeviceCallback>::Get().Notify(context, device, change);
}
void NotifyStreamChange(uint64_t context, uint64_t stream, StreamChange change) {
  NamedCallbacks<StreamCallback>::Get().Notify(context, stream, change);
}

}  // namespace forebay::runtime
