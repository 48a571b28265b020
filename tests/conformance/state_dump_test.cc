// What the process says of itself when it is asked, by a call or by a signal.
#if defined(__GNUC__) && !defined(__clang__)
// g++ with sanitizers says this of <regex> itself.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>

#include "conformance/stream_fixture.h"
#include "forebay/runtime.h"

namespace conformance {
namespace {

using forebay::DumpState;
using forebay::Runtime;

class StateDump : public WithStream {
 protected:
  void TearDown() override {
    EXPECT_TRUE(Runtime::Configure("dump_signal", "0").ok());
    WithStream::TearDown();
  }
  std::string Name() {
    int32_t id = -1;
    EXPECT_OK(aclrtStreamGetId(stream_, &id));
    return "s" + std::to_string(id);
  }
  // As /proc has it: 'T' for a process that is stopped.
  static char StateOf(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_ends = line.rfind(')');
    return name_ends + 2 < line.size() ? line[name_ends + 2] : 'T';
  }
};

TEST_F(StateDump, ShowsDevicesStreamsAndWhatTheyWaitFor) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  gate.WaitUntilReached();
  for (int i = 0; i < 20; ++i) ASSERT_OK(LaunchAddOne(stream_));
  const std::string text = DumpState();
  ExpectIn(text, "device 0: Ascend910B3, process ");
  ExpectIn(text, "  " + Name() + ": ready, ");
  ExpectIn(text, "21 tasks queued");
  ExpectIn(text, "    " + Name() + " is at host function ");
  ExpectIn(text, "    task 1: kernel add_one (1 blocks)");
  ExpectIn(text, "    and 13 more\n");
  ExpectIn(text, "  device memory: ");
  EXPECT_EQ(std::string::npos, text.find("does not react")) << text;
  EXPECT_EQ(std::string::npos, text.find("device 1")) << text;
}

TEST_F(StateDump, ShowsFailuresAndRunningKernels) {
  NEEDS_STOPPABLE_KERNELS();
  aclrtStream failing = nullptr;
  ASSERT_OK(aclrtCreateStream(&failing));
  ASSERT_OK(LaunchTrap(failing));
  ASSERT_OK(LaunchLoop(stream_));
  std::string text;
  do {
    text = DumpState();
  } while (text.find(": a kernel of " + Name() + ", for ") == std::string::npos ||
           text.find("failure: 507015") == std::string::npos);
  ExpectIn(text, "kernel loop_forever (1 blocks), running for ");
  EXPECT_OK(aclrtStreamAbort(stream_));
}

TEST_F(StateDump, ShowsThreadsThatWaitForRoom) {
  aclrtEvent event = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  ASSERT_OK(aclrtStreamWaitEvent(stream_, event));
  std::thread submitter([this] {
    ASSERT_OK(aclrtSetDevice(0));
    for (int i = 0; i < 2048; ++i) ASSERT_OK(LaunchAddOne(stream_));
  });
  std::string text;
  do {
    text = DumpState();
  } while (text.find("has been waiting for room for 1 entries in " + Name()) == std::string::npos);
  ExpectIn(text, Name() + " waits for event e");
  ASSERT_OK(aclrtRecordEvent(event, nullptr));
  submitter.join();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(StateDump, DeviceThatIsStoppedDoesNotReact) {
  if (IsInline()) GTEST_SKIP() << "the device has no process of its own";
  std::smatch found;
  const std::string before = DumpState();
  ASSERT_TRUE(std::regex_search(before, found, std::regex("process ([0-9]+)\n[^]*process ([0-9]+)\n"))) << before;
  const pid_t device = std::stoi(found[2]);
  ASSERT_NE(getpid(), device);
  ASSERT_EQ(0, kill(device, SIGSTOP));
  while (StateOf(device) != 'T') std::this_thread::yield();
  const std::string text = DumpState();
  ASSERT_EQ(0, kill(device, SIGCONT));
  ExpectIn(text, "it does not react within 100 ms");
  EXPECT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_)) << "asking has done no harm";
}

std::atomic<int> handled{0};

TEST_F(StateDump, SignalWritesItToStandardError) {
  // The program's own handler is called as well.
  struct sigaction own{};
  struct sigaction before{};
  own.sa_handler = [](int) { ++handled; };
  ASSERT_EQ(0, sigaction(SIGUSR1, &own, &before));
  ASSERT_TRUE(Runtime::Configure("dump_signal", std::to_string(SIGUSR1)).ok());
  int ends[2];
  ASSERT_EQ(0, pipe(ends));
  const int kept = dup(STDERR_FILENO);
  ASSERT_EQ(STDERR_FILENO, dup2(ends[1], STDERR_FILENO));
  raise(SIGUSR1);
  std::string text;
  while (text.find("pinned memory: ") == std::string::npos) {
    char piece[4096];
    const ssize_t count = read(ends[0], piece, sizeof piece);
    if (count <= 0) break;
    text.append(piece, static_cast<std::size_t>(count));
  }
  EXPECT_EQ(STDERR_FILENO, dup2(kept, STDERR_FILENO));
  for (const int descriptor : {ends[0], ends[1], kept}) close(descriptor);
  ExpectIn(text, "forebay: state of process " + std::to_string(getpid()));
  ExpectIn(text, "  " + Name() + ": ready");
  EXPECT_EQ(1, handled);
  ASSERT_TRUE(Runtime::Configure("dump_signal", "0").ok());
  struct sigaction after{};
  ASSERT_EQ(0, sigaction(SIGUSR1, &before, &after));
  EXPECT_EQ(own.sa_handler, after.sa_handler) << "the handler is the program's again";
}

TEST_F(StateDump, SignalWritesItToTheLogToo) {
  const auto directory = std::filesystem::path(testing::TempDir()) / ("forebay_dump_" + std::to_string(getpid()));
  // Whatever the level: it was asked for.
  setenv("ASCEND_PROCESS_LOG_PATH", directory.c_str(), 1);
  setenv("ASCEND_GLOBAL_LOG_LEVEL", "4", 1);
  // The settings of the log are read by aclInit.
  ASSERT_OK(aclFinalize());
  ASSERT_NO_FATAL_FAILURE(SetUp());
  ASSERT_TRUE(Runtime::Configure("dump_signal", std::to_string(SIGUSR1)).ok());
  raise(SIGUSR1);
  std::vector<std::string> lines;
  do {
    lines.clear();
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(directory / "run" / "plog", none)) {
      std::ifstream stream(file.path());
      for (std::string line; std::getline(stream, line);) lines.push_back(line);
    }
  } while (lines.empty() || lines.back().find("pinned memory: ") == std::string::npos);
  const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("forebay: state of process " + std::to_string(getpid())) != std::string::npos;
  });
  ASSERT_NE(lines.end(), first);
  ExpectIn(*first, "[EVENT] RUNTIME(" + std::to_string(getpid()) + ",");
  EXPECT_TRUE(std::any_of(first, lines.end(), [this](const std::string& line) {
    return line.find("  " + Name() + ": ready") != std::string::npos;
  }));
  unsetenv("ASCEND_PROCESS_LOG_PATH");
  unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
  std::filesystem::remove_all(directory);
}

TEST_F(StateDump, SignalHasToBeOneThatIsFree) {
  for (const int signal : {SIGKILL, SIGSTOP, SIGSEGV, 32, -1}) {
    const forebay::Status refused = Runtime::Configure("dump_signal", std::to_string(signal));
    EXPECT_EQ(forebay::Code::kInvalidParam, refused.code()) << signal;
  }
}

}  // namespace
}  // namespace conformance
