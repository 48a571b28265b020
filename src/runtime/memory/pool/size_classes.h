// The sizes that small requests are rounded to: multiples of the unit up to eight, then four for each doubling.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace forebay::runtime {

// Slots of one class are cut from spans. A class wastes less than a quarter of what is asked for, beyond the unit.
class SizeClasses {
 public:
  static constexpr uint64_t kLargestSmall = 32 * 1024;
  static constexpr uint64_t kSpanBytes = 256 * 1024;
  static constexpr uint64_t kLeastUnit = 64;
  static constexpr uint32_t kMost = 40;

  struct Class {
    uint64_t reciprocal = 0;  // 2^32 / units of a slot, rounded up
    uint32_t bytes = 0;
    uint32_t slots = 0;  // of a span
  };

  // `unit` is a power of two of at least kLeastUnit. There are no classes when one unit is more than a small request.
  explicit SizeClasses(uint64_t unit) : unit_shift_(static_cast<uint32_t>(std::countr_zero(unit))) {
    uint64_t units = 1, filled = 1;
    while ((units << unit_shift_) <= kLargestSmall) {
      const uint64_t bytes = units << unit_shift_;
      classes_[count_] = {((uint64_t{1} << 32) + units - 1) / units, static_cast<uint32_t>(bytes),
                          static_cast<uint32_t>(kSpanBytes / bytes)};
      for (; filled <= units; ++filled) of_units_[filled] = static_cast<uint8_t>(count_);
      largest_ = bytes;
      ++count_;
      units += units < 8 ? 1 : std::bit_floor(units) / 4;
    }
  }

  uint32_t count() const noexcept { return count_; }
  uint64_t largest() const noexcept { return largest_; }  // 0: no classes
  uint32_t unit_shift() const noexcept { return unit_shift_; }
  const Class& operator[](uint32_t size_class) const noexcept { return classes_[size_class]; }
  // Of 1 <= bytes <= largest().
  uint32_t ClassOf(uint64_t bytes) const noexcept { return of_units_[(bytes - 1 + unit()) >> unit_shift_]; }
  uint64_t unit() const noexcept { return uint64_t{1} << unit_shift_; }
  // The slot that holds the byte at `offset` of a span.
  uint32_t SlotAt(uint32_t size_class, uint64_t offset) const noexcept {
    return static_cast<uint32_t>(((offset >> unit_shift_) * classes_[size_class].reciprocal) >> 32);
  }

 private:
  uint32_t unit_shift_;
  uint32_t count_ = 0;
  uint64_t largest_ = 0;
  std::array<Class, kMost> classes_ = {};
  std::array<uint8_t, kLargestSmall / kLeastUnit + 1> of_units_ = {};
};

}  // namespace forebay::runtime
