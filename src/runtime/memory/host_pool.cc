#include "memory/host_pool.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/host_memory.h"
#include "forebay/runtime/allocation.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "memory/memory_pool_impl.h"

namespace forebay::runtime {
namespace {

constexpr uint64_t kGrowthBytes = uint64_t{32} << 20;

// Virtual memory of the process, in whole huge pages.
class VirtualMemory final : public PoolPages {
 public:
  uint64_t page_bytes() const noexcept override { return kHugePage; }
  std::optional<AddressRange> RangeAround(uint64_t /*address*/) override { return std::nullopt; }
  Result<AddressRange> Obtain(uint64_t bytes, uint64_t /*after*/) override {
    const uint64_t rounded = bytes > UINT64_MAX - 2 * kHugePage ? 0 : (bytes + kHugePage - 1) / kHugePage * kHugePage;
    // Room to begin at a huge page; what is beside it goes back.
    void* mapped = rounded == 0 ? MAP_FAILED
                                : mmap(nullptr, rounded + kHugePage, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
      return Status(Code::kMemoryAllocation,
                    fmt::format("the system has no {} bytes of virtual memory: {}", bytes, std::strerror(errno)),
                    "Free memory first, or raise the limit of the process (ulimit -v)");
    }
    const auto begin = reinterpret_cast<uint64_t>(mapped);
    const uint64_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
    if (first > begin) munmap(mapped, first - begin);
    if (begin + kHugePage > first) munmap(reinterpret_cast<void*>(first + rounded), begin + kHugePage - first);
    // Without huge pages normal ones do.
    madvise(reinterpret_cast<void*>(first), rounded, MADV_HUGEPAGE);
    return AddressRange{first, rounded};
  }
  void Return(const AddressRange& range) override { munmap(reinterpret_cast<void*>(range.address), range.bytes); }
  Result<AddressRange> Rearrange(std::span<const AddressRange>, uint64_t, uint64_t) override {
    return Status(Code::kFeatureNotSupport, "virtual memory needs no rearranging");
  }
  std::byte* HostView(uint64_t address, uint64_t) override { return reinterpret_cast<std::byte*>(address); }
  void Detach() override {}
};

// No stream uses this memory in its order.
class NoOrdering final : public Ordering {
 public:
  bool IsOrdered(uint32_t, const StreamMoment&) const noexcept override { return true; }
  bool HasPassed(const StreamMoment&) const noexcept override { return true; }
};

// Of the process: what the CPU works on has nothing to do with devices. Never destroyed, because static objects of the
// program may still use it.
MemoryPool& ComputePool() {
  static base::NeverDestroyed<std::shared_ptr<MemoryPool>> pool([] {
    static base::NeverDestroyed<NoOrdering> ordering;
    PoolTraits traits;
    traits.belongs_to_process = true;
    traits.heap.alignment = 64;
    traits.heap.growth_bytes = kGrowthBytes;
    traits.heap.remap_bytes = 0;
    traits.parameter = "the limit of the process (ulimit -v)";
    return MakePool(std::make_unique<VirtualMemory>(), *ordering, {}, std::move(traits));
  }());
  return **pool;
}

Result<std::shared_ptr<MemoryPool>> CopyPool() {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  std::shared_ptr<MemoryPool> pool = context->device().pinned_pool();
  if (!pool) return Status(Code::kContextNull, "the device is off", "Set the device first");
  return pool;
}

Status UnknownUse(HostUse use) {
  return Status(Code::kParamInvalid, fmt::format("there is no use {} of host memory", static_cast<uint32_t>(use)),
                "See HostUse");
}

}  // namespace

std::shared_ptr<void> AllocateStaging(DeviceState& device, std::size_t bytes) {
  const std::shared_ptr<MemoryPool> pool = device.pinned_pool();
  if (!pool) return nullptr;
  Result<void*> block = AllocateFor(*pool, bytes, nullptr);
  if (!block.ok()) {
    device.ReclaimAll();
    block = AllocateFor(*pool, bytes, nullptr);
  }
  if (!block.ok()) return nullptr;
  // A task that has run may let go of it on a thread that must not wait.
  struct Return {
    std::shared_ptr<ReturnedBlocks> home;
    std::unique_ptr<ReturnedBlocks::Block> block;
    ~Return() { home->Add(std::move(block)); }
  };
  auto owner = std::make_shared<Return>();
  owner->home = ReturnedBlocksOf(*pool);
  owner->block = std::make_unique<ReturnedBlocks::Block>(*block);
  return {std::move(owner), *block};
}

}  // namespace forebay::runtime

namespace forebay {

Result<void*> HostPool::Alloc(std::size_t bytes, HostUse use) {
  const void* site = __builtin_return_address(0);
  switch (use) {
    case HostUse::kCopy: {
      if (bytes == 0) break;
      runtime::AllocationRequest request;
      request.bytes = bytes;
      request.site = site;
      return runtime::AllocatePinned(request);
    }
    case HostUse::kCompute: return runtime::ComputePool().Alloc(bytes);
    default: return runtime::UnknownUse(use);
  }
  return Status(Code::kParamInvalid, "0 bytes of memory were asked for", "Ask for at least 1 byte");
}

Status HostPool::Free(void* address) {
  if (runtime::DeviceOfPinned(address) == nullptr && !runtime::FindAllocation(address) &&
      runtime::ComputePool().Free(address).ok()) {
    return {};
  }
  return runtime::FreePinned(address, runtime::BeforeFree::kNothing, __builtin_return_address(0));
}

void HostPool::Trim() {
  runtime::ComputePool().Trim();
  if (const auto pool = runtime::CopyPool(); pool.ok()) (*pool)->Trim();
}

Result<MemoryPoolStatistics> HostPool::Statistics(HostUse use) {
  switch (use) {
    case HostUse::kCopy: {
      ASSIGN_OR_RETURN(const std::shared_ptr<MemoryPool> pool, runtime::CopyPool());
      return pool->statistics();
    }
    case HostUse::kCompute: return runtime::ComputePool().statistics();
  }
  return runtime::UnknownUse(use);
}

}  // namespace forebay
