// What a launch costs through AscendCL: submit, sustained rate, round trip, event hop, allocation.
//
// Times on a small shared machine change by themselves, so every figure stands beside a reference that is measured in
// the same round, in turns of some milliseconds, and the ratio is what counts. Prints a table; the device mode comes
// from FOREBAY_DEVICE_MODE.
//
//   launch_costs KERNELS [ROUNDS]      KERNELS: launch_kernels.o
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"

namespace {

void Check(aclError error, const char* what) {
  if (error == ACL_SUCCESS) return;
  const char* text = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s: %d\n%s", what, error, text != nullptr ? text : "");
  std::exit(1);
}
#define CHECK(call) Check(call, #call)

double NowNs() {
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// Nanoseconds of one of `count` repetitions.
template <typename Body>
double PerCall(int count, Body body) {
  const double start = NowNs();
  for (int i = 0; i < count; ++i) body();
  return (NowNs() - start) / count;
}

struct Series {
  std::vector<double> values;
  void Add(double value) { values.push_back(value); }
  double At(double quantile) const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<size_t>(quantile * static_cast<double>(sorted.size() - 1))];
  }
};

// ---- References ----

// A 64-byte slot pushed under a free spin lock: the least a submit by any thread can do.
class LockedPush {
 public:
  void Push() {
    while (locked_.exchange(true, std::memory_order_acquire)) {
    }
    Slot& slot = slots_[tail_ & 1023];
    for (uint64_t& word : slot.words) word = tail_;
    published_.store(++tail_, std::memory_order_release);
    locked_.store(false, std::memory_order_release);
  }

 private:
  struct alignas(64) Slot {
    uint64_t words[8];
  };
  std::atomic<bool> locked_{false};
  uint64_t tail_ = 0;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  alignas(64) std::atomic<uint64_t> published_{0};
};

// A queue of functions with a mutex and condition variables, and a thread that runs them.
class CondvarQueue {
 public:
  CondvarQueue() : thread_([this] { Run(); }) {}
  ~CondvarQueue() {
    Post([this] { stop_ = true; });
    thread_.join();
  }
  void Post(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(function));
    ++posted_;
    changed_.notify_one();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return finished_ == posted_; });
  }

 private:
  void Run() {
    while (!stop_) {
      std::function<void()> function;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !queue_.empty(); });
        function = std::move(queue_.front());
        queue_.pop_front();
      }
      function();
      const std::lock_guard lock(mutex_);
      ++finished_;
      done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_, done_;
  std::deque<std::function<void()>> queue_;
  uint64_t posted_ = 0, finished_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

// ---- The runtime ----

class Bench {
 public:
  explicit Bench(const char* kernels) {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream_));
    CHECK(aclrtCreateStream(&other_));
    CHECK(aclrtBinaryLoadFromFile(kernels, nullptr, &binary_));
    CHECK(aclrtBinaryGetFunction(binary_, "nothing", &function_));
    CHECK(aclrtCreateEventExWithFlag(&event_, ACL_EVENT_SYNC));
    CHECK(aclrtCreateEventWithFlag(&gate_, ACL_EVENT_SYNC));
  }
  ~Bench() {
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
  }

  void Launch(aclrtStream stream) {
    struct {
      void* pointer;
      uint32_t count;
    } arguments{nullptr, 0};
    CHECK(aclrtLaunchKernelWithHostArgs(function_, 1, stream, nullptr, &arguments, sizeof arguments, nullptr, 0));
  }

  // The stream is parked at an event, so that nothing but the submit is measured. `count` stays below the ring.
  double Submit(int count) {
    CHECK(aclrtResetEvent(gate_, stream_));
    CHECK(aclrtStreamWaitEvent(stream_, gate_));
    usleep(200);
    const double ns = PerCall(count, [this] { Launch(stream_); });
    CHECK(aclrtRecordEvent(gate_, other_));
    CHECK(aclrtSynchronizeStream(stream_));
    return ns;
  }
  double Sustained(int count) {
    const double start = NowNs();
    for (int i = 0; i < count; ++i) Launch(stream_);
    CHECK(aclrtSynchronizeStream(stream_));
    return (NowNs() - start) / count;
  }
  double RoundTrip(int count) {
    return PerCall(count, [this] {
      Launch(stream_);
      CHECK(aclrtSynchronizeStream(stream_));
    });
  }
  double RoundTripAfterIdle() {
    usleep(500);
    return PerCall(1, [this] {
      Launch(stream_);
      CHECK(aclrtSynchronizeStream(stream_));
    });
  }
  // Record on one stream, wait and kernel on the other, back and forth; all queued first, then released.
  double Hop(int hops) {
    CHECK(aclrtResetEvent(gate_, stream_));
    CHECK(aclrtStreamWaitEvent(stream_, gate_));
    aclrtStream from = stream_, to = other_;
    for (int i = 0; i < hops; ++i) {
      CHECK(aclrtRecordEvent(event_, from));
      CHECK(aclrtStreamWaitEvent(to, event_));
      Launch(to);
      std::swap(from, to);
    }
    aclrtStream opener = nullptr;
    CHECK(aclrtCreateStream(&opener));
    const double start = NowNs();
    CHECK(aclrtRecordEvent(gate_, opener));
    CHECK(aclrtSynchronizeStream(stream_));
    CHECK(aclrtSynchronizeStream(other_));
    const double ns = (NowNs() - start) / hops;
    CHECK(aclrtDestroyStream(opener));
    return ns;
  }
  static double MallocFree(int count) {
    return PerCall(count, [] {
      void* memory = nullptr;
      CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
      CHECK(aclrtFree(memory));
    });
  }
  static double StreamLife(int count) {
    return PerCall(count, [] {
      aclrtStream stream = nullptr;
      CHECK(aclrtCreateStream(&stream));
      CHECK(aclrtDestroyStream(stream));
    });
  }

 private:
  aclrtStream stream_ = nullptr, other_ = nullptr;
  aclrtBinHandle binary_ = nullptr;
  aclrtFuncHandle function_ = nullptr;
  aclrtEvent event_ = nullptr, gate_ = nullptr;
};

