// The vocabulary of the C++ interface: handles, data types, states.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebay {

// Handles are opaque: pointers to types that are never defined. A handle is looked up, never dereferenced; one that is
// stale, of another kind or random is recognised and refused.
using StreamHandle = struct StreamObject*;
using EventHandle = struct EventObject*;
using KernelHandle = struct KernelObject*;
using KernelBinaryHandle = struct KernelBinaryObject*;

// Element types of a tensor. The values are those of aclDataType.
// clang-format off
enum class DataType : int32_t {
  kUndefined = -1,
  kFloat = 0, kFloat16 = 1, kInt8 = 2, kInt32 = 3, kUint8 = 4, kInt16 = 6, kUint16 = 7, kUint32 = 8,
  kInt64 = 9, kUint64 = 10, kDouble = 11, kBool = 12, kString = 13, kComplex64 = 16, kComplex128 = 17, kBfloat16 = 27,
  kInt4 = 29, kUint1 = 30, kComplex32 = 33, kHifloat8 = 34, kFloat8E5m2 = 35, kFloat8E4m3fn = 36, kFloat8E8m0 = 37,
  kFloat6E3m2 = 38, kFloat6E2m3 = 39, kFloat4E2m1 = 40, kFloat4E1m2 = 41,
};

// Bits of one element; 0 for types without a size of their own and for values outside the enumeration.
constexpr uint32_t BitsOf(DataType type) noexcept {
  using enum DataType;
  switch (type) {
    case kUint1: return 1;
    case kInt4: case kFloat4E2m1: case kFloat4E1m2: return 4;
    case kFloat6E3m2: case kFloat6E2m3: return 6;
    case kInt8: case kUint8: case kBool: case kHifloat8: case kFloat8E5m2: case kFloat8E4m3fn: case kFloat8E8m0:
      return 8;
    case kFloat16: case kInt16: case kUint16: case kBfloat16: return 16;
    case kFloat: case kInt32: case kUint32: case kComplex32: return 32;
    case kInt64: case kUint64: case kDouble: case kComplex64: return 64;
    case kComplex128: return 128;
    case kUndefined: case kString: break;
  }
  return 0;
}
// clang-format on

// Bytes of one element; 0 when it has no whole number of bytes.
constexpr std::size_t SizeOf(DataType type) noexcept { return BitsOf(type) % 8 == 0 ? BitsOf(type) / 8 : 0; }

// Bytes of `count` elements, packed without gaps; the last byte may be used in part.
constexpr uint64_t BytesOf(DataType type, uint64_t count) noexcept {
  return count / 8 * BitsOf(type) + (count % 8 * BitsOf(type) + 7) / 8;
}

// What becomes of a stream when one of its tasks fails.
enum class FailurePolicy : uint32_t {
  kContinue = 0,     // AscendCL's default: the failing task is skipped, later ones run, the next synchronise reports it
  kStopContext = 1,  // ACL_STOP_ON_FAILURE: every stream of the context stops
  kStopStream = 2,   // the default of this interface: this stream stops, others are not affected
};

// Where a stream is in its life.
enum class StreamState : uint32_t {
  kReady = 0,    // accepts tasks; nothing has failed
  kFailed = 1,   // a task failed and the stream goes on; the next synchronise reports it
  kStopped = 2,  // a task failed; queued tasks were dropped and launches return the first error until recovery
  kLost = 3,     // the device failed; only a reset of the device helps
};

inline constexpr int32_t kHighestPriority = 0;
inline constexpr int32_t kLowestPriority = 7;

}  // namespace forebay
