// Events.
#include "forebay/runtime/event.h"

#include <fmt/format.h>

#include <atomic>

#include "forebay/event.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "guard.h"
#include "initialisation.h"
#include "timeout.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

// For waits submitted from now on; 0: none.
std::atomic<uint32_t> wait_timeout_ms{0};

Status FindOrNull(aclrtEvent event, runtime::Event** found) {
  if (event == nullptr) return NullArgument("event", Code::kParamInvalid);
  ASSIGN_OR_RETURN(*found, runtime::FindEvent(ToHandle(event)));
  return {};
}

Status CreateInto(aclrtEvent* event, const runtime::EventOptions& options) {
  ASSIGN_OR_RETURN(runtime::Context * context, runtime::CurrentContext());
  ASSIGN_OR_RETURN(const uint64_t handle, runtime::Event::Create(*context, options));
  *event = FromHandle(handle);
  return {};
}

Status CreateWithFlag(aclrtEvent* event, uint32_t flag, uint32_t known, uint32_t unsupported, runtime::EventKind kind,
                      const void* caller) {
  if (event == nullptr) return NullArgument("event", Code::kParamInvalid);
  if (flag == 0 || (flag & ~(known | unsupported)) != 0) {
    return Status(Code::kParamInvalid, fmt::format("the event flags are {:#x}", flag),
                  fmt::format("Combine some of {:#x}", known));
  }
  if ((flag & (ACL_EVENT_EXTERNAL | ACL_EVENT_IPC)) != 0 && (flag & (flag - 1)) != 0) {
    return Status(Code::kParamInvalid, fmt::format("the event flags {:#x} exclude each other", flag),
                  "ACL_EVENT_EXTERNAL and ACL_EVENT_IPC stand alone");
  }
  if ((flag & unsupported) != 0) {
    return Status(Code::kFeatureNotSupport,
                  fmt::format("events with the flags {:#x} are not built yet", flag & unsupported),
                  fmt::format("Combine some of {:#x}", known));
  }
  runtime::EventOptions options;
  options.kind = kind;
  options.synchronises = (flag & (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL)) != 0;
  options.has_timestamp = (flag & ACL_EVENT_TIME_LINE) != 0;
  options.created_at = caller;
  options.device_only = (flag & ACL_EVENT_DEVICE_USE_ONLY) != 0;
  return CreateInto(event, options);
}

// Both flags of a record and of a wait have the same values.
Status CheckMark(uint32_t flag) {
  static_assert(ACL_EVENT_RECORD_EXTERNAL == ACL_EVENT_WAIT_EXTERNAL);
  if (flag == ACL_EVENT_RECORD_DEFAULT || flag == ACL_EVENT_RECORD_EXTERNAL) return {};
  return Status(Code::kParamInvalid, fmt::format("the flag of a record or wait is {}", flag),
                "Use 0 for the default, or 1 for external");
}

Status Wait(aclrtStream stream, aclrtEvent event, uint32_t timeout_ms) {
  runtime::Event* object = nullptr;
  RETURN_IF_ERROR(FindOrNull(event, &object));
  return object->Wait(ToHandle(event), ToHandle(stream), timeout_ms);
}

}  // namespace

