#include "image_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "forebay/base/macros.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace forebay::device {
namespace {

constexpr uint64_t kMaxImageBytes = uint64_t{4} << 30;
constexpr uint64_t kMaxAlignment = uint64_t{1} << 30;
const uint64_t kPage = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));

#if defined(__x86_64__)
constexpr uint32_t kNothing = R_X86_64_NONE, kRelative = R_X86_64_RELATIVE, kAbsolute = R_X86_64_64;
constexpr uint32_t kGlobalData = R_X86_64_GLOB_DAT, kJumpSlot = R_X86_64_JUMP_SLOT, kResolver = R_X86_64_IRELATIVE;
#elif defined(__aarch64__)
constexpr uint32_t kNothing = R_AARCH64_NONE, kRelative = R_AARCH64_RELATIVE, kAbsolute = R_AARCH64_ABS64;
constexpr uint32_t kGlobalData = R_AARCH64_GLOB_DAT, kJumpSlot = R_AARCH64_JUMP_SLOT, kResolver = R_AARCH64_IRELATIVE;
#endif

uint64_t DownToPage(uint64_t address) noexcept { return address & ~(kPage - 1); }
uint64_t UpToPage(uint64_t address) noexcept { return DownToPage(address + kPage - 1); }

Status Corrupt(std::string_view why) {
  return Status(Code::kParamInvalid, fmt::format("the kernel binary is corrupt: {}", why),
                "the file is damaged: copy or build it again");
}

// Whether a part lies inside `size` bytes, without the sums that could overflow.
bool Fits(uint64_t offset, uint64_t bytes, uint64_t size) noexcept { return offset <= size && bytes <= size - offset; }

// Copies a table out of the file, where it need not be aligned.
template <typename Row>
Result<std::vector<Row>> ReadTable(std::span<const std::byte> file, uint64_t offset, uint64_t count,
                                   std::string_view what) {
  if (count > file.size() / sizeof(Row) || !Fits(offset, count * sizeof(Row), file.size()))
    return Corrupt(fmt::format("its {} lies outside of the file", what));
  std::vector<Row> rows(count);
  if (count != 0) std::memcpy(rows.data(), file.data() + offset, count * sizeof(Row));
  return rows;
}

// A function that kernels may call, of the C or the mathematics library.
void* FindImport(const char* name) noexcept {
  if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  static void* const mathematics = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  return mathematics != nullptr ? dlsym(mathematics, name) : nullptr;
}

}  // namespace

struct LoadedElf::Tables {
  std::vector<Elf64_Sym> symbols;
  std::vector<char> names;  // ends with 0
  std::vector<Elf64_Rela> relocations;
  std::vector<uint64_t> packed_relocations;  // DT_RELR

  const char* NameOf(const Elf64_Sym& symbol) const noexcept {
    return symbol.st_name < names.size() ? &names[symbol.st_name] : "";
  }

  static Result<Tables> Read(std::span<const std::byte> file, const Elf64_Ehdr& header) {
    Tables tables;
    if (header.e_shentsize != sizeof(Elf64_Shdr)) return Corrupt("its sections are of another size");
    ASSIGN_OR_RETURN(const auto sections,
                     ReadTable<Elf64_Shdr>(file, header.e_shoff, header.e_shnum, "table of sections"));
    for (const Elf64_Shdr& section : sections) {
      const bool loaded = (section.sh_flags & SHF_ALLOC) != 0;
      if (section.sh_type == SHT_DYNSYM && tables.symbols.empty()) {
        ASSIGN_OR_RETURN(tables.symbols, ReadTable<Elf64_Sym>(file, section.sh_offset,
                                                              section.sh_size / sizeof(Elf64_Sym), "table of symbols"));
        if (section.sh_link >= sections.size()) return Corrupt("its symbols have no names");
        const Elf64_Shdr& names = sections[section.sh_link];
        ASSIGN_OR_RETURN(tables.names, ReadTable<char>(file, names.sh_offset, names.sh_size, "table of names"));
        tables.names.push_back(0);
      } else if (section.sh_type == SHT_RELA && loaded) {
        ASSIGN_OR_RETURN(const auto more,
                         ReadTable<Elf64_Rela>(file, section.sh_offset, section.sh_size / sizeof(Elf64_Rela),
                                               "table of relocations"));
        tables.relocations.insert(tables.relocations.end(), more.begin(), more.end());
      } else if (section.sh_type == SHT_RELR && loaded) {
        ASSIGN_OR_RETURN(tables.packed_relocations,
                         ReadTable<uint64_t>(file, section.sh_offset, section.sh_size / sizeof(uint64_t),
                                             "table of packed relocations"));
      } else if (section.sh_type == SHT_REL && loaded) {
        return Corrupt("it has relocations of a kind that this machine does not use");
      }
    }
    return tables;
  }
};

