// Launches of kernels, and how long kernels may run.
#include <fmt/format.h>

#include <algorithm>

#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/kernel.h"
#include "guard.h"
#include "kernel_arguments.h"
#include "kernel_function.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

// Attributes that are a choice of two.
uint32_t SwitchOf(const aclrtLaunchKernelAttr& attribute) {
  switch (attribute.id) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE: return attribute.value.schemMode;
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE: return static_cast<uint32_t>(attribute.value.engineType);
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH: return attribute.value.isBlockTaskPrefetch;
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP: return attribute.value.isDataDump;
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING: return attribute.value.enableProfiling;
    default: return 0;
  }
}

Status ApplyAttribute(const aclrtLaunchKernelAttr& attribute, runtime::Launch* launch) {
  if (SwitchOf(attribute) > 1) {
    return Status(Code::kParamInvalid,
                  fmt::format("launch attribute {} is {}", static_cast<int>(attribute.id), SwitchOf(attribute)),
                  "Use 0 or 1");
  }
  switch (attribute.id) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE: launch->all_blocks_at_once = attribute.value.schemMode == 1; return {};
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE:
      launch->on_vector_core = attribute.value.engineType == ACL_RT_ENGINE_TYPE_AIV;
      return {};
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET: launch->first_block = attribute.value.blockDimOffset; return {};
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US: {
      if (launch->timeout_us)
        return Status(Code::kParamInvalid, "the launch has two time-outs",
                      "Give it in seconds or in microseconds, once");
      const aclrtTimeoutUs& us = attribute.value.timeoutUs;
      launch->timeout_us = attribute.id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT
                               ? uint64_t{attribute.value.timeout} * 1'000'000
                               : uint64_t{us.timeoutHigh} << 32 | us.timeoutLow;
      return {};
    }
    // No kernel here has a dynamic unified buffer, nothing is fetched ahead, and there is no dump and no profiling.
    case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING: return {};
  }
  return Status(Code::kParamInvalid, fmt::format("there is no launch attribute {}", static_cast<int>(attribute.id)),
                "See aclrtLaunchKernelAttrId");
}

// What a launch configuration asks for.
Status ApplyConfig(const aclrtLaunchKernelCfg* config, runtime::Launch* launch) {
  if (config == nullptr) return {};
  if (config->numAttrs > 0 && config->attrs == nullptr) return NullArgument("cfg->attrs", Code::kParamInvalid);
  for (size_t i = 0; i < config->numAttrs; ++i) RETURN_IF_ERROR(ApplyAttribute(config->attrs[i], launch));
  return {};
}

// A launch of that many blocks with that configuration, still without its arguments.
Result<runtime::Launch> MakeLaunch(const void* function, uint32_t block_count, const aclrtLaunchKernelCfg* config) {
  if (block_count == 0) return Status(Code::kInvalidParam, "argument numBlocks is 0", "Launch at least 1 block");
  runtime::Launch launch;
  launch.function = ToHandle(function);
  launch.block_count = block_count;
  RETURN_IF_ERROR(ApplyConfig(config, &launch));
  return launch;
}

Status LaunchFromDevice(aclrtFuncHandle function, uint32_t block_count, const void* arguments, size_t bytes,
                        const aclrtLaunchKernelCfg* config, aclrtStream stream) {
  if (function == nullptr || arguments == nullptr) return NullArgument(function == nullptr ? "funcHandle" : "argsData");
  if (bytes == 0) return Status(Code::kInvalidParam, "argument argsSize is 0", "Pass the size of the arguments");
  ASSIGN_OR_RETURN(runtime::Launch launch, MakeLaunch(function, block_count, config));
  launch.arguments = arguments;
  launch.argument_bytes = bytes;
  launch.arguments_on_device = true;
  return runtime::LaunchOnStream(launch, ToHandle(stream), nullptr);
}

