// The device process dies, hangs, or will not start; and the host process dies.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <poll.h>

#include <filesystem>

#include "forebay/base/thread.h"
#include "support/raw_kernels.h"

namespace forebay::testing {
namespace {

using driver::WaitResult;

// The seal as docs and seal_firmware define it, written independently.
struct Seal {
  char magic[8] = {'F', 'B', 'S', 'E', 'A', 'L', '1', 0};
  uint32_t bar_version = types::kBarVersion;
  uint32_t reserved = 0;
  uint64_t image_bytes = 0;
  uint64_t checksum = 0xcbf29ce484222325u;
};

class FirmwareFile : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(::testing::TempDir()) / ("forebay-firmware-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
    path_ = (directory_ / "forebay-npu").string();
    good_ = ReadBytes(TestOptions(driver::Backend::kProcess).firmware_path);
    ASSERT_GT(good_.size(), sizeof(Seal));
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void Write(std::span<const std::byte> bytes, mode_t mode = 0755) {
    {
      std::ofstream file(path_, std::ios::binary);
      file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
  }
  void WriteSealed(std::string text, uint32_t version = types::kBarVersion) {
    Seal seal;
    seal.bar_version = version;
    seal.image_bytes = text.size();
    for (const char c : text) seal.checksum = (seal.checksum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    text.append(reinterpret_cast<const char*>(&seal), sizeof seal);
    Write(std::as_bytes(std::span(text)));
  }
  // What opening a device with this image says; empty when it works.
  std::string Refusal(int64_t boot_timeout_ms = 10'000) {
    driver::DeviceOptions options = TestOptions(driver::Backend::kProcess);
    options.firmware_path = path_;
    options.boot_timeout_ms = boot_timeout_ms;
    TestDevice opened(options);
    EXPECT_EQ(opened.sink.losses(), 0);
    if (opened.status.ok()) return {};
    EXPECT_EQ(opened.status.code(), Code::kDeviceSetup);
    EXPECT_NE(opened.status.ToString().find(path_), std::string::npos) << opened.status.ToString();
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left behind";
    return opened.status.error()->message;
  }

  std::filesystem::path directory_;
  std::string path_;
  std::vector<std::byte> good_;
};

bool Says(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

TEST_F(FirmwareFile, CopyOfTheImageBoots) {
  Write(good_);
  EXPECT_EQ(Refusal(), "");
}

TEST_F(FirmwareFile, MissingIsSaid) { EXPECT_TRUE(Says(Refusal(), "missing")); }

TEST_F(FirmwareFile, DirectoryIsNoImage) {
  std::filesystem::create_directories(path_);
  EXPECT_TRUE(Says(Refusal(), "not a regular file"));
}

TEST_F(FirmwareFile, EveryFlippedByteIsFound) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{100}, good_.size() / 2, good_.size() - sizeof(Seal) - 1}) {
    std::vector<std::byte> image = good_;
    image[at] ^= std::byte{1};
    Write(image);
    EXPECT_TRUE(Says(Refusal(), "corrupt")) << at;
  }
}

TEST_F(FirmwareFile, TruncatedIsFound) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{10}, sizeof(Seal), good_.size() / 2, good_.size() - 1}) {
    Write(std::span(good_).first(bytes));
    EXPECT_TRUE(Says(Refusal(), "corrupt")) << bytes;
  }
}

TEST_F(FirmwareFile, ExtendedIsFound) {
  std::vector<std::byte> image = good_;
  image.insert(image.begin(), std::byte{1});
  Write(image);
  EXPECT_TRUE(Says(Refusal(), "corrupt"));
}

TEST_F(FirmwareFile, OtherVersionIsNamed) {
  WriteSealed("#!/bin/sh\n", types::kBarVersion + 1);
  const std::string refusal = Refusal();
  EXPECT_TRUE(Says(refusal, std::to_string(types::kBarVersion + 1))) << refusal;
  EXPECT_TRUE(Says(refusal, "version")) << refusal;
}

TEST_F(FirmwareFile, NotExecutableIsSaid) {
  Write(good_, 0644);
  EXPECT_TRUE(Says(Refusal(), "cannot be started"));
}

TEST_F(FirmwareFile, NoProgramAtAllIsSaid) {
  WriteSealed("just text");
  EXPECT_TRUE(Says(Refusal(), "cannot be started"));
}

TEST_F(FirmwareFile, ImageThatEndsAtBootIsNoticed) {
  WriteSealed("#!/bin/sh\nexit 1\n");
  EXPECT_TRUE(Says(Refusal(), "ended while it booted"));
}

