// What only a device in a process of its own can show: it is killed, it cannot be started, it refuses host memory.
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/processes.h"
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class DeviceLoss : public RuntimeTest {
 protected:
  void SetUp() override {
    if (IsInline()) GTEST_SKIP() << "there is no process";
    RuntimeTest::SetUp();
  }
  static void KillDevices() {
    for (const pid_t process : DeviceProcesses()) kill(process, SIGKILL);
  }
};

bool IsFatal(const Status& status) { return status.code() == Code::kLostHeartbeat; }

TEST_F(DeviceLoss, AKernelCannotReachHostMemory) {
  const Kernels faults("fault_kernels");
  const StreamHandle stream = Must(CreateStream());
  auto word = std::make_unique<uint32_t>(1);
  void* address = word.get();
  ASSERT_OK(Launch(faults["write_address"], stream, 1, address));
  const Status failed = SynchronizeStream(stream);
  EXPECT_EQ(failed.code(), Code::kAicoreException) << failed.ToString();
  EXPECT_EQ(*word, 1U);
}

TEST_F(DeviceLoss, WaitersWakeWithAFatalCode) {
  const StreamHandle stream = Must(CreateStream()), other = Must(CreateStream());
  const EventHandle event = Must(CreateEvent());
  RuntimeTensor flag = Words(std::vector<uint32_t>(1, 0));
  ASSERT_OK(Launch(basic["wait_flag"], stream, 1, flag.address(), uint32_t{1}));
  ASSERT_OK(RecordEvent(event, stream));
  ASSERT_OK(StreamWaitEvent(other, event));
  auto by_stream = std::async(std::launch::async, [&] {
    SetDevice(0).IgnoreError();
    const Status status = SynchronizeStream(stream);
    ResetDevice(0).IgnoreError();
    return status;
  });
  auto by_event = std::async(std::launch::async, [&] {
    SetDevice(0).IgnoreError();
    const Status status = SynchronizeEvent(event);
    ResetDevice(0).IgnoreError();
    return status;
  });
  KillDevices();
  EXPECT_TRUE(IsFatal(SynchronizeStream(other)));
  EXPECT_TRUE(IsFatal(by_stream.get()));
  EXPECT_TRUE(IsFatal(by_event.get()));
  EXPECT_TRUE(IsFatal(QueryStreamStatus(stream)));
  EXPECT_TRUE(IsFatal(Launch(basic["nop"], stream, 1)));
  EXPECT_TRUE(IsFatal(SynchronizeDevice()));
  EXPECT_TRUE(IsFatal(CreateStream().status()));
  EXPECT_EQ(Must(GetStreamState(stream)), StreamState::kLost);
}

TEST_F(DeviceLoss, TheFirstFailureOfAStreamIsNotHiddenByIt) {
  const Kernels faults("fault_kernels");
  const StreamHandle stream = Must(CreateStream());
  ASSERT_OK(Launch(faults["trap"], stream, 1));
  EXPECT_EQ(SynchronizeStream(stream).code(), Code::kAicoreException);
  KillDevices();
  EXPECT_TRUE(IsFatal(SynchronizeDevice()) || SynchronizeDevice().code() == Code::kAicoreException);
  EXPECT_EQ(QueryStreamStatus(stream).code(), Code::kAicoreException);
}

TEST_F(DeviceLoss, AnotherDeviceGoesOn) {
  const std::vector<pid_t> first = DeviceProcesses();
  ASSERT_EQ(first.size(), 1U);
  ASSERT_OK(SetDevice(1));
  const Kernels kernels("basic_kernels");
  const StreamHandle stream = Must(CreateStream());
  ASSERT_EQ(kill(first[0], SIGKILL), 0);
  for (int i = 0; i < 100; ++i) ASSERT_OK(Launch(kernels["nop"], stream, 1));
  EXPECT_OK(SynchronizeStream(stream));
  EXPECT_OK(ResetDevice(1));
  ASSERT_OK(SetDevice(0));
  EXPECT_TRUE(IsFatal(LaunchOperator({basic["nop"], {}, {}, {}, 1, {}, {}})));
  EXPECT_OK(ResetDevice(0));
}

TEST_F(DeviceLoss, ResetAndUseAgainLeavesNothingBehind) {
  std::size_t descriptors = 0, threads = 0;
  for (int round = 0; round < 20; ++round) {
    const StreamHandle stream = Must(CreateStream());
    RuntimeTensor data = Words(std::vector<uint32_t>(8, 0));
    const EventHandle event = Must(CreateEvent());
    // Half of them die while tasks run, the others idle.
    if (round % 2 == 0) {
      ASSERT_OK(Launch(basic["wait_flag"], stream, 1, data.address(), uint32_t{1}));
    }
    LaunchOperator({basic["add_one"], {}, {data}, {uint32_t{8}}, 1, {}, [] {}}, stream).IgnoreError();
    RecordEvent(event, stream).IgnoreError();
    KillDevices();
    SynchronizeStream(stream).IgnoreError();
    data = RuntimeTensor();
    Reopen();
    ASSERT_OK(LaunchOperator({basic["nop"], {}, {}, {}, 1, {}, {}}));
    if (round == 1) descriptors = OpenDescriptors(), threads = RunningThreads();
  }
  EXPECT_EQ(OpenDescriptors(), descriptors);
  EXPECT_EQ(RunningThreads(), threads);
  EXPECT_EQ(DeviceProcesses().size(), 1U);
}

