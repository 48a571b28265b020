#include "forebay/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/unique_fd.h"

namespace forebay::base {
namespace {

using spdlog::level::level_enum;

constexpr std::array kModules = {"APP", "ASCENDCL", "DRV", "RUNTIME"};
constexpr std::array kLevels = {level_enum::debug, level_enum::info, level_enum::warn, level_enum::err,
                                level_enum::critical};
constexpr level_enum kEventLevel = level_enum::critical;
constexpr level_enum kDefaultLevel = level_enum::err;
constexpr std::size_t kMostFileBytes = std::size_t{20} << 20;

std::string TextOf(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

// False unless the text is a level of CANN.
bool ParseLevel(std::string_view text, level_enum* level) {
  if (text.size() != 1 || text[0] < '0' || text[0] > '4') return false;
  *level = text[0] == '4' ? level_enum::off : kLevels[static_cast<std::size_t>(text[0] - '0')];
  return true;
}

using ModuleLevels = std::map<std::string, level_enum, std::less<>>;

// "RUNTIME=0:DRV=1". Modules that there are not are those of other software; what is not well formed counts for
// nothing.
ModuleLevels ParseModuleLevels(std::string_view text) {
  ModuleLevels levels;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const std::string_view module = pair.substr(0, equals);
    const bool is_name = !module.empty() && std::ranges::all_of(module, [](char c) {
      return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    level_enum level{};
    if (!is_name || equals == std::string_view::npos || !ParseLevel(pair.substr(equals + 1), &level)) return {};
    levels[std::string(module)] = level;
  }
  return levels;
}

std::size_t ParseFileCount(std::string_view text) {
  constexpr std::size_t kDefault = 10;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && count >= 1 && count <= 1000 ? count : kDefault;
}

std::string TimeText(spdlog::log_clock::time_point time, const char* format) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  const time_t seconds = us / 1'000'000;
  tm local{};
  localtime_r(&seconds, &local);
  char text[32];
  const std::size_t length = strftime(text, sizeof text, format, &local);
  return fmt::format("{}.{:03}.{:03}", std::string_view(text, length), us / 1000 % 1000, us % 1000);
}

// [ERROR] RUNTIME(4711,program):2026-01-31-12:00:00.123.456 [file.cc:12]4711 text
class LineFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    constexpr const char* kNames[] = {"", "DEBUG", "INFO", "WARNING", "ERROR", "EVENT"};
    const std::size_t begin = line.size();
    auto out = fmt::appender(line);
    fmt::format_to(out, "[{}] {}({},{}):{} [", kNames[message.level], message.logger_name, getpid(),
                   program_invocation_short_name, TimeText(message.time, "%Y-%m-%d-%H:%M:%S"));
    if (!message.source.empty()) fmt::format_to(out, "{}:{}", message.source.filename, message.source.line);
    // A thread that forked has another number in the child, so it is asked for.
    fmt::format_to(out, "]{} {}", gettid(), message.payload);
    // What is one message stays one line.
    std::replace(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), '\n', ' ');
    line.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<LineFormatter>(); }
};

