#include "forebay/runtime/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>

#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/exception_info.h"
#include "forebay/sip/device.h"
#include "kernel/kernel_image.h"

namespace forebay::runtime {
namespace {

// -1: what the configuration says.
std::atomic<int64_t> execute_timeout_us{-1};

// A launch in another thread may still read a function that is being unloaded. Its slot is given to another function
// only after so many more have been unloaded.
class UnloadedFunctions {
 public:
  static UnloadedFunctions& Get() {
    static base::NeverDestroyed<UnloadedFunctions> instance;
    return *instance;
  }
  void Add(uint64_t function) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    KernelFunctions().Retire(function);
    waiting_.push_back(function);
    if (waiting_.size() <= kMost) return;
    KernelFunctions().Release(waiting_.front());
    waiting_.pop_front();
  }

 private:
  static constexpr std::size_t kMost = 1u << 13;
  base::Mutex mutex_;
  std::deque<uint64_t> waiting_ GUARDED_BY(mutex_);
};

Status StaleBinary() {
  return Status(Code::kInvalidHandle, "the kernel binary handle is stale, of another kind, or never was one",
                "Use the handle that loading gave, until the binary is unloaded");
}

// Writes `bytes` of the arguments from `offset` into the ring behind the first entry.
class EntryWriter {
 public:
  EntryWriter(const types::QueueGrant& queue, types::Command& first, uint64_t at)
      : queue_(queue), first_(first), at_(at) {}
  void Write(const void* data, std::size_t bytes) noexcept {
    const auto* from = static_cast<const std::byte*>(data);
    while (bytes > 0) {
      std::byte* to = nullptr;
      std::size_t room = 0;
      if (position_ < types::kInlineArgumentBytes) {
        to = first_.kernel.arguments + position_;
        room = types::kInlineArgumentBytes - position_;
      } else {
        const std::size_t behind = position_ - types::kInlineArgumentBytes;
        to = reinterpret_cast<std::byte*>(&queue_.Entry(at_ + 1 + behind / types::kEntryBytes)) +
             behind % types::kEntryBytes;
        room = types::kEntryBytes - behind % types::kEntryBytes;
      }
      const std::size_t piece = std::min(bytes, room);
      std::memcpy(to, from, piece);
      from += piece;
      bytes -= piece;
      position_ += piece;
    }
  }
  void AlignTo8() noexcept { position_ = (position_ + 7) / 8 * 8; }

 private:
  const types::QueueGrant& queue_;
  types::Command& first_;
  const uint64_t at_;
  std::size_t position_ = 0;
};

Status CheckArguments(const Launch& launch, const KernelFunction& function) {
  const auto& descriptor = function.descriptor;
  if (launch.block_count == 0) {
    return Status(Code::kInvalidParam, fmt::format("kernel {} was launched with 0 blocks", descriptor.name),
                  "Launch at least 1 block");
  }
  if (launch.block_count > kMaxBlocks) {
    return Status(Code::kParamInvalid,
                  fmt::format("kernel {} was launched with {} blocks", descriptor.name, launch.block_count),
                  fmt::format("Launch at most {} blocks", kMaxBlocks));
  }
  // Callers often round the size of their structure up; placeholder data follows the arguments.
  if (launch.argument_bytes < descriptor.argument_bytes) {
    return Status(
        Code::kParamInvalid,
        fmt::format("kernel {} takes {} bytes of arguments ({} parameters), but {} were given", descriptor.name,
                    descriptor.argument_bytes, descriptor.parameter_count, launch.argument_bytes),
        "Lay the arguments out as the members of a C struct, in the order of the parameters");
  }
  if (launch.placeholders.empty() && launch.argument_bytes > (descriptor.argument_bytes + 7u) / 8 * 8) {
    return Status(
        Code::kParamInvalid,
        fmt::format("kernel {} takes {} bytes of arguments ({} parameters), but {} were given", descriptor.name,
                    descriptor.argument_bytes, descriptor.parameter_count, launch.argument_bytes),
        "Pass just the kernel's parameters; data behind them needs placeholders");
  }
  for (const Placeholder& placeholder : launch.placeholders) {
    if (placeholder.address_offset % 8 != 0 || uint64_t{placeholder.address_offset} + 8 > launch.argument_bytes ||
        placeholder.data_offset >= launch.argument_bytes) {
      return Status(
          Code::kParamInvalid,
          fmt::format("a placeholder of kernel {} points from offset {} to {}, but there are {} bytes", descriptor.name,
                      placeholder.address_offset, placeholder.data_offset, launch.argument_bytes),
          "Offsets are in bytes from the start of the arguments; addresses are 8-byte aligned");
    }
  }
  return {};
}

}  // namespace

