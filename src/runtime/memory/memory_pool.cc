#include "forebay/memory_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "forebay/base/macros.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "memory/memory_pool_impl.h"

namespace forebay {

class MemoryPool::Impl {
 public:
  Impl(std::unique_ptr<runtime::MemorySource> source, runtime::PoolOptions options)
      : options_(std::move(options)), source_(std::move(source)) {}
  ~Impl() { Detach(); }

  // Asks for another range. Nothing else of the pool waits for the answer.
  Status Grow(uint64_t bytes) EXCLUDES(mutex_) {
    std::shared_ptr<runtime::MemorySource> source;
    {
      base::MutexLock lock(mutex_);
      if (!source_) return Detached(Code::kInvalidHandle);
      source = source_;
    }
    auto range = source->Obtain(std::max(bytes, options_.growth_bytes));
    // Less than the usual step may still be there.
    if (!range.ok() && bytes < options_.growth_bytes) range = source->Obtain(bytes);
    base::MutexLock lock(mutex_);
    ++statistics_.device_calls;
    if (!range.ok()) return range.status();
    if (!source_) {
      source->Return(*range);
      return Detached(Code::kInvalidHandle);
    }
    ranges_.push_back(*range);
    blocks_.AddRange(range->address, range->bytes);
    statistics_.reserved_bytes += range->bytes;
    return {};
  }

  Result<void*> Alloc(std::size_t bytes, std::size_t reserved) EXCLUDES(mutex_) {
    if (bytes == 0) return Status(Code::kParamInvalid, "0 bytes of memory were asked for", "Ask for at least 1 byte");
    if (reserved > ~uint64_t{0} - options_.alignment) {
      base::MutexLock lock(mutex_);
      return OutOfMemoryLocked(bytes, "");
    }
    TakeBack();
    const uint64_t rounded = (reserved + options_.alignment - 1) / options_.alignment * options_.alignment;
    runtime::Block block;
    {
      base::MutexLock lock(mutex_);
      if (auto taken = TakeLocked(rounded, bytes)) block = *taken;
    }
    // Operators that have run may still hold blocks; the device is asked only after those are back.
    if (block.bytes == 0) Reclaim();
    while (block.bytes == 0) {
      {
        base::MutexLock lock(mutex_);
        if (!source_) return Detached(Code::kInvalidHandle);
        if (auto taken = TakeLocked(rounded, bytes)) {
          block = *taken;
          break;
        }
      }
      // Another thread may take the new range first; then there is a need for one more.
      Status grown = Grow(rounded);
      if (!grown.ok()) {
        // The device may have it in one piece together with ranges that the pool keeps and nobody uses.
        Trim();
        grown = Grow(rounded);
      }
      if (!grown.ok()) {
        base::MutexLock lock(mutex_);
        if (!source_) return Detached(Code::kInvalidHandle);
        // A device that is gone, say: memory is not what is lacking.
        if (grown.code() != Code::kMemoryAllocation) return grown;
        return OutOfMemoryLocked(bytes, grown.error()->message);
      }
    }
    if (options_.poison) Poison(block);
    return reinterpret_cast<void*>(block.address);
  }

  Status Free(void* address) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (!source_) return Detached(Code::kMemoryFree);
    const auto block = blocks_.Give(reinterpret_cast<uint64_t>(address));
    if (!block) {
      return Status(Code::kMemoryFree, fmt::format("address {} is not the start of a live block", address),
                    "Free a block once, with the address that the allocation gave");
    }
    statistics_.requested_bytes -= block->requested;
    statistics_.allocated_bytes -= block->bytes;
    --statistics_.live_blocks;
    return {};
  }

  void Trim() EXCLUDES(mutex_) {
    Reclaim();
    base::MutexLock lock(mutex_);
    if (!source_) return;
    for (const runtime::Block& range : blocks_.RemoveFreeRanges()) {
      source_->Return({range.address, range.bytes});
      statistics_.reserved_bytes -= range.bytes;
      std::erase_if(ranges_, [&](const sip::MemoryRange& held) { return held.address == range.address; });
    }
  }

