// aclInit, aclFinalize, and what is known of the system.
#include <set>
#include <string>

#include "configuration_file.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/kernel.h"
#include "guard.h"
#include "initialisation.h"

namespace forebay::acl {
namespace {

class Initialisation {
 public:
  static Initialisation& Get() {
    static base::NeverDestroyed<Initialisation> instance;
    return *instance;
  }

  Status Init(const char* path) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
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
    text_ = settings.text;
    count_ = 1;
    return {};
  }

  // With `all` whatever the count; `left` receives what remains.
  Status Finalize(bool all, uint64_t* left) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    RETURN_IF_ERROR(runtime::CheckNotInHostFunction("ends AscendCL"));
    if (left != nullptr) *left = 0;
    if (count_ == 0) return Status(Code::kRepeatFinalize, "nothing is initialised", "Finalise once for each aclInit");
    count_ = all ? 0 : count_ - 1;
    if (left != nullptr) *left = count_;
    if (count_ > 0) return {};
    runtime::ResetAllDevices();
    runtime::SetDefaultDevice(-1);
    runtime::ForgetExecuteTimeout();
    // The next start begins with what was there before this one's file.
    return runtime::UpdateConfiguration(before_);
  }

  bool is_initialised() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return count_ > 0;
  }

 private:
  base::Mutex mutex_;
  uint64_t count_ GUARDED_BY(mutex_) = 0;
  base::Configuration before_ GUARDED_BY(mutex_);
  std::string text_ GUARDED_BY(mutex_);
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
  const std::string name = runtime::CurrentConfiguration().soc;
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
