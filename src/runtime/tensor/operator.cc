// LaunchKernel and LaunchOperator: an operator becomes atomic tasks, and depends on others through its tensors.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "forebay/base/macros.h"
#include "forebay/launch.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/copy.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/kernel.h"
#include "forebay/runtime/stream.h"
#include "forebay/sip/device.h"
#include "tensor/tensor_storage.h"

namespace forebay {
namespace {

using kernel_abi::KernelDescriptor;
using kernel_abi::ParameterKind;
using runtime::StreamReference;

uint64_t ToHandle(const void* handle) noexcept { return reinterpret_cast<uint64_t>(handle); }

// The packed arguments of an operator: its pointer parameters are the tensors, the others the scalars.
Result<std::vector<std::byte>> PackArguments(const Operator& op, const KernelDescriptor& kernel) {
  std::vector<std::byte> packed(kernel.argument_bytes);
  std::size_t tensor = 0;
  std::size_t scalar = 0;
  const std::size_t tensor_count = op.inputs.size() + op.outputs.size();
  for (uint32_t i = 0; i < kernel.parameter_count; ++i) {
    const auto& parameter = kernel.parameters[i];
    std::byte* place = packed.data() + parameter.offset;
    if (parameter.kind == ParameterKind::kGlobalMemory) {
      if (tensor == tensor_count) break;
      const RuntimeTensor& value =
          tensor < op.inputs.size() ? op.inputs[tensor] : op.outputs[tensor - op.inputs.size()];
      void* address = value.address();
      std::memcpy(place, &address, sizeof address);
      ++tensor;
      continue;
    }
    if (scalar == op.scalars.size()) break;
    const std::vector<std::byte>& value = op.scalars[scalar].bytes();
    if (value.size() != parameter.size) {
      return Status(Code::kParamInvalid,
                    fmt::format("scalar {} of kernel {} has {} bytes, but parameter {} takes {}", scalar, kernel.name,
                                value.size(), i, parameter.size),
                    "Give scalars the exact type of the parameter, such as uint32_t{1}");
    }
    std::memcpy(place, value.data(), value.size());
    ++scalar;
  }
  const auto pointers = static_cast<std::size_t>(
      std::count_if(kernel.parameters, kernel.parameters + kernel.parameter_count,
                    [](const auto& parameter) { return parameter.kind == ParameterKind::kGlobalMemory; }));
  if (pointers != tensor_count || kernel.parameter_count - pointers != op.scalars.size()) {
    return Status(Code::kParamInvalid,
                  fmt::format("kernel {} takes {} tensors and {} scalars, but the operator has {} and {}", kernel.name,
                              pointers, kernel.parameter_count - pointers, tensor_count, op.scalars.size()),
                  "Pass inputs, then outputs, for the pointer parameters, and a scalar for each of the others");
  }
  return packed;
}

// Everything an operator touches, each storage once, and whether it is written.
struct Use {
  RuntimeTensor::Storage* storage;
  bool written;
};

Result<std::vector<Use>> CollectUses(const Operator& op, const StreamReference& stream) {
  std::vector<Use> uses;
  const auto add = [&](const RuntimeTensor& tensor, bool written) -> Status {
    RuntimeTensor::Storage* storage = tensor.storage().get();
    if (storage == nullptr)
      return Status(Code::kParamInvalid, "an operator has an empty tensor", "Make it from a pool or an address");
    if (storage->device() >= 0 && storage->device() != stream->device().id()) {
      return Status(Code::kStreamContext,
                    fmt::format("a tensor lies on device {}, the stream belongs to device {}", storage->device(),
                                stream->device().id()),
                    "Copy it to the stream's device first");
    }
    if (storage->from_pool() && storage->power_cycle() != stream->device().power_cycle()) {
      return Status(
          Code::kInvalidHandle,
          fmt::format("device {} was reset after the tensor at {} was made", storage->device(), storage->address()),
          "Make tensors anew after a reset");
    }
    const auto known = std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return use.storage == storage; });
    if (known == uses.end()) {
      uses.push_back({storage, written});
    } else {
      known->written |= written;
    }
    return {};
  };
  for (const RuntimeTensor& tensor : op.inputs) RETURN_IF_ERROR(add(tensor, false));
  for (const RuntimeTensor& tensor : op.outputs) RETURN_IF_ERROR(add(tensor, true));
  for (const Operator::Upload& upload : op.uploads) {
    RETURN_IF_ERROR(add(upload.tensor, true));
    if (upload.tensor.is_contiguous()) continue;
    return Status(Code::kParamInvalid,
                  fmt::format("an upload goes to a view at {} whose elements do not lie one behind the other",
                              upload.tensor.address()),
                  "Upload into a contiguous tensor");
  }
  return uses;
}

