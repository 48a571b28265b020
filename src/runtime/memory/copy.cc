#include "forebay/runtime/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/base/fill_pattern.h"
#include "forebay/base/macros.h"
#include "forebay/launch.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_info.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/sip/device.h"
#include "memory/host_pool.h"
#include "memory/operand.h"

namespace forebay::runtime {
namespace {

// A copy whose addresses have been looked at.
struct ResolvedCopy {
  const CopyRequest* request;
  Operand to;
  Operand from;
};

Status CheckDirection(const ResolvedCopy& copy) {
  if (copy.to.managed || copy.from.managed) return {};
  const bool to_device = copy.to.place == Place::kDevice;
  const bool from_device = copy.from.place == Place::kDevice;
  std::string_view wanted;
  bool fits = true;
  switch (copy.request->direction) {
    case Direction::kByAddress: return {};
    case Direction::kHostToDevice:
      fits = to_device && !from_device;
      wanted = "from host to device";
      break;
    case Direction::kDeviceToHost:
      fits = !to_device && from_device;
      wanted = "from device to host";
      break;
    case Direction::kDeviceToDevice:
      fits = to_device && from_device;
      wanted = "from device to device";
      break;
    case Direction::kWithinDevice:
      fits = to_device && from_device && copy.to.device == copy.from.device;
      wanted = "within one device";
      break;
  }
  if (fits) return {};
  return Status(
      Code::kParamInvalid,
      fmt::format("the copy is to go {}, but the destination {} is {} and the source {} is {}", wanted,
                  copy.request->destination, DescribePlace(copy.to), copy.request->source, DescribePlace(copy.from)),
      "Exchange the addresses, or name the direction that fits them");
}

// What only concerns copies from device memory to device memory.
Status CheckDevices(const ResolvedCopy& copy) {
  if (copy.to.place != Place::kDevice || copy.from.place != Place::kDevice) return {};
  if (copy.to.managed || copy.from.managed) return {};
  const int32_t to = copy.to.device->id();
  const int32_t from = copy.from.device->id();
  if (to == from) return copy.request->has_rows ? RequireFeature(base::SocFeature::kCopy2dOnDevice) : Status();
  if (PeerAccessEnabled(to, from) || PeerAccessEnabled(from, to)) return {};
  return Status(Code::kParamInvalid,
                fmt::format("the copy goes from device {} to device {}, and neither has access to the other", from, to),
                "Call aclrtDeviceEnablePeerAccess first, once, while one of the two is the current device");
}

Result<ResolvedCopy> ResolveCopy(const CopyRequest& request) {
  ResolvedCopy copy{&request, {}, {}};
  const uint64_t to_bytes = types::RowSpan(request.rows, request.destination_pitch, request.bytes);
  const uint64_t from_bytes = types::RowSpan(request.rows, request.source_pitch, request.bytes);
  ASSIGN_OR_RETURN(copy.to, ResolveOperand(request.destination, to_bytes, "destination"));
  ASSIGN_OR_RETURN(copy.from, ResolveOperand(request.source, from_bytes, "source"));
  RETURN_IF_ERROR(CheckDirection(copy));
  RETURN_IF_ERROR(CheckDevices(copy));
  RETURN_IF_ERROR(CheckPageable(copy.to, {request.bytes, request.rows, request.destination_pitch}, Access::kWrite));
  RETURN_IF_ERROR(CheckPageable(copy.from, {request.bytes, request.rows, request.source_pitch}, Access::kRead));
  return copy;
}

bool IsEmpty(const CopyRequest& request) noexcept { return request.bytes == 0 || request.rows == 0; }

void CopyRows(const CopyRequest& request, std::byte* to, const std::byte* from) noexcept {
  for (std::size_t row = 0; row < request.rows; ++row) {
    std::memmove(to + row * request.destination_pitch, from + row * request.source_pitch, request.bytes);
  }
}

types::MemorySpace SpaceOf(const Operand& operand) noexcept {
  return operand.place == Place::kDevice ? types::MemorySpace::kDevice : types::MemorySpace::kPinned;
}

// Whether the copy engine of this device reaches the operand.
bool ReachableBy(const Operand& operand, const std::shared_ptr<sip::Device>& device) noexcept {
  return operand.place != Place::kPageable && operand.sip == device;
}

// Waits for what is in the stream, so that the calling thread can do the next step itself. A stopped stream refuses it,
// as it refuses a task.
Status WaitForStream(const StreamReference& stream) {
  RETURN_IF_ERROR(stream->CheckAccepts());
  if (const auto tail = stream->UnfinishedTail(stream.handle)) {
    RETURN_IF_ERROR(stream->WaitEntry(*tail, -1, Code::kStreamSyncTimeout));
  }
  return stream->CheckAccepts();
}

// Does `work` in stream order in a host thread, if the operands are still there by then.
template <std::size_t kCount, typename Work>
Status WorkOnStream(const StreamReference& stream, const Operand (&operands)[kCount], Work work) {
  struct Later {
    std::weak_ptr<sip::Device> sip;
    Operand operand;
  };
  std::vector<Later> later;
  for (Operand operand : operands) {
    std::weak_ptr<sip::Device> sip = std::move(operand.sip);
    operand.sip = nullptr;  // a task in a queue does not keep a device on
    later.push_back({std::move(sip), std::move(operand)});
  }
  return stream->LaunchHostFunction(
      stream.handle,
      [stream = stream.stream, later = std::move(later), work = std::move(work)](const auto& finish) {
        std::vector<std::shared_ptr<sip::Device>> devices;
        for (const Later& each : later) {
          devices.push_back(each.sip.lock());
          if (!devices.back() || !StillThere(each.operand, *devices.back())) {
            stream->RecordFailure(NotReachable(each.operand), sip::Severity::kOperator);
            finish();
            return;
          }
        }
        work();
        finish();
      },
      {.code = nullptr, .type = nullptr, .purpose = "a copy by the host"}, /*runs_when_stopped=*/false);
}

// One copy whose sides the stream's device reaches, or a host thread. `lease` is kept until it has run.
Status SubmitPiece(const CopyRequest& request, const Operand& to, const Operand& from, const StreamReference& stream,
                   std::shared_ptr<void> lease) {
  const std::shared_ptr<sip::Device> device = stream->sip();
  if (!ReachableBy(to, device) || !ReachableBy(from, device)) {
    const Operand operands[] = {to, from};
    return WorkOnStream(stream, operands,
                        [request, to = to.view, from = from.view, lease] { CopyRows(request, to, from); });
  }
  Submission submission;
  RETURN_IF_ERROR(stream->Submit(
      stream.handle, 1,
      [&](types::Command& command, uint64_t) {
        command.opcode = types::Opcode::kCopy;
        command.flags = 0;
        command.copy = {to.address,
                        from.address,
                        request.bytes,
                        SpaceOf(to),
                        SpaceOf(from),
                        static_cast<uint32_t>(request.rows),
                        request.destination_pitch,
                        request.source_pitch};
      },
      &submission));
  if (lease) stream->Hold(stream.handle, submission.end_entry, std::move(lease));
  return {};
}

// A part of what an operand covers.
Operand PartOf(const Operand& whole, std::size_t offset, std::size_t bytes) {
  Operand part = whole;
  part.address += offset;
  part.view += offset;
  part.bytes = bytes;
  return part;
}

// The calling thread does it once the stream has come to this point.
Status CopyInTurn(const CopyRequest& request, const Operand& to, const Operand& from, const StreamReference& stream) {
  RETURN_IF_ERROR(WaitForStream(stream));
  CopyRows(request, to.view, from.view);
  return {};
}

// Host memory made of several pieces that are pinned each: a copy for each of them. Empty when it is not such.
std::optional<Status> SubmitByPieces(const ResolvedCopy& copy, const StreamReference& stream) {
  const bool from_host = copy.from.place == Place::kPageable;
  const Operand& host = from_host ? copy.from : copy.to;
  const Operand& other = from_host ? copy.to : copy.from;
  const std::shared_ptr<sip::Device> device = stream->sip();
  if (copy.request->rows != 1 || !ReachableBy(other, device)) return std::nullopt;
  std::size_t done = 0;
  const std::vector<sip::MemoryRange> pieces = PinnedPieces(host, *device);
  if (pieces.empty()) return std::nullopt;
  for (const sip::MemoryRange& piece : pieces) {
    Operand here = PartOf(host, done, piece.bytes);
    here.place = Place::kPinned;
    here.sip = device;
    here.address = piece.address;
    const Operand there = PartOf(other, done, piece.bytes);
    CopyRequest request;
    request.bytes = piece.bytes;
    Status submitted = from_host ? SubmitPiece(request, there, here, stream, nullptr)
                                 : SubmitPiece(request, here, there, stream, nullptr);
    if (!submitted.ok()) return submitted;
    done += piece.bytes;
  }
  return Status();
}

// How much of a source is buffered at once: chunks of the host pool, which serve again once they have been copied. As
// much as fits into those is taken without waiting for the stream.
constexpr std::size_t kStagingChunk = std::size_t{4} << 20;
constexpr std::size_t kStagingChunks = 4;

// The source may be changed when this returns.
Status SubmitStaged(const ResolvedCopy& copy, const StreamReference& stream) {
  const CopyRequest& whole = *copy.request;
  std::vector<uint64_t> ends;
  for (std::size_t done = 0; done < whole.bytes;) {
    CopyRequest request;
    request.bytes = std::min(whole.bytes - done, kStagingChunk);
    const Operand to = PartOf(copy.to, done, request.bytes);
    const Operand from = PartOf(copy.from, done, request.bytes);
    if (ends.size() >= kStagingChunks) {
      RETURN_IF_ERROR(stream->CheckNotHeld());
      RETURN_IF_ERROR(stream->WaitEntry(ends[ends.size() - kStagingChunks], -1, Code::kStreamSyncTimeout));
    }
    const std::shared_ptr<void> chunk = AllocateStaging(stream->device(), request.bytes);
    if (!chunk) {
      // No room: what is left is copied in its turn.
      request.bytes = whole.bytes - done;
      return CopyInTurn(request, to, from, stream);
    }
    std::memcpy(chunk.get(), from.view, request.bytes);
    ASSIGN_OR_RETURN(const Operand staged, ResolveOperand(chunk.get(), request.bytes, "source"));
    RETURN_IF_ERROR(SubmitPiece(request, to, staged, stream, chunk));
    ends.push_back(stream->UnfinishedTail(stream.handle).value_or(0));
    done += request.bytes;
  }
  return {};
}

Status SubmitCopy(const ResolvedCopy& copy, const StreamReference& stream) {
  const CopyRequest& request = *copy.request;
  const bool pageable_source = copy.from.place == Place::kPageable;
  const bool staged = copy.from.place != Place::kDevice && request.rows == 1 &&
                      (request.staging == Staging::kHost || (request.staging == Staging::kPageable && pageable_source));
  if (staged) return SubmitStaged(copy, stream);
  if (pageable_source || copy.to.place == Place::kPageable) {
    if (const auto submitted = SubmitByPieces(copy, stream)) return *submitted;
    return CopyInTurn(request, copy.to, copy.from, stream);
  }
  return SubmitPiece(request, copy.to, copy.from, stream, nullptr);
}

Result<ResolvedCopy> ResolveForStream(const CopyRequest& request) {
  ASSIGN_OR_RETURN(ResolvedCopy copy, ResolveCopy(request));
  if (copy.to.place != Place::kDevice && copy.from.place != Place::kDevice) {
    return Status(Code::kFeatureNotSupport, "both sides of an asynchronous copy are host memory",
                  "Use memcpy, or aclrtMemcpy");
  }
  return copy;
}

Result<Operand> ResolveFill(void* destination, std::size_t bytes) {
  ASSIGN_OR_RETURN(Operand to, ResolveOperand(destination, bytes, "destination"));
  RETURN_IF_ERROR(CheckPageable(to, {bytes}, Access::kWrite));
  return to;
}

// Memory that a task of this stream reads or writes itself.
Result<Operand> ResolveOnDevice(const StreamReference& stream, const void* address, std::size_t bytes,
                                std::string_view role) {
  ASSIGN_OR_RETURN(Operand operand, ResolveOperand(address, bytes, role));
  if (operand.place == Place::kDevice && (operand.managed || operand.sip == stream->sip())) return operand;
  return Status(Code::kParamInvalid,
                fmt::format("the {} {} is {}, but the stream is of device {}", role, address, DescribePlace(operand),
                            stream->device().id()),
                "Use memory of the stream's device");
}

}  // namespace

Status CopyNow(const CopyRequest& request) {
  if (IsEmpty(request)) return {};
  RETURN_IF_ERROR(CurrentContext().status());
  ASSIGN_OR_RETURN(const ResolvedCopy copy, ResolveCopy(request));
  CopyRows(request, copy.to.view, copy.from.view);
  return {};
}

Status CopyOnStream(const CopyRequest& request, uint64_t stream_handle) {
  if (IsEmpty(request)) return {};
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  ASSIGN_OR_RETURN(const ResolvedCopy copy, ResolveForStream(request));
  return SubmitCopy(copy, stream);
}

Status CopyAllNow(std::span<const CopyRequest> requests, std::size_t* refused) {
  RETURN_IF_ERROR(CurrentContext().status());
  std::vector<ResolvedCopy> copies;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (IsEmpty(requests[i])) continue;
    Result<ResolvedCopy> copy = ResolveCopy(requests[i]);
    if (!copy.ok()) *refused = i;
    RETURN_IF_ERROR(copy.status());
    copies.push_back(*std::move(copy));
  }
  for (const ResolvedCopy& copy : copies) CopyRows(*copy.request, copy.to.view, copy.from.view);
  return {};
}

