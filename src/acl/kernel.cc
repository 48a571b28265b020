// Kernel binaries and launches.
#include "forebay/runtime/kernel.h"

#include <fmt/format.h>

#include <cstring>

#include "forebay/runtime/context.h"
#include "guard.h"
#include "kernel_arguments.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

constexpr uint32_t kMagics[] = {ACL_RT_BINARY_MAGIC_ELF_AICORE, ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE,
                                ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE};

Status CheckOptions(const aclrtBinaryLoadOptions* options) {
  if (options == nullptr) return {};
  if (options->numOpt > 0 && options->options == nullptr) return NullArgument("options->options", Code::kParamInvalid);
  for (size_t i = 0; i < options->numOpt; ++i) {
    const aclrtBinaryLoadOption& option = options->options[i];
    switch (option.type) {
      case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:  // loading is quick enough to be done at once
        break;
      case ACL_RT_BINARY_LOAD_OPT_MAGIC: {
        bool known = false;
        for (const uint32_t magic : kMagics) known |= option.value.magic == magic;
        if (!known)
          return Status(Code::kParamInvalid, fmt::format("there is no kernel magic {:#x}", option.value.magic),
                        "See ACL_RT_BINARY_MAGIC_...");
        break;
      }
      case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
        if (option.value.cpuKernelMode < 0 || option.value.cpuKernelMode > 2) {
          return Status(Code::kParamInvalid, fmt::format("there is no CPU kernel mode {}", option.value.cpuKernelMode),
                        "Use 0, 1 or 2");
        }
        break;
      default:
        return Status(Code::kParamInvalid, fmt::format("there is no load option {}", static_cast<int>(option.type)),
                      "See aclrtBinaryLoadOptionType");
    }
  }
  return {};
}

// What a launch configuration asks for.
Status ApplyConfig(const aclrtLaunchKernelCfg* config, runtime::Launch* launch) {
  if (config == nullptr) return {};
  if (config->numAttrs > 0 && config->attrs == nullptr) return NullArgument("cfg->attrs", Code::kParamInvalid);
  bool has_timeout = false;
  for (size_t i = 0; i < config->numAttrs; ++i) {
    const aclrtLaunchKernelAttr& attribute = config->attrs[i];
    if (attribute.id < ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE ||
        attribute.id > ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING) {
      return Status(Code::kParamInvalid, fmt::format("there is no launch attribute {}", static_cast<int>(attribute.id)),
                    "See aclrtLaunchKernelAttrId");
    }
    if ((attribute.id == ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE && attribute.value.schemMode > 1) ||
        (attribute.id == ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE &&
         static_cast<uint32_t>(attribute.value.engineType) > ACL_RT_ENGINE_TYPE_AIV)) {
      return Status(Code::kParamInvalid,
                    fmt::format("launch attribute {} is out of its range", static_cast<int>(attribute.id)),
                    "Use 0 or 1");
    }
    const bool seconds = attribute.id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
    if (!seconds && attribute.id != ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US) continue;
    if (has_timeout)
      return Status(Code::kParamInvalid, "the launch has two time-outs", "Give it in seconds or in microseconds, once");
    has_timeout = true;
    const uint64_t us = uint64_t{attribute.value.timeoutUs.timeoutHigh} << 32 | attribute.value.timeoutUs.timeoutLow;
    launch->timeout_us = seconds ? int64_t{attribute.value.timeout} * 1'000'000 : static_cast<int64_t>(us & INT64_MAX);
  }
  return {};
}

Status LaunchNow(runtime::Launch& launch, const aclrtLaunchKernelCfg* config, aclrtStream stream) {
  if (launch.block_count == 0) return Status(Code::kInvalidParam, "argument numBlocks is 0", "Launch at least 1 block");
  RETURN_IF_ERROR(ApplyConfig(config, &launch));
  return runtime::LaunchOnStream(launch, ToHandle(stream), nullptr);
}

}  // namespace

aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options, aclrtBinHandle* binHandle) {
  return Guard("aclrtBinaryLoadFromFile", [&]() -> Status {
    if (binPath == nullptr || binHandle == nullptr) return NullArgument(binPath == nullptr ? "binPath" : "binHandle");
    RETURN_IF_ERROR(CheckOptions(options));
    ASSIGN_OR_RETURN(const uint64_t handle, runtime::LoadKernelFile(binPath));
    *binHandle = FromHandle(handle);
    return {};
  });
}

