#include "kernel_imports.h"

#include <algorithm>

namespace forebay::runtime {
namespace {

// Memory and strings.
constexpr std::string_view kFunctions[] = {
    "bcmp",      "memccpy", "memchr",  "memcmp",  "memcpy",  "memmem",    "memmove", "mempcpy", "memrchr", "memset",
    "rawmemchr", "stpcpy",  "stpncpy", "strcat",  "strchr",  "strchrnul", "strcmp",  "strcpy",  "strcspn", "strlen",
    "strncat",   "strncmp", "strncpy", "strnlen", "strpbrk", "strrchr",   "strspn",  "strstr",
};

// Mathematics. Each also exists for float, with an "f" behind it, and for long double, with an "l".
constexpr std::string_view kMathFunctions[] = {
    "acos",    "acosh",     "asin",      "asinh",      "atan",  "atan2",     "atanh",  "cbrt",  "ceil",   "copysign",
    "cos",     "cosh",      "erf",       "erfc",       "exp",   "exp10",     "exp2",   "expm1", "fabs",   "fdim",
    "floor",   "fma",       "fmax",      "fmin",       "fmod",  "frexp",     "hypot",  "ilogb", "ldexp",  "lgamma",
    "llrint",  "llround",   "log",       "log10",      "log1p", "log2",      "logb",   "lrint", "lround", "modf",
    "nan",     "nearbyint", "nextafter", "nexttoward", "pow",   "remainder", "remquo", "rint",  "round",  "roundeven",
    "scalbln", "scalbn",    "sin",       "sincos",     "sinh",  "sqrt",      "tan",    "tanh",  "tgamma", "trunc",
    "j0",      "j1",        "jn",        "y0",         "y1",    "yn",
};

// Classification of numbers, under the names that the C library's macros use.
constexpr std::string_view kMathHelpers[] = {
    "__finite",  "__finitef",  "__finitel",  "__fpclassify", "__fpclassifyf", "__fpclassifyl",
    "__isinf",   "__isinff",   "__isinfl",   "__isnan",      "__isnanf",      "__isnanl",
    "__signbit", "__signbitf", "__signbitl", "finite",       "isinf",         "isnan",
};

constexpr std::string_view kLibraries[] = {
    "libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
};

template <typename Table>
bool Contains(const Table& table, std::string_view name) noexcept {
  return std::find(std::begin(table), std::end(table), name) != std::end(table);
}

}  // namespace

bool IsAllowedImport(std::string_view symbol) noexcept {
  if (Contains(kFunctions, symbol) || Contains(kMathFunctions, symbol) || Contains(kMathHelpers, symbol)) return true;
  if (symbol.ends_with('f') || symbol.ends_with('l')) {
    symbol.remove_suffix(1);
    return Contains(kMathFunctions, symbol);
  }
  return false;
}

bool IsRuntimeSymbol(std::string_view symbol) noexcept {
  // C++ names are mangled: a namespace is its length and its name.
  return symbol.starts_with("acl") || symbol.starts_with("forebay_") ||
         symbol.find("7forebay") != std::string_view::npos;
}

bool IsAllowedLibrary(std::string_view name) noexcept { return Contains(kLibraries, name); }

}  // namespace forebay::runtime
