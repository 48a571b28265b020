// The pool on a source of memory that only counts.
#include "memory/memory_pool_impl.h"
#include "memory/pool/stream_order.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "forebay/base/thread.h"

namespace forebay::runtime {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Hands out addresses from 1 GiB on, `limit` bytes at most.
class CountingPages final : public PoolPages {
 public:
  struct Counts {
    uint64_t limit = 64 * kMiB;
    std::atomic<uint64_t> obtained{0}, returned{0};
    uint64_t next = uint64_t{1} << 30;
    std::function<void()> on_obtain;
  };
  explicit CountingPages(std::shared_ptr<Counts> counts) : counts_(std::move(counts)) {}
  uint64_t page_bytes() const noexcept override { return 64 << 10; }
  std::optional<AddressRange> RangeAround(uint64_t /*address*/) override { return std::nullopt; }
  Result<AddressRange> Obtain(uint64_t bytes, uint64_t /*after*/) override {
    if (counts_->on_obtain) std::exchange(counts_->on_obtain, nullptr)();
    if (detached_) return Status(Code::kInvalidHandle, "detached");
    if (counts_->obtained - counts_->returned + bytes > counts_->limit) {
      return Status(Code::kMemoryAllocation, "the source is exhausted");
    }
    counts_->obtained += bytes;
    const AddressRange range{counts_->next, bytes};
    counts_->next += 2 * bytes;
    return range;
  }
  void Return(const AddressRange& range) override {
    if (!detached_) counts_->returned += range.bytes;
  }
  Result<AddressRange> Rearrange(std::span<const AddressRange>, uint64_t, uint64_t) override {
    return Status(Code::kFeatureNotSupport, "addresses and memory are one");
  }
  std::byte* HostView(uint64_t, uint64_t) override { return nullptr; }
  void Detach() override {
    detached_ = true;
    counts_->returned = counts_->obtained.load();
  }