TEST_F(FirmwareFile, ImageThatHangsAtBootIsGivenUp) {
  WriteSealed("#!/bin/sh\nexec tail -f /dev/null\n");
  const int64_t start = base::NowNanoseconds();
  EXPECT_TRUE(Says(Refusal(200), "hung at boot"));
  EXPECT_LT(base::NowNanoseconds() - start, 5'000'000'000);
}

class DeviceProcess : public ::testing::Test {
 protected:
  void Open(const std::function<void(driver::DeviceOptions&)>& change = {}) {
    driver::DeviceOptions options = TestOptions(driver::Backend::kProcess);
    if (change) change(options);
    opened_ = std::make_unique<TestDevice>(options);
    ASSERT_TRUE(opened_->status.ok()) << opened_->status.ToString();
    ASSERT_TRUE(device().Map(kTestWindow, 0, kTestMemoryBytes / 2).ok());
    process_ = device().process_id();
  }
  driver::Device& device() { return *opened_->device; }
  // Returns when every thread of the device process has stopped.
  void StopProcess() {
    ASSERT_GT(process_, 1) << "it is gone; 0 and -1 would mean many processes";
    ASSERT_EQ(kill(process_, SIGSTOP), 0);
    siginfo_t info{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(process_), &info, WSTOPPED | WNOWAIT), 0);
  }

  std::unique_ptr<TestDevice> opened_;
  pid_t process_ = 0;
};

TEST_F(DeviceProcess, KilledIsReportedOnceAndEndsEveryWait) {
  Open();
  TestStream stream = opened_->Stream(0);
  stream.Wait(70, 1);
  std::vector<base::Thread> waiters;
  std::atomic<int> lost{0};
  for (int i = 0; i < 4; ++i) {
    waiters.emplace_back("waiter", [&] { lost += stream.AwaitAll() == WaitResult::kLost; });
  }
  kill(process_, SIGKILL);
  EXPECT_TRUE(Says(opened_->sink.AwaitLoss(), "ended unexpectedly"));
  for (auto& waiter : waiters) waiter.Join();
  EXPECT_EQ(lost.load(), 4);
  EXPECT_TRUE(device().lost());
  EXPECT_EQ(device().Map(kTestWindow, 0, 4096).code(), Code::kLostHeartbeat);
  EXPECT_EQ(device().AbortStream(0).code(), Code::kLostHeartbeat);
  opened_->device.reset();
  EXPECT_EQ(opened_->sink.losses(), 1);
}

TEST_F(DeviceProcess, KilledDeviceCanBeReplaced) {
  Open();
  kill(process_, SIGKILL);
  opened_->sink.AwaitLoss();
  opened_.reset();
  Open();
  TestStream stream = opened_->Stream(0);
  stream.Nothing();
  EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
}

