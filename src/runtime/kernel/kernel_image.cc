#include "kernel_image.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>
#include <unordered_map>

#include "elf_file.h"
#include "forebay/base/macros.h"
#include "forebay/base/system_failure.h"
#include "forebay/base/unique_fd.h"
#include "kernel_imports.h"

namespace forebay::runtime {
namespace {

using kernel_abi::CoreType;
using kernel_abi::KernelDescriptor;
using kernel_abi::ParameterDescriptor;
using kernel_abi::ParameterKind;

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;
constexpr char kRebuild[] = "build the kernel's source with forebay_add_kernel_binary (CMake) or forebay-cc";
constexpr char kRebuildWithThis[] =
    "build the kernel's source again, with the forebay_add_kernel_binary or forebay-cc of this version";

// Why the parameter is impossible, or an empty text. `end` is where the one before it ends.
std::string ParameterFault(const ParameterDescriptor& parameter, uint32_t end, uint32_t argument_bytes) {
  if (parameter.kind < ParameterKind::kGlobalMemory || parameter.kind > ParameterKind::kStruct) {
    return fmt::format("has the unknown kind {}", static_cast<unsigned>(parameter.kind));
  }
  if (!std::has_single_bit(parameter.alignment))
    return fmt::format("has the impossible alignment {}", parameter.alignment);
  if (parameter.size == 0) return "has no size";
  if (parameter.kind == ParameterKind::kGlobalMemory && parameter.size != sizeof(void*)) {
    return fmt::format("is a pointer of {} bytes", parameter.size);
  }
  if (parameter.offset % parameter.alignment != 0) {
    return fmt::format("has the offset {}, which is not a multiple of its alignment {}", parameter.offset,
                       parameter.alignment);
  }
  if (parameter.offset < end)
    return fmt::format("begins at {}, before the one ahead of it ends at {}", parameter.offset, end);
  if (parameter.offset > argument_bytes || parameter.size > argument_bytes - parameter.offset) {
    return fmt::format("takes {} bytes from offset {}, outside the {} bytes of arguments", parameter.size,
                       parameter.offset, argument_bytes);
  }
  return {};
}

// What is wrong with a descriptor, in words that follow its place; an empty text when it is sound.
std::string DescriptorFault(const KernelDescriptor& descriptor) {
  const std::size_t length = strnlen(descriptor.name, kernel_abi::kMaxNameBytes);
  if (length == kernel_abi::kMaxNameBytes) return "has a name that does not end";
  if (length == 0) return "has no name";
  const std::string_view name(descriptor.name, length);
  if (!std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c != 0x7F; }))
    return "has a name that is not text";
  if (descriptor.core_type < CoreType::kCube || descriptor.core_type > CoreType::kAny) {
    return fmt::format("('{}') has the unknown core type {}", name, static_cast<unsigned>(descriptor.core_type));
  }
  if (descriptor.parameter_count > kernel_abi::kMaxParameters) {
    return fmt::format("('{}') claims {} parameters, at most {} are possible", name, descriptor.parameter_count,
                       kernel_abi::kMaxParameters);
  }
  if (descriptor.argument_bytes > kernel_abi::kMaxArgumentBytes) {
    return fmt::format("('{}') claims {} bytes of arguments, at most {} are possible", name, descriptor.argument_bytes,
                       kernel_abi::kMaxArgumentBytes);
  }
  uint32_t end = 0;
  for (uint32_t i = 0; i < descriptor.parameter_count; ++i) {
    const ParameterDescriptor& parameter = descriptor.parameters[i];
    const std::string fault = ParameterFault(parameter, end, descriptor.argument_bytes);
    if (!fault.empty()) return fmt::format("('{}') is corrupt: its parameter {} {}", name, i, fault);
    end = parameter.offset + parameter.size;
  }
  if (end != descriptor.argument_bytes) {
    return fmt::format("('{}') claims {} bytes of arguments, its parameters end at {}", name, descriptor.argument_bytes,
                       end);
  }
  return {};
}

