// The memory file of a device, and where the host itself reads and writes what the device maps.
#pragma once

#include <map>
#include <span>

#include "forebay/base/mutex.h"
#include "forebay/base/unique_fd.h"
#include "forebay/types/bar.h"

namespace forebay::driver {

// Thread safety: all functions but Create may be called from any thread.
class HostMemory {
 public:
  // First of all.
  Status Create(const char* name, const types::BootParameters& boot);

  int file() const noexcept { return file_.get(); }
  std::byte* window_view() const noexcept { return window_view_; }
  std::byte* pinned_view() const noexcept { return pinned_view_.data(); }

  // A view of addresses that the device will map something at.
  Result<std::byte*> AddWindow(const types::AddressWindow& window) EXCLUDES(mutex_);
  void RemoveWindow(uint64_t base) EXCLUDES(mutex_);
  // Another file that the device maps from, under the device's number for it.
  Status AddFile(uint32_t number, int descriptor) EXCLUDES(mutex_);
  void RemoveFile(uint32_t number) EXCLUDES(mutex_);

  // Follows what the device maps. What it unmaps stays in view until something else is mapped there: a thread of the
  // host that is just copying must not fault for it.
  Status Follow(std::span<const types::MappingChange> changes) EXCLUDES(mutex_);
  // Ends that.
  void Hide(uint64_t address, uint64_t bytes) EXCLUDES(mutex_);
  // Puts a part of a file at an address of the host, in place of what is there.
  Status MapAt(void* address, uint64_t offset, uint64_t bytes, uint32_t file) const EXCLUDES(mutex_);
  Status Discard(uint64_t offset, uint64_t bytes) const;

 private:
  // The place of an address in a view; null when it is in none.
  std::byte* PlaceOf(uint64_t address, uint64_t bytes) const REQUIRES(mutex_);
  Status MapLocked(void* address, uint64_t offset, uint64_t bytes, uint32_t file) const REQUIRES(mutex_);

  base::UniqueFd file_;
  std::byte* window_view_ = nullptr;
  base::Mapping pinned_view_;
  mutable base::Mutex mutex_;
  std::map<uint64_t, base::Mapping> views_ GUARDED_BY(mutex_);  // by the base of their window
  std::map<uint32_t, base::UniqueFd> files_ GUARDED_BY(mutex_);
};

}  // namespace forebay::driver
