#include "kernel_images.h"

#include <fmt/format.h>

#include "forebay/base/macros.h"

namespace forebay::device {
namespace {

// Binding only stores a pointer.
constexpr uint32_t kBindTimeoutMicroseconds = 1'000'000;

}  // namespace

KernelImages::~KernelImages() {
  for (auto& image : images_) delete image.load(std::memory_order_acquire);
}

Status KernelImages::Bind(const LoadedElf& elf, Core& core) {
  const auto bind = reinterpret_cast<kernel_abi::EntryFunction>(elf.FindFunction(kernel_abi::kBindSymbol));
  if (bind == nullptr) return Status(Code::kParamInvalid, "the kernel binary has no forebay_kernel_bind");
  // It is code of the image and as little to be trusted as a kernel: it runs as a block does, and may fail like one.
  KernelJob& job = core.job_storage();
  job.Begin(bind, services_, 1, 1);
  core.RunBlocksWithin(job, kBindTimeoutMicroseconds);
  if (job.failed.load(std::memory_order_acquire) == 0) return {};
  return Status(Code::kParamInvalid, "the kernel binary is corrupt: its function forebay_kernel_bind fails",
                "the file is damaged: copy or build it again");
}

Result<uint32_t> KernelImages::Load(std::span<const std::byte> image, const std::vector<std::string>& names,
                                    Core& core) {
  uint32_t slot = 0;
  while (slot < kCapacity && images_[slot].load(std::memory_order_relaxed) != nullptr) ++slot;
  if (slot == kCapacity)
    return Status(Code::kParamInvalid, fmt::format("{} kernel images are loaded already", kCapacity));

  ASSIGN_OR_RETURN(LoadedElf elf, LoadedElf::Load(image));
  std::vector<LoadedKernel> kernels(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    kernels[i].entry =
        reinterpret_cast<kernel_abi::EntryFunction>(elf.FindFunction(kernel_abi::kEntryPrefix + names[i]));
    if (kernels[i].entry == nullptr) {
      return Status(Code::kParamInvalid, fmt::format("the kernel binary has no entry for kernel {}", names[i]));
    }
  }
  RETURN_IF_ERROR(Bind(elf, core));
  const uint64_t base = elf.base();
  const uint64_t bytes = elf.end() - base;
  auto loaded = std::make_unique<LoadedImage>(LoadedImage{std::move(elf), base, bytes, std::move(kernels)});
  images_[slot].store(loaded.release(), std::memory_order_release);  // pairs with Find
  ++count_;
  return slot;
}

Status KernelImages::Unload(uint32_t slot) {
  LoadedImage* image = slot < kCapacity ? images_[slot].exchange(nullptr, std::memory_order_acq_rel) : nullptr;
  if (image == nullptr) return Status(Code::kParamInvalid, fmt::format("there is no kernel image {}", slot));
  delete image;
  --count_;
  return {};
}

LoadedKernel* KernelImages::Find(uint32_t slot, uint32_t function) const noexcept {
  LoadedImage* image = slot < kCapacity ? images_[slot].load(std::memory_order_acquire) : nullptr;
  return image != nullptr && function < image->kernels.size() ? &image->kernels[function] : nullptr;
}

const LoadedImage* KernelImages::FindImage(uint32_t slot) const noexcept {
  return slot < kCapacity ? images_[slot].load(std::memory_order_acquire) : nullptr;
}

}  // namespace forebay::device
