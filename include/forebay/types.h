// The vocabulary of the C++ interface: handles, data types, shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

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
  kFloat = 0, kFloat16 = 1, kInt8 = 2, kInt32 = 3, kUint8 = 4, kInt16 = 6, kUint16 = 7, kUint32 = 8,
  kInt64 = 9, kUint64 = 10, kDouble = 11, kBool = 12, kBfloat16 = 27,
};

// Bytes of one element; 0 for a value outside the enumeration.
constexpr std::size_t SizeOf(DataType type) noexcept {
  switch (type) {
    case DataType::kInt8: case DataType::kUint8: case DataType::kBool: return 1;
    case DataType::kFloat16: case DataType::kInt16: case DataType::kUint16: case DataType::kBfloat16: return 2;
    case DataType::kFloat: case DataType::kInt32: case DataType::kUint32: return 4;
    case DataType::kInt64: case DataType::kUint64: case DataType::kDouble: return 8;
  }
  return 0;
}
// clang-format on

// Extents of a tensor, outermost first. Each extent is 0 or more; an empty shape is a scalar of one element.
using Shape = std::vector<int64_t>;

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
