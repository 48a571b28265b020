#include "forebay/types/bar.h"

#include <new>

namespace forebay::types {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t RoundUpToPage(uint64_t bytes) noexcept { return (bytes + kPage - 1) / kPage * kPage; }

struct Offsets {
  uint64_t streams, events, rings, interrupts, print, faults, cores, staging, total;
};

Offsets ComputeOffsets(const BootParameters& boot) noexcept {
  Offsets o{};
  o.streams = RoundUpToPage(sizeof(BarHeader));
  o.events = o.streams + RoundUpToPage(uint64_t{boot.stream_count} * sizeof(StreamRegisters));
  o.rings = o.events + RoundUpToPage(uint64_t{boot.event_count} * sizeof(EventRegister));
  o.interrupts = o.rings + RoundUpToPage(uint64_t{boot.stream_count} * boot.queue_depth * sizeof(Command));
  o.print = o.interrupts + RoundUpToPage(kInterruptDepth * sizeof(InterruptRecord));
  o.faults = o.print + RoundUpToPage(kPrintBytes);
  o.cores = o.faults + RoundUpToPage(kMaxFaults * sizeof(ArmedFault));
  o.staging = o.cores + RoundUpToPage(uint64_t{CoreLimit(boot)} * sizeof(CoreState));
  o.total = o.staging + kStagingBytes;
  return o;
}

}  // namespace

uint64_t BarBytes(const BootParameters& parameters) noexcept { return ComputeOffsets(parameters).total; }

void LayOutBar(std::byte* memory, const BootParameters& parameters) noexcept {
  const Offsets o = ComputeOffsets(parameters);
  // The registers are all zero in a new memory file, which is their initial state; only the header needs writing.
  auto* header = new (memory) BarHeader{};
  header->magic = kBarMagic;
  header->version = kBarVersion;
  header->total_bytes = o.total;
  header->streams_offset = o.streams;
  header->events_offset = o.events;
  header->rings_offset = o.rings;
  header->interrupts_offset = o.interrupts;
  header->print_offset = o.print;
  header->staging_offset = o.staging;
  header->faults_offset = o.faults;
  header->cores_offset = o.cores;
  header->boot = parameters;
  header->doorbell.host_cpu.store(-1, std::memory_order_relaxed);
  header->doorbell.device_cpu.store(-1, std::memory_order_relaxed);
}

bool ViewBar(std::byte* memory, uint64_t mapped_bytes, BarView* view) noexcept {
  auto* header = reinterpret_cast<BarHeader*>(memory);
  if (mapped_bytes < sizeof(BarHeader) || header->magic != kBarMagic || header->version != kBarVersion) return false;
  const BootParameters boot = header->boot;
  if (boot.stream_count == 0 || boot.stream_count > kMaxStreams) return false;
  if (boot.queue_depth == 0 || (boot.queue_depth & (boot.queue_depth - 1)) != 0) return false;
  const Offsets o = ComputeOffsets(boot);
  if (o.total != header->total_bytes || o.total > mapped_bytes || o.streams != header->streams_offset) return false;
  view->boot = boot;
  view->header = header;
  view->streams = reinterpret_cast<StreamRegisters*>(memory + o.streams);
  view->events = reinterpret_cast<EventRegister*>(memory + o.events);
  view->rings = reinterpret_cast<Command*>(memory + o.rings);
  view->interrupts = reinterpret_cast<InterruptRecord*>(memory + o.interrupts);
  view->print = memory + o.print;
  view->staging = memory + o.staging;
  view->faults = reinterpret_cast<ArmedFault*>(memory + o.faults);
  view->cores = reinterpret_cast<CoreState*>(memory + o.cores);
  return true;
}

}  // namespace forebay::types
