#include "forebay/base/soc_profile.h"

#include <initializer_list>

namespace forebay::base {
namespace {

using enum SocFeature;

constexpr uint32_t Features(std::initializer_list<SocFeature> features) {
  uint32_t bits = 0;
  for (const SocFeature feature : features) bits |= 1u << static_cast<uint32_t>(feature);
  return bits;
}

// The documents give streams, events, notifies, stacks, padding, modes, time-outs and, where they name products, the
// features. CHOICE marks what they leave open.
//
// CHOICE, for all: capturing, updating tasks and events of several processes on 950, A3 and A2 only. Links: the mesh of
// A2 and 910 servers, dies in pairs on A3, a switch on 950, the bus elsewhere. A super pod only on A3 and 950.

constexpr SocGeneration k950 = {
    .name = "950",
    .npu_arch = 3510,
    .streams = 1984,
    .events = 65536,
    .notifies = 65535,
    .largest_stack_kib = 128,
    .malloc_padding_bytes = 0,
    .saturation_mode = false,
    .inf_nan_mode = true,
    .core_timeout_ms = 1'091'000,
    .cpu_timeout_ms = 28'000,  // CHOICE: as 310P and 910
    .link = SocLink::kSwitch,
    .features =
        Features({kDefaultStreamFailureMode, kStreamPriorityAttribute, kGraphCapture, kTaskUpdate, kIpcEvent,
                  kCopy2dOnDevice, kSimt, kStackLimit, kPrintLimit, kPeerAccess, kPcie, kSuperPod, kConnectionInfo}),
};

constexpr SocGeneration kA3 = {
    .name = "A3",
    .npu_arch = 2201,
    .streams = 1984,
    .events = 65536,
    .notifies = 8192,
    .largest_stack_kib = 192,
    .malloc_padding_bytes = 32,
    .saturation_mode = true,
    .inf_nan_mode = true,
    .core_timeout_ms = 1'091'000,
    .cpu_timeout_ms = 28'000,  // CHOICE: as 310P and 910
    .link = SocLink::kPairsOnSwitch,
    .features = Features({kDefaultStreamFailureMode, kStreamPriorityAttribute, kGraphCapture, kTaskUpdate, kIpcEvent,
                          kCopy2dOnDevice, kHostAddressOption, kFabricHandle, kStackLimit, kPrintLimit, kPeerAccess,
                          kPcie, kSuperPod}),
};

constexpr SocGeneration kA2 = {
    .name = "A2",
    .npu_arch = 2201,
    .streams = 1984,
    .events = 65536,
    .notifies = 8192,
    .largest_stack_kib = 192,
    .malloc_padding_bytes = 32,
    .saturation_mode = true,
    .inf_nan_mode = true,
    .core_timeout_ms = 1'091'000,
    .cpu_timeout_ms = 28'000,  // CHOICE: as 310P and 910
    .link = SocLink::kMesh,
    .features = Features({kDefaultStreamFailureMode, kStreamPriorityAttribute, kGraphCapture, kTaskUpdate, kIpcEvent,
                          kCopy2dOnDevice, kHostAddressOption, kStackLimit, kPrintLimit, kPeerAccess, kPcie}),
};

constexpr SocGeneration k910 = {
    .name = "910",
    .npu_arch = 1001,
    .streams = 2048,
    .events = 65535,
    .notifies = 1024,
    .largest_stack_kib = 192,  // CHOICE: as A2
    .malloc_padding_bytes = 32,
    .saturation_mode = true,
    .inf_nan_mode = false,
    .core_timeout_ms = 68'000,
    .cpu_timeout_ms = 28'000,
    .link = SocLink::kMesh,
    .features = Features({kPeerAccess, kPcie}),
};

constexpr SocGeneration k310p = {
    .name = "310P",
    .npu_arch = 2002,
    .streams = 1024,
    .events = 1023,
    .notifies = 1024,
    .largest_stack_kib = 192,  // CHOICE: as A2
    .malloc_padding_bytes = 32,
    .saturation_mode = true,
    .inf_nan_mode = false,
    .core_timeout_ms = 547'000,
    .cpu_timeout_ms = 28'000,
    .link = SocLink::kPcieBridge,
    .features = Features({kEngineType, kCoreGroups, kPeerAccess, kPcie}),
};

constexpr SocGeneration k200i = {
    .name = "200I",
    .npu_arch = 3002,
    .streams = 512,
    .events = 65536,
    .notifies = 2048,
    .largest_stack_kib = 7680,
    .malloc_padding_bytes = 32,
    .saturation_mode = true,
    .inf_nan_mode = false,
    .core_timeout_ms = 547'000,  // CHOICE: as 310P
    .cpu_timeout_ms = 28'000,    // CHOICE: as 310P
    .link = SocLink::kPcieBridge,
    // CHOICE: a single device on a board of its own, so no other device and no bus.
    .features = Features({kStackLimit}),
};

// CHOICE: no document of the runtime gives cores, memory and caches by name. These are the figures that the products
// are generally known with; for 950, 310B and the processors of the devices they are estimates.
constexpr SocProfile kProfiles[] = {
    //  name           generation  cube  vector  cpu  GiB  L2 MiB
    {"Ascend910A", &k910, 32, 32, 14, 32, 32},        {"Ascend910B1", &kA2, 24, 48, 6, 64, 192},
    {"Ascend910B2", &kA2, 24, 48, 6, 64, 192},        {"Ascend910B2C", &kA2, 24, 48, 6, 64, 192},
    {"Ascend910B3", &kA2, 20, 40, 6, 64, 192},        {"Ascend910B4", &kA2, 20, 40, 6, 32, 96},
    {"Ascend910B4-1", &kA2, 20, 40, 6, 64, 96},       {"Ascend910_9391", &kA3, 24, 48, 6, 64, 192},
    {"Ascend910_9392", &kA3, 24, 48, 6, 64, 192},     {"Ascend910_9381", &kA3, 24, 48, 6, 64, 192},
    {"Ascend910_9382", &kA3, 24, 48, 6, 64, 192},     {"Ascend910_9372", &kA3, 20, 40, 6, 64, 192},
    {"Ascend910_9362", &kA3, 20, 40, 6, 64, 192},     {"Ascend310P1", &k310p, 10, 8, 7, 24, 16},
    {"Ascend310P2", &k310p, 8, 8, 7, 24, 16},         {"Ascend310P3", &k310p, 8, 8, 7, 24, 16},
    {"Ascend310P4", &k310p, 8, 8, 7, 24, 16},         {"Ascend310B1", &k200i, 1, 1, 4, 12, 4},
    {"Ascend310B2", &k200i, 1, 1, 4, 12, 4},          {"Ascend310B3", &k200i, 1, 1, 4, 12, 4},
    {"Ascend310B4", &k200i, 1, 1, 4, 12, 4},          {"Ascend950PR_9599", &k950, 32, 64, 6, 112, 128},
    {"Ascend950DT_9582", &k950, 32, 64, 6, 144, 128},
};

constexpr std::string_view kFeatureNames[] = {
    "failure mode for the default stream",
    "priority attribute of a stream",
    "capture of streams into a graph",
    "update of captured tasks",
    "events between processes",
    "two-dimensional copies within device memory",
    "pinned memory that keeps its address",
    "memory handles for other servers",
    "choice of the engine of a launch",
    "groups of cores",
    "kernels of many threads",
    "limit for the stack of a kernel",
    "limit for what kernels print",
    "access to the memory of other devices",
    "address on the PCI bus",
    "place in a super pod",
    "report on how it is attached",
};
static_assert(std::size(kFeatureNames) == static_cast<std::size_t>(SocFeature::kCount));

template <typename Wanted>
std::string Join(Wanted wanted) {
  std::string names;
  for (const SocProfile& profile : kProfiles) {
    if (!wanted(profile)) continue;
    if (!names.empty()) names += ", ";
    names += profile.name;
  }
  return names;
}

}  // namespace

std::string_view NameOf(SocFeature feature) noexcept { return kFeatureNames[static_cast<uint32_t>(feature)]; }

std::span<const SocProfile> SocProfiles() noexcept { return kProfiles; }

const SocProfile* FindSocProfile(std::string_view name) noexcept {
  for (const SocProfile& profile : kProfiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

std::string SocNames() {
  return Join([](const SocProfile&) { return true; });
}

std::string SocNamesWith(SocFeature feature) {
  return Join([feature](const SocProfile& profile) { return profile.Has(feature); });
}

}  // namespace forebay::base
