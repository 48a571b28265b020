#include "kernel_images.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "forebay/base/macros.h"
#include "forebay/base/unique_fd.h"

namespace forebay::device {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t DownToPage(uint64_t address) noexcept { return address / kPage * kPage; }
constexpr uint64_t UpToPage(uint64_t address) noexcept { return DownToPage(address + kPage - 1); }

// The loaded object that holds a symbol: where it lies, from its lowest to its highest byte, and its segments.
struct LoadedObject {
  const void* symbol = nullptr;
  uint64_t base = 0;
  uint64_t end = 0;
  std::span<const ElfW(Phdr)> segments;
};

int FindObject(dl_phdr_info* info, size_t, void* data) {
  auto* object = static_cast<LoadedObject*>(data);
  const auto symbol = reinterpret_cast<uint64_t>(object->symbol);
  uint64_t end = 0;
  bool inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t first = info->dlpi_addr + segment.p_vaddr;
    inside |= symbol >= first && symbol < first + segment.p_memsz;
    end = first + segment.p_memsz;
  }
  if (!inside) return 0;
  object->base = info->dlpi_addr;
  object->end = end;
  object->segments = {info->dlpi_phdr, info->dlpi_phnum};
  return 1;
}

// Puts the object into device memory at `home`, where the host can read it and write its variables.
Status Settle(const LoadedObject& object, uint64_t home, const AddressSpace& memory) {
  std::byte* place = memory.Resolve(types::MemorySpace::kDevice, home, UpToPage(object.end - object.base));
  if (place == nullptr || home % kPage != 0)
    return Status(Code::kDriverInternal, fmt::format("a kernel image cannot lie at {:#x}", home));
  // What the dynamic loader has filled in is read-only by now, and stays the image's own.
  uint64_t variables = 0;
  for (const auto& segment : object.segments) {
    if (segment.p_type == PT_GNU_RELRO) variables = DownToPage(segment.p_vaddr + segment.p_memsz);
  }
  for (const auto& segment : object.segments) {
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t first = DownToPage(segment.p_vaddr);
    const uint64_t end = UpToPage(segment.p_vaddr + segment.p_memsz);
    auto* pages = reinterpret_cast<std::byte*>(object.base);
    std::memcpy(place + first, pages + first, end - first);
    const uint64_t from = std::max(first, variables);
    if ((segment.p_flags & PF_W) != 0 && from < end)
      RETURN_IF_ERROR(memory.Alias(pages + from, home + from, end - from));
  }
  return {};
}

// A path of the file that no load before has used. The dynamic loader takes two equal paths for the same library, also
// when the descriptor means another file by now, and the path is all that can differ: the bits of a counter, as "./"
// and "/".
std::string FreshPath(int fd) {
  static std::atomic<uint32_t> loads{0};
  std::string path = "/proc/self/fd/";
  for (uint32_t bits = loads.fetch_add(1, std::memory_order_relaxed) + 1; bits != 0; bits >>= 1) {
    path += (bits & 1) != 0 ? "./" : "/";
  }
  return path + std::to_string(fd);
}

}  // namespace

LoadedImage::~LoadedImage() {
  if (library != nullptr) dlclose(library);
}

KernelImages::~KernelImages() {
  for (auto& image : images_) delete image.load(std::memory_order_acquire);
}

Result<uint32_t> KernelImages::Load(std::span<const std::byte> image, const std::vector<std::string>& names,
                                    uint64_t home, const AddressSpace& memory) {
  uint32_t slot = 0;
  while (slot < kCapacity && images_[slot].load(std::memory_order_relaxed) != nullptr) ++slot;
  if (slot == kCapacity)
    return Status(Code::kParamInvalid, fmt::format("{} kernel images are loaded already", kCapacity));

  // Each load gets a file of its own, for the dynamic loader hands out one library twice for the same file too.
  ASSIGN_OR_RETURN(base::UniqueFd file, base::CreateMemoryFile("forebay-kernel", image.size()));
  if (write(file.get(), image.data(), image.size()) != static_cast<ssize_t>(image.size())) {
    return Status(Code::kDriverInternal, fmt::format("writing a kernel image of {} bytes failed", image.size()));
  }
  auto loaded = std::make_unique<LoadedImage>();
  loaded->library = dlopen(FreshPath(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded->library == nullptr) {
    return Status(Code::kParamInvalid, fmt::format("the kernel image cannot be loaded: {}", dlerror()));
  }
  auto bind = reinterpret_cast<kernel_abi::BindFunction>(dlsym(loaded->library, kernel_abi::kBindSymbol));
  if (bind == nullptr) return Status(Code::kParamInvalid, "the kernel image has no forebay_kernel_bind");
  bind(services_);
  loaded->kernels = std::vector<LoadedKernel>(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    loaded->kernels[i].entry = reinterpret_cast<kernel_abi::EntryFunction>(
        dlsym(loaded->library, (kernel_abi::kEntryPrefix + names[i]).c_str()));
    if (loaded->kernels[i].entry == nullptr) {
      return Status(Code::kParamInvalid, fmt::format("the kernel image has no entry for kernel {}", names[i]));
    }
  }
  LoadedObject object;
  object.symbol = reinterpret_cast<const void*>(bind);
  dl_iterate_phdr(FindObject, &object);
  loaded->base = object.base;
  loaded->bytes = object.end - object.base;
  if (home != 0) RETURN_IF_ERROR(Settle(object, home, memory));
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
