// What a kernel binary says about its kernels, read and checked before any of it is loaded.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/kernel_abi.h"
#include "forebay/status.h"

namespace forebay::runtime {

// A kernel's entry in the image: where it begins, and how long it is.
struct KernelCode {
  uint64_t offset;
  uint64_t bytes;
};

// A global variable of the image.
struct KernelVariable {
  std::string name;
  uint64_t offset;
  uint64_t bytes;
};

struct KernelImage {
  std::vector<kernel_abi::KernelDescriptor> kernels;  // in the binary's order
  std::vector<KernelCode> code;                       // of each kernel
  std::vector<KernelVariable> variables;
  uint64_t bytes = 0;  // that the loaded image takes

  // Null when there is no kernel of that name. Valid as long as `kernels` is not changed.
  const kernel_abi::KernelDescriptor* Find(std::string_view name) const noexcept;
};

// Reads the kernels of a binary. Refuses, with a message that names `origin`, what is not a kernel binary for this
// device, is damaged, runs code when it is loaded, or imports what a kernel may not call: Code::kParamInvalid.
Result<KernelImage> ReadKernelImage(std::span<const std::byte> bytes, std::string_view origin);

// The contents of the file, at most 1 GiB. Code::kFileOpen when it does not exist or cannot be read.
Result<std::vector<std::byte>> ReadKernelFile(const std::string& path);

}  // namespace forebay::runtime
