#include "memory/virtual_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "forebay/base/handle_table.h"
#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "memory/memory_sharing.h"
#include "memory/pool_registry.h"

namespace forebay::runtime {
namespace {

// How often the system may say that something is in the way of a reservation.
constexpr uint64_t kMostRefusals = 100;

uint64_t WholePages(uint64_t bytes, uint64_t page = kNormalPage) noexcept { return (bytes + page - 1) / page * page; }

Status BadMapping(const void* address, std::string_view why, std::string advice) {
  return Status(Code::kParamInvalid, fmt::format("the address {} {}", address, why), std::move(advice));
}
Status NothingMapped(const void* address) {
  return BadMapping(address, "begins no mapping", "Pass the address that the memory was mapped at, once");
}

// Two devices in one process share its addresses: what one maps the other has.
bool SharesAddresses(const sip::Device& device) noexcept { return device.process_id() == getpid(); }

Result<std::shared_ptr<sip::Device>> DeviceThatIsOn(int32_t id) {
  ASSIGN_OR_RETURN(const DeviceState* device, FindDevice(id));
  std::shared_ptr<sip::Device> sip = device->sip();
  if (!sip) return Status(Code::kParamInvalid, fmt::format("device {} is off", id), "Set that device first");
  return sip;
}

// The number under which a device knows the file that the memory is in.
Result<uint32_t> FileOn(sip::Device& device, const Physical& physical) {
  if (physical.imported()) return device.OpenFile(physical.file.get());
  return &device == physical.sip.get() ? Result<uint32_t>(0u) : device.OpenFile(physical.sip->memory_file());
}

Status GrantTo(int32_t id, const std::shared_ptr<sip::Device>& device, uint64_t address, const Physical& physical,
               MappedRange& range) {
  for (const Grant& grant : range.grants) {
    if (grant.device == id) return {};
  }
  Grant grant{id, device, 0};
  ASSIGN_OR_RETURN(grant.file, FileOn(*device, physical));
  if (Status mapped = device->MapExtents(address, physical.extents, grant.file); !mapped.ok()) {
    if (grant.file != 0) device->CloseFile(grant.file);
    return mapped;
  }
  range.grants.push_back(std::move(grant));
  return {};
}

void WithdrawAll(uint64_t address, MappedRange& range) {
  for (const Grant& grant : range.grants) {
    grant.sip->UnmapExtents(address, range.bytes);
    if (grant.file != 0) grant.sip->CloseFile(grant.file);
  }
  range.grants.clear();
  if (!range.host) return;
  mmap(reinterpret_cast<void*>(address), range.bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace

VirtualMemory& VirtualMemory::Get() {
  static base::NeverDestroyed<VirtualMemory> memory;
  return *memory;
}

Physical* VirtualMemory::Find(uint64_t handle) {
  const auto found = physicals.find(handle);
  return found == physicals.end() || found->second.references == 0 ? nullptr : &found->second;
}

Result<Physical*> VirtualMemory::Need(uint64_t handle) {
  if (Physical* physical = Find(handle)) return physical;
  return Status(Code::kInvalidHandle, fmt::format("{:#x} is the handle of no physical memory", handle),
                "It may have been given back, or its device was reset");
}

uint64_t VirtualMemory::Add(Physical physical) {
  const uint64_t handle = uint64_t{static_cast<uint8_t>(base::HandleKind::kPhysicalMemory)} << 56 | ++serial;
  physicals.emplace(handle, std::move(physical));
  return handle;
}

void VirtualMemory::DropUnused(uint64_t handle, bool device_ends) {
  const auto found = physicals.find(handle);
  if (found == physicals.end() || found->second.references != 0 || found->second.mappings != 0) return;
  Physical physical = std::move(found->second);
  physicals.erase(found);
  EndSharingOf(std::move(physical), device_ends);
}

std::pair<const uint64_t, Reservation>* VirtualMemory::ReservationOf(uint64_t address) {
  auto found = reservations.upper_bound(address);
  if (found == reservations.begin()) return nullptr;
  --found;
  return address - found->first < found->second.bytes ? &*found : nullptr;
}

std::pair<const uint64_t, MappedRange>* VirtualMemory::RangeOf(uint64_t address) {
  auto* reservation = ReservationOf(address);
  if (reservation == nullptr) return nullptr;
  auto found = reservation->second.ranges.upper_bound(address);
  if (found == reservation->second.ranges.begin()) return nullptr;
  --found;
  return address - found->first < found->second.bytes ? &*found : nullptr;
}

void VirtualMemory::Unmap(std::pair<const uint64_t, Reservation>& reservation, uint64_t address, bool device_ends) {
  const auto found = reservation.second.ranges.find(address);
  WithdrawAll(address, found->second);
  const uint64_t handle = found->second.handle;
  reservation.second.ranges.erase(found);
  if (reservation.second.ranges.empty()) {
    reservation.second.owner->DisownCommon(reservation.first);
    reservation.second.owner.reset();
  }
  --physicals.at(handle).mappings;
  DropUnused(handle, device_ends);
}

Result<uint64_t> TakePhysical(uint64_t bytes, const PhysicalProperties& properties) {
  Physical physical;
  physical.bytes = bytes;
  physical.properties = properties;
  ASSIGN_OR_RETURN(physical.sip, DeviceThatIsOn(properties.device));
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  GiveBackWhatOthersLeft();
  if (bytes > physical.sip->memory_bytes()) {
    return Status(Code::kMemoryAllocation,
                  fmt::format("{} bytes of physical memory were asked of device {}, which has {}", bytes,
                              properties.device, physical.sip->memory_bytes()),
                  "Ask for less, or give the device more with device_memory");
  }
  auto extents = physical.sip->TakePhysical(WholePages(bytes, properties.page_bytes));
  if (!extents.ok() && extents.status().code() == Code::kMemoryAllocation) {
    // What pools keep and nobody uses is free.
    if (const auto device = FindDevice(properties.device); device.ok()) (*device)->pools().Trim();
    extents = physical.sip->TakePhysical(WholePages(bytes, properties.page_bytes));
  }
  ASSIGN_OR_RETURN(physical.extents, std::move(extents));
  return memory.Add(std::move(physical));
}

Status GivePhysical(uint64_t handle) {
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  ASSIGN_OR_RETURN(Physical * physical, memory.Need(handle));
  --physical->references;
  memory.DropUnused(handle);
  return {};
}

Result<PhysicalProperties> PropertiesOfPhysical(uint64_t handle) {
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  ASSIGN_OR_RETURN(const Physical* physical, memory.Need(handle));
  return physical->properties;
}

Result<uint64_t> RetainPhysicalAt(const void* address) {
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  const auto* range = memory.RangeOf(reinterpret_cast<uint64_t>(address));
  if (range == nullptr)
    return BadMapping(address, "lies in no mapping", "Pass an address that aclrtMapMem has mapped memory at");
  ++memory.physicals.at(range->second.handle).references;
  return range->second.handle;
}

Status AdviseLink(uint64_t handle) {
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  ASSIGN_OR_RETURN(const Physical* physical, memory.Need(handle));
  if (physical->mappings == 0) return {};
  return Status(Code::kParamInvalid, fmt::format("the physical memory {:#x} is mapped already", handle),
                "Choose the link before the memory is mapped");
}

Result<void*> ReserveMapping(uint64_t bytes, void* wanted, AddressUse use) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  const uint64_t page = use == AddressUse::kLocal ? kGiantPage : kNormalPage;
  const types::AddressWindow window = use == AddressUse::kLocal     ? sip::kLocalMappedAddresses
                                      : use == AddressUse::kManaged ? sip::kManagedAddresses
                                                                    : sip::kMappedAddresses;
  const auto expected = reinterpret_cast<uint64_t>(wanted);
  if (wanted != nullptr && (expected % page != 0 || !window.Holds(expected, 1))) {
    return BadMapping(
        wanted,
        fmt::format("is no multiple of {} from {:#x} to {:#x}", page, window.base, window.base + window.bytes - 1),
        "Pass NULL, or an address that is");
  }
  const Status none(Code::kMemoryAllocation,
                    fmt::format("no {} bytes of addresses are free {}", bytes,
                                wanted == nullptr ? std::string("in one piece") : fmt::format("at {}", wanted)),
                    "Release addresses that are no longer used, or pass NULL for the place");
  if (bytes > window.bytes || (wanted != nullptr && !window.Holds(expected, WholePages(bytes, page)))) return none;
  Reservation reservation;
  reservation.bytes = WholePages(bytes, page);
  reservation.device = context->device().id();
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  // Huge pages behind it stay possible.
  const uint64_t alignment = std::max(page, kHugePage);
  uint64_t at = wanted != nullptr ? expected : window.base;
  for (uint64_t refused = 0; refused < kMostRefusals;) {
    const auto* taken = memory.ReservationOf(at);
    auto next = memory.reservations.upper_bound(at);
    if (taken == nullptr && next != memory.reservations.end() && next->first - at < reservation.bytes) taken = &*next;
    if (taken == nullptr) {
      auto addresses = base::Mapping::Reserve(reservation.bytes, reinterpret_cast<void*>(at));
      if (addresses.ok()) {
        reservation.addresses = *std::move(addresses);
        memory.reservations.emplace(at, std::move(reservation));
        return reinterpret_cast<void*>(at);
      }
      ++refused;
    }
    if (wanted != nullptr) return none;
    // Past what is in the way: a reservation, or what somebody else has there.
    at = WholePages(taken != nullptr ? taken->first + taken->second.bytes : at + kGiantPage, alignment);
    if (!window.Holds(at, reservation.bytes)) return none;
  }
  return none;
}

Status ReleaseMapping(void* address) {
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  const auto found = memory.reservations.find(reinterpret_cast<uint64_t>(address));
  if (found == memory.reservations.end())
    return BadMapping(address, "begins no reserved addresses",
                      "Release once, with the address that the reservation gave");
  if (!found->second.ranges.empty()) {
    return BadMapping(address, fmt::format("has memory mapped at {:#x}", found->second.ranges.begin()->first),
                      "Unmap all memory first");
  }
  memory.reservations.erase(found);
  return {};
}

Status MapPhysical(void* address, uint64_t bytes, uint64_t handle, bool usable) {
  const auto at = reinterpret_cast<uint64_t>(address);
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  ASSIGN_OR_RETURN(Physical * physical, memory.Need(handle));
  auto* found = memory.ReservationOf(at);
  if (found == nullptr) return BadMapping(address, "is not reserved", "Reserve it first with aclrtReserveMemAddress");
  Reservation& reservation = found->second;
  if (bytes != physical->bytes) {
    return Status(Code::kParamInvalid,
                  fmt::format("{} bytes are to be mapped, but the physical memory has {}", bytes, physical->bytes),
                  "Memory is mapped as a whole");
  }
  if (at % kNormalPage != 0) return BadMapping(address, "begins no page", "Pass a multiple of 4096");
  MappedRange range{WholePages(bytes), handle, false, {}};
  const uint64_t into = at - found->first;
  const auto next = reservation.ranges.upper_bound(at);
  if (range.bytes > reservation.bytes - into || memory.RangeOf(at) != nullptr ||
      (next != reservation.ranges.end() && next->first - at < range.bytes)) {
    return BadMapping(address, fmt::format("has no {} bytes of reserved addresses that are not in use", range.bytes),
                      "Unmap what is there, or reserve more");
  }
  if (!reservation.ranges.empty()) {
    const Physical& other = memory.physicals.at(reservation.ranges.begin()->second.handle);
    if (other.sip != physical->sip || other.imported() != physical->imported()) {
      return BadMapping(address, "lies in a range with memory of another device or process",
                        "Reserve addresses for each device and for imported memory of their own");
    }
  } else {
    RETURN_IF_ERROR(physical->sip->OwnCommon({found->first, reservation.bytes}));
    reservation.owner = physical->sip;
  }
  Status status;
  if (usable) status = GrantTo(physical->properties.device, physical->sip, at, *physical, range);
  if (!status.ok()) {
    if (reservation.ranges.empty()) {
      reservation.owner->DisownCommon(found->first);
      reservation.owner.reset();
    }
    return status;
  }
  ++physical->mappings;
  reservation.ranges.emplace(at, std::move(range));
  return {};
}

Status MapAgain(void* address, uint64_t bytes, const void* from) {
  uint64_t handle = 0;
  {
    VirtualMemory& memory = VirtualMemory::Get();
    base::MutexLock lock(memory.mutex);
    const auto* range = memory.RangeOf(reinterpret_cast<uint64_t>(from));
    if (range == nullptr || range->first != reinterpret_cast<uint64_t>(from)) return NothingMapped(from);
    handle = range->second.handle;
  }
  return MapPhysical(address, bytes, handle, /*usable=*/true);
}

Status UnmapPhysical(void* address) {
  const auto at = reinterpret_cast<uint64_t>(address);
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  auto* reservation = memory.ReservationOf(at);
  if (reservation == nullptr || reservation->second.ranges.count(at) == 0) return NothingMapped(address);
  memory.Unmap(*reservation, at);
  return {};
}

Status GrantAccess(void* address, uint64_t bytes, std::span<const AccessPlace> places) {
  const auto at = reinterpret_cast<uint64_t>(address);
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  auto* range = memory.RangeOf(at);
  if (range == nullptr || range->first != at) return NothingMapped(address);
  const Physical& physical = memory.physicals.at(range->second.handle);
  if (bytes != physical.bytes) {
    return Status(Code::kParamInvalid,
                  fmt::format("{} bytes are to be used at {}, where {} are mapped", bytes, address, physical.bytes),
                  "Access is granted to a mapping as a whole");
  }
  for (const AccessPlace& place : places) {
    if (!place.host) RETURN_IF_ERROR(DeviceThatIsOn(place.device).status());
  }
  for (const AccessPlace& place : places) {
    if (!place.host) {
      ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, DeviceThatIsOn(place.device));
      RETURN_IF_ERROR(GrantTo(place.device, device, at, physical, range->second));
      continue;
    }
    ASSIGN_OR_RETURN(const uint32_t file, FileOn(*physical.sip, physical));
    Status shown = physical.sip->ShowToHost(address, physical.extents, file);
    if (file != 0) physical.sip->CloseFile(file);
    RETURN_IF_ERROR(shown);
    range->second.host = true;
  }
  return {};
}

Result<bool> HasAccess(const void* address, const AccessPlace& place) {
  if (!place.host) RETURN_IF_ERROR(FindDevice(place.device).status());
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  const auto* range = memory.RangeOf(reinterpret_cast<uint64_t>(address));
  if (range == nullptr)
    return BadMapping(address, "lies in no mapping", "Pass an address that aclrtMapMem has mapped memory at");
  if (place.host) return range->second.host;
  return std::any_of(range->second.grants.begin(), range->second.grants.end(),
                     [&](const Grant& grant) { return grant.device == place.device; });
}

std::optional<Allocation> FindMapped(uint64_t address) {
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  const auto* range = memory.RangeOf(address);
  if (range == nullptr) return std::nullopt;
  const Physical& physical = memory.physicals.at(range->second.handle);
  Allocation found;
  found.address = range->first;
  found.bytes = physical.bytes;
  found.reserved = range->second.bytes;
  found.page_bytes = physical.properties.page_bytes;
  found.device = physical.properties.device;
  found.mapped = true;
  found.managed = IsManagedAddress(reinterpret_cast<void*>(address));
  return found;
}

void EndMappingsOf(int32_t device, const std::shared_ptr<sip::Device>& sip) {
  EndPeerMappingsOf(sip);
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  for (auto reservation = memory.reservations.begin(); reservation != memory.reservations.end();) {
    if (reservation->second.owner == sip) {
      while (!reservation->second.ranges.empty()) memory.Unmap(*reservation, reservation->second.ranges.begin()->first);
    }
    for (auto& [address, range] : reservation->second.ranges) {
      // Another device's memory, which this one used.
      std::erase_if(range.grants, [&, at = address, bytes = range.bytes](const Grant& grant) {
        if (grant.sip != sip) return false;
        if (!SharesAddresses(*sip)) grant.sip->UnmapExtents(at, bytes);
        if (grant.file != 0) grant.sip->CloseFile(grant.file);
        return true;
      });
    }
    const bool ends = reservation->second.device == device && reservation->second.ranges.empty();
    reservation = ends ? memory.reservations.erase(reservation) : std::next(reservation);
  }
  for (auto entry = memory.physicals.begin(); entry != memory.physicals.end();) {
    const auto next = std::next(entry);
    if (entry->second.sip == sip) {
      entry->second.references = 0;
      memory.DropUnused(entry->first, /*device_ends=*/true);
    }
    entry = next;
  }
  EndSharingOfDevice(sip);
}

}  // namespace forebay::runtime
