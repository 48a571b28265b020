// Runs lifecycle_program: programs that end in unusual ways end with 0, soon, and leave no process behind.
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "conformance/support.h"
#include "support/processes.h"

extern char** environ;

namespace conformance {
namespace {

// Starts the program; its standard output is the pipe's end that is given. -1 when it cannot be started.
pid_t StartProgram(const char* name, int output = -1) {
  const char* path = std::getenv("TEST_LIFECYCLE_PROGRAM");
  if (path == nullptr) return -1;
  // What the program leaves behind becomes a child of this process.
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return -1;
  char* arguments[] = {const_cast<char*>(path), const_cast<char*>(name), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t child = -1;
  if (posix_spawn(&child, path, &actions, nullptr, arguments, environ) != 0) child = -1;
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

// Whether every process that the program left, such as its device, has ended by then.
bool AllEndWithin(std::chrono::seconds time) {
  const auto limit = std::chrono::steady_clock::now() + time;
  while (waitpid(-1, nullptr, WNOHANG) >= 0) {
    if (std::chrono::steady_clock::now() > limit) return false;
    Pause(1);
  }
  return true;
}

class Program : public testing::TestWithParam<const char*> {};

TEST_P(Program, EndsWellAndLeavesNothing) {
  const pid_t child = StartProgram(GetParam());
  ASSERT_GT(child, 0);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > limit) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      FAIL() << "it hangs";
    }
    Pause(5);
  }
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(0, WEXITSTATUS(status));
  // A device process ends with its program, but perhaps a moment later.
  ASSERT_TRUE(AllEndWithin(std::chrono::seconds(5))) << "a process is left behind";
}

INSTANTIATE_TEST_SUITE_P(Lifecycle, Program,
                         testing::Values("static_objects", "static_objects_after_second_start", "a17_two_libraries",
                                         "without_finalize", "exit_while_work_is_pending", "exit_while_threads_work",
                                         "exit_while_a_kernel_runs", "quick_exit_while_a_kernel_runs",
                                         "terminated_in_a_launch", "calls_after_the_end",
                                         "calls_after_main_without_finalize", "exit_in_a_signal_handler",
                                         "threads_end_with_a_context", "a18_fork_after_questions",
                                         "a18_fork_of_a_used_parent", "fork_and_exec", "limits_are_named",
                                         "threads_run_out", "smallest_memory", "sent_signals_arrive"),
                         [](const auto& program) { return std::string(program.param); });

// A program that works, shares memory, and is killed at some moment, or its device, or both. TEST_KILLS is how often.
TEST(Killed, EitherSideAtAnyMomentLeavesNothing) {
  if (IsInline()) GTEST_SKIP() << "there is no second process";
  const char* wanted = std::getenv("TEST_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 50;
  const auto directory = std::filesystem::path(testing::TempDir()) / ("forebay_killed_" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same moments each time
  for (int i = 0; i < kills; ++i) {
    SCOPED_TRACE(i);
    int ends[2] = {};
    ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
    const pid_t child = StartProgram("work_until_killed", ends[1]);
    close(ends[1]);
    ASSERT_GT(child, 0);
    const auto read_until = [&](char what) {
      char got = 0;
      while (read(ends[0], &got, 1) == 1 && got != what) {
      }
      return got == what;
    };
    const auto steps = random() % 6;
    for (auto left = steps; left > 0; --left) ASSERT_TRUE(read_until('w'));
    const bool device_too = i % 3 != 0;
    const bool host_too = i % 3 != 1;
    bool lost = false;
    if (device_too) {
      for (const pid_t device : forebay::testing::DeviceProcesses(child)) lost = kill(device, SIGKILL) == 0;
    }
    if (!host_too) {
      // The program goes on with another device. It may have had none yet.
      ASSERT_TRUE((!lost || read_until('r')) && read_until('w'));
    }
    kill(child, SIGKILL);
    close(ends[0]);
    ASSERT_TRUE(AllEndWithin(std::chrono::seconds(1))) << "a process is left behind";
    // With its device alive for a moment longer, what it shared goes at once; else when the next program sets a device.
    if (!device_too && steps > 0) {
      EXPECT_TRUE(std::filesystem::is_empty(directory));
    }
  }
  const pid_t last = StartProgram("without_finalize");
  ASSERT_GT(last, 0);
  int status = -1;
  EXPECT_EQ(last, waitpid(last, &status, 0));
  EXPECT_EQ(0, status);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  unsetenv("XDG_RUNTIME_DIR");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace conformance
