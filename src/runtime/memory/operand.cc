#include "memory/operand.h"

#include <fmt/format.h>

#include "forebay/base/macros.h"
#include "forebay/runtime/allocation.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/managed_memory.h"
#include "forebay/sip/device.h"
#include "memory/check/memory_reports.h"

namespace forebay::runtime {
namespace {

constexpr std::string_view kAdvice =
    "Check the address and the size; it may be memory that was freed, or of a device that was reset";

Status NotAllocated(const Operand& operand) {
  std::string found = MemoryReports::Get().FindAccess(operand.address, operand.bytes);
  if (!found.empty()) found = "; " + found;
  return Status(Code::kParamInvalid,
                fmt::format("the {} {:#x}, {} bytes, is not allocated device memory all through{}", operand.role,
                            operand.address, operand.bytes, found),
                std::string(kAdvice));
}

}  // namespace

Status NotReachable(const Operand& operand) {
  const uint64_t address = operand.place == Place::kDevice ? operand.address : reinterpret_cast<uint64_t>(operand.view);
  return Status(Code::kSystemDma,
                fmt::format("the {} {:#x}, {} bytes, cannot be reached", operand.role, address, operand.bytes),
                std::string(kAdvice));
}

std::string DescribePlace(const Operand& operand) {
  if (operand.place == Place::kDevice) return fmt::format("memory of device {}", operand.device->id());
  if (operand.place == Place::kPageable && !IsHostRange(operand.view, operand.bytes, Access::kRead))
    return "no memory of the process, nor of a device that is on";
  return "host memory";
}

Result<Operand> ResolveOperand(const void* address, std::size_t bytes, std::string_view role) {
  Operand operand;
  operand.address = reinterpret_cast<uint64_t>(address);
  operand.view = const_cast<std::byte*>(static_cast<const std::byte*>(address));
  operand.bytes = bytes;
  operand.role = role;
  if ((operand.device = DeviceOfAddress(address)) != nullptr) {
    operand.place = Place::kDevice;
    operand.sip = operand.device->sip();
    operand.view = operand.sip ? operand.sip->HostViewOfDevice(operand.address, bytes) : nullptr;
    if (operand.view == nullptr) return NotAllocated(operand);
    operand.managed = IsManagedAddress(address);
    // What the memory of a device that has failed holds is not to be relied on.
    if (!operand.managed && operand.device->is_failed()) return operand.device->device_failure();
  } else if ((operand.device = DeviceOfPinned(address, bytes)) != nullptr && (operand.sip = operand.device->sip())) {
    // What is pinned in part only is as good as pageable, and comes to the next branch.
    const auto offset = operand.sip->FindPinned(address, bytes);
    if (!offset) return NotReachable(operand);
    operand.place = Place::kPinned;
    operand.address = *offset;
  }
  return operand;
}

Status CheckPageable(const Operand& operand, const Rows& rows, Access access) {
  if (operand.place != Place::kPageable || IsHostRange(operand.view, operand.bytes, access)) return {};
  const std::byte* row = operand.view;
  std::size_t count = rows.count;
  // Only between rows that lie far apart may there be pages that are not accessed.
  if (count > 1 && rows.pitch - rows.bytes >= kNormalPage) {
    while (count > 0 && IsHostRange(row, rows.bytes, access)) {
      row += rows.pitch;
      --count;
    }
  }
  if (count == 0) return {};
  return Status(
      Code::kSystemDma,
      fmt::format("the {} {}, {} bytes, is no memory of this process that can be {} all through", operand.role,
                  static_cast<const void*>(operand.view), operand.bytes, access == Access::kRead ? "read" : "written"),
      "Check the address and the size; it may be memory that was freed, or that is protected");
}

std::vector<sip::MemoryRange> PinnedPieces(const Operand& operand, const sip::Device& device) {
  std::vector<sip::MemoryRange> pieces;
  for (std::size_t done = 0; done < operand.bytes;) {
    const auto piece = device.FindPinnedPiece(operand.view + done, operand.bytes - done);
    if (!piece) return {};
    if (!pieces.empty() && pieces.back().address + pieces.back().bytes == piece->address) {
      pieces.back().bytes += piece->bytes;
    } else {
      pieces.push_back(*piece);
    }
    done += piece->bytes;
  }
  return pieces;
}

bool StillThere(const Operand& operand, const sip::Device& device) noexcept {
  if (operand.place == Place::kDevice) return device.HostViewOfDevice(operand.address, operand.bytes) == operand.view;
  return device.FindPinned(operand.view, operand.bytes) == operand.address;
}

}  // namespace forebay::runtime
