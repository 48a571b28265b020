// Faults that the program asks for: where calls fail, and what arms the devices.
#include "forebay/fault_injection.h"

#include <fmt/format.h>

#include "exception/fault_injection.h"
#include "forebay/base/injection.h"
#include "forebay/base/macros.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

using base::InjectionPlace;
using base::InjectionRegistry;

void WatchCalls() {
  InjectionRegistry& registry = InjectionRegistry::Get();
  if (registry.Of(InjectionPlace::kCall).empty() && registry.Of(InjectionPlace::kMemory).empty()) {
    call_attention.fetch_and(~uint32_t{kInjectedFaults}, std::memory_order_relaxed);
  } else {
    call_attention.fetch_or(kInjectedFaults, std::memory_order_relaxed);
  }
}

}  // namespace

Status ArmDevices() {
  // The devices of a process that was forked off are its parent's.
  RETURN_IF_ERROR(CheckNotForked());
  Status first;
  const int32_t count = DeviceCount();
  for (int32_t id = 0; id < count; ++id) {
    const Result<DeviceState*> device = FindDevice(id);
    const std::shared_ptr<sip::Device> sip = device.ok() ? (*device)->sip() : nullptr;
    Status armed = sip ? sip->ArmInjections() : Status();
    if (first.ok()) first = std::move(armed);
  }
  return first;
}

void ConfigureFaults(const std::string& text) {
  // What cannot be read was refused when it was set.
  Result<std::vector<base::Injection>> injections = base::ParseInjections(text);
  if (!injections.ok()) return;
  InjectionRegistry::Get().Configure(*injections);
  WatchCalls();
}

Status FaultOfCall(const char* call) {
  for (const auto& armed : InjectionRegistry::Get().All()) {
    const base::Injection& wanted = armed->injection;
    if (wanted.call != call) continue;
    if (wanted.device >= 0 && wanted.device != CurrentThread().device) continue;
    if (!armed->Match()) continue;
    const Code code =
        wanted.kind == base::InjectionKind::kOom ? Code::kMemoryAllocation : static_cast<Code>(wanted.code);
    return Status(code, fmt::format("injected by {}", wanted.text), "Remove the injection when it is not wanted");
  }
  return {};
}

}  // namespace forebay::runtime

namespace forebay {

Status InjectFaults(std::string_view text) {
  RETURN_IF_ERROR(runtime::EnvironmentStatus());
  ASSIGN_OR_RETURN(const std::vector<base::Injection> injections, base::ParseInjections(text));
  const uint64_t first = base::InjectionRegistry::Get().Add(injections);
  runtime::WatchCalls();
  Status armed = runtime::ArmDevices();
  if (armed.ok()) return {};
  // All or nothing.
  base::InjectionRegistry::Get().Remove(first, injections.size());
  runtime::WatchCalls();
  runtime::ArmDevices().IgnoreError();
  return armed;
}

void RemoveFaults() {
  base::InjectionRegistry::Get().Clear();
  runtime::WatchCalls();
  runtime::ArmDevices().IgnoreError();
}

std::vector<InjectedFault> ListFaults() {
  runtime::ArmDevices().IgnoreError();  // which counts
  std::vector<InjectedFault> faults;
  for (const auto& armed : base::InjectionRegistry::Get().All()) {
    faults.push_back({armed->injection.text, armed->matched.load(std::memory_order_relaxed),
                      armed->happened.load(std::memory_order_relaxed)});
  }
  return faults;
}

}  // namespace forebay
