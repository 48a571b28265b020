#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/unique_fd.h"
#include "guard.h"

namespace forebay::acl {
namespace {

constexpr int kNothing = 4;
constexpr std::size_t kLongestText = 1024;

// -1: not read yet. Nothing is logged below it.
std::atomic<int> lowest_level{-1};

std::string TextOf(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

std::string TimeText(const char* format) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  char text[32];
  const std::size_t length = strftime(text, sizeof text, format, &local);
  return fmt::format("{}.{:03}.{:03}", std::string_view(text, length), now.tv_nsec / 1'000'000,
                     now.tv_nsec / 1000 % 1000);
}

class Destination {
 public:
  static Destination& Get() {
    static base::NeverDestroyed<Destination> instance;
    return *instance;
  }

  void ReadSettings() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    const std::string level = TextOf("ASCEND_GLOBAL_LOG_LEVEL");
    int lowest = level.size() == 1 && level[0] >= '0' && level[0] <= '4' ? level[0] - '0' : int{ACL_ERROR};
    on_stdout_ = TextOf("ASCEND_SLOG_PRINT_TO_STDOUT") == "1";
    directory_ = TextOf("ASCEND_PROCESS_LOG_PATH");
    if (const std::string work = TextOf("ASCEND_WORK_PATH"); directory_.empty() && !work.empty())
      directory_ = work + "/log";
    if (!on_stdout_ && directory_.empty()) lowest = kNothing;
    file_.Close();
    process_ = -1;
    lowest_level.store(lowest, std::memory_order_release);
  }

  // Where nothing can be written, nothing is: a log must not make a call fail.
  void Write(std::string_view line) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (on_stdout_) {
      std::fwrite(line.data(), 1, line.size(), stdout);
      std::fflush(stdout);
      return;
    }
    // A child of fork has a file of its own.
    if (process_ != getpid()) OpenFile();
    while (file_.get() >= 0 && !line.empty()) {
      const ssize_t written = write(file_.get(), line.data(), line.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      line.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  void OpenFile() REQUIRES(mutex_) {
    process_ = getpid();
    const std::filesystem::path directory = std::filesystem::path(directory_) / "debug" / "plog";
    std::error_code ignored;
    std::filesystem::create_directories(directory, ignored);
    const std::string name = fmt::format("plog-{}_{}.log", process_, TimeText("%Y%m%d%H%M%S"));
    file_ = base::UniqueFd(open((directory / name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
  }

  base::Mutex mutex_;
  bool on_stdout_ GUARDED_BY(mutex_) = false;
  std::string directory_ GUARDED_BY(mutex_);
  pid_t process_ GUARDED_BY(mutex_) = -1;
  base::UniqueFd file_ GUARDED_BY(mutex_);
};

}  // namespace

void ReadLogSettings() { Destination::Get().ReadSettings(); }

bool IsLogged(aclLogLevel level) noexcept {
  if (lowest_level.load(std::memory_order_acquire) < 0) Quietly([] { ReadLogSettings(); });
  return static_cast<int>(level) >= lowest_level.load(std::memory_order_acquire);
}

void Log(aclLogLevel level, std::string_view module, std::string_view place, std::string_view text) {
  constexpr const char* kNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
  std::string line = fmt::format("[{}] {}({},{}):{} [{}]{} {}", kNames[level], module, getpid(),
                                 program_invocation_short_name, TimeText("%Y-%m-%d-%H:%M:%S"), place, gettid(), text);
  // What is one message stays one line.
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  Destination::Get().Write(line + "\n");
}

}  // namespace forebay::acl

using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt, ...) {
  if (fmt == nullptr || logLevel < ACL_DEBUG || logLevel > ACL_ERROR || !IsLogged(logLevel)) return;
  char text[kLongestText + 1];
  va_list arguments;
  va_start(arguments, fmt);
  const int length = std::vsnprintf(text, sizeof text, fmt, arguments);
  va_end(arguments);
  if (length < 0) return;
  Quietly([&] {
    const std::string path = file != nullptr ? file : "";
    Log(logLevel, "APP", fmt::format("{}:{}", path.substr(path.rfind('/') + 1), line),
        fmt::format("{}: {}", func != nullptr ? func : "", static_cast<const char*>(text)));
  });
}
