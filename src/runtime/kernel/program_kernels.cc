// Kernels that are part of the program, and are known by addresses in it.
#include <fmt/format.h>

#include <deque>
#include <unordered_map>

#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/launch.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/kernel.h"

namespace forebay::runtime {
namespace {

class ProgramKernels {
 public:
  static ProgramKernels& Get() {
    static base::NeverDestroyed<ProgramKernels> kernels;
    return *kernels;
  }

  Status Add(std::span<const std::byte> binary, std::span<const EmbeddedKernel> kernels) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    for (const EmbeddedKernel& kernel : kernels) {
      if (by_symbol_.contains(kernel.symbol)) {
        return Status(Code::kKernelDuplicate,
                      fmt::format("address {} stands for a kernel already, and now for {}", kernel.symbol, kernel.name),
                      "Register each kernel of the program once");
      }
    }
    images_.push_back({binary, {}});
    for (const EmbeddedKernel& kernel : kernels) by_symbol_[kernel.symbol] = {&images_.back(), kernel.name};
    return {};
  }

  Result<uint64_t> Find(const void* symbol) EXCLUDES(mutex_) {
    ASSIGN_OR_RETURN(const Context* context, CurrentContext());
    base::MutexLock lock(mutex_);
    const auto found = by_symbol_.find(symbol);
    if (found == by_symbol_.end()) {
      return Status(
          Code::kInvalidDeviceFunction, fmt::format("no kernel is registered under address {}", symbol),
          "Pass the kernel's own name, in a program that was built with its kernels; a kernel of a binary that "
          "is loaded has a handle instead");
    }
    Image& image = *found->second.image;
    uint64_t& loaded = image.loaded[context->device().id()];
    // Not yet there, or gone with a reset of the device.
    if (!CheckKernelBinary(loaded).ok()) {
      ASSIGN_OR_RETURN(loaded, LoadKernelImage(image.bytes, "of the program"));
    }
    return FindKernel(loaded, found->second.name);
  }

 private:
  struct Image {
    std::span<const std::byte> bytes;
    std::unordered_map<int32_t, uint64_t> loaded;  // the binary on each device
  };
  struct Kernel {
    Image* image;
    std::string name;
  };
  base::Mutex mutex_;
  std::deque<Image> images_ GUARDED_BY(mutex_);
  std::unordered_map<const void*, Kernel> by_symbol_ GUARDED_BY(mutex_);
};

}  // namespace

Result<uint64_t> FindKernelBySymbol(const void* symbol) { return ProgramKernels::Get().Find(symbol); }

}  // namespace forebay::runtime

namespace forebay {

Status RegisterKernels(const void* binary, std::size_t bytes, const EmbeddedKernel* kernels, std::size_t count) {
  return runtime::ProgramKernels::Get().Add({static_cast<const std::byte*>(binary), bytes}, {kernels, count});
}

}  // namespace forebay
