// aclInit, aclFinalize, and what is known of the system.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "configuration_file.h"
#include "forebay/base/log.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/kernel.h"
#include "forebay/runtime/leaks.h"
#include "forebay/runtime/memory_reports.h"
#include "guard.h"
#include "initialisation.h"

namespace forebay::acl {
namespace {

// A function that another library has registered for the start or the end.
template <typename Function>
struct Registered {
  aclRegisterCallbackType type;
  Function function;
  void* user_data;
};

template <typename Function>
using RegisteredList = std::vector<Registered<Function>>;

Status CheckRegistration(aclRegisterCallbackType type, bool has_function) {
  if (!has_function) return NullArgument("cbFunc");
  if ((type >= ACL_REG_TYPE_ACL_MODEL && type <= ACL_REG_TYPE_ACL_RETR) || type == ACL_REG_TYPE_OTHER) return {};
  return Status(Code::kInvalidParam, fmt::format("there is no type {} of callbacks", static_cast<int>(type)),
                "See aclRegisterCallbackType");
}

template <typename Function>
auto FindRegistered(RegisteredList<Function>& list, aclRegisterCallbackType type, Function function) {
  return std::find_if(list.begin(), list.end(),
                      [&](const auto& row) { return row.type == type && row.function == function; });
}

template <typename Function>
Status CheckIsNew(RegisteredList<Function>& list, aclRegisterCallbackType type, Function function) {
  if (FindRegistered(list, type, function) == list.end()) return {};
  return Status(Code::kInvalidParam,
                fmt::format("the callback of type {} is registered already", static_cast<int>(type)),
                "Register a function once");
}

template <typename Function>
Status TakeBack(RegisteredList<Function>& list, aclRegisterCallbackType type, Function function) {
  const auto found = FindRegistered(list, type, function);
  if (found == list.end()) {
    return Status(Code::kInvalidParam, fmt::format("no such callback of type {} is registered", static_cast<int>(type)),
                  "Pass the type and the function that were registered");
  }
  list.erase(found);
  return {};
}

// What the callback returns is what the call returns.
template <typename Call>
Status Run(aclRegisterCallbackType type, Call call) {
  const runtime::NotificationScope scope(runtime::Notification::kLifeCycle);
  const int code = call();
  if (code == 0) return {};
  return Status(static_cast<Code>(code),
                fmt::format("a callback of type {} failed with {}", static_cast<int>(type), code),
                "Ask the library that registered it");
}

// The lock below is held while callbacks run, and while devices end, which waits for host functions.
Status CheckOutsideCallbacks(const char* what) {
  RETURN_IF_ERROR(runtime::CheckNotNotified(runtime::Notification::kLifeCycle, what));
  return runtime::CheckNotInHostFunction(what);
}

class Initialisation {
 public:
  static Initialisation& Get() {
    static base::NeverDestroyed<Initialisation> instance;
    return *instance;
  }

  Status Init(const char* path) EXCLUDES(mutex_) {
    RETURN_IF_ERROR(CheckOutsideCallbacks("starts AscendCL"));
    base::MutexLock lock(mutex_);
    if (count_ == 0) base::ReadLogSettings();
    runtime::SetMemoryReportSink([](const std::string& text) { Warn("memory check", text); });
    ASSIGN_OR_RETURN(const InitSettings settings, ReadInitSettings(path));
    if (count_ > 0) {
      if (settings.text != text_ && path != nullptr) {
        return Status(Code::kInvalidParam, "aclInit was called before with another configuration",
                      "Pass the same file, or finalise first");
      }
      ++count_;
      return Status(Code::kRepeatInitialize, "aclInit was called before; the call is counted", "This can be ignored");
    }
    before_ = runtime::CurrentConfiguration();
    RETURN_IF_ERROR(runtime::UpdateConfiguration(settings.configuration));
    runtime::SetDefaultDevice(settings.default_device);
    SetMessagesPerProcess(settings.messages_per_process);
    file_ = settings.file;
    text_ = settings.text;
    count_ = 1;
    for (const auto& row : at_start_) {
      if (const Status started = RunAtStart(row); !started.ok()) {
        End();
        return started;
      }
    }
    for (const std::string& note : settings.notes) Warn("aclInit", note);
    return {};
  }

  // With `all` whatever the count; `left` receives what remains.
  Status Finalize(bool all, uint64_t* left) EXCLUDES(mutex_) {
    RETURN_IF_ERROR(CheckOutsideCallbacks("ends AscendCL"));
    base::MutexLock lock(mutex_);
    if (left != nullptr) *left = 0;
    if (count_ == 0) {
      return Status(Code::kRepeatFinalize, "nothing is initialised",
                    "Call it once, after aclInit; aclFinalizeReference is the one that is called for each aclInit");
    }
    const uint64_t remaining = all ? 0 : count_ - 1;
    if (left != nullptr) *left = remaining;
    if (remaining > 0) {
      count_ = remaining;
      return {};
    }
    // One that fails does not keep the others, and the devices, from ending.
    Status first;
    for (auto row = at_end_.rbegin(); row != at_end_.rend(); ++row) {
      const Status ended = Run(row->type, [&] { return row->function(row->user_data); });
      if (first.ok()) first = ended;
    }
    End();
    return first;
  }

