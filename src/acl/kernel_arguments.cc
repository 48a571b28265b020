#include "kernel_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "forebay/base/never_destroyed.h"
#include "guard.h"

namespace forebay::acl {
namespace {

// Room for placeholder data is set aside at once, so that buffers given out earlier stay where they are.
constexpr std::size_t kPlaceholderRoom = 16 * 1024;
constexpr std::size_t kPlaceholderAlignment = 32;
// Offsets have 32 bits; what a list may use of the caller's memory is far below.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
// Lists have no function that destroys them: one stays until the binary of its kernel is unloaded.
constexpr uint32_t kMostLists = 1u << 24;
constexpr std::size_t kFirstSweep = 1024;

constexpr std::size_t UpTo(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

class Lists {
 public:
  static Lists& Get() {
    static base::NeverDestroyed<Lists> lists;
    return *lists;
  }
  KernelArgumentsTable& table() noexcept { return table_; }
  KernelArgumentsTable::Entry Make() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (made_ >= next_sweep_) Sweep();
    const KernelArgumentsTable::Entry entry = table_.Allocate();
    if (entry.object != nullptr) ++made_;
    return entry;
  }
  // `place`, an address that the caller chose, is a handle of the list too. What it was a handle of before ends.
  void Name(const void* place, uint64_t list) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    uint64_t& named = by_place_[ToHandle(place)];
    if (table_.IsCurrent(named)) End(named);
    named = list;
  }
  // Null when there is none.
  KernelArguments* Find(uint64_t handle) EXCLUDES(mutex_) {
    if (KernelArguments* list = table_.Find(handle)) return list;
    base::MutexLock lock(mutex_);
    const auto found = by_place_.find(handle);
    return found == by_place_.end() ? nullptr : table_.Find(found->second);
  }

 private:
  void End(uint64_t list) REQUIRES(mutex_) {
    KernelArguments* object = table_.Find(list);
    table_.Retire(list);
    object->End();
    table_.Release(list);
    --made_;
  }
  // Ends the lists of kernels that have gone. As lists double before the next sweep, making one stays cheap.
  void Sweep() REQUIRES(mutex_) {
    std::vector<uint64_t> gone;
    table_.ForEach([&](uint64_t handle, const KernelArguments& list) {
      if (!runtime::KernelFunctions().IsCurrent(list.function())) gone.push_back(handle);
    });
    for (const uint64_t list : gone) End(list);
    std::erase_if(by_place_, [&](const auto& one) { return !table_.IsCurrent(one.second); });
    next_sweep_ = std::max(kFirstSweep, 2 * made_);
  }

  KernelArgumentsTable table_{kMostLists};
  base::Mutex mutex_;
  std::size_t made_ GUARDED_BY(mutex_) = 0;
  std::size_t next_sweep_ GUARDED_BY(mutex_) = kFirstSweep;
  std::unordered_map<uint64_t, uint64_t> by_place_ GUARDED_BY(mutex_);
};

Result<KernelArguments*> FindList(aclrtArgsHandle handle) {
  KernelArguments* list = Lists::Get().Find(ToHandle(handle));
  if (list == nullptr) {
    return Status(Code::kInvalidHandle, "the argument list handle is stale, of another kind, or never was one",
                  "Use the handle that aclrtKernelArgsInit gave");
  }
  return list;
}

// A parameter's handle: which list, by the low bits of its handle, and its number.
uint64_t PackParameter(aclrtArgsHandle list, uint32_t parameter) noexcept {
  return uint64_t{static_cast<uint8_t>(base::HandleKind::kKernelParameter)} << 56 |
         (ToHandle(list) & 0xFFFFFFFFFFFFu) << 8 | parameter;
}

Result<uint32_t> FindParameter(aclrtArgsHandle list, aclrtParamHandle handle) {
  const auto parameter = static_cast<uint32_t>(ToHandle(handle) & 0xFF);
  if (ToHandle(handle) != PackParameter(list, parameter)) {
    return Status(Code::kInvalidHandle, "the parameter handle does not belong to this argument list",
                  "Use the handle that appending gave");
  }
  return parameter;
}

// A list in `memory`, or in memory of its own when that is empty.
Result<uint64_t> BeginList(uint64_t handle, const runtime::KernelFunction& function, std::span<std::byte> memory) {
  const KernelArgumentsTable::Entry entry = Lists::Get().Make();
  if (entry.object == nullptr) {
    return Status(Code::kBadAlloc, fmt::format("{} argument lists are alive", kMostLists),
                  "Launch a list many times, begin lists in memory of your own (aclrtKernelArgsInitByUserMem), or "
                  "unload kernel binaries: that ends the lists of their kernels");
  }
  entry.object->Begin(handle, function.descriptor, memory);
  Lists::Get().table().Publish(entry.handle);
  return entry.handle;
}

}  // namespace

