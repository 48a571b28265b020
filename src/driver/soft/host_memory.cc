#include "host_memory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "forebay/base/macros.h"

namespace forebay::driver {

Status HostMemory::Create(const char* name, const types::BootParameters& boot) {
  ASSIGN_OR_RETURN(file_, base::CreateMemoryFile(name, boot.memory_bytes + boot.pinned_bytes));
  ASSIGN_OR_RETURN(window_view_, AddWindow(boot.window));
  if (boot.pinned_bytes > 0) {
    ASSIGN_OR_RETURN(pinned_view_,
                     base::Mapping::OfFile(file(), boot.memory_bytes, boot.pinned_bytes, PROT_READ | PROT_WRITE));
  }
  return {};
}

Result<std::byte*> HostMemory::AddWindow(const types::AddressWindow& window) {
  ASSIGN_OR_RETURN(base::Mapping view, base::Mapping::Reserve(window.bytes));
  std::byte* place = view.data();
  base::MutexLock lock(mutex_);
  views_.insert_or_assign(window.base, std::move(view));
  return place;
}

void HostMemory::RemoveWindow(uint64_t base) {
  base::MutexLock lock(mutex_);
  views_.erase(base);
}

Status HostMemory::AddFile(uint32_t number, int descriptor) {
  base::UniqueFd own(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!own.valid())
    return Status(Code::kDriverInternal, fmt::format("keeping a file open failed: {}", std::strerror(errno)));
  base::MutexLock lock(mutex_);
  files_.insert_or_assign(number, std::move(own));
  return {};
}

void HostMemory::RemoveFile(uint32_t number) {
  base::MutexLock lock(mutex_);
  files_.erase(number);
}

std::byte* HostMemory::PlaceOf(uint64_t address, uint64_t bytes) const {
  auto view = views_.upper_bound(address);
  if (view == views_.begin()) return nullptr;
  --view;
  const types::AddressWindow window{view->first, view->second.size()};
  return window.Holds(address, bytes) ? view->second.data() + (address - window.base) : nullptr;
}

Status HostMemory::Follow(std::span<const types::MappingChange> changes) {
  base::MutexLock lock(mutex_);
  for (const types::MappingChange& change : changes) {
    std::byte* place = change.offset == types::kNothing ? nullptr : PlaceOf(change.address, change.bytes);
    if (place != nullptr) RETURN_IF_ERROR(MapLocked(place, change.offset, change.bytes, change.file));
  }
  return {};
}

void HostMemory::Hide(uint64_t address, uint64_t bytes) {
  base::MutexLock lock(mutex_);
  std::byte* place = PlaceOf(address, bytes);
  if (place != nullptr) mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

Status HostMemory::MapAt(void* address, uint64_t offset, uint64_t bytes, uint32_t file_number) const {
  base::MutexLock lock(mutex_);
  return MapLocked(address, offset, bytes, file_number);
}

Status HostMemory::MapLocked(void* address, uint64_t offset, uint64_t bytes, uint32_t file_number) const {
  const auto other = files_.find(file_number);
  const int descriptor = file_number == 0 ? file() : other != files_.end() ? other->second.get() : -1;
  if (mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, static_cast<off_t>(offset)) ==
      address) {
    return {};
  }
  return Status(
      Code::kDriverInternal,
      fmt::format("{} bytes at {} cannot be replaced by device memory: {}", bytes, address, std::strerror(errno)),
      "The system may have reached its number of mappings (vm.max_map_count), or the pages are huge ones of "
      "hugetlbfs");
}

Status HostMemory::Discard(uint64_t offset, uint64_t bytes) const {
  if (fallocate(file(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(bytes)) == 0) {
    return {};
  }
  return Status(Code::kDriverInternal,
                fmt::format("giving back {:#x}+{:#x} failed: {}", offset, bytes, std::strerror(errno)));
}

}  // namespace forebay::driver
