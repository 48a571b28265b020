// Physical memory that is mapped by hand: at common addresses, and memory of other devices and processes.
#include <fmt/format.h>

#include "device_parts.h"
#include "forebay/base/macros.h"

namespace forebay::sip {

using Piece = base::AddressMap::Piece;

Result<std::vector<Extent>> Device::TakePhysical(uint64_t bytes) {
  base::MutexLock lock(mutex_);
  PhysicalMemory& physical = memory_->physical;
  const uint64_t pages = bytes > physical.total() ? bytes : RoundUp(bytes, 4096);
  RETURN_IF_ERROR(InjectedLack(bytes));
  std::vector<Extent> extents = physical.Take(pages);
  if (extents.empty()) {
    return Status(Code::kMemoryAllocation,
                  fmt::format("device {} has no {} bytes of memory left: {} of {} are free", id_, bytes,
                              physical.free_bytes(), physical.total()),
                  "Free memory first, or give the device more with device_memory");
  }
  counters.memory_ranges.fetch_add(1, std::memory_order_acq_rel);
  counters.memory_bytes.fetch_add(pages, std::memory_order_acq_rel);
  return extents;
}

void Device::GivePhysical(std::span<const Extent> extents, bool discards) {
  if (extents.empty()) return;
  for (const Extent& extent : extents) {
    if (discards) driver_->device->Discard(extent.offset, extent.bytes).IgnoreError();
  }
  base::MutexLock lock(mutex_);
  counters.memory_ranges.fetch_sub(1, std::memory_order_acq_rel);
  for (const Extent& extent : extents) {
    memory_->physical.Give(extent);
    counters.memory_bytes.fetch_sub(extent.bytes, std::memory_order_acq_rel);
  }
}

Status Device::MapExtents(uint64_t address, std::span<const Extent> extents, uint32_t file) {
  base::MutexLock mapping(mapping_mutex_);
  std::vector<types::MappingChange> changes;
  uint64_t at = address;
  for (const Extent& extent : extents) {
    changes.push_back({at, extent.bytes, extent.offset, file, 0});
    at += extent.bytes;
  }
  if (Status mapped = driver_->device->ChangeMappings(changes); !mapped.ok()) {
    driver_->device->Unmap(address, at - address).IgnoreError();
    return mapped;
  }
  base::MutexLock lock(mutex_);
  for (const types::MappingChange& change : changes)
    memory_->backing.Add({change.address, change.bytes, change.offset, change.file});
  return {};
}

void Device::UnmapExtents(uint64_t address, uint64_t bytes) {
  base::MutexLock mapping(mapping_mutex_);
  bool foreign = false;
  {
    base::MutexLock lock(mutex_);
    for (const Piece& piece : memory_->backing.Remove(address, bytes)) foreign |= piece.file != 0;
  }
  // A device that is gone has nothing mapped any more.
  driver_->device->Unmap(address, bytes).IgnoreError();
  // What is left in view would keep memory of others from being given back.
  if (foreign) driver_->device->HideFromView(address, bytes);
}

std::vector<Extent> Device::ExtentsAt(uint64_t address, uint64_t bytes) const {
  std::vector<Extent> extents;
  base::MutexLock lock(mutex_);
  if (!memory_->backing.Covers(address, bytes)) return extents;
  for (const Piece& piece : memory_->backing.Find(address, bytes)) {
    if (piece.file != 0) return {};
    extents.push_back({piece.offset, piece.bytes});
  }
  return extents;
}

Status Device::OwnCommon(const types::AddressWindow& window) {
  ASSIGN_OR_RETURN(std::byte * view, driver_->device->AddView(window));
  base::MutexLock lock(mutex_);
  common_[window.base] = {window.bytes, view};
  common_count_.store(common_.size(), std::memory_order_release);
  return {};
}

void Device::DisownCommon(uint64_t base) {
  {
    base::MutexLock lock(mutex_);
    if (common_.erase(base) == 0) return;
    common_count_.store(common_.size(), std::memory_order_release);
  }
  driver_->device->RemoveView(base);
}

bool Device::OwnsCommonAddress(uint64_t address) const noexcept {
  base::MutexLock lock(mutex_);
  return !boot_.window.Holds(address, 1) && ViewOf(address, 1) != nullptr && memory_->backing.Covers(address, 1);
}

std::byte* Device::ViewOf(uint64_t address, uint64_t bytes) const noexcept {
  if (boot_.window.Holds(address, bytes)) return driver_->device->WindowView() + (address - boot_.window.base);
  auto range = common_.upper_bound(address);
  if (range == common_.begin()) return nullptr;
  --range;
  const types::AddressWindow window{range->first, range->second.bytes};
  return window.Holds(address, bytes) ? range->second.view + (address - window.base) : nullptr;
}

Status Device::ShowToHost(void* address, std::span<const Extent> extents, uint32_t file) {
  auto* at = static_cast<std::byte*>(address);
  for (const Extent& extent : extents) {
    RETURN_IF_ERROR(driver_->device->MapForHost(at, extent.offset, extent.bytes, file));
    at += extent.bytes;
  }
  return {};
}

int Device::memory_file() const noexcept { return driver_->device->memory_file(); }
Result<uint32_t> Device::OpenFile(int descriptor) { return driver_->device->OpenFile(descriptor); }
void Device::CloseFile(uint32_t file) { driver_->device->CloseFile(file); }

}  // namespace forebay::sip