struct Row {
  const char* what;
  const char* reference;
  std::function<double()> measure;
  std::function<double()> refer;
  Series ns, reference_ns, ratio;
};

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 2) {
    std::fprintf(stderr, "usage: launch_costs KERNELS [ROUNDS]\n");
    return 2;
  }
  const int rounds = argument_count > 2 ? std::atoi(arguments[2]) : 31;
  Bench bench(arguments[1]);
  LockedPush push;
  CondvarQueue queue;
  const auto locked_push = [&] { return PerCall(20000, [&] { push.Push(); }); };
  const auto condvar_trip = [&] {
    return PerCall(50, [&] {
      queue.Post([] {});
      queue.Wait();
    });
  };
  const auto condvar_idle = [&] {
    usleep(500);
    return PerCall(1, [&] {
      queue.Post([] {});
      queue.Wait();
    });
  };
  const auto condvar_sustained = [&] {
    const double start = NowNs();
    for (int i = 0; i < 2000; ++i) queue.Post([] {});
    queue.Wait();
    return (NowNs() - start) / 2000;
  };
  const auto thread_life = [] { return PerCall(20, [] { std::thread([] {}).join(); }); };
  const auto host_malloc = [] {
    return PerCall(2000, [] {
      void* memory = std::malloc(4096);
      *static_cast<volatile char*>(memory) = 1;
      std::free(memory);
    });
  };
  std::vector<Row> rows(7);
  rows[0] = {
      "submit a kernel, 16 B of arguments", "locked push", [&] { return bench.Submit(1500); }, locked_push, {}, {}, {}};
  rows[1] = {"sustained, empty kernels",
             "condvar queue, sustained",
             [&] { return bench.Sustained(20000); },
             condvar_sustained,
             {},
             {},
             {}};
  rows[2] = {"submit one and synchronise, back to back",
             "condvar queue",
             [&] { return bench.RoundTrip(500); },
             condvar_trip,
             {},
             {},
             {}};
  rows[3] = {"submit one and synchronise, after 500 us idle",
             "condvar queue, after 500 us idle",
             [&] { return bench.RoundTripAfterIdle(); },
             condvar_idle,
             {},
             {},
             {}};
  rows[4] = {"event hop (record, wait, kernel), queued first",
             "condvar queue",
             [&] { return bench.Hop(300); },
             condvar_trip,
             {},
             {},
             {}};
  rows[5] = {"aclrtMalloc and aclrtFree, 4 KiB",
             "malloc and free",
             [] { return Bench::MallocFree(2000); },
             host_malloc,
             {},
             {},
             {}};
  rows[6] = {"create and destroy a stream",
             "create and join a thread",
             [] { return Bench::StreamLife(200); },
             thread_life,
             {},
             {},
             {}};
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) {
      const double reference = row.refer();
      const double ns = row.measure();
      row.reference_ns.Add(reference);
      row.ns.Add(ns);
      row.ratio.Add(ns / reference);
    }
  }
  const char* mode = std::getenv("FOREBAY_DEVICE_MODE");
  std::printf("Device mode %s, %d rounds; medians, and 10 %% to 90 %% of the ratios.\n\n",
              mode != nullptr ? mode : "process", rounds);
  std::printf("| what | ns | reference | its ns | ratio | spread |\n|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    std::printf("| %s | %.0f | %s | %.0f | %.2f | %.2f to %.2f |\n", row.what, row.ns.At(0.5), row.reference,
                row.reference_ns.At(0.5), row.ratio.At(0.5), row.ratio.At(0.1), row.ratio.At(0.9));
  }
}
