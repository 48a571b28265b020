// Device memory, pinned memory, copies and fills.
#include "forebay/runtime/memory.h"

#include <fmt/format.h>

#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

Status ZeroBytes() { return Status(Code::kInvalidParam, "argument size is 0", "Ask for at least 1 byte"); }

Status TooLong(std::size_t count, std::size_t room) {
  return Status(Code::kInvalidParam, fmt::format("{} bytes do not fit into the {} of the destination", count, room),
                "Check count against destMax");
}

// The bytes to account for a request; what would overflow stays beyond everything.
std::size_t Reserve(std::size_t bytes, std::size_t extra) noexcept {
  return bytes > SIZE_MAX - 31 - extra ? SIZE_MAX : (bytes + 31) / 32 * 32 + extra;
}

Status AllocateInto(void** pointer, std::size_t bytes, std::size_t reserved) {
  if (pointer == nullptr) return NullArgument("devPtr");
  if (bytes == 0) return ZeroBytes();
  ASSIGN_OR_RETURN(*pointer, runtime::AllocateDevice(bytes, reserved));
  return {};
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

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  (void)policy;  // pages of one size serve every policy
  return Guard("aclrtMalloc", [&] { return AllocateInto(devPtr, size, Reserve(size, 32)); });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  (void)policy;
  return Guard("aclrtMallocAlign32", [&] { return AllocateInto(devPtr, size, Reserve(size, 0)); });
}

aclError aclrtFree(void* devPtr) {
  return Guard("aclrtFree", [&]() -> Status {
    if (devPtr == nullptr) return NullArgument("devPtr", Code::kParamInvalid);
    return runtime::FreeDevice(devPtr);
  });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return Guard("aclrtMallocHost", [&]() -> Status {
    if (hostPtr == nullptr) return NullArgument("hostPtr");
    if (size == 0) return ZeroBytes();
    ASSIGN_OR_RETURN(*hostPtr, runtime::AllocatePinned(size));
    return {};
  });
}

aclError aclrtFreeHost(void* hostPtr) {
  return Guard("aclrtFreeHost", [&]() -> Status {
    if (hostPtr == nullptr) return NullArgument("hostPtr", Code::kParamInvalid);
    return runtime::FreePinned(hostPtr);
  });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return Guard("aclrtGetMemInfo", [&]() -> Status {
    if (free == nullptr || total == nullptr) return NullArgument("free or total", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::MemoryInfo info, runtime::QueryMemory());
    // One kind of memory stands for all; the attributes of peer-to-peer and 1 GiB pages have none of their own.
    const bool known = attr >= ACL_DDR_MEM && attr <= ACL_HBM_MEM_NORMAL;
    *free = known ? info.free_bytes : 0;
    *total = known ? info.total_bytes : 0;
    return {};
  });
}

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
