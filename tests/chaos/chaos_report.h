// A run of chaos_program, and what it told.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/watchdog.h"

extern char** environ;

namespace forebay::testing {

using std::chrono::seconds;
using std::chrono::steady_clock;

// No run takes nearly as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr seconds kBound{360};
#else
constexpr seconds kBound{120};
#endif
constexpr const char* kArguments[] = {"--epochs", "5"};

// What bounds each wait, and a dump for the wait that has no bound.
constexpr const char* kSettings[] = {
    "FOREBAY_TIMEOUT_INTERVAL=200000", "FOREBAY_SUBMIT_TIMEOUT=30000", "FOREBAY_RESET_TIMEOUT=10000",
    "FOREBAY_DEVICE_MEMORY=256",       "FOREBAY_PINNED_MEMORY=64",     "FOREBAY_DUMP_SIGNAL=10",
};
// How long a kernel may run. On a busy machine the shortest one may take a second.
constexpr seconds kAmple{30};

inline std::string Read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A run of the example, as chaos_program tells it.
struct Outcome {
  int code = -1;
  std::string result;     // what it printed, without the times
  std::string complaint;  // what it wrote to standard error
};

struct Report {
  std::string command, output, errors;  // as they are
  bool hangs = false;
  bool leaves_processes = false, leaves_files = false;
  int status = -1;
  Outcome first, second;
  std::string left;  // after the first run, and after the second
  struct Counts {
    uint64_t matched = 0, happened = 0;
  };
  std::map<std::string, Counts> faults;

  void Parse() {
    const std::regex time(" in [0-9.]+ s, .*"), fault("chaos: matched ([0-9]+), happened ([0-9]+): (.*)");
    Outcome* outcome = nullptr;
    const auto begins_run = [&](const std::string& line) {
      if (line == "chaos: first run") outcome = &first;
      if (line == "chaos: second run") outcome = &second;
      return line == "chaos: first run" || line == "chaos: second run";
    };
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (begins_run(line) || outcome == nullptr) continue;
      if (std::sscanf(line.c_str(), "chaos: ended with %d", &outcome->code) == 1) continue;
      if (std::regex_match(line, match, fault)) {
        faults[match[3]] = {std::stoull(match[1]), std::stoull(match[2])};
      } else if (line.starts_with("chaos: left")) {
        left += line + '\n';
      } else if (!line.starts_with("streams: ")) {
        outcome->result += std::regex_replace(line, time, "") + '\n';
      }
    }
    std::istringstream error_lines(errors);
    for (std::string line; std::getline(error_lines, line);) {
      if (!begins_run(line) && outcome != nullptr) outcome->complaint += line + '\n';
    }
  }
};

// Runs chaos_program with these faults. One that does not end is asked what it does, and is killed.
inline Report RunWith(const std::string& faults, const std::string& schedule = {}, seconds execute_timeout = kAmple) {
  Report report;
  const char* program = std::getenv("TEST_CHAOS_PROGRAM");
  const char* kernels = std::getenv("TEST_KERNEL_digits_kernels");
  const char* data = std::getenv("TEST_DIGITS");
  if (program == nullptr || kernels == nullptr || data == nullptr) return report;
  const auto directory = std::filesystem::path(::testing::TempDir()) / ("forebay_chaos_" + std::to_string(getpid()));
  std::filesystem::create_directories(directory / "shared");

  std::vector<std::string> variables, arguments = {program, "--kernels", kernels, "--data", data};
  arguments.insert(arguments.end(), std::begin(kArguments), std::end(kArguments));
  variables.push_back("FOREBAY_INJECT=" + faults);
  variables.push_back("FOREBAY_SCHEDULE=" + schedule);
  variables.push_back("FOREBAY_EXECUTE_TIMEOUT=" + std::to_string(execute_timeout.count() * 1000));
  variables.insert(variables.end(), std::begin(kSettings), std::end(kSettings));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable, name = text.substr(0, text.find('=') + 1);
    const auto is_it = [&](const std::string& other) { return other.starts_with(name); };
    if (text.starts_with("FOREBAY_") && std::none_of(variables.begin(), variables.end(), is_it))
      variables.push_back(text);
  }
  for (const std::string& variable : variables) {
    report.command += variable.substr(0, variable.find('=')) + "='" + variable.substr(variable.find('=') + 1) + "' ";
  }
  for (const std::string& argument : arguments) report.command += argument + ' ';
  variables.push_back("XDG_RUNTIME_DIR=" + (directory / "shared").string());
  std::vector<char*> environment, words;
  // What is named twice holds as it is named first.
  for (std::string& variable : variables) environment.push_back(variable.data());
  for (char** variable = environ; *variable != nullptr; ++variable) environment.push_back(*variable);
  for (std::string& argument : arguments) words.push_back(argument.data());
  environment.push_back(nullptr);
  words.push_back(nullptr);

  // What the program leaves behind becomes a child of this process.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string output = directory / "output", errors = directory / "errors";
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = -1;
  const int started = posix_spawn(&child, program, &actions, nullptr, words.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (started != 0) return report;

  const auto ends_by = [&](pid_t process, steady_clock::time_point limit) {
    int status = 0;
    for (pid_t ended = 0; ended >= 0;) {
      ended = waitpid(process, &status, WNOHANG);
      if (ended == child) report.status = status;
      if (ended == child && process == child) return true;
      if (ended == 0 && steady_clock::now() > limit) return false;
      if (ended == 0) conformance::Pause(2);
    }
    return true;
  };
  report.hangs = !ends_by(child, steady_clock::now() + kBound);
  if (report.hangs) {
    kill(child, SIGUSR1);
    if (!ends_by(child, steady_clock::now() + seconds(2))) kill(child, SIGKILL);
  }
  // A device process ends with its program, but perhaps a moment later.
  report.leaves_processes = !ends_by(-1, steady_clock::now() + seconds(10));
  report.leaves_files = !std::filesystem::is_empty(directory / "shared");
  report.output = Read(output);
  report.errors = Read(errors);
  std::filesystem::remove_all(directory);
  report.Parse();
  return report;
}

}  // namespace forebay::testing