// The events of other streams that must have happened first: for a read the last write, for a write also all reads.
std::vector<OperatorEvent> CollectDependencies(const std::vector<Use>& uses, const StreamReference& stream) {
  std::vector<OperatorEvent> needed;
  const uint64_t power_cycle = stream->device().power_cycle();
  const auto need = [&](const OperatorEvent& event) {
    if (!event.exists() || event.stream_slot == stream->slot() || event.power_cycle != power_cycle) return;
    const auto known =
        std::find_if(needed.begin(), needed.end(), [&](const auto& other) { return other.event == event.event; });
    if (known == needed.end()) {
      needed.push_back(event);
    } else {
      known->value = std::max(known->value, event.value);
    }
  };
  for (const Use& use : uses) {
    base::MutexLock lock(use.storage->mutex);
    need(use.storage->last_writer);
    if (!use.written) continue;
    for (const OperatorEvent& reader : use.storage->readers) need(reader);
  }
  return needed;
}

// Inserts a wait for an event of another stream, unless it has happened already, successfully.
Status InsertWait(const OperatorEvent& needed, const StreamReference& stream) {
  const auto device = stream->sip();
  if (!device) return {};
  const types::EventRegister& registers = device->event_register(needed.event);
  const bool failed = needed.value >= registers.failed_from.load(std::memory_order_relaxed) &&
                      needed.value <= registers.failed_to.load(std::memory_order_acquire);
  if (registers.value.load(std::memory_order_acquire) >= needed.value && !failed) return {};
  return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
    command.opcode = types::Opcode::kEventWait;
    command.flags = 0;
    command.event = {needed.value, needed.event, 0};
  });
}

void NoteUses(const std::vector<Use>& uses, const OperatorEvent& done) {
  for (const Use& use : uses) {
    base::MutexLock lock(use.storage->mutex);
    if (use.written) {
      use.storage->last_writer = done;
      use.storage->readers.clear();
      continue;
    }
    auto& readers = use.storage->readers;
    const auto same =
        std::find_if(readers.begin(), readers.end(), [&](const auto& reader) { return reader.event == done.event; });
    if (same == readers.end()) {
      readers.push_back(done);
    } else {
      *same = done;
    }
  }
}

// What an unfinished operator keeps alive: the block of each use.
std::shared_ptr<void> LeaseOf(const Operator& op) {
  auto lease = std::make_shared<std::vector<std::shared_ptr<RuntimeTensor::Storage>>>();
  lease->reserve(op.inputs.size() + op.outputs.size() + op.uploads.size());
  for (const RuntimeTensor& tensor : op.inputs) lease->push_back(tensor.storage());
  for (const RuntimeTensor& tensor : op.outputs) lease->push_back(tensor.storage());
  for (const Operator::Upload& upload : op.uploads) lease->push_back(upload.tensor.storage());
  return lease;
}

// Everything before the record: waits, copies, the kernel. `kernel_end` is set once the kernel is in the queue.
Status SubmitWork(const Operator& op, const StreamReference& stream, const std::vector<std::byte>& arguments,
                  const std::vector<Use>& uses, uint64_t* kernel_end) {
  for (const OperatorEvent& needed : CollectDependencies(uses, stream)) RETURN_IF_ERROR(InsertWait(needed, stream));
  for (const Operator::Upload& upload : op.uploads) {
    runtime::CopyRequest copy;
    copy.destination = upload.tensor.address();
    copy.source = upload.host;
    copy.bytes = upload.tensor.bytes();
    copy.staging = runtime::Staging::kPageable;
    RETURN_IF_ERROR(runtime::CopyOnStream(copy, stream.handle));
  }
  runtime::Launch launch;
  launch.function = ToHandle(op.kernel);
  launch.block_count = op.block_count;
  launch.arguments = arguments.data();
  launch.argument_bytes = arguments.size();
  runtime::Submission submission;
  const Status launched = runtime::LaunchOnStream(launch, stream.handle, &submission);
  *kernel_end = submission.end_entry;
  return launched;
}

