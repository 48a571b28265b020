// What the conformance tests share. They use the library as a program does: its headers, its symbols, nothing else.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "conformance/watchdog.h"

namespace conformance {

// What a failing call explained, for the message of an assertion.
inline std::string Messages() {
  const char* text = aclGetRecentErrMsg();
  return text != nullptr ? text : "";
}

#define EXPECT_CODE(code, call) EXPECT_EQ(code, call) << conformance::Messages()
#define EXPECT_OK(call) EXPECT_EQ(ACL_SUCCESS, call) << conformance::Messages()
#define ASSERT_CODE(code, call) ASSERT_EQ(code, call) << conformance::Messages()
#define ASSERT_OK(call) ASSERT_EQ(ACL_SUCCESS, call) << conformance::Messages()

inline void ExpectIn(const std::string& text, const std::string& part) {
  EXPECT_NE(std::string::npos, text.find(part)) << part << "\nis not in\n" << text;
}

inline bool IsInline() {
  const char* mode = std::getenv("FOREBAY_DEVICE_MODE");
  return mode != nullptr && std::strcmp(mode, "inline") == 0;
}

// ThreadSanitizer keeps signals back from a kernel that loops, so that it cannot be stopped.
#if defined(__SANITIZE_THREAD__)
#define NEEDS_STOPPABLE_KERNELS() GTEST_SKIP() << "ThreadSanitizer keeps the signals back that stop a kernel"
#else
#define NEEDS_STOPPABLE_KERNELS() static_cast<void>(0)
#endif

inline std::string KernelPath(const std::string& name) {
  const char* path = std::getenv(("TEST_KERNEL_" + name).c_str());
  return path != nullptr ? path : "";
}

// What an output holds that must not be written.
template <typename T>
T Untouched() {
  T value{};
  std::memset(&value, 0x5A, sizeof value);
  return value;
}

template <typename T>
bool IsUntouched(const T& value) {
  const T expected = Untouched<T>();
  return std::memcmp(&value, &expected, sizeof value) == 0;
}

// An enumerator that the headers do not have, as a program in C may pass it.
template <typename Enumeration>
Enumeration NoSuch(int value) {
  Enumeration enumeration;
  static_assert(sizeof enumeration == sizeof value);
  std::memcpy(&enumeration, &value, sizeof value);
  return enumeration;
}

// Runs `body` in a thread that has no device yet.
inline void InThread(const std::function<void()>& body) { std::thread(body).join(); }

// Started, and on device 0. Everything ends with the test.
class WithDevice : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(aclInit(nullptr));
    ASSERT_OK(aclrtSetDevice(0));
  }
  void TearDown() override {
    aclFinalize();
    Messages();
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }
};

// A configuration file for aclInit, for as long as it is needed.
class InitFile {
 public:
  explicit InitFile(const std::string& content)
      : path_(testing::TempDir() + "forebay_acl_" + std::to_string(getpid()) + ".json") {
    FILE* file = std::fopen(path_.c_str(), "we");
    EXPECT_TRUE(file != nullptr && std::fputs(content.c_str(), file) >= 0 && std::fclose(file) == 0) << path_;
  }
  ~InitFile() { std::remove(path_.c_str()); }
  InitFile(const InitFile&) = delete;
  InitFile& operator=(const InitFile&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  const std::string path_;
};

// A host function that does not return before it is told to: what is queued behind it waits.
class Gate {
 public:
  Gate() = default;
  ~Gate() { Open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  aclError Close(aclrtStream stream) {
    return aclrtLaunchHostFunc(
        stream,
        [](void* argument) {
          auto* state = static_cast<State*>(argument);
          std::unique_lock lock(state->mutex);
          state->reached = true;
          state->changed.notify_all();
          state->changed.wait(lock, [state] { return state->open; });
        },
        &state_);
  }
  void WaitUntilReached() {
    std::unique_lock lock(state_.mutex);
    state_.changed.wait(lock, [this] { return state_.reached; });
  }
  void Open() {
    std::unique_lock lock(state_.mutex);
    state_.open = true;
    state_.changed.notify_all();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool reached = false;
    bool open = false;
  };
  // The function may run after the gate has gone, so that what it looks at stays.
  static State& Make() {
    static std::mutex mutex;
    static std::list<State> all;
    std::unique_lock lock(mutex);
    return all.emplace_back();
  }

  State& state_ = Make();
};

// Words in device memory.
class Words {
 public:
  explicit Words(std::size_t count) : bytes_(count * sizeof(uint32_t)) {
    EXPECT_OK(aclrtMalloc(&address_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtMemset(address_, bytes_, 0, bytes_));
  }
  ~Words() { aclrtFree(address_); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  void* get() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  uint32_t operator[](std::size_t i) const {
    uint32_t value = 0;
    EXPECT_OK(aclrtMemcpy(&value, sizeof value, static_cast<const char*>(address_) + i * sizeof value, sizeof value,
                          ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
  }

 private:
  void* address_ = nullptr;
  std::size_t bytes_;
};

inline aclrtBinHandle Load(const std::string& name) {
  aclrtBinHandle binary = nullptr;
  EXPECT_OK(aclrtBinaryLoadFromFile(KernelPath(name).c_str(), nullptr, &binary));
  return binary;
}

inline aclrtFuncHandle Function(aclrtBinHandle binary, const char* name) {
  aclrtFuncHandle function = nullptr;
  EXPECT_OK(aclrtBinaryGetFunction(binary, name, &function));
  return function;
}

// Arguments for the kernels that most tests launch.
struct DataAndCount {
  void* data;
  uint32_t n;
};

template <typename Arguments>
aclError Launch(aclrtFuncHandle function, aclrtStream stream, Arguments arguments) {
  return aclrtLaunchKernelWithHostArgs(function, 1, stream, nullptr, &arguments, sizeof arguments, nullptr, 0);
}

// Handles that never were one: small numbers, addresses, and bits set at random.
inline std::vector<void*> MadeUpHandles(void* genuine) {
  static int object = 0;
  std::vector<void*> handles = {reinterpret_cast<void*>(1), reinterpret_cast<void*>(~uintptr_t{0}), &object,
                                reinterpret_cast<void*>(&IsInline)};
  const auto bits = reinterpret_cast<uintptr_t>(genuine);
  // The low bits number the objects, so that changing one of those may name another.
  for (int shift = 24; shift < 64; ++shift) handles.push_back(reinterpret_cast<void*>(bits ^ uintptr_t{1} << shift));
  uint64_t state = 12345;
  for (int i = 0; i < 1000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    handles.push_back(reinterpret_cast<void*>(state | 1));
  }
  return handles;
}

}  // namespace conformance
