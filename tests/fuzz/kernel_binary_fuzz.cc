// Kernel binaries: any bytes are refused in words or read, by the host and by the loader of the device, and every
// kernel that the host reads in them lies inside the image that the device loads.
#include "fuzz/input.h"
#include "image_loader.h"
#include "kernel_image.h"

using namespace forebay;

extern "C" int LLVMFuzzerInitialize(int*, char***) { return 0; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t bytes) {
  const std::span<const std::byte> binary(reinterpret_cast<const std::byte*>(data), bytes);
  const auto image = runtime::ReadKernelImage(binary, "input");
  if (!image.ok()) FUZZ_EXPECT(!image.status().error()->message.empty(), "no words");
  // The device is not protected by what the host found.
  const auto loaded = device::LoadedElf::Load(binary);
  if (!loaded.ok()) {
    FUZZ_EXPECT(!loaded.status().error()->message.empty(), "no words");
    return 0;
  }
  if (!image.ok()) return 0;
  for (std::size_t i = 0; i < image->kernels.size(); ++i) {
    const auto& code = image->code[i];
    FUZZ_EXPECT(code.offset < image->bytes && code.bytes <= image->bytes - code.offset, "%s", image->kernels[i].name);
  }
  for (const auto& variable : image->variables) {
    FUZZ_EXPECT(variable.offset < image->bytes && variable.bytes <= image->bytes - variable.offset, "%s",
                variable.name.c_str());
  }
  return 0;
}