  void Detach() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (!source_) return;
    for (const sip::MemoryRange& range : ranges_) source_->Return(range);
    ranges_.clear();
    blocks_ = runtime::FreeBlocks();
    statistics_ = {};
    source_.reset();
  }

  MemoryPoolStatistics statistics() EXCLUDES(mutex_) {
    Reclaim();
    base::MutexLock lock(mutex_);
    return statistics_;
  }
  const std::shared_ptr<runtime::ReturnedBlocks>& returned() const noexcept { return returned_; }
  uint64_t free_bytes() EXCLUDES(mutex_) {
    TakeBack();
    base::MutexLock lock(mutex_);
    return blocks_.free_bytes();
  }

 private:
  static Status Detached(Code code) {
    return Status(code, "the pool's device was reset, and its memory went with it",
                  "Set the device again and allocate anew");
  }

  std::optional<runtime::Block> TakeLocked(uint64_t rounded, uint64_t requested) REQUIRES(mutex_) {
    const auto block = blocks_.Take(rounded, requested);
    if (block) {
      statistics_.requested_bytes += requested;
      statistics_.allocated_bytes += rounded;
      statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.allocated_bytes);
      ++statistics_.live_blocks;
    }
    return block;
  }

  Status OutOfMemoryLocked(std::size_t bytes, std::string_view source_message) REQUIRES(mutex_) {
    return Status(
        Code::kMemoryAllocation,
        fmt::format("{} bytes cannot be allocated: the pool holds {} bytes, {} of them free, the largest piece {}{}{}",
                    bytes, statistics_.reserved_bytes, blocks_.free_bytes(), blocks_.largest_free(),
                    source_message.empty() ? "" : "; ", source_message),
        fmt::format("Free memory that is no longer used, or raise {}", options_.parameter));
  }

  void Poison(const runtime::Block& block) EXCLUDES(mutex_) {
    std::shared_ptr<runtime::MemorySource> source;
    {
      base::MutexLock lock(mutex_);
      source = source_;
    }
    if (!source) return;
    if (std::byte* view = source->HostView(block.address, block.bytes)) std::memset(view, 0xA5, block.bytes);
  }

  // Blocks whose last tensor is gone.
  void TakeBack() EXCLUDES(mutex_) {
    returned_->TakeAll([this](void* address) { Free(address).IgnoreError(); });
  }
  void Reclaim() EXCLUDES(mutex_) {
    if (options_.reclaim) options_.reclaim();
    TakeBack();
  }

  const runtime::PoolOptions options_;
  const std::shared_ptr<runtime::ReturnedBlocks> returned_ = std::make_shared<runtime::ReturnedBlocks>();
  base::Mutex mutex_;
  std::shared_ptr<runtime::MemorySource> source_ GUARDED_BY(mutex_);
  runtime::FreeBlocks blocks_ GUARDED_BY(mutex_);
  std::vector<sip::MemoryRange> ranges_ GUARDED_BY(mutex_);
  MemoryPoolStatistics statistics_ GUARDED_BY(mutex_);
};

MemoryPool::MemoryPool(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MemoryPool::~MemoryPool() = default;

Result<std::shared_ptr<MemoryPool>> MemoryPool::Create(uint64_t initial_bytes) {
  ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
  runtime::DeviceState& device = context->device();
  const uint64_t power_cycle = device.power_cycle();
  const std::shared_ptr<sip::Device> sip = device.sip();
  const Status off(Code::kContextNull, "the device is off", "Set the device first");
  if (!sip) return off;
  if (initial_bytes > sip->memory_bytes()) {
    return Status(Code::kMemoryAllocation,
                  fmt::format("a pool of {} bytes was asked of device {}, which has {}", initial_bytes, device.id(),
                              sip->memory_bytes()),
                  "Begin with less: a pool grows when it has to");
  }
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryPool> pool,
                   runtime::MakeDevicePool(sip, initial_bytes, runtime::CurrentConfiguration().poison != 0,
                                           [&device] { device.ReclaimAll(); }));
  if (device.AddPool(pool, power_cycle)) return pool;
  runtime::DetachPool(*pool);
  return off;
}