Status CopyAllOnStream(std::span<const CopyRequest> requests, uint64_t stream_handle, std::size_t* refused) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  std::vector<ResolvedCopy> copies;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (IsEmpty(requests[i])) continue;
    Result<ResolvedCopy> copy = ResolveForStream(requests[i]);
    if (!copy.ok()) *refused = i;
    RETURN_IF_ERROR(copy.status());
    copies.push_back(*std::move(copy));
  }
  for (const ResolvedCopy& copy : copies) RETURN_IF_ERROR(SubmitCopy(copy, stream));
  return {};
}

Status FillNow(void* destination, uint32_t pattern, std::size_t bytes) {
  if (bytes == 0) return {};
  RETURN_IF_ERROR(CurrentContext().status());
  ASSIGN_OR_RETURN(const Operand to, ResolveFill(destination, bytes));
  base::FillPattern(to.view, pattern, bytes);
  return {};
}

Status FillOnStream(void* destination, uint32_t pattern, std::size_t bytes, uint64_t stream_handle, bool host_at_once) {
  if (bytes == 0) return {};
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  ASSIGN_OR_RETURN(const Operand to, ResolveFill(destination, bytes));
  if (to.place == Place::kPageable || (host_at_once && to.place != Place::kDevice)) {
    RETURN_IF_ERROR(WaitForStream(stream));
    base::FillPattern(to.view, pattern, bytes);
    return {};
  }
  if (ReachableBy(to, stream->sip())) {
    return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
      command.opcode = types::Opcode::kFill;
      command.flags = 0;
      command.fill = {to.address, bytes, pattern, SpaceOf(to)};
    });
  }
  const Operand operands[] = {to};
  return WorkOnStream(stream, operands, [view = to.view, pattern, bytes] { base::FillPattern(view, pattern, bytes); });
}

