#include "forebay/runtime/allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "forebay/base/macros.h"
#include "forebay/memory_pool.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"
#include "memory/allocation_table.h"
#include "memory/check/memory_reports.h"
#include "memory/host_registration.h"
#include "memory/memory_pool_impl.h"
#include "memory/memory_sharing.h"
#include "memory/pool_registry.h"
#include "memory/virtual_memory.h"

namespace forebay::runtime {
namespace {

constexpr uint64_t kUnit = 32;  // sizes are accounted in multiples of it

// What the part keeps behind a block. It is accounted only.
uint64_t TailBytes(const AllocationRequest& request) noexcept {
  return request.with_tail && request.page_bytes != kGiantPage ? CurrentProfile().generation->malloc_padding_bytes : 0;
}

uint64_t SaturatingRoundUp(uint64_t bytes, uint64_t unit) noexcept {
  return bytes > UINT64_MAX - (unit - 1) ? UINT64_MAX : (bytes + unit - 1) / unit * unit;
}

// The bytes to account for; what would overflow stays beyond everything.
uint64_t ReservedBytes(const AllocationRequest& request, uint64_t page_bytes) noexcept {
  const uint64_t rounded = SaturatingRoundUp(request.bytes, kUnit);
  const uint64_t tail = TailBytes(request);
  const uint64_t reserved = rounded > UINT64_MAX - tail ? UINT64_MAX : rounded + tail;
  return page_bytes == kNormalPage ? reserved : SaturatingRoundUp(reserved, page_bytes);
}

// The room to keep in the pool: whole pages from one page on, because memory that is shared with other processes begins
// at a page.
uint64_t RoomOf(const AllocationRequest& request, uint64_t reserved) noexcept {
  if (request.page_bytes != kNormalPage) return reserved;
  return request.bytes < kNormalPage ? request.bytes : SaturatingRoundUp(request.bytes, kNormalPage);
}

Status Off() { return Status(Code::kContextNull, "the device is off", "Set the device first"); }

MemoryInfo InfoOf(const sip::Device& device, MemoryPool& pool) {
  // What the pool holds but nobody uses is free.
  return {device.memory_bytes() - device.memory_in_use() + PoolFreeBytes(pool), device.memory_bytes()};
}

// Why nothing was allocated: the device has failed, or who holds its memory.
Status OutOfMemory(const AllocationRequest& request, const DeviceState& device, MemoryPool& pool,
                   const Status& failure) {
  const std::shared_ptr<sip::Device> sip = device.sip();
  if (!sip) return failure;
  if (failure.code() == Code::kLostHeartbeat) device.AwaitNewsOfLoss(*sip);
  if (device.is_failed()) return device.device_failure();
  if (failure.code() != Code::kMemoryAllocation) return failure;
  const MemoryInfo info = InfoOf(*sip, pool);
  Error error = *failure.error();
  const std::string holders = AllocationTable::Get().DescribeHolders(device.id(), info.total_bytes - info.free_bytes);
  error.message =
      fmt::format("{} bytes{} were asked of device {}, which has {} of {} bytes free. In use: {}. {}", request.bytes,
                  request.page_bytes == kNormalPage || request.falls_back
                      ? std::string()
                      : fmt::format(" in pages of {} bytes", request.page_bytes),
                  device.id(), info.free_bytes, info.total_bytes, holders.empty() ? "nothing" : holders, error.message);
  error.device = device.id();
  return Status(std::move(error));
}

// Enters what was allocated, unless the device has been switched off meanwhile: then it is gone already.
void Enter(const Allocation& allocation, const DeviceState& device, uint64_t power_cycle) {
  AllocationTable::Get().Add(allocation);
  if (device.power_cycle() != power_cycle) AllocationTable::Get().Remove(allocation.address, allocation.host);
}

Allocation Describe(const AllocationRequest& request, void* address, uint64_t reserved, int32_t device) {
  Allocation allocation;
  allocation.address = reinterpret_cast<uint64_t>(address);
  allocation.bytes = request.bytes;
  allocation.reserved = reserved;
  allocation.page_bytes = request.page_bytes;
  allocation.device = device;
  allocation.same_address = request.same_address;
  allocation.module = request.module;
  allocation.site = request.site;
  return allocation;
}

// A range of its own, which host and kernels see at the same address: that of the device's window.
Result<sip::MemoryRange> AllocateSameAddress(sip::Device& device, MemoryPool& pool, uint64_t bytes, const void* site) {
  ASSIGN_OR_RETURN(void* block, AllocateFor(pool, bytes, site));
  const uint64_t pages = SaturatingRoundUp(bytes, kNormalPage);
  const sip::MemoryRange range{device.FindPinned(block, pages).value_or(0), pages};
  void* address = reinterpret_cast<void*>(device.PinnedWindowAddress(range.address));
  Status status = device.AliasPinned(address, range);
  if (status.ok()) status = device.MapPinned(range);
  if (!status.ok()) {
    device.ForgetAlias(address);
    pool.Free(block).IgnoreError();
    return status;
  }
  return range;
}

void FreeSameAddress(sip::Device& device, MemoryPool& pool, const Allocation& allocation, const void* site) {
  const auto* address = reinterpret_cast<const void*>(allocation.address);
  const auto offset = device.FindPinned(address, allocation.reserved);
  if (!offset) return;
  const sip::MemoryRange range{*offset, allocation.reserved};
  device.ForgetAlias(address);
  device.UnmapPinned(range);
  FreeFor(pool, device.HostViewOfPinned(*offset), site).IgnoreError();
}

// Waits until what is queued on the device has run. How it went is told where its streams are synchronised.
Status WaitForDevice(const DeviceState& device) {
  RETURN_IF_ERROR(CheckNotInHostFunction("frees memory after waiting for its device"));
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "frees memory after waiting for its device"));
  for (uint32_t slot = 0; slot < types::kMaxStreams; ++slot) {
    uint64_t handle = 0;
    Stream* stream = device.FindStream(slot, &handle);
    if (stream == nullptr) continue;
    if (const auto tail = stream->UnfinishedTail(handle)) {
      RETURN_IF_ERROR(stream->CheckNotHeld());
      stream->WaitEntry(*tail, -1, Code::kStreamSyncTimeout).IgnoreError();
    }
  }
  return {};
}

