// A kernel image made by hand, with nothing but the binary contract. raw_kernels.h names its kernels in this order.
#include <cstdarg>
#include <cstdint>

#include "forebay/kernel_abi.h"

namespace {

using namespace forebay::kernel_abi;

const DeviceServices* services = nullptr;

uint32_t Block() { return services->block_context()->block_index; }
uint32_t BlockCount() { return services->block_context()->block_count; }
uint64_t Argument(const void* arguments, int index) { return static_cast<const uint64_t*>(arguments)[index]; }
volatile uint64_t* Pointer(const void* arguments, int index) {
  return reinterpret_cast<volatile uint64_t*>(Argument(arguments, index));
}

void Print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  services->print(format, arguments);
  va_end(arguments);
}

uint64_t Overflow(uint64_t depth) {
  volatile uint64_t frame[64];
  frame[depth % 64] = depth;
  return depth == ~uint64_t{0} ? 0 : Overflow(depth + 1) + frame[(depth + 1) % 64];
}

}  // namespace

#define KERNEL(name) extern "C" __attribute__((visibility("default"))) void forebay_entry_##name(const void* arguments)

extern "C" __attribute__((visibility("default"))) void forebay_kernel_bind(const DeviceServices* table) {
  services = table;
}

// Appends argument 1 to the log at argument 0.
KERNEL(Append) {
  // A kernel that the system keeps from running for long lets those of other streams run beside it.
  auto* log = reinterpret_cast<uint64_t*>(Argument(arguments, 0));
  log[__atomic_fetch_add(log, 1, __ATOMIC_RELAXED) + 1] = Argument(arguments, 1);
}
KERNEL(MarkBlocks) { Pointer(arguments, 0)[Block()] = Block() + 1; }
// Rounds of SyncAll; every block counts the marks of the others that it sees in each.
KERNEL(Meet) {
  volatile uint64_t* marks = Pointer(arguments, 0);
  const uint64_t rounds = Argument(arguments, 1);
  for (uint64_t round = 1; round <= rounds; ++round) {
    marks[Block()] = round;
    services->sync_all();
    for (uint32_t i = 0; i < BlockCount(); ++i) {
      if (marks[i] != round) marks[BlockCount()] = 1;
    }
    services->sync_all();
  }
}
KERNEL(MeetWithoutTheFirst) {
  (void)arguments;
  if (Block() != 0) services->sync_all();
}
KERNEL(Read) { (void)*Pointer(arguments, 0); }
KERNEL(Write) { *Pointer(arguments, 0) = 1; }
KERNEL(Trap) {
  (void)arguments;
  __builtin_trap();
}
KERNEL(Divide) {
  volatile uint32_t divisor = static_cast<uint32_t>(Argument(arguments, 0));
  volatile uint32_t result = 7 / divisor;
  (void)result;
}
KERNEL(Recurse) { Overflow(Argument(arguments, 0)); }
KERNEL(Abort) {
  (void)arguments;
  services->fail(FailureCause::kAbort, "on purpose");
}
KERNEL(Exit) {
  (void)arguments;
  services->fail(FailureCause::kExit, nullptr);
}
// Loops until the word at argument 0 is not 0.
KERNEL(AwaitWord) {
  while (*Pointer(arguments, 0) == 0) {
  }
}
KERNEL(PrintLines) {
  for (uint64_t i = 0; i < Argument(arguments, 0); ++i) Print("block %u line %llu\n", Block(), (unsigned long long)i);
}
KERNEL(PrintForever) {
  (void)arguments;
  for (;;) Print("again\n");
}
// Stores at argument 0 the sum of the 99 values behind it.
KERNEL(Sum) {
  uint64_t sum = 0;
  for (int i = 1; i < 100; ++i) sum += Argument(arguments, i);
  *Pointer(arguments, 0) = sum;
}
// Copies to argument 0 the word that argument 1 points at, which is data of the arguments.
KERNEL(FollowPlaceholder) { *Pointer(arguments, 0) = *Pointer(arguments, 1); }
// Stores at argument 0 how often this image has run it.
KERNEL(CountCalls) {
  static uint64_t calls = 0;
  *Pointer(arguments, 0) = ++calls;
}