TEST_F(DeviceLoss, AHostFunctionThatIsUnderWayEnds) {
  const StreamHandle stream = Must(CreateStream());
  std::promise<void> begun, go;
  ASSERT_OK(LaunchHostFunction(stream, [&] {
    begun.set_value();
    go.get_future().wait();
  }));
  begun.get_future().wait();
  KillDevices();
  EXPECT_TRUE(IsFatal(SynchronizeStream(stream)));
  go.set_value();
  Reopen();
  EXPECT_OK(LaunchOperator({basic["nop"], {}, {}, {}, 1, {}, {}}));
}

class Firmware : public ::testing::Test {
 protected:
  void SetUp() override {
    if (IsInline()) GTEST_SKIP() << "there is no image";
    directory_ = std::filesystem::path(::testing::TempDir()) / ("forebay-firmware-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
    path_ = (directory_ / "forebay-npu").string();
    std::ifstream file(std::getenv("FOREBAY_FIRMWARE"), std::ios::binary);
    good_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_OK(Runtime::Configure("firmware", path_));
  }
  void TearDown() override {
    std::filesystem::remove_all(directory_);
    if (const char* path = std::getenv("FOREBAY_FIRMWARE")) {
      EXPECT_OK(Runtime::Configure("firmware", path));
    }
    EXPECT_OK(Runtime::Configure("boot_timeout", "10000"));
  }
  void Write(const std::string& image) {
    std::ofstream(path_, std::ios::binary) << image;
    ASSERT_EQ(chmod(path_.c_str(), 0755), 0);
  }
  // The seal: magic, interface version, 0, bytes, FNV-1a.
  static std::string Sealed(std::string text, uint32_t version) {
    struct {
      char magic[8] = {'F', 'B', 'S', 'E', 'A', 'L', '1', 0};
      uint32_t version, reserved = 0;
      uint64_t bytes, checksum = 0xcbf29ce484222325U;
    } seal;
    seal.version = version;
    seal.bytes = text.size();
    for (const char c : text) seal.checksum = (seal.checksum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return text.append(reinterpret_cast<const char*>(&seal), sizeof seal);
  }
  uint32_t Version() const {
    uint32_t version = 0;
    std::memcpy(&version, good_.data() + good_.size() - 24, sizeof version);
    return version;
  }
  void ExpectRefused(const std::string& words) {
    const Status status = SetDevice(0);
    ASSERT_EQ(status.code(), Code::kDeviceSetup) << status.ToString();
    EXPECT_NE(status.ToString().find(words), std::string::npos) << status.ToString();
    EXPECT_NE(status.ToString().find(path_), std::string::npos) << status.ToString();
    EXPECT_EQ(status.error()->device, 0);
    EXPECT_EQ(Runtime::Counters(), ResourceCounters());
    EXPECT_TRUE(DeviceProcesses().empty());
    EXPECT_EQ(CurrentDevice().code(), Code::kContextNull);
  }
  std::filesystem::path directory_;
  std::string path_;
  std::string good_;
};

TEST_F(Firmware, Missing) { ExpectRefused("missing"); }
TEST_F(Firmware, Corrupt) {
  std::string image = good_;
  image[image.size() / 2] = static_cast<char>(image[image.size() / 2] ^ 1);
  Write(image);
  ExpectRefused("corrupt");
}
TEST_F(Firmware, OfAnotherVersion) {
  Write(Sealed("#!/bin/sh\n", Version() + 1));
  ExpectRefused("interface version " + std::to_string(Version() + 1));
}
TEST_F(Firmware, HangsAtBoot) {
  ASSERT_OK(Runtime::Configure("boot_timeout", "200"));
  Write(Sealed("#!/bin/sh\nexec tail -f /dev/null\n", Version()));
  ExpectRefused("hung at boot");
}
TEST_F(Firmware, EndsAtBoot) {
  Write(Sealed("#!/bin/sh\nexit 1\n", Version()));
  ExpectRefused("ended while it booted");
}
TEST_F(Firmware, AGoodImageBootsAfterABadOne) {
  Write("nothing");
  ExpectRefused("corrupt");
  Write(good_);
  ASSERT_OK(SetDevice(0));
  EXPECT_OK(ResetDevice(0));
}

}  // namespace
}  // namespace forebay::testing
