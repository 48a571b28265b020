// What the calling thread is told of its failures: the last code, and the text of all of them.
#pragma once

#include <string>

#include "acl/acl.h"
#include "forebay/status.h"

namespace forebay::acl {

// Remembers a failure of `call` for the calling thread and returns its code.
aclError Fail(const char* call, const Status& failure) noexcept;
// Tells of something that the program should know though the call succeeds: as a message and in the log.
void Warn(const char* call, const std::string& text) noexcept;
// One store of texts for the whole process instead of one per thread (err_msg_mode 1).
void SetMessagesPerProcess(bool per_process);

}  // namespace forebay::acl
