#include "memory/managed_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "forebay/base/macros.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "memory/virtual_memory.h"

namespace forebay::runtime {
namespace {

// The pages of a range, all in one allocation.
Result<std::span<ManagedPage>> PagesIn(VirtualMemory& memory, const ManagedRange& range) REQUIRES(memory.mutex) {
  const auto begin = reinterpret_cast<uint64_t>(range.address);
  auto* found = IsManagedAddress(range.address) ? memory.ReservationOf(begin) : nullptr;
  if (found == nullptr || range.bytes > found->second.bytes - (begin - found->first)) {
    return Status(Code::kParamInvalid,
                  fmt::format("the {} bytes at {} are not managed memory all through", range.bytes, range.address),
                  "Pass a range of memory of aclrtMemAllocManaged");
  }
  const uint64_t first = (begin - found->first) / kHugePage;
  const uint64_t end = (begin + range.bytes - found->first + kHugePage - 1) / kHugePage;
  return std::span(found->second.pages).subspan(first, end - first);
}

Status CheckPlace(const ManagedPlace& place) {
  switch (place.type) {
    case ManagedPlace::Type::kDevice:
      if (FindDevice(place.id).ok()) return {};
      return Status(Code::kParamInvalid, fmt::format("there is no device {}", place.id), "See aclrtGetDeviceCount");
    case ManagedPlace::Type::kHost:
    case ManagedPlace::Type::kHostNode:
    case ManagedPlace::Type::kCurrentHostNode: return {};
    case ManagedPlace::Type::kNone: break;
  }
  return Status(Code::kParamInvalid, fmt::format("there is no place of the type {}", static_cast<int>(place.type)),
                "See aclrtMemManagedLocationType");
}

void Note(ManagedPage& page, ManagedAdvice advice, bool set, const ManagedPlace& place) {
  switch (advice) {
    case ManagedAdvice::kReadMostly: page.read_mostly = set; break;
    case ManagedAdvice::kPreferredPlace: page.preferred = set ? place : ManagedPlace(); break;
    case ManagedAdvice::kAccessedBy:
      std::erase(page.accessed_by, place);
      if (set) page.accessed_by.push_back(place);
      break;
  }
}

}  // namespace

bool IsManagedAddress(const void* address) noexcept {
  return sip::kManagedAddresses.Holds(reinterpret_cast<uint64_t>(address), 1);
}

Result<void*> AllocateManaged(uint64_t bytes) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  if (bytes > UINT64_MAX - kHugePage) {
    return Status(Code::kMemoryAllocation, fmt::format("{} bytes of managed memory are more than there can be", bytes),
                  "Ask for less");
  }
  const uint64_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  ASSIGN_OR_RETURN(const uint64_t handle, TakePhysical(whole, {context->device().id(), 0, kHugePage}));
  auto address = ReserveMapping(whole, nullptr, AddressUse::kManaged);
  Status status = address.status();
  if (status.ok()) status = MapPhysical(*address, whole, handle, /*usable=*/true);
  const bool is_mapped = status.ok();
  std::vector<AccessPlace> places = {{true, 0}};
  for (int32_t id = 0; id < DeviceCount(); ++id) {
    if ((*FindDevice(id))->sip()) places.push_back({false, id});
  }
  if (status.ok()) status = GrantAccess(*address, whole, places);
  GivePhysical(handle).IgnoreError();  // from now on the mapping holds it
  if (!status.ok()) {
    if (is_mapped) UnmapPhysical(*address).IgnoreError();
    if (address.ok()) ReleaseMapping(*address).IgnoreError();
    return status;
  }
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  // The device may have been reset meanwhile.
  if (auto* reservation = memory.ReservationOf(reinterpret_cast<uint64_t>(*address)))
    reservation->second.pages.resize(whole / kHugePage);
  return address;
}

Status FreeManaged(void* address) {
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  const auto at = reinterpret_cast<uint64_t>(address);
  const auto found = memory.reservations.find(at);
  if (found == memory.reservations.end() || !IsManagedAddress(address)) {
    return Status(Code::kMemoryFree, fmt::format("{} cannot be freed: no managed memory begins there", address),
                  "Free it once, before its device is reset, with the address that the allocation gave");
  }
  while (!found->second.ranges.empty()) memory.Unmap(*found, found->second.ranges.begin()->first);
  memory.reservations.erase(found);
  return {};
}

Status AdviseManaged(const ManagedRange& range, ManagedAdvice advice, bool set, const ManagedPlace& place) {
  if (reinterpret_cast<uint64_t>(range.address) % kHugePage != 0 || range.bytes % kHugePage != 0) {
    return Status(Code::kParamInvalid,
                  fmt::format("{} bytes at {} are not whole pages of {} bytes", range.bytes, range.address, kHugePage),
                  "Advice is for whole pages");
  }
  const bool needs_place = advice == ManagedAdvice::kAccessedBy || (advice == ManagedAdvice::kPreferredPlace && set);
  if (needs_place) RETURN_IF_ERROR(CheckPlace(place));
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  ASSIGN_OR_RETURN(const std::span<ManagedPage> pages, PagesIn(memory, range));
  for (ManagedPage& page : pages) Note(page, advice, set, place);
  return {};
}

Result<std::vector<ManagedPage>> PagesOfManaged(const ManagedRange& range) {
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  ASSIGN_OR_RETURN(const std::span<ManagedPage> pages, PagesIn(memory, range));
  return std::vector<ManagedPage>(pages.begin(), pages.end());
}

Status PrefetchManaged(std::span<const ManagedPrefetch> prefetches, uint64_t stream_handle) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  VirtualMemory& memory = VirtualMemory::Get();
  const auto for_each_page = [&](const auto& visit) REQUIRES(memory.mutex) -> Status {
    for (const ManagedPrefetch& prefetch : prefetches) {
      RETURN_IF_ERROR(CheckPlace(prefetch.place));
      ASSIGN_OR_RETURN(const std::span<ManagedPage> pages, PagesIn(memory, prefetch.range));
      for (ManagedPage& page : pages) visit(page, prefetch.place);
    }
    return {};
  };
  {
    base::MutexLock lock(memory.mutex);
    RETURN_IF_ERROR(for_each_page([](ManagedPage&, const ManagedPlace&) {}));
  }
  // Not under the lock: it waits for room in the stream.
  RETURN_IF_ERROR(stream->Submit(stream.handle, 1, [](types::Command& command, uint64_t) {
    command.opcode = types::Opcode::kNone;
    command.flags = 0;
  }));
  base::MutexLock lock(memory.mutex);
  // What has been freed meanwhile has no use for the note.
  for_each_page([](ManagedPage& page, const ManagedPlace& place) { page.last_prefetch = place; }).IgnoreError();
  return {};
}

void GrantManagedTo(int32_t device) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  {
    VirtualMemory& memory = VirtualMemory::Get();
    base::MutexLock lock(memory.mutex);
    for (const auto& [address, reservation] : memory.reservations) {
      if (!reservation.pages.empty()) ranges.emplace_back(address, reservation.bytes);
    }
  }
  // Memory that has just been freed needs no access.
  const AccessPlace place{false, device};
  for (const auto& [address, bytes] : ranges)
    GrantAccess(reinterpret_cast<void*>(address), bytes, {&place, 1}).IgnoreError();
}

}  // namespace forebay::runtime
