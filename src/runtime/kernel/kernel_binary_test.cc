// Loads kernel binaries as the device does, with services that only note what the kernel asks for.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/thread.h"
#include "forebay/kernel_abi.h"
#include "kernels/basic_kernels.h"

namespace forebay::runtime {
namespace {

using kernel_abi::BlockContext;
using kernel_abi::DeviceServices;
using kernel_abi::EntryFunction;
using kernel_abi::FailureCause;

struct Failure {
  FailureCause cause;
  std::string detail;
};

// What the services work on.
struct FakeDevice {
  std::string printed;
  std::jmp_buf leave;
  Failure failure;
  std::function<void()> barrier;
} fake;
thread_local BlockContext block{0, 1};

int Print(const char* format, va_list arguments) {
  char line[256];
  const int bytes = std::vsnprintf(line, sizeof(line), format, arguments);
  fake.printed += line;
  return bytes;
}
void Fail(FailureCause cause, const char* detail) {
  fake.failure = {cause, detail};
  std::longjmp(fake.leave, 1);
}
const DeviceServices kServices = {
    kernel_abi::kVersion,   0,     [] { return static_cast<const BlockContext*>(&block); },
    [] { fake.barrier(); }, Print, Fail};

class Binary {
 public:
  // The kernel binary of that target.
  explicit Binary(const std::string& name)
      : handle_(dlopen(std::getenv(("TEST_KERNEL_" + name).c_str()), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      ADD_FAILURE() << dlerror();
      return;
    }
    reinterpret_cast<kernel_abi::BindFunction>(dlsym(handle_, kernel_abi::kBindSymbol))(&kServices);
    fake.printed.clear();
  }
  ~Binary() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Binary(const Binary&) = delete;
  Binary& operator=(const Binary&) = delete;

  EntryFunction Entry(const std::string& kernel) const {
    auto entry = reinterpret_cast<EntryFunction>(dlsym(handle_, (kernel_abi::kEntryPrefix + kernel).c_str()));
    EXPECT_NE(entry, nullptr) << kernel;
    return entry;
  }