Result<std::vector<KernelDescriptor>> ReadDescriptors(const ElfFile& file, std::string_view origin) {
  const ElfFile::Section* section = file.FindSection(kernel_abi::kSectionName);
  if (section == nullptr) {
    return BadImage(origin, fmt::format("holds no kernels: it has no section {}", kernel_abi::kSectionName), kRebuild);
  }
  const std::span<const std::byte> bytes = section->bytes;
  // Of another version only the first two words are known.
  constexpr std::size_t kPrefix = offsetof(KernelDescriptor, name);
  uint32_t prefix[2] = {};
  static_assert(sizeof(prefix) == kPrefix);
  if (bytes.size() >= kPrefix) std::memcpy(prefix, bytes.data(), kPrefix);
  if (prefix[0] != kernel_abi::kMagic) {
    return BadImage(origin,
                    fmt::format("has corrupt metadata: section {} of {} bytes begins with {:#010x} instead of {:#010x}",
                                kernel_abi::kSectionName, bytes.size(), prefix[0], kernel_abi::kMagic),
                    kRebuild);
  }
  if (prefix[1] != kernel_abi::kVersion) {
    return BadImage(
        origin,
        fmt::format("has metadata of version {}, this device reads version {}", prefix[1], kernel_abi::kVersion),
        kRebuildWithThis);
  }
  if (bytes.size() % sizeof(KernelDescriptor) != 0) {
    return BadImage(origin,
                    fmt::format("has corrupt metadata: section {} has {} bytes, not a multiple of {}",
                                kernel_abi::kSectionName, bytes.size(), sizeof(KernelDescriptor)),
                    kRebuild);
  }
  std::vector<KernelDescriptor> kernels(bytes.size() / sizeof(KernelDescriptor));
  std::memcpy(kernels.data(), bytes.data(), bytes.size());
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].magic != kernel_abi::kMagic || kernels[i].version != kernel_abi::kVersion) {
      return BadImage(origin,
                      fmt::format("has corrupt metadata: kernel {} begins with {:#010x}, version {}", i,
                                  kernels[i].magic, kernels[i].version),
                      kRebuild);
    }
    const std::string fault = DescriptorFault(kernels[i]);
    if (!fault.empty()) return BadImage(origin, fmt::format("has corrupt metadata: kernel {} {}", i, fault), kRebuild);
    const auto [earlier, added] = places.emplace(kernels[i].name, i);
    if (!added) {
      return BadImage(origin,
                      fmt::format("has two kernels of the name '{}': {} and {}", kernels[i].name, earlier->second, i),
                      kRebuild);
    }
  }
  return kernels;
}

// Nothing of a kernel binary may run when it is loaded: it would run outside of any block. The toolchain links without
// the compiler's start files, so there is nothing to tell apart: an initialiser of any kind is refused.
Status CheckNothingRunsOnLoad(const std::vector<GElf_Dyn>& entries, std::string_view origin) {
  for (const GElf_Dyn& entry : entries) {
    const bool functions = entry.d_tag == DT_INIT || entry.d_tag == DT_FINI;
    const bool arrays =
        (entry.d_tag == DT_INIT_ARRAYSZ || entry.d_tag == DT_FINI_ARRAYSZ || entry.d_tag == DT_PREINIT_ARRAYSZ) &&
        entry.d_un.d_val != 0;
    if (functions || arrays) {
      return BadImage(
          origin,
          "runs code when it is loaded or unloaded, because of a global object with a constructor or destructor, or "
          "because it was linked with the compiler's start files",
          "initialise global variables with constants, and build with forebay_add_kernel_binary (CMake) or forebay-cc");
    }
  }
  return {};
}

Status CheckLibraries(const ElfFile& file, const std::vector<GElf_Dyn>& entries, std::string_view origin) {
  for (const GElf_Dyn& entry : entries) {
    if (entry.d_tag != DT_NEEDED) continue;
    ASSIGN_OR_RETURN(const std::string_view name, file.DynamicString(entry.d_un.d_val));
    if (!IsAllowedLibrary(name)) {
      return BadImage(
          origin,
          fmt::format("needs the shared library '{}', kernels can use the C and mathematics libraries alone", name),
          "link the kernel without it, or compile what it needs into the kernel's sources");
    }
  }
  return {};
}

