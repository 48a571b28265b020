// Argument lists: values appended in the order of the kernel's parameters, and data that pointers among them point to.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/handle_table.h"
#include "forebay/base/mutex.h"
#include "forebay/runtime/kernel.h"
#include "forebay/status.h"

namespace forebay::acl {

// One thread at a time per list.
class KernelArguments {
 public:
  static constexpr std::size_t kMostParameters = 128;

  // Begins a list for the kernel, in `memory` when there is some, else in memory of its own. `memory` has room for
  // the arguments at least.
  void Begin(uint64_t function, const kernel_abi::KernelDescriptor& kernel, std::span<std::byte> memory = {});
  // Gives back what the list holds.
  void End() { *this = {}; }
  uint64_t function() const noexcept { return function_; }
  std::span<const std::byte> packed() const noexcept { return memory_.first(used_); }
  std::span<const runtime::Placeholder> placeholders() const noexcept { return placeholders_; }
  bool is_finalised() const noexcept { return finalised_; }

  // The number of the parameter appended.
  Result<uint32_t> Append(const void* value, std::size_t bytes);
  Result<uint32_t> AppendPlaceholder();
  // Room for the data that a placeholder points to; valid until the list begins anew.
  Result<void*> PlaceholderBuffer(uint32_t parameter, std::size_t bytes);
  Status Update(uint32_t parameter, const void* value, std::size_t bytes);
  Status Finalise();

 private:
  // The kernel; kInvalidHandle when its binary has been unloaded.
  Result<const kernel_abi::KernelDescriptor*> Kernel() const;
  Result<const kernel_abi::ParameterDescriptor*> CheckNext(std::size_t bytes) const;

  uint64_t function_ = 0;
  uint32_t appended_ = 0;
  std::bitset<kMostParameters> is_placeholder_;
  std::vector<std::byte> own_;   // empty in the caller's memory
  std::span<std::byte> memory_;  // the arguments, then placeholder data
  std::size_t used_ = 0;
  std::vector<runtime::Placeholder> placeholders_;
  bool finalised_ = false;
};

using KernelArgumentsTable = base::HandleTable<KernelArguments, base::HandleKind::kKernelArguments>;

// kInvalidHandle.
Result<const KernelArguments*> FindKernelArguments(void* handle);

}  // namespace forebay::acl