// Files of one process, one after the other. Their lines are complete at any moment, whatever becomes of the process.
class ProcessFiles final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  ProcessFiles(std::filesystem::path directory, std::size_t most_files)
      : directory_(std::move(directory)), most_files_(most_files) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    // A child of fork has files of its own.
    if (process_ != getpid()) {
      process_ = getpid();
      names_.clear();
      OpenNext(message.time);
    }
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (bytes_ > 0 && bytes_ + line.size() > kMostFileBytes) OpenNext(message.time);
    bytes_ += line.size();
    for (std::string_view rest(line.data(), line.size()); file_.get() >= 0 && !rest.empty();) {
      const ssize_t written = write(file_.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void flush_() override {}

 private:
  void OpenNext(spdlog::log_clock::time_point time) {
    std::error_code ignored;
    std::filesystem::create_directories(directory_, ignored);
    const std::filesystem::path name =
        directory_ / fmt::format("plog-{}_{}.log", process_, TimeText(time, "%Y%m%d%H%M%S"));
    file_ = UniqueFd(open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
    bytes_ = 0;
    names_.push_back(name);
    for (; names_.size() > most_files_; names_.pop_front()) std::filesystem::remove(names_.front(), ignored);
  }

  const std::filesystem::path directory_;
  const std::size_t most_files_;
  pid_t process_ = -1;
  UniqueFd file_;
  std::size_t bytes_ = 0;
  std::deque<std::filesystem::path> names_;
};

class Loggers {
 public:
  static Loggers& Get() {
    static NeverDestroyed<Loggers> instance;
    return *instance;
  }

  Loggers() {
    for (const char* module : kModules) {
      // Lines of events have a destination of their own.
      for (auto* loggers : {&loggers_, &event_loggers_}) {
        loggers->emplace_back(module);
        loggers->back().set_error_handler([](const std::string&) {});
      }
    }
    // No lock is held in a child by a thread that it does not have.
    pthread_atfork([] { Get().Lock(); }, [] { Get().Unlock(); }, [] { Get().Unlock(); });
    ReadSettings();
  }

  void ReadSettings() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const bool on_stdout = TextOf("ASCEND_SLOG_PRINT_TO_STDOUT") == "1";
    std::string directory = TextOf("ASCEND_PROCESS_LOG_PATH");
    if (const std::string work = TextOf("ASCEND_WORK_PATH"); directory.empty() && !work.empty())
      directory = work + "/log";
    const bool is_quiet = !on_stdout && directory.empty();
    level_enum global = kDefaultLevel;
    ParseLevel(TextOf("ASCEND_GLOBAL_LOG_LEVEL"), &global);
    const ModuleLevels levels = ParseModuleLevels(TextOf("ASCEND_MODULE_LOG_LEVEL"));
    const bool has_events = TextOf("ASCEND_GLOBAL_EVENT_ENABLE") != "0";
    const auto set = [&](std::vector<spdlog::logger>& loggers, const spdlog::sink_ptr& sink) {
      sink->set_formatter(std::make_unique<LineFormatter>());
      for (spdlog::logger& logger : loggers) logger.sinks() = {sink};
    };
    if (on_stdout) {
      const auto sink = std::make_shared<spdlog::sinks::stdout_sink_st>();
      set(loggers_, sink);
      set(event_loggers_, sink);
    } else {
      const std::size_t files = ParseFileCount(TextOf("ASCEND_HOST_LOG_FILE_NUM"));
      const std::filesystem::path root(directory);
      set(loggers_, std::make_shared<ProcessFiles>(root / "debug" / "plog", files));
      set(event_loggers_, std::make_shared<ProcessFiles>(root / "run" / "plog", files));
    }
    for (std::size_t i = 0; i < kModules.size(); ++i) {
      const auto own = levels.find(kModules[i]);
      loggers_[i].set_level(is_quiet ? level_enum::off : own != levels.end() ? own->second : global);
      event_loggers_[i].set_level(is_quiet || !has_events ? level_enum::off : kEventLevel);
    }
  }

  bool IsLogged(LogModule module, LogLevel level) const noexcept {
    return Of(module, level).should_log(kLevels[static_cast<std::size_t>(level)]);
  }

  void Write(LogModule module, LogLevel level, std::string_view text, const char* file, int line) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    WriteLocked(module, level, text, file, line);
  }
  void WriteLines(LogModule module, LogLevel level, std::string_view text) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      WriteLocked(module, level, line, nullptr, 0);
    }
  }

 private:
  void WriteLocked(LogModule module, LogLevel level, std::string_view text, const char* file, int line)
      REQUIRES(mutex_) {
    const spdlog::source_loc place = file != nullptr ? spdlog::source_loc(file, line, "") : spdlog::source_loc();
    const_cast<spdlog::logger&>(Of(module, level))
        .log(place, kLevels[static_cast<std::size_t>(level)], spdlog::string_view_t(text.data(), text.size()));
  }
  void Lock() NO_THREAD_SAFETY_ANALYSIS { mutex_.Lock(); }
  void Unlock() NO_THREAD_SAFETY_ANALYSIS { mutex_.Unlock(); }
  const spdlog::logger& Of(LogModule module, LogLevel level) const noexcept {
    return (level == LogLevel::kEvent ? event_loggers_ : loggers_)[static_cast<std::size_t>(module)];
  }

  // Over the settings and the lines: a line is whole before the next begins.
  Mutex mutex_;
  // By module; their levels may be read without the lock.
  std::vector<spdlog::logger> loggers_;
  std::vector<spdlog::logger> event_loggers_;
};

}  // namespace

void ReadLogSettings() { Loggers::Get().ReadSettings(); }

bool IsLogged(LogModule module, LogLevel level) noexcept {
  try {
    return Loggers::Get().IsLogged(module, level);
  } catch (...) {
    return false;
  }
}

void Log(LogModule module, LogLevel level, std::string_view text, const char* file, int line) noexcept {
  try {
    Loggers& loggers = Loggers::Get();
    if (loggers.IsLogged(module, level)) loggers.Write(module, level, text, file, line);
  } catch (...) {  // NOLINT(bugprone-empty-catch): nobody is left to tell
  }
}

void LogLines(LogModule module, LogLevel level, std::string_view text) noexcept {
  try {
    Loggers& loggers = Loggers::Get();
    if (loggers.IsLogged(module, level)) loggers.WriteLines(module, level, text);
  } catch (...) {  // NOLINT(bugprone-empty-catch): nobody is left to tell
  }
}

}  // namespace forebay::base
