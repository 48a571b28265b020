#include "messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "forebay/base/log.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/per_thread.h"
#include "guard.h"

namespace forebay::acl {
namespace {

// More than this many unread texts are of no use to anyone: the oldest go.
constexpr std::size_t kMostTexts = 64;

class Texts {
 public:
  void Add(std::string text) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    texts_.push_front(std::move(text));
    if (texts_.size() > kMostTexts) texts_.pop_back();
  }
  void Clear() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    texts_.clear();
  }
  // All texts, newest first, each given once. Null when there are none. Valid until the next call.
  const char* Take() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (texts_.empty()) return nullptr;
    given_.clear();
    for (const std::string& text : texts_) given_ += text + "\n";
    texts_.clear();
    return given_.c_str();
  }

 private:
  base::Mutex mutex_;
  std::deque<std::string> texts_ GUARDED_BY(mutex_);
  std::string given_ GUARDED_BY(mutex_);
};

// The code has nothing to destroy, so that it serves until the very end of the thread.
thread_local aclError last_error = ACL_SUCCESS;

// Null when the thread is past keeping any.
Texts* OfThread() {
  static base::NeverDestroyed<base::PerThread<Texts>> texts;
  return texts->Get();
}

Texts& OfProcess() noexcept {
  static base::NeverDestroyed<Texts> texts;
  return *texts;
}

std::atomic<bool> per_process_texts{false};

Texts* CurrentTexts() { return per_process_texts.load(std::memory_order_relaxed) ? &OfProcess() : OfThread(); }

// The documented ids of the message classes.
struct IdRow {
  Code code;
  const char* id;
};
constexpr IdRow kIds[] = {
    {Code::kInvalidDeviceId, "EE1001"},
    {Code::kStreamSyncTimeout, "EE1002"},
    {Code::kEventSyncTimeout, "EE1002"},
    {Code::kReportTimeout, "EE1002"},
    {Code::kParamInvalid, "EE1003"},
    {Code::kFeatureNotSupport, "EE1005"},
    {Code::kStreamContext, "EE1010"},
    {Code::kModelContext, "EE1010"},
    {Code::kContextNull, "EE1010"},
    {Code::kInvalidHandle, "EE1011"},
    {Code::kBadAlloc, "EE1013"},
    {Code::kStreamTaskFull, "EE1019"},
    {Code::kMemoryAllocation, "EE1023"},
    {Code::kResourceAllocFail, "EE1023"},
    {Code::kNoEventResource, "EE1023"},
    {Code::kNoStreamResource, "EE1023"},
    {Code::kNoNotifyResource, "EE1023"},
    {Code::kInvalidParam, "EH0001"},
    {Code::kInvalidMaxOpQueueNumConfig, "EH0001"},
    {Code::kInvalidFile, "EH0003"},
    {Code::kParseFile, "EH0004"},
    {Code::kApiNotSupport, "EH0006"},
    {Code::kInvalidDumpConfig, "EP0001"},
};

// What the device reports of itself or of a task.
constexpr Code kDeviceFaults[] = {
    Code::kSchedulerError,
    Code::kLostHeartbeat,
    Code::kSystemDma,
    Code::kAicoreTimeout,
    Code::kAicoreException,
    Code::kAicoreTrap,
    Code::kAicoreTrapReadOverflow,
    Code::kAicoreTrapWriteOverflow,
    Code::kVectorCoreTimeout,
    Code::kVectorCoreException,
    Code::kVectorCoreTrap,
    Code::kVectorCoreTrapReadOverflow,
    Code::kVectorCoreTrapWriteOverflow,
    Code::kAicpuTimeout,
    Code::kAicpuException,
    Code::kAicpuDataDumpResponse,
    Code::kAicpuModelResponse,
    Code::kAicpuInfoLoadResponse,
    Code::kAicpuInternal,
    Code::kFftsPlusTimeout,
    Code::kFftsPlusException,
    Code::kFftsPlusTrap,
    Code::kDeviceMemoryError,
    Code::kHbmMultiBitEcc,
    Code::kSuspectDeviceMemory,
    Code::kSuspectRemote,
    Code::kLinkError,
    Code::kL3PortError,
    Code::kSocketClose,
    Code::kCcuTimeout,
    Code::kCcuException,
};

