// Programs that call exit where it is least expected, and that use AscendCL later than anything else runs.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "acl/acl.h"
#include "conformance/lifecycle_program.h"
#include "forebay/runtime.h"

namespace {

namespace fs = std::filesystem;

fs::path MakeDirectory() {
  std::string name = (fs::temp_directory_path() / "forebay_exit_XXXXXX").string();
  CHECK(mkdtemp(name.data()) != nullptr);
  return name;
}

// ---- After everything else ----

// What the program still has when its last function runs.
struct Late {
  bool is_wanted = false;
  bool is_finalized = false;
  char directory[256] = {};
  void* memory = nullptr;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
};
constinit Late late;

bool LogHas(const std::string& text) {
  std::error_code none;
  for (const auto& file : fs::recursive_directory_iterator(late.directory, none)) {
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      if (line.find(text) != std::string::npos) return true;
    }
  }
  return false;
}

// Nothing that has a destructor is left, neither of the program nor of any library.
void RunLast(void*) {
  if (!late.is_wanted) return;
  ACL_APP_LOG(ACL_ERROR, "the last words");
  CHECK(LogHas("the last words"));
  CHECK(aclrtSetDevice(99) == ACL_ERROR_RT_INVALID_DEVICEID);
  CHECK(LogHas("107001"));
  const char* text = aclGetRecentErrMsg();
  CHECK(text != nullptr && std::string(text).find("107001") != std::string::npos);
  CHECK(forebay::DumpState().find("forebay: state of process ") == 0);
  const bool works = !late.is_finalized;
  const auto as_expected = [&](aclError code) { return (code == ACL_SUCCESS) == works; };
  CHECK(as_expected(aclrtMemsetAsync(late.memory, 4096, 1, 4096, late.stream)));
  CHECK(as_expected(aclrtRecordEvent(late.event, late.stream)));
  CHECK(as_expected(aclrtSynchronizeStream(late.stream)));
  CHECK(as_expected(aclrtFree(late.memory)));
  CHECK(as_expected(aclrtDestroyEvent(late.event)));
  CHECK(as_expected(aclrtDestroyStream(late.stream)));
  CHECK(as_expected(aclFinalize()));
  fs::remove_all(late.directory);
  if (failed) _exit(1);
}

// Functions at exit run in the opposite order of their registration. This one is registered before any library has
// made its static objects, and belongs to none. The sanitizers are not ready then.
extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* library);  // NOLINT: the system's name
void RegisterLast() { __cxa_atexit(&RunLast, nullptr, nullptr); }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
__attribute__((section(".preinit_array"), used)) void (*const register_first)() = &RegisterLast;
#endif

void PrepareLast(bool finalizes) {
  const std::string directory = MakeDirectory().string();
  CHECK(directory.copy(late.directory, sizeof late.directory - 1) == directory.size());
  setenv("ASCEND_PROCESS_LOG_PATH", late.directory, 1);
  Start();
  CHECK(aclrtMalloc(&late.memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  CHECK(aclrtCreateStream(&late.stream) == ACL_SUCCESS);
  CHECK(aclrtCreateEvent(&late.event) == ACL_SUCCESS);
  CHECK(aclrtMemsetAsync(late.memory, 4096, 1, 4096, late.stream) == ACL_SUCCESS);
  CHECK(aclrtRecordEvent(late.event, late.stream) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(late.stream) == ACL_SUCCESS);
  late.is_finalized = finalizes;
  if (finalizes) CHECK(aclFinalize() == ACL_SUCCESS);
  if (kIsSanitized) RegisterLast();
  late.is_wanted = true;
}

// ---- In a signal handler ----

// Allocates and frees, and if so submits and waits, until it is ended. 'w' says that it works.
void WorkForEver(int file, bool submits) {
  aclrtStream stream = nullptr;
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
  CHECK(aclrtCreateStream(&stream) == ACL_SUCCESS);
  aclrtEvent event = nullptr;
  CHECK(aclrtCreateEvent(&event) == ACL_SUCCESS);
  // What the thread is told is its own.
  CHECK(aclrtSetDevice(99) != ACL_SUCCESS);
  for (uint64_t i = 0; !failed; ++i) {
    void* blocks[4] = {};
    for (void*& block : blocks) {
      CHECK(aclrtMalloc(&block, std::size_t{100} << (i % 16), ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
      if (!submits) continue;
      CHECK(aclrtMemsetAsync(block, 100, 1, 100, stream) == ACL_SUCCESS);
      CHECK(aclrtRecordEvent(event, stream) == ACL_SUCCESS);
    }
    if (submits && i % 8 == 0) CHECK(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
    for (void* block : blocks) CHECK(aclrtFree(block) == ACL_SUCCESS);
    if (i == 16 && file >= 0) CHECK(write(file, "w", 1) == 1);
  }
  _exit(4);
}

void WorkUntilTheHandlerExits(int file, bool submits, bool has_threads) {
  alarm(30);  // one that hangs is ended by it
  signal(SIGTERM, [](int) { std::exit(0); });
  CHECK(aclInit(nullptr) == ACL_SUCCESS);
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
  void* shared = nullptr;
  char key[65];
  CHECK(aclrtMalloc(&shared, 2 << 20, ACL_MEM_MALLOC_HUGE_ONLY) == ACL_SUCCESS);
  CHECK(aclrtIpcMemGetExportKey(shared, 2 << 20, key, sizeof key, 0) == ACL_SUCCESS);
  // The signal may find either thread.
  if (has_threads) std::thread([submits] { WorkForEver(-1, submits); }).detach();
  WorkForEver(file, submits);
}

bool IsEmptySoon(const fs::path& directory) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!fs::is_empty(directory)) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

void CallsAfterTheEnd() { PrepareLast(/*finalizes=*/true); }
void CallsAfterMainWithoutFinalize() { PrepareLast(/*finalizes=*/false); }

void ExitInASignalHandler() {
  if (kIsSanitized) return;  // their own functions at exit take locks
  const char* mode = std::getenv("FOREBAY_DEVICE_MODE");
  const bool is_inline = mode != nullptr && std::string(mode) == "inline";
  const fs::path directory = MakeDirectory();
  setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
  // Filling memory takes the most time of all, and holds no lock.
  setenv("FOREBAY_POISON", "0", 1);
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same moments each time
  for (int i = 0; i < 50 && !failed; ++i) {
    int ends[2] = {};
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) WorkUntilTheHandlerExits(ends[1], /*submits=*/i % 3 == 0, /*has_threads=*/i % 4 == 3);
    close(ends[1]);
    char what = 0;
    CHECK(read(ends[0], &what, 1) == 1);
    const auto moment = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 500);
    while (std::chrono::steady_clock::now() < moment) {
    }
    CHECK(kill(child, SIGTERM) == 0);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (WIFSIGNALED(status)) std::fprintf(stderr, "round %d: signal %d\n", i, WTERMSIG(status));
    close(ends[0]);
    // What it shared is taken away by its device, or else by the next program that sets one.
    if (!is_inline) CHECK(IsEmptySoon(directory));
  }
  Start();
  CHECK(aclFinalize() == ACL_SUCCESS);
  CHECK(IsEmptySoon(directory));
  fs::remove_all(directory);
}
