// What a stream is made with, and what can be changed about it.
#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/types.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

Status SetFailureMode(const runtime::StreamReference& stream, uint64_t mode) {
  if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE) {
    return Status(Code::kParamInvalid, fmt::format("there is no failure mode {}", mode),
                  "Use ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE");
  }
  if (stream->is_default()) RETURN_IF_ERROR(runtime::RequireFeature(base::SocFeature::kDefaultStreamFailureMode));
  return stream->SetFailurePolicy(mode == ACL_STOP_ON_FAILURE ? FailurePolicy::kStopContext : FailurePolicy::kContinue);
}

Status CheckSwitch(const char* name, uint32_t value) {
  if (value <= 1) return {};
  return Status(Code::kParamInvalid, fmt::format("the {} is {}", name, value), "Use 0 for off or 1 for on");
}

Status CheckPriority(uint32_t priority) {
  if (priority <= static_cast<uint32_t>(kLowestPriority)) return {};
  return Status(Code::kParamInvalid, fmt::format("the stream priority is {}", priority),
                fmt::format("Use 0, the highest, to {}", kLowestPriority));
}

Status NoSuchAttribute(int attribute) {
  return Status(Code::kParamInvalid, fmt::format("there is no stream attribute {}", attribute),
                "Use one of ACL_STREAM_ATTR_...");
}

// Copies an option of a new stream out of what the caller points to.
template <typename T>
Status ReadOption(const void* value, std::size_t size, const char* name, T* option) {
  if (size != sizeof *option) {
    return Status(Code::kParamInvalid, fmt::format("the stream option {} has {} bytes", name, size),
                  fmt::format("Pass a value of {} bytes", sizeof *option));
  }
  std::memcpy(option, value, size);
  return {};
}

}  // namespace

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
  aclrtStreamConfigHandle* made = nullptr;
  Guard("aclrtCreateStreamConfigHandle", [&]() -> Status {
    made = std::make_unique<aclrtStreamConfigHandle>().release();
    return {};
  });
  return made;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  return Guard("aclrtDestroyStreamConfigHandle", [&]() -> Status {
    if (handle == nullptr) return NullArgument("handle", Code::kParamInvalid);
    const std::unique_ptr<aclrtStreamConfigHandle> owner(handle);
    return {};
  });
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr, const void* attrValue,
                                 size_t valueSize) {
  return Guard("aclrtSetStreamConfigOpt", [&]() -> Status {
    if (handle == nullptr) return NullArgument("handle", Code::kParamInvalid);
    if (attrValue == nullptr) return NullArgument("attrValue", Code::kParamInvalid);
    switch (attr) {
      case ACL_RT_STREAM_WORK_ADDR_PTR:
        return ReadOption(attrValue, valueSize, "ACL_RT_STREAM_WORK_ADDR_PTR", &handle->workptr);
      case ACL_RT_STREAM_WORK_SIZE:
        return ReadOption(attrValue, valueSize, "ACL_RT_STREAM_WORK_SIZE", &handle->workSize);
      case ACL_RT_STREAM_FLAG: return ReadOption(attrValue, valueSize, "ACL_RT_STREAM_FLAG", &handle->flag);
      case ACL_RT_STREAM_PRIORITY: {
        uint32_t priority = 0;
        RETURN_IF_ERROR(ReadOption(attrValue, valueSize, "ACL_RT_STREAM_PRIORITY", &priority));
        RETURN_IF_ERROR(CheckPriority(priority));
        handle->priority = priority;
        return {};
      }
    }
    return Status(Code::kParamInvalid, fmt::format("there is no stream option {}", static_cast<int>(attr)),
                  "Use one of ACL_RT_STREAM_...");
  });
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return Guard("aclrtSetStreamFailureMode", [&]() -> Status {
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    return SetFailureMode(reference, mode);
  });
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  return Guard("aclrtSetStreamAttribute", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    switch (stmAttrType) {
      case ACL_STREAM_ATTR_FAILURE_MODE: return SetFailureMode(reference, value->failureMode);
      case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        RETURN_IF_ERROR(CheckSwitch("overflow switch", value->overflowSwitch));
        return reference->SetOverflowCheck(value->overflowSwitch == 1);
      case ACL_STREAM_ATTR_USER_CUSTOM_TAG: return reference->SetOverflowTag(value->userCustomTag);
      case ACL_STREAM_ATTR_CACHE_OP_INFO:
        RETURN_IF_ERROR(CheckSwitch("switch for operator information", value->cacheOpInfoSwitch));
        reference->keeps_operator_info().store(value->cacheOpInfoSwitch == 1, std::memory_order_release);
        return {};
      case ACL_STREAM_ATTR_PRIORITY:
        RETURN_IF_ERROR(CheckPriority(value->streamPriority));
        RETURN_IF_ERROR(runtime::RequireFeature(base::SocFeature::kStreamPriorityAttribute));
        reference->SetPriority(static_cast<int32_t>(value->streamPriority));
        return {};
    }
    return NoSuchAttribute(static_cast<int>(stmAttrType));
  });
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  return Guard("aclrtGetStreamAttribute", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    switch (stmAttrType) {
      case ACL_STREAM_ATTR_FAILURE_MODE:
        value->failureMode =
            reference->policy() == FailurePolicy::kContinue ? ACL_CONTINUE_ON_FAILURE : ACL_STOP_ON_FAILURE;
        return {};
      case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK: value->overflowSwitch = reference->checks_overflow(); return {};
      case ACL_STREAM_ATTR_USER_CUSTOM_TAG: value->userCustomTag = reference->overflow_tag(); return {};
      case ACL_STREAM_ATTR_CACHE_OP_INFO:
        value->cacheOpInfoSwitch = reference->keeps_operator_info().load(std::memory_order_acquire);
        return {};
      case ACL_STREAM_ATTR_PRIORITY: value->streamPriority = static_cast<uint32_t>(reference->priority()); return {};
    }
    return NoSuchAttribute(static_cast<int>(stmAttrType));
  });
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return Guard("aclrtSetStreamOverflowSwitch", [&]() -> Status {
    RETURN_IF_ERROR(CheckSwitch("overflow switch", flag));
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    return reference->SetOverflowCheck(flag == 1);
  });
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return Guard("aclrtGetStreamOverflowSwitch", [&]() -> Status {
    if (flag == nullptr) return NullArgument("flag", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
    *flag = reference->checks_overflow() ? 1 : 0;
    return {};
  });
}
