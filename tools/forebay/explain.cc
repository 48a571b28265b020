// forebay explain: what a code means, what usually leads to it, and what to do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "command.h"
#include "forebay/base/injection.h"
#include "forebay/status.h"

namespace forebay::tool {
namespace {

constexpr std::string_view kHelp =
    R"(Says of a code what it means, what usually leads to it, what to do about it, and how to provoke it.

  CODE         its number, or its name with or without ACL_ERROR_ or ACL_ERROR_RT_, in capitals or not
  without      lists all codes

Exit status: 0 done, 1 there is no such code, 2 wrong arguments.
)";

struct Explanation {
  Code code;
  std::string_view causes;
  std::string_view remedy;
};
constexpr Explanation kExplanations[] = {
#define FOREBAY_EXPLANATION(enumerator, causes, remedy) {Code::enumerator, causes, remedy},
#include "explanations.def"
#undef FOREBAY_EXPLANATION
};
constexpr Code kCodes[] = {
#define FOREBAY_CODE(enumerator, number, name, meaning) Code::enumerator,
#include "forebay/codes.def"
#undef FOREBAY_CODE
};
static_assert(std::ranges::equal(kCodes, kExplanations, {}, {}, &Explanation::code),
              "explanations.def has a row for every row of codes.def, in its order");

constexpr std::array<std::string_view, 2> kPrefixes = {"ACL_ERROR_RT_", "ACL_ERROR_"};

int32_t NumberOf(const Explanation& row) { return static_cast<int32_t>(row.code); }

std::string_view WithoutPrefix(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

std::string Capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return capitals;
}

bool IsNumber(std::string_view text, int32_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// Several when the short name is that of two codes.
std::vector<const Explanation*> Find(std::string_view text) {
  std::vector<const Explanation*> found;
  int32_t number = 0;
  const bool is_number = IsNumber(text, &number);
  const std::string name = Capitals(text);
  for (const Explanation& row : kExplanations) {
    const std::string_view own = CodeName(row.code);
    if (is_number ? NumberOf(row) == number : own == name) return {&row};
    if (WithoutPrefix(own) == name) found.push_back(&row);
  }
  return found;
}

// How many letters have to be put in, left out or changed to make one of the other.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

std::string Nearest(std::string_view text) {
  int32_t number = 0;
  const bool is_number = IsNumber(text, &number);
  const std::string name = Capitals(text);
  const auto distance = [&](const Explanation& row) -> std::size_t {
    if (is_number) return static_cast<std::size_t>(std::abs(int64_t{NumberOf(row)} - number));
    const std::string_view own = WithoutPrefix(CodeName(row.code));
    // A part of the name is nearer than any slip.
    if (own.find(WithoutPrefix(name)) != std::string_view::npos) return 0;
    return 1 + Distance(WithoutPrefix(name), own);
  };
  std::vector<std::pair<std::size_t, const Explanation*>> rows;
  for (const Explanation& row : kExplanations) rows.emplace_back(distance(row), &row);
  std::ranges::sort(rows);  // those of one code stay in the order of their table
  std::string text_of_nearest;
  for (std::size_t i = 0; i < 3; ++i)
    text_of_nearest +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", NumberOf(*rows[i].second), CodeName(rows[i].second->code));
  return text_of_nearest;
}

void PrintParagraph(std::string_view title, std::string_view text) {
  constexpr std::size_t kWidth = 100;
  constexpr std::size_t kIndent = 14;
  std::string line = fmt::format("  {:<{}}", title, kIndent - 2);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (line.size() > kIndent && line.size() + 1 + word.size() > kWidth) {
      fmt::print("{}\n", line);
      line.assign(kIndent, ' ');
    }
    if (line.size() > kIndent) line += ' ';
    line += word;
  }
  fmt::print("{}\n", line);
}

// The fault that gives the code, in the grammar of FOREBAY_INJECT.
std::string Provocation(Code code) {
  std::string kinds;
  for (const base::InjectionRow& row : base::InjectionTable()) {
    if (row.code != code || row.kind == base::InjectionKind::kApiError) continue;
    kinds += fmt::format("{}{} ({})", kinds.empty() ? "" : ", or ", row.name, row.meaning);
  }
  if (kinds.empty())
    kinds = fmt::format("api_error@call=aclrtMalloc,code={}, or another call", static_cast<int32_t>(code));
  return "FOREBAY_INJECT=" + kinds;
}

void Print(const Explanation& row) {
  fmt::print("{} {}\n", NumberOf(row), CodeName(row.code));
  PrintParagraph("Meaning", CodeMeaning(row.code));
  PrintParagraph("Causes", row.causes);
  PrintParagraph("What to do", row.remedy);
  if (row.code != Code::kSuccess) PrintParagraph("To provoke", Provocation(row.code));
}

int Run(const Arguments& arguments) {
  for (const std::string_view argument : arguments) {
    if (argument.starts_with('-')) {
      fmt::print(stderr, "forebay explain: there is no option \"{}\"; forebay explain -h explains\n", argument);
      return kMisused;
    }
  }
  if (arguments.empty()) {
    for (const Explanation& row : kExplanations)
      fmt::print("{:>6} {:<44} {}\n", NumberOf(row), CodeName(row.code), CodeMeaning(row.code));
    return kDone;
  }
  int exit = kDone;
  bool is_first = true;
  for (const std::string_view argument : arguments) {
    const auto found = Find(argument);
    for (const Explanation* row : found) {
      if (!std::exchange(is_first, false)) fmt::print("\n");
      Print(*row);
    }
    if (found.empty()) {
      fmt::print(stderr, "forebay explain: there is no code \"{}\"; the nearest are {}\n", argument, Nearest(argument));
      exit = kFailed;
    }
  }
  return exit;
}

}  // namespace

const Command kExplain = {"explain", "[CODE...]", "what a code means, what leads to it and what to do; all codes",
                          kHelp, Run};

}  // namespace forebay::tool