Result<std::shared_ptr<MemoryPool>> MemoryPool::OfCurrentDevice() {
  ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
  std::shared_ptr<MemoryPool> pool = context->device().memory_pool();
  if (!pool) return Status(Code::kContextNull, "the device is off", "Set the device first");
  return pool;
}

Result<void*> MemoryPool::Alloc(std::size_t bytes) { return impl_->Alloc(bytes, bytes); }
Status MemoryPool::Free(void* address) { return impl_->Free(address); }
void MemoryPool::Trim() { impl_->Trim(); }
MemoryPoolStatistics MemoryPool::statistics() const { return impl_->statistics(); }

}  // namespace forebay

namespace forebay::runtime {
namespace {

constexpr uint64_t kGrowthBytes = uint64_t{16} << 20;

class DeviceMemory final : public MemorySource {
 public:
  explicit DeviceMemory(std::shared_ptr<sip::Device> device) : device_(std::move(device)) {}
  Result<sip::MemoryRange> Obtain(uint64_t bytes) override { return device_->AllocateMemory(bytes); }
  void Return(const sip::MemoryRange& range) override { device_->FreeMemory(range); }
  std::byte* HostView(uint64_t address, uint64_t bytes) override { return device_->HostViewOfDevice(address, bytes); }

 private:
  const std::shared_ptr<sip::Device> device_;
};

class PinnedMemory final : public MemorySource {
 public:
  explicit PinnedMemory(std::shared_ptr<sip::Device> device)
      : device_(std::move(device)), base_(reinterpret_cast<uint64_t>(device_->HostViewOfPinned(0))) {}
  Result<sip::MemoryRange> Obtain(uint64_t bytes) override {
    ASSIGN_OR_RETURN(sip::MemoryRange range, device_->AllocatePinned(bytes));
    range.address += base_;
    return range;
  }
  void Return(const sip::MemoryRange& range) override { device_->FreePinned({range.address - base_, range.bytes}); }
  std::byte* HostView(uint64_t address, uint64_t) override { return reinterpret_cast<std::byte*>(address); }

 private:
  const std::shared_ptr<sip::Device> device_;
  const uint64_t base_;
};

}  // namespace

std::shared_ptr<MemoryPool> MakePool(std::unique_ptr<MemorySource> source, PoolOptions options) {
  return std::make_shared<MemoryPool>(std::make_unique<MemoryPool::Impl>(std::move(source), std::move(options)));
}

Result<std::shared_ptr<MemoryPool>> MakeDevicePool(std::shared_ptr<sip::Device> device, uint64_t initial_bytes,
                                                   bool poison, std::function<void()> reclaim) {
  PoolOptions options;
  options.growth_bytes = kGrowthBytes;
  options.poison = poison;
  options.reclaim = std::move(reclaim);
  const uint64_t limit = device->memory_bytes();
  auto pool = MakePool(std::make_unique<DeviceMemory>(std::move(device)), std::move(options));
  if (initial_bytes > 0) RETURN_IF_ERROR(pool->impl().Grow(std::min(initial_bytes, limit)));
  return pool;
}

std::shared_ptr<MemoryPool> MakePinnedPool(std::shared_ptr<sip::Device> device, bool poison) {
  PoolOptions options;
  options.alignment = 4096;  // pinned memory can be registered, which goes by pages
  options.parameter = "pinned_memory";
  options.growth_bytes = uint64_t{4} << 20;
  options.poison = poison;
  return MakePool(std::make_unique<PinnedMemory>(std::move(device)), std::move(options));
}

void DetachPool(MemoryPool& pool) { pool.impl().Detach(); }
Result<void*> AllocateReserving(MemoryPool& pool, std::size_t bytes, std::size_t reserved_bytes) {
  return pool.impl().Alloc(bytes, reserved_bytes);
}
std::shared_ptr<ReturnedBlocks> ReturnedBlocksOf(MemoryPool& pool) { return pool.impl().returned(); }
uint64_t PoolFreeBytes(MemoryPool& pool) { return pool.impl().free_bytes(); }

}  // namespace forebay::runtime
