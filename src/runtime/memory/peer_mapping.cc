// Allocated memory of one device that another device uses where it is.
#include <fmt/format.h>
#include <unistd.h>

#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/device_info.h"
#include "forebay/runtime/device_state.h"
#include "memory/virtual_memory.h"

namespace forebay::runtime {
namespace {

struct PeerRange {
  std::shared_ptr<sip::Device> owner;
  std::shared_ptr<sip::Device> user;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t file = 0;
};
struct PeerRanges {
  base::Mutex mutex;
  std::vector<PeerRange> ranges GUARDED_BY(mutex);
  static PeerRanges& Get() {
    static base::NeverDestroyed<PeerRanges> ranges;
    return *ranges;
  }
};

}  // namespace

Status MapForPeer(void* address, uint64_t bytes, int32_t peer) {
  ASSIGN_OR_RETURN(const DeviceState* user, FindDevice(peer));
  const auto begin = reinterpret_cast<uint64_t>(address) / kNormalPage * kNormalPage;
  const DeviceState* owner = DeviceOfAddress(address);
  const std::shared_ptr<sip::Device> memory = owner != nullptr ? owner->sip() : nullptr;
  if (!memory || bytes > memory->memory_bytes() || !IsDeviceMemory(address, bytes)) {
    return Status(Code::kParamInvalid, fmt::format("the {} bytes at {} are no allocated device memory", bytes, address),
                  "Check the address and the size");
  }
  if (owner == user) return {};
  const std::shared_ptr<sip::Device> device = user->sip();
  if (!device || (!PeerAccessEnabled(peer, owner->id()) && !PeerAccessEnabled(owner->id(), peer))) {
    return Status(Code::kParamInvalid, fmt::format("device {} has no access to memory of device {}", peer, owner->id()),
                  "Set both devices, and call aclrtDeviceEnablePeerAccess first");
  }
  // Devices inside of the application have the same addresses, and see each other's memory as it is.
  if (device->process_id() == getpid()) return {};
  PeerRange range{memory, device, begin, 0, 0};
  range.bytes = (reinterpret_cast<uint64_t>(address) + bytes - begin + kNormalPage - 1) / kNormalPage * kNormalPage;
  const std::vector<sip::Extent> extents = memory->ExtentsAt(begin, range.bytes);
  if (extents.empty()) {
    return Status(Code::kParamInvalid, fmt::format("the {} bytes at {} are memory of another process", bytes, address),
                  "Only the device that it was imported for can use it");
  }
  ASSIGN_OR_RETURN(range.file, device->OpenFile(memory->memory_file()));
  if (Status mapped = device->MapExtents(begin, extents, range.file); !mapped.ok()) {
    device->CloseFile(range.file);
    return mapped;
  }
  PeerRanges& all = PeerRanges::Get();
  base::MutexLock lock(all.mutex);
  all.ranges.push_back(std::move(range));
  return {};
}

void EndPeerMappingsOf(const std::shared_ptr<sip::Device>& sip) {
  PeerRanges& all = PeerRanges::Get();
  base::MutexLock lock(all.mutex);
  std::erase_if(all.ranges, [&](const PeerRange& range) {
    if (range.owner != sip && range.user != sip) return false;
    range.user->UnmapExtents(range.address, range.bytes);
    range.user->CloseFile(range.file);
    return true;
  });
}

}  // namespace forebay::runtime
