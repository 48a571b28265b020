#include "elf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "forebay/base/macros.h"

namespace forebay::runtime {
namespace {

constexpr char kRebuild[] =
    "build the kernel's source with forebay_add_kernel_binary (CMake) or forebay-cc, and load the .o file that it "
    "makes";
constexpr char kCopyAgain[] = "the file is damaged: copy or build it again";

#if defined(__x86_64__)
constexpr GElf_Half kThisMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr GElf_Half kThisMachine = EM_AARCH64;
#endif

// More than the addresses of a program reach.
constexpr uint64_t kMaxLoadedBytes = uint64_t{4} << 30;

// Code for the AI cores of Ascend processors. Not in elf.h.
constexpr GElf_Half kMachineAscend = 0x1029;

struct Machine {
  GElf_Half number;
  std::string_view name;
};
constexpr Machine kMachines[] = {
    {EM_386, "x86 (32 bit)"},    {EM_X86_64, "x86-64"},    {EM_ARM, "Arm (32 bit)"},    {EM_AARCH64, "AArch64"},
    {EM_RISCV, "RISC-V"},        {EM_PPC64, "POWER"},      {EM_S390, "z/Architecture"}, {EM_MIPS, "MIPS"},
    {EM_LOONGARCH, "LoongArch"}, {EM_CUDA, "NVIDIA CUDA"}, {EM_AMDGPU, "AMD GPU"},
};

std::string_view MachineName(GElf_Half number) {
  for (const Machine& machine : kMachines) {
    if (machine.number == number) return machine.name;
  }
  return {};
}

std::string_view TypeName(GElf_Half type) {
  switch (type) {
    case ET_REL: return "a relocatable object that is not linked yet";
    case ET_EXEC: return "a program";
    case ET_CORE: return "a core dump";
    default: return "of an unknown kind";
  }
}

// The first bytes as hexadecimal numbers.
std::string FirstBytes(std::span<const std::byte> bytes) {
  std::string text;
  for (std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 4))) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned>(byte));
  }
  return text;
}

}  // namespace

Status BadImage(std::string_view origin, std::string_view what, std::string advice) {
  return Status(Code::kParamInvalid, fmt::format("the kernel binary '{}' {}", origin, what), std::move(advice));
}

Result<ElfFile> ElfFile::Open(std::span<const std::byte> bytes, std::string_view origin) {
  if (bytes.empty()) {
    return BadImage(origin, "is empty", "build it again: an interrupted build or a full disk leaves such a file");
  }
  const std::size_t known = std::min<std::size_t>(bytes.size(), SELFMAG);
  if (std::memcmp(bytes.data(), ELFMAG, known) != 0) {
    return BadImage(origin, fmt::format("is not an ELF file: it begins with the bytes {}", FirstBytes(bytes)),
                    kRebuild);
  }
  if (bytes.size() < sizeof(Elf64_Ehdr)) {
    return BadImage(
        origin,
        fmt::format("is truncated: it has {} bytes, its header alone takes {}", bytes.size(), sizeof(Elf64_Ehdr)),
        kCopyAgain);
  }
  FOREBAY_CHECK(elf_version(EV_CURRENT) != EV_NONE);
  ElfFile file(origin);
  // libelf takes a writable pointer but only reads what it was given as memory.
  file.elf_.reset(elf_memory(reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data())), bytes.size()));
  if (file.elf_ == nullptr || elf_kind(file.elf_.get()) != ELF_K_ELF) {
    return file.Corrupt("its ELF header cannot be read");
  }
  RETURN_IF_ERROR(file.CheckKind(bytes));
  RETURN_IF_ERROR(file.ReadSegments(bytes));
  RETURN_IF_ERROR(file.ReadSections(bytes));
  return file;
}

Status ElfFile::Corrupt(std::string_view what) const {
  return BadImage(origin_, fmt::format("is corrupt: {}", what), kCopyAgain);
}