KernelFunctionTable& KernelFunctions() {
  static base::NeverDestroyed<KernelFunctionTable> table(1u << 16);
  return *table;
}

KernelBinaryTable& KernelBinaries() {
  static base::NeverDestroyed<KernelBinaryTable> table(4096u);
  return *table;
}

Result<uint64_t> LoadKernelFile(const std::string& path) {
  RETURN_IF_ERROR(CurrentContext().status());
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadKernelFile(path));
  return LoadKernelImage(bytes, path);
}

Result<uint64_t> LoadKernelImage(std::span<const std::byte> bytes, const std::string& origin) {
  ASSIGN_OR_RETURN(Context * context, CurrentContext());
  const std::shared_ptr<sip::Device> device = context->device().sip();
  if (!device) return Status(Code::kContextNull, "the device is off", "Set the device first");
  ASSIGN_OR_RETURN(const KernelImage image, ReadKernelImage(bytes, origin));
  const KernelBinaryTable::Entry entry = KernelBinaries().Allocate();
  if (entry.object == nullptr)
    return Status(Code::kParamInvalid, "4096 kernel binaries are loaded already", "Unload some");
  std::vector<std::string> names;
  for (const auto& kernel : image.kernels) names.emplace_back(kernel.name);
  const auto loaded = device->LoadImage(bytes, names);
  if (!loaded.ok()) {
    KernelBinaries().Release(entry.handle);
    return loaded.status();
  }
  if (!context->device().AddKernelNames(*device, *loaded, names)) {
    device->UnloadImage(*loaded);
    KernelBinaries().Release(entry.handle);
    return Status(Code::kContextNull, "the device was reset while a kernel binary was loaded", "Set the device first");
  }
  KernelBinary& binary = *entry.object;
  base::MutexLock lock(binary.mutex);
  binary.handle = entry.handle;
  binary.device = &context->device();
  binary.sip = device;
  binary.context_handle = context->handle();
  binary.image = *loaded;
  binary.names = std::move(names);
  binary.functions.clear();
  for (uint32_t i = 0; i < image.kernels.size(); ++i) {
    const KernelFunctionTable::Entry function = KernelFunctions().Allocate();
    if (function.object == nullptr) {
      for (const uint64_t made : binary.functions) UnloadedFunctions::Get().Add(made);
      binary.functions.clear();
      device->UnloadImage(*loaded);
      KernelBinaries().Release(entry.handle);
      return Status(Code::kParamInvalid, "the process has no room for the functions of another kernel binary",
                    "Unload some");
    }
    *function.object = {entry.handle, context, context->device().id(), *loaded, i, image.kernels[i]};
    binary.functions.push_back(function.handle);
    KernelFunctions().Publish(function.handle);
  }
  KernelBinaries().Publish(entry.handle);
  return entry.handle;
}

Status UnloadKernels(uint64_t handle) {
  KernelBinary* binary = KernelBinaries().Find(handle);
  if (binary == nullptr) return StaleBinary();
  {
    base::MutexLock lock(binary->mutex);
    if (binary->handle != handle) return StaleBinary();
    binary->handle = 0;
    KernelBinaries().Retire(handle);
    for (const uint64_t function : binary->functions) UnloadedFunctions::Get().Add(function);
    binary->functions.clear();
    // Launches that are queued still run: the image leaves the device after them.
    if (const auto device = binary->sip.lock()) binary->device->RetireKernelImage(device, binary->image);
    binary->sip.reset();
    RemoveBinaryExceptionCallback(handle);
  }
  KernelBinaries().Release(handle);
  return {};
}

void UnloadAllKernelsOf(const DeviceState& state) {
  KernelBinaries().ForEach([&state](uint64_t handle, KernelBinary& binary) {
    {
      base::MutexLock lock(binary.mutex);
      if (binary.handle != handle || binary.device != &state) return;
    }
    UnloadKernels(handle).IgnoreError();
  });
}