const char* IdOf(std::string_view call, const Error& error) noexcept {
  if (std::string_view(error.message).ends_with(kIsNull))
    return error.code == Code::kInvalidParam ? "EH0002" : "EE1004";
  // What is wrong with a kernel binary is its contents.
  if (error.code == Code::kParamInvalid && call.starts_with("aclrtBinaryLoad")) return "EE1014";
  for (const IdRow& row : kIds) {
    if (row.code == error.code) return row.id;
  }
  const bool is_fault =
      std::find(std::begin(kDeviceFaults), std::end(kDeviceFaults), error.code) != std::end(kDeviceFaults);
  return is_fault ? "EZ2001" : "EE9999";
}

// The failure in one line. Below it, where it comes from: where its task was submitted, and what it follows from.
std::string TextOf(const char* call, const Status& failure) {
  constexpr const char* kIndent = "\n        ";
  Error top = *failure.WithCall(call).error();
  const std::vector<std::string> stack = std::exchange(top.submit_site, {});
  std::shared_ptr<const Error> cause = std::exchange(top.cause, nullptr);
  const char* id = IdOf(call, top);
  std::string text = fmt::format("{}: {}", id, Status(std::move(top)).ToString());
  if (!stack.empty() || cause) text += fmt::format("{}TraceBack (most recent call last):", kIndent);
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) text += kIndent + *frame;
  while (cause) {
    Error below = *cause;
    cause = std::exchange(below.cause, nullptr);
    text += fmt::format("{}caused by: {}", kIndent, Status(std::move(below)).ToString());
  }
  return text;
}

// For the program to ask for, and in the log.
void Remember(base::LogLevel level, const std::string& text) {
  base::Log(base::LogModule::kAscendCl, level, text);
  if (Texts* texts = CurrentTexts()) texts->Add(text);
}

}  // namespace

void SetMessagesPerProcess(bool per_process) {
  // What nobody read is of an earlier start.
  OfProcess().Clear();
  per_process_texts.store(per_process, std::memory_order_relaxed);
}

aclError Fail(const char* call, const Status& failure) noexcept {
  const auto code = static_cast<aclError>(failure.code());
  last_error = code;
  // Without memory for the text the code has to do.
  Quietly([&] {
    // Of a task or a device that failed the log has a line already.
    const auto level = failure.error()->is_logged ? base::LogLevel::kInfo : base::LogLevel::kError;
    Remember(level, TextOf(call, failure));
  });
  return code;
}

void Warn(const char* call, const std::string& text) noexcept {
  Quietly([&] { Remember(base::LogLevel::kWarning, fmt::format("WE0001: {} [call {}]", text, call)); });
}

}  // namespace forebay::acl

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  if (level != ACL_RT_THREAD_LEVEL) {
    return Guard("aclrtGetLastError", [&] {
      return Status(Code::kInvalidParam, fmt::format("there is no level {}", static_cast<int>(level)),
                    "Use ACL_RT_THREAD_LEVEL");
    });
  }
  return std::exchange(last_error, ACL_SUCCESS);
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  if (level != ACL_RT_THREAD_LEVEL) {
    return Guard("aclrtPeekAtLastError", [&] {
      return Status(Code::kInvalidParam, fmt::format("there is no level {}", static_cast<int>(level)),
                    "Use ACL_RT_THREAD_LEVEL");
    });
  }
  return last_error;
}

const char* aclGetRecentErrMsg(void) {
  const char* text = nullptr;
  Quietly([&] {
    Texts* texts = CurrentTexts();
    if (texts != nullptr) text = texts->Take();
  });
  return text;
}
