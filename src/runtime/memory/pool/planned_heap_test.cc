#include "memory/pool/planned_heap.h"

#include <gtest/gtest.h>

#include <random>

#include "forebay/base/thread.h"
#include "memory/pool/heap_model.h"
#include "memory/pool/heap_test_support.h"

namespace forebay::runtime {
namespace {

constexpr uint32_t kStreams = 4;

// A step of a program: what it allocates and frees, on which streams, and what waits for what.
struct Operation {
  enum Kind { kAllocate, kFree, kEvent, kProgress } kind;
  uint32_t block;
  uint32_t stream;  // kEvent: that waits
  uint64_t bytes;
};
using Script = std::vector<Operation>;

Script MakeScript(std::mt19937& random, uint32_t operations, bool keeps_some) {
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  Script script;
  std::vector<uint32_t> live;
  uint32_t blocks = 0;
  const auto free_one = [&] {
    std::swap(live[below(static_cast<uint32_t>(live.size()))], live.back());
    script.push_back({Operation::kFree, live.back(), below(kStreams), 0});
    live.pop_back();
  };
  for (uint32_t i = 0; i < operations; ++i) {
    const uint32_t what = below(100);
    if (what < 45) {
      live.push_back(blocks);
      const uint64_t bytes = below(4) == 0 ? 1 + below(20'000) : 1 + below(4'000'000);
      script.push_back({Operation::kAllocate, blocks++, below(8) == 0 ? kNoStream : below(kStreams), bytes});
    } else if (what < 85 && !live.empty()) {
      free_one();
    } else if (what < 95) {
      script.push_back({Operation::kEvent, below(kStreams), below(kStreams), 0});
    } else {
      script.push_back({Operation::kProgress, below(kStreams), 0, 0});
    }
  }
  while (live.size() > (keeps_some ? 3 : 0)) free_one();
  return script;
}

// Plays steps against a heap and a model of what it may hand out.
class Player {
 public:
  explicit Player(HeapOptions options = {}, PlanOptions plan = {.effort = 1'000'000})
      : heap(pages, streams, options, plan) {}

  void Play(const Script& script) {
    for (const Operation& operation : script) {
      switch (operation.kind) {
        case Operation::kAllocate: Allocate(operation.block, operation.bytes, operation.stream); break;
        case Operation::kFree: Free(operation.block, operation.stream); break;
        case Operation::kEvent: streams.Event(operation.block, operation.stream); break;
        case Operation::kProgress: {
          const uint32_t stream = operation.block;
          streams.Advance(stream, (streams.submitted[stream] + streams.done[stream]) / 2);
          break;
        }
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }

  void Allocate(uint32_t block, uint64_t bytes, uint32_t stream) {
    if (blocks.contains(block)) return;  // of the step before, which kept it
    const Result<HeapGrant> grant = heap.Allocate({bytes, 0, stream});
    ASSERT_TRUE(grant.ok()) << grant.status().ToString();
    if (grant->wait_for.slot != kNoStream) streams.Wait(stream, grant->wait_for);
    const auto info = heap.Find(grant->address);
    ASSERT_TRUE(info && info->is_live);
    ASSERT_EQ(info->address, grant->address);
    ASSERT_EQ(info->requested, bytes);
    ASSERT_GE(info->rounded, bytes);
    ASSERT_EQ(model.Allocate(grant->address, info->rounded, stream, true), "");
    blocks[block] = grant->address;
  }

  void Free(uint32_t block, uint32_t stream) {
    const auto at = blocks.find(block);
    if (at == blocks.end()) return;
    const uint64_t address = at->second;
    blocks.erase(at);
    const StreamMoment moment = streams.Submit(stream);
    model.Free(address, moment);
    ASSERT_EQ(heap.Free(address + 64, moment).outcome, Freed::kInterior);
    ASSERT_EQ(heap.Free(address, moment).outcome, Freed::kOk);
    ASSERT_NE(heap.Free(address, moment).outcome, Freed::kOk);
  }

  void Synchronise() {
    for (uint32_t i = 0; i < kStreams; ++i) streams.Synchronise(i);
  }

  void EndStep() {
    Synchronise();
    heap.MarkStep();
  }

  TestStreams streams;
  TestPages pages;
  HeapModel model{streams};
  PlannedHeap heap;
  std::map<uint32_t, uint64_t> blocks;
};

class PlannedHeapTest : public testing::TestWithParam<int> {};

TEST_P(PlannedHeapTest, StepsThatRepeatAreServedFromThePlan) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  HeapOptions options;
  options.insert_waits = false;  // they change the order that the plan was made for
  Player player(options);
  const Script script = MakeScript(random, 400, false);
  uint64_t calls = 0;
  for (int step = 0; step < 8; ++step) {
    if (step == 6) calls = player.pages.calls;
    player.Play(script);
    if (HasFatalFailure()) return;
    player.EndStep();
  }
  const PlanStatistics plan = player.heap.plan_statistics();
  EXPECT_GE(plan.complete_steps, 5U);
  EXPECT_LE(plan.plans, 2U);
  EXPECT_GT(plan.planned, 5 * 100U);
  EXPECT_EQ(player.pages.calls, calls);
}

TEST_P(PlannedHeapTest, StepsThatDifferAreServedAllTheSame) {
  std::mt19937 random(static_cast<unsigned>(GetParam()) + 100);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  HeapOptions options;
  options.insert_waits = GetParam() % 2 == 0;
  options.maximum_bytes = GetParam() % 3 == 0 ? uint64_t{1} << 30 : UINT64_MAX;
  Player player(options);
  Script script = MakeScript(random, 300, GetParam() % 2 == 1);
  for (int step = 0; step < 30; ++step) {
    Script played = script;
    if (below(2) == 0) {
      for (int changes = static_cast<int>(below(10)); changes > 0; --changes) {
        Operation& operation = played[below(static_cast<uint32_t>(played.size()))];
        if (operation.kind == Operation::kAllocate && below(2) == 0) operation.bytes = 1 + below(6'000'000);
        if (operation.kind == Operation::kFree || operation.kind == Operation::kEvent)
          operation = {Operation::kProgress, below(kStreams), 0, 0};  // the block stays
        if (operation.kind == Operation::kAllocate && below(4) == 0) operation.stream = below(kStreams);
      }
    }
    if (step == 20) script = MakeScript(random, 200, false);
    player.Play(played);
    if (HasFatalFailure()) return;
    if (below(3) != 0) player.Synchronise();
    player.heap.MarkStep();
    if (below(8) == 0) player.heap.Trim(below(2) * player.pages.reserved / 2);
  }
  EXPECT_GT(player.heap.plan_statistics().planned, 0U);
  while (!player.blocks.empty()) player.Free(player.blocks.begin()->first, 0);
  player.Synchronise();
  EXPECT_EQ(player.heap.statistics().requested.now, 0U);
  player.heap.Trim(0);
  EXPECT_EQ(player.pages.reserved, 0U);
  EXPECT_EQ(player.pages.broken, "");
}

// ThreadSanitizer makes each take twenty times as long; what threads do is tested by others.
#if defined(__SANITIZE_THREAD__)
constexpr int kSeeds = 4;
#else
constexpr int kSeeds = 32;
#endif
INSTANTIATE_TEST_SUITE_P(Seeds, PlannedHeapTest, testing::Range(1, kSeeds + 1));

// A step with three blocks of 1, 2 and 3 MiB, of which the first and the last can share their space.
void PlaySmallStep(Player& player) {
  player.Allocate(0, 3 * kMiB, 0);
  player.Allocate(1, 2 * kMiB, 0);
  player.Free(0, 0);
  player.Allocate(2, 1 * kMiB, 0);
  player.Free(1, 0);
  player.Free(2, 0);
}

void Learn(Player& player) {
  for (int step = 0; step < 3; ++step) {
    PlaySmallStep(player);
    player.EndStep();
  }
  ASSERT_GT(player.heap.plan_statistics().arena_bytes, 0U);
}

TEST(PlannedHeap, StepsAreFoundByTheWaitsOfTheHost) {
  Player player;
  for (int step = 0; step < 12; ++step) {
    PlaySmallStep(player);
    player.Synchronise();
    player.heap.NoteHostWait();
    player.heap.NoteHostWait();
    player.Allocate(9, 1 * kMiB, 1);
    player.Free(9, 1);
    player.Synchronise();
    player.heap.NoteHostWait();
  }
  EXPECT_GE(player.heap.plan_statistics().complete_steps, 4U);
}

TEST(PlannedHeap, WithoutStepsNothingIsPlanned) {
  Player player;
  for (int step = 0; step < 10; ++step) PlaySmallStep(player);
  EXPECT_EQ(player.heap.plan_statistics().plans, 0U);
}

TEST(PlannedHeap, CanBeSwitchedOff) {
  PlanOptions plan;
  plan.enabled = false;
  Player player({}, plan);
  for (int step = 0; step < 5; ++step) {
    PlaySmallStep(player);
    player.EndStep();
  }
  EXPECT_EQ(player.heap.plan_statistics().plans, 0U);
}

TEST(PlannedHeap, ABlockThatStaysKeepsItsPlace) {
  Player player;
  Learn(player);
  player.Allocate(0, 3 * kMiB, 0);
  const uint64_t kept = player.blocks[0];
  player.EndStep();
  player.blocks.erase(0);
  for (int step = 0; step < 3; ++step) {
    PlaySmallStep(player);  // the model would notice an overlap
    player.EndStep();
  }
  EXPECT_TRUE(player.heap.Find(kept)->is_live);
  EXPECT_EQ(player.heap.Free(kept).outcome, Freed::kOk);
  player.Synchronise();
  player.heap.Trim(0);
  EXPECT_EQ(player.pages.reserved, 0U);
}

TEST(PlannedHeap, AProgramThatDoesSomethingElseGetsTheMemoryBack) {
  Player player;
  Learn(player);
  std::vector<uint32_t> blocks;
  for (uint32_t i = 0; i < 200; ++i) {
    player.Allocate(100 + i, 64 * kKiB * (1 + i % 7) + 512 * i, 1);
    blocks.push_back(100 + i);
  }
  EXPECT_EQ(player.heap.plan_statistics().arena_bytes, 0U);
  for (const uint32_t block : blocks) player.Free(block, 1);
}

TEST(PlannedHeap, GivesItsMemoryUpBeforeAnAllocationFails) {
  HeapOptions options;
  options.maximum_bytes = 16 * kMiB;
  Player player(options);
  Learn(player);
  player.Allocate(7, 15 * kMiB, 3);
  EXPECT_TRUE(player.blocks.contains(7));
}

TEST(PlannedHeap, KeepsNothingAboveTheThreshold) {
  HeapOptions options;
  options.release_threshold = 0;
  Player player(options);
  for (int step = 0; step < 4; ++step) {
    PlaySmallStep(player);
    player.EndStep();
    player.heap.ReleaseAboveThreshold();
    EXPECT_EQ(player.pages.reserved, 0U);
  }
}

TEST(PlannedHeap, ThreadsShareIt) {
  Player player;
  const auto play = [&](unsigned seed, int steps, bool marks) {
    std::mt19937 random(seed);
    for (int step = 0; step < steps; ++step) {
      std::vector<uint64_t> addresses;
      for (uint32_t i = 0; i < 50; ++i) {
        const uint64_t bytes = 64 * kKiB * (1 + (i * 7 + seed) % 13 + (random() % 50 == 0 ? 1 : 0));
        const Result<HeapGrant> grant = player.heap.Allocate({bytes, 0, kNoStream});
        ASSERT_TRUE(grant.ok());
        addresses.push_back(grant->address);
        if (i % 3 != 2) continue;
        ASSERT_EQ(player.heap.Free(addresses[addresses.size() / 2]).outcome, Freed::kOk);
        addresses.erase(addresses.begin() + static_cast<std::ptrdiff_t>(addresses.size() / 2));
      }
      for (const uint64_t address : addresses) ASSERT_EQ(player.heap.Free(address).outcome, Freed::kOk);
      if (marks) player.heap.MarkStep();
      if (step % 16 == 15) player.heap.Trim(0);
    }
  };
  base::Thread other("other", [&] { play(1, 200, false); });
  play(2, 100, true);
  other.Join();
  EXPECT_EQ(player.heap.statistics().requested.now, 0U);
  player.heap.Trim(0);
  EXPECT_EQ(player.pages.reserved, 0U);
  EXPECT_EQ(player.pages.broken, "");
}

TEST(PlannedHeap, ShowsItsBlocks) {
  Player player;
  Learn(player);
  player.Allocate(0, 3 * kMiB, 0);
  player.Allocate(1, 2 * kMiB, 0);
  uint64_t live = 0;
  uint64_t end = 0;
  for (const BlockInfo& block : player.heap.Blocks()) {
    EXPECT_GE(block.address, end);
    end = block.address + block.rounded;
    live += block.is_live ? block.requested : 0;
  }
  EXPECT_EQ(live, 5 * kMiB);
  EXPECT_EQ(player.heap.statistics().requested.now, 5 * kMiB);
  EXPECT_EQ(player.heap.statistics().blocks, 2U);
  const uint64_t first = player.blocks[0];
  player.Free(0, 0);
  const auto info = player.heap.Find(first);
  ASSERT_TRUE(info);
  EXPECT_FALSE(info->is_live);
}

}  // namespace
}  // namespace forebay::runtime
