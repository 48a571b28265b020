// No host thread takes part in an event chain: it finishes while the whole application is stopped.
#include <fcntl.h>
#include <sched.h>
#include <sys/uio.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/processes.h"
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

// A word of device memory, read and written in the device process.
class DeviceWord {
 public:
  DeviceWord(pid_t process, uint64_t address) : process_(process), address_(address) {}
  bool Read(uint32_t* value) const { return Move(process_vm_readv, value); }
  bool Write(uint32_t value) const { return Move(process_vm_writev, &value); }

 private:
  template <typename Function>
  bool Move(Function function, uint32_t* value) const {
    iovec local{value, sizeof *value}, remote{reinterpret_cast<void*>(address_), sizeof *value};
    return function(process_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(sizeof *value);
  }
  pid_t process_;
  uint64_t address_;
};

// Starts a child that stops itself, and returns once it has. Its standard output is `output`.
void StartUntilStopped(const char* what, pid_t* child, int* output) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  *child = fork();
  if (*child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    execl(INTEGRATION_CHILD, INTEGRATION_CHILD, what, nullptr);
    _exit(127);
  }
  close(ends[1]);
  *output = ends[0];
  int status = 0;
  ASSERT_EQ(waitpid(*child, &status, WUNTRACED), *child);
  ASSERT_TRUE(WIFSTOPPED(status)) << status;
}

// What a child that goes on prints until it ends.
std::string Finish(pid_t child, int output, int* status) {
  EXPECT_EQ(kill(child, SIGCONT), 0);
  std::string rest;
  char text[4096];
  for (ssize_t bytes = 0; (bytes = read(output, text, sizeof text)) > 0;)
    rest.append(text, static_cast<std::size_t>(bytes));
  close(output);
  EXPECT_EQ(waitpid(child, status, 0), child);
  return rest;
}

TEST(StoppedApplication, KernelThatWaitsForItToPrintDoesNotRunOutOfTime) {
  if (IsInline()) GTEST_SKIP() << "the device would be stopped too";
  setenv("FOREBAY_EXECUTE_TIMEOUT", "400", 1);
  pid_t child = 0;
  int output = -1;
  StartUntilStopped("flood", &child, &output);
  unsetenv("FOREBAY_EXECUTE_TIMEOUT");
  if (HasFatalFailure()) return;
  // Not for anything to happen: this is the time that must not count, several times the kernel's.
  std::this_thread::sleep_for(std::chrono::milliseconds(1600));
  EXPECT_EQ(DeviceProcesses(child).size(), 1U) << "the device is there";
  int status = 0;
  const std::string printed = Finish(child, output, &status);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(printed.size(), 4000U * 1001U);
}

// Time in which neither could run is not held against the device.
TEST(StoppedApplication, StoppedTogetherWithItsDeviceItGoesOn) {
  if (IsInline()) GTEST_SKIP() << "the device would be stopped too";
  setenv("FOREBAY_HEARTBEAT", "50", 1);
  setenv("FOREBAY_REQUEST_TIMEOUT", "600", 1);
  pid_t child = 0;
  int output = -1;
  StartUntilStopped("held", &child, &output);
  unsetenv("FOREBAY_HEARTBEAT");
  unsetenv("FOREBAY_REQUEST_TIMEOUT");
  if (HasFatalFailure()) return;
  char text[64] = {};
  ASSERT_GT(read(output, text, sizeof text - 1), 0);
  const std::vector<pid_t> devices = DeviceProcesses(child);
  ASSERT_EQ(devices.size(), 1U);
  ASSERT_EQ(kill(child, SIGCONT), 0);
  // None of these is for anything to happen: it waits, asks in vain, is stopped for longer than it would ask.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(devices[0], SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  kill(child, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  kill(child, SIGCONT);
  kill(devices[0], SIGCONT);
  EXPECT_TRUE(DeviceWord(devices[0], std::strtoull(text, nullptr, 16)).Write(1));
  int status = 0;
  EXPECT_EQ(Finish(child, output, &status), "ok\n");
  EXPECT_EQ(status, 0);
}

TEST(StoppedApplication, AQueuedEventChainFinishes) {
  if (IsInline()) GTEST_SKIP() << "the device would be stopped too";
  pid_t child = 0;
  int output = -1;
  StartUntilStopped("chain", &child, &output);
  if (HasFatalFailure()) return;
  int status = 0;
  char text[64] = {};
  ASSERT_GT(read(output, text, sizeof text - 1), 0);
  const uint64_t address = std::strtoull(text, nullptr, 16);
  const std::vector<pid_t> devices = DeviceProcesses(child);
  ASSERT_EQ(devices.size(), 1U);

  const DeviceWord gate(devices[0], address), end(devices[0], address + 4), counter(devices[0], address + 8);
  uint32_t value = 1;
  ASSERT_TRUE(counter.Read(&value)) << std::strerror(errno);
  EXPECT_EQ(value, 0U) << "the chain has not begun";
  ASSERT_TRUE(gate.Write(1));
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (value = 0; value != 9 && std::chrono::steady_clock::now() < limit;) {
    ASSERT_TRUE(end.Read(&value));
    sched_yield();
  }
  EXPECT_EQ(value, 9U);
  ASSERT_TRUE(counter.Read(&value));
  EXPECT_EQ(value, 800U);
  EXPECT_EQ(waitpid(child, &status, WNOHANG | WCONTINUED), 0) << "the application has been stopped all the time";

  const std::string rest = Finish(child, output, &status);
  EXPECT_EQ(rest, "complete 800\n");
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace forebay::testing
