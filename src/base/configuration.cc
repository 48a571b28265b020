#include "forebay/base/configuration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <utility>

#include "forebay/base/injection.h"
#include "forebay/base/macros.h"
#include "forebay/base/soc_profile.h"

namespace forebay::base {
namespace {

Status BadValue(std::string_view name, std::string_view value, std::string_view source, std::string expected) {
  return Status(Code::kInvalidParam, fmt::format("parameter {} from {} has the value \"{}\"", name, source, value),
                fmt::format("Expected {}", expected));
}

Status SetInteger(int64_t& field, std::string_view name, std::string_view value, std::string_view source,
                  int64_t lowest, int64_t highest, std::string_view unit) {
  int64_t parsed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (error != std::errc() || end != value.data() + value.size() || parsed < lowest || parsed > highest) {
    return BadValue(name, value, source, fmt::format("a whole number from {} to {} ({})", lowest, highest, unit));
  }
  field = parsed;
  return {};
}

Status SetText(std::string& field, std::string_view name, std::string_view value, std::string_view source,
               std::string_view allowed) {
  const std::string choices = fmt::format("|{}|", allowed);
  const bool is_choice =
      value.find('|') == std::string_view::npos && choices.find(fmt::format("|{}|", value)) != std::string::npos;
  if (!allowed.empty() && !is_choice) {
    return BadValue(name, value, source, fmt::format("one of {}", allowed));
  }
  field = value;
  return {};
}

constexpr std::string_view kVariablePrefix = "FOREBAY_";

std::string InUpperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

// How many letters have to be put in, left out or changed to make one of the other.
std::size_t Distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t change = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

const std::string& Nearest(std::string_view name, const std::vector<std::string>& known) {
  return *std::min_element(known.begin(), known.end(), [name](const std::string& one, const std::string& other) {
    return Distance(name, one) < Distance(name, other);
  });
}

bool ParseSeed(std::string_view text, uint64_t* seed) {
  constexpr std::string_view kPrefix = "seed:";
  if (text.substr(0, kPrefix.size()) != kPrefix) return false;
  text.remove_prefix(kPrefix.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *seed);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Status Configuration::Set(std::string_view key, std::string_view value, std::string_view source) {
  if (key == "queue_depth") {
    Configuration trial;
    RETURN_IF_ERROR(SetInteger(trial.queue_depth, key, value, source, 64, 65536, "entries"));
    if ((trial.queue_depth & (trial.queue_depth - 1)) != 0) return BadValue(key, value, source, "a power of two");
  }
  if (key == "soc" && FindSocProfile(value) == nullptr) return BadValue(key, value, source, "one of " + SocNames());
  uint64_t seed = 0;
  if (key == "schedule" && !value.empty() && !ParseSeed(value, &seed)) {
    return BadValue(key, value, source, "seed:N with a whole number N, or nothing");
  }
  if (key == "dump_signal") {
    Configuration trial;
    RETURN_IF_ERROR(SetInteger(trial.dump_signal, key, value, source, 0, 31, "signal"));
    for (const int fault : {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGSEGV, SIGSTOP}) {
      if (trial.dump_signal == fault)
        return BadValue(key, value, source, "a signal that a program may use, as SIGUSR1");
    }
  }
  if (key == "inject") RETURN_IF_ERROR(ParseInjections(value).status());
#define FOREBAY_INTEGER(name, default_value, lowest, highest, unit, meaning) \
  if (key == #name) return SetInteger(name, key, value, source, lowest, highest, unit);
#define FOREBAY_TEXT(name, default_value, allowed, meaning) \
  if (key == #name) return SetText(name, key, value, source, allowed);
#include "forebay/base/parameters.def"
#undef FOREBAY_INTEGER
#undef FOREBAY_TEXT
  std::vector<std::string> known;
  for (const ParameterRow& row : ParameterTable()) known.push_back(row.name);
  return Status(Code::kInvalidParam, fmt::format("there is no parameter \"{}\" ({})", key, source),
                fmt::format("Is it {}? docs/configuration.md lists them all", Nearest(key, known)));
}

Status Configuration::ApplyEnvironment() {
  std::vector<std::string> known;
  for (const ParameterRow& row : ParameterTable()) {
    const std::string& variable = known.emplace_back(std::string(kVariablePrefix) + InUpperCase(row.name));
    if (const char* value = std::getenv(variable.c_str())) RETURN_IF_ERROR(Set(row.name, value, variable));
  }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (!variable.starts_with(kVariablePrefix) || std::find(known.begin(), known.end(), variable) != known.end())
      continue;
    return Status(Code::kInvalidParam, fmt::format("the environment has {}, but there is no such parameter", variable),
                  fmt::format("Unset it, or use {}; docs/configuration.md lists them all", Nearest(variable, known)));
  }
  if (const char* value = std::getenv("ASCEND_LAUNCH_BLOCKING")) {
    RETURN_IF_ERROR(Set("launch_blocking", value, "ASCEND_LAUNCH_BLOCKING"));
  }
  if (const char* value = std::getenv("ASCEND_RT_VISIBLE_DEVICES")) {
    RETURN_IF_ERROR(Set("visible_devices", value, "ASCEND_RT_VISIBLE_DEVICES"));
  }
  return {};
}

bool Configuration::ScheduleSeed(uint64_t* seed) const { return ParseSeed(schedule, seed); }

std::vector<ParameterRow> ParameterTable() {
  return {
#define FOREBAY_INTEGER(name, default_value, lowest, highest, unit, meaning)                                         \
  {#name, fmt::format("{}", int64_t{default_value}), fmt::format("{}..{}", int64_t{lowest}, int64_t{highest}), unit, \
   meaning},
#define FOREBAY_TEXT(name, default_value, allowed, meaning) {#name, default_value, allowed, "text", meaning},
#include "forebay/base/parameters.def"
#undef FOREBAY_INTEGER
#undef FOREBAY_TEXT
  };
}

}  // namespace forebay::base