Result<uint64_t> FindKernel(uint64_t handle, const std::string& name) {
  KernelBinary* binary = KernelBinaries().Find(handle);
  if (binary == nullptr) return StaleBinary();
  base::MutexLock lock(binary->mutex);
  if (binary->handle != handle) return StaleBinary();
  const auto found = std::find(binary->names.begin(), binary->names.end(), name);
  if (found == binary->names.end()) {
    std::string all;
    for (const std::string& known : binary->names) all += (all.empty() ? "" : ", ") + known;
    return Status(Code::kKernelLookup, fmt::format("the kernel binary has no function \"{}\"", name),
                  fmt::format("It has: {}", all));
  }
  return binary->functions[static_cast<std::size_t>(found - binary->names.begin())];
}

Result<const KernelFunction*> ResolveKernel(uint64_t handle) {
  const KernelFunction* function = KernelFunctions().Find(handle);
  if (function == nullptr) {
    return Status(Code::kInvalidHandle, "the kernel function handle is stale, of another kind, or never was one",
                  "Get the function from its binary, and keep the binary loaded");
  }
  return function;
}

Status LaunchOnStream(const Launch& launch, uint64_t stream_handle, Submission* submission) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  ASSIGN_OR_RETURN(const KernelFunction* function, ResolveKernel(launch.function));
  if (function->device != stream->device().id()) {
    return Status(Code::kInvalidDeviceFunction,
                  fmt::format("kernel {} is loaded on device {}, the stream belongs to device {}",
                              function->descriptor.name, function->device, stream->device().id()),
                  "Load the binary while the stream's device is current");
  }
  RETURN_IF_ERROR(CheckArguments(launch, *function));
  const std::size_t pairs_at = (launch.argument_bytes + 7) / 8 * 8;
  const std::size_t data_bytes = launch.arguments_on_device ? sizeof(void*)
                                 : launch.placeholders.empty()
                                     ? launch.argument_bytes
                                     : pairs_at + launch.placeholders.size() * sizeof(Placeholder);
  const uint32_t entries = types::KernelEntryCount(data_bytes);
  // Where the arguments go; Submit makes sure that it is still this stream's.
  const types::QueueGrant queue = stream->queue();
  const uint64_t depth = queue.mask + 1;
  if (entries > depth / 4) {
    return Status(Code::kParamInvalid,
                  fmt::format("kernel {} takes {} bytes of arguments, more than a task may have ({})",
                              function->descriptor.name, data_bytes, depth / 4 * types::kEntryBytes),
                  "Pass large data in device memory, or raise queue_depth");
  }
  const int64_t timeout_us = launch.timeout_us >= 0 ? launch.timeout_us : ExecuteTimeout();
  const auto limit_us = static_cast<uint32_t>(std::min<int64_t>(timeout_us, ~uint32_t{0}));
  const auto flags = static_cast<uint8_t>((launch.arguments_on_device ? types::kFlagArgumentsOnDevice : 0) |
                                          (stream->checks_overflow() ? types::kFlagCheckOverflow : 0));
  Submission local;
  const Status submitted = stream->Submit(
      stream.handle, entries,
      [&](types::Command& command, uint64_t at) {
        command.opcode = types::Opcode::kKernel;
        command.flags = flags;
        command.kernel.image = function->image;
        command.kernel.function = function->function;
        command.kernel.block_count = launch.block_count;
        command.kernel.timeout_us = limit_us;
        command.kernel.argument_bytes = static_cast<uint32_t>(launch.argument_bytes);
        command.kernel.placeholder_count = static_cast<uint32_t>(launch.placeholders.size());
        EntryWriter writer(queue, command, at);
        if (launch.arguments_on_device) {
          writer.Write(&launch.arguments, sizeof launch.arguments);
        } else {
          writer.Write(launch.arguments, launch.argument_bytes);
          writer.AlignTo8();
          for (const Placeholder& placeholder : launch.placeholders) writer.Write(&placeholder, sizeof placeholder);
        }
      },
      &local);
  if (!submitted.ok()) return submitted;
  if (submission != nullptr) *submission = local;
  if (LaunchSettings().blocking.load(std::memory_order_relaxed)) {
    RETURN_IF_ERROR(stream->WaitEntry(local.end_entry, -1, Code::kStreamSyncTimeout));
    return stream->ReportFailure();
  }
  return {};
}

void SetExecuteTimeout(int64_t timeout_us) noexcept { execute_timeout_us.store(timeout_us, std::memory_order_relaxed); }

int64_t ExecuteTimeout() noexcept {
  const int64_t set = execute_timeout_us.load(std::memory_order_relaxed);
  return set >= 0 ? set : LaunchSettings().execute_timeout_us.load(std::memory_order_relaxed);
}

}  // namespace forebay::runtime
