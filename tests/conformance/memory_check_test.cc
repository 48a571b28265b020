// The checking mode: what is done wrong with memory is found, and named by the calls that allocated and freed it.
#include <random>

#include "conformance/memory_calls.h"
#include "conformance/stream_fixture.h"
#include "forebay/memory_check.h"
#include "forebay/memory_pool.h"

namespace conformance {
namespace {

using forebay::MemoryCheck;
using forebay::MemoryFault;
using forebay::MemoryReport;
using testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr const char* kProgram = "conformance_memory_check_test+0x";

class MemoryCheckTest : public testing::Test {
 protected:
  void SetUp() override { Start(1, 256); }
  void TearDown() override {
    Finish();
    Messages();
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }
  // Every large block is guarded when `sample` is 1.
  void Start(int sample, int quarantine) {
    const InitFile file("{\"forebay\": {\"memcheck\": 1, \"memcheck_sample\": " + std::to_string(sample) +
                        ", \"memcheck_quarantine\": " + std::to_string(quarantine) + "}}");
    ASSERT_OK(aclInit(file.path()));
    ASSERT_OK(aclrtSetDevice(0));
    ASSERT_OK(aclrtCreateStream(&stream_));
    basic_ = Load("basic_kernels");
    faults_ = Load("fault_kernels");
    MemoryCheck::Clear();
    Messages();
  }
  void Finish() {
    if (stream_ == nullptr) return;
    stream_ = nullptr;
    aclFinalize();
  }
  void Restart(int sample, int quarantine) {
    Finish();
    Start(sample, quarantine);
  }

  static void* At(void* memory, int64_t offset) { return static_cast<char*>(memory) + offset; }
  // A kernel writes words.
  void Write(void* memory, uint32_t words) {
    struct {
      void* data;
      uint32_t n;
      uint32_t value;
    } arguments{memory, words, 7};
    EXPECT_OK(Launch(Function(basic_, "fill"), stream_, arguments));
  }
  // One word, by a kernel that may fail.
  aclError Access(const char* kernel, void* memory) {
    EXPECT_OK(Launch(Function(faults_, kernel), stream_, memory));
    return aclrtSynchronizeStream(stream_);
  }
  // The only report there is.
  static MemoryReport Only(MemoryFault fault) {
    const std::vector<MemoryReport> reports = MemoryCheck::Reports();
    EXPECT_EQ(1u, reports.size());
    if (reports.empty()) return {};
    EXPECT_EQ(fault, reports[0].fault) << reports[0].text;
    EXPECT_EQ(0, reports[0].device);
    EXPECT_THAT(reports[0].allocated_at, HasSubstr(kProgram));
    EXPECT_THAT(reports[0].text, HasSubstr(reports[0].allocated_at));
    EXPECT_THAT(reports[0].text, HasSubstr(reports[0].freed_at));
    return reports[0];
  }
  static void ExpectNothingFound() {
    for (const MemoryReport& report : MemoryCheck::Reports()) ADD_FAILURE() << report.text;
  }

  aclrtStream stream_ = nullptr;
  aclrtBinHandle basic_ = nullptr;
  aclrtBinHandle faults_ = nullptr;
};

// ---- Out of bounds ----

TEST_F(MemoryCheckTest, WritePastTheEndIsFoundWhenTheBlockIsFreed) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{512}, std::size_t{40000}}) {
    MemoryCheck::Clear();
    void* memory = Allocate(bytes);
    Write(At(memory, static_cast<int64_t>(bytes)), 2);
    EXPECT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_OK(aclrtFree(memory)) << "the free itself is right";
    EXPECT_THAT(Messages(), HasSubstr("out of bounds: 8 bytes were written from 0 bytes past the end of the block of " +
                                      std::to_string(bytes)));
    const MemoryReport report = Only(MemoryFault::kOutOfBounds);
    EXPECT_EQ(static_cast<int64_t>(bytes), report.offset);
    EXPECT_EQ(bytes, report.bytes);
    EXPECT_EQ(reinterpret_cast<uint64_t>(memory), report.address);
    EXPECT_THAT(report.freed_at, HasSubstr(kProgram));
  }
}

TEST_F(MemoryCheckTest, WriteBeforeTheStart) {
  void* memory = Allocate(64);
  Write(At(memory, -4), 1);
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_OK(aclrtFree(memory));
  EXPECT_EQ(-4, Only(MemoryFault::kOutOfBounds).offset);
  EXPECT_THAT(Messages(), HasSubstr("4 bytes before the start of"));
}

