// The "BAR": the registers, rings and mailboxes that driver and firmware share. Plain memory with fixed layout.
//
// Sections, each at the page-aligned offset that the header names:
//   header | streams: StreamRegisters[stream_count] | events: EventRegister[event_count] |
//   rings: Command[stream_count][queue_depth] | interrupts: InterruptRecord[kInterruptDepth] | print: byte ring |
//   faults: ArmedFault[kMaxFaults] | cores: CoreState[CoreLimit] | staging: kernel images on their way to the device
// The driver checks every value that the device can write before it uses it as an index.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "forebay/types/command.h"

namespace forebay::types {

inline constexpr uint32_t kBarMagic = 0x52414246;  // "FBAR"
inline constexpr uint32_t kBarVersion = 10;        // grows with every change of this file, command.h or kernel_abi.h
inline constexpr uint32_t kMaxStreams = 2048;
inline constexpr uint32_t kPriorityLevels = 8;
inline constexpr uint32_t kInterruptDepth = 1024;
inline constexpr uint64_t kPrintBytes = 1u << 20;
inline constexpr uint64_t kStagingBytes = 64u << 20;

enum class BootState : uint32_t { kHeld = 0, kRunning = 1, kRefused = 2, kStopping = 3, kStopped = 4 };
enum class BootRefusal : uint32_t { kNone = 0, kVersion = 1, kFailed = 2 };  // kFailed: the mailbox's text says why

// A part of the address space. Whole pages.
struct AddressWindow {
  uint64_t base;
  uint64_t bytes;

