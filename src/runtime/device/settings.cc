// The parameters of the process, and what follows from them.
#include <fmt/format.h>

#include "device/visible_devices.h"
#include "diagnosis/dump_signal.h"
#include "diagnosis/submit_sites.h"
#include "exception/fault_injection.h"
#include "forebay/base/macros.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/soc_profile.h"
#include "forebay/runtime.h"
#include "forebay/runtime/device_state.h"

namespace forebay::runtime {
namespace {

// The parameters, read from the environment when first needed.
class ConfigurationStore {
 public:
  static ConfigurationStore& Get() {
    static base::NeverDestroyed<ConfigurationStore> store;
    return *store;
  }
  base::Configuration Read() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return configuration_;
  }
  Status environment_status() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return environment_status_;
  }
  void Write(const base::Configuration& configuration) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (configuration.visible_devices != configuration_.visible_devices ||
        configuration.devices != configuration_.devices)
      WarnWhenCut(configuration);
    const bool injects_other = configuration.inject != configuration_.inject;
    configuration_ = configuration;
    PublishLaunchSettings(configuration);
    if (injects_other) ConfigureFaults(configuration.inject);
  }

  ConfigurationStore() {
    environment_status_ = configuration_.ApplyEnvironment();
    WarnWhenCut(configuration_);
    PublishLaunchSettings(configuration_);
    if (!configuration_.inject.empty()) ConfigureFaults(configuration_.inject);
  }

 private:
  static void PublishLaunchSettings(const base::Configuration& configuration) {
    LaunchSettings().device_count.store(runtime::DeviceCount(configuration), std::memory_order_relaxed);
    LaunchSettings().blocking.store(configuration.launch_blocking != 0, std::memory_order_relaxed);
    // Only known parts get into a configuration.
    const base::SocProfile* profile = base::FindSocProfile(configuration.soc);
    LaunchSettings().profile.store(profile, std::memory_order_relaxed);
    const int64_t timeout_ms =
        configuration.execute_timeout >= 0 ? configuration.execute_timeout : profile->generation->core_timeout_ms;
    LaunchSettings().execute_timeout_us.store(timeout_ms * 1000, std::memory_order_relaxed);
    LaunchSettings().submit_timeout_ms.store(configuration.submit_timeout, std::memory_order_relaxed);
    LaunchSettings().submit_warning_ms.store(configuration.submit_warning, std::memory_order_relaxed);
    ConfigureSubmitSites(configuration.submit_sites);
    ConfigureDumpSignal(static_cast<int>(configuration.dump_signal));
    LaunchSettings().timeout_interval_us.store(static_cast<uint64_t>(configuration.timeout_interval),
                                               std::memory_order_relaxed);
  }

  base::Mutex mutex_;
  base::Configuration configuration_ GUARDED_BY(mutex_);
  Status environment_status_ GUARDED_BY(mutex_);
};

}  // namespace

LaunchParameters& LaunchSettings() noexcept {
  static LaunchParameters settings;
  return settings;
}

base::Configuration CurrentConfiguration() { return ConfigurationStore::Get().Read(); }

Status EnvironmentStatus() { return ConfigurationStore::Get().environment_status(); }

Status UpdateConfiguration(const base::Configuration& configuration) {
  ConfigurationStore::Get().Write(configuration);
  return ArmDevices();
}

int32_t DeviceCount(const base::Configuration& configuration) {
  return static_cast<int32_t>(FindVisibleDevices(configuration).physical.size());
}

const base::SocProfile& CurrentProfile() {
  ConfigurationStore::Get();
  return *LaunchSettings().profile.load(std::memory_order_relaxed);
}

Status RequireFeature(base::SocFeature feature) {
  const base::SocProfile& profile = CurrentProfile();
  if (profile.Has(feature)) return {};
  return Status(Code::kFeatureNotSupport, fmt::format("{} has no {}", profile.name, base::NameOf(feature)),
                fmt::format("With FOREBAY_SOC choose a part that has it: {}", base::SocNamesWith(feature)));
}

int32_t DeviceCount() {
  ConfigurationStore::Get();
  return LaunchSettings().device_count.load(std::memory_order_relaxed);
}

}  // namespace forebay::runtime

namespace forebay {

Status Runtime::Configure(std::string_view name, std::string_view value) {
  base::Configuration configuration = runtime::CurrentConfiguration();
  RETURN_IF_ERROR(configuration.Set(name, value, "Runtime::Configure"));
  return runtime::UpdateConfiguration(configuration);
}

}  // namespace forebay
