// The pools of a device: its own, that of pinned memory, and those that the application makes.
#include <fmt/format.h>

#include <algorithm>

#include "forebay/base/macros.h"
#include "forebay/runtime/device_state.h"
#include "forebay/sip/device.h"
#include "memory/memory_pool_impl.h"
#include "memory/pool/stream_order.h"
#include "memory/pool_registry.h"

namespace forebay::runtime {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kMostFirstAddresses = uint64_t{4} << 30;  // of a pool of the program

// What rests is a quarter of the device's memory at most, so that a program still has room.
std::optional<CheckOptions> ChecksOf(const DeviceState& state, uint64_t memory_bytes, bool is_host) {
  const base::Configuration configuration = CurrentConfiguration();
  if (configuration.memcheck == 0) return std::nullopt;
  return CheckOptions{state.id(), is_host, static_cast<uint64_t>(configuration.memcheck_sample),
                      std::min(static_cast<uint64_t>(configuration.memcheck_quarantine) * kMiB, memory_bytes / 4),
                      static_cast<int>(configuration.memcheck_exit)};
}

PoolTraits TraitsOf(DeviceState& state, const sip::Device& device) {
  PoolTraits traits;
  const base::Configuration configuration = CurrentConfiguration();
  traits.heap.large_unit = 4096;  // what is shared with other processes begins at a page
  traits.heap.growth_bytes = static_cast<uint64_t>(configuration.pool_growth) * kMiB;
  traits.heap.remap_bytes = static_cast<uint64_t>(configuration.pool_remap) * kMiB;
  traits.heap.remap_slack_percent = static_cast<uint32_t>(configuration.pool_remap_slack);
  traits.poison = configuration.poison != 0;
  traits.reclaim = [&state] { state.ReclaimAll(); };
  traits.device = &state;
  traits.check = ChecksOf(state, device.memory_bytes(), /*is_host=*/false);
  return traits;
}

}  // namespace

Result<std::shared_ptr<MemoryPool>> MakeDevicePool(DeviceState& state, const std::shared_ptr<sip::Device>& device,
                                                   uint64_t initial_bytes) {
  // Room to move pages about in without running out of addresses.
  const uint64_t addresses = std::min(4 * device->memory_bytes(), device->address_bytes() / 2);
  ASSIGN_OR_RETURN(std::unique_ptr<PoolPages> pages, MakeDevicePages(device, addresses));
  auto pool = MakePool(std::move(pages), state.stream_order(), {}, TraitsOf(state, *device));
  if (initial_bytes > 0) RETURN_IF_ERROR(GrowPool(*pool, std::min(initial_bytes, device->memory_bytes())));
  return pool;
}

std::shared_ptr<MemoryPool> MakePinnedPool(DeviceState& state, const std::shared_ptr<sip::Device>& device) {
  PoolTraits traits;
  traits.heap.alignment = 4096;  // pinned memory can be registered, which goes by pages
  traits.heap.growth_bytes = 4 * kMiB;
  traits.heap.remap_bytes = 0;
  traits.parameter = "pinned_memory";
  traits.check = ChecksOf(state, device->memory_bytes(), /*is_host=*/true);
  traits.poison = CurrentConfiguration().poison != 0;
  return MakePool(MakePinnedPages(device), state.stream_order(), {}, std::move(traits));
}

Result<std::shared_ptr<MemoryPool>> MakeApplicationPool(DeviceState& state, const MemoryPoolOptions& options,
                                                        bool has_handle) {
  const std::shared_ptr<sip::Device> device = state.sip();
  const Status off(Code::kContextNull, fmt::format("device {} is off", state.id()), "Set the device first");
  if (!device) return off;
  const uint64_t total = device->memory_bytes();
  if (options.initial_bytes > total) {
    return Status(Code::kMemoryAllocation,
                  fmt::format("a pool of {} bytes was asked of device {}, which has {}", options.initial_bytes,
                              state.id(), total),
                  "Begin with less: a pool grows when it has to");
  }
  if (options.maximum_bytes != 0 && options.initial_bytes > options.maximum_bytes) {
    return Status(Code::kParamInvalid,
                  fmt::format("a pool is to begin with {} bytes and never to hold more than {}", options.initial_bytes,
                              options.maximum_bytes),
                  "Begin with at most the maximum");
  }
  const uint64_t most = options.maximum_bytes != 0 ? std::min(options.maximum_bytes, total) : total;
  // Twice the maximum, so that pages can be moved about; a large pool takes more addresses when it grows.
  const uint64_t addresses = std::min({2 * (most + 2 * kMiB) / (2 * kMiB) * (2 * kMiB), kMostFirstAddresses,
                                       device->address_bytes() / 64 / (2 * kMiB) * (2 * kMiB)});
  ASSIGN_OR_RETURN(std::unique_ptr<PoolPages> pages, MakeDevicePages(device, addresses));
  PoolTraits traits = TraitsOf(state, *device);
  traits.has_handle = has_handle;
  traits.listens = true;
  traits.plan = CurrentConfiguration().pool_plan != 0;
  auto pool = MakePool(std::move(pages), state.stream_order(), options, std::move(traits));
  if (options.initial_bytes > 0) RETURN_IF_ERROR(GrowPool(*pool, options.initial_bytes));
  if (state.pools().Add(pool)) return pool;
  DetachPool(*pool);
  return off;
}

}  // namespace forebay::runtime
