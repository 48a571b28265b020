// Mutex, MutexLock and CondVar with clang's thread-safety annotations: a field that is GUARDED_BY a mutex cannot be
// touched without it, and the compiler checks that (preset "tsa").
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define FOREBAY_ANNOTATE(x) __attribute__((x))
#else
#define FOREBAY_ANNOTATE(x)
#endif
#define CAPABILITY(x) FOREBAY_ANNOTATE(capability(x))
#define SCOPED_CAPABILITY FOREBAY_ANNOTATE(scoped_lockable)
#define GUARDED_BY(x) FOREBAY_ANNOTATE(guarded_by(x))
#define REQUIRES(...) FOREBAY_ANNOTATE(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) FOREBAY_ANNOTATE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) FOREBAY_ANNOTATE(release_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) FOREBAY_ANNOTATE(try_acquire_capability(__VA_ARGS__))
#define EXCLUDES(...) FOREBAY_ANNOTATE(locks_excluded(__VA_ARGS__))
#define ACQUIRED_BEFORE(...) FOREBAY_ANNOTATE(acquired_before(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS FOREBAY_ANNOTATE(no_thread_safety_analysis)

namespace forebay::base {

class CAPABILITY("mutex") Mutex {
 public:
  void Lock() ACQUIRE() { mutex_.lock(); }
  void Unlock() RELEASE() { mutex_.unlock(); }
  bool TryLock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  void Wait(Mutex& mutex) REQUIRES(mutex) NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // False when the deadline passed first.
  bool WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point deadline)
      REQUIRES(mutex) NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool in_time = condition_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }
  void NotifyOne() noexcept { condition_.notify_one(); }
  void NotifyAll() noexcept { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace forebay::base
