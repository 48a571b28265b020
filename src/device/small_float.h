// The 16-bit floating-point types, as bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace forebay::device {

// IEEE half precision: 5 bits of exponent, 10 of mantissa.
inline float FromHalf(uint16_t half) noexcept {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t exponent = half >> 10 & 0x1Fu;
  const uint32_t mantissa = half & 0x3FFu;
  if (exponent == 0) return std::copysign(static_cast<float>(mantissa) * 0x1p-24f, std::bit_cast<float>(sign));
  const uint32_t high = exponent == 0x1F ? 0x7F800000u : (exponent + 112) << 23;
  return std::bit_cast<float>(sign | high | mantissa << 13);
}

// To the nearest, ties to even; what is too large becomes infinite.
inline uint16_t ToHalf(float value) noexcept {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u);
  if (magnitude >= 0x477FF000u) return static_cast<uint16_t>(sign | 0x7C00u);  // 65520
  if (magnitude < 0x38800000u) {
    // Below the smallest normal number: adding 0.5 leaves a float whose last place is that of the result.
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(std::fabs(value) + 0.5f) - 0x3F000000u));
  }
  magnitude += 0xFFFu + (magnitude >> 13 & 1u);
  return static_cast<uint16_t>(sign | (magnitude - 0x38000000u) >> 13);
}

// The upper half of a float.
inline float FromBfloat(uint16_t value) noexcept { return std::bit_cast<float>(uint32_t{value} << 16); }

inline uint16_t ToBfloat(float value) noexcept {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace forebay::device
