#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <random>

#include "forebay/base/thread.h"
#include "memory/pool/heap.h"
#include "memory/pool/heap_test_support.h"

namespace forebay::runtime {
namespace {

TEST(HeapThread, ThatEndsGivesItsSlotsBack) {
  TestStreams streams;
  TestPages pages;
  Heap heap(pages, streams, {});
  base::Thread("ends", [&] {
    std::vector<uint64_t> blocks;
    for (int i = 0; i < 500; ++i) blocks.push_back(heap.Allocate({1000})->address);
    for (const uint64_t block : blocks) EXPECT_EQ(heap.Free(block).outcome, Freed::kOk);
  }).Join();
  EXPECT_EQ(heap.statistics().blocks, 0U);
  heap.Trim(0);
  EXPECT_EQ(pages.reserved, 0U) << "no slot stayed in the cache of the thread";
}

TEST(HeapThread, MayOutliveTheHeap) {
  TestStreams streams;
  TestPages pages;
  std::atomic<int> step{0};
  auto heap = std::make_unique<Heap>(pages, streams, HeapOptions());
  base::Thread thread("thread", [&] {
    heap->Allocate({100}).status().IgnoreError();
    step = 1;
    while (step != 2) sched_yield();
    Heap other(pages, streams, {});
    const uint64_t block = other.Allocate({100})->address;
    EXPECT_EQ(other.Free(block).outcome, Freed::kOk);
  });
  while (step != 1) sched_yield();
  heap.reset();
  step = 2;
  thread.Join();
}

TEST(HeapThread, ManyHeapsOneAfterTheOther) {
  TestStreams streams;
  TestPages pages;
  for (int i = 0; i < 200; ++i) {
    Heap first(pages, streams, {}), second(pages, streams, {});
    const uint64_t one = first.Allocate({100})->address, two = second.Allocate({100})->address;
    EXPECT_EQ(first.Free(two).outcome, Freed::kNotABlock);
    EXPECT_EQ(first.Free(one).outcome, Freed::kOk);
    EXPECT_EQ(second.Free(two).outcome, Freed::kOk);
  }
}

TEST(HeapThread, MemoryIsAllocatedAndFreedWhileTheThreadEnds) {
  struct Late {
    Heap* heap = nullptr;
    ~Late() {
      const uint64_t block = heap->Allocate({100})->address;
      EXPECT_EQ(heap->Free(block).outcome, Freed::kOk);
      EXPECT_EQ(heap->Free(block).outcome, Freed::kAlreadyFree);
    }
  };
  TestStreams streams;
  TestPages pages;
  Heap heap(pages, streams, {});
  base::Thread("ends", [&] {
    static thread_local Late late;  // destroyed after the caches, which are made later
    late.heap = &heap;
    heap.Free(heap.Allocate({100})->address);
  }).Join();
  EXPECT_EQ(heap.statistics().blocks, 0U);
  heap.Trim(0);
  EXPECT_EQ(pages.reserved, 0U);
}

TEST(HeapThread, BlocksOfOneAreFreedByAnother) {
  TestStreams streams;
  TestPages pages;
  Heap heap(pages, streams, {});
  constexpr int kBlocks = 20000;
  std::vector<std::atomic<uint64_t>> handed(kBlocks);
  base::Thread other("other", [&] {
    for (auto& each : handed) {
      uint64_t block = 0;
      while ((block = each.load(std::memory_order_acquire)) == 0) sched_yield();
      ASSERT_EQ(heap.Free(block).outcome, Freed::kOk);
    }
  });
  for (int i = 0; i < kBlocks; ++i) {
    const uint64_t bytes = i % 10 == 0 ? 100 * kKiB : 700;
    handed[static_cast<std::size_t>(i)].store(heap.Allocate({bytes})->address, std::memory_order_release);
  }
  other.Join();
  EXPECT_EQ(heap.statistics().blocks, 0U);
  EXPECT_EQ(heap.statistics().requested.now, 0U);
}

// Each block is marked in a table of the bytes' owners: two owners of one byte are seen.
TEST(HeapThread, NoByteHasTwoOwners) {
  TestStreams streams;
  TestPages pages(64 * kKiB);
  Heap heap(pages, streams, {.remap_bytes = 64 * kKiB, .remap_slack_percent = 0});
  constexpr uint64_t kFirst = uint64_t{1} << 40, kUnits = uint64_t{1} << 22;
  const auto owners = std::make_unique<std::atomic<uint8_t>[]>(kUnits);
  std::atomic<int> collisions{0};
  const auto mark = [&](uint64_t address, uint64_t bytes, uint8_t from, uint8_t to) {
    for (uint64_t unit = (address - kFirst) / 512; unit <= (address - kFirst + bytes - 1) / 512; ++unit) {
      if (unit < kUnits && owners[unit].exchange(to, std::memory_order_relaxed) != from) ++collisions;
    }
  };
  std::vector<base::Thread> threads;
  for (uint8_t t = 1; t <= 4; ++t) {
    threads.emplace_back("worker", [&, t] {
      std::mt19937 random(t);
      std::vector<std::pair<uint64_t, uint64_t>> live;
      for (int i = 0; i < 8000; ++i) {
        if (live.size() < 50 || random() % 2 == 0) {
          const uint64_t bytes = random() % 4 != 0 ? random() % (32 * kKiB) + 1 : random() % (512 * kKiB) + 1;
          const Result<HeapGrant> grant = heap.Allocate({bytes});
          ASSERT_TRUE(grant.ok());
          mark(grant->address, bytes, 0, t);
          live.emplace_back(grant->address, bytes);
        } else {
          std::swap(live[random() % live.size()], live.back());
          mark(live.back().first, live.back().second, t, 0);
          ASSERT_EQ(heap.Free(live.back().first).outcome, Freed::kOk);
          live.pop_back();
        }
        if (t == 1 && i % 500 == 0) heap.Trim(4 * kMiB);
        if (t == 2 && i % 700 == 0) heap.statistics();
      }
      for (const auto& [address, bytes] : live) {
        mark(address, bytes, t, 0);
        ASSERT_EQ(heap.Free(address).outcome, Freed::kOk);
      }
    });
  }
  for (base::Thread& thread : threads) thread.Join();
  EXPECT_EQ(collisions, 0);
  EXPECT_EQ(heap.statistics().blocks, 0U);
  heap.Trim(0);
  EXPECT_EQ(pages.reserved, 0U);
  EXPECT_EQ(pages.broken, "");
}

TEST(HeapThread, ForkLeavesAHeapThatWorks) {
  TestStreams streams;
  TestPages pages;
  Heap heap(pages, streams, {});
  std::atomic<bool> over{false};
  base::Thread busy("busy", [&] {
    while (!over) {
      heap.Free(heap.Allocate({100 * kKiB})->address);
      std::vector<uint64_t> blocks;
      for (int i = 0; i < 300; ++i) blocks.push_back(heap.Allocate({700})->address);
      for (const uint64_t block : blocks) heap.Free(block);
    }
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const uint64_t block = heap.Allocate({100 * kKiB})->address, small = heap.Allocate({700})->address;
      const bool ok = heap.Free(block).outcome == Freed::kOk && heap.Free(small).outcome == Freed::kOk;
      _exit(ok ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  over = true;
  busy.Join();
}

}  // namespace
}  // namespace forebay::runtime
