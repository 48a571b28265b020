// An object of each thread, which is destroyed when the thread ends, but not when the process does.
//
// exit() destroys what is thread_local of the thread that calls it, and that may be a signal handler in the midst of
// any call: its thread may hold the very locks that the destructor takes. What ends with the process needs no
// destructor. It also lives longer than everything thread_local, whose destructors may still call the runtime.
#pragma once

#include <pthread.h>

#include <memory>

namespace forebay::base {

// With static storage, and never destroyed itself.
template <typename T>
class PerThread {
 public:
  PerThread() noexcept : has_key_(pthread_key_create(&key_, &End) == 0) { of_type = this; }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  // Made when the thread first asks. Null once it has been destroyed, or when the system has nothing to keep it in.
  T* Get() {
    if (!has_key_) return nullptr;
    void* object = pthread_getspecific(key_);
    if (object != nullptr) return object == Gone() ? nullptr : static_cast<T*>(object);
    auto made = std::make_unique<T>();
    return pthread_setspecific(key_, made.get()) == 0 ? made.release() : nullptr;
  }

 private:
  // In place of an object that was destroyed.
  static void* Gone() noexcept { return &gone; }
  // The system takes the value away before the call.
  static void End(void* object) {
    pthread_setspecific(of_type->key_, Gone());
    if (object != Gone()) std::unique_ptr<T>(static_cast<T*>(object)).reset();
  }

  static inline PerThread* of_type = nullptr;  // there is one of each type
  static inline char gone = 0;
  pthread_key_t key_ = 0;
  const bool has_key_;
};

}  // namespace forebay::base
