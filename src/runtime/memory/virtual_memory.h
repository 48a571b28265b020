// What is reserved, taken and mapped in this process.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/base/unique_fd.h"
#include "forebay/runtime/managed_memory.h"
#include "forebay/runtime/virtual_memory.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {

// Physical memory that a handle names.
struct Physical {
  uint64_t bytes = 0;  // as asked for
  PhysicalProperties properties;
  std::shared_ptr<sip::Device> sip;  // the device that uses it
  std::vector<sip::Extent> extents;
  base::UniqueFd file;      // of the process that the memory comes from; not valid for memory of this one
  uint32_t references = 1;  // 0: only mappings hold it, and the handle is stale
  uint32_t mappings = 0;
  std::string shared_as;  // the record of what was exported, or imported; empty for neither

  bool imported() const noexcept { return file.valid(); }
};

// A device that uses a mapping, and its number for the file that the memory is in.
struct Grant {
  int32_t device = 0;
  std::shared_ptr<sip::Device> sip;
  uint32_t file = 0;
};

struct MappedRange {
  uint64_t bytes = 0;
  uint64_t handle = 0;
  bool host = false;
  std::vector<Grant> grants;
};

struct Reservation {
  uint64_t bytes = 0;
  int32_t device = 0;  // that was current
  base::Mapping addresses;
  std::shared_ptr<sip::Device> owner;      // the device whose memory is mapped; null while nothing is
  std::map<uint64_t, MappedRange> ranges;  // by address
  std::vector<ManagedPage> pages;          // of managed memory
};

class VirtualMemory {
 public:
  static VirtualMemory& Get();

  // Null for a handle that is stale or never was one.
  Physical* Find(uint64_t handle) REQUIRES(mutex);
  Result<Physical*> Need(uint64_t handle) REQUIRES(mutex);
  uint64_t Add(Physical physical) REQUIRES(mutex);
  // Forgets the memory when nothing holds it any more.
  void DropUnused(uint64_t handle, bool device_ends = false) REQUIRES(mutex);
  // The reservation that an address lies in, and the range that begins at an address or holds it; null when none does.
  std::pair<const uint64_t, Reservation>* ReservationOf(uint64_t address) REQUIRES(mutex);
  std::pair<const uint64_t, MappedRange>* RangeOf(uint64_t address) REQUIRES(mutex);
  void Unmap(std::pair<const uint64_t, Reservation>& reservation, uint64_t address, bool device_ends = false)
      REQUIRES(mutex);

  base::Mutex mutex;
  std::map<uint64_t, Physical> physicals GUARDED_BY(mutex);
  std::map<uint64_t, Reservation> reservations GUARDED_BY(mutex);  // by address
  uint64_t serial GUARDED_BY(mutex) = 0;
};

// What is mapped at an address, as allocations are told of.
std::optional<Allocation> FindMapped(uint64_t address);
// The device is being switched off.
void EndMappingsOf(int32_t device, const std::shared_ptr<sip::Device>& sip);
// The same, of MapForPeer.
void EndPeerMappingsOf(const std::shared_ptr<sip::Device>& sip);

}  // namespace forebay::runtime
