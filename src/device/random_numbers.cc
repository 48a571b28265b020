#include "random_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "small_float.h"

namespace forebay::device {
namespace {

using types::Distribution;

// Gives out the words of a sequence one by one.
class Words {
 public:
  Words(RandomCounter counter, uint64_t seed) noexcept : counter_(counter), seed_(seed) {}
  uint32_t Next() noexcept {
    if (at_ == 4) Refill();
    return block_[at_++];
  }
  uint64_t NextPair() noexcept {
    const uint64_t low = Next();
    return low | uint64_t{Next()} << 32;
  }

 private:
  void Refill() noexcept {
    uint32_t a = static_cast<uint32_t>(counter_.low);
    uint32_t b = static_cast<uint32_t>(counter_.low >> 32);
    uint32_t c = static_cast<uint32_t>(counter_.high);
    uint32_t d = static_cast<uint32_t>(counter_.high >> 32);
    uint32_t key_low = static_cast<uint32_t>(seed_);
    uint32_t key_high = static_cast<uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t first = uint64_t{0xD2511F53u} * a;
      const uint64_t second = uint64_t{0xCD9E8D57u} * c;
      a = static_cast<uint32_t>(second >> 32) ^ b ^ key_low;
      b = static_cast<uint32_t>(second);
      c = static_cast<uint32_t>(first >> 32) ^ d ^ key_high;
      d = static_cast<uint32_t>(first);
      key_low += 0x9E3779B9u;
      key_high += 0xBB67AE85u;
    }
    block_[0] = a;
    block_[1] = b;
    block_[2] = c;
    block_[3] = d;
    at_ = 0;
    if (++counter_.low == 0) ++counter_.high;
  }

  RandomCounter counter_;
  uint64_t seed_;
  uint32_t block_[4] = {};
  int at_ = 4;
};

// The quantile function of the normal distribution, to seven digits: the rational approximations of Wichura (algorithm
// AS 241 of Applied Statistics, 1988).
double NormalQuantile(double share) noexcept {
  const double offset = share - 0.5;
  if (std::fabs(offset) <= 0.425) {
    const double r = 0.180625 - offset * offset;
    return offset * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
           (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0);
  }
  const double tail = std::sqrt(-std::log(offset < 0 ? share : 1.0 - share));
  double value = 0;
  if (tail <= 5.0) {
    const double r = tail - 1.6;
    value = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) /
            ((0.12021132975 * r + 0.73700164250) * r + 1.0);
  } else {
    const double r = tail - 5.0;
    value = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150) /
            ((0.012258202635 * r + 0.24197894225) * r + 1.0);
  }
  return offset < 0 ? -value : value;
}

constexpr double kBelowTwoDeviations = 0.022750131948179;  // share of the normal distribution below -2

bool IsFloat(DataType type) noexcept {
  return type == DataType::kFloat || type == DataType::kFloat16 || type == DataType::kBfloat16;
}

double ToDouble(DataType type, uint64_t bits) noexcept {
  switch (type) {
    case DataType::kFloat: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case DataType::kFloat16: return FromHalf(static_cast<uint16_t>(bits));
    default: return FromBfloat(static_cast<uint16_t>(bits));
  }
}

// Calls `next` for every element and keeps what it gives, converted to the type.
template <typename Next>
void FillFloats(const RandomTask& task, std::byte* destination, Next next) noexcept {
  for (uint64_t i = 0; i < task.count; ++i) {
    const auto value = static_cast<float>(next());
    if (task.type == DataType::kFloat) {
      std::memcpy(destination + i * sizeof value, &value, sizeof value);
    } else {
      const uint16_t small = task.type == DataType::kFloat16 ? ToHalf(value) : ToBfloat(value);
      std::memcpy(destination + i * sizeof small, &small, sizeof small);
    }
  }
}

template <typename T>
void FillIntegers(const RandomTask& task, std::byte* destination) noexcept {
  Words words(task.counter, task.seed);
  using Unsigned = std::make_unsigned_t<T>;
  const auto lowest = static_cast<Unsigned>(task.first);
  const auto range = static_cast<Unsigned>(static_cast<Unsigned>(task.second) - lowest);
  for (uint64_t i = 0; i < task.count; ++i) {
    Unsigned value = lowest;
    if constexpr (sizeof(T) == 8) {
      __extension__ using Wide = unsigned __int128;
      value += static_cast<Unsigned>(static_cast<Wide>(words.NextPair()) * range >> 64);
    } else {
      value += static_cast<Unsigned>(uint64_t{words.Next()} * range >> 32);
    }
    std::memcpy(destination + i * sizeof value, &value, sizeof value);
  }
}