Result<LoadedElf> LoadedElf::Load(std::span<const std::byte> file) {
  Elf64_Ehdr header;
  if (file.size() < sizeof header || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    return Corrupt("it is no ELF file");
  std::memcpy(&header, file.data(), sizeof header);
  LoadedElf elf;
  RETURN_IF_ERROR(elf.ReadSegments(file, header));
  ASSIGN_OR_RETURN(const Tables tables, Tables::Read(file, header));
  RETURN_IF_ERROR(elf.PlaceSegments(file));
  RETURN_IF_ERROR(elf.Relocate(tables));
  for (const Elf64_Sym& symbol : tables.symbols) {
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    if (elf.Holds(symbol.st_value, 1, PF_X)) elf.functions_.emplace(tables.NameOf(symbol), elf.base_ + symbol.st_value);
  }
  RETURN_IF_ERROR(elf.Protect());
  return elf;
}

Status LoadedElf::ReadSegments(std::span<const std::byte> file, const Elf64_Ehdr& header) {
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return Corrupt("its segments are of another size");
  ASSIGN_OR_RETURN(const auto all, ReadTable<Elf64_Phdr>(file, header.e_phoff, header.e_phnum, "table of segments"));
  uint64_t end = 0;
  for (const Elf64_Phdr& segment : all) {
    if (segment.p_type == PT_TLS) return Corrupt("it has variables of the kind thread_local");
    if (segment.p_type == PT_GNU_RELRO) segments_.push_back(segment);
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_filesz > segment.p_memsz || !Fits(segment.p_offset, segment.p_filesz, file.size()) ||
        !Fits(segment.p_vaddr, segment.p_memsz, kMaxImageBytes) || segment.p_align > kMaxAlignment ||
        (segment.p_align > 1 && !std::has_single_bit(segment.p_align))) {
      return Corrupt("a segment has an impossible place, size or alignment");
    }
    // Each page has one protection.
    if (DownToPage(segment.p_vaddr) < end) return Corrupt("its segments overlap");
    end = UpToPage(segment.p_vaddr + segment.p_memsz);
    segments_.push_back(segment);
  }
  if (end == 0) return Corrupt("it has nothing to load");
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_GNU_RELRO) continue;
    // Linkers may let it reach to the end of the last page.
    const uint64_t within_last_page = segment.p_memsz - std::min(segment.p_memsz, kPage - 1);
    if (!Fits(segment.p_vaddr, segment.p_memsz, kMaxImageBytes) || !Holds(segment.p_vaddr, within_last_page, PF_W)) {
      return Corrupt("what is read-only after loading lies outside of its data");
    }
  }
  return {};
}

Status LoadedElf::PlaceSegments(std::span<const std::byte> file) {
  uint64_t alignment = kPage;
  uint64_t size = 0;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD) continue;
    alignment = std::max(alignment, segment.p_align);
    size = UpToPage(segment.p_vaddr + segment.p_memsz);
  }
  ASSIGN_OR_RETURN(memory_, base::Mapping::Reserve(size + alignment - kPage));
#if defined(__SANITIZE_ADDRESS__)
  // The stack of a block may have been here before, and marks of its frames are left where the block was abandoned.
  __asan_unpoison_memory_region(memory_.data(), memory_.size());
#endif
  base_ = (reinterpret_cast<uint64_t>(memory_.data()) + alignment - 1) & ~(alignment - 1);
  end_ = base_;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t begin = base_ + DownToPage(segment.p_vaddr);
    end_ = base_ + segment.p_vaddr + segment.p_memsz;
    if (mprotect(reinterpret_cast<void*>(begin), UpToPage(end_) - begin, PROT_READ | PROT_WRITE) != 0) {
      return Status(Code::kDriverInternal,
                    fmt::format("a kernel image of {} bytes got no memory: {}", size, std::strerror(errno)));
    }
    if (segment.p_filesz != 0)
      std::memcpy(reinterpret_cast<void*>(base_ + segment.p_vaddr), file.data() + segment.p_offset, segment.p_filesz);
  }
  return {};
}

