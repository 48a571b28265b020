#include "forebay/runtime/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "forebay/base/macros.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/exception_info.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

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

Status TooManyArguments(const KernelFunction& function, std::size_t bytes, std::size_t most) {
  return Status(Code::kParamInvalid,
                fmt::format("kernel {} takes {} bytes of arguments, more than a task may have ({})",
                            function.descriptor.name, bytes, most),
                "Pass large data in device memory, or raise queue_depth");
}

// Which cores a launch runs on, and the index of its first block.
struct Placement {
  bool on_vector_core = false;
  uint32_t first_block = 0;
};

// Refuses what the part has too few cores for.
Result<Placement> Place(const Launch& launch, const KernelFunction& function, const Stream& stream) {
  Placement placement{function.descriptor.core_type == kernel_abi::CoreType::kVector, 0};
  if (!launch.all_blocks_at_once && !launch.on_vector_core && launch.first_block == 0) [[likely]]
    return placement;
  const std::shared_ptr<sip::Device> device = stream.sip();
  if (!device) return StaleStreamFailure();
  if (launch.all_blocks_at_once && launch.block_count > device->ai_core_count()) {
    return Status(Code::kParamInvalid,
                  fmt::format("all {} blocks of kernel {} are to run at once, but the device has {} cores",
                              launch.block_count, function.descriptor.name, device->ai_core_count()),
                  "Launch fewer blocks, or use scheduling mode 0");
  }
  if (!device->launches_choose_cores()) return placement;
  placement.on_vector_core = launch.on_vector_core.value_or(placement.on_vector_core);
  if (launch.first_block > kMaxBlocks - launch.block_count) {
    return Status(Code::kParamInvalid,
                  fmt::format("kernel {} was launched with {} blocks from index {}", function.descriptor.name,
                              launch.block_count, launch.first_block),
                  fmt::format("There are {} indexes", kMaxBlocks));
  }
  placement.first_block = launch.first_block;
  return placement;
}

// In microseconds, as the command has it; 0: none.
uint64_t TimeoutOf(const Launch& launch) noexcept {
  if (launch.timeout_us) return RoundTimeout(*launch.timeout_us);
  const uint64_t timeout_us = ExecuteTimeout();
  return timeout_us == kNoTimeout ? 0 : timeout_us;
}

}  // namespace

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
  ASSIGN_OR_RETURN(const Placement placement, Place(launch, *function, *stream.stream));
  // Where the arguments go; Submit makes sure that it is still this stream's.
  const types::QueueGrant queue = stream->queue();
  const uint64_t depth = queue.mask + 1;
  const std::size_t most_bytes = depth / 4 * types::kEntryBytes;
  // First, so that no sum below overflows.
  if (launch.argument_bytes > most_bytes) return TooManyArguments(*function, launch.argument_bytes, most_bytes);
  const std::size_t pairs_at = (launch.argument_bytes + 7) / 8 * 8;
  const std::size_t data_bytes = launch.arguments_on_device ? sizeof(void*)
                                 : launch.placeholders.empty()
                                     ? launch.argument_bytes
                                     : pairs_at + launch.placeholders.size() * sizeof(Placeholder);
  const uint32_t entries = types::KernelEntryCount(data_bytes);
  if (entries > depth / 4) return TooManyArguments(*function, data_bytes, most_bytes);
  const auto limit_us = static_cast<uint32_t>(TimeoutOf(launch));
  uint8_t flags = launch.arguments_on_device ? types::kFlagArgumentsOnDevice : uint8_t{0};
  if (placement.on_vector_core) flags |= types::kFlagVectorCore;
  if (stream->checks_overflow()) flags |= types::kFlagCheckOverflow;
  Submission local;
  const Status submitted = stream->Submit(
      stream.handle, entries,
      [&](types::Command& command, uint64_t at) {
        command.opcode = types::Opcode::kKernel;
        command.flags = flags;
        command.kernel.image = function->image;
        command.kernel.function = function->function;
        command.kernel.block_count = static_cast<uint16_t>(launch.block_count);
        command.kernel.first_block = static_cast<uint16_t>(placement.first_block);
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

Status LaunchWithArray(Launch launch, const void* const* values, uint64_t stream, Submission* submission) {
  ASSIGN_OR_RETURN(const KernelFunction* function, ResolveKernel(launch.function));
  const auto& descriptor = function->descriptor;
  // Most kernels take few arguments; only large ones are put together elsewhere.
  std::byte near[512];
  std::vector<std::byte> far;
  std::byte* packed = near;
  if (descriptor.argument_bytes > sizeof near) {
    far.resize(descriptor.argument_bytes);
    packed = far.data();
  }
  for (uint32_t i = 0; i < descriptor.parameter_count; ++i) {
    if (values[i] == nullptr) {
      return Status(Code::kParamInvalid, fmt::format("argument {} of kernel {} is null", i, descriptor.name),
                    "Pass the address of the value; for a null pointer argument, the address of a null pointer");
    }
    std::memcpy(packed + descriptor.parameters[i].offset, values[i], descriptor.parameters[i].size);
  }
  launch.arguments = packed;
  launch.argument_bytes = descriptor.argument_bytes;
  return LaunchOnStream(launch, stream, submission);
}

}  // namespace forebay::runtime
