// Status, Result and Error: how every layer says what went wrong.
//
// Success costs nothing: a Status that is OK holds a null pointer. A failure owns an immutable Error that names the
// cause in words. Copies share it. Nothing in Forebay throws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace forebay {

// Result codes. The numbers are AscendCL's; codes.def is the table.
enum class Code : int32_t {
#define FOREBAY_CODE(enumerator, number, name, meaning) enumerator = number,
#include "forebay/codes.def"
#undef FOREBAY_CODE
};

// The AscendCL name of a code, such as "ACL_ERROR_RT_STREAM_CONTEXT"; "unknown code" for a number not in the table.
std::string_view CodeName(Code code) noexcept;
// What a code means, in one plain sentence without its full stop.
std::string_view CodeMeaning(Code code) noexcept;

// What is known of one failure. Fields that do not apply keep their defaults and are left out of the text.
struct Error {
  Code code = Code::kInternal;
  std::string message;     // what happened, with the name and the value of what was wrong
  std::string advice;      // what to do next
  std::string call;        // the interface function that was called
  std::string kernel;      // the kernel that ran
  int32_t device = -1;     // device id
  int32_t stream = -1;     // stream id
  int64_t task = -1;       // number of the task on its stream, from 0
  int32_t block = -1;      // block of the kernel that failed first
  bool is_logged = false;  // the log has a line that tells of it
  // The call stack of the task's submit, the call of the runtime first, while the parameter submit_sites asks for it.
  std::vector<std::string> submit_site;
  std::shared_ptr<const Error> cause;  // the earlier failure this one follows from
};

// Success, or a shared immutable Error. Thread safety: as a shared_ptr, copies may be used by several threads.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(Code code, std::string message, std::string advice = {});
  explicit Status(Error error) : error_(std::make_shared<const Error>(std::move(error))) {}
  explicit Status(std::shared_ptr<const Error> error) noexcept : error_(std::move(error)) {}

  bool ok() const noexcept { return error_ == nullptr; }
  Code code() const noexcept { return error_ ? error_->code : Code::kSuccess; }
  // Null when ok.
  const std::shared_ptr<const Error>& error() const noexcept { return error_; }
  // "ok", or the whole story: number, name, place, what happened, what to do, and the cause below it.
  std::string ToString() const;
  // The same failure with one field filled in, where it is still empty. No effect on success.
  Status WithCall(std::string_view call) const;
  // Ignores the outcome on purpose, where no one is left to tell.
  void IgnoreError() const noexcept {}

 private:
  std::shared_ptr<const Error> error_;
};
static_assert(sizeof(Status) <= 16);

// A value, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                    // NOLINT(google-explicit-constructor)
  Result(Status failure) noexcept : status_(std::move(failure)) {  // NOLINT(google-explicit-constructor)
    if (status_.ok()) status_ = Status(Code::kInternal, "a Result was made from a success without a value");
  }

  bool ok() const noexcept { return value_.has_value(); }
  const Status& status() const noexcept { return status_; }
  Code code() const noexcept { return status_.code(); }
  // The value. Only when ok().
  T& operator*() & noexcept { return *value_; }
  const T& operator*() const& noexcept { return *value_; }
  T&& operator*() && noexcept { return std::move(*value_); }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace forebay
#pragma GCC visibility pop
