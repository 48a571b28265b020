// What there is to know about a kernel function.
#include "kernel_function.h"

#include <fmt/format.h>

#include <cstring>

#include "acl/acl_rt.h"
#include "guard.h"

namespace forebay::acl {

Result<uint64_t> FindFunction(const void* function) {
  if (runtime::KernelFunctions().Find(ToHandle(function)) != nullptr) return ToHandle(function);
  return runtime::FindKernelBySymbol(function);
}

}  // namespace forebay::acl

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

using kernel_abi::CoreType;
using kernel_abi::KernelDescriptor;

int64_t KernelType(CoreType cores) {
  switch (cores) {
    case CoreType::kCube: return ACL_KERNEL_TYPE_CUBE;
    case CoreType::kVector: return ACL_KERNEL_TYPE_VECTOR;
    case CoreType::kMix: return ACL_KERNEL_TYPE_MIX;
    case CoreType::kAny: break;
  }
  return ACL_KERNEL_TYPE_AICORE;
}

// Whether the kernel has code for the cube cores, or for those of a part that tells no kinds apart; and for the vector
// cores.
bool RunsOnCube(CoreType cores) { return cores != CoreType::kVector; }
bool RunsOnVector(CoreType cores) { return cores == CoreType::kVector || cores == CoreType::kMix; }

// The kernel behind what a program passes as a function, for the calls that name no other error.
Result<const runtime::KernelFunction*> ResolveAny(const void* function) {
  const auto handle = FindFunction(function);
  const auto found = handle.ok() ? runtime::ResolveKernel(*handle) : handle.status();
  if (found.ok() || found.code() == Code::kContextNull) return found;
  return Status(Code::kInvalidDeviceFunction, fmt::format("{} is no kernel function", function),
                "Pass the handle of a function whose binary is loaded, or the name of a kernel of the program");
}

}  // namespace

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char* name) {
  return Guard("aclrtGetFunctionName", [&]() -> Status {
    if (funcHandle == nullptr || name == nullptr) return NullArgument(funcHandle == nullptr ? "funcHandle" : "name");
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(funcHandle)));
    const size_t length = std::strlen(function->descriptor.name);
    if (length + 1 > maxLen) {
      return Status(Code::kParamInvalid,
                    fmt::format("the name of the kernel takes {} bytes, the buffer has {}", length + 1, maxLen),
                    "Pass a larger buffer");
    }
    std::memcpy(name, function->descriptor.name, length + 1);
    return {};
  });
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void** aicAddr, void** aivAddr) {
  return Guard("aclrtGetFunctionAddr", [&]() -> Status {
    if (funcHandle == nullptr || aicAddr == nullptr || aivAddr == nullptr)
      return NullArgument("funcHandle, aicAddr or aivAddr");
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(funcHandle)));
    const CoreType cores = function->descriptor.core_type;
    *aicAddr = RunsOnCube(cores) ? function->code.address : nullptr;
    *aivAddr = RunsOnVector(cores) ? function->code.address : nullptr;
    return {};
  });
}

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t* aicSize, size_t* aivSize) {
  return Guard("aclrtGetFunctionSize", [&]() -> Status {
    if (funcHandle == nullptr || aicSize == nullptr || aivSize == nullptr)
      return NullArgument("funcHandle, aicSize or aivSize", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(funcHandle)));
    const CoreType cores = function->descriptor.core_type;
    *aicSize = RunsOnCube(cores) ? function->code.bytes : 0;
    *aivSize = RunsOnVector(cores) ? function->code.bytes : 0;
    return {};
  });
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType, int64_t* attrValue) {
  return Guard("aclrtGetFunctionAttribute", [&]() -> Status {
    if (funcHandle == nullptr || attrValue == nullptr)
      return NullArgument(funcHandle == nullptr ? "funcHandle" : "attrValue");
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(funcHandle)));
    switch (attrType) {
      case ACL_FUNC_ATTR_KERNEL_TYPE: *attrValue = KernelType(function->descriptor.core_type); return {};
      case ACL_FUNC_ATTR_KERNEL_RATIO: *attrValue = function->descriptor.mix_ratio; return {};
      case ACL_FUNC_ATTR_KERNEL_SCHED_MODE:
        // Binaries name none, so that each launch chooses.
        *attrValue = 0;
        return {};
    }
    return Status(Code::kParamInvalid, fmt::format("there is no function attribute {}", static_cast<int>(attrType)),
                  "See aclrtFuncAttribute");
  });
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle* binHandle) {
  return Guard("aclrtFunctionGetBinary", [&]() -> Status {
    if (funcHandle == nullptr || binHandle == nullptr)
      return NullArgument(funcHandle == nullptr ? "funcHandle" : "binHandle", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(funcHandle)));
    *binHandle = FromHandle(function->binary);
    return {};
  });
}

aclError aclrtFunctionGetParamCount(const void* func, size_t* paramCount) {
  return Guard("aclrtFunctionGetParamCount", [&]() -> Status {
    if (func == nullptr || paramCount == nullptr) return NullArgument(func == nullptr ? "func" : "paramCount");
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, ResolveAny(func));
    *paramCount = function->descriptor.parameter_count;
    return {};
  });
}

aclError aclrtFunctionGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  return Guard("aclrtFunctionGetParamInfo", [&]() -> Status {
    if (func == nullptr) return NullArgument("func");
    if (paramOffset == nullptr && paramSize == nullptr) return NullArgument("paramOffset, and so is paramSize,");
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, ResolveAny(func));
    const KernelDescriptor& kernel = function->descriptor;
    if (paramIndex >= kernel.parameter_count) {
      return Status(
          Code::kParamInvalid,
          fmt::format("kernel {} has no parameter {}: it takes {}", kernel.name, paramIndex, kernel.parameter_count),
          "See aclrtFunctionGetParamCount");
    }
    if (paramOffset != nullptr) *paramOffset = kernel.parameters[paramIndex].offset;
    if (paramSize != nullptr) *paramSize = kernel.parameters[paramIndex].size;
    return {};
  });
}

aclError aclrtFunctionGetAvailDynUbufPerBlock(void* func, uint32_t flags, size_t* dynamicUbufSize) {
  return Guard("aclrtFunctionGetAvailDynUbufPerBlock", [&]() -> Status {
    if (func == nullptr || dynamicUbufSize == nullptr)
      return NullArgument(func == nullptr ? "func" : "dynamicUbufSize");
    if (flags != 0) return Status(Code::kParamInvalid, fmt::format("argument flags is {}", flags), "Pass 0");
    RETURN_IF_ERROR(ResolveAny(func).status());
    // Only kernels of the SIMT kind divide the unified buffer at launch, and there are none here.
    *dynamicUbufSize = 0;
    return {};
  });
}