Status LoadedElf::Relocate(const Tables& tables) {
  const auto add_base = [this](uint64_t address) {
    if (address % sizeof(uint64_t) != 0 || !Holds(address, sizeof(uint64_t), PF_W)) return false;
    *reinterpret_cast<uint64_t*>(base_ + address) += base_;
    return true;
  };
  // An even word is an address; an odd one marks which of the 63 words behind the last are meant.
  uint64_t next = 0;
  for (const uint64_t word : tables.packed_relocations) {
    if ((word & 1) == 0) {
      if (!add_base(word)) return Corrupt("a relocation lies outside of its data");
      next = word + sizeof(uint64_t);
      continue;
    }
    for (uint64_t bit = 1; bit < 64; ++bit) {
      if ((word >> bit & 1) != 0 && !add_base(next + (bit - 1) * sizeof(uint64_t)))
        return Corrupt("a relocation lies outside of its data");
    }
    next += 63 * sizeof(uint64_t);
  }
  for (const Elf64_Rela& relocation : tables.relocations) RETURN_IF_ERROR(Apply(relocation, tables));
  return {};
}

Status LoadedElf::Apply(const Elf64_Rela& relocation, const Tables& tables) {
  const auto type = static_cast<uint32_t>(ELF64_R_TYPE(relocation.r_info));
  if (type == kNothing) return {};
  if (!Holds(relocation.r_offset, sizeof(uint64_t), PF_W)) return Corrupt("a relocation lies outside of its data");
  auto value = static_cast<uint64_t>(relocation.r_addend);
  if (type == kRelative) {
    value += base_;
  } else if (type == kAbsolute || type == kGlobalData || type == kJumpSlot) {
    const uint64_t index = ELF64_R_SYM(relocation.r_info);
    if (index >= tables.symbols.size()) return Corrupt("a relocation has a symbol that does not exist");
    const Elf64_Sym& symbol = tables.symbols[index];
    const unsigned kind = ELF64_ST_TYPE(symbol.st_info);
    if (kind == STT_GNU_IFUNC || kind == STT_TLS)
      return Corrupt("a relocation has a symbol of a kind kernels cannot use");
    if (symbol.st_shndx == SHN_UNDEF) {
      const char* name = tables.NameOf(symbol);
      const auto found = reinterpret_cast<uint64_t>(*name != 0 ? FindImport(name) : nullptr);
      if (found == 0 && index != 0 && ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
        return Status(Code::kParamInvalid,
                      fmt::format("the kernel binary needs '{}', which this machine's C and "
                                  "mathematics libraries do not have",
                                  name),
                      "build it on this machine");
      }
      value += found;
    } else {
      value += symbol.st_shndx == SHN_ABS ? symbol.st_value : base_ + symbol.st_value;
    }
  } else if (type == kResolver) {
    return Status(Code::kParamInvalid, "the kernel binary chooses among versions of a function when it is loaded",
                  "do not use target_clones or ifunc in kernels");
  } else {
    return Corrupt(fmt::format("a relocation has the unknown type {}", type));
  }
  std::memcpy(reinterpret_cast<void*>(base_ + relocation.r_offset), &value, sizeof value);
  return {};
}

Status LoadedElf::Protect() {
  const auto protect = [this](uint64_t from, uint64_t to, int protection) {
    if (from >= to || mprotect(reinterpret_cast<void*>(base_ + from), to - from, protection) == 0) return Status();
    return Status(Code::kDriverInternal,
                  fmt::format("the memory of a kernel image cannot be protected: {}", std::strerror(errno)),
                  "Check that the system allows a process to make code (SELinux: execmem)");
  };
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t end = segment.p_vaddr + segment.p_memsz;
    // Whatever the flags say, the device and the host may read the whole image.
    const int protection =
        PROT_READ | ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) | ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    if ((segment.p_flags & PF_X) != 0) {
      auto* code = reinterpret_cast<char*>(base_ + segment.p_vaddr);
      __builtin___clear_cache(code, code + segment.p_memsz);
    }
    RETURN_IF_ERROR(protect(DownToPage(segment.p_vaddr), UpToPage(end), protection));
  }
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_GNU_RELRO) continue;
    RETURN_IF_ERROR(protect(DownToPage(segment.p_vaddr), DownToPage(segment.p_vaddr + segment.p_memsz), PROT_READ));
  }
  return {};
}

bool LoadedElf::Holds(uint64_t address, uint64_t bytes, uint32_t flags) const noexcept {
  return std::any_of(segments_.begin(), segments_.end(), [&](const Elf64_Phdr& segment) {
    return segment.p_type == PT_LOAD && (segment.p_flags & flags) == flags && address >= segment.p_vaddr &&
           Fits(address - segment.p_vaddr, bytes, segment.p_memsz);
  });
}

uint64_t LoadedElf::FindFunction(const std::string& name) const noexcept {
  const auto found = functions_.find(name);
  return found == functions_.end() ? 0 : found->second;
}

}  // namespace forebay::device