 private:
  void* handle_;
};

// Runs the kernel, which may fail.
std::optional<Failure> RunBlock(EntryFunction entry, const void* arguments = nullptr) {
  if (setjmp(fake.leave) != 0) return fake.failure;
  entry(arguments);
  return std::nullopt;
}

TEST(KernelBinary, UnpacksArgumentsOfMixedSizes) {
  const Binary binary("basic_kernels");
  forebay_test::Mixed out{};
  struct {
    uint8_t small;
    void* out;
    float real;
    forebay_test::Triple triple;
    double wide;
  } arguments{200, &out, 1.5f, {1, 2, 3}, -0.25};
  RunBlock(binary.Entry("mixed_arguments"), &arguments);
  EXPECT_EQ(out.small, 200);
  EXPECT_EQ(out.real, 1.5f);
  EXPECT_EQ(out.triple.a, 1);
  EXPECT_EQ(out.triple.c, 3);
  EXPECT_EQ(out.wide, -0.25);
}

TEST(KernelBinary, UnpacksArgumentsThatAreNotAligned) {
  const Binary binary("basic_kernels");
  uint32_t words[3] = {};
  struct {
    void* data;
    uint32_t n, value;
  } arguments{words, 3, 9};
  unsigned char packed[sizeof(arguments) + 1];
  std::memcpy(packed + 1, &arguments, sizeof(arguments));
  RunBlock(binary.Entry("fill"), packed + 1);
  EXPECT_EQ(words[2], 9u);
}

TEST(KernelBinary, UnpacksTwentyArguments) {
  const Binary binary("basic_kernels");
  uint32_t out[19] = {};
  struct {
    void* out;
    uint8_t a1;
    uint64_t a2;
    int16_t a3;
    uint32_t a4;
    float a5;
    uint8_t a6;
    double a7;
    uint16_t a8;
    int64_t a9;
    bool a10;
    uint32_t a11;
    uint8_t a12, a13;
    uint16_t a14;
    int32_t a15;
    uint64_t a16;
    float a17;
    int8_t a18;
    uint32_t a19;
  } arguments{out, 1, 2, 3, 4, 5, 6, 7, 8, 9, true, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  RunBlock(binary.Entry("many_arguments"), &arguments);
  for (uint32_t i = 0; i < 19; ++i) EXPECT_EQ(out[i], i == 9 ? 1 : i + 1) << i;
}

TEST(KernelBinary, PassesLargeStructsByValue) {
  const Binary binary("basic_kernels");
  uint32_t sum = 0;
  struct {
    void* out;
    forebay_test::LargeStruct value;
  } arguments{&sum, {}};
  std::memset(arguments.value.bytes, 7, sizeof(arguments.value.bytes));
  RunBlock(binary.Entry("large_struct"), &arguments);
  EXPECT_EQ(sum, 2100u);
}

TEST(KernelBinary, TellsEachBlockItsPlace) {
  const Binary binary("basic_kernels");
  uint32_t out[6] = {};
  uint32_t data[10] = {};
  void* identity = out;
  struct {
    void* data;
    uint32_t n;
  } arguments{data, 10};
  for (uint32_t i = 0; i < 3; ++i) {
    block = {i, 3};
    RunBlock(binary.Entry("block_identity"), &identity);
    RunBlock(binary.Entry("add_one"), &arguments);
  }
  block = {0, 1};
  EXPECT_EQ(std::vector<uint32_t>(out, out + 6), (std::vector<uint32_t>{0, 3, 1, 3, 2, 3}));
  EXPECT_EQ(std::vector<uint32_t>(data, data + 10), std::vector<uint32_t>(10, 1));
}

TEST(KernelBinary, PrintsThroughTheDevice) {
  const Binary binary("basic_kernels");
  const uint32_t lines = 2;
  block = {4, 8};
  RunBlock(binary.Entry("print_lines"), &lines);
  block = {0, 1};
  EXPECT_EQ(fake.printed, "block 4 of 8: line 0\nblock 4 of 8: line 1\n");
  fake.printed.clear();
  RunBlock(binary.Entry("print_partial"));
  EXPECT_EQ(fake.printed, "one line in parts\nunfinished");
}

TEST(KernelBinary, PrintsThroughTheDeviceWhateverThePrintingFunction) {
  const Binary binary("scan_kernels");
  block = {3, 4};
  RunBlock(binary.Entry("prints"));
  block = {0, 1};
  EXPECT_EQ(fake.printed, "plain\nthrough std\n5%\nputs\nc3 7\n");
}

TEST(KernelBinary, CallsTheKernelOfANamespace) {
  const Binary binary("scan_kernels");
  int out = 0;
  void* argument = &out;
  RunBlock(binary.Entry("in_namespace"), &argument);
  EXPECT_EQ(out, 2);
}

TEST(KernelBinary, LeadsAbortExitAndAssertToTheDevice) {
  const Binary binary("fault_kernels");
  auto failure = RunBlock(binary.Entry("call_abort"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, FailureCause::kAbort);
  EXPECT_EQ(failure->detail, "abort()");
  failure = RunBlock(binary.Entry("call_exit"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, FailureCause::kExit);
  EXPECT_EQ(failure->detail, "exit(3)");
  failure = RunBlock(binary.Entry("assert_false"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, FailureCause::kAssertion);
  EXPECT_NE(failure->detail.find("fault_kernels.cpp:"), std::string::npos) << failure->detail;
  EXPECT_NE(failure->detail.find("assertion 'one == 2' failed"), std::string::npos) << failure->detail;
}

TEST(KernelBinary, WaitsAtTheBarrier) {
  const Binary binary("basic_kernels");
  const EntryFunction entry = binary.Entry("sync_blocks");
  uint32_t words[2] = {};  // the counter of one block, the number of mistakes
  struct {
    void* counters;
    uint32_t rounds;
  } arguments{words, 5};
  int calls = 0;
  fake.barrier = [&] { ++calls; };
  RunBlock(entry, &arguments);
  EXPECT_EQ(calls, 10);
  EXPECT_EQ(words[0], 5u);
  EXPECT_EQ(words[1], 0u);
  // A barrier that does not wait is found out.
  uint32_t counters[3] = {};
  arguments.counters = counters;
  for (uint32_t i = 0; i < 2; ++i) {
    block = {i, 2};
    RunBlock(entry, &arguments);
  }
  block = {0, 1};
  EXPECT_NE(counters[2], 0u);
}

TEST(KernelBinary, AppendsInTheOrderOfTheCalls) {
  const Binary binary("basic_kernels");
  uint32_t log[4] = {};
  for (uint32_t value : {30u, 10u, 20u}) {
    struct {
      void* log;
      uint32_t value;
    } arguments{log, value};
    RunBlock(binary.Entry("append"), &arguments);
  }
  EXPECT_EQ(std::vector<uint32_t>(log, log + 4), (std::vector<uint32_t>{3, 30, 10, 20}));
}

TEST(KernelBinary, WaitsForAFlag) {
  const Binary binary("basic_kernels");
  const EntryFunction wait = binary.Entry("wait_flag");
  const EntryFunction set = binary.Entry("set_flag");
  uint32_t flag = 0;
  struct {
    void* flag;
    uint32_t value;
  } arguments{&flag, 5};
  const base::Thread setter("set-flag", [&] { set(&arguments); });
  wait(&arguments);
  EXPECT_EQ(flag, 5u);
}

}  // namespace
}  // namespace forebay::runtime
