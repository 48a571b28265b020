// How many instructions a submit takes: counted step by step in a child process, and compared with a record. Time would
// say as much about the machine and what else it does; this changes with the code only.
//
// One that takes 5 % more than the record fails. Change the record with the code, and say why it is worth it.
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "acl/acl.h"
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

constexpr int kWarmUp = 4096;
constexpr int kSubmits = 32;

// What the submits of the child work with, on a device that does nothing.
struct Objects {
  aclrtStream stream = nullptr, other = nullptr;
  aclrtEvent event = nullptr;
  aclrtFuncHandle kernel = nullptr;
  void* memory = nullptr;
  void* pinned = nullptr;
  uint32_t count = 1;
};

struct Path {
  const char* name;
  uint64_t recorded;  // instructions a submit, by the compiler and the options of the preset dev
  aclError (*submit)(Objects& objects);
};
void PrintTo(const Path& path, std::ostream* out) { *out << path.name; }

const Path kPaths[] = {
    {"Kernel", 702,
     [](Objects& o) {
       struct {
         void* data;
         uint32_t n;
       } arguments{o.memory, o.count};
       return aclrtLaunchKernelWithHostArgs(o.kernel, 1, o.stream, nullptr, &arguments, sizeof arguments, nullptr, 0);
     }},
    {"KernelByTheCppInterface", 1012,
     [](Objects& o) {
       void* arguments[] = {&o.memory, &o.count};
       const Status status =
           LaunchKernel(static_cast<KernelHandle>(o.kernel), static_cast<StreamHandle>(o.stream), arguments, 2);
       return static_cast<aclError>(status.code());
     }},
    {"Copy", 2707,
     [](Objects& o) { return aclrtMemcpyAsync(o.memory, 64, o.pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, o.stream); }},
    {"Fill", 1081, [](Objects& o) { return aclrtMemsetAsync(o.memory, 64, 0, 64, o.stream); }},
    {"Record", 881, [](Objects& o) { return aclrtRecordEvent(o.event, o.stream); }},
    {"Wait", 527, [](Objects& o) { return aclrtStreamWaitEvent(o.other, o.event); }},
};

[[noreturn]] void RunChild(const Path& path) {
  setenv("FOREBAY_DEVICE_MODE", "null", 1);
  Objects o;
  aclrtBinHandle binary = nullptr;
  bool ready = aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS &&
               aclrtCreateStream(&o.stream) == ACL_SUCCESS && aclrtCreateStream(&o.other) == ACL_SUCCESS &&
               aclrtCreateEventExWithFlag(&o.event, ACL_EVENT_SYNC) == ACL_SUCCESS &&
               aclrtBinaryLoadFromFile(KernelPath("basic_kernels").c_str(), nullptr, &binary) == ACL_SUCCESS &&
               aclrtBinaryGetFunction(binary, "add_one", &o.kernel) == ACL_SUCCESS &&
               aclrtMalloc(&o.memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS &&
               aclrtMallocHost(&o.pinned, 64) == ACL_SUCCESS && aclrtRecordEvent(o.event, o.stream) == ACL_SUCCESS;
  for (int i = 0; i < kWarmUp && ready; ++i) {
    ready = path.submit(o) == ACL_SUCCESS;
    if (i % 1024 == 1023) ready = ready && aclrtSynchronizeDevice() == ACL_SUCCESS;
  }
  if (!ready || ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
  kill(getpid(), SIGSTOP);
  for (int i = 0; i < kSubmits; ++i) {
    if (path.submit(o) != ACL_SUCCESS) _exit(2);
  }
  kill(getpid(), SIGSTOP);
  _exit(0);
}

// Of one submit. 0: the system does not let a process follow its child.
uint64_t CountInstructions(const Path& path) {
  const pid_t child = fork();
  if (child == 0) RunChild(path);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return 0;
  uint64_t steps = 0;
  for (;; ++steps) {
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) break;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) || WSTOPSIG(status) == SIGSTOP) break;
  }
  const bool whole = WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(whole) << "a submit of the child failed: " << status;
  return whole ? steps / kSubmits : 0;
}

class SubmitInstructions : public ::testing::TestWithParam<Path> {};

TEST_P(SubmitInstructions, AreNotMoreThanRecorded) {
#if __GNUC__ != 12 || !defined(__x86_64__)
  GTEST_SKIP() << "the record is for another compiler";
#endif
  const uint64_t count = CountInstructions(GetParam());
  if (count == 0) GTEST_SKIP() << "the system does not let a process follow its child";
  RecordProperty("instructions", std::to_string(count));
  EXPECT_LE(count * 100, GetParam().recorded * 105) << count << " instructions, recorded are " << GetParam().recorded;
  EXPECT_GE(count * 100, GetParam().recorded * 90) << count << " instructions: record that it became better";
}

INSTANTIATE_TEST_SUITE_P(Paths, SubmitInstructions, ::testing::ValuesIn(kPaths),
                         [](const auto& path) { return std::string(path.param.name); });

}  // namespace
}  // namespace forebay::testing