// The symbol as it is written in C++.
std::string Demangled(std::string_view symbol) {
  struct Free {
    void operator()(char* text) const noexcept { std::free(text); }
  };
  const std::string name(symbol);
  int result = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &result));
  return result == 0 && text != nullptr && symbol.starts_with("_Z") ? std::string(text.get()) : name;
}

Status CheckImports(const std::vector<ElfFile::Symbol>& symbols, std::string_view origin) {
  std::vector<std::string> runtime;
  std::vector<std::string> others;
  for (const ElfFile::Symbol& symbol : symbols) {
    if (symbol.symbol.st_shndx != SHN_UNDEF || symbol.name.empty() || IsAllowedImport(symbol.name)) continue;
    (IsRuntimeSymbol(symbol.name) ? runtime : others).push_back(Demangled(symbol.name));
  }
  if (!runtime.empty()) {
    return BadImage(
        origin,
        fmt::format("calls the host's runtime: {}. Kernels cannot launch work: there is no dynamic parallelism, "
                    "only the host submits",
                    fmt::join(runtime, ", ")),
        "move these calls to the host code that launches the kernel");
  }
  if (!others.empty()) {
    return BadImage(origin, fmt::format("calls what the device does not offer to kernels: {}", fmt::join(others, ", ")),
                    "use memory and string functions, <cmath>, and what forebay/kernel.h declares");
  }
  return {};
}

bool IsExportedFunction(const ElfFile& file, const ElfFile::Symbol& symbol) {
  const unsigned binding = GELF_ST_BIND(symbol.symbol.st_info);
  const unsigned visibility = GELF_ST_VISIBILITY(symbol.symbol.st_other);
  return symbol.symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.symbol.st_info) == STT_FUNC &&
         (binding == STB_GLOBAL || binding == STB_WEAK) && (visibility == STV_DEFAULT || visibility == STV_PROTECTED) &&
         file.IsExecutable(symbol.symbol.st_value, 1);
}

// Where the entry of each kernel is.
Result<std::vector<KernelCode>> FindCode(const ElfFile& file, const std::vector<ElfFile::Symbol>& symbols,
                                         const std::vector<KernelDescriptor>& kernels, std::string_view origin) {
  const auto find = [&](std::string_view name) {
    return std::find_if(symbols.begin(), symbols.end(), [&](const ElfFile::Symbol& symbol) {
      return symbol.name == name && IsExportedFunction(file, symbol);
    });
  };
  if (find(kernel_abi::kBindSymbol) == symbols.end()) {
    return BadImage(origin, fmt::format("does not export the function {}", kernel_abi::kBindSymbol), kRebuild);
  }
  std::vector<KernelCode> code;
  for (const KernelDescriptor& kernel : kernels) {
    const std::string entry = fmt::format("{}{}", kernel_abi::kEntryPrefix, kernel.name);
    const auto found = find(entry);
    if (found == symbols.end()) {
      return BadImage(
          origin,
          fmt::format("describes the kernel '{}' but does not export its entry function {}", kernel.name, entry),
          kRebuild);
    }
    if (!file.IsExecutable(found->symbol.st_value, found->symbol.st_size)) {
      return BadImage(origin,
                      fmt::format("is corrupt: the kernel '{}' has {} bytes from offset {:#x}, more than there is code",
                                  kernel.name, found->symbol.st_size, found->symbol.st_value),
                      "the file is damaged: copy or build it again");
    }
    code.push_back({found->symbol.st_value, found->symbol.st_size});
  }
  return code;
}

uint64_t LoadedBytes(const ElfFile& file) noexcept {
  uint64_t bytes = 0;
  for (const GElf_Phdr& segment : file.segments()) {
    if (segment.p_type == PT_LOAD) bytes = std::max(bytes, segment.p_vaddr + segment.p_memsz);
  }
  return bytes;
}

