// The only place that reads debug information. libdw is not safe for threads, and slow at first, so one thread at a
// time uses it, and what it found is kept until a library is loaded or unloaded.
#include "diagnosis/symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"

namespace forebay::runtime {
namespace {

constexpr std::size_t kMostKept = 16384;

std::string FileName(const char* path) { return std::filesystem::path(path).filename().string(); }

std::string Readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                             &std::free);
  return status == 0 ? readable.get() : symbol;
}

// How many libraries were loaded and unloaded so far.
std::pair<unsigned long long, unsigned long long> CountLibraries() {
  std::pair<unsigned long long, unsigned long long> counts;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        *static_cast<decltype(counts)*>(into) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &counts);
  return counts;
}

// Only what is in the files themselves: the default would look for debug information in the network.
int FindNoOtherFile(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
  return -1;
}

class Symbols {
 public:
  static Symbols& Get() {
    static base::NeverDestroyed<Symbols> symbols;
    return *symbols;
  }

  std::string Describe(const void* address) EXCLUDES(mutex_) {
    const auto libraries = CountLibraries();
    base::MutexLock lock(mutex_);
    if (libraries != libraries_ || texts_.size() >= kMostKept) {
      texts_.clear();
      session_.reset();
      libraries_ = libraries;
    }
    auto [found, is_new] = texts_.try_emplace(address);
    if (is_new) found->second = Find(address);
    return found->second;
  }

 private:
  std::string Find(const void* address) REQUIRES(mutex_) {
    std::string name;
    std::string place;
    if (Dwfl_Module* module = FindModule(address)) {
      const auto at = reinterpret_cast<Dwarf_Addr>(address);
      if (const char* symbol = dwfl_module_addrname(module, at)) name = Readable(symbol);
      place = FindLine(module, at);
    }
    const LoadedCode loaded = FindLoadedCode(address);
    if (name.empty() && loaded.symbol != nullptr) name = Readable(loaded.symbol);
    if (place.empty()) place = loaded.place.empty() ? fmt::format("{}", address) : loaded.place;
    return name.empty() ? place : fmt::format("{} ({})", name, place);
  }

  // The unit of the program that holds the address; null when its file has no debug information.
  static Dwarf_Die* FindUnit(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias) {
    // gcc writes a table from addresses to units; clang does not.
    if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, bias)) return unit;
    Dwarf_Die* unit = nullptr;
    while ((unit = dwfl_module_nextcu(module, unit, bias)) != nullptr) {
      if (dwarf_haspc(unit, address - *bias) == 1) return unit;
    }
    return nullptr;
  }

  // Of the first instruction of a function it is the line where the function is declared, because that instruction may
  // come from something inlined.
  static std::string FindLine(Dwfl_Module* module, Dwarf_Addr address) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = FindUnit(module, address, &bias);
    if (unit == nullptr) return "";
    GElf_Off offset = 1;
    GElf_Sym symbol;
    dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    Dwarf_Die* scopes = nullptr;
    const int count = offset == 0 ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
    const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owned(scopes, &std::free);
    int line = 0;
    for (int i = 0; i < count; ++i) {
      if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram || dwarf_decl_line(&scopes[i], &line) != 0) continue;
      if (const char* file = dwarf_decl_file(&scopes[i])) return fmt::format("{}:{}", FileName(file), line);
    }
    Dwarf_Line* row = dwarf_getsrc_die(unit, address - bias);
    if (row == nullptr || dwarf_lineno(row, &line) != 0) return "";
    const char* file = dwarf_linesrc(row, nullptr, nullptr);
    return file != nullptr ? fmt::format("{}:{}", FileName(file), line) : "";
  }

  Dwfl_Module* FindModule(const void* address) REQUIRES(mutex_) {
    if (!session_) {
      static const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, FindNoOtherFile, nullptr, nullptr};
      session_.reset(dwfl_begin(&callbacks));
      if (!session_) return nullptr;
      dwfl_report_begin(session_.get());
      const int reported = dwfl_linux_proc_report(session_.get(), getpid());
      if (dwfl_report_end(session_.get(), nullptr, nullptr) != 0 || reported != 0) return nullptr;
    }
    return dwfl_addrmodule(session_.get(), reinterpret_cast<Dwarf_Addr>(address));
  }

  struct EndSession {
    void operator()(Dwfl* session) const noexcept { dwfl_end(session); }
  };

  base::Mutex mutex_;
  std::pair<unsigned long long, unsigned long long> libraries_ GUARDED_BY(mutex_){};
  std::map<const void*, std::string> texts_ GUARDED_BY(mutex_);
  std::unique_ptr<Dwfl, EndSession> session_ GUARDED_BY(mutex_);
};

}  // namespace

std::string DescribeCode(const void* address) { return Symbols::Get().Describe(address); }

LoadedCode FindLoadedCode(const void* address) {
  LoadedCode loaded;
  Dl_info info{};
  if (dladdr(address, &info) == 0) return loaded;
  loaded.symbol = info.dli_sname;
  if (info.dli_fname != nullptr) {
    loaded.place = fmt::format("{}+{:#x}", FileName(info.dli_fname),
                               static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase));
  }
  return loaded;
}

}  // namespace forebay::runtime
