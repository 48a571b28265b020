// Words of device memory that streams write and wait for.
#include <fmt/format.h>

#include "forebay/base/macros.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/memory_word.h"
#include "forebay/runtime/stream.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

Status Submit(void* address, uint64_t stream_handle, types::Opcode opcode, types::Condition condition, uint64_t value) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  const auto word = reinterpret_cast<uint64_t>(address);
  if (word % sizeof(uint64_t) != 0) {
    return Status(Code::kAddressUnaligned, fmt::format("the address {} is not a multiple of 8", address),
                  "Use the address of a word of 64 bits");
  }
  const std::shared_ptr<sip::Device> device = stream->sip();
  if (!device) return StaleStreamFailure();
  if (!device->OwnsAddress(word) || device->HostViewOfDevice(word, sizeof(uint64_t)) == nullptr) {
    return Status(Code::kParamInvalid,
                  fmt::format("the address {} is not allocated memory of device {}, which the stream belongs to",
                              address, device->id()),
                  "Use memory that was allocated while the stream's device was current");
  }
  return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
    command.opcode = opcode;
    command.flags = 0;
    command.memory = {value, word, condition};
  });
}

}  // namespace

Status WriteWordOnStream(void* address, uint64_t value, uint64_t stream) {
  return Submit(address, stream, types::Opcode::kMemoryWrite, types::Condition::kEqual, value);
}

Status WaitForWordOnStream(void* address, types::Condition condition, uint64_t value, uint64_t stream) {
  return Submit(address, stream, types::Opcode::kMemoryWait, condition, value);
}

}  // namespace forebay::runtime
