#include "forebay/runtime/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "forebay/base/macros.h"
#include "forebay/launch.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/sip/device.h"
#include "memory/host_range.h"

namespace forebay::runtime {
namespace {

// An operand of a copy or fill, resolved.
struct Operand {
  Place place = Place::kPageable;
  DeviceState* device = nullptr;
  std::shared_ptr<sip::Device> sip;
  uint64_t address = 0;       // device address, or offset of pinned memory
  std::byte* view = nullptr;  // where the host reads and writes it
};

// Whose pinned memory the range is all through. What is so in part only is as good as pageable.
std::shared_ptr<sip::Device> PinnedOwner(const void* address, std::size_t bytes) noexcept {
  const DeviceState* device = DeviceOfPinned(address, bytes);
  return device != nullptr ? device->sip() : nullptr;
}

Status NotAllocated(const void* address, std::size_t bytes, std::string_view role) {
  return Status(Code::kParamInvalid,
                fmt::format("the {} {}, {} bytes, is not allocated device memory all through", role, address, bytes),
                "Check the address and the size; memory that was freed or belongs to a device that was reset counts as "
                "not allocated");
}

Status NotReachable(const void* address, std::size_t bytes, std::string_view role) {
  return Status(Code::kSystemDma,
                fmt::format("the {} {}, {} bytes, cannot be reached on the host", role, address, bytes),
                "Check the address and the size; it may be memory that was freed, or of a device that was reset");
}

Result<Operand> Resolve(const void* address, std::size_t bytes, std::string_view role) {
  Operand operand;
  operand.address = reinterpret_cast<uint64_t>(address);
  operand.view = const_cast<std::byte*>(static_cast<const std::byte*>(address));
  if (DeviceState* device = DeviceOfAddress(address)) {
    operand.place = Place::kDevice;
    operand.device = device;
    operand.sip = device->sip();
    operand.view = operand.sip ? operand.sip->HostViewOfDevice(operand.address, bytes) : nullptr;
    if (operand.view == nullptr) return NotAllocated(address, bytes, role);
  } else if (auto owner = PinnedOwner(address, bytes)) {
    operand.place = Place::kPinned;
    operand.sip = std::move(owner);
    operand.address = operand.sip->FindPinned(address, bytes).value_or(0);
  } else if (!IsHostRange(address, bytes)) {
    return NotReachable(address, bytes, role);
  }
  return operand;
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

}  // namespace

Place PlaceOf(const void* address) noexcept {
  if (DeviceOfAddress(address) != nullptr) return Place::kDevice;
  return PinnedOwner(address, 1) ? Place::kPinned : Place::kPageable;
}

Status CopyNow(void* destination, const void* source, std::size_t bytes) {
  if (bytes == 0) return {};
  RETURN_IF_ERROR(CurrentContext().status());
  ASSIGN_OR_RETURN(const Operand to, Resolve(destination, bytes, "destination"));
  ASSIGN_OR_RETURN(const Operand from, Resolve(source, bytes, "source"));
  std::memmove(to.view, from.view, bytes);
  return {};
}

Status FillNow(void* destination, int32_t value, std::size_t bytes) {
  if (bytes == 0) return {};
  RETURN_IF_ERROR(CurrentContext().status());
  ASSIGN_OR_RETURN(const Operand to, Resolve(destination, bytes, "destination"));
  std::memset(to.view, value, bytes);
  return {};
}

Status CopyOnStream(void* destination, const void* source, std::size_t bytes, uint64_t stream_handle) {
  if (bytes == 0) return {};
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  ASSIGN_OR_RETURN(const Operand to, Resolve(destination, bytes, "destination"));
  ASSIGN_OR_RETURN(const Operand from, Resolve(source, bytes, "source"));
  if (to.place != Place::kDevice && from.place != Place::kDevice) {
    return Status(Code::kFeatureNotSupport, "both sides of an asynchronous copy are host memory",
                  "Use memcpy, or aclrtMemcpy");
  }
  const std::shared_ptr<sip::Device> device = stream->sip();
  if (ReachableBy(to, device) && ReachableBy(from, device)) {
    return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
      command.opcode = types::Opcode::kCopy;
      command.flags = 0;
      command.copy = {to.address, from.address, bytes, SpaceOf(to), SpaceOf(from)};
    });
  }
  // Pageable memory, or memory of another device, is out of the copy engine's reach: the calling thread copies when the
  // stream has come to this point, and returns only then.
  RETURN_IF_ERROR(WaitForStream(stream));
  std::memmove(to.view, from.view, bytes);
  return {};
}

Status FillOnStream(void* destination, int32_t value, std::size_t bytes, uint64_t stream_handle) {
  if (bytes == 0) return {};
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  ASSIGN_OR_RETURN(const Operand to, Resolve(destination, bytes, "destination"));
  if (ReachableBy(to, stream->sip())) {
    return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
      command.opcode = types::Opcode::kFill;
      command.flags = 0;
      command.fill = {to.address, bytes, static_cast<uint8_t>(value), SpaceOf(to)};
    });
  }
  RETURN_IF_ERROR(WaitForStream(stream));
  std::memset(to.view, value, bytes);
  return {};
}

}  // namespace forebay::runtime

namespace forebay {

Status Copy(void* destination, const void* source, std::size_t bytes) {
  return runtime::CopyNow(destination, source, bytes);
}

}  // namespace forebay
