#include "memory/host_registration.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "forebay/base/macros.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/memory_pool.h"
#include "forebay/runtime/allocation.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/sip/device.h"
#include "memory/host_range.h"
#include "memory/memory_pool_impl.h"

namespace forebay::runtime {
namespace {

struct Registration {
  uint64_t bytes = 0;                // as asked for
  std::shared_ptr<sip::Device> sip;  // a registration ends before its device does
  sip::MemoryRange pages;            // in the device's pinned memory
  uint64_t device_address = 0;       // 0: kernels do not use it
  bool maps_pages = false;           // by this registration, which takes it back
  // What the application's pages were moved to; none for memory that was pinned.
  std::shared_ptr<MemoryPool> pool;
  void* moved_to = nullptr;
};

struct Table {
  base::Mutex mutex;
  std::map<uint64_t, Registration> registrations GUARDED_BY(mutex);  // by host address
};

Table& Registrations() {
  static base::NeverDestroyed<Table> table;
  return *table;
}

uint64_t WholePages(uint64_t bytes) noexcept { return (bytes + kNormalPage - 1) / kNormalPage * kNormalPage; }

Status Unfit(const void* address, uint64_t bytes, std::string_view why, std::string advice) {
  return Status(Code::kParamInvalid, fmt::format("the {} bytes at {} cannot be registered: {}", bytes, address, why),
                std::move(advice));
}

Status CheckNotRegistered(const Table& table, uint64_t first, uint64_t bytes) REQUIRES(table.mutex) {
  auto next = table.registrations.lower_bound(first + bytes);
  if (next == table.registrations.begin()) return {};
  --next;
  if (next->first + next->second.bytes <= first) return {};
  return Status(Code::kHostMemoryAlreadyRegistered,
                fmt::format("the {} bytes at {:#x} overlap the {} bytes at {:#x}, which are registered", bytes, first,
                            next->second.bytes, next->first),
                "Unregister those first");
}

// Only what belongs to this process alone may be moved: another process, or another mapping, would keep the old pages.
Status CheckPrivate(const void* address, uint64_t bytes, uint64_t pages) {
  const auto first = reinterpret_cast<uint64_t>(address);
  const char here = 0;
  if (const auto stack = reinterpret_cast<uint64_t>(&here); stack >= first && stack - first < pages)
    return Unfit(address, bytes, "this call is running on that stack", "Register memory of the heap");
  ASSIGN_OR_RETURN(const std::vector<HostSegment> segments, HostSegments(first, pages));
  uint64_t end = first;
  for (const HostSegment& segment : segments) {
    if (segment.begin > end) break;
    if (!segment.readable || !segment.writable)
      return Unfit(address, bytes, "it cannot be read and written all through", "Register memory for both");
    if (segment.is_shared) {
      return Unfit(address, bytes, "it is a shared mapping, which others see too",
                   "Register private memory, or use aclrtMallocHost");
    }
    end = std::min(segment.end, first + pages);
  }
  if (end == first + pages) return {};
  return Unfit(address, bytes, fmt::format("nothing is mapped at {:#x}", end), "Check the address and the size");
}

// Moves the pages into pinned memory and shows them where they were.
Status Adopt(void* address, uint64_t bytes, Registration& registration) {
  const uint64_t pages = WholePages(bytes);
  RETURN_IF_ERROR(CheckPrivate(address, bytes, pages));
  sip::Device& device = *registration.sip;
  ASSIGN_OR_RETURN(registration.moved_to, AllocateFor(*registration.pool, pages, nullptr));
  // A block of the pool is one piece.
  registration.pages = {device.FindPinned(registration.moved_to, pages).value_or(0), pages};
  std::memcpy(registration.moved_to, address, pages);
  Status status = device.AliasPinned(address, registration.pages);
  if (!status.ok()) registration.pool->Free(registration.moved_to).IgnoreError();
  return status;
}

// Gives the application pages of its own again. What it has meanwhile mapped there itself stays as it is.
Status GiveBack(uint64_t address, const Registration& registration) {
  const auto view = reinterpret_cast<uint64_t>(registration.sip->HostViewOfPinned(registration.pages.address));
  ASSIGN_OR_RETURN(const std::vector<HostSegment> shared, HostSegments(view, 1));
  ASSIGN_OR_RETURN(const std::vector<HostSegment> segments, HostSegments(address, registration.pages.bytes));
  for (const HostSegment& segment : segments) {
    const uint64_t begin = std::max(segment.begin, address);
    const uint64_t bytes = std::min(segment.end, address + registration.pages.bytes) - begin;
    const uint64_t offset = registration.pages.address + (begin - address);
    if (shared.empty() || segment.file != shared.front().file || segment.OffsetAt(begin) != offset) continue;
    void* own = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own != MAP_FAILED) {
      std::memcpy(own, registration.sip->HostViewOfPinned(offset), bytes);
      if (mremap(own, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(begin)) != MAP_FAILED)
        continue;
      munmap(own, bytes);
    }
    return Status(
        Code::kBadAlloc,
        fmt::format("{} bytes of host memory cannot be given back at {:#x}: {}", bytes, begin, std::strerror(errno)),
        "The system may be out of memory, or have reached its number of mappings (vm.max_map_count)");
  }
  return {};
}

Status End(uint64_t address, const Registration& registration) {
  const bool moved = registration.moved_to != nullptr;
  if (moved) RETURN_IF_ERROR(GiveBack(address, registration));
  if (registration.maps_pages) registration.sip->UnmapPinned(registration.pages);
  if (moved) {
    registration.sip->ForgetAlias(reinterpret_cast<const void*>(address));
    registration.pool->Free(registration.moved_to).IgnoreError();
  }
  return {};
}

// Pinned memory needs no moving, and may be at the address that kernels use already.
Status UsePinned(const void* address, uint64_t bytes, const DeviceState& device, HostAccess access,
                 Registration& registration) {
  if (access.pinned) return Unfit(address, bytes, "it is pinned already", "Register it with ACL_HOST_REG_MAPPED only");
  const auto allocation = FindAllocation(address);
  const auto offset = registration.sip->FindPinned(address, bytes);
  if (!offset || !allocation || allocation->device != device.id() ||
      bytes > allocation->bytes - (reinterpret_cast<uint64_t>(address) - allocation->address)) {
    return Unfit(address, bytes, fmt::format("it is not one piece of pinned memory of device {}", device.id()),
                 "Check the size, and make the device current that the memory was allocated on");
  }
  registration.pages = {*offset, WholePages(bytes)};
  if (allocation->same_address) registration.device_address = reinterpret_cast<uint64_t>(address);
  return {};
}

}  // namespace

