// What the path between driver and firmware costs by itself: one stream's ring, without the runtime above.
//
// The first argument of a benchmark is the backend: 0 a process of its own, 1 inside this one.
#include <benchmark/benchmark.h>

#include <memory>

#include "forebay/base/architecture.h"
#include "forebay/driver/device.h"
#include "forebay/types/queue_grant.h"

namespace forebay {
namespace {

constexpr uint32_t kDepth = 4096;

class Silent : public driver::InterruptSink {
  void OnInterrupt(const types::InterruptRecord&) override {}
  void OnPrint(std::string_view) override {}
  void OnLost(const std::string&) override {}
};

struct Bench {
  explicit Bench(bool inside) {
    driver::DeviceOptions options;
    options.backend = inside ? driver::Backend::kInline : driver::Backend::kProcess;
    options.firmware_path = FIRMWARE;
    options.boot.memory_bytes = 4u << 20;
    options.boot.pinned_bytes = 2u << 20;
    options.boot.window = {uint64_t{32} << 40, 4u << 20};
    options.boot.cycle_frequency = base::CycleCounterFrequency();
    options.boot.stream_count = 64;
    options.boot.queue_depth = kDepth;
    options.boot.event_count = 256;
    options.boot.ai_core_count = 20;
    options.boot.core_threads = 2;
    options.boot.stack_bytes = 96 * 1024;
    options.boot.spin_us = 20;
    auto opened = driver::Device::Open(options, &sink);
    if (!opened.ok()) {
      std::fprintf(stderr, "%s\n", opened.status().ToString().c_str());
      std::abort();
    }
    device = *std::move(opened);
  }
  types::QueueGrant Grant(uint32_t slot) {
    const types::BarView& bar = device->bar();
    return {bar.header, &bar.streams[slot], bar.Ring(slot), kDepth - 1, slot, slot};
  }

  Silent sink;
  std::unique_ptr<driver::Device> device;
};

// A stream as the runtime keeps one: its own copy of the tail and of the last `done` it saw.
struct Queue {
  Queue(Bench& owner, uint32_t slot) : bench(owner), grant(owner.Grant(slot)) {}

  void Put(types::Opcode opcode, uint32_t event, uint64_t value) {
    if (tail - seen_done >= kDepth) {
      bench.device->WaitDone(grant.slot, tail - kDepth + kDepth / 4, base::Deadline());
      seen_done = grant.registers->done.load(std::memory_order_acquire);
    }
    types::Command& entry = grant.Entry(tail);
    entry.opcode = opcode;
    entry.flags = 0;
    entry.entry_count = 1;
    entry.task = static_cast<uint32_t>(tail);
    entry.event = {value, event, 0};
    grant.Publish(++tail);
  }
  void Wait() { bench.device->WaitDone(grant.slot, tail, base::Deadline()); }

  Bench& bench;
  types::QueueGrant grant;
  uint64_t tail = 0;
  uint64_t seen_done = 0;
};

// A burst that fits into the ring: what the caller pays.
void Submit(benchmark::State& state) {
  Bench bench(state.range(0) != 0);
  Queue queue(bench, 0);
  constexpr int kBurst = 2000;
  for (auto _ : state) {
    const int64_t start = base::NowNanoseconds();
    for (int i = 0; i < kBurst; ++i) queue.Put(types::Opcode::kEventRecord, 100, 1);
    state.SetIterationTime(static_cast<double>(base::NowNanoseconds() - start) * 1e-9);
    queue.Wait();
  }
  state.SetItemsProcessed(state.iterations() * kBurst);
}
BENCHMARK(Submit)->ArgName("inside")->Arg(0)->Arg(1)->UseManualTime();

// Many rings' worth, until the last is done: what a task costs in all.
void Sustained(benchmark::State& state) {
  Bench bench(state.range(0) != 0);
  Queue queue(bench, 0);
  constexpr int kTasks = 100'000;
  for (auto _ : state) {
    for (int i = 0; i < kTasks; ++i) queue.Put(types::Opcode::kEventRecord, 100, 1);
    queue.Wait();
  }
  state.SetItemsProcessed(state.iterations() * kTasks);
}
BENCHMARK(Sustained)->ArgName("inside")->Arg(0)->Arg(1)->UseRealTime();

void RoundTripBackToBack(benchmark::State& state) {
  Bench bench(state.range(0) != 0);
  Queue queue(bench, 0);
  for (auto _ : state) {
    queue.Put(types::Opcode::kEventRecord, 100, 1);
    queue.Wait();
  }
}
BENCHMARK(RoundTripBackToBack)->ArgName("inside")->Arg(0)->Arg(1)->UseRealTime();

// The device sleeps by then. The host is kept busy, as an application would be.
void RoundTripAfterIdle(benchmark::State& state) {
  Bench bench(state.range(0) != 0);
  Queue queue(bench, 0);
  for (auto _ : state) {
    const int64_t idle_until = base::NowNanoseconds() + 500'000;
    while (base::NowNanoseconds() < idle_until) base::CpuRelax();
    const int64_t start = base::NowNanoseconds();
    queue.Put(types::Opcode::kEventRecord, 100, 1);
    queue.Wait();
    state.SetIterationTime(static_cast<double>(base::NowNanoseconds() - start) * 1e-9);
  }
}
BENCHMARK(RoundTripAfterIdle)->ArgName("inside")->Arg(0)->Arg(1)->UseManualTime()->Iterations(2000);

// A chain of records and waits over two streams, queued while a gate is closed.
void EventHop(benchmark::State& state) {
  Bench bench(state.range(0) != 0);
  Queue first(bench, 0);
  Queue second(bench, 1);
  Queue gate(bench, 2);
  constexpr int kHops = 1000;
  uint64_t value = 0;
  uint64_t round = 0;
  for (auto _ : state) {
    first.Put(types::Opcode::kEventWait, 100, ++round);
    for (int i = 0; i < kHops; ++i) {
      ++value;
      first.Put(types::Opcode::kEventRecord, 101, value);
      second.Put(types::Opcode::kEventWait, 101, value);
      second.Put(types::Opcode::kEventRecord, 102, value);
      first.Put(types::Opcode::kEventWait, 102, value);
    }
    const int64_t start = base::NowNanoseconds();
    gate.Put(types::Opcode::kEventRecord, 100, round);
    first.Wait();
    state.SetIterationTime(static_cast<double>(base::NowNanoseconds() - start) * 1e-9);
  }
  state.SetItemsProcessed(state.iterations() * kHops * 2);
}
BENCHMARK(EventHop)->ArgName("inside")->Arg(0)->Arg(1)->UseManualTime();

}  // namespace
}  // namespace forebay

BENCHMARK_MAIN();
