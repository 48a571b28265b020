// Kernel binaries, their functions, and launching.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
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

struct KernelFunction {
  uint64_t binary = 0;  // handle
  Context* context = nullptr;
  int32_t device = -1;
  uint32_t image = 0;
  uint32_t function = 0;
  kernel_abi::KernelDescriptor descriptor{};
};

struct KernelBinary {
  base::Mutex mutex;
  uint64_t handle GUARDED_BY(mutex) = 0;
  std::atomic<uint64_t> context_handle{0};
  DeviceState* device GUARDED_BY(mutex) = nullptr;
  std::weak_ptr<sip::Device> sip GUARDED_BY(mutex);
  uint32_t image GUARDED_BY(mutex) = 0;
  std::vector<uint64_t> functions GUARDED_BY(mutex);  // handles, in the image's order
  std::vector<std::string> names GUARDED_BY(mutex);
};

using KernelFunctionTable = base::HandleTable<KernelFunction, base::HandleKind::kKernelFunction>;
using KernelBinaryTable = base::HandleTable<KernelBinary, base::HandleKind::kKernelBinary>;
KernelFunctionTable& KernelFunctions();
KernelBinaryTable& KernelBinaries();

Result<uint64_t> LoadKernelFile(const std::string& path);
Result<uint64_t> LoadKernelImage(std::span<const std::byte> bytes, const std::string& origin);
Status UnloadKernels(uint64_t binary);
// Makes every binary of a device that is being switched off stale, and takes it off the device.
void UnloadAllKernelsOf(const DeviceState& state);
Result<uint64_t> FindKernel(uint64_t binary, const std::string& name);
// kInvalidHandle for a function that is unloaded or never was.
Result<const KernelFunction*> ResolveKernel(uint64_t function);

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
  int64_t timeout_us = -1;  // -1: the process's; 0: none
};
// Checks the launch and puts it on the stream. `submission` may be null.
Status LaunchOnStream(const Launch& launch, uint64_t stream, Submission* submission);
// The limit for kernels launched from now on; -1: what the configuration says.
void SetExecuteTimeout(int64_t timeout_us) noexcept;
int64_t ExecuteTimeout() noexcept;

inline constexpr uint32_t kMaxBlocks = 65535;

}  // namespace forebay::runtime
