// Overflow of floating-point arithmetic in kernels, and what becomes of it.
#include <fmt/format.h>

#include "forebay/runtime/context.h"
#include "forebay/runtime/copy.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

using OverflowMode = runtime::DeviceState::OverflowMode;
constexpr std::size_t kStatusBytes = runtime::DeviceState::kOverflowStatusBytes;

Result<void*> StatusOf(aclrtStream stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference, runtime::ResolveStream(ToHandle(stream)));
  return reference->device().OverflowStatus(reference->overflow_tag());
}

// Queues a copy of the status. Kernels of the stream that come later do not change what is copied.
Status CopyStatus(void* output, std::size_t bytes, aclrtStream stream) {
  if (output == nullptr) return NullArgument("outputAddr");
  if (bytes != kStatusBytes) {
    return Status(Code::kParamInvalid, fmt::format("the output for the overflow status has {} bytes", bytes),
                  fmt::format("Pass {} bytes of device memory", kStatusBytes));
  }
  if (runtime::DeviceOfAddress(output) == nullptr) {
    return Status(Code::kParamInvalid,
                  fmt::format("the output {} for the overflow status is not device memory", output),
                  "Pass memory from aclrtMalloc");
  }
  ASSIGN_OR_RETURN(const void* status, StatusOf(stream));
  runtime::CopyRequest request;
  request.destination = output;
  request.source = status;
  request.bytes = kStatusBytes;
  return runtime::CopyOnStream(request, ToHandle(stream));
}

Status ClearStatus(aclrtStream stream) {
  ASSIGN_OR_RETURN(void* const status, StatusOf(stream));
  return runtime::FillOnStream(status, 0, kStatusBytes, ToHandle(stream));
}

Status CheckMode(uint32_t mode) {
  if (mode == 0) return {};
  return Status(Code::kParamInvalid, fmt::format("there is no check mode {}", mode), "Use 0");
}

}  // namespace

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  return Guard("aclrtSetDeviceSatMode", [&]() -> Status {
    if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN) {
      return Status(Code::kParamInvalid, fmt::format("there is no overflow mode {}", static_cast<int>(mode)),
                    "Use ACL_RT_OVERFLOW_MODE_SATURATION or ACL_RT_OVERFLOW_MODE_INFNAN");
    }
    ASSIGN_OR_RETURN(runtime::Context * context, runtime::CurrentContext());
    return context->device().SetOverflowMode(mode == ACL_RT_OVERFLOW_MODE_INFNAN ? OverflowMode::kInfNan
                                                                                 : OverflowMode::kSaturation);
  });
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  return Guard("aclrtGetDeviceSatMode", [&]() -> Status {
    if (mode == nullptr) return NullArgument("mode", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
    *mode = context->device().overflow_mode() == OverflowMode::kInfNan ? ACL_RT_OVERFLOW_MODE_INFNAN
                                                                       : ACL_RT_OVERFLOW_MODE_SATURATION;
    return {};
  });
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream) {
  return Guard("aclrtGetOverflowStatus", [&] { return CopyStatus(outputAddr, outputSize, stream); });
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
  return Guard("aclrtResetOverflowStatus", [&] { return ClearStatus(stream); });
}

aclError aclrtGetFloatOverflowStatus(void* outputAddr, uint64_t outputSize, aclrtStream stream) {
  return Guard("aclrtGetFloatOverflowStatus", [&] { return CopyStatus(outputAddr, outputSize, stream); });
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream) {
  return Guard("aclrtResetFloatOverflowStatus", [&] { return ClearStatus(stream); });
}

aclError aclrtNpuGetFloatOverFlowStatus(void* outputAddr, uint64_t outputSize, uint32_t checkMode, aclrtStream stream) {
  return Guard("aclrtNpuGetFloatOverFlowStatus", [&]() -> Status {
    RETURN_IF_ERROR(CheckMode(checkMode));
    return CopyStatus(outputAddr, outputSize, stream);
  });
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream) {
  return Guard("aclrtNpuClearFloatOverFlowStatus", [&]() -> Status {
    RETURN_IF_ERROR(CheckMode(checkMode));
    return ClearStatus(stream);
  });
}

aclError aclrtCtxGetFloatOverflowAddr(void** overflowAddr) {
  return Guard("aclrtCtxGetFloatOverflowAddr", [&]() -> Status {
    if (overflowAddr == nullptr) return NullArgument("overflowAddr", Code::kParamInvalid);
    ASSIGN_OR_RETURN(runtime::Context * context, runtime::CurrentContext());
    ASSIGN_OR_RETURN(*overflowAddr, context->device().OverflowStatus(0));
    return {};
  });
}
