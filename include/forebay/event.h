// Events: order between streams without the host, and time.
#pragma once

#include <cstdint>

#include "forebay/status.h"
#include "forebay/types.h"

#pragma GCC visibility push(default)
namespace forebay {

// An event of the calling thread's device. Recording stands for all work submitted to a stream so far; recording again
// replaces that for later waits, not for earlier ones. Errors: kContextNull; kNoEventResource.
Result<EventHandle> CreateEvent();
// Allowed before the event is complete; never blocks. Errors: kInvalidHandle.
Status DestroyEvent(EventHandle event);
// Errors: kInvalidHandle; kStreamContext when stream and event are of different devices.
Status RecordEvent(EventHandle event, StreamHandle stream);
// Later tasks of the stream start after the recorded work. The host is not involved, and only this stream waits. An
// event never recorded counts as complete.
Status StreamWaitEvent(StreamHandle stream, EventHandle event);
// Blocks the calling thread until the recorded work is done. `timeout_ms` < 0: no limit. Errors: kEventSyncTimeout.
Status SynchronizeEvent(EventHandle event, int64_t timeout_ms = -1);
// Whether the recorded work is done.
Result<bool> IsEventComplete(EventHandle event);
// Milliseconds from the record of `start` to that of `end` on the device's clock. Errors: kEventTimestampInvalid when
// one is not complete; kEventTimestampReversal when `end` came first.
Result<float> ElapsedMilliseconds(EventHandle start, EventHandle end);

}  // namespace forebay
#pragma GCC visibility pop
