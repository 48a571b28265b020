// What every AscendCL program needs: calls that are checked, resources that release themselves in the right order, and
// streams whose tasks read like function calls. Nothing in here knows about digits.
#pragma once

#include <acl/acl.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

// Evaluates an AscendCL call; a failure is thrown with the call, the code and what the runtime says about it.
#define ACL_CHECK(call) CheckCall((call), #call)

inline void CheckCall(aclError code, const char* call) {
  if (code == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(call) + " failed with " + std::to_string(code) + ": " +
                           (message != nullptr ? message : "the runtime gives no reason"));
}

// The same where nothing may be thrown. While another failure is on its way out, what follows from it is not reported.
inline void CheckRelease(aclError code, const char* what) {
  if (code != ACL_SUCCESS && std::uncaught_exceptions() == 0) std::fprintf(stderr, "%s failed with %d\n", what, code);
}

// Locals are destroyed in reverse order. Declare Library, Device, kernels, memory, streams, events: then events and
// streams go first (destroying a stream waits for its tasks), memory that no task uses any more follows.
struct Library {
  Library() { ACL_CHECK(aclInit(nullptr)); }
  ~Library() { CheckRelease(aclFinalize(), "aclFinalize"); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

class Device {
 public:
  explicit Device(int32_t id) : id_(id) { ACL_CHECK(aclrtSetDevice(id)); }
  ~Device() { CheckRelease(aclrtResetDevice(id_), "aclrtResetDevice"); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

 private:
  int32_t id_;
};

template <aclError (*Release)(void*)>
struct ReleaseBy {
  void operator()(void* resource) const { CheckRelease(Release(resource), "releasing a resource"); }
};

// Memory for one T. A DeviceMemory pointer is an address on the device: naming a member array (`batch->labels`) only
// computes another address and is fine, reading or writing through it on the host is not.
template <typename T>
using DeviceMemory = std::unique_ptr<T, ReleaseBy<aclrtFree>>;
template <typename T>
using PinnedMemory = std::unique_ptr<T, ReleaseBy<aclrtFreeHost>>;

template <typename T>
DeviceMemory<T> NewOnDevice() {
  void* address = nullptr;
  ACL_CHECK(aclrtMalloc(&address, sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST));
  return DeviceMemory<T>(static_cast<T*>(address));
}

template <typename T>
PinnedMemory<T> NewPinned() {
  void* address = nullptr;
  ACL_CHECK(aclrtMallocHost(&address, sizeof(T)));
  return PinnedMemory<T>(static_cast<T*>(address));
}

class KernelBinary {
 public:
  explicit KernelBinary(const std::string& path) {
    aclrtBinHandle handle = nullptr;
    ACL_CHECK(aclrtBinaryLoadFromFile(path.c_str(), nullptr, &handle));
    handle_.reset(handle);
  }
  aclrtFuncHandle Find(const char* name) const {
    aclrtFuncHandle function = nullptr;
    ACL_CHECK(aclrtBinaryGetFunction(handle_.get(), name, &function));
    return function;
  }

 private:
  std::unique_ptr<void, ReleaseBy<aclrtBinaryUnLoad>> handle_;
};

// Orders streams, and has a time stamp once it is complete.
class Event {
 public:
  Event() {
    aclrtEvent handle = nullptr;
    ACL_CHECK(aclrtCreateEventExWithFlag(&handle, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    handle_.reset(handle);
  }
  aclrtEvent get() const { return handle_.get(); }
  void Synchronize() const { ACL_CHECK(aclrtSynchronizeEvent(get())); }
  uint64_t Microseconds() const {
    uint64_t timestamp = 0;
    ACL_CHECK(aclrtEventGetTimestamp(get(), &timestamp));
    return timestamp;
  }

 private:
  std::unique_ptr<void, ReleaseBy<aclrtDestroyEvent>> handle_;
};

struct TaskCount {
  size_t kernels = 0, copies = 0, records = 0, waits = 0;
};

// What is called here is only queued, and counted in `tasks`. It runs later and in this order.
class Stream {
 public:
  explicit Stream(TaskCount& tasks) : tasks_(tasks) {
    aclrtStream handle = nullptr;
    ACL_CHECK(aclrtCreateStream(&handle));
    handle_.reset(handle);
    // By default a stream goes on behind a task that failed, and works on what that task has left undone.
    ACL_CHECK(aclrtSetStreamFailureMode(handle, ACL_STOP_ON_FAILURE));
  }

  // The arguments are packed as the members of a C struct and copied before the call returns. Their types have to be
  // those of the kernel's parameters.
  template <typename... Arguments>
  void Launch(aclrtFuncHandle kernel, uint32_t blocks, Arguments... arguments) {
    static_assert(((std::is_pointer_v<Arguments> || sizeof(Arguments) == 4) && ...), "not an address or 32 bits");
    alignas(8) unsigned char packed[8 * sizeof...(Arguments)] = {};
    size_t size = 0;
    const auto append = [&](auto value) {
      size = (size + sizeof(value) - 1) / sizeof(value) * sizeof(value);
      std::memcpy(packed + size, &value, sizeof(value));
      size += sizeof(value);
    };
    (append(arguments), ...);
    size = (size + 7) / 8 * 8;
    ACL_CHECK(aclrtLaunchKernelWithHostArgs(kernel, blocks, handle_.get(), nullptr, packed, size, nullptr, 0));
    ++tasks_.kernels;
  }

  // On the host T lies in pinned memory: with pageable memory the call would wait for the copy.
  template <typename T>
  void Copy(T* to, const T* from, aclrtMemcpyKind kind) {
    ACL_CHECK(aclrtMemcpyAsync(to, sizeof(T), from, sizeof(T), kind, handle_.get()));
    ++tasks_.copies;
  }

  void Record(const Event& event) {
    ACL_CHECK(aclrtRecordEvent(event.get(), handle_.get()));
    ++tasks_.records;
  }

  void WaitFor(const Event& event) {
    ACL_CHECK(aclrtStreamWaitEvent(handle_.get(), event.get()));
    ++tasks_.waits;
  }

  // Waits for all its tasks. Fails when one of them has failed, which an event does not always tell.
  void Synchronize() const { ACL_CHECK(aclrtSynchronizeStream(handle_.get())); }

 private:
  std::unique_ptr<void, ReleaseBy<aclrtDestroyStream>> handle_;
  TaskCount& tasks_;
};
