// What the subcommands of `forebay` have in common.
#pragma once

#include <string_view>
#include <vector>

namespace forebay::tool {

enum Exit : int {
  kDone = 0,
  kFailed = 1,  // the standard error says why
  kMisused = 2,
};

using Arguments = std::vector<std::string_view>;

struct Command {
  std::string_view name;
  std::string_view operands;
  std::string_view summary;  // one line
  std::string_view help;     // whole
  int (*run)(const Arguments& arguments);
};

extern const Command kExplain;
extern const Command kTuneMemory;

}  // namespace forebay::tool
