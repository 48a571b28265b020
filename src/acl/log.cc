// The program's own lines in the log.
#include "forebay/base/log.h"

#include <fmt/format.h>

#include <cstdarg>
#include <cstdio>
#include <string>

#include "guard.h"

using namespace forebay::acl;  // NOLINT(google-build-using-namespace)
using forebay::base::LogLevel;
using forebay::base::LogModule;

namespace {

constexpr std::size_t kLongestText = 1024;

}  // namespace

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt, ...) {
  if (fmt == nullptr || logLevel < ACL_DEBUG || logLevel > ACL_ERROR) return;
  const auto level = static_cast<LogLevel>(logLevel);
  if (!forebay::base::IsLogged(LogModule::kApplication, level)) return;
  char text[kLongestText + 1];
  va_list arguments;
  va_start(arguments, fmt);
  const int length = std::vsnprintf(text, sizeof text, fmt, arguments);
  va_end(arguments);
  if (length < 0) return;
  Quietly([&] {
    std::string name = file != nullptr ? file : "";
    if (const auto slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
    forebay::base::Log(LogModule::kApplication, level,
                       fmt::format("{}: {}", func != nullptr ? func : "", static_cast<const char*>(text)), name.c_str(),
                       static_cast<int>(line));
  });
}