// Why an address cannot be freed as what it was given for.
Status NotToBeFreed(const void* address, std::string_view wanted, std::string_view other_call, const void* site) {
  if (std::string text = MemoryReports::Get().FindDoubleFree(reinterpret_cast<uint64_t>(address), site); !text.empty())
    return Status(Code::kMemoryFree, std::move(text), "Free a block once");
  std::string what = fmt::format(
      "nothing that is allocated; {} that was freed, or of a device that was reset, counts "
      "as that",
      wanted);
  std::string advice = "Free it once, before its device is reset, with the address that the allocation gave";
  if (const auto found = FindAllocation(address)) {
    const bool is_wanted = found->host == (wanted == "pinned memory");
    const uint64_t into = reinterpret_cast<uint64_t>(address) - found->address;
    if (found->mapped && !found->managed) {
      what = "memory that was mapped there";
      advice = "Unmap it with aclrtUnmapMem, or aclrtIpcMemClose when it was imported by a key";
    } else if (!is_wanted) {
      what = fmt::format("{} memory", found->host ? "pinned host" : "device");
      advice = fmt::format("Free it with {}", other_call);
    } else if (into != 0) {
      what = fmt::format("{} bytes into the {} bytes at {:#x}", into, found->bytes, found->address);
      advice = fmt::format("Free {:#x} instead", found->address);
    } else if (found->site == nullptr) {
      what = "memory of a pool with a handle";
      advice = "Release it with aclrtMemPoolFreeAsync";
    }
  }
  return Status(Code::kMemoryFree, fmt::format("{} cannot be freed as {}: it is {}", address, wanted, what),
                std::move(advice));
}

}  // namespace

Result<void*> AllocateDevice(const AllocationRequest& request) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  const DeviceState& device = context->device();
  const uint64_t power_cycle = device.power_cycle();
  const std::shared_ptr<MemoryPool> pool = device.memory_pool();
  if (!pool) return Off();
  AllocationRequest served = request;
  uint64_t reserved = ReservedBytes(request, request.page_bytes);
  auto address = AllocateReserving(*pool, request.bytes, RoomOf(request, reserved), request.site);
  if (!address.ok() && request.falls_back && request.page_bytes != kNormalPage) {
    served.page_bytes = kNormalPage;
    reserved = ReservedBytes(request, kNormalPage);
    address = AllocateReserving(*pool, request.bytes, RoomOf(served, reserved), request.site);
  }
  if (!address.ok()) return OutOfMemory(request, device, *pool, address.status());
  Enter(Describe(served, *address, reserved, device.id()), device, power_cycle);
  return address;
}

Result<void*> AllocatePinned(const AllocationRequest& request) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  const DeviceState& device = context->device();
  const uint64_t power_cycle = device.power_cycle();
  const std::shared_ptr<MemoryPool> pool = device.pinned_pool();
  const std::shared_ptr<sip::Device> sip = device.sip();
  if (!pool || !sip) return Off();
  Allocation allocation = Describe(request, nullptr, SaturatingRoundUp(request.bytes, kNormalPage), device.id());
  allocation.host = true;
  if (request.same_address) {
    ASSIGN_OR_RETURN(const sip::MemoryRange range, AllocateSameAddress(*sip, *pool, request.bytes, request.site));
    allocation.address = sip->PinnedWindowAddress(range.address);
    allocation.reserved = range.bytes;
  } else {
    ASSIGN_OR_RETURN(void* address, AllocateFor(*pool, request.bytes, request.site));
    allocation.address = reinterpret_cast<uint64_t>(address);
  }
  Enter(allocation, device, power_cycle);
  return reinterpret_cast<void*>(allocation.address);
}