  Status RegisterAtStart(const Registered<aclInitCallbackFunc>& row) EXCLUDES(mutex_) {
    RETURN_IF_ERROR(CheckOutsideCallbacks("registers a callback"));
    base::MutexLock lock(mutex_);
    RETURN_IF_ERROR(CheckIsNew(at_start_, row.type, row.function));
    if (count_ > 0) RETURN_IF_ERROR(RunAtStart(row));
    at_start_.push_back(row);
    return {};
  }
  Status RegisterAtEnd(const Registered<aclFinalizeCallbackFunc>& row) EXCLUDES(mutex_) {
    RETURN_IF_ERROR(CheckOutsideCallbacks("registers a callback"));
    base::MutexLock lock(mutex_);
    RETURN_IF_ERROR(CheckIsNew(at_end_, row.type, row.function));
    at_end_.push_back(row);
    return {};
  }
  Status TakeBackAtStart(aclRegisterCallbackType type, aclInitCallbackFunc function) EXCLUDES(mutex_) {
    RETURN_IF_ERROR(CheckOutsideCallbacks("takes a callback back"));
    base::MutexLock lock(mutex_);
    return TakeBack(at_start_, type, function);
  }
  Status TakeBackAtEnd(aclRegisterCallbackType type, aclFinalizeCallbackFunc function) EXCLUDES(mutex_) {
    RETURN_IF_ERROR(CheckOutsideCallbacks("takes a callback back"));
    base::MutexLock lock(mutex_);
    return TakeBack(at_end_, type, function);
  }

  // Without the lock, which is held while devices end and callbacks run.
  bool is_initialised() const noexcept { return count_.load(std::memory_order_acquire) > 0; }

 private:
  Status RunAtStart(const Registered<aclInitCallbackFunc>& row) REQUIRES(mutex_) {
    const std::string text = file_;
    return Run(row.type, [&] { return row.function(text.c_str(), text.size(), row.user_data); });
  }
  void End() REQUIRES(mutex_) {
    count_ = 0;
    if (base::IsLogged(base::LogModule::kAscendCl, base::LogLevel::kWarning)) {
      for (const std::string& leak : runtime::DescribeLeaks())
        base::Log(base::LogModule::kAscendCl, base::LogLevel::kWarning, leak);
    }
    runtime::ResetAllDevices();
    runtime::SetDefaultDevice(-1);
    runtime::ForgetExecuteTimeout();
    // The next start begins with what was there before this one's file.
    runtime::UpdateConfiguration(before_).IgnoreError();
  }

  base::Mutex mutex_;
  std::atomic<uint64_t> count_{0};  // changed under the lock
  base::Configuration before_ GUARDED_BY(mutex_);
  std::string file_ GUARDED_BY(mutex_);
  std::string text_ GUARDED_BY(mutex_);
  RegisteredList<aclInitCallbackFunc> at_start_ GUARDED_BY(mutex_);
  RegisteredList<aclFinalizeCallbackFunc> at_end_ GUARDED_BY(mutex_);
};

}  // namespace

bool IsInitialised() { return Initialisation::Get().is_initialised(); }

}  // namespace forebay::acl

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

aclError aclInit(const char* configPath) {
  return Guard("aclInit", [&] { return Initialisation::Get().Init(configPath); });
}

aclError aclFinalize(void) {
  return Guard("aclFinalize", [] { return Initialisation::Get().Finalize(/*all=*/true, nullptr); });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return Guard("aclFinalizeReference", [&] { return Initialisation::Get().Finalize(/*all=*/false, refCount); });
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData) {
  return Guard("aclInitCallbackRegister", [&]() -> Status {
    RETURN_IF_ERROR(CheckRegistration(type, cbFunc != nullptr));
    return Initialisation::Get().RegisterAtStart({type, cbFunc, userData});
  });
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
  return Guard("aclInitCallbackUnRegister", [&]() -> Status {
    RETURN_IF_ERROR(CheckRegistration(type, cbFunc != nullptr));
    return Initialisation::Get().TakeBackAtStart(type, cbFunc);
  });
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void* userData) {
  return Guard("aclFinalizeCallbackRegister", [&]() -> Status {
    RETURN_IF_ERROR(CheckRegistration(type, cbFunc != nullptr));
    return Initialisation::Get().RegisterAtEnd({type, cbFunc, userData});
  });
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc) {
  return Guard("aclFinalizeCallbackUnRegister", [&]() -> Status {
    RETURN_IF_ERROR(CheckRegistration(type, cbFunc != nullptr));
    return Initialisation::Get().TakeBackAtEnd(type, cbFunc);
  });
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return Guard("aclrtGetVersion", [&]() -> Status {
    if (majorVersion == nullptr || minorVersion == nullptr || patchVersion == nullptr)
      return NullArgument("version", Code::kParamInvalid);
    // The version of the interface that the headers describe.
    *majorVersion = 1;
    *minorVersion = 17;
    *patchVersion = 0;
    return {};
  });
}

const char* aclrtGetSocName(void) {
  // Texts that were given stay, whatever is configured later and also after main.
  struct Names {
    base::Mutex mutex;
    std::set<std::string> given GUARDED_BY(mutex);
  };
  static base::NeverDestroyed<Names> names;
  const std::string name(runtime::CurrentProfile().name);
  if (const Status status = runtime::EnvironmentStatus(); !status.ok()) {
    Fail("aclrtGetSocName", status);
    return nullptr;
  }
  base::MutexLock lock(names->mutex);
  return names->given.insert(name).first->c_str();
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return Guard("aclrtGetRunMode", [&]() -> Status {
    if (runMode == nullptr) return NullArgument("runMode");
    *runMode = ACL_HOST;
    return {};
  });
}
