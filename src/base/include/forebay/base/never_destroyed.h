// An object with static storage that outlives every other: threads that end after main, and static objects of the
// application that free memory then, still find it.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace forebay::base {

// Use as a function's static variable. The object is made at its first use and never destroyed.
template <typename T>
class NeverDestroyed {
 public:
  template <typename... Arguments>
  explicit NeverDestroyed(Arguments&&... arguments) {
    ::new (static_cast<void*>(storage_)) T(std::forward<Arguments>(arguments)...);
  }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(storage_)); }
  T* operator->() noexcept { return &**this; }

 private:
  alignas(T) std::byte storage_[sizeof(T)];
};

}  // namespace forebay::base
