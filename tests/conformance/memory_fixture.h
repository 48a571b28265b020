// Memory of all kinds, freed with the device.
#pragma once

#include "conformance/memory_calls.h"
#include "forebay/memory_pool.h"

namespace conformance {

inline constexpr std::size_t kHuge[] = {SIZE_MAX,      SIZE_MAX - 1,        SIZE_MAX - 31,   SIZE_MAX - 32,
                                        SIZE_MAX - 63, SIZE_MAX - 64,       SIZE_MAX - 4096, SIZE_MAX / 2 + 1,
                                        SIZE_MAX / 2,  std::size_t{1} << 47};

class WithMemory : public WithDevice {
 protected:
  // An array in device memory, and back.
  template <typename T>
  static T* ToDevice(const std::vector<T>& values) {
    void* memory = Allocate(values.size() * sizeof(T));
    EXPECT_OK(aclrtMemcpy(memory, values.size() * sizeof(T), values.data(), values.size() * sizeof(T),
                          ACL_MEMCPY_HOST_TO_DEVICE));
    return static_cast<T*>(memory);
  }
  template <typename T>
  static std::vector<T> FromDevice(const T* memory, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_OK(aclrtMemcpy(values.data(), count * sizeof(T), memory, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST));
    return values;
  }
  // Frees device memory, and has the pool give it back to the device.
  static void FreeForGood(void* memory) {
    EXPECT_OK(aclrtFree(memory));
    auto pool = forebay::MemoryPool::OfCurrentDevice();
    ASSERT_TRUE(pool.ok());
    (*pool)->Trim();
  }
  // An address of the device where nothing is.
  static void* Unallocated() {
    auto* memory = static_cast<char*>(Allocate(kLarge));
    FreeForGood(memory);
    return memory + kLarge / 2;  // the ends may lie in pages that others use
  }
  static constexpr std::size_t kLarge = std::size_t{128} << 20;
};

}  // namespace conformance