aclError aclrtCreateEvent(aclrtEvent* event) {
  const void* caller = CALL_SITE;
  return Guard("aclrtCreateEvent", [&]() -> Status {
    if (event == nullptr) return NullArgument("event", Code::kParamInvalid);
    return CreateInto(event, {.kind = runtime::EventKind::kDefault, .created_at = caller});
  });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  const void* caller = CALL_SITE;
  return Guard("aclrtCreateEventWithFlag", [&] {
    return CreateWithFlag(event, flag,
                          ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                              ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL,
                          0, runtime::EventKind::kWithFlag, caller);
  });
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  const void* caller = CALL_SITE;
  return Guard("aclrtCreateEventExWithFlag", [&] {
    return CreateWithFlag(event, flag, ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE,
                          ACL_EVENT_IPC, runtime::EventKind::kExtended, caller);
  });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return Guard("aclrtDestroyEvent", [&]() -> Status {
    if (event == nullptr) return NullArgument("event", Code::kParamInvalid);
    return runtime::Event::Destroy(ToHandle(event));
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return Guard("aclrtRecordEvent", [&]() -> Status {
    runtime::Event* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(event, &object));
    return object->Record(ToHandle(event), ToHandle(stream));
  });
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag) {
  return Guard("aclrtRecordEventWithFlag", [&]() -> Status {
    RETURN_IF_ERROR(CheckMark(flag));
    runtime::Event* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(event, &object));
    return object->RecordMarked(ToHandle(event), ToHandle(stream), flag == ACL_EVENT_RECORD_EXTERNAL);
  });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return Guard("aclrtStreamWaitEvent",
               [&] { return Wait(stream, event, wait_timeout_ms.load(std::memory_order_relaxed)); });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return Guard("aclrtStreamWaitEventWithTimeout", [&]() -> Status {
    if (timeout < 0)
      return Status(Code::kParamInvalid, fmt::format("the time-out is {} s", timeout),
                    "Use 0 for none, or at least 1 s");
    return Wait(stream, event, InMilliseconds(static_cast<uint32_t>(timeout)));
  });
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag) {
  return Guard("aclrtStreamWaitEventWithFlag", [&]() -> Status {
    RETURN_IF_ERROR(CheckMark(flag));
    if (flag == ACL_EVENT_WAIT_DEFAULT) return Wait(stream, event, InMilliseconds(timeout));
    if (timeout != 0) {
      return Status(Code::kParamInvalid, fmt::format("the time-out of a wait with the flag {} is {} s", flag, timeout),
                    "A wait with ACL_EVENT_WAIT_EXTERNAL has none: use 0");
    }
    runtime::Event* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(event, &object));
    return object->WaitExternally(ToHandle(event), ToHandle(stream));
  });
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  return Guard("aclrtSetOpWaitTimeout", [&]() -> Status {
    if (!IsInitialised()) return Status(Code::kUninitialize, "aclInit has not been called", "Call aclInit first");
    wait_timeout_ms.store(InMilliseconds(timeout), std::memory_order_relaxed);
    return {};
  });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return Guard("aclrtResetEvent", [&]() -> Status {
    runtime::Event* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(event, &object));
    return object->Reset(ToHandle(event), ToHandle(stream));
  });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return Guard("aclrtQueryEvent", [&]() -> Status {
    if (status == nullptr) return NullArgument("status", Code::kParamInvalid);
    runtime::Event* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(event, &object));
    if (object->kind() == runtime::EventKind::kExtended) {
      return Status(Code::kParamInvalid, "an event of aclrtCreateEventExWithFlag cannot be asked with aclrtQueryEvent",
                    "Use aclrtQueryEventStatus");
    }
    ASSIGN_OR_RETURN(const bool complete, object->IsComplete(ToHandle(event)));
    *status = complete ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return {};
  });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return Guard("aclrtQueryEventStatus", [&]() -> Status {
    if (status == nullptr) return NullArgument("status");
    runtime::Event* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(event, &object));
    ASSIGN_OR_RETURN(const bool complete, object->IsComplete(ToHandle(event)));
    *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return {};
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return Guard("aclrtQueryEventWaitStatus", [&]() -> Status {
    if (status == nullptr) return NullArgument("status");
    runtime::Event* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(event, &object));
    ASSIGN_OR_RETURN(const bool done, object->AreWaitsDone(ToHandle(event)));
    *status = done ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return {};
  });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return Guard("aclrtSynchronizeEvent", [&]() -> Status {
    runtime::Event* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(event, &object));
    return object->Synchronize(ToHandle(event), -1);
  });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return Guard("aclrtSynchronizeEventWithTimeout", [&]() -> Status {
    RETURN_IF_ERROR(CheckTimeout(timeout));
    runtime::Event* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(event, &object));
    return object->Synchronize(ToHandle(event), timeout);
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return Guard("aclrtEventElapsedTime", [&]() -> Status {
    if (ms == nullptr || startEvent == nullptr || endEvent == nullptr)
      return NullArgument("ms, startEvent or endEvent");
    ASSIGN_OR_RETURN(*ms,
                     ElapsedMilliseconds(static_cast<EventHandle>(startEvent), static_cast<EventHandle>(endEvent)));
    return {};
  });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return Guard("aclrtEventGetTimestamp", [&]() -> Status {
    if (event == nullptr || timestamp == nullptr) return NullArgument("event or timestamp");
    ASSIGN_OR_RETURN(runtime::Event * object, runtime::FindEvent(ToHandle(event)));
    ASSIGN_OR_RETURN(const double microseconds, object->Timestamp(ToHandle(event)));
    *timestamp = static_cast<uint64_t>(microseconds);
    return {};
  });
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return Guard("aclrtGetEventId", [&]() -> Status {
    if (event == nullptr || eventId == nullptr) return NullArgument("event or eventId");
    ASSIGN_OR_RETURN(const runtime::Event* object, runtime::FindEvent(ToHandle(event)));
    *eventId = object->id();
    return {};
  });
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return Guard("aclrtGetEventAvailNum", [&]() -> Status {
    if (eventCount == nullptr) return NullArgument("eventCount");
    ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
    *eventCount = context->device().events_available();
    return {};
  });
}
