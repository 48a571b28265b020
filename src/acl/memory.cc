// Copies and fills.
#include "forebay/runtime/memory.h"

#include <fmt/format.h>

#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

Status TooLong(std::size_t count, std::size_t room) {
  return Status(Code::kInvalidParam, fmt::format("{} bytes do not fit into the {} of the destination", count, room),
                "Check count against destMax");
}

// The kind names both sides; it is checked against the addresses where it says more than they do.
Status CheckKind(const void* destination, const void* source, aclrtMemcpyKind kind) {
  const bool to_device = runtime::PlaceOf(destination) == runtime::Place::kDevice;
  const bool from_device = runtime::PlaceOf(source) == runtime::Place::kDevice;
  bool fits = true;
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_HOST: fits = !to_device && !from_device; break;
    case ACL_MEMCPY_HOST_TO_DEVICE:
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE: fits = to_device && !from_device; break;
    case ACL_MEMCPY_DEVICE_TO_HOST: fits = !to_device && from_device; break;
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE: fits = to_device && from_device; break;
    case ACL_MEMCPY_DEFAULT: break;
    default:
      return Status(Code::kParamInvalid, fmt::format("there is no copy kind {}", static_cast<int>(kind)),
                    "See aclrtMemcpyKind");
  }
  if (fits) return {};
  return Status(Code::kParamInvalid,
                fmt::format("the copy kind is {}, but the destination {} is {} memory and the source {} is {} memory",
                            static_cast<int>(kind), destination, to_device ? "device" : "host", source,
                            from_device ? "device" : "host"),
                "Exchange the addresses, or name the kind that fits them");
}

}  // namespace

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  (void)kind;  // the addresses tell the direction
  return Guard("aclrtMemcpy", [&]() -> Status {
    if (count == 0) return {};
    if (dst == nullptr || src == nullptr) return NullArgument(dst == nullptr ? "dst" : "src");
    if (count > destMax) return TooLong(count, destMax);
    return runtime::CopyNow(dst, src, count);
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  return Guard("aclrtMemcpyAsync", [&]() -> Status {
    if (count == 0) return {};
    if (dst == nullptr || src == nullptr) return NullArgument(dst == nullptr ? "dst" : "src", Code::kParamInvalid);
    if (count > destMax) return TooLong(count, destMax);
    if (kind == ACL_MEMCPY_HOST_TO_HOST) {
      return Status(Code::kFeatureNotSupport, "an asynchronous copy from host to host", "Use memcpy, or aclrtMemcpy");
    }
    RETURN_IF_ERROR(CheckKind(dst, src, kind));
    return runtime::CopyOnStream(dst, src, count, ToHandle(stream));
  });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return Guard("aclrtMemset", [&]() -> Status {
    if (count == 0) return {};
    if (devPtr == nullptr) return NullArgument("devPtr", Code::kParamInvalid);
    if (count > maxCount) return TooLong(count, maxCount);
    return runtime::FillNow(devPtr, value, count);
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  return Guard("aclrtMemsetAsync", [&]() -> Status {
    if (count == 0) return {};
    if (devPtr == nullptr) return NullArgument("devPtr", Code::kParamInvalid);
    if (count > maxCount) return TooLong(count, maxCount);
    return runtime::FillOnStream(devPtr, value, count, ToHandle(stream));
  });
}