TEST_F(MemoryCheckTest, CheckNowFindsItOnce) {
  void* memory = Allocate(64);
  EXPECT_EQ(0u, MemoryCheck::CheckNow());
  Write(At(memory, 68), 1);
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1u, MemoryCheck::CheckNow());
  EXPECT_EQ(0u, MemoryCheck::CheckNow());
  EXPECT_EQ("", Only(MemoryFault::kOutOfBounds).freed_at);
  EXPECT_OK(aclrtFree(memory));
  EXPECT_EQ(1u, MemoryCheck::Statistics().out_of_bounds);
}

TEST_F(MemoryCheckTest, PinnedMemoryHasRedZones) {
  auto* memory = static_cast<char*>(AllocatePinned(100));
  memory[100] = 1;
  EXPECT_OK(aclrtFreeHost(memory));
  EXPECT_TRUE(Only(MemoryFault::kOutOfBounds).is_host);
}

TEST_F(MemoryCheckTest, BlocksThatAreStillThereAreLookedAtInTheEnd) {
  Write(At(Allocate(64), 64), 1);
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  Finish();
  EXPECT_EQ(1u, MemoryCheck::Statistics().out_of_bounds);
}

TEST_F(MemoryCheckTest, KernelFailsAtOnceAtAGuardPage) {
  for (const std::size_t bytes : {kMiB, 2 * kMiB, 5 * kMiB}) {
    for (const char* kernel : {"write_address", "read_address"}) {
      Restart(1, 256);
      void* memory = Allocate(bytes);
      EXPECT_EQ(ACL_SUCCESS, Access(kernel, At(memory, static_cast<int64_t>(bytes) - 4)));
      EXPECT_EQ(1u, MemoryCheck::Statistics().guarded_blocks);
      EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, Access(kernel, At(memory, static_cast<int64_t>(bytes))));
      const std::string text = Messages();
      EXPECT_THAT(text, HasSubstr("is 0 bytes past the end of the block of " + std::to_string(bytes)));
      EXPECT_THAT(text, HasSubstr(kProgram));
      const MemoryReport report = Only(MemoryFault::kOutOfBounds);
      EXPECT_GE(report.stream, 0);
      EXPECT_GE(report.task, 0);
      EXPECT_OK(aclrtFree(memory));
    }
  }
}

