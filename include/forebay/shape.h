// Shape: the extents of a tensor.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <vector>

namespace forebay {

// A short list of numbers, such as the extents of a tensor, outermost first. Each extent is 0 or more; an empty shape
// is that of a scalar of one element. Up to kInlineCount numbers need no memory of their own, so that tensors are cheap
// to copy.
class Shape {
 public:
  static constexpr std::size_t kInlineCount = 8;

  Shape() noexcept = default;
  Shape(std::initializer_list<int64_t> numbers) : Shape(numbers.begin(), numbers.end()) {}
  explicit Shape(const std::vector<int64_t>& numbers) : Shape(numbers.begin(), numbers.end()) {}
  Shape(std::size_t count, int64_t number) : count_(count <= kInlineCount ? count : 0) {
    if (count > kInlineCount) more_.assign(count, number);
    std::fill_n(inline_.begin(), count_, number);
  }
  template <typename Iterator>
    requires(!std::is_integral_v<Iterator>)
  Shape(Iterator first, Iterator last) : Shape(static_cast<std::size_t>(std::distance(first, last)), 0) {
    std::copy(first, last, begin());
  }

  std::size_t size() const noexcept { return more_.empty() ? count_ : more_.size(); }
  bool empty() const noexcept { return size() == 0; }
  int64_t* data() noexcept { return more_.empty() ? inline_.data() : more_.data(); }
  const int64_t* data() const noexcept { return more_.empty() ? inline_.data() : more_.data(); }
  int64_t& operator[](std::size_t i) noexcept { return data()[i]; }
  int64_t operator[](std::size_t i) const noexcept { return data()[i]; }
  int64_t* begin() noexcept { return data(); }
  int64_t* end() noexcept { return data() + size(); }
  const int64_t* begin() const noexcept { return data(); }
  const int64_t* end() const noexcept { return data() + size(); }
  friend bool operator==(const Shape& one, const Shape& other) noexcept {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  }

 private:
  std::size_t count_ = 0;
  std::array<int64_t, kInlineCount> inline_{};
  std::vector<int64_t> more_;  // all of them, when there are more
};

}  // namespace forebay
