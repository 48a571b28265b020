// Kernel binaries: loading them, and what they hold.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/kernel.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

using kernel_abi::CoreType;

struct Magic {
  uint32_t value;
  CoreType cores;
};
constexpr Magic kMagics[] = {{ACL_RT_BINARY_MAGIC_ELF_AICORE, CoreType::kAny},
                             {ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE, CoreType::kVector},
                             {ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE, CoreType::kCube}};

Status ReadOption(const aclrtBinaryLoadOption& option, runtime::LoadOptions* result) {
  switch (option.type) {
    case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:
      if (option.value.isLazyLoad > 1) {
        return Status(Code::kParamInvalid, fmt::format("option isLazyLoad is {}", option.value.isLazyLoad),
                      "Use 0 or 1");
      }
      result->lazy = option.value.isLazyLoad == 1;
      return {};
    case ACL_RT_BINARY_LOAD_OPT_MAGIC:
      for (const Magic& magic : kMagics) {
        if (magic.value != option.value.magic) continue;
        result->cores = magic.cores;
        return {};
      }
      return Status(Code::kParamInvalid, fmt::format("there is no kernel magic {:#x}", option.value.magic),
                    "See ACL_RT_BINARY_MAGIC_...");
    case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
      // Binaries of kernels for the AI cores are what they are in each of the modes.
      if (option.value.cpuKernelMode >= 0 && option.value.cpuKernelMode <= 2) return {};
      return Status(Code::kParamInvalid, fmt::format("there is no CPU kernel mode {}", option.value.cpuKernelMode),
                    "Use 0, 1 or 2");
  }
  return Status(Code::kParamInvalid, fmt::format("there is no load option {}", static_cast<int>(option.type)),
                "See aclrtBinaryLoadOptionType");
}

Result<runtime::LoadOptions> ReadOptions(const aclrtBinaryLoadOptions* options) {
  runtime::LoadOptions result;
  if (options == nullptr) return result;
  if (options->numOpt > 0 && options->options == nullptr) return NullArgument("options->options", Code::kParamInvalid);
  for (size_t i = 0; i < options->numOpt; ++i) RETURN_IF_ERROR(ReadOption(options->options[i], &result));
  return result;
}

// Binaries that are kept in memory until they are loaded.
class KeptBinaries {
 public:
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;
  static KeptBinaries& Get() {
    static base::NeverDestroyed<KeptBinaries> binaries;
    return *binaries;
  }
  uint64_t Add(std::span<const std::byte> bytes) EXCLUDES(mutex_) {
    auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    base::MutexLock lock(mutex_);
    binaries_[++last_] = std::move(copy);
    return kKind | last_;
  }
  // Null when there is none.
  Bytes Find(uint64_t handle) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    const auto found = binaries_.find(handle ^ kKind);
    return found == binaries_.end() ? nullptr : found->second;
  }
  bool Remove(uint64_t handle) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return binaries_.erase(handle ^ kKind) == 1;
  }

 private:
  static constexpr uint64_t kKind = uint64_t{static_cast<uint8_t>(base::HandleKind::kKeptBinary)} << 56;
  base::Mutex mutex_;
  uint64_t last_ GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Bytes> binaries_ GUARDED_BY(mutex_);
};

Status StaleKeptBinary() {
  return Status(Code::kInvalidHandle, "the binary was destroyed, is of another kind, or never was one",
                "Use the handle that aclrtCreateBinary gave");
}

}  // namespace

aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options, aclrtBinHandle* binHandle) {
  return Guard("aclrtBinaryLoadFromFile", [&]() -> Status {
    if (binPath == nullptr || binHandle == nullptr) return NullArgument(binPath == nullptr ? "binPath" : "binHandle");
    ASSIGN_OR_RETURN(const runtime::LoadOptions read, ReadOptions(options));
    ASSIGN_OR_RETURN(const uint64_t handle, runtime::LoadKernelFile(binPath, read));
    *binHandle = FromHandle(handle);
    return {};
  });
}

aclError aclrtBinaryLoadFromData(const void* data, size_t length, const aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle) {
  return Guard("aclrtBinaryLoadFromData", [&]() -> Status {
    if (data == nullptr || binHandle == nullptr) return NullArgument(data == nullptr ? "data" : "binHandle");
    if (length == 0) return Status(Code::kInvalidParam, "argument length is 0", "Pass the size of the binary");
    ASSIGN_OR_RETURN(const runtime::LoadOptions read, ReadOptions(options));
    ASSIGN_OR_RETURN(const uint64_t handle,
                     runtime::LoadKernelImage({static_cast<const std::byte*>(data), length}, "the data given", read));
    *binHandle = FromHandle(handle);
    return {};
  });
}

aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen) {
  aclrtBinary binary = nullptr;
  Guard("aclrtCreateBinary", [&]() -> Status {
    if (data == nullptr) return NullArgument("data");
    if (dataLen == 0) return Status(Code::kInvalidParam, "argument dataLen is 0", "Pass the size of the binary");
    binary = FromHandle(KeptBinaries::Get().Add({static_cast<const std::byte*>(data), dataLen}));
    return {};
  });
  return binary;
}

aclError aclrtDestroyBinary(aclrtBinary binary) {
  return Guard("aclrtDestroyBinary", [&]() -> Status {
    if (binary == nullptr) return NullArgument("binary", Code::kParamInvalid);
    return KeptBinaries::Get().Remove(ToHandle(binary)) ? Status() : StaleKeptBinary();
  });
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* binHandle) {
  return Guard("aclrtBinaryLoad", [&]() -> Status {
    if (binary == nullptr || binHandle == nullptr)
      return NullArgument(binary == nullptr ? "binary" : "binHandle", Code::kParamInvalid);
    const KeptBinaries::Bytes bytes = KeptBinaries::Get().Find(ToHandle(binary));
    if (bytes == nullptr) return StaleKeptBinary();
    ASSIGN_OR_RETURN(const uint64_t handle, runtime::LoadKernelImage(*bytes, "given to aclrtCreateBinary"));
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
    if (binHandle == nullptr || kernelName == nullptr || funcHandle == nullptr)
      return NullArgument("binHandle, kernelName or funcHandle", Code::kParamInvalid);
    RETURN_IF_ERROR(runtime::CurrentContext().status());
    ASSIGN_OR_RETURN(const uint64_t handle, runtime::FindKernel(ToHandle(binHandle), kernelName));
    *funcHandle = FromHandle(handle);
    return {};
  });
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle* funcHandle) {
  return Guard("aclrtBinaryGetFunctionByEntry", [&]() -> Status {
    if (binHandle == nullptr || funcHandle == nullptr)
      return NullArgument(binHandle == nullptr ? "binHandle" : "funcHandle");
    RETURN_IF_ERROR(runtime::CurrentContext().status());
    ASSIGN_OR_RETURN(const uint64_t handle, runtime::FindKernelByKey(ToHandle(binHandle), funcEntry));
    *funcHandle = FromHandle(handle);
    return {};
  });
}

aclError aclrtGetFuncBySymbol(const void* symbol, aclrtFuncHandle* funcHandle) {
  return Guard("aclrtGetFuncBySymbol", [&]() -> Status {
    if (symbol == nullptr || funcHandle == nullptr) return NullArgument(symbol == nullptr ? "symbol" : "funcHandle");
    ASSIGN_OR_RETURN(const uint64_t handle, runtime::FindKernelBySymbol(symbol));
    *funcHandle = FromHandle(handle);
    return {};
  });
}

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void** binAddr, size_t* binSize) {
  return Guard("aclrtBinaryGetDevAddress", [&]() -> Status {
    if (binHandle == nullptr || binAddr == nullptr || binSize == nullptr)
      return NullArgument("binHandle, binAddr or binSize");
    ASSIGN_OR_RETURN(const runtime::DeviceRange range, runtime::KernelImageRange(ToHandle(binHandle)));
    *binAddr = range.address;
    *binSize = range.bytes;
    return {};
  });
}

aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char* name, void** dptr, size_t* size) {
  return Guard("aclrtBinaryGetGlobal", [&]() -> Status {
    if (binHandle == nullptr || name == nullptr) return NullArgument(binHandle == nullptr ? "binHandle" : "name");
    if (dptr == nullptr && size == nullptr) return NullArgument("dptr, and so is size,");
    ASSIGN_OR_RETURN(const runtime::DeviceRange variable, runtime::FindKernelVariable(ToHandle(binHandle), name));
    if (dptr != nullptr) *dptr = variable.address;
    if (size != nullptr) *size = variable.bytes;
    return {};
  });
}

aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char* funcName, const char* kernelName,
                              aclrtFuncHandle* funcHandle) {
  return Guard("aclrtRegisterCpuFunc", [&]() -> Status {
    if (handle == nullptr || funcName == nullptr || kernelName == nullptr || funcHandle == nullptr)
      return NullArgument("handle, funcName, kernelName or funcHandle");
    RETURN_IF_ERROR(runtime::CheckKernelBinary(ToHandle(handle)));
    // Loading refuses everything but binaries of kernels for the AI cores.
    return Status(Code::kParamInvalid,
                  fmt::format("function {} cannot become the CPU kernel {}: the binary has kernels for the AI cores",
                              funcName, kernelName),
                  "Build what it does as a kernel for the AI cores, and get that with aclrtBinaryGetFunction");
  });
}
