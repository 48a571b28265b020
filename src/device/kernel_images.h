// Kernel images that are loaded on the device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "address_space.h"
#include "core.h"
#include "forebay/kernel_abi.h"
#include "forebay/status.h"
#include "image_loader.h"

namespace forebay::device {

// One kernel of an image, ready to run.
struct LoadedKernel {
  std::string name;
  kernel_abi::EntryFunction entry = nullptr;
  // How long the last launches took in all, smoothed; decides whether waking another core pays.
  std::atomic<uint32_t> typical_ns{0};
};

struct LoadedImage {
  LoadedElf elf;
  uint64_t base = 0;  // address of the image in this process
  uint64_t bytes = 0;
  std::vector<LoadedKernel> kernels;
};

// Thread safety: Load and Unload from the control thread, Find from any. Unload only when no task uses the image.
class KernelImages {
 public:
  static constexpr uint32_t kCapacity = 4096;

  explicit KernelImages(const kernel_abi::DeviceServices* services) : services_(services), images_(kCapacity) {}
  ~KernelImages();

  // Loads an ELF image; the returned slot names it in kernel commands. `names` are its kernels in the order in which
  // commands number them; the driver's side has read them from the image's metadata. Unless `home` is 0, the loaded
  // image then lies at that device address too: its variables are the same memory, the rest is a copy. What of the
  // image runs now runs on `core`, which is attached to the calling thread and idle.
  Result<uint32_t> Load(std::span<const std::byte> image, const std::vector<std::string>& names, uint64_t home,
                        const AddressSpace& memory, Core& core);
  Status Unload(uint32_t slot);
  // Null when there is no such image or function.
  LoadedKernel* Find(uint32_t slot, uint32_t function) const noexcept;
  const LoadedImage* FindImage(uint32_t slot) const noexcept;
  uint64_t count() const noexcept { return count_; }

 private:
  Status Bind(const LoadedElf& elf, Core& core);

  const kernel_abi::DeviceServices* services_;
  std::vector<std::atomic<LoadedImage*>> images_;
  uint64_t count_ = 0;
};

}  // namespace forebay::device