Status WriteCopyDescriptor(void* descriptor, void* destination, const void* source, std::size_t bytes) {
  const uint64_t words[kCopyDescriptorBytes / 8] = {reinterpret_cast<uint64_t>(destination),
                                                    reinterpret_cast<uint64_t>(source), bytes, 0};
  return CopyNow({descriptor, words, sizeof words, 1, 0, 0, Direction::kHostToDevice});
}

Status CopyByDescriptor(void* descriptor, uint64_t stream_handle) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  ASSIGN_OR_RETURN(const Operand at, ResolveOnDevice(stream, descriptor, kCopyDescriptorBytes, "descriptor"));
  return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
    command.opcode = types::Opcode::kIndirectCopy;
    command.flags = 0;
    command.indirect_copy = {at.address, at.address + 8, 0, 0, at.address + 16, 0};
  });
}

Status CopyIndirectly(const IndirectCopyRequest& request, uint64_t stream_handle) {
  if (request.bytes == 0) return {};
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  ASSIGN_OR_RETURN(const Operand to,
                   ResolveOnDevice(stream, request.destination, sizeof(void*), "place of the destination's address"));
  ASSIGN_OR_RETURN(const Operand from,
                   ResolveOnDevice(stream, request.source, sizeof(void*), "place of the source's address"));
  return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
    command.opcode = types::Opcode::kIndirectCopy;
    command.flags = 0;
    command.indirect_copy = {to.address, from.address, request.destination_offset, request.source_offset,
                             0,          request.bytes};
  });
}

