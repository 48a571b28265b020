#include "contract/scheduling_contract.h"

namespace forebay::testing {
namespace {

struct InlineBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kInline;
  static constexpr uint64_t kSeeds = 200;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Inline, SchedulingContract, InlineBackend);

// The hash of the order in which a device that the waiting thread drives executes three streams and their events.
uint64_t ScheduleHash(uint64_t seed) {
  driver::DeviceOptions options = TestOptions(driver::Backend::kInline);
  options.boot.core_threads = 0;
  options.boot.scheduled_by_seed = 1;
  options.boot.schedule_seed = seed;
  TestDevice opened(options);
  EXPECT_TRUE(opened.status.ok());
  std::vector<TestStream> streams;
  for (uint32_t i = 0; i < 3; ++i) streams.push_back(opened.Stream(i));
  for (uint32_t round = 1; round <= 10; ++round) {
    for (uint32_t i = 0; i < 3; ++i) {
      streams[i].Nothing();
      streams[i].Record(70 + i, round);
      streams[i].Wait(70 + (i + 1) % 3, round);
    }
  }
  for (auto& stream : streams) EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
  return opened.device->bar().header->counters.schedule_hash.load();
}

TEST(SeededSchedule, SameSeedGivesTheSameOrderToTheLastStep) {
  for (uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(ScheduleHash(seed), ScheduleHash(seed));
}

TEST(SeededSchedule, DifferentSeedsGiveDifferentOrders) {
  std::set<uint64_t> hashes;
  for (uint64_t seed = 0; seed < 20; ++seed) hashes.insert(ScheduleHash(seed));
  EXPECT_GE(hashes.size(), 19u);
}

}  // namespace
}  // namespace forebay::testing
