// The entries of a task queue: what the host writes into the ring and the hardware scheduler executes.
//
// An entry is one cache line. A kernel whose arguments do not fit takes the entries that follow, as raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>

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
};

// Bits of Command::flags.
inline constexpr uint8_t kFlagTimestamp = 1;          // kEventRecord: store the time stamp counter too
inline constexpr uint8_t kFlagArgumentsOnDevice = 2;  // kKernel: `arguments` holds the device address of the arguments
inline constexpr uint8_t kFlagVectorCore = 8;         // kKernel: it fails as a kernel of a vector core does
inline constexpr uint8_t kFlagRunsAfterFailure = 4;   // kHostFunction: runs even when the stream has stopped

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

struct CopyCommand {
  uint64_t destination;
  uint64_t source;
  uint64_t bytes;
  MemorySpace destination_space;
  MemorySpace source_space;
};

struct FillCommand {
  uint64_t destination;
  uint64_t bytes;
  uint8_t value;
  MemorySpace space;
};

// An event register counts up; a record stores its value, a wait passes once the register has reached it.
struct EventCommand {
  uint64_t value;
  uint32_t event;       // index of the event register
  uint32_t timeout_ms;  // kEventWait: 0 means no limit
};

struct alignas(kEntryBytes) Command {
  Opcode opcode;
  uint8_t flags;
  uint16_t entry_count;  // ring entries this task takes, at least 1
  uint32_t task;         // number of the task on its stream, counted from 0
  union {
    KernelCommand kernel;
    CopyCommand copy;
    FillCommand fill;
    EventCommand event;
  };
};
static_assert(sizeof(Command) == kEntryBytes);
static_assert(offsetof(Command, kernel) == 8);

// Ring entries that a kernel with this much argument data takes.
constexpr uint32_t KernelEntryCount(std::size_t data_bytes) noexcept {
  if (data_bytes <= kInlineArgumentBytes) return 1;
  return 1 + static_cast<uint32_t>((data_bytes - kInlineArgumentBytes + kEntryBytes - 1) / kEntryBytes);
}

}  // namespace forebay::types
