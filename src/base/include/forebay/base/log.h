// The log: one line each, on standard output or in files of the process, as the variables of CANN say.
//
//   ASCEND_GLOBAL_LOG_LEVEL     0 debug, 1 info, 2 warning, 3 error (default), 4 nothing
//   ASCEND_MODULE_LOG_LEVEL     levels of single modules, such as RUNTIME=0:DRV=1; when it is not well formed, none
//   counts ASCEND_GLOBAL_EVENT_ENABLE  0: no lines of events, such as a device that starts; 1: with them (default)
//   ASCEND_SLOG_PRINT_TO_STDOUT 1: on standard output
//   ASCEND_PROCESS_LOG_PATH     a directory: in files of the process below it; else below ASCEND_WORK_PATH/log
//   ASCEND_HOST_LOG_FILE_NUM    how many files of 20 MiB a process keeps, 1 to 1000 (10); the oldest goes first
//
// Without a place to go to there is no log. The variables are read when the first line is asked for, and by
// ReadLogSettings. A failure is one line, where it is handled: of a call at the C boundary, of a task or a device where
// the runtime hears of it. Any thread may write lines at any time, in static destructors and forked children too. A
// line is written with a system call: not where every microsecond counts.
#pragma once

#include <cstdint>
#include <string_view>

namespace forebay::base {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kEvent };
// Whose line it is, in the words of CANN.
enum class LogModule : uint8_t { kApplication, kAscendCl, kDriver, kRuntime };

void ReadLogSettings();
// Whether a line goes anywhere: for those who would build its text in vain.
bool IsLogged(LogModule module, LogLevel level) noexcept;
// Writes one line, unless the settings are against it. Never fails: where nothing can be written, nothing is. `file`
// and `line` are of the code that says it; null: it does not matter.
void Log(LogModule module, LogLevel level, std::string_view text, const char* file = nullptr, int line = 0) noexcept;
// Writes each line of a text as a line of its own, with none of others between them.
void LogLines(LogModule module, LogLevel level, std::string_view text) noexcept;

}  // namespace forebay::base
