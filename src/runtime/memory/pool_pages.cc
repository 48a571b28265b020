#include "memory/pool_pages.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "forebay/base/free_ranges.h"
#include "forebay/base/macros.h"
#include "forebay/base/mutex.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

constexpr uint64_t kDevicePage = uint64_t{2} << 20;
constexpr uint64_t kPinnedPage = uint64_t{64} << 10;

Status Detached() {
  return Status(Code::kInvalidHandle, "the pool's device was reset, and its memory went with it",
                "Set the device again and allocate anew");
}

class DevicePages final : public PoolPages {
 public:
  explicit DevicePages(std::shared_ptr<sip::Device> device) : device_(std::move(device)) {}
  ~DevicePages() override { DevicePages::Detach(); }

  uint64_t page_bytes() const noexcept override { return kDevicePage; }
  std::optional<AddressRange> RangeAround(uint64_t address) override EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    for (const AddressRange& range : ranges_) {
      if (address - range.address < range.bytes) return range;
    }
    return std::nullopt;
  }
  Status AddRange(sip::Device& device, uint64_t bytes) EXCLUDES(mutex_) {
    // Ranges of one pool never touch: a piece of memory lies in one of them.
    ASSIGN_OR_RETURN(const uint64_t address, device.ReserveAddresses(bytes + kDevicePage));
    base::MutexLock lock(mutex_);
    if (!device_) {
      device.ReleaseAddresses(address);
      return Detached();
    }
    ranges_.push_back({address, bytes});
    address_bytes_ += bytes;
    free_.Give(address, bytes);
    return {};
  }

  Result<AddressRange> Obtain(uint64_t bytes, uint64_t after) override EXCLUDES(mutex_) {
    return Rearrange({}, bytes, after);
  }
  void Return(const AddressRange& range) override EXCLUDES(mutex_) {
    const std::shared_ptr<sip::Device> device = this->device();
    if (!device) return;
    device->UnbackAddresses(range.address, range.bytes);
    base::MutexLock lock(mutex_);
    free_.Give(range.address, range.bytes);
  }
  Result<AddressRange> Rearrange(std::span<const AddressRange> from, uint64_t fresh_bytes, uint64_t after) override
      EXCLUDES(mutex_) {
    const std::shared_ptr<sip::Device> device = this->device();
    if (!device) return Detached();
    AddressRange range{0, fresh_bytes};
    std::vector<sip::MemoryRange> pages;
    for (const AddressRange& part : from) {
      range.bytes += part.bytes;
      pages.push_back({part.address, part.bytes});
    }
    if (range.bytes > device->memory_bytes()) {
      return Status(Code::kMemoryAllocation,
                    fmt::format("device {} has {} bytes of memory in all", device->id(), device->memory_bytes()));
    }
    ASSIGN_OR_RETURN(range.address, TakeAddresses(*device, range.bytes, after));
    // What is new may be refused, so it comes first, behind what is moved.
    const uint64_t moved_bytes = range.bytes - fresh_bytes;
    Status status;
    if (fresh_bytes > 0) status = device->BackAddresses(range.address + moved_bytes, fresh_bytes);
    if (status.ok() && moved_bytes > 0) {
      status = device->MoveBacking(range.address, pages);
      if (!status.ok() && fresh_bytes > 0) device->UnbackAddresses(range.address + moved_bytes, fresh_bytes);
    }
    base::MutexLock lock(mutex_);
    if (!status.ok()) {
      free_.Give(range.address, range.bytes);
      return status;
    }
    for (const AddressRange& part : from) free_.Give(part.address, part.bytes);
    return range;
  }
  bool can_withdraw() const noexcept override { return true; }
  void Withdraw(const AddressRange& range) override EXCLUDES(mutex_) {
    if (const std::shared_ptr<sip::Device> device = this->device()) device->UnbackAddresses(range.address, range.bytes);
  }
  Status Restore(const AddressRange& range) override EXCLUDES(mutex_) {
    const std::shared_ptr<sip::Device> device = this->device();
    return device ? device->BackAddresses(range.address, range.bytes) : Detached();
  }
  std::byte* HostView(uint64_t address, uint64_t bytes) override EXCLUDES(mutex_) {
    const std::shared_ptr<sip::Device> device = this->device();
    return device ? device->HostViewOfDevice(address, bytes) : nullptr;
  }
  void Detach() override EXCLUDES(mutex_) {
    std::shared_ptr<sip::Device> device;
    std::vector<AddressRange> ranges;
    {
      base::MutexLock lock(mutex_);
      device.swap(device_);
      ranges = ranges_;
    }
    if (!device || !CheckNotForked().ok()) return;
    for (const AddressRange& range : ranges) device->ReleaseAddresses(range.address);
  }

 private:
  std::shared_ptr<sip::Device> device() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return device_;
  }

  std::optional<uint64_t> TakeFree(uint64_t bytes, uint64_t after) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return free_.TakeAt(after, bytes) ? std::optional(after) : free_.Take(bytes);
  }
  Result<uint64_t> TakeAddresses(sip::Device& device, uint64_t bytes, uint64_t after) EXCLUDES(mutex_) {
    if (const auto free = TakeFree(bytes, after)) return *free;
    uint64_t held = 0;
    {
      base::MutexLock lock(mutex_);
      held = address_bytes_;
    }
    // Where there is no room for a large range, one for this piece alone will do.
    if (bytes > held || !AddRange(device, held).ok()) RETURN_IF_ERROR(AddRange(device, bytes));
    // Another thread may have taken from it.
    if (const auto free = TakeFree(bytes, after)) return *free;
    return Status(Code::kMemoryAllocation, fmt::format("the {} bytes of addresses of the pool are used up", held));
  }

  base::Mutex mutex_;
  std::vector<AddressRange> ranges_ GUARDED_BY(mutex_);  // of addresses; they stay after Detach, for who still asks
  uint64_t address_bytes_ GUARDED_BY(mutex_) = 0;        // of all of them
  base::FreeRanges free_ GUARDED_BY(mutex_);
  std::shared_ptr<sip::Device> device_ GUARDED_BY(mutex_);
};

