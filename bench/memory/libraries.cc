#include "libraries.h"

#include <dlfcn.h>

#include <cstdio>

namespace forebay::bench {

std::vector<Library> OpenLibraries() {
  struct Known {
    const char* name;
    const char* file;
    const char* allocate;
    const char* free;
  };
  constexpr Known kKnown[] = {{"mimalloc", "libmimalloc.so.2.0", "mi_malloc", "mi_free"},
                              {"jemalloc", "libjemalloc.so.2", "malloc", "free"},
                              {"tcmalloc", "libtcmalloc_minimal.so.4", "tc_malloc", "tc_free"}};
  std::vector<Library> libraries;
  for (const Known& known : kKnown) {
    void* handle = dlopen(known.file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (handle == nullptr) {
      std::fprintf(stderr, "%s is left out: %s\n", known.name, dlerror());
      continue;
    }
    Library library{known.name, nullptr, nullptr};
    library.allocate = reinterpret_cast<void* (*)(std::size_t)>(dlsym(handle, known.allocate));
    library.free = reinterpret_cast<void (*)(void*)>(dlsym(handle, known.free));
    if (library.allocate != nullptr && library.free != nullptr) libraries.push_back(library);
  }
  return libraries;
}

}  // namespace forebay::bench