Status RegisterHost(void* address, uint64_t bytes, HostAccess access) {
  const auto first = reinterpret_cast<uint64_t>(address);
  if (first % kNormalPage != 0) {
    return Unfit(address, bytes, fmt::format("the address is not a multiple of {}", kNormalPage),
                 "Allocate it with aligned_alloc or mmap");
  }
  if (bytes > UINT64_MAX - first - kNormalPage)
    return Unfit(address, bytes, "it runs over the end of the address space", "Check the size");
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  Table& table = Registrations();
  base::MutexLock lock(table.mutex);
  Registration registration;
  registration.bytes = bytes;
  registration.sip = context->device().sip();
  registration.pool = context->device().pinned_pool();
  if (!registration.sip || !registration.pool)
    return Status(Code::kContextNull, "the device is off", "Set the device first");
  if (DeviceOfAddress(address) != nullptr)
    return Unfit(address, bytes, "it is device memory", "Kernels use it as it is");
  RETURN_IF_ERROR(CheckNotRegistered(table, first, bytes));
  if (DeviceOfPinned(address) != nullptr) {
    RETURN_IF_ERROR(UsePinned(address, bytes, context->device(), access, registration));
  } else {
    RETURN_IF_ERROR(Adopt(address, bytes, registration));
  }
  if (access.mapped && registration.device_address == 0) {
    if (Status mapped = registration.sip->MapPinned(registration.pages); !mapped.ok()) {
      End(first, registration).IgnoreError();
      return mapped;
    }
    registration.maps_pages = true;
    registration.device_address = registration.sip->PinnedWindowAddress(registration.pages.address);
  }
  table.registrations.emplace(first, std::move(registration));
  return {};
}

Result<void*> DeviceAddressOfHost(const void* address) {
  const auto at = reinterpret_cast<uint64_t>(address);
  Table& table = Registrations();
  base::MutexLock lock(table.mutex);
  auto found = table.registrations.upper_bound(at);
  if (found == table.registrations.begin() || at - (--found)->first >= found->second.bytes) {
    return Status(Code::kHostMemoryNotRegistered, fmt::format("the host address {} is not registered", address),
                  "Register it first; with the reset of its device a registration ends");
  }
  if (found->second.device_address == 0) {
    return Status(
        Code::kParamInvalid,
        fmt::format("the {} bytes at {:#x} are registered, but not for kernels", found->second.bytes, found->first),
        "Register them with ACL_HOST_REG_MAPPED");
  }
  return reinterpret_cast<void*>(found->second.device_address + (at - found->first));
}

Status UnregisterHost(void* address) {
  Table& table = Registrations();
  base::MutexLock lock(table.mutex);
  const auto found = table.registrations.find(reinterpret_cast<uint64_t>(address));
  if (found == table.registrations.end()) {
    return Status(Code::kHostMemoryNotRegistered, fmt::format("no registration begins at {}", address),
                  "Unregister once, with the address that was registered; with the reset of its device a registration "
                  "ends");
  }
  RETURN_IF_ERROR(End(found->first, found->second));
  table.registrations.erase(found);
  return {};
}

void EndRegistrationsOf(const sip::Device& device) {
  Table& table = Registrations();
  base::MutexLock lock(table.mutex);
  std::erase_if(table.registrations, [&](const auto& entry) {
    if (entry.second.sip.get() != &device) return false;
    // Where pages cannot be given back the shared ones stay, which outlive the device.
    End(entry.first, entry.second).IgnoreError();
    return true;
  });
}

void EndRegistrationsIn(const void* address, uint64_t bytes) {
  const auto first = reinterpret_cast<uint64_t>(address);
  Table& table = Registrations();
  base::MutexLock lock(table.mutex);
  std::erase_if(table.registrations, [&](const auto& entry) {
    if (entry.first < first || entry.first - first >= bytes) return false;
    End(entry.first, entry.second).IgnoreError();
    return true;
  });
}

}  // namespace forebay::runtime