 private:
  const std::shared_ptr<Counts> counts_;
  std::atomic<bool> detached_{false};
};

class MemoryPoolTest : public ::testing::Test {
 protected:
  std::shared_ptr<MemoryPool> Make(uint64_t growth_bytes = kMiB) {
    PoolTraits traits;
    traits.heap.growth_bytes = growth_bytes;
    traits.reclaim = [this] {
      if (reclaim) reclaim();
    };
    return MakePool(std::make_unique<CountingPages>(counts), order, {}, std::move(traits));
  }
  static void* Must(Result<void*> result) {
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? *result : nullptr;
  }
  std::shared_ptr<CountingPages::Counts> counts = std::make_shared<CountingPages::Counts>();
  StreamOrder order{[](uint32_t) { return ~uint64_t{0}; }};
  std::function<void()> reclaim;
};

TEST_F(MemoryPoolTest, StatisticsFollowWhatIsAllocated) {
  const auto pool = Make();
  void* const first = Must(pool->Alloc(1));
  void* const second = Must(pool->Alloc(1000));
  MemoryPoolStatistics statistics = pool->statistics();
  EXPECT_EQ(statistics.requested_bytes, 1001U);
  EXPECT_EQ(statistics.allocated_bytes, 512U + 1024U);
  EXPECT_EQ(statistics.reserved_bytes, kMiB);
  EXPECT_EQ(statistics.live_blocks, 2U);
  EXPECT_EQ(statistics.device_calls, 1U);
  EXPECT_TRUE(pool->Free(first).ok());
  EXPECT_TRUE(pool->Free(second).ok());
  statistics = pool->statistics();
  EXPECT_EQ(statistics.requested_bytes, 0U);
  EXPECT_EQ(statistics.allocated_bytes, 0U);
  EXPECT_EQ(statistics.live_blocks, 0U);
  EXPECT_EQ(statistics.peak_bytes, 512U + 1024U);
  EXPECT_EQ(statistics.reserved_bytes, kMiB) << "freed blocks stay in the pool";
}

TEST_F(MemoryPoolTest, AddressesAreAlignedAndApart) {
  const auto pool = Make();
  std::set<uint64_t> addresses;
  for (std::size_t bytes = 1; bytes < 3000; bytes += 111) {
    const auto address = reinterpret_cast<uint64_t>(Must(pool->Alloc(bytes)));
    EXPECT_EQ(address % 512, 0U);
    EXPECT_TRUE(addresses.insert(address).second);
  }
}

TEST_F(MemoryPoolTest, FreedBlocksAreUsedAgainWithoutAskingTheDevice) {
  const auto pool = Make();
  EXPECT_TRUE(pool->Free(Must(pool->Alloc(4096))).ok());
  for (int round = 0; round < 1000; ++round) {
    void* const first = Must(pool->Alloc(1024 + static_cast<std::size_t>(round)));
    void* const second = Must(pool->Alloc(2048));
    EXPECT_TRUE(pool->Free(first).ok());
    EXPECT_TRUE(pool->Free(second).ok());
  }
  EXPECT_EQ(pool->statistics().device_calls, 1U);
}

TEST_F(MemoryPoolTest, ExhaustionSaysWhatWasAskedAndWhatThereIs) {
  counts->limit = 2 * kMiB;
  const auto pool = Make();
  void* const block = Must(pool->Alloc(kMiB + kMiB / 2));
  const auto refused = pool->Alloc(kMiB);
  ASSERT_EQ(refused.code(), Code::kMemoryAllocation);
  EXPECT_EQ(refused.status().error()->message,
            "1048576 bytes cannot be allocated: the pool holds 1572864 bytes, 0 of them free, the largest piece 0; "
            "the source is exhausted");
  EXPECT_TRUE(pool->Alloc(1000).ok()) << "less than a step is still there";
  EXPECT_TRUE(pool->Free(block).ok());
  EXPECT_TRUE(pool->Alloc(kMiB).ok());
}

TEST_F(MemoryPoolTest, SizesThatCannotBeAreRefused) {
  const auto pool = Make();
  EXPECT_EQ(pool->Alloc(0).code(), Code::kParamInvalid);
  EXPECT_EQ(pool->Alloc(~std::size_t{0}).code(), Code::kMemoryAllocation);
  EXPECT_EQ(pool->Alloc(~std::size_t{0} - 512).code(), Code::kMemoryAllocation);
}

TEST_F(MemoryPoolTest, TrimGivesBackOnlyPagesWithoutLiveBlocks) {
  const auto pool = Make();
  void* const kept = Must(pool->Alloc(1000));
  void* const freed = Must(pool->Alloc(2 * kMiB));
  EXPECT_TRUE(pool->Free(freed).ok());
  pool->Trim();
  EXPECT_EQ(pool->statistics().reserved_bytes, 256u << 10) << "the span that the small block lies in";
  EXPECT_EQ(counts->obtained - counts->returned, 256u << 10);
  EXPECT_TRUE(pool->Free(kept).ok());
  pool->Trim();
  EXPECT_EQ(counts->returned, counts->obtained);
  EXPECT_TRUE(pool->Alloc(1000).ok());
}

TEST_F(MemoryPoolTest, WrongAddressesAreRefused) {
  const auto pool = Make();
  void* const block = Must(pool->Alloc(2000));
  EXPECT_EQ(pool->Free(nullptr).code(), Code::kMemoryFree);
  EXPECT_EQ(pool->Free(static_cast<std::byte*>(block) + 512).code(), Code::kMemoryFree);
  EXPECT_TRUE(pool->Free(block).ok());
  EXPECT_EQ(pool->Free(block).code(), Code::kMemoryFree);
  EXPECT_EQ(pool->statistics().live_blocks, 0U);
}

TEST_F(MemoryPoolTest, DestructionGivesAllRangesBack) {
  {
    const auto pool = Make();
    Must(pool->Alloc(1000));
    Must(pool->Alloc(3 * kMiB));
  }
  EXPECT_EQ(counts->returned, counts->obtained);
}

TEST_F(MemoryPoolTest, WhatOperatorsLeftIsTakenBeforeTheDeviceIsAsked) {
  const auto pool = Make();
  void* held = Must(pool->Alloc(kMiB));
  reclaim = [&] {
    if (held == nullptr) return;
    EXPECT_TRUE(pool->Free(std::exchange(held, nullptr)).ok());
  };
  EXPECT_TRUE(pool->Alloc(kMiB).ok());
  EXPECT_EQ(pool->statistics().device_calls, 1U);
}

TEST_F(MemoryPoolTest, NothingElseWaitsWhileTheDeviceIsAsked) {
  const auto pool = Make();
  void* const block = Must(pool->Alloc(1000));
  counts->on_obtain = [&] {
    base::Thread other("other", [&] {
      EXPECT_TRUE(pool->Free(block).ok());
      EXPECT_TRUE(pool->Alloc(100).ok());
      EXPECT_EQ(pool->statistics().live_blocks, 1U);
    });
  };
  EXPECT_TRUE(pool->Alloc(8 * kMiB).ok());
}

TEST_F(MemoryPoolTest, ADetachedPoolRefusesEverything) {
  const auto pool = Make();
  void* const block = Must(pool->Alloc(1000));
  DetachPool(*pool);
  EXPECT_EQ(counts->returned, counts->obtained);
  EXPECT_EQ(pool->Free(block).code(), Code::kMemoryFree);
  EXPECT_EQ(pool->Alloc(1000).code(), Code::kInvalidHandle);
  pool->Trim();
  EXPECT_EQ(pool->statistics().reserved_bytes, 0U);
}

TEST_F(MemoryPoolTest, DetachedWhileItAsksItGivesTheRangeBack) {
  const auto pool = Make();
  counts->on_obtain = [&] { DetachPool(*pool); };
  EXPECT_EQ(pool->Alloc(1000).code(), Code::kInvalidHandle);
  EXPECT_EQ(counts->returned, counts->obtained);
}

}  // namespace
}  // namespace forebay::runtime
