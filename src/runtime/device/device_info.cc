// What can be asked of a device without using it.
#include "forebay/runtime/device_info.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <fstream>

#include "device/visible_devices.h"
#include "forebay/base/clock.h"
#include "forebay/base/macros.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

// Devices lie on one bus number each, from here on.
constexpr int32_t kFirstBus = 0x80;

uint64_t Mix(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

// What tells this machine from others.
std::string MachineIdentity() {
  std::string identity;
  std::ifstream file("/etc/machine-id");
  if (file >> identity) return identity;
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

Cores HardwareCores() {
  const base::SocProfile& profile = CurrentProfile();
  const auto configured = static_cast<uint32_t>(CurrentConfiguration().ai_cores);
  if (configured == 0) return {profile.cube_cores, profile.vector_cores};
  // In the proportion of the part.
  const uint32_t most = std::max(profile.cube_cores, profile.vector_cores);
  const auto share = [&](uint32_t cores) { return std::max(1u, configured * cores / most); };
  return {share(profile.cube_cores), share(profile.vector_cores)};
}

Result<int32_t> PhysicalId(int32_t device) {
  RETURN_IF_ERROR(FindDevice(device).status());
  return FindVisibleDevices(CurrentConfiguration()).physical[static_cast<std::size_t>(device)];
}

Result<int32_t> DeviceWithPhysicalId(int32_t physical) {
  const VisibleDevices visible = FindVisibleDevices(CurrentConfiguration());
  const auto found = std::find(visible.physical.begin(), visible.physical.end(), physical);
  if (found == visible.physical.end()) {
    return Status(Code::kInvalidDeviceId,
                  fmt::format("the process sees no device with the physical number {}", physical),
                  fmt::format("It sees {}", visible.Describe()));
  }
  return static_cast<int32_t>(found - visible.physical.begin());
}

Result<uint64_t> MemoryBytes(int32_t device) {
  ASSIGN_OR_RETURN(const DeviceState* state, FindDevice(device));
  const auto sip = state->sip();
  return sip ? sip->memory_bytes() : sip::DeviceMemoryBytes(CurrentConfiguration(), CurrentProfile());
}

Result<std::array<char, 16>> Uuid(int32_t device) {
  ASSIGN_OR_RETURN(const int32_t physical, PhysicalId(device));
  const std::string seed = fmt::format("forebay/{}/{}", MachineIdentity(), physical);
  const uint64_t high = Mix(0xCBF29CE484222325, seed);
  const uint64_t low = Mix(high, seed);
  std::array<char, 16> uuid{};
  for (std::size_t i = 0; i < 8; ++i) {
    uuid[i] = static_cast<char>(high >> 8 * i);
    uuid[8 + i] = static_cast<char>(low >> 8 * i);
  }
  // Version 8, made by a rule of the maker's own.
  uuid[6] = static_cast<char>((uuid[6] & 0x0F) | 0x80);
  uuid[8] = static_cast<char>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

Result<std::string> PciBusId(int32_t device) {
  ASSIGN_OR_RETURN(const int32_t physical, PhysicalId(device));
  RETURN_IF_ERROR(RequireFeature(base::SocFeature::kPcie));
  return fmt::format("0000:{:02x}:00.0", kFirstBus + physical);
}

Result<int32_t> DeviceWithPciBusId(std::string_view text) {
  RETURN_IF_ERROR(RequireFeature(base::SocFeature::kPcie));
  std::string wanted(text);
  constexpr std::string_view kForm = "hhhh:hh:hh.h";
  bool well_formed = wanted.size() == kForm.size();
  for (std::size_t i = 0; well_formed && i < kForm.size(); ++i) {
    const auto c = static_cast<unsigned char>(wanted[i]);
    well_formed = kForm[i] == 'h' ? std::isxdigit(c) != 0 : wanted[i] == kForm[i];
    wanted[i] = static_cast<char>(std::tolower(c));
  }
  if (!well_formed) {
    return Status(Code::kParamInvalid, fmt::format("\"{}\" is no address on the PCI bus", text),
                  "Expected the form dddd:bb:dd.f, such as 0000:80:00.0");
  }
  for (int32_t device = 0; device < DeviceCount(); ++device) {
    ASSIGN_OR_RETURN(const std::string id, PciBusId(device));
    if (id == wanted) return device;
  }
  return Status(Code::kInvalidDeviceId, fmt::format("the process sees no device at {}", text),
                "aclrtDeviceGetPCIBusId gives the addresses of those it sees");
}

Result<DeviceLink> LinkBetween(int32_t device, int32_t other) {
  ASSIGN_OR_RETURN(const int32_t from, PhysicalId(device));
  ASSIGN_OR_RETURN(const int32_t to, PhysicalId(other));
  RETURN_IF_ERROR(RequireFeature(base::SocFeature::kPeerAccess));
  if (from == to) {
    return Status(Code::kParamInvalid, fmt::format("both devices are {}", device), "Ask about two different devices");
  }
  switch (CurrentProfile().generation->link) {
    case base::SocLink::kMesh: return DeviceLink::kDirect;
    case base::SocLink::kPairsOnSwitch: return from / 2 == to / 2 ? DeviceLink::kSameChip : DeviceLink::kSwitch;
    case base::SocLink::kSwitch: return DeviceLink::kSwitch;
    case base::SocLink::kPcieBridge: break;
  }
  return DeviceLink::kPcieBridge;
}

Result<int32_t> Utilization(int32_t device) {
  ASSIGN_OR_RETURN(DeviceState * state, FindDevice(device));
  return state->Utilization();
}

// ---- Peer access ----

Result<bool> CanAccessPeer(int32_t device, int32_t peer) {
  RETURN_IF_ERROR(FindDevice(device).status());
  RETURN_IF_ERROR(FindDevice(peer).status());
  if (device == peer) {
    return Status(Code::kInvalidParam, fmt::format("device {} is asked about itself", device),
                  "Ask about two different devices");
  }
  return CurrentProfile().Has(base::SocFeature::kPeerAccess);
}

Status EnablePeerAccess(int32_t peer) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  ASSIGN_OR_RETURN(const bool can, CanAccessPeer(context->device().id(), peer));
  if (!can) return RequireFeature(base::SocFeature::kPeerAccess);
  context->device().SetPeerAccess(peer, true);
  return {};
}

Status DisablePeerAccess(int32_t peer) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  RETURN_IF_ERROR(CanAccessPeer(context->device().id(), peer).status());
  if (!context->device().SetPeerAccess(peer, false)) {
    return Status(Code::kParamInvalid,
                  fmt::format("device {} has no access to device {}", context->device().id(), peer),
                  "Enable it first with aclrtDeviceEnablePeerAccess");
  }
  return {};
}

bool PeerAccessEnabled(int32_t device, int32_t peer) {
  const auto state = FindDevice(device);
  return state.ok() && FindDevice(peer).ok() && (*state)->HasPeerAccess(peer);
}

}  // namespace forebay::runtime
