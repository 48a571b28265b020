// Allocating and freeing device and pinned memory, and what is known of an address: what the facade calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "forebay/status.h"

namespace forebay::runtime {

inline constexpr uint64_t kNormalPage = 4096;
inline constexpr uint64_t kHugePage = uint64_t{2} << 20;
inline constexpr uint64_t kGiantPage = uint64_t{1} << 30;
// The part of a program that an allocation is for, when it does not say.
inline constexpr uint16_t kApplicationModule = 33;

struct AllocationRequest {
  std::size_t bytes = 0;
  uint64_t page_bytes = kNormalPage;  // beyond normal pages whole ones are accounted
  bool falls_back = false;            // normal pages will do when there are no such pages left
  bool with_tail = false;             // the room that parts keep behind a block, too
  bool same_address = false;          // pinned: kernels use it at the host's address once it is registered
  uint16_t module = kApplicationModule;
  const void* site = nullptr;  // the return address of the call, for reports
};

struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;     // as asked for
  uint64_t reserved = 0;  // as accounted
  uint64_t page_bytes = kNormalPage;
  int32_t device = -1;
  bool host = false;
  bool same_address = false;
  bool mapped = false;   // physical memory at reserved addresses
  bool managed = false;  // such memory, by AllocateManaged
  uint16_t module = kApplicationModule;
  const void* site = nullptr;
};

struct ModuleUse {
  int32_t device = -1;
  uint16_t module = kApplicationModule;
  uint64_t bytes = 0;
  uint64_t peak_bytes = 0;
};

struct MemoryInfo {
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
};

// Whether a free waits for all that is queued on the device first.
enum class BeforeFree { kNothing, kWaitForDevice };

// On the calling thread's device. kMemoryAllocation says what there is and who has it.
Result<void*> AllocateDevice(const AllocationRequest& request);
Result<void*> AllocatePinned(const AllocationRequest& request);
// By the address that the allocation gave; `site` is the return address of the call. kMemoryFree names what else the
// address is.
Status FreeDevice(void* address, BeforeFree before, const void* site);
Status FreePinned(void* address, BeforeFree before, const void* site);
// Of the calling thread's device.
Result<MemoryInfo> QueryMemory();
// What is allocated at an address, which may lie inside.
std::optional<Allocation> FindAllocation(const void* address);
// Whether all of the range is device memory that is allocated.
bool IsDeviceMemory(const void* address, std::size_t bytes);
// What the parts of the program have allocated on a device, the most first.
Result<std::vector<ModuleUse>> QueryModules(int32_t device);

}  // namespace forebay::runtime