class PinnedPages final : public PoolPages {
 public:
  explicit PinnedPages(std::shared_ptr<sip::Device> device)
      : base_(reinterpret_cast<uint64_t>(device->HostViewOfPinned(0))), device_(std::move(device)) {}
  ~PinnedPages() override { PinnedPages::Detach(); }

  uint64_t page_bytes() const noexcept override { return kPinnedPage; }
  std::optional<AddressRange> RangeAround(uint64_t /*address*/) override { return std::nullopt; }

  Result<AddressRange> Obtain(uint64_t bytes, uint64_t /*after*/) override EXCLUDES(mutex_) {
    const std::shared_ptr<sip::Device> device = this->device();
    if (!device) return Detached();
    ASSIGN_OR_RETURN(const sip::MemoryRange range, device->AllocatePinned(bytes));
    const AddressRange obtained{range.address + base_, range.bytes};
    base::MutexLock lock(mutex_);
    if (!device_) {
      device->FreePinned(range);
      return Detached();
    }
    held_.emplace(obtained.address, obtained.bytes);
    return obtained;
  }
  // Neighbours are one range to the pool, but not to the device.
  void Return(const AddressRange& range) override EXCLUDES(mutex_) {
    const std::shared_ptr<sip::Device> device = this->device();
    if (!device) return;
    base::MutexLock lock(mutex_);
    const uint64_t end = range.address + range.bytes;
    auto it = held_.upper_bound(range.address);
    if (it != held_.begin()) --it;
    while (it != held_.end() && it->first < end) {
      const auto [begin, bytes] = *it;
      const uint64_t first = std::max(begin, range.address);
      const uint64_t last = std::min(begin + bytes, end);
      ++it;
      if (first >= last) continue;
      device->FreePinned({first - base_, last - first});
      held_.erase(begin);
      if (begin < first) held_.emplace(begin, first - begin);
      if (last < begin + bytes) held_.emplace(last, begin + bytes - last);
    }
  }
  Result<AddressRange> Rearrange(std::span<const AddressRange>, uint64_t, uint64_t) override {
    return Status(Code::kFeatureNotSupport, "the addresses of pinned memory go with it");
  }
  std::byte* HostView(uint64_t address, uint64_t /*bytes*/) override { return reinterpret_cast<std::byte*>(address); }
  void Detach() override EXCLUDES(mutex_) {
    std::shared_ptr<sip::Device> device;
    std::map<uint64_t, uint64_t> held;
    {
      base::MutexLock lock(mutex_);
      device.swap(device_);
      held.swap(held_);
    }
    if (!CheckNotForked().ok()) return;
    for (const auto& [address, bytes] : held) device->FreePinned({address - base_, bytes});
  }

 private:
  std::shared_ptr<sip::Device> device() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return device_;
  }

  const uint64_t base_;
  base::Mutex mutex_;
  std::map<uint64_t, uint64_t> held_ GUARDED_BY(mutex_);  // by address
  std::shared_ptr<sip::Device> device_ GUARDED_BY(mutex_);
};

}  // namespace

Result<std::unique_ptr<PoolPages>> MakeDevicePages(std::shared_ptr<sip::Device> device, uint64_t address_bytes) {
  auto pages = std::make_unique<DevicePages>(device);
  RETURN_IF_ERROR(pages->AddRange(*device, address_bytes));
  return std::unique_ptr<PoolPages>(std::move(pages));
}

std::unique_ptr<PoolPages> MakePinnedPages(std::shared_ptr<sip::Device> device) {
  return std::make_unique<PinnedPages>(std::move(device));
}

}  // namespace forebay::runtime
