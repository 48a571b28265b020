// Memory of the host for the bookkeeping of a pool: zeroed, committed page by page as it is touched.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace forebay::runtime {

inline void* MapBookkeeping(std::size_t bytes) noexcept {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// An array that grows by doubling and moves by remapping, so that growth copies nothing. Elements begin as zeroes.
template <typename T>
class MappedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  MappedArray() = default;
  ~MappedArray() {
    if (elements_ != nullptr) munmap(elements_, capacity_ * sizeof(T));
  }
  MappedArray(const MappedArray&) = delete;
  MappedArray& operator=(const MappedArray&) = delete;

  T& operator[](std::size_t index) noexcept { return elements_[index]; }
  const T& operator[](std::size_t index) const noexcept { return elements_[index]; }
  std::size_t capacity() const noexcept { return capacity_; }
  // False when the host has no memory left.
  bool Reserve(std::size_t count) noexcept {
    if (count <= capacity_) return true;
    const std::size_t wanted = std::max({count, 2 * capacity_, kFirstBytes / sizeof(T)});
    void* memory = elements_ == nullptr ? MapBookkeeping(wanted * sizeof(T))
                                        : mremap(elements_, capacity_ * sizeof(T), wanted * sizeof(T), MREMAP_MAYMOVE);
    if (memory == nullptr || memory == MAP_FAILED) return false;
    elements_ = static_cast<T*>(memory);
    capacity_ = wanted;
    return true;
  }

 private:
  static constexpr std::size_t kFirstBytes = 64 * 1024;

  T* elements_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace forebay::runtime
