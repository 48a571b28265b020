// A wait that the runtime puts between two streams of a device by itself.
#pragma once

#include "forebay/runtime/stream.h"
#include "forebay/runtime/stream_moment.h"
#include "forebay/status.h"

namespace forebay::runtime {

// Makes the stream wait for a moment of another stream, unless it has passed: a record is queued there, and a wait
// here. Errors: those of a launch on the stream.
Status WaitForMoment(const StreamReference& stream, const StreamMoment& moment);

}  // namespace forebay::runtime
