// What a kernel may call outside of its binary. A core leaves a kernel that fails by a jump, wherever it is, so a
// kernel must not be inside a function that holds a lock or owns memory.
#pragma once

#include <string_view>

namespace forebay::runtime {

// Whether a kernel may import the symbol: a memory or string function, or one of the mathematics library.
bool IsAllowedImport(std::string_view symbol) noexcept;
// Whether the symbol belongs to the host's runtime: AscendCL or Forebay itself.
bool IsRuntimeSymbol(std::string_view symbol) noexcept;
// Whether a kernel may need the shared library.
bool IsAllowedLibrary(std::string_view name) noexcept;

}  // namespace forebay::runtime