aclError aclrtBinaryLoadFromData(const void* data, size_t length, const aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle) {
  return Guard("aclrtBinaryLoadFromData", [&]() -> Status {
    if (data == nullptr || binHandle == nullptr) return NullArgument(data == nullptr ? "data" : "binHandle");
    if (length == 0) return Status(Code::kInvalidParam, "argument length is 0", "Pass the size of the binary");
    RETURN_IF_ERROR(CheckOptions(options));
    ASSIGN_OR_RETURN(const uint64_t handle,
                     runtime::LoadKernelImage({static_cast<const std::byte*>(data), length}, "the data given"));
    *binHandle = FromHandle(handle);
    return {};
  });
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
  return Guard("aclrtBinaryUnLoad", [&]() -> Status {
    if (binHandle == nullptr) return NullArgument("binHandle", Code::kParamInvalid);
    ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
    const runtime::KernelBinary* binary = runtime::KernelBinaries().Find(ToHandle(binHandle));
    if (binary != nullptr && binary->context_handle != context->handle()) {
      return Status(Code::kStreamContext, "another context loaded the kernel binary",
                    "Unload it in the context that loaded it");
    }
    return runtime::UnloadKernels(ToHandle(binHandle));
  });
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName, aclrtFuncHandle* funcHandle) {
  return Guard("aclrtBinaryGetFunction", [&]() -> Status {
    if (kernelName == nullptr || funcHandle == nullptr)
      return NullArgument(kernelName == nullptr ? "kernelName" : "funcHandle", Code::kParamInvalid);
    RETURN_IF_ERROR(runtime::CurrentContext().status());
    ASSIGN_OR_RETURN(const uint64_t handle, runtime::FindKernel(ToHandle(binHandle), kernelName));
    *funcHandle = FromHandle(handle);
    return {};
  });
}

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

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize,
                           aclrtStream stream) {
  return Guard("aclrtLaunchKernel", [&]() -> Status {
    if (funcHandle == nullptr || argsData == nullptr)
      return NullArgument(funcHandle == nullptr ? "funcHandle" : "argsData");
    if (argsSize == 0) return Status(Code::kInvalidParam, "argument argsSize is 0", "Pass the size of the arguments");
    runtime::Launch launch;
    launch.function = ToHandle(funcHandle);
    launch.block_count = numBlocks;
    launch.arguments = argsData;
    launch.argument_bytes = argsSize;
    launch.arguments_on_device = true;
    return LaunchNow(launch, nullptr, stream);
  });
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg* cfg, aclrtArgsHandle argsHandle, void* reserve) {
  return Guard("aclrtLaunchKernelWithConfig", [&]() -> Status {
    if (funcHandle == nullptr || argsHandle == nullptr)
      return NullArgument(funcHandle == nullptr ? "funcHandle" : "argsHandle");
    if (reserve != nullptr) return Status(Code::kParamInvalid, "argument reserve is not NULL", "Pass NULL");
    ASSIGN_OR_RETURN(const KernelArguments* list, FindKernelArguments(argsHandle));
    if (list->function() != ToHandle(funcHandle)) {
      return Status(Code::kParamInvalid, "the argument list was made for another kernel",
                    "Make a list for each kernel with aclrtKernelArgsInit");
    }
    if (!list->is_finalised()) {
      return Status(Code::kParamInvalid, "the argument list is not finalised",
                    "Call aclrtKernelArgsFinalize after the last change");
    }
    runtime::Launch launch;
    launch.function = ToHandle(funcHandle);
    launch.block_count = numBlocks;
    launch.arguments = list->packed().data();
    launch.argument_bytes = list->packed().size();
    launch.placeholders = list->placeholders();
    return LaunchNow(launch, cfg, stream);
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
    runtime::Launch launch;
    launch.function = ToHandle(funcHandle);
    launch.block_count = numBlocks;
    launch.arguments = hostArgs;
    launch.argument_bytes = argsSize;
    launch.placeholders = {placeholders, placeHolderNum};
    return LaunchNow(launch, cfg, stream);
  });
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
  return Guard("aclrtSetOpExecuteTimeOut", [&]() -> Status {
    // 0 asks for the most there is, which is what the configuration says.
    runtime::SetExecuteTimeout(timeout == 0 ? -1 : int64_t{timeout} * 1'000'000);
    return {};
  });
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) {
  return Guard("aclrtSetOpExecuteTimeOutWithMs", [&]() -> Status {
    runtime::SetExecuteTimeout(timeout == 0 ? -1 : int64_t{timeout} * 1000);
    return {};
  });
}
