// MemoryPool: device memory without asking the device every time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "forebay/status.h"
#include "forebay/types.h"

#pragma GCC visibility push(default)
namespace forebay {

// How a pool behaves. Bytes unless said otherwise.
struct MemoryPoolOptions {
  // Taken from the device when the pool is made. 0: on demand.
  uint64_t initial_bytes = 0;
  // The pool never holds more. 0: as much as the device has.
  uint64_t maximum_bytes = 0;
  // When the host waits for a stream, what the pool holds beyond this and nobody uses goes back to the device.
  uint64_t release_threshold = ~uint64_t{0};
  // Whether memory that one stream released may serve another: once an event orders the two; once the release happens
  // to have been reached; at once, with a wait that the pool inserts.
  bool follow_events = true;
  bool opportunistic = true;
  bool insert_waits = true;
};

// What a pool holds, in bytes unless said otherwise.
struct MemoryPoolStatistics {
  uint64_t requested_bytes = 0;  // as asked for by the live blocks
  uint64_t requested_peak = 0;
  uint64_t allocated_bytes = 0;  // live blocks as rounded up
  uint64_t peak_bytes = 0;       // highest allocated_bytes so far
  uint64_t active_bytes = 0;     // live blocks, and those that a stream has yet to reach the release of
  uint64_t active_peak = 0;
  uint64_t reserved_bytes = 0;  // taken from the device
  uint64_t reserved_peak = 0;
  uint64_t live_blocks = 0;   // number of blocks
  uint64_t device_calls = 0;  // how often the pool asked the device for memory
  // How often memory that one stream had released served another, by what made it safe.
  uint64_t reuses_by_event = 0;
  uint64_t reuses_by_chance = 0;
  uint64_t inserted_waits = 0;
  uint64_t rearrangements = 0;  // how often a range was made of pages from several places
};

// Blocks carved from ranges that the device hands out. Requests up to 32 KiB are slots of spans of one size, of which
// each thread keeps some; larger ones take the best fit. A freed block joins its free neighbours and stays in the pool.
// The device is asked only when nothing fits, and gets memory back only by Trim, above the threshold, or when the pool
// is destroyed.
//
// A block may be released in the order of a stream: that stream can have it again at once, others when it is safe.
//
// Thread safety: all functions may be called from any thread. Cost: does not depend on the number of blocks.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  class Impl;

  // A pool of its own on the calling thread's device. Errors: kContextNull without a device; kParamInvalid for a
  // maximum below the initial bytes; kMemoryAllocation, also for more than the device has.
  static Result<std::shared_ptr<MemoryPool>> Create(const MemoryPoolOptions& options);
  static Result<std::shared_ptr<MemoryPool>> Create(uint64_t initial_bytes = 0);
  // The pool of the calling thread's device, which aclrtMalloc uses too.
  static Result<std::shared_ptr<MemoryPool>> OfCurrentDevice();
  explicit MemoryPool(std::unique_ptr<Impl> impl);
  // Gives all ranges back. Blocks still in use become invalid.
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // A device address, 512-byte aligned, with undefined content, which is free of every stream. Errors: kParamInvalid
  // for 0 bytes; kMemoryAllocation with what was asked, what is free and what the pool holds; kInvalidHandle after the
  // device was reset.
  Result<void*> Alloc(std::size_t bytes);
  // The same for what is queued on the stream from now on, on any thread; null: the default stream. The address is
  // known at once. Errors: as above, and those of a launch on the stream.
  Result<void*> Alloc(std::size_t bytes, StreamHandle stream);
  // Nothing uses the block any more. Errors: kMemoryFree for an address that is not the start of a live block of this
  // pool, and says what it is.
  Status Free(void* address);
  // What is queued on the stream by now is the last to use the block. Errors: as above; kInvalidHandle for a stale
  // stream.
  Status Free(void* address, StreamHandle stream);
  // Gives free memory back to the device until the pool holds no more than `keep_bytes`, as far as whole pages of it
  // are free.
  void Trim(uint64_t keep_bytes = 0);

  MemoryPoolStatistics statistics() const;
  // One of the peaks (`&MemoryPoolStatistics::reserved_peak`, say) begins anew at what is there now.
  void ResetPeak(uint64_t MemoryPoolStatistics::* peak);
  MemoryPoolOptions options() const;
  // The maximum and the initial bytes stay as they are. Errors: none so far.
  Status SetOptions(const MemoryPoolOptions& options);

  // Called, without locks, when there is no memory left: may free some. True: it has, and the pool tries again. The
  // last one added is asked first.
  void AddOutOfMemoryCallback(std::function<bool(std::size_t bytes)> callback);

  // A step of the program begins. Once a step repeats (the same sizes in the same order on the same streams) the pool
  // places its blocks by their lifetimes. Without marks it looks for steps between waits of the host.
  void MarkStep();

  // What was allocated and released, in which order of which streams, as text for `forebay tune-memory`.
  void StartHistory();
  std::string TakeHistory();
  // What the pool held over that time, as a picture (SVG).
  std::string HistorySvg() const;
  // The ranges with their blocks and owners: as JSON, and as a picture (SVG).
  std::string SnapshotJson() const;
  std::string SnapshotSvg() const;

  Impl& impl() noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace forebay
#pragma GCC visibility pop