TEST_F(MemoryCheckTest, CopyBeyondAGuardedBlockIsRefused) {
  void* memory = Allocate(kMiB);
  const std::vector<char> source(kMiB);
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID,
            aclrtMemcpy(At(memory, 100), kMiB, source.data(), kMiB, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_THAT(Messages(), HasSubstr("0 bytes past the end of the block of 1048576 bytes"));
  Only(MemoryFault::kOutOfBounds);
  EXPECT_OK(aclrtFree(memory));
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(memory, kMiB, source.data(), kMiB, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_THAT(Messages(), HasSubstr("use after free"));
}

TEST_F(MemoryCheckTest, SomeLargeBlocksAreGuarded) {
  Restart(4, 256);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(Allocate(kMiB));
  EXPECT_EQ(2u, MemoryCheck::Statistics().guarded_blocks);
  EXPECT_EQ(8u, MemoryCheck::Statistics().live_blocks);
  for (void* block : blocks) EXPECT_OK(aclrtFree(block));
  EXPECT_EQ(0u, MemoryCheck::Statistics().live_blocks);
}

// ---- Use after free ----

TEST_F(MemoryCheckTest, PendingTaskUsesAFreedBlock) {
  for (const int sample : {1, 1000}) {
    Restart(sample, 256);
    EXPECT_OK(aclrtFree(Allocate(kMiB)));  // the first one is always guarded
    const std::size_t bytes = sample == 1 ? 3 * kMiB : 11 * kMiB;
    void* memory = Allocate(bytes);
    Gate gate;
    ASSERT_OK(gate.Close(stream_));
    Write(At(memory, kMiB), 1);
    EXPECT_OK(aclrtFree(memory));
    gate.Open();
    EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
    EXPECT_THAT(Messages(), HasSubstr("is 1048576 bytes into the block of " + std::to_string(bytes) + " bytes"));
    const MemoryReport report = Only(MemoryFault::kUseAfterFree);
    EXPECT_THAT(report.freed_at, HasSubstr(kProgram));
    EXPECT_NE(report.freed_at, report.allocated_at);
  }
}

TEST_F(MemoryCheckTest, PendingCopyUsesAFreedBlock) {
  void* memory = Allocate(kMiB);
  void* pinned = AllocatePinned(64);
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  EXPECT_OK(aclrtMemcpyAsync(memory, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  EXPECT_OK(aclrtFree(memory));
  gate.Open();
  EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(stream_));
  EXPECT_THAT(Messages(), HasSubstr("use after free"));
  Only(MemoryFault::kUseAfterFree);
  EXPECT_OK(aclrtFreeHost(pinned));
}

TEST_F(MemoryCheckTest, WriteIntoASmallFreedBlock) {
  void* memory = Allocate(4096);
  EXPECT_OK(aclrtFree(memory));
  Write(At(memory, 16), 1);
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1u, MemoryCheck::CheckNow());
  const MemoryReport report = Only(MemoryFault::kUseAfterFree);
  EXPECT_EQ(16, report.offset);
  EXPECT_THAT(report.freed_at, HasSubstr(kProgram));
}

TEST_F(MemoryCheckTest, WriteIntoFreedPinnedMemory) {
  auto* memory = static_cast<char*>(AllocatePinned(4096));
  EXPECT_OK(aclrtFreeHost(memory));
  memory[3] = 1;
  EXPECT_EQ(1u, MemoryCheck::CheckNow());
  EXPECT_EQ(3, Only(MemoryFault::kUseAfterFree).offset);
}

TEST_F(MemoryCheckTest, FreedBlocksRest) {
  void* first = Allocate(4096);
  EXPECT_OK(aclrtFree(first));
  EXPECT_NE(first, Allocate(4096));
  Restart(1, 0);
  first = Allocate(4096);
  EXPECT_OK(aclrtFree(first));
  EXPECT_EQ(first, Allocate(4096)) << "without a quarantine they do not";
}

// ---- Double free ----

TEST_F(MemoryCheckTest, DoubleFreeNamesTheFirst) {
  for (const std::size_t bytes : {std::size_t{64}, 2 * kMiB}) {
    MemoryCheck::Clear();
    void* memory = Allocate(bytes);
    EXPECT_OK(aclrtFree(memory));
    EXPECT_EQ(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory));
    const MemoryReport report = Only(MemoryFault::kDoubleFree);
    EXPECT_THAT(report.freed_at, HasSubstr(kProgram));
    EXPECT_THAT(Messages(), HasSubstr(report.text));
  }
}

TEST_F(MemoryCheckTest, DoubleFreeAfterTheMemoryWasUsedAgain) {
  Restart(1, 0);
  void* memory = Allocate(64);
  EXPECT_OK(aclrtFree(memory));
  ASSERT_EQ(memory, Allocate(64));
  EXPECT_OK(aclrtFree(memory)) << "the second free of the first block, which ends the second one";
  EXPECT_EQ(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory));
  const MemoryReport report = Only(MemoryFault::kDoubleFree);
  EXPECT_EQ(2u, report.generation);
  EXPECT_THAT(report.text, HasSubstr("the one before it was freed at"));
}

TEST_F(MemoryCheckTest, DoubleFreeOfOtherKinds) {
  void* pinned = AllocatePinned(64);
  EXPECT_OK(aclrtFreeHost(pinned));
  EXPECT_EQ(ACL_ERROR_RT_MEMORY_FREE, aclrtFreeHost(pinned));
  EXPECT_TRUE(Only(MemoryFault::kDoubleFree).is_host);

  aclrtMemPool pool = MakePool(0);
  void* memory = nullptr;
  EXPECT_OK(aclrtMemPoolMallocAsync(&memory, 64, pool, stream_));
  EXPECT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(memory, stream_));
  EXPECT_THAT(Messages(), HasSubstr("double free"));

  auto owned = forebay::MemoryPool::Create();
  ASSERT_TRUE(owned.ok());
  memory = *(*owned)->Alloc(64);
  EXPECT_TRUE((*owned)->Free(memory).ok());
  const forebay::Status again = (*owned)->Free(memory);
  EXPECT_EQ(forebay::Code::kMemoryFree, again.code());
  EXPECT_THAT(again.ToString(), HasSubstr(kProgram));
  EXPECT_EQ(3u, MemoryCheck::Statistics().double_frees);
}

// ---- Leaks ----

TEST_F(MemoryCheckTest, LeaksAreGroupedByTheirCall) {
  for (int i = 0; i < 3; ++i) Allocate(100);
  EXPECT_OK(aclrtFree(Allocate(50)));
  AllocatePinned(10);
  Finish();
  const std::vector<MemoryReport> reports = MemoryCheck::Reports();
  ASSERT_EQ(2u, reports.size());
  for (const MemoryReport& report : reports) {
    EXPECT_EQ(MemoryFault::kLeak, report.fault);
    EXPECT_EQ(report.is_host ? 1u : 3u, report.blocks);
    EXPECT_EQ(report.is_host ? 10u : 300u, report.bytes);
    EXPECT_THAT(report.allocated_at, HasSubstr(kProgram));
  }
  EXPECT_THAT(Messages(), HasSubstr("leak: nobody freed 3 blocks, 300 bytes together"));
  EXPECT_EQ(4u, MemoryCheck::Statistics().leaked_blocks);
}

