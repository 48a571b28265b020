#include "exception/exception_module.h"

#include <fmt/format.h>

#include <cstdio>

#include "callback/host_function_threads.h"
#include "exception/exception_callbacks.h"
#include "forebay/base/log.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "memory/check/memory_reports.h"

namespace forebay::runtime {
namespace {

// Nobody waits for the news of a task or device that failed: the log hears of it here, and not again from the calls
// that return it.
Status Logged(base::LogModule module, Error error) {
  error.is_logged = true;
  Status status(std::move(error));
  if (base::IsLogged(module, base::LogLevel::kError)) base::Log(module, base::LogLevel::kError, status.ToString());
  return status;
}

}  // namespace

void ExceptionModule::OnTaskFailed(const sip::FaultReport& report) {
  Stream* stream = Streams().Find(device_->StreamAtSlot(report.stream));
  if (stream == nullptr) return;  // destroyed by force meanwhile
  Error error;
  error.code = report.code;
  error.message = report.message;
  if (const std::string fault = MemoryReports::Get().FindFault(report); !fault.empty()) error.message += "; " + fault;
  error.advice = report.advice;
  error.device = device_->id();
  error.stream = static_cast<int32_t>(report.stream);
  error.task = report.task;
  error.block = report.block;
  if (report.from_kernel) error.kernel = device_->KernelName(report.image, report.function);
  if (report.from_dependency) {
    error.message = fmt::format("dependency failed: {}", error.message);
    if (Stream* other = Streams().Find(device_->StreamAtSlot(report.other_stream)))
      error.cause = other->QueryFailure().error();
  }
  stream->RecordFailure(Logged(base::LogModule::kRuntime, std::move(error)), report.severity);
  if (report.from_kernel) device_->NoteKernelFailure();
  NotifyTaskFailure(*device_, *stream, report);
}

void ExceptionModule::OnDeviceFailed(const sip::FaultReport& report) {
  Error error;
  error.code = report.code;
  error.message = report.message;
  error.advice = report.advice;
  error.device = device_->id();
  const bool is_news = !device_->is_failed();
  device_->Fail(is_news ? Logged(base::LogModule::kDriver, std::move(error)) : Status(std::move(error)),
                report.severity, report.address);
  if (is_news) NotifyDeviceFailure();
  device_->NoteFailureTold();
}

void ExceptionModule::OnHostFunction(uint32_t slot, uint64_t entry) {
  const uint64_t handle = device_->StreamAtSlot(slot);
  Stream* stream = Streams().Find(handle);
  if (stream == nullptr) return;
  stream->context().host_functions().Post(stream, [stream, handle, entry] {
    const auto finish = [stream, handle, entry] { stream->FinishHostFunction(handle, entry); };
    if (const auto function = stream->TakeHostFunction(handle, entry)) {
      function(finish);
    } else {
      finish();
    }
  });
}

void ExceptionModule::OnPrint(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace forebay::runtime
