// The parts that a device can stand for: what their documentation promises and refuses. soc_profile.cc has the tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace forebay::base {

// What some generations have and others refuse.
enum class SocFeature : uint32_t {
  kDefaultStreamFailureMode,  // a failure mode for the default stream
  kStreamPriorityAttribute,   // the priority as an attribute of an existing stream
  kGraphCapture,              // capturing streams into a graph
  kTaskUpdate,                // updating the tasks of a captured graph
  kIpcEvent,                  // events of several processes
  kCopy2dOnDevice,            // two-dimensional copies within device memory
  kHostAddressOption,         // pinned memory that keeps its address when it is registered
  kFabricHandle,              // memory handles that other servers can import
  kEngineType,                // choosing the engine of a launch
  kCoreGroups,                // groups of cores
  kSimt,                      // kernels of many threads
  kStackLimit,                // a configurable stack of a kernel
  kPrintLimit,                // a configurable buffer for what kernels print
  kPeerAccess,                // reaching the memory of another device
  kPcie,                      // an address on the PCI bus
  kSuperPod,                  // a place in a super pod
  kConnectionInfo,            // asking how the device is attached, and its form
  kCount
};
// In words, for "the part X has no ...".
std::string_view NameOf(SocFeature feature) noexcept;

// How two devices of one server reach each other.
enum class SocLink : uint32_t { kMesh, kPairsOnSwitch, kSwitch, kPcieBridge };

// What all parts of one generation share.
struct SocGeneration {
  std::string_view name;
  uint32_t npu_arch;
  // Of one device, over all processes.
  uint32_t streams;
  uint32_t events;
  uint32_t notifies;
  uint32_t largest_stack_kib;
  // What aclrtMalloc adds to a size that it has rounded up to 32.
  uint32_t malloc_padding_bytes;
  bool saturation_mode;
  bool inf_nan_mode;
  // How long a kernel may run, on the cores and on the device's own processors.
  uint32_t core_timeout_ms;
  uint32_t cpu_timeout_ms;
  SocLink link;
  uint32_t features;  // a bit for each SocFeature

  bool Has(SocFeature feature) const noexcept { return (features >> static_cast<uint32_t>(feature) & 1) != 0; }
};

struct SocProfile {
  std::string_view name;  // as aclrtGetSocName gives it
  const SocGeneration* generation;
  uint32_t cube_cores;
  uint32_t vector_cores;
  uint32_t cpu_cores;
  uint32_t memory_gib;
  uint32_t l2_mib;

  bool Has(SocFeature feature) const noexcept { return generation->Has(feature); }
};

std::span<const SocProfile> SocProfiles() noexcept;
// Null for a part that is not in the table.
const SocProfile* FindSocProfile(std::string_view name) noexcept;
// "A, B, C": the names of all parts, or of those that have the feature.
std::string SocNames();
std::string SocNamesWith(SocFeature feature);

}  // namespace forebay::base
