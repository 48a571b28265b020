#include "reduce.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "small_float.h"

namespace forebay::device {
namespace {

using types::ReduceOperation;

// How an element is kept in memory, and in what it is calculated.
template <typename T>
struct Plain {
  using Stored = T;
  static T Load(T stored) noexcept { return stored; }
  static T Store(T value) noexcept { return value; }
};
struct Half {
  using Stored = uint16_t;
  static float Load(uint16_t stored) noexcept { return FromHalf(stored); }
  static uint16_t Store(float value) noexcept { return ToHalf(value); }
};
struct Bfloat {
  using Stored = uint16_t;
  static float Load(uint16_t stored) noexcept { return FromBfloat(stored); }
  static uint16_t Store(float value) noexcept { return ToBfloat(value); }
};

template <typename T>
T Sum(T left, T right) noexcept {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(left) + static_cast<Unsigned>(right)));
  } else {
    return left + right;
  }
}

template <typename T>
bool IsNone(T value) noexcept {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

template <typename Element, typename Operation>
void ForEach(std::byte* destination, const std::byte* source, uint64_t bytes, Operation operation) noexcept {
  typename Element::Stored left;
  typename Element::Stored right;
  for (uint64_t at = 0; at + sizeof left <= bytes; at += sizeof left) {
    std::memcpy(&left, destination + at, sizeof left);
    std::memcpy(&right, source + at, sizeof right);
    left = Element::Store(operation(Element::Load(left), Element::Load(right)));
    std::memcpy(destination + at, &left, sizeof left);
  }
}

template <typename Element>
void ReduceAs(ReduceOperation operation, std::byte* destination, const std::byte* source, uint64_t bytes) noexcept {
  using T = decltype(Element::Load({}));
  switch (operation) {
    case ReduceOperation::kSum:
      return ForEach<Element>(destination, source, bytes, [](T left, T right) { return Sum(left, right); });
    case ReduceOperation::kMaximum:
      return ForEach<Element>(destination, source, bytes,
                              [](T left, T right) { return IsNone(left) || left > right ? left : right; });
    case ReduceOperation::kMinimum:
      return ForEach<Element>(destination, source, bytes,
                              [](T left, T right) { return IsNone(left) || left < right ? left : right; });
    case ReduceOperation::kEqual:
      return ForEach<Element>(destination, source, bytes,
                              [](T left, T right) { return static_cast<T>(left == right ? 1 : 0); });
  }
}

using ReduceFunction = void (*)(ReduceOperation, std::byte*, const std::byte*, uint64_t) noexcept;

ReduceFunction FunctionFor(DataType type) noexcept {
  switch (type) {
    case DataType::kInt8: return &ReduceAs<Plain<int8_t>>;
    case DataType::kInt16: return &ReduceAs<Plain<int16_t>>;
    case DataType::kInt32: return &ReduceAs<Plain<int32_t>>;
    case DataType::kFloat: return &ReduceAs<Plain<float>>;
    case DataType::kFloat16: return &ReduceAs<Half>;
    case DataType::kBfloat16: return &ReduceAs<Bfloat>;
    default: return nullptr;
  }
}

}  // namespace

bool CanReduce(DataType type, ReduceOperation operation) noexcept {
  return FunctionFor(type) != nullptr && operation <= ReduceOperation::kEqual;
}

void Reduce(DataType type, ReduceOperation operation, std::byte* destination, const std::byte* source,
            uint64_t bytes) noexcept {
  FunctionFor(type)(operation, destination, source, bytes);
}

}  // namespace forebay::device
