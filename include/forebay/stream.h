// Streams: tasks of one stream run in order; different streams are independent unless an event orders them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "forebay/status.h"
#include "forebay/types.h"

#pragma GCC visibility push(default)
namespace forebay {

// Makes a stream on the calling thread's device. `priority`: 0 (highest) to 7 (lowest); it decides which stream the
// hardware scheduler serves next, and never pre-empts a running task. The stream stops when one of its tasks fails
// (FailurePolicy::kStopStream) unless `policy` says otherwise.
// Errors: kContextNull; kParamInvalid for a priority out of range; kResourceAllocFail when the device has no stream
// left.
Result<StreamHandle> CreateStream(int32_t priority = kHighestPriority,
                                  FailurePolicy policy = FailurePolicy::kStopStream);
// Waits for the tasks of the stream, then destroys it. Errors: kInvalidHandle; kStreamContext from another context.
Status DestroyStream(StreamHandle stream);
// Waits until all tasks submitted before the call have run, and returns the stream's first failure. Under kContinue the
// failure is then forgotten; a stopped stream keeps it. Null names the default stream. `timeout_ms` < 0: no limit.
// Errors: kStreamSyncTimeout, after which the tasks go on; the failure of a task.
Status SynchronizeStream(StreamHandle stream, int64_t timeout_ms = -1);
// The first failure of the stream that has not been forgotten; otherwise the device's; otherwise ok. Does not wait.
Status QueryStreamStatus(StreamHandle stream);
// Whether all submitted tasks have run.
Result<bool> IsStreamIdle(StreamHandle stream);
Result<StreamState> GetStreamState(StreamHandle stream);
// Ends the stopped state of a stream: waits until its queue is drained, forgets the failure, accepts tasks again.
Status RecoverStream(StreamHandle stream);
// The number of the stream on its device; the default stream's for null.
Result<int32_t> GetStreamId(StreamHandle stream);

// Runs `function` on a thread of the runtime after the stream's earlier tasks; later ones wait for it. It must not call
// the runtime to wait for its own stream (refused with kParamInvalid).
Status LaunchHostFunction(StreamHandle stream, std::function<void()> function);

}  // namespace forebay
#pragma GCC visibility pop
