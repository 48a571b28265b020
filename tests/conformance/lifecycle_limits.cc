// Programs that have too little of something that a device needs.
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "acl/acl.h"
#include "conformance/lifecycle_program.h"

namespace {

// SetDevice must fail and name the limit. Lifted, the limit has left nothing behind.
bool SetDeviceNames(const char* limit) {
  const aclError code = aclrtSetDevice(0);
  if (code == ACL_SUCCESS) return false;
  const char* text = aclGetRecentErrMsg();
  const bool named = text != nullptr && std::strstr(text, limit) != nullptr;
  if (!named) std::fprintf(stderr, "%s is not named: %s\n", limit, text != nullptr ? text : "");
  CHECK(named);
  CHECK(code == ACL_ERROR_RT_DEV_SETUP_ERROR);
  return true;
}

rlimit Lower(int which, rlim_t value) {
  rlimit before{};
  getrlimit(static_cast<__rlimit_resource_t>(which), &before);
  const rlimit lower{value, before.rlim_max};
  CHECK(setrlimit(static_cast<__rlimit_resource_t>(which), &lower) == 0);
  return before;
}

}  // namespace

void LimitsAreNamed() {
  struct {
    int which;
    rlim_t value;
    const char* name;
  } limits[] = {
      {RLIMIT_FSIZE, 1 << 20, "RLIMIT_FSIZE"},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need addresses and files themselves
      {RLIMIT_NOFILE, 3, "RLIMIT_NOFILE"},
      {RLIMIT_AS, rlim_t{4} << 30, "device_memory is 100000 MiB"},
#endif
  };
  setenv("FOREBAY_DEVICE_MEMORY", "100000", 1);
  CHECK(aclInit(nullptr) == ACL_SUCCESS);
  for (const auto& limit : limits) {
    const rlimit before = Lower(limit.which, limit.value);
    CHECK(SetDeviceNames(limit.name));
    setrlimit(static_cast<__rlimit_resource_t>(limit.which), &before);
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Each file that is opened on the way may be the one too many.
  bool set = false;
  for (rlim_t files = 4; files < 24 && !set; ++files) {
    const rlimit before = Lower(RLIMIT_NOFILE, files);
    set = !SetDeviceNames("RLIMIT_NOFILE");
    setrlimit(RLIMIT_NOFILE, &before);
  }
  if (set) aclrtResetDevice(0);
#endif
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
  CHECK(aclFinalize() == ACL_SUCCESS);
}

void ThreadsRunOut() {
  // The limit does not hold for the superuser.
  if (geteuid() == 0 &&
      (setgroups(0, nullptr) != 0 || setresgid(64123, 64123, 64123) != 0 || setresuid(64123, 64123, 64123) != 0)) {
    return;
  }
  const char* firmware = std::getenv("FOREBAY_FIRMWARE");
  if (firmware != nullptr && access(firmware, X_OK) != 0) return;  // another user's home
  setenv("FOREBAY_CORE_THREADS", "2", 1);
  sigset_t mask_before, mask_after;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask_before);
  CHECK(aclInit(nullptr) == ACL_SUCCESS);
  const rlimit before = Lower(RLIMIT_NPROC, 0);
  // Each thread or process on the way may be the one too many.
  bool set = false;
  for (rlim_t tasks = 0; tasks < 16 && !set; ++tasks) {
    Lower(RLIMIT_NPROC, tasks);
    set = !SetDeviceNames("RLIMIT_NPROC");
  }
  pthread_sigmask(SIG_BLOCK, nullptr, &mask_after);
  CHECK(sigismember(&mask_after, SIGINT) == sigismember(&mask_before, SIGINT));
  if (!set) {
    setrlimit(RLIMIT_NPROC, &before);
    CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
    Lower(RLIMIT_NPROC, 0);
  }
  Lower(RLIMIT_NPROC, 0);
  std::atomic<int> runs{0};
  const auto count = [](void* runs_of) { ++*static_cast<std::atomic<int>*>(runs_of); };
  CHECK(aclrtLaunchHostFunc(nullptr, count, &runs) == ACL_ERROR_INTERNAL_ERROR);
  const char* text = aclGetRecentErrMsg();
  CHECK(text != nullptr && std::strstr(text, "RLIMIT_NPROC") != nullptr);
  setrlimit(RLIMIT_NPROC, &before);
  CHECK(aclrtLaunchHostFunc(nullptr, count, &runs) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(runs.load() == 1);
  // With one thread for them all, host functions take turns.
  Lower(RLIMIT_NPROC, 0);
  aclrtStream streams[4] = {};
  for (aclrtStream& stream : streams) {
    CHECK(aclrtCreateStream(&stream) == ACL_SUCCESS);
    CHECK(aclrtLaunchHostFunc(stream, count, &runs) == ACL_SUCCESS);
  }
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(runs.load() == 5);
  setrlimit(RLIMIT_NPROC, &before);
  CHECK(aclFinalize() == ACL_SUCCESS);
}

void SmallestMemory() {
  setenv("FOREBAY_DEVICE_MEMORY", "1", 1);
  setenv("FOREBAY_PINNED_MEMORY", "1", 1);
  CHECK(aclInit(nullptr) == ACL_SUCCESS);
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
  void* memory = nullptr;
  CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  CHECK(aclrtMemset(memory, 4096, 1, 4096) == ACL_SUCCESS);
  CHECK(aclrtFree(memory) == ACL_SUCCESS);
  CHECK(aclrtMallocHost(&memory, 64 << 20) != ACL_SUCCESS);
  const char* text = aclGetRecentErrMsg();
  CHECK(text != nullptr && std::strstr(text, "raise pinned_memory") != nullptr);
  CHECK(text != nullptr && std::strstr(text, "device_memory") == nullptr);
  CHECK(aclFinalize() == ACL_SUCCESS);
}
