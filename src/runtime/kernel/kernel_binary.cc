// Kernel binaries: loading them, and finding what they hold.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/exception_info.h"
#include "forebay/runtime/kernel.h"
#include "forebay/sip/device.h"
#include "kernel/kernel_image.h"
#include "memory/memory_pool_impl.h"

namespace forebay::runtime {
namespace {

// A launch in another thread may still read a function that is being unloaded. Its slot is given to another function
// only after so many more have been unloaded.
class UnloadedFunctions {
 public:
  static UnloadedFunctions& Get() {
    static base::NeverDestroyed<UnloadedFunctions> instance;
    return *instance;
  }
  void Add(uint64_t function) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    KernelFunctions().Retire(function);
    waiting_.push_back(function);
    if (waiting_.size() <= kMost) return;
    KernelFunctions().Release(waiting_.front());
    waiting_.pop_front();
  }

 private:
  static constexpr std::size_t kMost = 1u << 13;
  base::Mutex mutex_;
  std::deque<uint64_t> waiting_ GUARDED_BY(mutex_);
};

Status StaleBinary() {
  return Status(Code::kInvalidHandle, "the kernel binary handle is stale, of another kind, or never was one",
                "Use the handle that loading gave, until the binary is unloaded");
}

// Room in device memory for an image, on a page boundary.
struct Room {
  DeviceRange range;
  std::shared_ptr<void> owner;
};

Result<Room> FindRoom(const DeviceState& device, uint64_t bytes) {
  constexpr uint64_t kPage = 4096;
  const std::shared_ptr<MemoryPool> pool = device.memory_pool();
  if (!pool) return Status(Code::kContextNull, "the device is off", "Set the device first");
  ASSIGN_OR_RETURN(void* const block, AllocateFor(*pool, (bytes + kPage - 1) / kPage * kPage + kPage, nullptr));
  const uint64_t address = (reinterpret_cast<uint64_t>(block) + kPage - 1) / kPage * kPage;
  std::shared_ptr<void> owner(block, [pool = std::weak_ptr(pool)](void* given) {
    // The pool may have gone with its device.
    if (const auto alive = pool.lock()) alive->Free(given).IgnoreError();
  });
  return Room{{reinterpret_cast<std::byte*>(address), bytes}, std::move(owner)};
}

// Puts the image of a binary on its device, and makes handles for its kernels.
Status PutOnDevice(KernelBinary& binary, std::span<const std::byte> bytes) REQUIRES(binary.mutex) {
  const std::shared_ptr<sip::Device> device = binary.sip.lock();
  if (!device) return StaleBinary();
  const KernelImage& contents = *binary.contents;
  std::vector<std::string> names;
  for (const auto& kernel : contents.kernels) names.emplace_back(kernel.name);
  ASSIGN_OR_RETURN(Room room, FindRoom(*binary.device, contents.bytes));
  ASSIGN_OR_RETURN(const uint32_t image,
                   device->LoadImage(bytes, names, reinterpret_cast<uint64_t>(room.range.address)));
  if (!binary.device->AddKernelNames(*device, image, names)) {
    device->UnloadImage(image);
    return Status(Code::kContextNull, "the device was reset while a kernel binary was loaded", "Set the device first");
  }
  std::vector<uint64_t> functions;
  for (uint32_t i = 0; i < contents.kernels.size(); ++i) {
    const KernelFunctionTable::Entry function = KernelFunctions().Allocate();
    if (function.object == nullptr) {
      for (const uint64_t made : functions) UnloadedFunctions::Get().Add(made);
      device->UnloadImage(image);
      return Status(Code::kParamInvalid, "the process has no room for the functions of another kernel binary",
                    "Unload some");
    }
    const KernelCode& code = contents.code[i];
    *function.object = {binary.handle,
                        binary.context,
                        binary.device->id(),
                        image,
                        i,
                        contents.kernels[i],
                        {room.range.address + code.offset, code.bytes}};
    functions.push_back(function.handle);
    KernelFunctions().Publish(function.handle);
  }
  binary.image = image;
  binary.range = room.range;
  binary.room = std::move(room.owner);
  binary.functions = std::move(functions);
  binary.waiting = {};
  return {};
}

// Calls `use` with the binary that the handle names, locked and on its device.
template <typename Use>
auto WithLoaded(uint64_t handle, Use use) -> decltype(use(std::declval<KernelBinary&>())) {
  KernelBinary* binary = KernelBinaries().Find(handle);
  if (binary == nullptr) return StaleBinary();
  base::MutexLock lock(binary->mutex);
  if (binary->handle != handle) return StaleBinary();
  if (!binary->waiting.empty()) RETURN_IF_ERROR(PutOnDevice(*binary, binary->waiting));
  return use(*binary);
}

template <typename Named>
std::string ListNames(const std::vector<Named>& all) {
  std::string text;
  for (const Named& one : all) text += (text.empty() ? "" : ", ") + std::string(one.name);
  return text.empty() ? "none" : text;
}

// The only kernel for which `matches` holds.
template <typename Matches>
Result<uint64_t> FindOnly(uint64_t handle, const std::string& what, Matches matches) {
  return WithLoaded(handle, [&](KernelBinary& binary) NO_THREAD_SAFETY_ANALYSIS -> Result<uint64_t> {
    const auto& kernels = binary.contents->kernels;
    const auto found = std::find_if(kernels.begin(), kernels.end(), matches);
    if (found == kernels.end() || std::find_if(found + 1, kernels.end(), matches) != kernels.end()) {
      return Status(
          Code::kKernelLookup,
          fmt::format("the kernel binary has {} function {}", found == kernels.end() ? "no" : "more than one", what),
          fmt::format("It has: {}", ListNames(kernels)));
    }
    return binary.functions[static_cast<std::size_t>(found - kernels.begin())];
  });
}

}  // namespace

