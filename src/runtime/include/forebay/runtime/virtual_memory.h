// Addresses and physical memory apart from each other: reserve addresses, take memory, map it there.
//
// All of it is of the process; it ends with the reset of the device whose memory it is, or that was current when the
// addresses were reserved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "forebay/runtime/allocation.h"
#include "forebay/status.h"

namespace forebay::runtime {

struct PhysicalProperties {
  int32_t device = 0;
  uint32_t attribute = 0;  // as the caller names the kind of pages; kept and given back
  uint64_t page_bytes = kNormalPage;
};

// Addresses that are used for memory of this process and others, of this one only, or for managed memory.
enum class AddressUse { kShared, kLocal, kManaged };

// A place that may be allowed to use mapped memory.
struct AccessPlace {
  bool host = false;
  int32_t device = 0;  // when it is not the host
};

// A handle. kMemoryAllocation when there is not enough, kParamInvalid when the device is off.
Result<uint64_t> TakePhysical(uint64_t bytes, const PhysicalProperties& properties);
// kInvalidHandle when it was given back as often as it was taken and retained. What is mapped lives on until then.
Status GivePhysical(uint64_t handle);
Result<PhysicalProperties> PropertiesOfPhysical(uint64_t handle);
// The handle of what is mapped at an address, with one more reference.
Result<uint64_t> RetainPhysicalAt(const void* address);
// Before it is mapped: over which of the links it is to be reached. There is one way to memory, so that nothing
// follows.
Status AdviseLink(uint64_t handle);

// `wanted` null: anywhere. kParamInvalid when that is outside of what is for this use, kMemoryAllocation when there is
// no room.
Result<void*> ReserveMapping(uint64_t bytes, void* wanted, AddressUse use);
Status ReleaseMapping(void* address);

// All of the memory at reserved addresses; usable by its own device, or by nobody yet.
Status MapPhysical(void* address, uint64_t bytes, uint64_t handle, bool usable);
// The memory behind `from`, which begins a mapping of that size, once more.
Status MapAgain(void* address, uint64_t bytes, const void* from);
Status UnmapPhysical(void* address);
Status GrantAccess(void* address, uint64_t bytes, std::span<const AccessPlace> places);
Result<bool> HasAccess(const void* address, const AccessPlace& place);

// Lets another device use allocated device memory where it is, until one of the two is reset.
Status MapForPeer(void* address, uint64_t bytes, int32_t peer);

}  // namespace forebay::runtime
