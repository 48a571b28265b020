// Processes that a test starts or looks at.
#pragma once

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace forebay::testing {

// The children of a process that run the firmware, oldest first.
inline std::vector<pid_t> DeviceProcesses(pid_t parent = getpid()) {
  std::vector<pid_t> found;
  DIR* directory = opendir("/proc");
  while (const dirent* entry = readdir(directory)) {
    const pid_t process = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (process <= 0) continue;
    std::ifstream file("/proc/" + std::string(entry->d_name) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos || text.find("(forebay-npu") == std::string::npos) continue;
    std::istringstream rest(text.substr(name_end + 1));
    std::string state;
    pid_t its_parent = 0;
    rest >> state >> its_parent;
    if (its_parent == parent && state != "Z") found.push_back(process);
  }
  closedir(directory);
  return found;
}

inline std::size_t EntriesOf(const char* path) {
  std::size_t count = 0;
  DIR* directory = opendir(path);
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}
inline std::size_t OpenDescriptors() { return EntriesOf("/proc/self/fd"); }
inline std::size_t RunningThreads() { return EntriesOf("/proc/self/task"); }

struct ChildResult {
  int exit_code = -1;  // -1: ended by a signal
  std::string output;
};

// Runs the program with these arguments, and these variables in its environment; catches its standard output.
inline ChildResult RunChild(const char* program, const std::string& arguments, const std::string& variables = {}) {
  std::ostringstream line;
  line << variables << ' ' << program << ' ' << arguments;
  const std::string command = line.str();
  ChildResult result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[65536];
  for (std::size_t bytes = 0; (bytes = fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.output.append(buffer, bytes);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace forebay::testing