Status LaunchOn(const Operator& op, const StreamReference& stream, runtime::Submission* end) {
  ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(op.kernel)));
  ASSIGN_OR_RETURN(const std::vector<std::byte> arguments, PackArguments(op, function->descriptor));
  ASSIGN_OR_RETURN(const std::vector<Use> uses, CollectUses(op, stream));
  uint64_t kernel_end = 0;
  const Status worked = SubmitWork(op, stream, arguments, uses, &kernel_end);
  // A kernel that was refused may have uploads in front of it, which are in the queue.
  const std::optional<uint64_t> end_entry =
      kernel_end != 0 || op.uploads.empty() ? kernel_end : stream->UnfinishedTail(stream.handle);
  if (end_entry.value_or(0) != 0) stream->Hold(stream.handle, *end_entry, LeaseOf(op));
  // An operator that was refused for what it asks leaves no trace. One that the stream refuses because it has stopped
  // is recorded all the same: the record completes with the failure, and who takes the outputs fails as well.
  if (!worked.ok() && kernel_end == 0 && stream->CheckAccepts().ok()) return worked;
  // The record that other streams wait for.
  const types::QueueGrant queue = stream->queue();
  OperatorEvent done{queue.slot, queue.event, 0, stream->device().power_cycle()};
  const Status recorded = stream->Submit(
      stream.handle, 1,
      [&](types::Command& command, uint64_t) {
        done.value = stream->NextOperatorValue();
        command.opcode = types::Opcode::kEventRecord;
        command.flags = 0;
        command.event = {done.value, done.event, 0};
      },
      end, runtime::Stream::WhenStopped::kAccept);
  if (recorded.ok()) NoteUses(uses, done);
  stream->Reclaim();
  RETURN_IF_ERROR(worked);
  RETURN_IF_ERROR(recorded);
  if (op.on_done) {
    RETURN_IF_ERROR(
        stream->LaunchHostFunction(stream.handle, runtime::Stream::Calling(op.on_done),
                                   {.code = nullptr, .type = &op.on_done.target_type(), .purpose = "on_done"}));
  }
  return {};
}

Status WaitFor(const StreamReference& stream, const runtime::Submission& end) {
  RETURN_IF_ERROR(stream->WaitEntry(end.end_entry, -1, Code::kStreamSyncTimeout));
  return stream->ReportFailure();
}

Status LaunchKernelOn(KernelHandle kernel, const StreamReference& stream, void* args[], int32_t arg_count,
                      uint32_t block_count, runtime::Submission* end) {
  ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(kernel)));
  const KernelDescriptor& descriptor = function->descriptor;
  if (args == nullptr && arg_count > 0) {
    return Status(
        Code::kParamInvalid,
        fmt::format("kernel {} was launched with {} arguments in an array that is null", descriptor.name, arg_count),
        "Pass the addresses of the values");
  }
  if (arg_count < 0 || static_cast<uint32_t>(arg_count) != descriptor.parameter_count) {
    return Status(Code::kParamInvalid,
                  fmt::format("kernel {} takes {} arguments, but {} were given", descriptor.name,
                              descriptor.parameter_count, arg_count),
                  "Pass a pointer to the value of each parameter");
  }
  runtime::Launch launch;
  launch.function = ToHandle(kernel);
  launch.block_count = block_count;
  return runtime::LaunchWithArray(launch, args, stream.handle, end);
}

}  // namespace

Result<KernelBinaryHandle> LoadKernelBinary(const std::string& path) {
  ASSIGN_OR_RETURN(const uint64_t handle, runtime::LoadKernelFile(path));
  return reinterpret_cast<KernelBinaryHandle>(handle);
}

Status UnloadKernelBinary(KernelBinaryHandle binary) { return runtime::UnloadKernels(ToHandle(binary)); }

Result<KernelHandle> GetKernel(KernelBinaryHandle binary, const std::string& name) {
  ASSIGN_OR_RETURN(const uint64_t handle, runtime::FindKernel(ToHandle(binary), name));
  return reinterpret_cast<KernelHandle>(handle);
}

Status LaunchKernel(KernelHandle kernel, StreamHandle stream, void* args[], int32_t arg_count, uint32_t block_count) {
  ASSIGN_OR_RETURN(const StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return LaunchKernelOn(kernel, reference, args, arg_count, block_count, nullptr);
}

Status LaunchKernel(KernelHandle kernel, void* args[], int32_t arg_count, uint32_t block_count) {
  ASSIGN_OR_RETURN(const StreamReference stream, runtime::ResolveStream(0));
  runtime::Submission end;
  RETURN_IF_ERROR(LaunchKernelOn(kernel, stream, args, arg_count, block_count, &end));
  return WaitFor(stream, end);
}

Status LaunchOperator(const Operator& op, StreamHandle stream) {
  ASSIGN_OR_RETURN(const StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  runtime::Submission end;
  return LaunchOn(op, reference, &end);
}

Status LaunchOperator(const Operator& op) {
  ASSIGN_OR_RETURN(const StreamReference stream, runtime::ResolveStream(0));
  runtime::Submission end;
  RETURN_IF_ERROR(LaunchOn(op, stream, &end));
  return WaitFor(stream, end);
}

}  // namespace forebay
