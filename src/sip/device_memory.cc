// Device memory and pinned memory.
#include <fmt/format.h>

#include <algorithm>

#include "device_parts.h"
#include "forebay/base/injection.h"
#include "forebay/base/macros.h"

namespace forebay::sip {
namespace {

using Piece = base::AddressMap::Piece;

std::vector<types::MappingChange> Unmapping(std::span<const Piece> pieces) {
  std::vector<types::MappingChange> changes;
  for (const Piece& piece : pieces) {
    // Neighbours are unmapped in one step, wherever their memory lies.
    if (!changes.empty() && changes.back().address + changes.back().bytes == piece.address) {
      changes.back().bytes += piece.bytes;
    } else {
      changes.push_back({piece.address, piece.bytes, types::kNothing, 0, 0});
    }
  }
  return changes;
}

}  // namespace

uint64_t Device::memory_in_use() const noexcept {
  base::MutexLock lock(mutex_);
  return memory_->physical.total() - memory_->physical.free_bytes();
}

Result<uint64_t> Device::ReserveAddresses(uint64_t bytes) {
  base::MutexLock lock(mutex_);
  RangeAllocator& addresses = memory_->addresses;
  const auto at =
      bytes == 0 || bytes > addresses.total() ? std::nullopt : addresses.Allocate(RoundUp(bytes, kMemoryGranule));
  if (!at) {
    return Status(Code::kMemoryAllocation,
                  fmt::format("device {} has no {} bytes of addresses left in one piece: {} of {} are reserved", id_,
                              bytes, addresses.in_use(), addresses.total()),
                  "Free memory first, or ask for less at once");
  }
  counters.memory_ranges.fetch_add(1, std::memory_order_acq_rel);
  return *at;
}

void Device::ReleaseAddresses(uint64_t address) {
  uint64_t bytes = 0;
  {
    base::MutexLock lock(mutex_);
    bytes = memory_->addresses.SizeAt(address);
  }
  if (bytes == 0) return;
  UnbackAddresses(address, bytes);
  base::MutexLock lock(mutex_);
  if (memory_->addresses.Free(address)) counters.memory_ranges.fetch_sub(1, std::memory_order_acq_rel);
}

Status Device::CheckGranules(const Memory& memory, const MemoryRange& range) const {
  if (range.bytes != 0 && (range.address | range.bytes) % kMemoryGranule == 0 &&
      memory.addresses.Contains(range.address, range.bytes)) {
    return {};
  }
  return Status(Code::kParamInvalid,
                fmt::format("{:#x}+{:#x} are not reserved addresses of device {} in granules of {}", range.address,
                            range.bytes, id_, kMemoryGranule));
}

// As if the device had less memory than it has.
Status Device::InjectedLack(uint64_t bytes) const {
  if (base::InjectionRegistry::Get().IsEmpty()) return {};
  const uint64_t in_use = memory_->physical.total() - memory_->physical.free_bytes();
  for (const auto& armed : base::InjectionRegistry::Get().Of(base::InjectionPlace::kMemory, id_)) {
    const base::Injection& wanted = armed->injection;
    if (wanted.above == 0 || in_use + bytes <= wanted.above || !armed->Match()) continue;
    return Status(Code::kMemoryAllocation,
                  fmt::format("device {} has no {} bytes of memory left beside the {} in use: injected by {}", id_,
                              bytes, in_use, wanted.text),
                  "Free memory first, or remove the injection");
  }
  return {};
}

Status Device::BackAddresses(uint64_t address, uint64_t bytes) {
  base::MutexLock mapping(mapping_mutex_);
  std::vector<Piece> pieces;
  std::vector<types::MappingChange> changes;
  {
    base::MutexLock lock(mutex_);
    RETURN_IF_ERROR(CheckGranules(*memory_, {address, bytes}));
    if (!memory_->backing.Find(address, bytes).empty())
      return Status(Code::kParamInvalid, fmt::format("{:#x}+{:#x} has memory behind it already", address, bytes));
    PhysicalMemory& physical = memory_->physical;
    RETURN_IF_ERROR(InjectedLack(bytes));
    uint64_t at = address;
    for (const Extent& extent : physical.Take(bytes)) {
      pieces.push_back({at, extent.bytes, extent.offset, 0});
      changes.push_back({at, extent.bytes, extent.offset, 0, 0});
      at += extent.bytes;
    }
    if (pieces.empty()) {
      return Status(Code::kMemoryAllocation,
                    fmt::format("device {} has no {} bytes of memory left: {} of {} are free", id_, bytes,
                                physical.free_bytes(), physical.total()),
                    "Free memory first, or give the device more with device_memory");
    }
  }
  counters.memory_bytes.fetch_add(bytes, std::memory_order_acq_rel);
  if (Status mapped = driver_->device->ChangeMappings(changes); !mapped.ok()) {
    GiveBack(pieces);
    return mapped;
  }
  base::MutexLock lock(mutex_);
  for (const Piece& piece : pieces) memory_->backing.Add(piece);
  return {};
}

void Device::GiveBack(std::span<const Piece> pieces) {
  if (pieces.empty()) return;
  // A device that is gone has nothing mapped any more.
  driver_->device->ChangeMappings(Unmapping(pieces)).IgnoreError();
  std::vector<Piece> own(pieces.begin(), pieces.end());
  // What was imported belongs to others.
  std::erase_if(own, [](const Piece& piece) { return piece.file != 0; });
  for (const Piece& piece : own) driver_->device->Discard(piece.offset, piece.bytes).IgnoreError();
  base::MutexLock lock(mutex_);
  for (const Piece& piece : own) {
    memory_->physical.Give({piece.offset, piece.bytes});
    counters.memory_bytes.fetch_sub(piece.bytes, std::memory_order_acq_rel);
  }
}

std::optional<MemoryRange> Device::PageAround(uint64_t address) const {
  base::MutexLock lock(mutex_);
  if (address == 0) {
    const auto all = memory_->backing.Find(boot_.window.base, boot_.window.bytes);
    if (all.empty()) return std::nullopt;
    address = all.front().address;
  }
  const uint64_t page = address / kMemoryGranule * kMemoryGranule;
  if (!memory_->backing.Covers(page, kMemoryGranule)) return std::nullopt;
  return MemoryRange{page, kMemoryGranule};
}

// The bad memory is not handed out again before the device is reset, and keeps what is in it: variables of kernel
// images may lie there, which the device has mapped for their code besides.
Status Device::ReplacePage(uint64_t address) {
  base::MutexLock mapping(mapping_mutex_);
  std::vector<Piece> fresh;
  std::vector<types::MappingChange> changes;
  {
    base::MutexLock lock(mutex_);
    // What was given back meanwhile needs no memory.
    if (!memory_->backing.Covers(address, kMemoryGranule)) return {};
    uint64_t at = address;
    for (const Extent& extent : memory_->physical.Take(kMemoryGranule)) {
      fresh.push_back({at, extent.bytes, extent.offset, 0});
      changes.push_back({at, extent.bytes, extent.offset, 0, 0});
      at += extent.bytes;
    }
    if (fresh.empty()) {
      return Status(Code::kMemoryAllocation, fmt::format("device {} has no memory left to replace bad memory", id_),
                    "Free memory first; or reset the device: bad memory is not used again before");
    }
  }
  const Status mapped = driver_->device->ChangeMappings(changes);
  base::MutexLock lock(mutex_);
  for (const Piece& piece : fresh) {
    if (mapped.ok()) {
      memory_->backing.Add(piece);
    } else {
      memory_->physical.Give({piece.offset, piece.bytes});
    }
  }
  return mapped;
}

void Device::UnbackAddresses(uint64_t address, uint64_t bytes) {
  base::MutexLock mapping(mapping_mutex_);
  std::vector<Piece> pieces;
  {
    base::MutexLock lock(mutex_);
    if (!CheckGranules(*memory_, {address, bytes}).ok()) return;
    pieces = memory_->backing.Remove(address, bytes);
  }
  GiveBack(pieces);
}

Status Device::MoveBacking(uint64_t to, std::span<const MemoryRange> from) {
  base::MutexLock mapping(mapping_mutex_);
  std::vector<Piece> pieces;
  std::vector<types::MappingChange> changes;
  {
    base::MutexLock lock(mutex_);
    Memory& memory = *memory_;
    uint64_t bytes = 0;
    for (const MemoryRange& range : from) {
      RETURN_IF_ERROR(CheckGranules(memory, range));
      if (!memory.backing.Covers(range.address, range.bytes)) {
        return Status(Code::kParamInvalid,
                      fmt::format("{:#x}+{:#x} has no memory behind it to move", range.address, range.bytes));
      }
      bytes += range.bytes;
    }
    RETURN_IF_ERROR(CheckGranules(memory, {to, bytes}));
    if (!memory.backing.Find(to, bytes).empty())
      return Status(Code::kParamInvalid, fmt::format("{:#x}+{:#x} has memory behind it already", to, bytes));
    for (const MemoryRange& range : from) {
      const std::vector<Piece> moved = memory.backing.Remove(range.address, range.bytes);
      pieces.insert(pieces.end(), moved.begin(), moved.end());
    }
  }
  changes = Unmapping(pieces);
  uint64_t at = to;
  for (Piece& piece : pieces) {
    piece.address = at;
    changes.push_back({at, piece.bytes, piece.offset, 0, 0});
    at += piece.bytes;
  }
  if (Status status = driver_->device->ChangeMappings(changes); !status.ok()) {
    for (const MemoryRange& range : from) driver_->device->Unmap(range.address, range.bytes).IgnoreError();
    GiveBack(pieces);
    return status;
  }
  base::MutexLock lock(mutex_);
  for (const Piece& piece : pieces) memory_->backing.Add(piece);
  return {};
}

Result<MemoryRange> Device::AllocatePinned(uint64_t bytes) {
  base::MutexLock lock(mutex_);
  const uint64_t rounded = RoundUp(std::max<uint64_t>(bytes, 1), kPinnedGranularity);
  const auto at = bytes > pinned_->total() ? std::nullopt : pinned_->Allocate(rounded);
  if (!at) {
    return Status(Code::kMemoryAllocation,
                  fmt::format("device {} has no {} bytes of pinned host memory left: {} of {} are in use", id_, bytes,
                              pinned_->in_use(), pinned_->total()),
                  "Free pinned memory first, or raise pinned_memory");
  }
  counters.pinned_ranges.fetch_add(1, std::memory_order_acq_rel);
  counters.pinned_bytes.fetch_add(rounded, std::memory_order_acq_rel);
  return MemoryRange{*at, rounded};
}

void Device::FreePinned(const MemoryRange& range) {
  base::MutexLock lock(mutex_);
  const std::size_t ranges = pinned_->range_count();
  if (!pinned_->FreePart(range.address, range.bytes)) return;
  // The pages go back to the system; whoever gets the range next finds zeros.
  driver_->device->Discard(range.address, range.bytes).IgnoreError();
  counters.pinned_ranges.fetch_add(pinned_->range_count() - ranges, std::memory_order_acq_rel);
  counters.pinned_bytes.fetch_sub(range.bytes, std::memory_order_acq_rel);
}

std::byte* Device::HostViewOfDevice(uint64_t address, uint64_t bytes) const noexcept {
  base::MutexLock lock(mutex_);
  return memory_->backing.Covers(address, bytes) ? ViewOf(address, bytes) : nullptr;
}

std::byte* Device::HostViewOfPinned(uint64_t offset) const noexcept {
  // As numbers, because an offset below the pinned part is only the start of a sum.
  return reinterpret_cast<std::byte*>(reinterpret_cast<uint64_t>(driver_->device->PinnedView()) +
                                      (offset - boot_.memory_bytes));
}

std::optional<uint64_t> Device::FindPinned(const void* address, uint64_t bytes) const noexcept {
  const auto begin = reinterpret_cast<uint64_t>(driver_->device->PinnedView());
  const auto at = reinterpret_cast<uint64_t>(address);
  if (at >= begin && at - begin < boot_.pinned_bytes) {
    if (bytes > boot_.pinned_bytes - (at - begin)) return std::nullopt;
    return at - begin + boot_.memory_bytes;
  }
  if (alias_count_.load(std::memory_order_acquire) == 0) return std::nullopt;
  base::MutexLock lock(mutex_);
  auto alias = aliases_.upper_bound(at);
  if (alias == aliases_.begin()) return std::nullopt;
  --alias;
  const uint64_t into = at - alias->first;
  const MemoryRange& range = alias->second;
  if (into >= range.bytes || bytes > range.bytes - into) return std::nullopt;
  return range.address + into;
}

Status Device::AliasPinned(void* address, const MemoryRange& range) {
  RETURN_IF_ERROR(driver_->device->MapForHost(address, range.address, range.bytes));
  base::MutexLock lock(mutex_);
  aliases_[reinterpret_cast<uint64_t>(address)] = range;
  alias_count_.store(aliases_.size(), std::memory_order_release);
  return {};
}

void Device::ForgetAlias(const void* address) {
  base::MutexLock lock(mutex_);
  aliases_.erase(reinterpret_cast<uint64_t>(address));
  alias_count_.store(aliases_.size(), std::memory_order_release);
}

Status Device::MapPinned(const MemoryRange& range) {
  return driver_->device->Map(PinnedWindowAddress(range.address), range.address, range.bytes);
}
void Device::UnmapPinned(const MemoryRange& range) {
  // A device that is gone has nothing mapped any more.
  driver_->device->Unmap(PinnedWindowAddress(range.address), range.bytes).IgnoreError();
}

}  // namespace forebay::sip
