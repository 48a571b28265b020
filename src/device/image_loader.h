// Loads the ELF shared object of a kernel binary.
//
// The system's dynamic loader trusts what a file says, and one wrong word in it ends the process. Kernel binaries need
// little of what it does: segments, four kinds of relocations, and functions of the C and mathematics libraries. Here
// every offset, size and index is checked before it is used, and nothing of the image runs.
#pragma once

#include <elf.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forebay/base/unique_fd.h"
#include "forebay/status.h"

namespace forebay::device {

class LoadedElf {
 public:
  // What fails is the file's fault, Code::kParamInvalid, but for want of memory.
  static Result<LoadedElf> Load(std::span<const std::byte> file);

  // From the lowest to the highest loaded byte, in this process. Addresses in the file count from `base`.
  uint64_t base() const noexcept { return base_; }
  uint64_t end() const noexcept { return end_; }
  // The segments as the file describes them, PT_LOAD and PT_GNU_RELRO alone.
  const std::vector<Elf64_Phdr>& segments() const noexcept { return segments_; }
  // Where an exported function is; 0 when there is none in code.
  uint64_t FindFunction(const std::string& name) const noexcept;

 private:
  struct Tables;

  LoadedElf() = default;
  Status ReadSegments(std::span<const std::byte> file, const Elf64_Ehdr& header);
  Status PlaceSegments(std::span<const std::byte> file);
  Status Relocate(const Tables& tables);
  Status Apply(const Elf64_Rela& relocation, const Tables& tables);
  Status Protect();
  // Whether that many bytes at an address of the file lie in a segment with all of these flags.
  bool Holds(uint64_t address, uint64_t bytes, uint32_t flags) const noexcept;

  base::Mapping memory_;
  uint64_t base_ = 0;
  uint64_t end_ = 0;
  std::vector<Elf64_Phdr> segments_;
  std::unordered_map<std::string, uint64_t> functions_;
};

}  // namespace forebay::device
