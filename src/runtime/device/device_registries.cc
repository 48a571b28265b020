// What belongs to a device: its streams, contexts, pools, event registers and kernel images.
#include <algorithm>

#include "forebay/base/architecture.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/sip/device.h"

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

void DeviceState::ReclaimAll() {
  for (uint32_t slot = 0; slot < types::kMaxStreams; ++slot) {
    const uint64_t handle = StreamAtSlot(slot);
    if (handle == 0) continue;
    if (Stream* stream = Streams().Find(handle)) stream->Reclaim();
  }
}

void DeviceState::ReclaimEventsLocked(sip::Device& device) {
  while (!retired_events_.empty()) {
    const RetiredEvent& oldest = retired_events_.front();
    if (device.event_register(oldest.event).value.load(std::memory_order_acquire) < oldest.value) return;
    device.FreeEvent(oldest.event);
    retired_events_.pop_front();
  }
}

bool DeviceState::AddPool(const std::shared_ptr<MemoryPool>& pool, uint64_t power_cycle) {
  base::MutexLock lock(mutex_);
  if (this->power_cycle() != power_cycle) return false;
  std::erase_if(application_pools_, [](const auto& made) { return made.expired(); });
  application_pools_.push_back(pool);
  return true;
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

void DeviceState::RetireKernelImage(const std::shared_ptr<sip::Device>& device, uint32_t image) {
  RetiredImage retired{image, {}};
  for (uint32_t slot = 0; slot < types::kMaxStreams; ++slot) {
    const uint64_t handle = StreamAtSlot(slot);
    const Stream* stream = Streams().Find(handle);
    const auto tail = stream != nullptr ? stream->UnfinishedTail(handle) : std::nullopt;
    if (tail) retired.pending.emplace_back(slot, *tail);
  }
  {
    base::MutexLock lock(mutex_);
    if (sip_ != device) retired.pending.clear();  // it is being switched off, after all its tasks
    retired_images_.push_back(std::move(retired));
  }
  ReclaimImages(device);
}

void DeviceState::ReclaimImages(const std::shared_ptr<sip::Device>& device) {
  std::vector<uint32_t> unused;
  {
    base::MutexLock lock(mutex_);
    std::erase_if(retired_images_, [&](RetiredImage& retired) {
      // A slot is given to another stream only after its queue has drained, so its counter answers for the old one too.
      std::erase_if(retired.pending,
                    [&](const auto& waiting) { return device->DoneEntry(waiting.first) >= waiting.second; });
      if (!retired.pending.empty()) return false;
      unused.push_back(retired.image);
      return true;
    });
  }
  for (const uint32_t image : unused) device->UnloadImage(image);
}

}  // namespace forebay::runtime
