// The entries of a task queue: what the host writes into the ring and the hardware scheduler executes.
//
// An entry is one cache line. A kernel whose arguments do not fit takes the entries that follow, as raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/types.h"

namespace forebay::types {

inline constexpr std::size_t kEntryBytes = 64;

enum class Opcode : uint8_t {
  kNone = 0,
  kKernel = 1,
  kCopy = 2,
  kFill = 3,
  kEventRecord = 4,
  kEventWait = 5,
  kHostFunction = 6,
  kEventReset = 7,
  kCounterRecord = 8,
  kCounterWait = 9,
  kMemoryWrite = 10,
  kMemoryWait = 11,
  kIndirectCopy = 16,
  kReduce = 17,
  kRandom = 18,
};

// Bits of Command::flags.
inline constexpr uint8_t kFlagTimestamp = 1;          // kEventRecord: store the time stamp counter too
inline constexpr uint8_t kFlagArgumentsOnDevice = 2;  // kKernel: `arguments` holds the device address of the arguments
inline constexpr uint8_t kFlagVectorCore = 16;        // kKernel: it fails as a kernel of a vector core does
inline constexpr uint8_t kFlagRunsAfterFailure = 4;   // kHostFunction: runs even when the stream has stopped
inline constexpr uint8_t kFlagCheckOverflow = 8;      // kKernel: note when arithmetic gives infinity or no number
inline constexpr uint8_t kFlagOrdersOnly = 32;        // kEventWait: what failed before the record is no failure here

// Where an address of a copy lies.
enum class MemorySpace : uint8_t {
  kDevice = 0,  // a device address
  kPinned = 1,  // an offset into the shared memory file, in its pinned host part
};

struct KernelCommand {
  uint32_t image;     // slot of the loaded kernel image
  uint32_t function;  // index of the kernel in its image
  uint16_t block_count;
  uint16_t first_block;        // the index of the first block
  uint32_t timeout_us;         // 0: no limit
  uint32_t argument_bytes;     // packed arguments, with placeholder data
  uint32_t placeholder_count;  // pairs {u32 address offset, u32 data offset} that follow the arguments, 8-byte aligned
  // The first bytes of the arguments; the rest is in the entries that follow.
  std::byte arguments[32];
};
inline constexpr std::size_t kInlineArgumentBytes = sizeof(KernelCommand::arguments);

// Rows of `bytes` bytes each; the pitches lie between the beginnings of two.
struct CopyCommand {
  uint64_t destination;
  uint64_t source;
  uint64_t bytes;
  MemorySpace destination_space;
  MemorySpace source_space;
  uint32_t rows;  // at least 1
  uint64_t destination_pitch;
  uint64_t source_pitch;
};

// A copy within device memory whose addresses the device reads when the task runs.
struct IndirectCopyCommand {
  uint64_t destination_at;  // where the address of the destination is
  uint64_t source_at;
  uint64_t destination_offset;  // added to what is found there
  uint64_t source_offset;
  uint64_t bytes_at;  // where the number of bytes is; 0: it is `bytes`
  uint64_t bytes;
};

struct FillCommand {
  uint64_t destination;
  uint64_t bytes;
  uint32_t pattern;  // its bytes, lowest first, again and again
  MemorySpace space;
};

enum class ReduceOperation : uint8_t { kSum = 0, kMaximum = 1, kMinimum = 2, kEqual = 3 };

// destination = destination `operation` source, element by element, in device memory.
struct ReduceCommand {
  uint64_t destination;
  uint64_t source;
  uint64_t bytes;
  DataType type;
  ReduceOperation operation;
};

enum class Distribution : uint8_t { kDropoutMask = 0, kUniform = 1, kNormal = 2, kTruncatedNormal = 3 };

// Bits of RandomCommand::in_memory: the operand is the device address of the value, not the value.
inline constexpr uint8_t kSeedInMemory = 1;
inline constexpr uint8_t kCountInMemory = 2;
inline constexpr uint8_t kFirstInMemory = 4;
inline constexpr uint8_t kSecondInMemory = 8;

// Random numbers in device memory.
struct RandomCommand {
  uint64_t destination;
  uint64_t counter;  // device address of the 16 bytes that the sequence begins with
  uint64_t seed;
  uint64_t count;
  uint64_t first;   // in bits of `type`: share that is dropped, lowest value, or mean
  uint64_t second;  // highest value (not reached), or standard deviation
  int8_t type;      // a DataType
  Distribution distribution;
  uint8_t in_memory;
};

// The value of an event only grows: a record stores its value, and a wait passes once the register has reached it. A
// reset makes the values that are reached when it runs count as not reached.
struct EventCommand {
  uint64_t value;
  uint32_t event;       // index of the register
  uint32_t timeout_ms;  // kEventWait: 0 means no limit
};

// What a wait compares: `now` is in the register or in memory, `value` in the command.
enum class Condition : uint8_t {
  kLess = 0,
  kEqual = 1,
  kGreater = 2,
  kGreaterOrEqual = 3,
  kAllBits = 4,               // every bit of `value` is set in `now`
  kGreaterOrEqualCyclic = 5,  // now - value, as a signed number, is not negative
  kAnyBit = 6,                // some bit of `value` is set in `now`
  kSomeBitInNeither = 7,      // some bit is set neither in `now` nor in `value`
};

constexpr bool Holds(Condition condition, uint64_t now, uint64_t value) noexcept {
  switch (condition) {
    case Condition::kLess: return now < value;
    case Condition::kEqual: return now == value;
    case Condition::kGreater: return now > value;
    case Condition::kGreaterOrEqual: return now >= value;
    case Condition::kAllBits: return (now & value) == value;
    case Condition::kGreaterOrEqualCyclic: return static_cast<int64_t>(now - value) >= 0;
    case Condition::kAnyBit: return (now & value) != 0;
    case Condition::kSomeBitInNeither: return ~(now | value) != 0;
  }
  return false;
}

// What a record does to a counter.
enum class CounterOperation : uint8_t { kSet = 0, kAdd = 1, kOr = 2, kAnd = 3 };

// A counter is a register of 32 bits that is set, added to, and cleared. It begins as an EventCommand does.
struct CounterCommand {
  uint64_t value;
  uint32_t counter;     // index of the register
  uint32_t timeout_ms;  // kCounterWait: 0 means no limit
  CounterOperation operation;
  Condition condition;
  uint8_t clears;  // kCounterWait: 1 sets the counter to 0 as the wait passes
};

// A word of 64 bits in device memory, at a multiple of 8, that is written or waited for.
struct MemoryCommand {
  uint64_t value;
  uint64_t address;
  Condition condition;  // kMemoryWait
};

struct alignas(kEntryBytes) Command {
  Opcode opcode;
  uint8_t flags;
  uint16_t entry_count;  // ring entries this task takes, at least 1
  uint32_t task;         // number of the task on its stream, counted from 0
  union {
    KernelCommand kernel;
    CopyCommand copy;
    IndirectCopyCommand indirect_copy;
    FillCommand fill;
    ReduceCommand reduce;
    RandomCommand random;
    EventCommand event;
    CounterCommand counter;
    MemoryCommand memory;
  };
};
static_assert(sizeof(Command) == kEntryBytes);
static_assert(offsetof(Command, kernel) == 8);

// Ring entries that a kernel with this much argument data takes.
constexpr uint32_t KernelEntryCount(std::size_t data_bytes) noexcept {
  if (data_bytes <= kInlineArgumentBytes) return 1;
  return 1 + static_cast<uint32_t>((data_bytes - kInlineArgumentBytes + kEntryBytes - 1) / kEntryBytes);
}

// The bytes from the first to the last one of some rows; what would overflow stays beyond everything.
constexpr uint64_t RowSpan(uint64_t rows, uint64_t pitch, uint64_t bytes) noexcept {
  if (rows == 0) return 0;
  uint64_t span = 0;
  if (__builtin_mul_overflow(rows - 1, pitch, &span) || __builtin_add_overflow(span, bytes, &span)) return UINT64_MAX;
  return span;
}

// The bytes that so many random numbers take.
constexpr uint64_t RandomBytes(Distribution distribution, DataType type, uint64_t count) noexcept {
  if (distribution == Distribution::kDropoutMask) return count / 8 + (count % 8 != 0 ? 1 : 0);
  uint64_t bytes = 0;
  return __builtin_mul_overflow(count, SizeOf(type), &bytes) ? UINT64_MAX : bytes;
}

}  // namespace forebay::types
