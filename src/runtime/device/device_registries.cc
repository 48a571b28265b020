// What belongs to a device: its streams, contexts, pools, event registers and kernel images.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "forebay/base/architecture.h"
#include "forebay/base/macros.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/sip/device.h"
#include "memory/memory_pool_impl.h"

namespace forebay::runtime {

void DeviceState::RegisterStream(uint32_t slot, uint64_t stream) noexcept {
  streams_[slot].store(stream, std::memory_order_release);
}
void DeviceState::UnregisterStream(uint32_t slot) noexcept { streams_[slot].store(0, std::memory_order_release); }
uint64_t DeviceState::StreamAtSlot(uint32_t slot) const noexcept {
  return slot < types::kMaxStreams ? streams_[slot].load(std::memory_order_acquire) : 0;
}

bool DeviceState::SetPeerAccess(int32_t peer, bool enabled) noexcept {
  const uint64_t bit = uint64_t{1} << peer;
  const uint64_t before =
      enabled ? peers_.fetch_or(bit, std::memory_order_acq_rel) : peers_.fetch_and(~bit, std::memory_order_acq_rel);
  return (before & bit) != 0;
}

int32_t DeviceState::Utilization() {
  base::MutexLock lock(mutex_);
  if (!sip_) return 0;
  const types::DeviceCounters& counters = sip_->device_counters();
  const uint64_t now = base::ReadCycleCounter();
  const uint64_t since = counters.long_since.load(std::memory_order_relaxed);
  const uint64_t busy =
      counters.busy_cycles.load(std::memory_order_relaxed) + (since != 0 && since < now ? now - since : 0);
  const uint64_t elapsed = std::max<uint64_t>(now - sampled_at_, 1);
  // A task that ends between the two reads may count twice once.
  const uint64_t worked = busy > sampled_busy_ ? std::min(busy - sampled_busy_, elapsed) : 0;
  sampled_at_ = now;
  sampled_busy_ = busy;
  return static_cast<int32_t>(worked * 100 / elapsed);
}

void DeviceState::AddContext(uint64_t context) {
  base::MutexLock lock(mutex_);
  contexts_.push_back(context);
}

void DeviceState::RemoveContext(uint64_t context) {
  base::MutexLock lock(mutex_);
  contexts_.erase(std::remove(contexts_.begin(), contexts_.end(), context), contexts_.end());
}

Stream* DeviceState::FindStream(uint32_t slot, uint64_t* handle) const noexcept {
  *handle = StreamAtSlot(slot);
  return *handle != 0 ? Streams().Find(*handle) : nullptr;
}

void DeviceState::ReclaimAll() {
  ForEachStream([](Stream& stream, uint64_t) { stream.Reclaim(); });
}

std::vector<DeviceState::UnfinishedStream> DeviceState::UnfinishedStreams() const {
  std::vector<UnfinishedStream> busy;
  for (uint32_t slot = 0; slot < types::kMaxStreams; ++slot) {
    uint64_t handle = 0;
    const Stream* stream = FindStream(slot, &handle);
    if (stream == nullptr) continue;
    if (const auto tail = stream->UnfinishedTail(handle)) busy.push_back({slot, *tail});
  }
  return busy;
}

void DeviceState::ReclaimEventsLocked(sip::Device& device) {
  while (!retired_events_.empty()) {
    const RetiredEvent& oldest = retired_events_.front();
    if (device.event_register(oldest.event).value.load(std::memory_order_acquire) < oldest.value) return;
    device.FreeEvent(oldest.event);
    retired_events_.pop_front();
  }
}

Result<uint32_t> DeviceState::AllocateEventRegister(sip::Device& device) {
  base::MutexLock lock(mutex_);
  if (sip_.get() != &device)
    return Status(Code::kInvalidHandle, "the event's device was reset", "Create events anew after a reset");
  ReclaimEventsLocked(device);
  return device.AllocateEvent();
}

void DeviceState::RetireEventRegister(sip::Device& device, uint32_t event, uint64_t value) {
  base::MutexLock lock(mutex_);
  if (sip_.get() != &device) {
    device.FreeEvent(event);  // it is being switched off
    return;
  }
  retired_events_.push_back({event, value});
  ReclaimEventsLocked(device);
}

Status DeviceState::SetOverflowMode(OverflowMode mode) {
  const std::shared_ptr<sip::Device> device = sip();
  if (!device) return Status(Code::kContextNull, "the device is off", "Set the device first");
  const base::SocGeneration& part = *device->profile().generation;
  if (mode == OverflowMode::kInfNan ? !part.inf_nan_mode : !part.saturation_mode) {
    return Status(Code::kFeatureNotSupport,
                  fmt::format("the part {} has no {} mode", device->profile().name,
                              mode == OverflowMode::kInfNan ? "INFNAN" : "saturation"),
                  "Use the other mode, or a part that has both");
  }
  overflow_mode_.store(mode, std::memory_order_release);
  return {};
}

Result<void*> DeviceState::ZeroedArea(uint64_t key, std::size_t bytes) {
  std::shared_ptr<MemoryPool> pool;
  std::shared_ptr<sip::Device> device;
  {
    base::MutexLock lock(mutex_);
    if (!memory_pool_) return Status(Code::kContextNull, "the device is off", "Set the device first");
    if (const auto found = areas_.find(key); found != areas_.end()) return found->second;
    pool = memory_pool_;
    device = sip_;
  }
  // Without the lock: a pool that is short of memory looks at all streams of the device.
  ASSIGN_OR_RETURN(void* const area, AllocateFor(*pool, bytes, nullptr));
  std::byte* view = device->HostViewOfDevice(reinterpret_cast<uint64_t>(area), bytes);
  if (view != nullptr) std::memset(view, 0, bytes);
  base::MutexLock lock(mutex_);
  if (memory_pool_ == pool && areas_.emplace(key, area).second) return area;
  // Another thread was quicker, or the device was reset.
  pool->Free(area).IgnoreError();
  if (memory_pool_ == pool) return areas_[key];
  return Status(Code::kContextNull, "the device was reset", "Set the device first");
}

Result<void*> DeviceState::OverflowStatus(uint32_t tag) { return ZeroedArea(tag, kOverflowStatusBytes); }

Result<void*> DeviceState::SynchronisationArea() {
  constexpr uint64_t kBehindAllTags = uint64_t{1} << 32;
  return ZeroedArea(kBehindAllTags, 16 * 1024);
}

Result<uint32_t> DeviceState::AllocateNotify(sip::Device& device) {
  base::MutexLock lock(mutex_);
  if (sip_.get() != &device) return Status(Code::kContextNull, "the device is off", "Set the device first");
  ReclaimNotifiesLocked(device);
  return device.AllocateNotify();
}

void DeviceState::RetireNotify(sip::Device& device, uint32_t notify, PendingTasks users) {
  base::MutexLock lock(mutex_);
  if (sip_.get() != &device) users.Clear();  // it is being switched off, after all its tasks
  if (users.AllDone(device)) {
    device.FreeNotify(notify);
  } else {
    retired_notifies_.push_back({notify, std::move(users)});
  }
}

void DeviceState::ReclaimNotifiesLocked(sip::Device& device) {
  std::erase_if(retired_notifies_, [&](RetiredNotify& retired) {
    if (!retired.users.AllDone(device)) return false;
    device.FreeNotify(retired.notify);
    return true;
  });
}

bool DeviceState::AddKernelNames(const sip::Device& device, uint32_t image, std::vector<std::string> names) {
  base::MutexLock lock(mutex_);
  if (sip_.get() != &device) return false;
  if (kernel_names_.size() <= image) kernel_names_.resize(image + 1);
  kernel_names_[image] = std::move(names);
  return true;
}

std::string DeviceState::KernelName(uint32_t image, uint32_t function) const {
  base::MutexLock lock(mutex_);
  if (image >= kernel_names_.size() || function >= kernel_names_[image].size()) return {};
  return kernel_names_[image][function];
}

void DeviceState::RetireKernelImage(const std::shared_ptr<sip::Device>& device, uint32_t image,
                                    std::shared_ptr<void> room) {
  RetiredImage retired{image, std::move(room), {}};
  for (const UnfinishedStream& busy : UnfinishedStreams()) retired.users.Add(busy.slot, busy.tail);
  {
    base::MutexLock lock(mutex_);
    if (sip_ != device) retired.users.Clear();  // it is being switched off, after all its tasks
    retired_images_.push_back(std::move(retired));
  }
  ReclaimImages(device);
}

void DeviceState::ReclaimImages(const std::shared_ptr<sip::Device>& device) {
  std::vector<RetiredImage> unused;
  {
    base::MutexLock lock(mutex_);
    std::erase_if(retired_images_, [&](RetiredImage& retired) {
      if (!retired.users.AllDone(*device)) return false;
      unused.push_back(std::move(retired));
      return true;
    });
  }
  // Their rooms go back to the pool only then.
  for (const RetiredImage& retired : unused) device->UnloadImage(retired.image);
}

}  // namespace forebay::runtime
