// Programs that end, or go on after an end, in unusual ways. The first argument says which; each exits with 0 when all
// it saw was as documented.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "acl/acl.h"
#include "conformance/lifecycle_program.h"

bool failed = false;

void Check(bool holds, const char* what, int line) {
  if (holds) return;
  const char* text = aclGetRecentErrMsg();
  std::fprintf(stderr, "line %d: %s\n%s\n", line, what, text != nullptr ? text : "");
  failed = true;
}

void Start() {
  CHECK(aclInit(nullptr) == ACL_SUCCESS);
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
}

namespace {

// Frees what it holds when static objects are destroyed, which is after main and after the end of AscendCL.
struct Holder {
  void* memory = nullptr;
  void* pinned = nullptr;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  aclrtContext context = nullptr;
  aclDataBuffer* buffer = nullptr;

  void Take() {
    CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    CHECK(aclrtMallocHost(&pinned, 4096) == ACL_SUCCESS);
    CHECK(aclrtCreateStream(&stream) == ACL_SUCCESS);
    CHECK(aclrtCreateEvent(&event) == ACL_SUCCESS);
    CHECK(aclrtRecordEvent(event, stream) == ACL_SUCCESS);
    buffer = aclCreateDataBuffer(memory, 4096);
    aclrtContext before = nullptr;
    CHECK(aclrtGetCurrentContext(&before) == ACL_SUCCESS);
    CHECK(aclrtCreateContext(&context, 0) == ACL_SUCCESS);
    CHECK(aclrtSetCurrentContext(before) == ACL_SUCCESS);
  }
  ~Holder() {
    if (memory == nullptr) return;
    CHECK(aclrtFree(memory) != ACL_SUCCESS);
    CHECK(aclrtFreeHost(pinned) != ACL_SUCCESS);
    CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    CHECK(aclrtDestroyStream(stream) != ACL_SUCCESS);
    CHECK(aclrtDestroyEvent(event) != ACL_SUCCESS);
    CHECK(aclrtDestroyContext(context) != ACL_SUCCESS);
    CHECK(aclrtResetDevice(0) != ACL_SUCCESS);
    CHECK(aclFinalize() == ACL_ERROR_REPEAT_FINALIZE);
    CHECK(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_REPEAT_FINALIZE);
    CHECK(aclDestroyDataBuffer(buffer) == ACL_SUCCESS);
    CHECK(std::strcmp(aclrtGetSocName(), "Ascend910B3") == 0);
    uint32_t count = 0;
    CHECK(aclrtGetDeviceCount(&count) == ACL_SUCCESS);
    aclGetRecentErrMsg();
    if (failed) _exit(1);
  }
};
Holder holder;

void StaticObjects() {
  Start();
  holder.Take();
  CHECK(aclFinalize() == ACL_SUCCESS);
}

// A17: two libraries start AscendCL, and each ends it by its own count. Static objects free what they hold after the
// end of both, and AscendCL starts again in between.
void TwoLibraries() {
  Start();
  CHECK(aclInit(nullptr) == ACL_ERROR_REPEAT_INITIALIZE);
  holder.Take();
  uint64_t left = 9;
  CHECK(aclFinalizeReference(&left) == ACL_SUCCESS && left == 1);
  // The second library goes on with what the first one made.
  CHECK(aclrtMemset(holder.memory, 4096, 1, 4096) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(holder.stream) == ACL_SUCCESS);
  CHECK(aclFinalizeReference(&left) == ACL_SUCCESS && left == 0);
  CHECK(aclrtFree(holder.memory) != ACL_SUCCESS);
  Start();
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(aclFinalizeReference(nullptr) == ACL_SUCCESS);
}

// As StaticObjects, and then as if a second library came.
void StaticObjectsAfterASecondStart() {
  StaticObjects();
  Start();
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(aclFinalize() == ACL_SUCCESS);
}

void WithoutFinalize() {
  Start();
  void* memory = nullptr;
  CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  CHECK(aclrtMemsetAsync(memory, 4096, 1, 4096, nullptr) == ACL_SUCCESS);
}

void ExitWhileWorkIsPending() {
  Start();
  CHECK(aclrtLaunchHostFunc(nullptr, [](void*) { pause(); }, nullptr) == ACL_SUCCESS);
  void* memory = nullptr;
  CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  CHECK(aclrtMemsetAsync(memory, 4096, 1, 4096, nullptr) == ACL_SUCCESS);
}

// A kernel that never ends by itself, on a stream of its own. The sanitizers cannot follow how it is stopped.
void StartEndlessKernel() {
  Start();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  aclrtStream stream = nullptr;
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle endless = nullptr;
  const char* path = std::getenv("TEST_KERNEL_fault_kernels");
  CHECK(path != nullptr && aclrtBinaryLoadFromFile(path, nullptr, &binary) == ACL_SUCCESS);
  CHECK(aclrtBinaryGetFunction(binary, "loop_forever", &endless) == ACL_SUCCESS);
  CHECK(aclrtCreateStream(&stream) == ACL_SUCCESS);
  aclrtArgsHandle none = nullptr;
  CHECK(aclrtKernelArgsInit(endless, &none) == ACL_SUCCESS && aclrtKernelArgsFinalize(none) == ACL_SUCCESS);
  CHECK(aclrtLaunchKernelWithConfig(endless, 1, stream, nullptr, none, nullptr) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStreamWithTimeout(stream, 20) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
#endif
}

void ExitWhileAKernelRuns() { StartEndlessKernel(); }

void QuickExitWhileAKernelRuns() {
  StartEndlessKernel();
  _exit(failed ? 1 : 0);
}

void ExitWhileThreadsWork() {
  Start();
  static std::atomic<int> running{0};
  for (int i = 0; i < 2; ++i) {
    std::thread([] {
      aclrtSetDevice(0);
      ++running;
      for (;;) {
        void* memory = nullptr;
        if (aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) continue;
        aclrtMemsetAsync(memory, 4096, 1, 4096, nullptr);
        aclrtSynchronizeStream(nullptr);
        aclrtFree(memory);
      }
    }).detach();
  }
  while (running.load() != 2) std::this_thread::yield();
}

// A thread that ends after main began to return still has its context.
void ThreadsEndWithAContext() {
  Start();
  for (int i = 0; i < 20; ++i) {
    std::thread([] {
      aclrtContext context = nullptr;
      CHECK(aclrtCreateContext(&context, 0) == ACL_SUCCESS);
      CHECK(aclrtFree(nullptr) != ACL_SUCCESS);
    }).join();
  }
  CHECK(aclFinalize() == ACL_SUCCESS);
}

// True in a child of fork, which has the memory of the parent's threads but not the threads: a search for leaks takes
// what only they hold for lost, and waits for locks of the allocator that they held.
bool forked_child = false;

pid_t Fork() {
  const pid_t child = fork();
  forked_child = child == 0;
  return child;
}

int Join(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// A18: questions only before the fork.
void ForkAfterQuestions() {
  uint32_t count = 0;
  CHECK(aclInit(nullptr) == ACL_SUCCESS);
  CHECK(aclrtGetDeviceCount(&count) == ACL_SUCCESS);
  CHECK(aclrtGetSocName() != nullptr);
  const pid_t child = Fork();
  if (child == 0) {
    void* memory = nullptr;
    CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
    CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    CHECK(aclrtMemset(memory, 4096, 1, 4096) == ACL_SUCCESS);
    CHECK(aclFinalize() == ACL_SUCCESS);
    std::exit(failed ? 1 : 0);
  }
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
  CHECK(Join(child) == 0);
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(aclFinalize() == ACL_SUCCESS);
}

// A18: devices, and threads that work with them, before the fork.
void ForkOfAUsedParent() {
  Start();
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
    while (!stop.load()) CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  });
  void* memory = nullptr;
  CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  CHECK(aclrtMemset(memory, 4096, 1, 4096) == ACL_SUCCESS);
  const pid_t child = Fork();
  if (child == 0) {
    alarm(20);  // one that hangs is ended by it
    const auto before = std::chrono::steady_clock::now();
    void* mine = nullptr;
    CHECK(aclrtMalloc(&mine, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INTERNAL_ERROR);
    CHECK(mine == nullptr);
    const char* text = aclGetRecentErrMsg();
    CHECK(text != nullptr && std::strstr(text, "forked off one whose devices were in use") != nullptr);
    CHECK(aclrtSynchronizeDevice() == ACL_ERROR_INTERNAL_ERROR);
    CHECK(aclrtFree(memory) == ACL_ERROR_INTERNAL_ERROR);
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(2));
    std::exit(failed ? 1 : 0);  // with all that static objects do
  }
  CHECK(Join(child) == 0);
  stop = true;
  worker.join();
  // The parent did not notice.
  CHECK(aclrtMemsetAsync(memory, 4096, 1, 4096, nullptr) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(aclFinalize() == ACL_SUCCESS);
}

// A child that starts another program has nothing of the parent's devices in it.
void ForkAndExec() {
  Start();
  const pid_t child = Fork();
  if (child == 0) {
    execl("/proc/self/exe", "lifecycle_program", "without_finalize", nullptr);
    _exit(9);
  }
  CHECK(Join(child) == 0);
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(aclFinalize() == ACL_SUCCESS);
}

void Say(int file, char what) { CHECK(write(file, &what, 1) == 1); }

// Works as well as it can until somebody ends it, and says so in between: 'w' after some work, and 'r' when it has got
// a device anew after it had lost the first.
void WorkUntilKilled(int file) {
  for (;;) {
    aclError code = aclrtSetDevice(0);
    void* memory = nullptr;
    char key[65];
    if (code == ACL_SUCCESS) code = aclrtMalloc(&memory, 2 << 20, ACL_MEM_MALLOC_HUGE_ONLY);
    if (code == ACL_SUCCESS) code = aclrtIpcMemGetExportKey(memory, 2 << 20, key, sizeof key, 0);
    while (code == ACL_SUCCESS) {
      for (int i = 0; i < 20 && code == ACL_SUCCESS; ++i) code = aclrtMemsetAsync(memory, 2 << 20, i, 4096, nullptr);
      if (code == ACL_SUCCESS) code = aclrtSynchronizeStream(nullptr);
      if (code == ACL_SUCCESS) Say(file, 'w');
    }
    aclrtResetDeviceForce(0);
    Say(file, 'r');
  }
}

void WorkUntilKilledOnStandardOutput() {
  CHECK(aclInit(nullptr) == ACL_SUCCESS);
  WorkUntilKilled(STDOUT_FILENO);
}

// The default action, in whatever the program is doing; and the next program does not notice.
void TerminatedInALaunch() {
  for (int i = 0; i < 5; ++i) {
    int ends[2] = {};
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      if (aclInit(nullptr) == ACL_SUCCESS) WorkUntilKilled(ends[1]);
      _exit(3);
    }
    close(ends[1]);
    char what = 0;
    for (int done = 0; done <= i; ++done) CHECK(read(ends[0], &what, 1) == 1);
    close(ends[0]);
    CHECK(kill(child, SIGTERM) == 0);
    const int status = Join(child);
    // A write into the closed pipe may come first.
    CHECK(WIFSIGNALED(status) && (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGPIPE));
  }
  Start();
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(aclFinalize() == ACL_SUCCESS);
}

volatile sig_atomic_t signals_seen = 0;

// A signal that is sent is the program's affair, also where the device looks at faults.
void SentSignalsArrive() {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) _exit(3);
    kill(getpid(), SIGSEGV);
    pause();
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  signal(SIGSEGV, [](int) { signals_seen = signals_seen + 1; });
  signal(SIGFPE, SIG_IGN);
  CHECK(aclInit(nullptr) == ACL_SUCCESS);
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
  for (int i = 1; i <= 3; ++i) {
    CHECK(raise(SIGSEGV) == 0);
    CHECK(signals_seen == i);
  }
  CHECK(raise(SIGFPE) == 0);
  CHECK(aclFinalize() == ACL_SUCCESS);
}

