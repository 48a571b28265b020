#include "forebay/status.h"

#include <fmt/format.h>

#include <iterator>

namespace forebay {
namespace {

struct CodeRow {
  Code code;
  std::string_view name;
  std::string_view meaning;
};

constexpr CodeRow kCodes[] = {
#define FOREBAY_CODE(enumerator, number, name, meaning) {Code::enumerator, name, meaning},
#include "forebay/codes.def"
#undef FOREBAY_CODE
};

const CodeRow* FindCode(Code code) noexcept {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

void Append(std::string& text, const Error& error) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{} {}: {}", static_cast<int32_t>(error.code), CodeName(error.code), error.message);
  std::string place;
  auto put = std::back_inserter(place);
  if (!error.call.empty()) fmt::format_to(put, ", call {}", error.call);
  if (error.device >= 0) fmt::format_to(put, ", device {}", error.device);
  if (error.stream >= 0) fmt::format_to(put, ", stream {}", error.stream);
  if (error.task >= 0) fmt::format_to(put, ", task {}", error.task);
  if (!error.kernel.empty()) fmt::format_to(put, ", kernel {}", error.kernel);
  if (error.block >= 0) fmt::format_to(put, ", block {}", error.block);
  if (!place.empty()) fmt::format_to(out, " [{}]", std::string_view(place).substr(2));
  if (!error.advice.empty()) fmt::format_to(out, ". {}", error.advice);
  for (std::size_t i = 0; i < error.submit_site.size(); ++i) {
    fmt::format_to(out, "{}{}", i == 0 ? "\n  submitted by: " : " < ", error.submit_site[i]);
  }
  if (error.cause) {
    text += "\n  caused by: ";
    Append(text, *error.cause);
  }
}

}  // namespace

std::string_view CodeName(Code code) noexcept {
  const CodeRow* row = FindCode(code);
  return row ? row->name : "unknown code";
}

std::string_view CodeMeaning(Code code) noexcept {
  const CodeRow* row = FindCode(code);
  return row ? row->meaning : "a code that this runtime does not give";
}

Status::Status(Code code, std::string message, std::string advice) {
  if (code == Code::kSuccess) return;
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.advice = std::move(advice);
  error_ = std::make_shared<const Error>(std::move(error));
}

std::string Status::ToString() const {
  if (ok()) return "ok";
  std::string text;
  Append(text, *error_);
  return text;
}

Status Status::WithCall(std::string_view call) const {
  if (ok() || !error_->call.empty()) return *this;
  Error error = *error_;
  error.call = call;
  return Status(std::move(error));
}

}  // namespace forebay