Status FreeDevice(void* address, BeforeFree before, const void* site) {
  DeviceState* device = DeviceOfAddress(address);
  if (device != nullptr && IsManagedAddress(address)) {
    if (before == BeforeFree::kWaitForDevice) RETURN_IF_ERROR(WaitForDevice(*device));
    return FreeManaged(address);
  }
  const std::shared_ptr<MemoryPool> pool = device != nullptr ? device->memory_pool() : nullptr;
  if (!pool) return NotToBeFreed(address, "device memory", "aclrtFreeHost", site);
  if (before == BeforeFree::kWaitForDevice) RETURN_IF_ERROR(WaitForDevice(*device));
  if (const std::string key = KeyOfExported(reinterpret_cast<uint64_t>(address)); !key.empty()) {
    return Status(Code::kMemoryFree, fmt::format("{} cannot be freed: it is shared by the key {}", address, key),
                  "Close the key with aclrtIpcMemClose first, after the processes that have imported it");
  }
  // First, because the pool may give the address out again at once. What the runtime itself has from the pool is not in
  // the table, and not the caller's to free.
  const auto allocation = AllocationTable::Get().Remove(reinterpret_cast<uint64_t>(address), /*host=*/false);
  if (allocation && FreeFor(*pool, address, site).ok()) return {};
  return NotToBeFreed(address, "device memory", "aclrtFreeHost", site);
}

Status FreePinned(void* address, BeforeFree before, const void* site) {
  DeviceState* device = DeviceOfPinned(address);
  const std::shared_ptr<MemoryPool> pool = device != nullptr ? device->pinned_pool() : nullptr;
  const std::shared_ptr<sip::Device> sip = device != nullptr ? device->sip() : nullptr;
  if (!pool || !sip) return NotToBeFreed(address, "pinned memory", "aclrtFree", site);
  if (before == BeforeFree::kWaitForDevice) RETURN_IF_ERROR(WaitForDevice(*device));
  const auto allocation = AllocationTable::Get().Remove(reinterpret_cast<uint64_t>(address), /*host=*/true);
  if (allocation) EndRegistrationsIn(address, allocation->bytes);
  if (allocation && allocation->same_address) {
    FreeSameAddress(*sip, *pool, *allocation, site);
    return {};
  }
  if (allocation && FreeFor(*pool, address, site).ok()) return {};
  return NotToBeFreed(address, "pinned memory", "aclrtFree", site);
}

Result<MemoryInfo> QueryMemory() {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  const std::shared_ptr<sip::Device> device = context->device().sip();
  const std::shared_ptr<MemoryPool> pool = context->device().memory_pool();
  if (!device || !pool) return Off();
  return InfoOf(*device, *pool);
}

std::optional<Allocation> FindAllocation(const void* address) {
  const auto at = reinterpret_cast<uint64_t>(address);
  AllocationTable& table = AllocationTable::Get();
  if (const auto found = table.Find(at)) return found;
  if (const auto found = table.FindSameAddress(at)) return found;
  // Somewhere inside: the pool knows where the block begins.
  DeviceState* device = DeviceOfAddress(address);
  std::shared_ptr<MemoryPool> pool;
  if (device != nullptr) {
    pool = device->pools().At(at);
  } else if ((device = DeviceOfPinned(address)) != nullptr) {
    pool = device->pinned_pool();
  }
  if (!pool) {
    const auto mapped = FindMapped(at);
    return mapped ? mapped : FindImported(at);
  }
  const auto block = BlockAt(*pool, at);
  if (!block || at - block->address >= block->requested) return std::nullopt;
  if (const auto found = table.Find(block->address)) return found;
  if (!HasHandle(*pool)) return std::nullopt;
  // Of a pool with a handle the program knows what it has.
  Allocation allocation;
  allocation.address = block->address;
  allocation.bytes = block->requested;
  allocation.reserved = block->rounded;
  allocation.device = device->id();
  return allocation;
}

bool IsDeviceMemory(const void* address, std::size_t bytes) {
  const DeviceState* device = DeviceOfAddress(address);
  const std::shared_ptr<sip::Device> sip = device != nullptr ? device->sip() : nullptr;
  return sip && sip->HostViewOfDevice(reinterpret_cast<uint64_t>(address), bytes) != nullptr;
}

Result<std::vector<ModuleUse>> QueryModules(int32_t device) {
  RETURN_IF_ERROR(FindDevice(device).status());
  return AllocationTable::Get().UseByModule(device);
}

}  // namespace forebay::runtime