  constexpr bool Holds(uint64_t address, uint64_t count) const noexcept {
    return address >= base && address - base <= bytes && count <= bytes - (address - base);
  }
};

// What the host asks of the device before it boots.
struct BootParameters {
  uint64_t memory_bytes;       // device memory, at the start of the memory file
  uint64_t pinned_bytes;       // pinned host memory, behind it
  AddressWindow window;        // the device's own addresses; pinned memory is mapped behind them
  AddressWindow common[3];     // addresses that mean the same to all devices and the application
  uint64_t cycle_frequency;    // time stamp ticks in a second
  uint64_t schedule_seed;      // used when scheduled_by_seed
  uint32_t scheduled_by_seed;  // 1: the adversarial scheduler
  uint32_t stream_count;
  uint32_t queue_depth;    // entries of a ring, a power of two
  uint32_t event_count;    // registers, for events and counters
  uint32_t ai_core_count;  // blocks that may synchronise with each other
  uint32_t core_threads;   // host threads that run blocks; 0: the caller of Pump runs everything
  uint32_t stack_bytes;    // stack of a block
  uint32_t spin_us;        // how long an idle device spins before it parks
  // Not for the device: whose it is, for tools that look at the devices of other processes.
  uint32_t device_id;
  uint32_t host_process;  // as its own process id namespace numbers it
  char part[32];          // name of the part, ends with a zero
};

// Requests of the driver that the firmware answers, one at a time. kOpenFile takes a descriptor of the host's process,
// and answers with a number for the memory file behind it, at least 1.
enum class Request : uint32_t {
  kNone = 0,
  kChangeMappings,
  kOpenFile,
  kCloseFile,
  kLoadImage,
  kUnloadImage,
  kRecoverStream,
  kAbortStream,
  kHoldStream,
  kRecoverDevice,
  kArmFaults,
  kPing,
  kStop
};

struct alignas(64) Mailbox {
  std::atomic<uint32_t> doorbell;   // bumped by the host per request, and by the device to wake its own control thread
  std::atomic<uint32_t> completed;  // bumped by the device when the request is done; the host waits on it
  std::atomic<uint32_t> pending;    // 1 while a request waits for the device
  Request request;
  uint64_t argument[3];
  int32_t result;  // >= 0 success; < 0 failure, text says why
  char text[220];
};

struct alignas(64) Doorbell {
  // 1 while the dispatcher sleeps. The host exchanges it with 0 and wakes the sleeper.
  alignas(64) std::atomic<uint32_t> parked;
  // Processor numbers of the two sides, published on slow paths only; -1 unknown.
  alignas(64) std::atomic<int32_t> host_cpu;
  alignas(64) std::atomic<int32_t> device_cpu;
  std::atomic<uint32_t> device_thread;  // thread id of the parked dispatcher, for placement
  // Streams that became active: one bit each, and a summary bit per word.
  alignas(64) std::atomic<uint64_t> summary;
  alignas(64) std::atomic<uint64_t> words[kMaxStreams / 64];
};

// Counters that the device keeps, for queries and tests.
struct alignas(64) DeviceCounters {
  std::atomic<uint64_t> tasks;  // tasks taken from rings
  std::atomic<uint64_t> kernels;
  std::atomic<uint64_t> copies;
  std::atomic<uint64_t> parks;          // times the dispatcher went to sleep
  std::atomic<uint64_t> hand_overs;     // times the dispatcher's role moved because a kernel ran long
  std::atomic<uint64_t> schedule_hash;  // of the order of all (stream, entry) executed; the same seed gives the same
  std::atomic<uint64_t> images;         // kernel images loaded now
  std::atomic<uint64_t> mapped_bytes;   // device memory mapped now
  std::atomic<uint64_t> busy_cycles;    // spent on tasks, except on long ones that still run
  std::atomic<uint64_t> long_since;     // when the first of these was found to be long; 0: none
  std::atomic<uint64_t> looks;          // of the thread that looks after the cores; grows whenever it is rung
};

struct alignas(64) BarHeader {
  uint32_t magic;
  uint32_t version;
  uint64_t total_bytes;
  uint64_t streams_offset;
  uint64_t events_offset;
  uint64_t rings_offset;
  uint64_t interrupts_offset;
  uint64_t print_offset;
  uint64_t staging_offset;
  uint64_t faults_offset;
  uint64_t cores_offset;
  BootParameters boot;
  alignas(64) std::atomic<uint32_t> boot_state;  // a BootState; the host waits on it
  std::atomic<uint32_t> boot_refusal;            // a BootRefusal
  // For tools: queues that streams have now, and whether the host has given the device up. Written by the host.
  std::atomic<uint32_t> queues_granted;
  std::atomic<uint32_t> lost;
  Doorbell doorbell;
  Mailbox mailbox;
  DeviceCounters counters;
  // Host threads that wait for the device now. The scheduler that picks by seed lets work pile up while there are none.
  alignas(64) std::atomic<uint32_t> host_waiters;
  // Interrupt ring: the device fills at `raised`, the host takes at `taken`.
  alignas(64) std::atomic<uint64_t> interrupts_raised;
  alignas(64) std::atomic<uint64_t> interrupts_taken;
  // Bytes printed by kernels, and bytes that the host has taken.
  alignas(64) std::atomic<uint64_t> printed;
  alignas(64) std::atomic<uint64_t> print_taken;
  // Faults that the host has armed; the device looks at them when it is asked to.
  std::atomic<uint32_t> fault_count;
  // 1 while a kPrinted interrupt is on its way; the host clears it before it takes the bytes.
  std::atomic<uint32_t> print_raised;
};

// What lies at the start of the staging area for Request::kLoadImage: this header, then `kernel_count` names of
// kernel_abi::kMaxNameBytes each, then the image.
struct StagedImage {
  uint64_t image_bytes;
  uint32_t kernel_count;
  uint32_t reserved;
};

// One step of Request::kChangeMappings, of which the staging area holds as many as the request's first argument says.
// The device takes them in order, up to the first that fails.
struct MappingChange {
  uint64_t address;
  uint64_t bytes;
  uint64_t offset;  // in the file, of what is mapped there from now on; kNothing: nothing
  uint32_t file;    // 0: the device's memory file; else one that kOpenFile gave
  uint32_t reserved;
};
inline constexpr uint64_t kNothing = ~uint64_t{0};
inline constexpr uint64_t kMaxMappingChanges = kStagingBytes / sizeof(MappingChange);

// No one waits for this stream.
inline constexpr uint64_t kNoTarget = ~uint64_t{0};

struct StreamRegisters {
  // Written by the host: entries published, ever growing. Never reset, also not when the stream is reused.
  alignas(64) std::atomic<uint64_t> tail;
  // Written by the device: entries completed, and how many of its tasks failed so far.
  alignas(64) std::atomic<uint64_t> done;
  std::atomic<uint64_t> failures;
  // Written by both, rarely: the lowest `done` that a host thread waits for; whether the device polls the ring.
  alignas(64) std::atomic<uint64_t> target;
  std::atomic<uint32_t> active;
  // Host functions finished, as the entry number behind the last one. Written by the host.
  std::atomic<uint64_t> host_function_done;
  // Written by the host while the stream is idle.
  std::atomic<uint32_t> priority;  // 0 highest
  // What a failing task does to the queued ones: 0 nothing, 1 drops those of this stream, 2 drops those of every stream
  // with the same group.
  std::atomic<uint32_t> stop_on_failure;
  std::atomic<uint32_t> group;
  // Device address of the 64-bit word that kernels with kFlagCheckOverflow set to 1; 0: none. Written by the host.
  std::atomic<uint64_t> overflow_status;
};

// One register. As an event its `value` only grows, and the failed range says which values were reached by a stream
// that had stopped. As a counter it holds the count, and `failed_to` is not 0 when a stream that had stopped recorded
// last.
struct alignas(64) EventRegister {
  std::atomic<uint64_t> value;
  std::atomic<uint64_t> timestamp;    // time stamp counter at the last record that asked for it
  std::atomic<uint64_t> failed_from;  // 0: none
  std::atomic<uint64_t> failed_to;
  std::atomic<uint64_t> reset_to;  // values up to this one count as not reached
  std::atomic<uint32_t> cause_stream;
  std::atomic<uint32_t> cause_task;
  std::atomic<uint32_t> owner;  // number of the event that has it, from 1. Written by the host, for its texts only.
};

// What a core has been running for some time. Written by the device.
struct alignas(64) CoreState {
  std::atomic<int64_t> since_ns;  // of the machine's monotonic clock; 0: nothing that is worth telling
  std::atomic<uint32_t> stream;
};
// The most cores that the device can have.
constexpr uint32_t CoreLimit(const BootParameters& boot) noexcept {
  return boot.ai_core_count + 1 > boot.core_threads ? boot.ai_core_count + 1 : boot.core_threads;
}

// What the hardware says of a failure. sip turns it into a code and a severity.
enum class FaultCause : uint32_t {
  kNone = 0,
  kBadAddress = 1,          // read or write of an address that is not mapped
  kIllegalInstruction = 2,  // also the trap instruction
  kArithmetic = 3,          // division of integers
  kStackOverflow = 4,
  kAbort = 5,           // the kernel called abort, or an assertion failed
  kExit = 6,            // the kernel called exit
  kTimeout = 7,         // ran longer than its time-out
  kWaitTimeout = 8,     // a wait took longer than it may
  kDependency = 9,      // what a wait was for came from a stream that had stopped
  kCopyAddress = 10,    // a copy, or a task for a word of memory, has an address that is not mapped
  kBadCommand = 11,     // the scheduler could not decode the entry
  kSyncAll = 12,        // the blocks of a kernel cannot meet in SyncAll
  kUnknownKernel = 13,  // no such image or function
  kPowerDown = 14,      // the firmware stopped by itself
  kForbidden = 40,      // an instruction or an address that the processor gives to no program
  kMisaligned = 41,     // an access that the kernel itself had checked for alignment
  kNoStack = 43,        // there is no memory for the stack of a block
  kFloatingPoint = 42,  // an exception of floating-point arithmetic that the kernel had turned on
  kBadParameter = 24,   // what a task found in device memory for a parameter cannot be used
  // Reported by hardware, and here only when they are injected.
  kException = 64,
  kTrap = 65,
  kReadOverflow = 66,
  kWriteOverflow = 67,
  kAicpuException = 68,
  kAicpuTimeout = 69,
  kAicpuDump = 70,
  kAicpuModel = 71,
  kAicpuLoad = 72,
  kAicpuInternal = 73,
  kDmaError = 74,
  kFftsTimeout = 75,
  kFftsException = 76,
  kFftsTrap = 77,
  kCcuTimeout = 78,
  kCcuException = 79,
  kSchedulerError = 80,
  kUnknownTask = 81,
  kDeviceOom = 82,
  kEndOfSequence = 83,  // no fault: the stream goes on, whatever its policy
  kModelExecute = 84,
  kModelAbort = 85,
  // Of the device as a whole.
  kMemoryUce = 96,
  kEcc = 97,
  kSuspectMemory = 98,
  kSuspectRemote = 99,
  kLinkError = 100,
  kL3Port = 101,
  kOverheat = 102,
  kPowerFailure = 103,
  kHeartbeat = 104,
  kLinkLost = 105,
  kHungScheduler = 106,
};

// What an armed fault does when it happens.
enum class FaultAction : uint32_t {
  kNone = 0,
  kFailTask = 1,
  kLoop = 2,  // the kernel never ends by itself
  kSlow = 3,  // the task takes `factor` times as long
  kFailDevice = 4,
  kHang = 5,  // the scheduler stops working
  kDie = 6,
  kDropDoorbell = 7,
  kOverflow = 8,  // the kernel's arithmetic counts as overflowed
};

// Bits of ArmedFault::tasks: kinds of tasks.
inline constexpr uint32_t kKernelTasks = 1, kCopyTasks = 2, kWaitTasks = 4, kOtherTasks = 8;

// A fault that the host asks for.
struct FaultOrder {
  uint64_t id;  // another one is another fault
  FaultAction action;
  FaultCause cause;
  uint32_t tasks;
  uint32_t on_vector_core;
  uint32_t at_task;  // 1: happens when a task begins that matches; 0: when its time has come
  int32_t stream;    // -1: any
  int64_t task;      // -1: any
  uint64_t nth;      // 0: any match
  uint64_t count;    // at most so often; 0: no limit
  uint64_t after_us;
  uint64_t seed;
  double probability;
  uint64_t factor;
  uint64_t address;
  char kernel[64];  // empty: any; ends with a zero
  char text[96];    // as it was asked for
};

// A fault that is armed on the device, which takes a copy of the order when it is told to, and counts here.
struct ArmedFault : FaultOrder {
  std::atomic<uint64_t> matched;
  std::atomic<uint64_t> happened;
};
inline constexpr uint32_t kMaxFaults = 64;

enum class InterruptKind : uint32_t { kNone = 0, kTaskFailed = 1, kHostFunction = 2, kPrinted = 3, kDeviceFailed = 4 };

struct alignas(64) InterruptRecord {
  InterruptKind kind;
  FaultCause cause;
  uint32_t stream;  // slot
  uint32_t task;
  uint64_t entry;        // ring entry of the task
  uint64_t address;      // the address that faulted
  uint64_t instruction;  // offset of the instruction in the kernel image
  uint32_t image;
  uint32_t function;
  int32_t block;
  uint32_t other_stream;  // kDependency: where the failure came from
  uint32_t other_task;
  uint32_t elapsed_ms;      // kWaitTimeout: how long the wait lasted
  uint32_t on_vector_core;  // kTaskFailed: 1 when the task is a kernel of a vector core
  char text[120];
};
static_assert(sizeof(InterruptRecord) % 64 == 0);

// A mapped BAR: pointers to its sections, and the parameters as they were when it was viewed. Those in the header lie
// where the other side can write, and are not looked at again.
struct BarView {
  BootParameters boot{};
  BarHeader* header = nullptr;
  StreamRegisters* streams = nullptr;
  EventRegister* events = nullptr;
  Command* rings = nullptr;
  InterruptRecord* interrupts = nullptr;
  std::byte* print = nullptr;
  std::byte* staging = nullptr;
  ArmedFault* faults = nullptr;
  CoreState* cores = nullptr;

  Command* Ring(uint32_t stream) const noexcept { return rings + uint64_t{stream} * boot.queue_depth; }
};

// The size of a BAR for these parameters, and its sections. LayOut writes the header's offsets into zeroed memory.
uint64_t BarBytes(const BootParameters& parameters) noexcept;
void LayOutBar(std::byte* memory, const BootParameters& parameters) noexcept;
// Views a BAR laid out before. False when magic, version or sizes do not fit `mapped_bytes`.
bool ViewBar(std::byte* memory, uint64_t mapped_bytes, BarView* view) noexcept;

}  // namespace forebay::types
