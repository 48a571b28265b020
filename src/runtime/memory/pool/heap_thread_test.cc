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
#include "memory/pool/stream_order.h"

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
  const auto use = [](void* of_thread) {
    Heap& heap = *static_cast<Heap*>(of_thread);
    const uint64_t block = heap.Allocate({100})->address;
    EXPECT_EQ(heap.Free(block).outcome, Freed::kOk);
    EXPECT_EQ(heap.Free(block).outcome, Freed::kAlreadyFree);
  };
  struct Late {
    Heap* heap = nullptr;
    void (*use)(void*) = nullptr;
    ~Late() { use(heap); }
  };
  TestStreams streams;
  TestPages pages;
  Heap heap(pages, streams, {});
  use(&heap);
  // The system calls for its value before the caches are destroyed, and once more behind that.
  static std::atomic<int> calls{0};
  pthread_key_t key{};
  static void (*const again)(void*) = +use;
  static pthread_key_t own_key{};
  ASSERT_EQ(pthread_key_create(&key,
                               [](void* of_thread) {
                                 again(of_thread);
                                 if (++calls == 1) pthread_setspecific(own_key, of_thread);
                               }),
            0);
  own_key = key;
  base::Thread("ends", [&] {
    static thread_local Late late;
    late.heap = &heap;
    late.use = +use;
    pthread_setspecific(key, &heap);
    heap.Free(heap.Allocate({100})->address);
  }).Join();
  EXPECT_EQ(calls, 2);
  pthread_key_delete(key);
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

// Who has each unit of 512 bytes: two owners are seen.
struct Owners {
  static constexpr uint64_t kFirst = uint64_t{1} << 40, kUnits = uint64_t{1} << 24;

  void Change(uint64_t address, uint64_t bytes, uint8_t from, uint8_t to) {
    for (uint64_t unit = (address - kFirst) / 512; unit <= (address - kFirst + bytes - 1) / 512; ++unit) {
      if (unit < kUnits && table[unit].exchange(to, std::memory_order_relaxed) != from) ++collisions;
    }
  }

  std::unique_ptr<std::atomic<uint8_t>[]> table = std::make_unique<std::atomic<uint8_t>[]>(kUnits);
  std::atomic<int> collisions{0};
};

TEST(HeapThread, NoByteHasTwoOwners) {
  TestStreams streams;
  TestPages pages(64 * kKiB);
  Heap heap(pages, streams, {.remap_bytes = 64 * kKiB, .remap_slack_percent = 0});
  Owners owners;
  const auto mark = [&](uint64_t address, uint64_t bytes, uint8_t from, uint8_t to) {
    owners.Change(address, bytes, from, to);
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
  EXPECT_EQ(owners.collisions, 0);
  EXPECT_EQ(heap.statistics().blocks, 0U);
  heap.Trim(0);
  EXPECT_EQ(pages.reserved, 0U);
  EXPECT_EQ(pages.broken, "");
}

// Each thread has a stream.
TEST(HeapThread, StreamsOfThreadsNeverShareALiveByte) {
  constexpr uint32_t kStreams = 4;
  std::array<std::atomic<uint64_t>, kStreams> done = {};
  StreamOrder order([&](uint32_t slot) { return done[slot].load(std::memory_order_acquire); });
  TestPages pages;
  Heap heap(pages, order, {.remap_slack_percent = 0});
  Owners owners;
  std::atomic<uint64_t> live_bytes{0};
  std::atomic<int> wrong{0};
  std::vector<base::Thread> threads;
  for (uint32_t stream = 0; stream < kStreams; ++stream) {
    threads.emplace_back("stream", [&, stream] {
      std::mt19937 random(stream + 1);
      uint64_t entry = 0;
      StreamClock clock;
      std::vector<std::pair<uint64_t, uint64_t>> live;
      order.TakePart(stream);
      for (int i = 0; i < 6000; ++i) {
        const uint32_t what = static_cast<uint32_t>(random() % 100);
        if (what < 48 || live.empty()) {
          const uint64_t bytes = random() % 2 == 0 ? random() % (32 * kKiB) + 1 : random() % (4 * kMiB) + 1;
          const Result<HeapGrant> grant = heap.Allocate({bytes, 0, stream});
          ASSERT_TRUE(grant.ok());
          if (grant->wait_for.slot != kNoStream) {
            if (grant->wait_for.slot == stream) ++wrong;
            clock.assign(1, grant->wait_for);
            order.NoteWait(stream, clock);
          }
          owners.Change(grant->address, bytes, 0, static_cast<uint8_t>(stream + 1));
          live.emplace_back(grant->address, bytes);
          live_bytes += bytes;
        } else if (what < 94) {
          std::swap(live[random() % live.size()], live.back());
          owners.Change(live.back().first, live.back().second, static_cast<uint8_t>(stream + 1), 0);
          if (heap.Free(live.back().first, {stream, ++entry}).outcome != Freed::kOk) ++wrong;
          live_bytes -= live.back().second;
          live.pop_back();
        } else if (what < 97) {
          order.Snapshot({stream, entry}, clock);
          order.NoteWait((stream + 1) % kStreams, clock);
        } else {
          done[stream].store(entry, std::memory_order_release);
          order.NoteSynchronised({stream, entry});
          heap.ReleaseAboveThreshold();
        }
      }
      for (const auto& [address, bytes] : live) {
        owners.Change(address, bytes, static_cast<uint8_t>(stream + 1), 0);
        if (heap.Free(address, {stream, ++entry}).outcome != Freed::kOk) ++wrong;
        live_bytes -= bytes;
      }
      done[stream].store(entry, std::memory_order_release);
    });
  }
  for (base::Thread& thread : threads) thread.Join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(owners.collisions, 0);
  EXPECT_EQ(heap.statistics().requested.now, live_bytes);
  EXPECT_LE(heap.statistics().most_steps, StepCount::kMost);
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