Status ReduceOnStream(void* destination, const void* source, std::size_t bytes, DataType type,
                      types::ReduceOperation operation, uint64_t stream_handle) {
  if (bytes == 0) return {};
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  ASSIGN_OR_RETURN(const Operand to, ResolveOnDevice(stream, destination, bytes, "destination"));
  ASSIGN_OR_RETURN(const Operand from, ResolveOnDevice(stream, source, bytes, "source"));
  return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
    command.opcode = types::Opcode::kReduce;
    command.flags = 0;
    command.reduce = {to.address, from.address, bytes, type, operation};
  });
}

Status RandomOnStream(const types::RandomCommand& random, uint64_t stream_handle) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  const auto type = static_cast<DataType>(random.type);
  const auto check = [&](uint64_t address, uint64_t bytes, std::string_view role) -> Status {
    return ResolveOnDevice(stream, reinterpret_cast<const void*>(address), bytes, role).status();
  };
  RETURN_IF_ERROR(check(random.counter, 16, "counter"));
  const bool counted = (random.in_memory & types::kCountInMemory) == 0;
  if (counted && random.count == 0) return {};
  RETURN_IF_ERROR(check(random.destination,
                        counted ? types::RandomBytes(random.distribution, type, random.count) : SizeOf(type),
                        "place of the random numbers"));
  const struct {
    uint8_t bit;
    uint64_t address;
    uint64_t bytes;
    std::string_view role;
  } parameters[] = {{types::kSeedInMemory, random.seed, 8, "place of the seed"},
                    {types::kCountInMemory, random.count, 8, "place of the number of random numbers"},
                    {types::kFirstInMemory, random.first, SizeOf(type), "place of the first parameter"},
                    {types::kSecondInMemory, random.second, SizeOf(type), "place of the second parameter"}};
  for (const auto& parameter : parameters) {
    if ((random.in_memory & parameter.bit) == 0) continue;
    RETURN_IF_ERROR(check(parameter.address, parameter.bytes, parameter.role));
  }
  return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
    command.opcode = types::Opcode::kRandom;
    command.flags = 0;
    command.random = random;
  });
}

}  // namespace forebay::runtime

namespace forebay {

Status Copy(void* destination, const void* source, std::size_t bytes) {
  return runtime::CheckNotForked().ok() ? runtime::CopyNow({destination, source, bytes})
                                        : runtime::ForkedChildFailure();
}

}  // namespace forebay