TEST_F(DeviceProcess, StoppedOneMakesRequestsFailAndIsGivenUp) {
  Open([](driver::DeviceOptions& options) { options.request_timeout_ms = 200; });
  TestStream stream = opened_->Stream(0);
  stream.Wait(70, 1);
  StopProcess();
  const int64_t start = base::NowNanoseconds();
  const Status status = device().Map(kTestWindow, 0, 4096);
  EXPECT_EQ(status.code(), Code::kLostHeartbeat) << status.ToString();
  EXPECT_LT(base::NowNanoseconds() - start, 5'000'000'000);
  EXPECT_TRUE(Says(opened_->sink.AwaitLoss(), "did not answer"));
  EXPECT_EQ(stream.AwaitAll(), WaitResult::kLost);
  opened_->device.reset();
  EXPECT_EQ(kill(process_, 0), -1) << "a stopped process does not survive its device";
}

TEST_F(DeviceProcess, StoppedForAWhileGoesOn) {
  Open();
  TestStream stream = opened_->Stream(0);
  StopProcess();
  const uint64_t entry = stream.Fill(types::MemorySpace::kDevice, opened_->Address(0), 3, 8);
  EXPECT_EQ(device().WaitDone(0, entry, base::Deadline::AfterNanoseconds(30'000'000)), WaitResult::kTimeout);
  kill(process_, SIGCONT);
  EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(opened_->View(0)[0], std::byte{3});
}

TEST_F(DeviceProcess, ClosingAStoppedOneDoesNotHang) {
  Open();
  StopProcess();
  const int64_t start = base::NowNanoseconds();
  opened_->device.reset();
  EXPECT_LT(base::NowNanoseconds() - start, 8'000'000'000);
  EXPECT_EQ(kill(process_, 0), -1);
}

// Whether or not someone waits.
TEST_F(DeviceProcess, StoppedOneWithWorkIsGivenUp) {
  for (const bool waits : {true, false}) {
    Open([](driver::DeviceOptions& options) {
      options.heartbeat_ms = 100;
      options.request_timeout_ms = 1000;  // it has to answer so fast until it is stopped, on a busy machine too
    });
    TestStream stream = opened_->Stream(0);
    stream.Wait(70, 1);
    StopProcess();
    const int64_t start = base::NowNanoseconds();
    if (waits) {
      EXPECT_EQ(stream.AwaitAll(), WaitResult::kLost);
    }
    EXPECT_TRUE(Says(opened_->sink.AwaitLoss(), "did not answer"));
    EXPECT_LT(base::NowNanoseconds() - start, 5'000'000'000);
    EXPECT_TRUE(device().lost());
    opened_.reset();
  }
}

TEST_F(DeviceProcess, WhatTakesLongIsNotGivenUp) {
  Open([](driver::DeviceOptions& options) { options.heartbeat_ms = 5; });
  TestStream stream = opened_->Stream(0);
  const uint64_t entry = stream.Wait(70, 1);
  EXPECT_EQ(device().WaitDone(0, entry, base::Deadline::AfterNanoseconds(200'000'000)), WaitResult::kTimeout);
  opened_->Stream(1).Record(70, 1);
  EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(opened_->sink.losses(), 0);
}

TEST_F(DeviceProcess, ClosingAStoppedOneThatIsAskedDoesNotHang) {
  Open([](driver::DeviceOptions& options) { options.heartbeat_ms = 10; });
  TestStream stream = opened_->Stream(0);
  stream.Wait(70, 1);
  StopProcess();
  const types::Mailbox& mailbox = device().bar().header->mailbox;
  while (mailbox.pending.load() == 0) sched_yield();
  const int64_t start = base::NowNanoseconds();
  opened_->device.reset();
  EXPECT_LT(base::NowNanoseconds() - start, 8'000'000'000);
  EXPECT_EQ(opened_->sink.losses(), 0) << "it was closed before anyone lost patience";
}

TEST_F(DeviceProcess, CountBeyondWhatWasPublishedGivesTheDeviceUp) {
  Open();
  TestStream stream = opened_->Stream(0);
  const uint64_t entry = stream.Wait(70, 1);
  stream.registers().done.store(entry + 1000);  // as a wild write of a kernel would
  EXPECT_EQ(stream.AwaitAll(), WaitResult::kLost);
  EXPECT_TRUE(Says(opened_->sink.AwaitLoss(), "overwritten"));
}

TEST_F(DeviceProcess, InterruptCountThatCannotBeGivesTheDeviceUp) {
  Open();
  device().bar().header->interrupts_raised.store(1u << 20);
  device().DrainInterrupts();
  EXPECT_TRUE(Says(opened_->sink.AwaitLoss(), "overwritten"));
  EXPECT_TRUE(opened_->sink.records().empty());
}

TEST_F(DeviceProcess, PrintCountThatCannotBeGivesTheDeviceUp) {
  Open();
  device().bar().header->printed.store(uint64_t{1} << 40);
  device().DrainInterrupts();
  EXPECT_TRUE(Says(opened_->sink.AwaitLoss(), "overwritten"));
  EXPECT_TRUE(opened_->sink.printed().empty());
}

TEST_F(DeviceProcess, DevicePointerFaultsOnTheHost) {
  Open();
  EXPECT_EXIT(*reinterpret_cast<volatile char*>(kTestWindow) = 1, ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(DeviceProcess, EventChainFinishesWhileNobodyWaits) {
  Open();
  TestStream first = opened_->Stream(0);
  TestStream second = opened_->Stream(1);
  for (uint32_t i = 1; i <= 15; ++i) {
    first.Record(70, i);
    first.Wait(71, i);
    second.Wait(70, i);
    second.Record(71, i);
  }
  EXPECT_EQ(first.AwaitAll(), WaitResult::kDone);
}

// Runs `body` in a child with a device; the child hands the process id of its device over and then dies.
TEST_F(DeviceProcess, HostThatIsKilledTakesItsDeviceAlong) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    TestDevice opened(TestOptions(driver::Backend::kProcess));
    const pid_t device = opened.status.ok() ? opened.device->process_id() : -1;
    (void)!write(pipe_ends[1], &device, sizeof device);
    for (;;) pause();
  }
  pid_t device = -1;
  ASSERT_EQ(read(pipe_ends[0], &device, sizeof device), static_cast<ssize_t>(sizeof device));
  ASSERT_GT(device, 0);
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, device, 0));
  ASSERT_GE(pidfd, 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  pollfd ended{pidfd, POLLIN, 0};
  EXPECT_EQ(poll(&ended, 1, 10'000), 1) << "the device process has ended";
  close(pidfd);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_F(DeviceProcess, TwentyTimesOpenAndCloseLeaveNothingBehind) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = descriptors();
  for (int i = 0; i < 20; ++i) {
    Open();
    opened_.reset();
  }
  EXPECT_EQ(descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace forebay::testing
