// What an address of a copy or fill stands for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/status.h"
#include "memory/host_range.h"

namespace forebay::sip {
class Device;
struct MemoryRange;
}  // namespace forebay::sip

namespace forebay::runtime {

class DeviceState;

enum class Place { kDevice, kPinned, kPageable };

struct Operand {
  Place place = Place::kPageable;
  DeviceState* device = nullptr;     // whose memory it is; null for pageable memory
  std::shared_ptr<sip::Device> sip;  // the same, kept on
  uint64_t address = 0;              // device address, or offset of pinned memory
  std::byte* view = nullptr;         // where the host reads and writes it
  std::size_t bytes = 0;
  bool managed = false;   // the host and all devices use it: it fits every direction
  std::string_view role;  // how messages name it; a literal
};

// Finds out where `bytes` bytes, at least 1, lie. kParamInvalid for device memory that is not allocated all through.
Result<Operand> ResolveOperand(const void* address, std::size_t bytes, std::string_view role);
// What of an operand is accessed: rows of `bytes` bytes.
struct Rows {
  std::size_t bytes = 0;
  std::size_t count = 1;
  std::size_t pitch = 0;
};
// kSystemDma for pageable memory that does not allow the access.
Status CheckPageable(const Operand& operand, const Rows& rows, Access access);
// The pieces of pinned memory of `device` that a host range is made of, in order; where neighbours follow each other in
// the memory file they are one. Empty when not all of it is pinned.
std::vector<sip::MemoryRange> PinnedPieces(const Operand& operand, const sip::Device& device);
// Whether memory of `device` is still what it was when the operand was resolved.
bool StillThere(const Operand& operand, const sip::Device& device) noexcept;
// Whose memory it is, for messages.
std::string DescribePlace(const Operand& operand);
// kSystemDma, in words.
Status NotReachable(const Operand& operand);

}  // namespace forebay::runtime