void KernelArguments::Begin(uint64_t function, const kernel_abi::KernelDescriptor& kernel,
                            std::span<std::byte> memory) {
  function_ = function;
  appended_ = 0;
  is_placeholder_.reset();
  own_.clear();
  if (memory.empty()) {
    own_.resize(kernel.argument_bytes);
    memory = own_;
  }
  memory_ = memory.first(std::min(memory.size(), kMostBytes));
  used_ = kernel.argument_bytes;
  std::fill_n(memory_.begin(), used_, std::byte{0});
  placeholders_.clear();
  finalised_ = false;
}

Result<const kernel_abi::KernelDescriptor*> KernelArguments::Kernel() const {
  ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(function_));
  return &function->descriptor;
}

Result<const kernel_abi::ParameterDescriptor*> KernelArguments::CheckNext(std::size_t bytes) const {
  ASSIGN_OR_RETURN(const kernel_abi::KernelDescriptor* kernel, Kernel());
  if (appended_ == kernel->parameter_count || appended_ == kMostParameters) {
    return Status(Code::kParamInvalid,
                  fmt::format("kernel {} takes {} arguments, and all have been appended", kernel->name, appended_),
                  "Append each argument once, in the order of the kernel's declaration");
  }
  const kernel_abi::ParameterDescriptor& parameter = kernel->parameters[appended_];
  if (bytes != parameter.size) {
    return Status(Code::kParamInvalid,
                  fmt::format("argument {} of kernel {} has {} bytes, but {} were given", appended_, kernel->name,
                              parameter.size, bytes),
                  "Pass the size of the parameter's type");
  }
  return &parameter;
}

Result<uint32_t> KernelArguments::Append(const void* value, std::size_t bytes) {
  ASSIGN_OR_RETURN(const kernel_abi::ParameterDescriptor* parameter, CheckNext(bytes));
  std::memcpy(memory_.data() + parameter->offset, value, bytes);
  finalised_ = false;
  return appended_++;
}

Result<uint32_t> KernelArguments::AppendPlaceholder() {
  RETURN_IF_ERROR(CheckNext(sizeof(void*)).status());
  is_placeholder_[appended_] = true;
  finalised_ = false;
  return appended_++;
}

Result<void*> KernelArguments::PlaceholderBuffer(uint32_t parameter, std::size_t bytes) {
  ASSIGN_OR_RETURN(const kernel_abi::KernelDescriptor* kernel, Kernel());
  if (parameter >= appended_ || !is_placeholder_[parameter]) {
    return Status(Code::kParamInvalid,
                  fmt::format("argument {} of kernel {} is no place holder", parameter, kernel->name),
                  "Append it with aclrtKernelArgsAppendPlaceHolder");
  }
  if (!own_.empty() && placeholders_.empty()) {
    own_.resize(kernel->argument_bytes + kPlaceholderRoom);
    memory_ = own_;
  }
  const std::size_t at = UpTo(used_, kPlaceholderAlignment);
  if (at > memory_.size() || bytes > memory_.size() - at) {
    return Status(
        Code::kParamInvalid,
        fmt::format("{} bytes of place holder data do not fit: {} are used of {}", bytes, used_, memory_.size()),
        "Pass large data in device memory, or the list more memory");
  }
  used_ = at + bytes;
  const uint32_t offset = kernel->parameters[parameter].offset;
  std::erase_if(placeholders_, [&](const auto& known) { return known.address_offset == offset; });
  placeholders_.push_back({offset, static_cast<uint32_t>(at)});
  finalised_ = false;
  return static_cast<void*>(memory_.data() + at);
}