Status ElfFile::CheckExtent(std::string_view what, uint64_t offset, uint64_t size, uint64_t file_size) const {
  if (offset <= file_size && size <= file_size - offset) return {};
  return BadImage(origin_,
                  fmt::format("is truncated: its {} takes {} bytes from offset {}, but the file has {} bytes", what,
                              size, offset, file_size),
                  kCopyAgain);
}

Status ElfFile::CheckKind(std::span<const std::byte> bytes) const {
  GElf_Ehdr header;
  if (gelf_getehdr(elf_.get(), &header) == nullptr) return Corrupt("its ELF header cannot be read");
  const std::string_view name = MachineName(header.e_machine);
  if (header.e_machine == kMachineAscend) {
    return BadImage(
        origin_,
        fmt::format("holds code for the AI cores of an Ascend processor (ELF machine {:#x}), which this device cannot "
                    "execute: it runs kernels as {} code",
                    kMachineAscend, MachineName(kThisMachine)),
        "build the kernel from its source with forebay_add_kernel_binary (CMake) or forebay-cc");
  }
  if (name.empty()) {
    return BadImage(
        origin_,
        fmt::format("holds code for an unknown machine (ELF machine {:#x}), perhaps for a real neural processor; this "
                    "device runs kernels as {} code",
                    header.e_machine, MachineName(kThisMachine)),
        "build the kernel from its source with forebay_add_kernel_binary (CMake) or forebay-cc");
  }
  if (header.e_machine != kThisMachine) {
    return BadImage(origin_, fmt::format("holds code for {}, this device runs on {}", name, MachineName(kThisMachine)),
                    "build the kernel on this machine, or with a compiler for it");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return BadImage(origin_, "is not a 64-bit little-endian ELF file", kRebuild);
  }
  if (header.e_type != ET_DYN) {
    return BadImage(origin_,
                    fmt::format("is {} (ELF type {}), not a shared object", TypeName(header.e_type), header.e_type),
                    kRebuild);
  }
  RETURN_IF_ERROR(
      CheckExtent("table of segments", header.e_phoff, uint64_t{header.e_phnum} * header.e_phentsize, bytes.size()));
  return CheckExtent("table of sections", header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize, bytes.size());
}

Status ElfFile::ReadSegments(std::span<const std::byte> bytes) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) return Corrupt("its table of segments cannot be read");
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) {
      return Corrupt(fmt::format("its segment {} cannot be read", i));
    }
    RETURN_IF_ERROR(CheckExtent(fmt::format("segment {}", i), segment.p_offset, segment.p_filesz, bytes.size()));
    if (segment.p_type == PT_LOAD && (segment.p_vaddr > kMaxLoadedBytes || segment.p_memsz > kMaxLoadedBytes)) {
      return Corrupt(
          fmt::format("its segment {} takes {} bytes from address {:#x}", i, segment.p_memsz, segment.p_vaddr));
    }
    segments_.push_back(segment);
  }
  return {};
}

Status ElfFile::ReadSections(std::span<const std::byte> bytes) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return Corrupt("its table of sections cannot be read");
  for (Elf_Scn* handle = elf_nextscn(elf_.get(), nullptr); handle != nullptr;
       handle = elf_nextscn(elf_.get(), handle)) {
    Section section{{}, {}, {}, handle};
    if (gelf_getshdr(handle, &section.header) == nullptr) {
      return Corrupt(fmt::format("its section {} cannot be read", elf_ndxscn(handle)));
    }
    if (section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL) {
      RETURN_IF_ERROR(CheckExtent(fmt::format("section {}", elf_ndxscn(handle)), section.header.sh_offset,
                                  section.header.sh_size, bytes.size()));
      section.bytes = bytes.subspan(section.header.sh_offset, section.header.sh_size);
    }
    sections_.push_back(section);
  }
  // Names only now: their own section had to be checked first.
  for (Section& section : sections_) {
    const char* name = elf_strptr(elf_.get(), names, section.header.sh_name);
    if (name == nullptr) return Corrupt(fmt::format("its section {} has no readable name", elf_ndxscn(section.handle)));
    section.name = name;
  }
  return {};
}

