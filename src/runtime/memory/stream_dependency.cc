#include "memory/stream_dependency.h"

#include "forebay/base/macros.h"
#include "forebay/runtime/device_state.h"
#include "forebay/sip/device.h"
#include "memory/pool/stream_order.h"

namespace forebay::runtime {

Status WaitForMoment(const StreamReference& stream, const StreamMoment& moment) {
  DeviceState& device = stream->device();
  StreamOrder& order = device.stream_order();
  if (order.HasPassed(moment)) return {};
  const uint64_t handle = device.StreamAtSlot(moment.slot);
  Stream* other = Streams().Find(handle);
  // A stream that is gone has run everything.
  if (other == nullptr) return {};
  StreamClock clock;
  order.Snapshot(moment, clock);
  const types::QueueGrant queue = other->queue();
  uint64_t value = 0;
  Submission submission;
  const Status recorded = other->Submit(
      handle, 1,
      [&](types::Command& command, uint64_t) {
        value = other->NextOperatorValue();
        command.opcode = types::Opcode::kEventRecord;
        command.flags = 0;
        command.event = {value, queue.event, 0};
      },
      &submission, Stream::WhenStopped::kAccept);
  if (!recorded.ok()) return order.HasPassed(moment) ? Status() : recorded;
  RETURN_IF_ERROR(stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
    command.opcode = types::Opcode::kEventWait;
    // A failure over there is none of this stream's business: it only takes over memory.
    command.flags = types::kFlagOrdersOnly;
    command.event = {value, queue.event, 0};
  }));
  order.NoteWait(stream->slot(), clock);
  return {};
}

}  // namespace forebay::runtime
