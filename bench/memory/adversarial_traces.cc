// Programs that are made to fragment memory.
#include "traces.h"

namespace forebay::bench {

runtime::Trace Checkerboard() {
  TraceBuilder trace("adv_checker", "fill, free every second block, ask for blocks an eighth larger; 12 rounds");
  std::vector<uint32_t> live;
  uint64_t bytes = kMiB;
  for (int i = 0; i < 512; ++i) live.push_back(trace.Allocate(bytes));
  for (int round = 0; round < 12; ++round) {
    std::vector<uint32_t> kept;
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (i % 2 == 1) {
        trace.Free(live[i]);
      } else {
        kept.push_back(live[i]);
      }
    }
    trace.Synchronise(0);
    bytes += bytes / 8 + 4096;
    const std::size_t more = (live.size() - kept.size()) * 8 / 9;
    for (std::size_t i = 0; i < more; ++i) kept.push_back(trace.Allocate(bytes));
    live = kept;
  }
  for (const uint32_t id : live) trace.Free(id);
  return std::move(trace).Finish();
}

runtime::Trace Robson() {
  TraceBuilder trace("adv_robson", "sizes that double with one survivor for each place; always 512 MiB live");
  struct Block {
    uint32_t id;
    uint64_t bytes;
  };
  constexpr uint64_t kLive = 512 * kMiB;
  uint64_t bytes = 64 * kKiB;
  uint64_t live_bytes = kLive;
  std::vector<Block> live;
  for (uint64_t i = 0; i < kLive / bytes; ++i) live.push_back({trace.Allocate(bytes), bytes});
  for (int round = 0; round < 9; ++round) {
    std::vector<Block> kept;
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (i % 2 == 1) {
        trace.Free(live[i].id);
        live_bytes -= live[i].bytes;
      } else {
        kept.push_back(live[i]);
      }
    }
    trace.Synchronise(0);
    bytes *= 2;
    for (; live_bytes + bytes <= kLive; live_bytes += bytes) kept.push_back({trace.Allocate(bytes), bytes});
    live = kept;
  }
  for (const Block& block : live) trace.Free(block.id);
  return std::move(trace).Finish();
}

runtime::Trace Pins() {
  TraceBuilder trace("adv_pin", "91 MiB and 45.5 MiB, then 2 MiB that stay while the two are freed; 100 times");
  std::vector<uint32_t> kept;
  for (int i = 0; i < 100; ++i) {
    const uint32_t large = trace.Allocate(91 * kMiB);
    const uint32_t half = trace.Allocate(91 * kMiB / 2);
    kept.push_back(trace.Allocate(2 * kMiB));
    trace.Free(large);
    trace.Free(half);
    trace.Synchronise(0);
    trace.Step();
  }
  for (const uint32_t id : kept) trace.Free(id);
  return std::move(trace).Finish();
}

runtime::Trace Sawtooth() {
  TraceBuilder trace("adv_sawtooth", "two live buffers, each 7 % larger than the last, from 1 MiB again beyond 1 GiB");
  uint64_t bytes = kMiB;
  uint32_t previous = trace.Allocate(bytes);
  for (int step = 0; step < 200; ++step) {
    bytes = bytes * 107 / 100;
    if (bytes > 1024 * kMiB) bytes = kMiB;
    const uint32_t next = trace.Allocate(bytes);
    trace.Free(previous);
    previous = next;
    if (step % 4 == 3) trace.Synchronise(0);
  }
  trace.Free(previous);
  return std::move(trace).Finish();
}

runtime::Trace StreamsInTurns() {
  constexpr uint32_t kStreams = 8;
  TraceBuilder trace("adv_streams", "8 streams take turns with the same burst, each waits for the one before");
  for (uint32_t turn = 0; turn < 400; ++turn) {
    const uint32_t stream = turn % kStreams;
    std::vector<uint32_t> burst;
    for (uint32_t i = 0; i < 12; ++i) burst.push_back(trace.Allocate((1 + (i * 7 + turn) % 13) * 3 * kMiB / 2, stream));
    for (const uint32_t id : burst) trace.Free(id, stream);
    trace.Wait(stream, (stream + 1) % kStreams);
    if (turn % 100 != 99) continue;
    trace.Synchronise(stream);
    trace.Step();
  }
  return std::move(trace).Finish();
}

}  // namespace forebay::bench
