// Copies, fills, reductions and random numbers: what the facade calls.
//
// One rule decides how a copy or fill runs, whatever its form. The addresses tell where both sides lie.
//   - Memory of the stream's device and pinned memory of that device: the device does it, in stream order.
//   - Pageable host memory: the calling thread does it when the stream has come to this point, and returns then.
//   - All else, which is memory of another device: a host thread does it in stream order.
// Copies between the memory of two devices need access from one to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "forebay/status.h"
#include "forebay/types/command.h"

namespace forebay::runtime {

// What a caller says of the direction; kParamInvalid where the addresses say otherwise.
enum class Direction : uint8_t { kByAddress, kHostToDevice, kDeviceToHost, kDeviceToDevice, kWithinDevice };

// Which sources the caller may change after a call that does not wait for the stream. They are buffered in pinned
// memory; of one row only. The stream is waited for where that memory does not suffice.
enum class Staging : uint8_t { kNone, kPageable, kHost };

// Rows of `bytes` bytes each; the pitches lie between the beginnings of two.
struct CopyRequest {
  void* destination = nullptr;
  const void* source = nullptr;
  std::size_t bytes = 0;
  std::size_t rows = 1;
  std::size_t destination_pitch = 0;
  std::size_t source_pitch = 0;
  Direction direction = Direction::kByAddress;
  Staging staging = Staging::kNone;
  bool has_rows = false;  // the caller asks for rows, be it one
};

// Done by the calling thread; no stream is waited for.
Status CopyNow(const CopyRequest& request);
Status FillNow(void* destination, uint32_t pattern, std::size_t bytes);
// In stream order. Both sides on the host: kFeatureNotSupport.
Status CopyOnStream(const CopyRequest& request, uint64_t stream);
// `host_at_once`: host memory of any kind is filled when the call returns.
Status FillOnStream(void* destination, uint32_t pattern, std::size_t bytes, uint64_t stream, bool host_at_once = false);
// All of them, or none when one is refused: its index goes to `refused`, which is left alone otherwise.
Status CopyAllNow(std::span<const CopyRequest> requests, std::size_t* refused);
Status CopyAllOnStream(std::span<const CopyRequest> requests, uint64_t stream, std::size_t* refused);

// A descriptor in device memory: what a later task copies. The task reads it when it runs.
inline constexpr std::size_t kCopyDescriptorBytes = 32;
Status WriteCopyDescriptor(void* descriptor, void* destination, const void* source, std::size_t bytes);
Status CopyByDescriptor(void* descriptor, uint64_t stream);

// A copy between addresses that the device reads from `destination` and `source` when the task runs.
struct IndirectCopyRequest {
  void** destination;
  const void** source;
  std::size_t destination_offset;
  std::size_t source_offset;
  std::size_t bytes;
};
Status CopyIndirectly(const IndirectCopyRequest& request, uint64_t stream);

// In memory of the stream's device. `bytes` holds whole elements.
Status ReduceOnStream(void* destination, const void* source, std::size_t bytes, DataType type,
                      types::ReduceOperation operation, uint64_t stream);
Status RandomOnStream(const types::RandomCommand& command, uint64_t stream);

}  // namespace forebay::runtime
