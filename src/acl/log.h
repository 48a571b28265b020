// The log: lines on standard output or in a file, as the variables of CANN say.
//
//   ASCEND_GLOBAL_LOG_LEVEL     0 debug, 1 info, 2 warning, 3 error (default), 4 nothing
//   ASCEND_SLOG_PRINT_TO_STDOUT 1: on standard output
//   ASCEND_PROCESS_LOG_PATH     a directory: in a file of the process below it; else below ASCEND_WORK_PATH/log
//
// Without a place to go to there is no log. The variables are read when the first line is, and again by aclInit.
#pragma once

#include <string_view>

#include "acl/acl.h"

namespace forebay::acl {

void ReadLogSettings();
// Whether a line of that level goes anywhere.
bool IsLogged(aclLogLevel level) noexcept;
// Writes one line. `module` says whose it is, `place` where it comes from, such as "file.cc:12"; it may be empty.
void Log(aclLogLevel level, std::string_view module, std::string_view place, std::string_view text);

}  // namespace forebay::acl
