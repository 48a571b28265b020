// Streams: making, waiting, ending.
#include "forebay/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "guard.h"
#include "timeout.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

Status CreateStreamInto(aclrtStream* stream, uint32_t priority, uint32_t flags, const void* caller) {
  // A persistent stream keeps its tasks for a model of the host, which one that only the device uses never gets.
  if ((flags & ACL_STREAM_PERSISTENT) != 0 && (flags & ACL_STREAM_DEVICE_USE_ONLY) != 0) {
    return Status(Code::kParamInvalid, fmt::format("the stream flags {:#x} exclude each other", flags),
                  "ACL_STREAM_PERSISTENT and ACL_STREAM_DEVICE_USE_ONLY cannot be combined");
  }
  ASSIGN_OR_RETURN(runtime::Context * context, runtime::CurrentContext());
  // Priorities beyond the lowest count as the lowest.
  const auto level = static_cast<int32_t>(std::min<uint32_t>(priority, kLowestPriority));
  ASSIGN_OR_RETURN(const uint64_t handle,
                   runtime::Stream::Create(*context, {.priority = level, .flags = flags, .created_at = caller}));
  *stream = FromHandle(handle);
  return {};
}

// What a stream was made with may be asked from every context.
Result<const runtime::Stream*> FindAnyStream(aclrtStream stream) {
  ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
  const uint64_t handle = stream != nullptr ? ToHandle(stream) : context->default_stream();
  if (const runtime::Stream* found = runtime::Streams().Find(handle)) return found;
  return Status(Code::kInvalidHandle, "the stream handle is stale, of another kind, or never was one",
                "Use the handle that the creating call gave, until the stream is destroyed");
}

Status DestroyStream(aclrtStream stream, bool force) {
  if (stream == nullptr) return NullArgument("stream", Code::kParamInvalid);
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  const std::size_t unfinished = force ? reference->Snapshot().tasks.size() : 0;
  const uint32_t number = reference->slot();
  RETURN_IF_ERROR(runtime::Stream::Destroy(reference.handle, force));
  if (unfinished > 0) {
    Warn("aclrtDestroyStreamForce",
         fmt::format("stream {} was destroyed with {} unfinished tasks, which are dropped", number, unfinished));
  }
  return {};
}

}  // namespace

aclError aclrtCreateStream(aclrtStream* stream) {
  const void* caller = CALL_SITE;
  return Guard("aclrtCreateStream", [&]() -> Status {
    if (stream == nullptr) return NullArgument("stream", Code::kParamInvalid);
    return CreateStreamInto(stream, 0, 0, caller);
  });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  const void* caller = CALL_SITE;
  return Guard("aclrtCreateStreamWithConfig", [&]() -> Status {
    if (stream == nullptr) return NullArgument("stream");
    return CreateStreamInto(stream, priority, flag, caller);
  });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return Guard("aclrtDestroyStream", [&] { return DestroyStream(stream, /*force=*/false); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return Guard("aclrtDestroyStreamForce", [&] { return DestroyStream(stream, /*force=*/true); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return Guard("aclrtSynchronizeStream", [&]() -> Status {
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    return reference->Synchronize(reference.handle, -1);
  });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return Guard("aclrtSynchronizeStreamWithTimeout", [&]() -> Status {
    RETURN_IF_ERROR(CheckTimeout(timeout));
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    return reference->Synchronize(reference.handle, timeout);
  });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return Guard("aclrtStreamQuery", [&]() -> Status {
    if (status == nullptr) return NullArgument("status");
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    // In this order: what failed was reported before the stream became idle.
    const bool idle = reference->IsIdle();
    RETURN_IF_ERROR(reference->QueryFailure());
    *status = idle ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return {};
  });
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return Guard("aclrtStreamGetId", [&]() -> Status {
    if (streamId == nullptr) return NullArgument("streamId", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::Stream* asked, FindAnyStream(stream));
    *streamId = static_cast<int32_t>(asked->slot());
    return {};
  });
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return Guard("aclrtStreamGetPriority", [&]() -> Status {
    if (priority == nullptr) return NullArgument("priority");
    ASSIGN_OR_RETURN(const runtime::Stream* asked, FindAnyStream(stream));
    *priority = static_cast<uint32_t>(asked->priority());
    return {};
  });
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return Guard("aclrtStreamGetFlags", [&]() -> Status {
    if (flags == nullptr) return NullArgument("flags");
    ASSIGN_OR_RETURN(const runtime::Stream* asked, FindAnyStream(stream));
    *flags = asked->flags();
    return {};
  });
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  return Guard("aclrtGetStreamAvailableNum", [&]() -> Status {
    if (streamCount == nullptr) return NullArgument("streamCount");
    ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
    *streamCount = context->device().streams_available();
    return {};
  });
}

aclError aclrtStreamAbort(aclrtStream stream) {
  return Guard("aclrtStreamAbort", [&]() -> Status {
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    return reference->Abort(reference.handle);
  });
}

aclError aclrtStreamStop(aclrtStream stream) {
  return Guard("aclrtStreamStop", [&]() -> Status {
    if (stream == nullptr) return NullArgument("stream", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    if (reference->is_default()) {
      return Status(Code::kParamInvalid, "the default stream cannot be stopped", "Stop a stream that was created");
    }
    return reference->Hold(reference.handle);
  });
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  const void* caller = CALL_SITE;
  return Guard("aclrtCreateStreamV2", [&]() -> Status {
    if (stream == nullptr) return NullArgument("stream", Code::kParamInvalid);
    if (handle == nullptr) return NullArgument("handle", Code::kParamInvalid);
    if (handle->flag > UINT32_MAX) {
      return Status(Code::kParamInvalid, fmt::format("the stream flags are {:#x}", handle->flag),
                    "Combine some of ACL_STREAM_...");
    }
    return CreateStreamInto(stream, handle->priority, static_cast<uint32_t>(handle->flag), caller);
  });
}

aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
  return Guard("aclrtGetThreadLastTaskId", [&]() -> Status {
    if (taskId == nullptr) return NullArgument("taskId", Code::kParamInvalid);
    const int64_t task = runtime::CurrentThread().last_task;
    if (task < 0)
      return Status(Code::kParamInvalid, "this thread has put no task into a stream that it created",
                    "Submit a task first");
    *taskId = static_cast<uint32_t>(task);
    return {};
  });
}
