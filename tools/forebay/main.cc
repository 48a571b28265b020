// forebay: tools for programs that use Forebay.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "command.h"

namespace forebay::tool {
namespace {

const std::array kCommands = {&kExplain, &kTuneMemory};

int Usage(std::FILE* to, int exit) {
  fmt::print(to, "forebay COMMAND ... is tools for programs that use Forebay.\n\n");
  for (const Command* command : kCommands)
    fmt::print(to, "  forebay {} {}\n      {}\n", command->name, command->operands, command->summary);
  fmt::print(to, "\n  forebay COMMAND -h    all about a command\n  forebay -h, -v        this help; the version\n");
  return exit;
}

bool AsksForHelp(const Arguments& arguments) {
  return std::ranges::any_of(arguments, [](std::string_view one) { return one == "-h" || one == "--help"; });
}

int Run(const Arguments& arguments) {
  if (arguments.empty()) return Usage(stderr, kMisused);
  const std::string_view name = arguments[0];
  if (name == "-h" || name == "--help" || name == "help") return Usage(stdout, kDone);
  if (name == "-v" || name == "--version") {
    fmt::print("forebay {}\n", FOREBAY_VERSION);
    return kDone;
  }
  const auto command = std::ranges::find(kCommands, name, &Command::name);
  if (command == kCommands.end()) {
    fmt::print(stderr, "forebay: there is no command \"{}\"; forebay -h lists them\n", name);
    return kMisused;
  }
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (AsksForHelp(rest)) {
    fmt::print("forebay {} {}\n\n{}", (*command)->name, (*command)->operands, (*command)->help);
    return kDone;
  }
  const int exit = (*command)->run(rest);
  return std::fflush(stdout) == 0 ? exit : kFailed;
}

}  // namespace
}  // namespace forebay::tool

int main(int count, char** arguments) { return forebay::tool::Run({arguments + 1, arguments + count}); }
