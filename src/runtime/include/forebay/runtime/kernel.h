// Kernel binaries, their functions, and launching.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/handle_table.h"
#include "forebay/base/mutex.h"
#include "forebay/kernel_abi.h"
#include "forebay/runtime/stream.h"
#include "forebay/status.h"

namespace forebay::sip {
class Device;
}

namespace forebay::runtime {

class Context;
class DeviceState;
struct KernelImage;

// A part of device memory.
struct DeviceRange {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
};

struct KernelFunction {
  uint64_t binary = 0;  // handle
  Context* context = nullptr;
  int32_t device = -1;
  uint32_t image = 0;
  uint32_t function = 0;
  kernel_abi::KernelDescriptor descriptor{};
  DeviceRange code;
};

struct KernelBinary {
  base::Mutex mutex;
  uint64_t handle GUARDED_BY(mutex) = 0;
  std::atomic<uint64_t> context_handle{0};
  Context* context GUARDED_BY(mutex) = nullptr;
  DeviceState* device GUARDED_BY(mutex) = nullptr;
  std::weak_ptr<sip::Device> sip GUARDED_BY(mutex);
  std::shared_ptr<const KernelImage> contents GUARDED_BY(mutex);
  // What is loaded when a function is asked for; empty once that has happened.
  std::vector<std::byte> waiting GUARDED_BY(mutex);
  uint32_t image GUARDED_BY(mutex) = 0;
  // Where the image lies in device memory, and what keeps that memory.
  DeviceRange range GUARDED_BY(mutex);
  std::shared_ptr<void> room GUARDED_BY(mutex);
  std::vector<uint64_t> functions GUARDED_BY(mutex);  // handles, in the image's order; empty until it is on the device
};

using KernelFunctionTable = base::HandleTable<KernelFunction, base::HandleKind::kKernelFunction>;
using KernelBinaryTable = base::HandleTable<KernelBinary, base::HandleKind::kKernelBinary>;
KernelFunctionTable& KernelFunctions();
KernelBinaryTable& KernelBinaries();

struct LoadOptions {
  // The image goes to the device when a function or variable of it is asked for.
  bool lazy = false;
  // The cores of the kernels that do not name any.
  kernel_abi::CoreType cores = kernel_abi::CoreType::kAny;
};
Result<uint64_t> LoadKernelFile(const std::string& path, const LoadOptions& options = {});
Result<uint64_t> LoadKernelImage(std::span<const std::byte> bytes, const std::string& origin,
                                 const LoadOptions& options = {});
Status UnloadKernels(uint64_t binary);
// Makes every binary of a device that is being switched off stale, and takes it off the device.
void UnloadAllKernelsOf(const DeviceState& state);
Result<uint64_t> FindKernel(uint64_t binary, const std::string& name);
// The kernel whose name ends in an underscore and `key`, or is `key`: one of several variants of a kernel.
Result<uint64_t> FindKernelByKey(uint64_t binary, uint64_t key);
// A global variable. kSymbolNotFound.
Result<DeviceRange> FindKernelVariable(uint64_t binary, const std::string& name);
// Where the image lies in device memory; null while it is to be loaded later.
Result<DeviceRange> KernelImageRange(uint64_t binary);
Status CheckKernelBinary(uint64_t binary);
// kInvalidHandle for a function that is unloaded or never was.
Result<const KernelFunction*> ResolveKernel(uint64_t function);

// The function, on the calling thread's device, of a kernel that forebay::RegisterKernels made known.
// kInvalidDeviceFunction when the symbol stands for none.
Result<uint64_t> FindKernelBySymbol(const void* symbol);

// An address in the arguments that is to point at data inside the arguments.
struct Placeholder {
  uint32_t address_offset;
  uint32_t data_offset;
};

struct Launch {
  uint64_t function = 0;
  uint32_t block_count = 1;
  const void* arguments = nullptr;  // packed as the members of a C struct, then placeholder data
  std::size_t argument_bytes = 0;
  std::span<const Placeholder> placeholders;
  bool arguments_on_device = false;
  std::optional<uint64_t> timeout_us;  // none: the process's; 0: no limit
  bool all_blocks_at_once = false;     // refused when the part has too few cores for that
  // What parts with a choice between their kinds of cores look at; others do not.
  std::optional<bool> on_vector_core;
  uint32_t first_block = 0;
};
// Checks the launch and puts it on the stream. `submission` may be null.
Status LaunchOnStream(const Launch& launch, uint64_t stream, Submission* submission);
// The same with a pointer to the value of each of the kernel's parameters.
Status LaunchWithArray(Launch launch, const void* const* values, uint64_t stream, Submission* submission);

// The device's timer counts in steps; a limit is rounded up to a number of them, of which there are at most 254.
inline constexpr uint64_t kNoTimeout = ~uint64_t{0};
inline constexpr uint64_t kMostTimeoutSteps = 254;
uint64_t TimeoutStep() noexcept;
uint64_t RoundTimeout(uint64_t timeout_us) noexcept;
// The limit for kernels launched from now on; 0: the longest there is, which is none when the steps are short. Returns
// what it became.
uint64_t SetExecuteTimeout(uint64_t timeout_us) noexcept;
// Back to what the configuration says, which need not be a number of steps.
void ForgetExecuteTimeout() noexcept;
// In microseconds; kNoTimeout when there is none.
uint64_t ExecuteTimeout() noexcept;

inline constexpr uint32_t kMaxBlocks = 65535;

}  // namespace forebay::runtime
