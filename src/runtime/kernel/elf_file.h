// An ELF file in memory, read with libelf. Opening it checks every extent that the file claims against its real size,
// and that it is a shared object for this machine, so that what comes after need not fear what the file says.
#pragma once

#include <gelf.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/status.h"

namespace forebay::runtime {

// A failure of the kernel binary `origin`: "the kernel binary '<origin>' <what>", with what to do about it.
Status BadImage(std::string_view origin, std::string_view what, std::string advice);

class ElfFile {
 public:
  struct Section {
    std::string_view name;
    GElf_Shdr header;
    std::span<const std::byte> bytes;  // empty for a section without bytes in the file
    Elf_Scn* handle;
  };
  struct Symbol {
    std::string_view name;
    GElf_Sym symbol;
  };

  // The bytes must outlive the ElfFile. `origin` names the file in messages.
  static Result<ElfFile> Open(std::span<const std::byte> bytes, std::string_view origin);

  const std::vector<Section>& sections() const noexcept { return sections_; }
  const std::vector<GElf_Phdr>& segments() const noexcept { return segments_; }
  // Null when there is none.
  const Section* FindSection(std::string_view name) const noexcept;
  const Section* FindSection(uint32_t type) const noexcept;

  // The dynamic symbols but for the first, which stands for nothing.
  Result<std::vector<Symbol>> DynamicSymbols() const;
  // All symbols; none when the file was stripped.
  Result<std::vector<Symbol>> AllSymbols() const;
  // The entries of the dynamic section, and the strings they may refer to.
  Result<std::vector<GElf_Dyn>> DynamicEntries() const;
  Result<std::string_view> DynamicString(uint64_t offset) const;
  // Whether all of a function lies in a part of the file that is loaded to be executed.
  bool IsExecutable(uint64_t address, uint64_t bytes) const noexcept;
  // Whether all of a variable lies in a part that can be written, and not in what is read-only once it is loaded.
  bool IsWritable(uint64_t address, uint64_t bytes) const noexcept;

 private:
  struct Closer {
    void operator()(Elf* elf) const noexcept { elf_end(elf); }
  };

  explicit ElfFile(std::string_view origin) : origin_(origin) {}
  Result<std::vector<Symbol>> Symbols(uint32_t section_type) const;
  Status CheckKind(std::span<const std::byte> bytes) const;
  Status ReadSegments(std::span<const std::byte> bytes);
  Status ReadSections(std::span<const std::byte> bytes);
  Status CheckExtent(std::string_view what, uint64_t offset, uint64_t size, uint64_t file_size) const;
  Status Corrupt(std::string_view what) const;

  std::string origin_;
  std::unique_ptr<Elf, Closer> elf_;
  std::vector<Section> sections_;
  std::vector<GElf_Phdr> segments_;
};

}  // namespace forebay::runtime
