// Runs lifecycle_program: programs that end in unusual ways end with 0, soon, and leave no process behind.
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "conformance/support.h"

extern char** environ;

namespace conformance {
namespace {

class Program : public testing::TestWithParam<const char*> {};

TEST_P(Program, EndsWellAndLeavesNothing) {
  const char* path = std::getenv("TEST_LIFECYCLE_PROGRAM");
  ASSERT_NE(nullptr, path);
  // What the program leaves behind becomes a child of this process.
  ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
  char* arguments[] = {const_cast<char*>(path), const_cast<char*>(GetParam()), nullptr};
  pid_t child = -1;
  ASSERT_EQ(0, posix_spawn(&child, path, nullptr, nullptr, arguments, environ));
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
  const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  pid_t left = 0;
  while ((left = waitpid(-1, nullptr, WNOHANG)) >= 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), soon) << "a process is left behind";
    Pause(5);
  }
}

INSTANTIATE_TEST_SUITE_P(Lifecycle, Program,
                         testing::Values("static_objects", "static_objects_after_second_start", "a17_two_libraries",
                                         "without_finalize", "exit_while_work_is_pending", "exit_while_threads_work",
                                         "threads_end_with_a_context", "a18_fork_after_questions",
                                         "a18_fork_of_a_used_parent", "fork_and_exec", "limits_are_named",
                                         "threads_run_out", "smallest_memory", "sent_signals_arrive"),
                         [](const auto& program) { return std::string(program.param); });

}  // namespace
}  // namespace conformance