TEST_F(MemoryCheckTest, ResetFindsLeaksOfPools) {
  aclrtMemPool pool = MakePool(0);
  void* memory = nullptr;
  EXPECT_OK(aclrtMemPoolMallocAsync(&memory, 64, pool, stream_));
  EXPECT_OK(aclrtMemPoolMallocAsync(&memory, 64, pool, stream_));
  EXPECT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  EXPECT_OK(aclrtResetDevice(0));
  EXPECT_EQ(64u, Only(MemoryFault::kLeak).bytes);
}

// ---- Order of streams ----

TEST_F(MemoryCheckTest, WhatIsFreedInOrderOfAStreamIsLookedAtAfterwards) {
  aclrtMemPool pool = MakePool(0);
  void* memory = nullptr;
  EXPECT_OK(aclrtMemPoolMallocAsync(&memory, 64, pool, stream_));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  Write(memory, 17);
  EXPECT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  ExpectNothingFound();
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_OK(aclrtMemPoolMallocAsync(&memory, 64, pool, stream_));
  EXPECT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  EXPECT_EQ(64, Only(MemoryFault::kOutOfBounds).offset);
}

TEST_F(MemoryCheckTest, ShortOfMemoryRestsEndEvenForPendingBlocks) {
  aclrtMemPool pool = MakePool(8 * kMiB);
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  for (int i = 0; i < 10; ++i) {
    void* memory = nullptr;
    ASSERT_OK(aclrtMemPoolMallocAsync(&memory, 3 * kMiB, pool, stream_));
    Write(memory, 3 * kMiB / 4);
    EXPECT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  }
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(0u, MemoryCheck::CheckNow());
  Finish();
  ExpectNothingFound();
}

// ---- Programs that are right ----

TEST_F(MemoryCheckTest, NothingIsFoundInARightProgram) {
  Restart(2, 4);
  aclrtMemPool pool = MakePool(0);
  std::mt19937 random(1);
  std::vector<std::pair<void*, uint32_t>> blocks;
  for (int i = 0; i < 400; ++i) {
    if (blocks.size() < 20 && random() % 2 == 0) {
      const uint32_t words = random() % 8 == 0 ? random() % (kMiB / 2) + 1 : random() % 5000 + 1;
      void* memory = nullptr;
      ASSERT_OK(aclrtMemPoolMallocAsync(&memory, words * 4, pool, stream_));
      EXPECT_OK(aclrtMemsetAsync(memory, words * 4, 0, words * 4, stream_));
      Write(memory, words);
      blocks.emplace_back(memory, words);
    } else if (!blocks.empty()) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      EXPECT_OK(aclrtMemPoolFreeAsync(blocks.back().first, stream_));
      blocks.pop_back();
    }
  }
  for (const auto& [memory, words] : blocks) EXPECT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(0u, MemoryCheck::CheckNow());
  uint64_t used = 1;
  EXPECT_OK(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT_EQ(0u, used) << "blocks that rest are not in use";
  Finish();
  ExpectNothingFound();
}

TEST(MemoryCheckExit, ProcessExitsWithTheCodeThatWasAskedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [](bool frees_twice) {
    const InitFile file(R"({"forebay": {"memcheck": 1, "memcheck_exit": 9}})");
    void* memory = nullptr;
    if (aclInit(file.path()) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) {
      std::exit(1);
    }
    aclrtFree(memory);
    if (frees_twice) aclrtFree(memory);
    aclFinalize();
    std::exit(0);
  };
  EXPECT_EXIT(run(true), testing::ExitedWithCode(9), "1 errors .*double free 1");
  EXPECT_EXIT(run(false), testing::ExitedWithCode(0), "0 errors");
}

TEST_F(MemoryCheckTest, OffMeansOff) {
  Finish();
  MemoryCheck::Clear();
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclrtSetDevice(0));
  void* memory = Allocate(64);
  EXPECT_EQ(0u, MemoryCheck::Statistics().live_blocks);
  EXPECT_OK(aclrtFree(memory));
  EXPECT_EQ(memory, Allocate(64));
  EXPECT_OK(aclrtFree(memory));
  EXPECT_EQ(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory));
  EXPECT_OK(aclFinalize());
  ExpectNothingFound();
}

}  // namespace
}  // namespace conformance
