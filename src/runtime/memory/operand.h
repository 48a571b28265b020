// What an address of a copy or fill stands for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "forebay/status.h"

namespace forebay::sip {
class Device;
}

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
  std::string_view role;  // how messages name it; a literal
};

// Finds out where `bytes` bytes, at least 1, lie. Errors: kParamInvalid for device memory that is not allocated all
// through; kSystemDma for host memory that cannot be reached.
Result<Operand> ResolveOperand(const void* address, std::size_t bytes, std::string_view role);
// Whether memory of `device` is still what it was when the operand was resolved.
bool StillThere(const Operand& operand, const sip::Device& device) noexcept;
// kSystemDma, in words.
Status NotReachable(const Operand& operand);

}  // namespace forebay::runtime