struct Program {
  const char* name;
  void (*run)();
};
constexpr Program kPrograms[] = {
    {"static_objects", StaticObjects},
    {"static_objects_after_second_start", StaticObjectsAfterASecondStart},
    {"a17_two_libraries", TwoLibraries},
    {"without_finalize", WithoutFinalize},
    {"exit_while_work_is_pending", ExitWhileWorkIsPending},
    {"exit_while_a_kernel_runs", ExitWhileAKernelRuns},
    {"quick_exit_while_a_kernel_runs", QuickExitWhileAKernelRuns},
    {"terminated_in_a_launch", TerminatedInALaunch},
    {"work_until_killed", WorkUntilKilledOnStandardOutput},
    {"exit_while_threads_work", ExitWhileThreadsWork},
    {"threads_end_with_a_context", ThreadsEndWithAContext},
    {"a18_fork_after_questions", ForkAfterQuestions},
    {"a18_fork_of_a_used_parent", ForkOfAUsedParent},
    {"fork_and_exec", ForkAndExec},
    {"calls_after_the_end", CallsAfterTheEnd},
    {"calls_after_main_without_finalize", CallsAfterMainWithoutFinalize},
    {"exit_in_a_signal_handler", ExitInASignalHandler},
    {"limits_are_named", LimitsAreNamed},
    {"threads_run_out", ThreadsRunOut},
    {"smallest_memory", SmallestMemory},
    {"sent_signals_arrive", SentSignalsArrive},
};

}  // namespace

// Asked by LeakSanitizer before it searches.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return forked_child ? 1 : 0; }

int main(int argc, char** argv) {
  for (const Program& program : kPrograms) {
    if (argc != 2 || std::string(argv[1]) != program.name) continue;
    program.run();
    return failed ? 1 : 0;
  }
  std::fprintf(stderr, "there is no such program\n");
  return 2;
}
