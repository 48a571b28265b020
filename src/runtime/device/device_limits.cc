// Limits that a program sets for itself: sizes for the whole process, and cores by device and stream.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "forebay/base/macros.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_info.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/runtime/thread_state.h"

namespace forebay::runtime {
namespace {

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;
constexpr uint64_t kStackStep = 16 * kKiB;
constexpr uint64_t kSmallestStack = 32 * kKiB;
// Beside the kernel's own frames a block has room for those of the device library.
constexpr uint64_t kStackOfLibrary = 64 * kKiB;

struct LimitRow {
  std::string_view name;
  base::SocFeature feature;
  uint64_t default_bytes;
  uint64_t lowest;
  uint64_t highest;  // 0: as the part has
  uint64_t step;
};
constexpr LimitRow kLimits[] = {
    {"stack of a thread", base::SocFeature::kSimt, 1152, 0, 128 * kKiB, 128},
    {"stack for divergence", base::SocFeature::kSimt, 1024, 0, 128 * kKiB, 128},
    {"stack of a block", base::SocFeature::kStackLimit, 32 * kKiB, 0, 0, 1},
    {"print buffer of a core", base::SocFeature::kPrintLimit, 32 * kKiB, kKiB, 64 * kMiB, 8},
    {"print buffer of threads", base::SocFeature::kSimt, 2 * kMiB, kMiB, 64 * kMiB, 8},
};

struct Limits {
  base::Mutex mutex;
  uint64_t bytes[std::size(kLimits)] GUARDED_BY(mutex);

  Limits() {
    for (std::size_t i = 0; i < std::size(kLimits); ++i) bytes[i] = kLimits[i].default_bytes;
  }
};
Limits& ProcessLimits() {
  static base::NeverDestroyed<Limits> limits;
  return *limits;
}

Status CheckCores(CoreKind kind, uint32_t cores) {
  const Cores hardware = HardwareCores();
  const uint32_t most = kind == CoreKind::kCube ? hardware.cube : hardware.vector;
  if (cores >= 1 && cores <= most) return {};
  return Status(Code::kParamInvalid, fmt::format("the limit of cores is {}", cores),
                fmt::format("{} has 1 to {} cores of this kind", CurrentProfile().name, most));
}

uint32_t LimitOf(const CoreLimits& limits, CoreKind kind) {
  return limits.cores[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
}

uint32_t LimitOf(const DeviceState& device, CoreKind kind) {
  if (const uint32_t limit = LimitOf(device.core_limits(), kind); limit != 0) return limit;
  const Cores hardware = HardwareCores();
  return kind == CoreKind::kCube ? hardware.cube : hardware.vector;
}

uint32_t LimitOf(const Stream& stream, CoreKind kind) {
  const uint32_t limit = LimitOf(stream.core_limits(), kind);
  return limit != 0 ? limit : LimitOf(stream.device(), kind);
}

void Set(CoreLimits& limits, CoreKind kind, uint32_t cores) {
  limits.cores[static_cast<std::size_t>(kind)].store(cores, std::memory_order_relaxed);
}

}  // namespace

Status SetDeviceLimit(DeviceLimit limit, uint64_t bytes) {
  const auto index = static_cast<std::size_t>(limit);
  const LimitRow& row = kLimits[index];
  RETURN_IF_ERROR(RequireFeature(row.feature));
  const uint64_t highest =
      row.highest != 0 ? row.highest : uint64_t{CurrentProfile().generation->largest_stack_kib} * kKiB;
  if (bytes < row.lowest || bytes > highest || bytes % row.step != 0) {
    return Status(Code::kParamInvalid, fmt::format("the limit \"{}\" is {} bytes", row.name, bytes),
                  fmt::format("Expected {} to {} bytes in steps of {}", row.lowest, highest, row.step));
  }
  base::MutexLock lock(ProcessLimits().mutex);
  uint64_t(&values)[std::size(kLimits)] = ProcessLimits().bytes;
  const auto other = index ^ 1;  // the other of the two stacks of a thread
  if (index < 2 && bytes == 0 && values[other] == 0) {
    return Status(Code::kParamInvalid, "both stacks of a thread would be 0 bytes", "Leave one of them");
  }
  values[index] = bytes;
  if (limit != DeviceLimit::kSimdStack) return {};
  // A block's stack is host memory that the device takes when it starts.
  const uint64_t rounded = std::max((bytes + kStackStep - 1) / kStackStep * kStackStep, kSmallestStack);
  base::Configuration configuration = CurrentConfiguration();
  configuration.block_stack = static_cast<int64_t>((rounded + kStackOfLibrary) / kKiB);
  return UpdateConfiguration(configuration);
}

Result<uint64_t> GetDeviceLimit(DeviceLimit limit) {
  const auto index = static_cast<std::size_t>(limit);
  RETURN_IF_ERROR(RequireFeature(kLimits[index].feature));
  base::MutexLock lock(ProcessLimits().mutex);
  return ProcessLimits().bytes[index];
}

Result<uint32_t> CoreLimitOfDevice(int32_t device, CoreKind kind) {
  ASSIGN_OR_RETURN(const DeviceState* state, FindDevice(device));
  return LimitOf(*state, kind);
}

Status SetCoreLimitOfDevice(int32_t device, CoreKind kind, uint32_t cores) {
  ASSIGN_OR_RETURN(DeviceState * state, FindDevice(device));
  RETURN_IF_ERROR(CheckCores(kind, cores));
  Set(state->core_limits(), kind, cores);
  return {};
}

Status ResetCoreLimitsOfDevice(int32_t device) {
  ASSIGN_OR_RETURN(DeviceState * state, FindDevice(device));
  state->core_limits().Clear();
  return {};
}

Result<uint32_t> CoreLimitOfStream(uint64_t stream, CoreKind kind) {
  ASSIGN_OR_RETURN(const StreamReference reference, ResolveStream(stream));
  return LimitOf(*reference.stream, kind);
}

Status SetCoreLimitOfStream(uint64_t stream, CoreKind kind, uint32_t cores) {
  ASSIGN_OR_RETURN(const StreamReference reference, ResolveStream(stream));
  RETURN_IF_ERROR(CheckCores(kind, cores));
  Set(reference->core_limits(), kind, cores);
  return {};
}

Status ResetCoreLimitsOfStream(uint64_t stream) {
  ASSIGN_OR_RETURN(const StreamReference reference, ResolveStream(stream));
  reference->core_limits().Clear();
  return {};
}

Status UseCoreLimitsOfStream(uint64_t stream) {
  ASSIGN_OR_RETURN(const StreamReference reference, ResolveStream(stream));
  CurrentThread().limits_stream = reference.handle;
  return {};
}

Status UnuseCoreLimitsOfStream(uint64_t stream) {
  ASSIGN_OR_RETURN(const StreamReference reference, ResolveStream(stream));
  if (CurrentThread().limits_stream != reference.handle) {
    return Status(Code::kParamInvalid,
                  fmt::format("the thread does not use the limits of stream {}", reference->slot()),
                  "Call aclrtUseStreamResInCurrentThread with it first");
  }
  CurrentThread().limits_stream = 0;
  return {};
}

Result<uint32_t> CoreLimitOfThread(CoreKind kind) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  if (const uint64_t handle = CurrentThread().limits_stream; handle != 0) {
    if (const Stream* stream = Streams().Find(handle)) return LimitOf(*stream, kind);
  }
  return LimitOf(context->device(), kind);
}

}  // namespace forebay::runtime