KernelFunctionTable& KernelFunctions() {
  static base::NeverDestroyed<KernelFunctionTable> table(1u << 16);
  return *table;
}

KernelBinaryTable& KernelBinaries() {
  static base::NeverDestroyed<KernelBinaryTable> table(4096u);
  return *table;
}

Result<uint64_t> LoadKernelFile(const std::string& path, const LoadOptions& options) {
  RETURN_IF_ERROR(CurrentContext().status());
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadKernelFile(path));
  return LoadKernelImage(bytes, path, options);
}

Result<uint64_t> LoadKernelImage(std::span<const std::byte> bytes, const std::string& origin,
                                 const LoadOptions& options) {
  ASSIGN_OR_RETURN(Context * context, CurrentContext());
  const std::shared_ptr<sip::Device> device = context->device().sip();
  if (!device) return Status(Code::kContextNull, "the device is off", "Set the device first");
  ASSIGN_OR_RETURN(KernelImage image, ReadKernelImage(bytes, origin));
  for (auto& kernel : image.kernels) {
    if (kernel.core_type == kernel_abi::CoreType::kAny) kernel.core_type = options.cores;
  }
  const KernelBinaryTable::Entry entry = KernelBinaries().Allocate();
  if (entry.object == nullptr)
    return Status(Code::kParamInvalid, "4096 kernel binaries are loaded already", "Unload some");
  KernelBinary& binary = *entry.object;
  base::MutexLock lock(binary.mutex);
  binary.handle = entry.handle;
  binary.context = context;
  binary.device = &context->device();
  binary.sip = device;
  binary.context_handle = context->handle();
  binary.contents = std::make_shared<const KernelImage>(std::move(image));
  binary.functions.clear();
  binary.range = {};
  Status loaded;
  if (options.lazy) {
    binary.waiting.assign(bytes.begin(), bytes.end());
  } else {
    loaded = PutOnDevice(binary, bytes);
  }
  if (!loaded.ok()) {
    binary.handle = 0;
    KernelBinaries().Release(entry.handle);
    return loaded;
  }
  KernelBinaries().Publish(entry.handle);
  return entry.handle;
}

Status UnloadKernels(uint64_t handle) {
  KernelBinary* binary = KernelBinaries().Find(handle);
  if (binary == nullptr) return StaleBinary();
  {
    base::MutexLock lock(binary->mutex);
    if (binary->handle != handle) return StaleBinary();
    binary->handle = 0;
    KernelBinaries().Retire(handle);
    const bool on_device = binary->waiting.empty();
    binary->waiting = {};
    for (const uint64_t function : binary->functions) UnloadedFunctions::Get().Add(function);
    binary->functions.clear();
    // Launches that are queued still run: the image leaves the device after them.
    if (const auto device = binary->sip.lock(); device && on_device)
      binary->device->RetireKernelImage(device, binary->image, std::move(binary->room));
    binary->room.reset();
    binary->sip.reset();
    binary->contents.reset();
    RemoveBinaryExceptionCallback(handle);
  }
  KernelBinaries().Release(handle);
  return {};
}

void UnloadAllKernelsOf(const DeviceState& state) {
  KernelBinaries().ForEach([&state](uint64_t handle, KernelBinary& binary) {
    {
      base::MutexLock lock(binary.mutex);
      if (binary.handle != handle || binary.device != &state) return;
    }
    UnloadKernels(handle).IgnoreError();
  });
}

Result<uint64_t> FindKernel(uint64_t handle, const std::string& name) {
  return FindOnly(handle, fmt::format("\"{}\"", name), [&](const auto& kernel) { return name == kernel.name; });
}

Result<uint64_t> FindKernelByKey(uint64_t handle, uint64_t key) {
  const std::string suffix = std::to_string(key);
  return FindOnly(handle, fmt::format("with the key {}", key), [&](const auto& kernel) {
    const std::string_view name = kernel.name;
    return name == suffix || name.ends_with("_" + suffix);
  });
}

Result<DeviceRange> FindKernelVariable(uint64_t handle, const std::string& name) {
  return WithLoaded(handle, [&](KernelBinary& binary) NO_THREAD_SAFETY_ANALYSIS -> Result<DeviceRange> {
    const auto& variables = binary.contents->variables;
    const auto found =
        std::find_if(variables.begin(), variables.end(), [&](const KernelVariable& one) { return one.name == name; });
    if (found == variables.end()) {
      return Status(Code::kSymbolNotFound, fmt::format("the kernel binary has no global variable \"{}\"", name),
                    fmt::format("It has: {}. A static variable that no kernel writes may have been optimised away",
                                ListNames(variables)));
    }
    return DeviceRange{binary.range.address + found->offset, found->bytes};
  });
}

Result<DeviceRange> KernelImageRange(uint64_t handle) {
  KernelBinary* binary = KernelBinaries().Find(handle);
  if (binary == nullptr) return StaleBinary();
  base::MutexLock lock(binary->mutex);
  if (binary->handle != handle) return StaleBinary();
  return binary->range;
}

Status CheckKernelBinary(uint64_t handle) { return KernelImageRange(handle).status(); }

Result<const KernelFunction*> ResolveKernel(uint64_t handle) {
  const KernelFunction* function = KernelFunctions().Find(handle);
  if (function == nullptr) {
    return Status(Code::kInvalidHandle, "the kernel function handle is stale, of another kind, or never was one",
                  "Get the function from its binary, and keep the binary loaded");
  }
  return function;
}

}  // namespace forebay::runtime
