// Pools that several threads use at once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "speed_cases.h"

namespace forebay::bench {

// Each thread replaces blocks of its own. Processor time of a thread for a pair, in nanoseconds.
template <typename P>
double PrivateSets(P& pool, int threads) {
  constexpr uint64_t kPairs = 200'000;
  std::atomic<int> ready{0};
  std::vector<double> ns(static_cast<std::size_t>(threads));
  std::vector<std::thread> running;
  for (double& mine : ns) {
    running.emplace_back([&] {
      Replacement<P> blocks(pool, 10'000);
      ++ready;
      while (ready < threads) std::this_thread::yield();
      mine = blocks.Round(kPairs);
      blocks.FreeAll();
    });
  }
  for (std::thread& thread : running) thread.join();
  double sum = 0;
  for (const double one : ns) sum += one;
  return sum / threads;
}

// One thread allocates, another frees. Wall time of a pair, in nanoseconds.
template <typename P>
double HandOff(P& pool) {
  constexpr std::size_t kSlots = 1024;
  constexpr uint64_t kPairs = 300'000;
  std::vector<std::atomic<uint64_t>> ring(kSlots);
  const auto await = [](const std::atomic<uint64_t>& slot, bool full) {
    int spins = 0;
    uint64_t address = 0;
    while (((address = slot.load(std::memory_order_acquire)) != 0) != full) {
      if (++spins > 200) std::this_thread::yield();
    }
    return address;
  };
  const auto begin = std::chrono::steady_clock::now();
  std::thread consumer([&] {
    for (uint64_t i = 0; i < kPairs; ++i) {
      std::atomic<uint64_t>& slot = ring[i % kSlots];
      const uint64_t address = await(slot, true);
      slot.store(0, std::memory_order_release);
      pool.Free(address, 0);
    }
  });
  TraceRandom random(5);
  for (uint64_t i = 0; i < kPairs; ++i) {
    const uint64_t address = pool.Allocate(SmallSize(random), 0);
    await(ring[i % kSlots], false);
    ring[i % kSlots].store(address, std::memory_order_release);
  }
  consumer.join();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kPairs;
}

}  // namespace forebay::bench
