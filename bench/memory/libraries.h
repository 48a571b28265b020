// General-purpose allocators of this machine, opened by their names so that none is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace forebay::bench {

struct Library {
  std::string name;
  void* (*allocate)(std::size_t);
  void (*free)(void*);

  uint64_t Allocate(uint64_t bytes, uint32_t /*stream*/) const { return reinterpret_cast<uint64_t>(allocate(bytes)); }
  bool Free(uint64_t address, uint32_t /*stream*/) const {
    free(reinterpret_cast<void*>(address));
    return true;
  }
};

// mimalloc, jemalloc, tcmalloc: those that are installed. Says on the standard error which are not.
std::vector<Library> OpenLibraries();

}  // namespace forebay::bench