const ElfFile::Section* ElfFile::FindSection(std::string_view name) const noexcept {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [&](const Section& section) { return section.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

const ElfFile::Section* ElfFile::FindSection(uint32_t type) const noexcept {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const Section& section) { return section.header.sh_type == type; });
  return found == sections_.end() ? nullptr : &*found;
}

Result<std::vector<ElfFile::Symbol>> ElfFile::DynamicSymbols() const { return Symbols(SHT_DYNSYM); }
Result<std::vector<ElfFile::Symbol>> ElfFile::AllSymbols() const { return Symbols(SHT_SYMTAB); }

Result<std::vector<ElfFile::Symbol>> ElfFile::Symbols(uint32_t section_type) const {
  std::vector<Symbol> symbols;
  const Section* section = FindSection(section_type);
  if (section == nullptr) return symbols;
  Elf_Data* data = elf_getdata(section->handle, nullptr);
  if (data == nullptr) return Corrupt("its symbols cannot be read");
  const std::size_t count = section->header.sh_size / sizeof(Elf64_Sym);
  for (std::size_t i = 1; i < count; ++i) {
    Symbol symbol{};
    if (gelf_getsym(data, static_cast<int>(i), &symbol.symbol) == nullptr) {
      return Corrupt(fmt::format("its symbol {} cannot be read", i));
    }
    const char* name = elf_strptr(elf_.get(), section->header.sh_link, symbol.symbol.st_name);
    if (name == nullptr) return Corrupt(fmt::format("its symbol {} has no readable name", i));
    symbol.name = name;
    symbols.push_back(symbol);
  }
  return symbols;
}

Result<std::vector<GElf_Dyn>> ElfFile::DynamicEntries() const {
  std::vector<GElf_Dyn> entries;
  const Section* section = FindSection(SHT_DYNAMIC);
  const auto segment = std::find_if(segments_.begin(), segments_.end(),
                                    [](const GElf_Phdr& header) { return header.p_type == PT_DYNAMIC; });
  // The loader goes by the segment; what is checked here has to be the same.
  if (section == nullptr || segment == segments_.end() || section->header.sh_offset != segment->p_offset) {
    return Corrupt("its dynamic section is missing or not where the loader looks for it");
  }
  Elf_Data* data = elf_getdata(section->handle, nullptr);
  if (data == nullptr) return Corrupt("its dynamic section cannot be read");
  const std::size_t count = section->header.sh_size / sizeof(Elf64_Dyn);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr) return Corrupt("its dynamic section cannot be read");
    if (entry.d_tag == DT_NULL) break;
    entries.push_back(entry);
  }
  return entries;
}

Result<std::string_view> ElfFile::DynamicString(uint64_t offset) const {
  const Section* section = FindSection(SHT_DYNAMIC);
  const char* text = section == nullptr ? nullptr : elf_strptr(elf_.get(), section->header.sh_link, offset);
  if (text == nullptr) return Corrupt("a name in its dynamic section cannot be read");
  return std::string_view(text);
}

bool ElfFile::IsExecutable(uint64_t address, uint64_t bytes) const noexcept {
  return std::any_of(segments_.begin(), segments_.end(), [&](const GElf_Phdr& segment) {
    return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && address >= segment.p_vaddr &&
           address - segment.p_vaddr <= segment.p_filesz && bytes <= segment.p_filesz - (address - segment.p_vaddr);
  });
}

bool ElfFile::IsWritable(uint64_t address, uint64_t bytes) const noexcept {
  const auto holds = [&](const GElf_Phdr& segment) {
    return address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_memsz &&
           bytes <= segment.p_memsz - (address - segment.p_vaddr);
  };
  bool writable = false;
  for (const GElf_Phdr& segment : segments_) {
    if (segment.p_type == PT_GNU_RELRO && holds(segment)) return false;
    writable |= segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0 && holds(segment);
  }
  return writable;
}

}  // namespace forebay::runtime
