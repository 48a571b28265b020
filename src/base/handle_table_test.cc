#include "forebay/base/handle_table.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "forebay/base/thread.h"

namespace forebay::base {
namespace {

struct Thing {
  std::atomic<uint64_t> value{0};
};
using Table = HandleTable<Thing, HandleKind::kStream>;

uint64_t Make(Table& table, uint64_t value) {
  const auto entry = table.Allocate();
  if (entry.handle == 0) return 0;
  entry.object->value.store(value);
  table.Publish(entry.handle);
  return entry.handle;
}
void Destroy(Table& table, uint64_t handle) {
  table.Retire(handle);
  table.Release(handle);
}

TEST(HandleTable, FindsWhatWasPublishedOnly) {
  Table table(10);
  const auto entry = table.Allocate();
  EXPECT_EQ(table.Find(entry.handle), nullptr);
  table.Publish(entry.handle);
  EXPECT_EQ(table.Find(entry.handle), entry.object);
}

TEST(HandleTable, NullIsNoHandle) {
  Table table(10);
  Make(table, 1);
  EXPECT_EQ(table.Find(0), nullptr);
}

TEST(HandleTable, StaleHandleIsRecognisedAlsoWhenItsSlotIsReused) {
  Table table(10);
  const uint64_t first = Make(table, 1);
  Destroy(table, first);
  EXPECT_EQ(table.Find(first), nullptr);
  const uint64_t second = Make(table, 2);
  EXPECT_EQ(table.Find(first), nullptr);
  ASSERT_NE(table.Find(second), nullptr);
  EXPECT_EQ(table.Find(second)->value.load(), 2u);
}

TEST(HandleTable, RecycledSlotsNeverRepeatAHandle) {
  Table table(1);
  std::set<uint64_t> seen;
  for (uint64_t i = 0; i < 1000; ++i) {
    const uint64_t handle = Make(table, i);
    EXPECT_TRUE(seen.insert(handle).second);
    Destroy(table, handle);
  }
}

TEST(HandleTable, HandleOfAnotherKindIsRefused) {
  Table streams(10);
  HandleTable<Thing, HandleKind::kEvent> events(10);
  const auto event = events.Allocate();
  events.Publish(event.handle);
  Make(streams, 1);
  EXPECT_EQ(streams.Find(event.handle), nullptr);
  EXPECT_EQ(events.Find(event.handle), event.object);
}

TEST(HandleTable, HandlesAreNoAddresses) {
  Table table(10);
  EXPECT_EQ(Make(table, 1) >> 56, static_cast<uint64_t>(HandleKind::kStream));
}

TEST(HandleTable, RandomValuesAreRefused) {
  Table table(1000);
  std::set<uint64_t> valid;
  for (uint64_t i = 0; i < 100; ++i) valid.insert(Make(table, i));
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    uint64_t value = random();
    if (i % 2 == 0) value = (value & ~(uint64_t{0xff} << 56)) | uint64_t{0xA1} << 56;
    ASSERT_EQ(table.Find(value) != nullptr, valid.contains(value)) << value;
  }
  for (const uint64_t handle : valid) {
    for (int bit = 0; bit < 64; ++bit) {
      const uint64_t changed = handle ^ uint64_t { 1 } << bit;
      ASSERT_EQ(table.Find(changed) != nullptr, valid.contains(changed)) << changed;
    }
  }
}

TEST(HandleTable, FullTableGivesNothingUntilSomethingIsReleased) {
  Table table(64);
  std::vector<uint64_t> handles;
  for (uint64_t i = 0; i < 64; ++i) handles.push_back(Make(table, i));
  EXPECT_EQ(Make(table, 64), 0u);
  Destroy(table, handles[7]);
  EXPECT_NE(Make(table, 65), 0u);
}

TEST(HandleTable, VisitsEveryObjectInUse) {
  Table table(200);
  std::vector<uint64_t> handles;
  for (uint64_t i = 0; i < 100; ++i) handles.push_back(Make(table, i));
  for (uint64_t i = 0; i < 100; i += 2) Destroy(table, handles[i]);
  uint64_t sum = 0;
  table.ForEach([&](uint64_t handle, Thing& thing) {
    EXPECT_EQ(table.Find(handle), &thing);
    sum += thing.value.load();
  });
  EXPECT_EQ(sum, 2500u);
}

TEST(HandleTable, LookupsRunAgainstDestruction) {
  Table table(64);
  std::atomic<uint64_t> current{Make(table, 7)};
  std::atomic<bool> stop{false};
  std::vector<Thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back("reader", [&] {
      while (!stop.load()) {
        const uint64_t handle = current.load();
        if (Thing* thing = table.Find(handle)) thing->value.load();
      }
    });
  }
  for (int i = 0; i < 5000; ++i) {
    const uint64_t old = current.load();
    current.store(Make(table, static_cast<uint64_t>(i)));
    Destroy(table, old);
  }
  stop.store(true);
}

}  // namespace
}  // namespace forebay::base