Status KernelArguments::Update(uint32_t parameter, const void* value, std::size_t bytes) {
  ASSIGN_OR_RETURN(const kernel_abi::KernelDescriptor* kernel, Kernel());
  if (parameter >= appended_ || is_placeholder_[parameter] || bytes != kernel->parameters[parameter].size) {
    return Status(
        Code::kParamInvalid,
        fmt::format("argument {} of kernel {} cannot be updated with {} bytes", parameter, kernel->name, bytes),
        "Pass the size that was appended; the data of a place holder is changed in its buffer");
  }
  std::memcpy(memory_.data() + kernel->parameters[parameter].offset, value, bytes);
  finalised_ = false;
  return {};
}

Status KernelArguments::Finalise() {
  ASSIGN_OR_RETURN(const kernel_abi::KernelDescriptor* kernel, Kernel());
  if (appended_ != kernel->parameter_count) {
    return Status(Code::kParamInvalid,
                  fmt::format("kernel {} takes {} arguments, but {} were appended", kernel->name,
                              kernel->parameter_count, appended_),
                  "Append the missing ones first");
  }
  finalised_ = true;
  return {};
}

Result<const KernelArguments*> FindKernelArguments(aclrtArgsHandle handle) {
  ASSIGN_OR_RETURN(const KernelArguments* list, FindList(handle));
  return list;
}

}  // namespace forebay::acl

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle) {
  return Guard("aclrtKernelArgsInit", [&]() -> Status {
    if (funcHandle == nullptr || argsHandle == nullptr)
      return NullArgument(funcHandle == nullptr ? "funcHandle" : "argsHandle");
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(funcHandle)));
    ASSIGN_OR_RETURN(const uint64_t list, BeginList(ToHandle(funcHandle), *function, {}));
    *argsHandle = FromHandle(list);
    return {};
  });
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void* userHostMem,
                                      size_t actualArgsSize) {
  return Guard("aclrtKernelArgsInitByUserMem", [&]() -> Status {
    if (funcHandle == nullptr || argsHandle == nullptr || userHostMem == nullptr)
      return NullArgument("funcHandle, argsHandle or userHostMem");
    if (actualArgsSize == 0)
      return Status(Code::kInvalidParam, "argument actualArgsSize is 0", "Pass the size of userHostMem");
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(funcHandle)));
    if (actualArgsSize < function->descriptor.argument_bytes) {
      return Status(Code::kParamInvalid,
                    fmt::format("kernel {} takes {} bytes of arguments, but userHostMem has {}",
                                function->descriptor.name, function->descriptor.argument_bytes, actualArgsSize),
                    "Ask aclrtKernelArgsGetMemSize how much it has to be");
    }
    ASSIGN_OR_RETURN(const uint64_t list, BeginList(ToHandle(funcHandle), *function,
                                                    {static_cast<std::byte*>(userHostMem), actualArgsSize}));
    std::memcpy(argsHandle, &list, sizeof list);
    Lists::Get().Name(argsHandle, list);
    return {};
  });
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t* memSize) {
  return Guard("aclrtKernelArgsGetHandleMemSize", [&]() -> Status {
    if (funcHandle == nullptr || memSize == nullptr)
      return NullArgument(funcHandle == nullptr ? "funcHandle" : "memSize");
    RETURN_IF_ERROR(runtime::ResolveKernel(ToHandle(funcHandle)).status());
    *memSize = sizeof(uint64_t);
    return {};
  });
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t* actualArgsSize) {
  return Guard("aclrtKernelArgsGetMemSize", [&]() -> Status {
    if (funcHandle == nullptr || actualArgsSize == nullptr)
      return NullArgument(funcHandle == nullptr ? "funcHandle" : "actualArgsSize");
    if (userArgsSize == 0)
      return Status(Code::kInvalidParam, "argument userArgsSize is 0", "Pass the sum of the sizes of the arguments");
    ASSIGN_OR_RETURN(const runtime::KernelFunction* function, runtime::ResolveKernel(ToHandle(funcHandle)));
    if (userArgsSize > kernel_abi::kMaxArgumentBytes) {
      return Status(
          Code::kParamInvalid,
          fmt::format("arguments of {} bytes are too large for kernel {}", userArgsSize, function->descriptor.name),
          "Pass large data in device memory");
    }
    // Each parameter may be a place holder, whose data begins on a boundary.
    *actualArgsSize = std::max<size_t>(userArgsSize, function->descriptor.argument_bytes) +
                      function->descriptor.parameter_count * kPlaceholderAlignment;
    return {};
  });
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize,
                               aclrtParamHandle* paramHandle) {
  return Guard("aclrtKernelArgsAppend", [&]() -> Status {
    if (argsHandle == nullptr || param == nullptr || paramHandle == nullptr)
      return NullArgument("argsHandle, param or paramHandle");
    if (paramSize == 0)
      return Status(Code::kInvalidParam, "argument paramSize is 0", "Pass the size of the parameter's type");
    ASSIGN_OR_RETURN(KernelArguments * list, FindList(argsHandle));
    ASSIGN_OR_RETURN(const uint32_t parameter, list->Append(param, paramSize));
    *paramHandle = FromHandle(PackParameter(argsHandle, parameter));
    return {};
  });
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle* paramHandle) {
  return Guard("aclrtKernelArgsAppendPlaceHolder", [&]() -> Status {
    if (argsHandle == nullptr || paramHandle == nullptr) return NullArgument("argsHandle or paramHandle");
    ASSIGN_OR_RETURN(KernelArguments * list, FindList(argsHandle));
    ASSIGN_OR_RETURN(const uint32_t parameter, list->AppendPlaceholder());
    *paramHandle = FromHandle(PackParameter(argsHandle, parameter));
    return {};
  });
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void** bufferAddr) {
  return Guard("aclrtKernelArgsGetPlaceHolderBuffer", [&]() -> Status {
    if (argsHandle == nullptr || paramHandle == nullptr || bufferAddr == nullptr)
      return NullArgument("argsHandle, paramHandle or bufferAddr");
    if (dataSize == 0) return Status(Code::kInvalidParam, "argument dataSize is 0", "Ask for at least 1 byte");
    ASSIGN_OR_RETURN(KernelArguments * list, FindList(argsHandle));
    ASSIGN_OR_RETURN(const uint32_t parameter, FindParameter(argsHandle, paramHandle));
    ASSIGN_OR_RETURN(*bufferAddr, list->PlaceholderBuffer(parameter, dataSize));
    return {};
  });
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void* param,
                                   size_t paramSize) {
  return Guard("aclrtKernelArgsParaUpdate", [&]() -> Status {
    if (argsHandle == nullptr || paramHandle == nullptr || param == nullptr)
      return NullArgument("argsHandle, paramHandle or param");
    if (paramSize == 0)
      return Status(Code::kInvalidParam, "argument paramSize is 0", "Pass the size of the parameter's type");
    ASSIGN_OR_RETURN(KernelArguments * list, FindList(argsHandle));
    ASSIGN_OR_RETURN(const uint32_t parameter, FindParameter(argsHandle, paramHandle));
    return list->Update(parameter, param, paramSize);
  });
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  return Guard("aclrtKernelArgsFinalize", [&]() -> Status {
    if (argsHandle == nullptr) return NullArgument("argsHandle");
    ASSIGN_OR_RETURN(KernelArguments * list, FindList(argsHandle));
    return list->Finalise();
  });
}
