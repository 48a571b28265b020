// What a fuzz target reads its decisions from: the bytes of one input, then zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace fuzz {

class Input {
 public:
  Input(const uint8_t* data, std::size_t bytes) : rest_(reinterpret_cast<const char*>(data), bytes) {}

  bool is_empty() const noexcept { return rest_.empty(); }
  template <typename T>
  T Take() noexcept {
    T value{};
    const std::size_t bytes = std::min(sizeof value, rest_.size());
    std::memcpy(&value, rest_.data(), bytes);
    rest_.remove_prefix(bytes);
    return value;
  }
  // 0 to limit - 1.
  uint32_t Below(std::size_t limit) noexcept { return static_cast<uint32_t>(Take<uint16_t>() % limit); }
  // True once in so many times.
  bool OneIn(uint32_t times) noexcept { return Take<uint8_t>() % times == times - 1; }
  // A number that is small, near a power of two, or any.
  uint64_t Number() noexcept {
    const auto form = Take<uint8_t>();
    if (form < 128) return form;
    if (form < 224) return (uint64_t{1} << (form % 64)) + static_cast<uint64_t>(int64_t{Take<int8_t>()});
    return Take<uint64_t>();
  }
  std::string_view Text(std::size_t most) noexcept {
    const std::string_view text = rest_.substr(0, most);
    rest_.remove_prefix(text.size());
    return text;
  }

 private:
  std::string_view rest_;
};

// What has to hold for every input; the fuzzer keeps the input that shows that it does not.
#define FUZZ_EXPECT(condition, ...)                                        \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::fprintf(stderr, __VA_ARGS__);                                   \
      std::fputc('\n', stderr);                                            \
      std::abort();                                                        \
    }                                                                      \
  } while (false)

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t bytes);
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
