#include "kernel_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "forebay/base/macros.h"

namespace forebay::device {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t DownToPage(uint64_t address) noexcept { return address / kPage * kPage; }
constexpr uint64_t UpToPage(uint64_t address) noexcept { return DownToPage(address + kPage - 1); }

// Binding only stores a pointer.
constexpr uint32_t kBindTimeoutMicroseconds = 1'000'000;

// Puts the object into device memory at `home`, where the host can read it and write its variables.
Status Settle(const LoadedElf& elf, uint64_t home, const AddressSpace& memory) {
  std::byte* place = memory.Resolve(types::MemorySpace::kDevice, home, UpToPage(elf.end() - elf.base()));
  if (place == nullptr || home % kPage != 0)
    return Status(Code::kDriverInternal, fmt::format("a kernel image cannot lie at {:#x}", home));
  // What the loader has filled in is read-only by now, and stays the image's own.
  uint64_t variables = 0;
  for (const auto& segment : elf.segments()) {
    if (segment.p_type == PT_GNU_RELRO) variables = DownToPage(segment.p_vaddr + segment.p_memsz);
  }
  for (const auto& segment : elf.segments()) {
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t first = DownToPage(segment.p_vaddr);
    const uint64_t end = UpToPage(segment.p_vaddr + segment.p_memsz);
    auto* pages = reinterpret_cast<std::byte*>(elf.base());
    std::memcpy(place + first, pages + first, end - first);
    const uint64_t from = std::max(first, variables);
    if ((segment.p_flags & PF_W) != 0 && from < end)
      RETURN_IF_ERROR(memory.Alias(pages + from, home + from, end - from));
  }
  return {};
}

}  // namespace

KernelImages::~KernelImages() {
  for (auto& image : images_) delete image.load(std::memory_order_acquire);
}

Status KernelImages::Bind(const LoadedElf& elf, Core& core) {
  const auto bind = reinterpret_cast<kernel_abi::EntryFunction>(elf.FindFunction(kernel_abi::kBindSymbol));
  if (bind == nullptr) return Status(Code::kParamInvalid, "the kernel binary has no forebay_kernel_bind");
  // It is code of the image and as little to be trusted as a kernel: it runs as a block does, and may fail like one.
  KernelJob& job = core.job_storage();
  job.Begin(bind, services_, 0, 1, 1);
  core.RunBlocksWithin(job, kBindTimeoutMicroseconds);
  if (job.failed.load(std::memory_order_acquire) == 0) return {};
  return Status(Code::kParamInvalid, "the kernel binary is corrupt: its function forebay_kernel_bind fails",
                "the file is damaged: copy or build it again");
}

Result<uint32_t> KernelImages::Load(std::span<const std::byte> image, const std::vector<std::string>& names,
                                    uint64_t home, const AddressSpace& memory, Core& core) {
  uint32_t slot = 0;
  while (slot < kCapacity && images_[slot].load(std::memory_order_relaxed) != nullptr) ++slot;
  if (slot == kCapacity)
    return Status(Code::kParamInvalid, fmt::format("{} kernel images are loaded already", kCapacity));

  ASSIGN_OR_RETURN(LoadedElf elf, LoadedElf::Load(image));
  std::vector<LoadedKernel> kernels(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    kernels[i].name = names[i];
    kernels[i].entry =
        reinterpret_cast<kernel_abi::EntryFunction>(elf.FindFunction(kernel_abi::kEntryPrefix + names[i]));
    if (kernels[i].entry == nullptr) {
      return Status(Code::kParamInvalid, fmt::format("the kernel binary has no entry for kernel {}", names[i]));
    }
  }
  RETURN_IF_ERROR(Bind(elf, core));
  if (home != 0) RETURN_IF_ERROR(Settle(elf, home, memory));
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