void FillUniform(const RandomTask& task, std::byte* destination) noexcept {
  switch (task.type) {
    case DataType::kInt32: return FillIntegers<int32_t>(task, destination);
    case DataType::kUint32: return FillIntegers<uint32_t>(task, destination);
    case DataType::kInt64: return FillIntegers<int64_t>(task, destination);
    case DataType::kUint64: return FillIntegers<uint64_t>(task, destination);
    default: break;
  }
  Words words(task.counter, task.seed);
  const int bits = task.type == DataType::kFloat ? 24 : task.type == DataType::kFloat16 ? 11 : 8;
  const double step = std::ldexp(1.0, -bits);
  const double lowest = ToDouble(task.type, task.first);
  const double highest = ToDouble(task.type, task.second);
  const auto rounded = [&](double value) {
    const auto single = static_cast<float>(value);
    if (task.type == DataType::kFloat) return single;
    return task.type == DataType::kFloat16 ? FromHalf(ToHalf(single)) : FromBfloat(ToBfloat(single));
  };
  FillFloats(task, destination, [&]() -> double {
    const double share = (words.Next() >> (32 - bits)) * step;
    const double value = lowest + share * (highest - lowest);
    // Where the steps are finer than the numbers, one may be rounded to what must not be reached.
    return static_cast<double>(rounded(value)) < highest ? value : lowest;
  });
}

void FillNormal(const RandomTask& task, std::byte* destination) noexcept {
  Words words(task.counter, task.seed);
  const double mean = ToDouble(task.type, task.first);
  const double deviation = ToDouble(task.type, task.second);
  const double below = task.distribution == Distribution::kNormal ? 0 : kBelowTwoDeviations;
  FillFloats(task, destination, [&] {
    const double share = (words.Next() + 0.5) * 0x1p-32;
    return mean + deviation * NormalQuantile(below + share * (1 - 2 * below));
  });
}

void FillMask(const RandomTask& task, std::byte* destination) noexcept {
  Words words(task.counter, task.seed);
  const auto limit = static_cast<uint64_t>(ToDouble(task.type, task.first) * 0x1p32);
  for (uint64_t byte = 0; byte * 8 < task.count; ++byte) {
    uint32_t bits = 0;
    const uint64_t used = std::min<uint64_t>(task.count - byte * 8, 8);
    for (uint64_t i = 0; i < used; ++i) bits |= (words.Next() >= limit ? 1u : 0u) << i;
    destination[byte] = static_cast<std::byte>(bits);
  }
}

template <typename T>
bool InOrder(const RandomTask& task) noexcept {
  return static_cast<T>(task.first) <= static_cast<T>(task.second);
}

}  // namespace

const char* CheckRandomTask(const RandomTask& task) noexcept {
  switch (task.distribution) {
    case Distribution::kDropoutMask:
      if (!IsFloat(task.type)) return "a dropout share has a floating-point type";
      return ToDouble(task.type, task.first) >= 0 && ToDouble(task.type, task.first) <= 1
                 ? nullptr
                 : "the dropout share is not between 0 and 1";
    case Distribution::kUniform: {
      bool in_order = false;
      switch (task.type) {
        case DataType::kInt32: in_order = InOrder<int32_t>(task); break;
        case DataType::kUint32: in_order = InOrder<uint32_t>(task); break;
        case DataType::kInt64: in_order = InOrder<int64_t>(task); break;
        case DataType::kUint64: in_order = InOrder<uint64_t>(task); break;
        case DataType::kFloat:
        case DataType::kFloat16:
        case DataType::kBfloat16:
          in_order = ToDouble(task.type, task.first) <= ToDouble(task.type, task.second) &&
                     std::isfinite(ToDouble(task.type, task.second) - ToDouble(task.type, task.first));
          break;
        default: return "there are no random numbers of this type";
      }
      return in_order ? nullptr : "the lowest value is above the highest";
    }
    case Distribution::kNormal:
    case Distribution::kTruncatedNormal:
      if (!IsFloat(task.type)) return "normally distributed numbers have a floating-point type";
      return ToDouble(task.type, task.second) >= 0 && std::isfinite(ToDouble(task.type, task.second)) &&
                     std::isfinite(ToDouble(task.type, task.first))
                 ? nullptr
                 : "the mean is not finite, or the standard deviation is negative";
  }
  return "there is no such distribution";
}

void FillRandom(const RandomTask& task, std::byte* destination) noexcept {
  switch (task.distribution) {
    case Distribution::kDropoutMask: return FillMask(task, destination);
    case Distribution::kUniform: return FillUniform(task, destination);
    case Distribution::kNormal:
    case Distribution::kTruncatedNormal: return FillNormal(task, destination);
  }
}

}  // namespace forebay::device