// Threads inside a block came with parts that are newer than all that can be chosen here.
Status NoThreads() {
  return Status(Code::kFeatureNotSupport, "the part runs no kernels of the SIMT kind",
                "Launch a kernel that works by blocks, with one of the other functions");
}

}  // namespace

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize,
                           aclrtStream stream) {
  return Guard("aclrtLaunchKernel",
               [&] { return LaunchFromDevice(funcHandle, numBlocks, argsData, argsSize, nullptr, stream); });
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize,
                             aclrtLaunchKernelCfg* cfg, aclrtStream stream) {
  return Guard("aclrtLaunchKernelV2",
               [&] { return LaunchFromDevice(funcHandle, numBlocks, argsData, argsSize, cfg, stream); });
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg* cfg, aclrtArgsHandle argsHandle, void* reserve) {
  return Guard("aclrtLaunchKernelWithConfig", [&]() -> Status {
    if (funcHandle == nullptr || argsHandle == nullptr)
      return NullArgument(funcHandle == nullptr ? "funcHandle" : "argsHandle");
    if (reserve != nullptr) return Status(Code::kParamInvalid, "argument reserve is not NULL", "Pass NULL");
    ASSIGN_OR_RETURN(const KernelArguments* list, FindKernelArguments(argsHandle));
    if (list->function() != ToHandle(funcHandle)) {
      RETURN_IF_ERROR(runtime::ResolveKernel(ToHandle(funcHandle)).status());
      return Status(Code::kParamInvalid, "the argument list was made for another kernel",
                    "Make a list for each kernel with aclrtKernelArgsInit");
    }
    if (!list->is_finalised()) {
      return Status(Code::kParamInvalid, "the argument list is not finalised",
                    "Call aclrtKernelArgsFinalize after the last change");
    }
    ASSIGN_OR_RETURN(runtime::Launch launch, MakeLaunch(funcHandle, numBlocks, cfg));
    launch.arguments = list->packed().data();
    launch.argument_bytes = list->packed().size();
    launch.placeholders = list->placeholders();
    return runtime::LaunchOnStream(launch, ToHandle(stream), nullptr);
  });
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg* cfg, void* hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum) {
  return Guard("aclrtLaunchKernelWithHostArgs", [&]() -> Status {
    if (funcHandle == nullptr || hostArgs == nullptr)
      return NullArgument(funcHandle == nullptr ? "funcHandle" : "hostArgs");
    if (argsSize == 0) return Status(Code::kInvalidParam, "argument argsSize is 0", "Pass the size of the arguments");
    if (placeHolderNum > 0 && placeHolderArray == nullptr) return NullArgument("placeHolderArray", Code::kParamInvalid);
    if (placeHolderNum > KernelArguments::kMostParameters) {
      return Status(Code::kParamInvalid, fmt::format("{} place holders were given", placeHolderNum), "Use at most 128");
    }
    static_assert(sizeof(aclrtPlaceHolderInfo) == sizeof(runtime::Placeholder));
    runtime::Placeholder placeholders[KernelArguments::kMostParameters];
    for (size_t i = 0; i < placeHolderNum; ++i)
      placeholders[i] = {placeHolderArray[i].addrOffset, placeHolderArray[i].dataOffset};
    ASSIGN_OR_RETURN(runtime::Launch launch, MakeLaunch(funcHandle, numBlocks, cfg));
    launch.arguments = hostArgs;
    launch.argument_bytes = argsSize;
    launch.placeholders = {placeholders, placeHolderNum};
    return runtime::LaunchOnStream(launch, ToHandle(stream), nullptr);
  });
}

aclError aclrtLaunchKernelWithArgsArray(void* func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg* cfg,
                                        void** args) {
  return Guard("aclrtLaunchKernelWithArgsArray", [&]() -> Status {
    if (func == nullptr || args == nullptr) return NullArgument(func == nullptr ? "func" : "args");
    ASSIGN_OR_RETURN(runtime::Launch launch, MakeLaunch(func, numBlocks, cfg));
    const auto function = FindFunction(func);
    if (function.ok()) launch.function = *function;
    // What is neither a handle nor a kernel of the program is told as a bad handle.
    if (!function.ok() && function.code() != Code::kInvalidDeviceFunction) return function.status();
    return runtime::LaunchWithArray(launch, args, ToHandle(stream), nullptr);
  });
}

aclError aclrtLaunchSIMTKernelWithArgsArray(void* func, dim3, dim3, size_t, aclrtStream, aclrtLaunchKernelCfg*,
                                            void** args) {
  return Guard("aclrtLaunchSIMTKernelWithArgsArray", [&] {
    return func == nullptr || args == nullptr ? NullArgument(func == nullptr ? "func" : "args") : NoThreads();
  });
}

aclError aclrtLaunchSIMTKernelWithHostArgs(void* func, dim3, dim3, size_t, aclrtStream, aclrtLaunchKernelCfg*,
                                           void* hostArgs, size_t, aclrtPlaceHolderInfo*, size_t) {
  return Guard("aclrtLaunchSIMTKernelWithHostArgs", [&] {
    return func == nullptr || hostArgs == nullptr ? NullArgument(func == nullptr ? "func" : "hostArgs") : NoThreads();
  });
}

aclError aclrtGetHardwareSyncAddr(void** addr) {
  return Guard("aclrtGetHardwareSyncAddr", [&]() -> Status {
    if (addr == nullptr) return NullArgument("addr", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
    ASSIGN_OR_RETURN(*addr, context->device().SynchronisationArea());
    return {};
  });
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
  return Guard("aclrtSetOpExecuteTimeOut", [&]() -> Status {
    runtime::SetExecuteTimeout(uint64_t{timeout} * 1'000'000);
    return {};
  });
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) {
  return Guard("aclrtSetOpExecuteTimeOutWithMs", [&]() -> Status {
    runtime::SetExecuteTimeout(uint64_t{timeout} * 1000);
    return {};
  });
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  return Guard("aclrtSetOpExecuteTimeOutV2", [&]() -> Status {
    if (actualTimeout == nullptr) return NullArgument("actualTimeout", Code::kParamInvalid);
    *actualTimeout = runtime::SetExecuteTimeout(timeout);
    return {};
  });
}

aclError aclrtGetOpTimeOutInterval(uint64_t* interval) {
  return Guard("aclrtGetOpTimeOutInterval", [&]() -> Status {
    if (interval == nullptr) return NullArgument("interval", Code::kParamInvalid);
    *interval = runtime::TimeoutStep();
    return {};
  });
}

aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs) {
  return Guard("aclrtGetOpExecuteTimeout", [&]() -> Status {
    if (timeoutMs == nullptr) return NullArgument("timeoutMs");
    const uint64_t timeout_us = runtime::ExecuteTimeout();
    *timeoutMs = timeout_us == runtime::kNoTimeout ? UINT32_MAX : static_cast<uint32_t>((timeout_us + 999) / 1000);
    return {};
  });
}