// The global variables that a kernel's source may define; one whose name is there twice is left out.
Result<std::vector<KernelVariable>> FindVariables(const ElfFile& file) {
  std::vector<KernelVariable> variables;
  std::unordered_map<std::string_view, int> count;
  ASSIGN_OR_RETURN(const std::vector<ElfFile::Symbol> symbols, file.AllSymbols());
  const auto is_variable = [&](const ElfFile::Symbol& symbol) {
    // Names of C++ that begin so are this project's own, or the compiler's.
    return GELF_ST_TYPE(symbol.symbol.st_info) == STT_OBJECT && symbol.symbol.st_shndx != SHN_UNDEF &&
           symbol.symbol.st_size > 0 && !symbol.name.starts_with("_ZN7forebay") &&
           !symbol.name.starts_with("_ZN8AscendC") && file.IsWritable(symbol.symbol.st_value, symbol.symbol.st_size);
  };
  for (const ElfFile::Symbol& symbol : symbols) count[symbol.name] += is_variable(symbol) ? 1 : 0;
  for (const ElfFile::Symbol& symbol : symbols) {
    if (is_variable(symbol) && count[symbol.name] == 1)
      variables.push_back({std::string(symbol.name), symbol.symbol.st_value, symbol.symbol.st_size});
  }
  return variables;
}

Status CannotOpen(const std::string& path, std::string_view why, std::string advice) {
  return Status(Code::kFileOpen, fmt::format("the kernel binary '{}' {}", path, why), std::move(advice));
}

std::string ErrorText(int number) { return std::generic_category().message(number); }

}  // namespace

const KernelDescriptor* KernelImage::Find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const KernelDescriptor& kernel) { return name == kernel.name; });
  return found == kernels.end() ? nullptr : &*found;
}

Result<KernelImage> ReadKernelImage(std::span<const std::byte> bytes, std::string_view origin) {
  ASSIGN_OR_RETURN(const ElfFile file, ElfFile::Open(bytes, origin));
  KernelImage image;
  ASSIGN_OR_RETURN(image.kernels, ReadDescriptors(file, origin));
  ASSIGN_OR_RETURN(const std::vector<ElfFile::Symbol> symbols, file.DynamicSymbols());
  ASSIGN_OR_RETURN(const std::vector<GElf_Dyn> entries, file.DynamicEntries());
  for (const GElf_Phdr& segment : file.segments()) {
    if (segment.p_type == PT_TLS) {
      return BadImage(origin, "has variables of the kind thread_local, but the blocks of a kernel are not threads",
                      "keep such data in local variables, or in global memory with a place per block");
    }
  }
  RETURN_IF_ERROR(CheckImports(symbols, origin));
  RETURN_IF_ERROR(CheckNothingRunsOnLoad(entries, origin));
  RETURN_IF_ERROR(CheckLibraries(file, entries, origin));
  ASSIGN_OR_RETURN(image.code, FindCode(file, symbols, image.kernels, origin));
  ASSIGN_OR_RETURN(image.variables, FindVariables(file));
  image.bytes = LoadedBytes(file);
  return image;
}

Result<std::vector<std::byte>> ReadKernelFile(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const base::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    const int error = errno;
    if (error == ENOENT)
      return CannotOpen(path, "does not exist", "check the path; a relative one starts at the working directory");
    return base::SystemFailure(Code::kFileOpen, fmt::format("the kernel binary '{}' cannot be opened", path), error,
                               "check the path and the file's permissions");
  }
  struct stat status;
  if (fstat(fd.get(), &status) != 0)
    return CannotOpen(path, fmt::format("cannot be read: {}", ErrorText(errno)), "check the file system");
  if (S_ISDIR(status.st_mode)) return CannotOpen(path, "is a directory", "give the path of the .o file");
  if (!S_ISREG(status.st_mode)) return CannotOpen(path, "is not a regular file", "give the path of the .o file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > kMaxFileBytes) {
    return CannotOpen(path, fmt::format("has {} bytes, at most {} can be loaded", size, kMaxFileBytes),
                      "split the kernels into several binaries");
  }
  std::vector<std::byte> bytes(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = read(fd.get(), bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotOpen(path, fmt::format("cannot be read: {}", ErrorText(errno)), "check the file system");
    if (got == 0) break;  // it became shorter meanwhile, which reading the image will show
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace forebay::runtime
