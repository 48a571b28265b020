// Device memory and pinned memory.
#include "forebay/runtime/memory.h"

#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

Status ZeroBytes() { return Status(Code::kInvalidParam, "argument size is 0", "Ask for at least 1 byte"); }

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
