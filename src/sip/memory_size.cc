// How much memory a device has. A file of its own, so that a tool that only asks links no device.
#include <unistd.h>

#include <algorithm>

#include "forebay/sip/device.h"

namespace forebay::sip {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGranularity = 2 * kMiB;

}  // namespace

uint64_t FreeMemoryBytes() noexcept {
  const auto pages = static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES));
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t DeviceMemoryBytes(const base::Configuration& configuration, const base::SocProfile& profile) noexcept {
  const uint64_t share = FreeMemoryBytes() / 2 / static_cast<uint64_t>(configuration.devices);
  uint64_t bytes = static_cast<uint64_t>(configuration.device_memory) * kMiB;
  if (bytes == 0) bytes = std::clamp(share, 64 * kMiB, uint64_t{profile.memory_gib} * 1024 * kMiB);
  return (bytes + kGranularity - 1) / kGranularity * kGranularity;
}

}  // namespace forebay::sip
