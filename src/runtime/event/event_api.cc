// Events in the C++ interface.
#include "forebay/base/macros.h"
#include "forebay/event.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/event.h"

namespace forebay {
namespace {

uint64_t ToHandle(EventHandle event) noexcept { return reinterpret_cast<uint64_t>(event); }
uint64_t ToHandle(StreamHandle stream) noexcept { return reinterpret_cast<uint64_t>(stream); }

}  // namespace

Result<EventHandle> CreateEvent() {
  ASSIGN_OR_RETURN(runtime::Context * context, runtime::CurrentContext());
  ASSIGN_OR_RETURN(const uint64_t handle, runtime::Event::Create(*context, {}));
  return reinterpret_cast<EventHandle>(handle);
}

Status DestroyEvent(EventHandle event) { return runtime::Event::Destroy(ToHandle(event)); }

Status RecordEvent(EventHandle event, StreamHandle stream) {
  ASSIGN_OR_RETURN(runtime::Event * object, runtime::FindEvent(ToHandle(event)));
  return object->Record(ToHandle(event), ToHandle(stream));
}

Status StreamWaitEvent(StreamHandle stream, EventHandle event) {
  ASSIGN_OR_RETURN(runtime::Event * object, runtime::FindEvent(ToHandle(event)));
  return object->Wait(ToHandle(event), ToHandle(stream), 0);
}

Status SynchronizeEvent(EventHandle event, int64_t timeout_ms) {
  ASSIGN_OR_RETURN(runtime::Event * object, runtime::FindEvent(ToHandle(event)));
  return object->Synchronize(ToHandle(event), timeout_ms);
}

Result<bool> IsEventComplete(EventHandle event) {
  ASSIGN_OR_RETURN(runtime::Event * object, runtime::FindEvent(ToHandle(event)));
  return object->IsComplete(ToHandle(event));
}

Result<float> ElapsedMilliseconds(EventHandle start, EventHandle end) {
  ASSIGN_OR_RETURN(runtime::Event * first, runtime::FindEvent(ToHandle(start)));
  ASSIGN_OR_RETURN(runtime::Event * second, runtime::FindEvent(ToHandle(end)));
  ASSIGN_OR_RETURN(const double from, first->Timestamp(ToHandle(start)));
  ASSIGN_OR_RETURN(const double to, second->Timestamp(ToHandle(end)));
  if (to < from) {
    return Status(Code::kEventTimestampReversal, "the end event completed before the start event",
                  "Exchange the two events");
  }
  return static_cast<float>((to - from) / 1000.0);
}

}  // namespace forebay
