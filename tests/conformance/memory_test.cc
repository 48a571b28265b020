// Memory: allocating and freeing.
#include "conformance/memory_fixture.h"

namespace conformance {
namespace {

class Memory : public WithMemory {
 protected:
  struct Info {
    std::size_t free;
    std::size_t total;
  };
  static Info GetInfo() {
    Info info{};
    EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &info.free, &info.total));
    return info;
  }
};

// ---- Allocating ----

TEST_F(Memory, AllocationsRefuseNullAnd0Bytes) {
  auto memory = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMalloc(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocAlign32(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(nullptr, 64));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocAlign32(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(&memory, 0));
  EXPECT_TRUE(IsUntouched(memory));
}

TEST_F(Memory, SizesBeyondEverythingAreRefused) {
  const Info before = GetInfo();
  for (const std::size_t bytes : kHuge) {
    auto memory = Untouched<void*>();
    EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST)) << bytes;
    EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocAlign32(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST)) << bytes;
    EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocHost(&memory, bytes)) << bytes;
    EXPECT_TRUE(IsUntouched(memory));
  }
  EXPECT_EQ(before.free, GetInfo().free);
}

TEST_F(Memory, AddressesAreMultiplesOf64) {
  for (const std::size_t bytes : {1UL, 31UL, 33UL, 100UL, 4097UL}) {
    EXPECT_EQ(0U, reinterpret_cast<uintptr_t>(Allocate(bytes)) % 64);
    EXPECT_EQ(0U, reinterpret_cast<uintptr_t>(AllocatePinned(bytes)) % 64);
    void* memory = nullptr;
    EXPECT_OK(aclrtMallocAlign32(&memory, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_EQ(0U, reinterpret_cast<uintptr_t>(memory) % 64);
  }
}

TEST_F(Memory, EveryPolicyIsServed) {  // pages of 1 GiB: memory_policy_test.cc
  for (int policy = ACL_MEM_MALLOC_HUGE_FIRST; policy <= ACL_MEM_MALLOC_NORMAL_ONLY_P2P; ++policy) {
    void* memory = nullptr;
    EXPECT_OK(aclrtMalloc(&memory, 1000, static_cast<aclrtMemMallocPolicy>(policy)));
    EXPECT_OK(aclrtFree(memory));
  }
}

TEST_F(Memory, InfoFollowsAllocations) {
  const Info before = GetInfo();
  EXPECT_LE(before.free, before.total);
  void* memory = Allocate(std::size_t{8} << 20);
  EXPECT_LE(GetInfo().free, before.free - (std::size_t{8} << 20));
  EXPECT_OK(aclrtFree(memory));
  EXPECT_EQ(before.free, GetInfo().free);
}

TEST_F(Memory, InfoRefusesNullAndKnowsNoOtherKinds) {
  std::size_t bytes = 1;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &bytes));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemInfo(ACL_HBM_MEM, &bytes, nullptr));
  std::size_t total = 1;
  EXPECT_OK(aclrtGetMemInfo(NoSuch<aclrtMemAttr>(1000), &bytes, &total));
  EXPECT_EQ(0U, bytes);
  EXPECT_EQ(0U, total);
}

// ---- Freeing ----

TEST_F(Memory, FreeRefusesWhatIsNotAllocated) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(nullptr));
  char local = 0;
  auto* memory = static_cast<char*>(Allocate(4096));
  auto* pinned = static_cast<char*>(AllocatePinned(4096));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(&local));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFreeHost(&local));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory + 64));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFreeHost(pinned + 64));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(pinned));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFreeHost(memory));
  for (void* handle : MadeUpHandles(memory + 64)) {
    EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(handle));
    EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFreeHost(handle));
  }
  EXPECT_OK(aclrtFree(memory));
  EXPECT_OK(aclrtFreeHost(pinned));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFreeHost(pinned));
}

TEST_F(Memory, FreeNeedsNoContext) {
  void* memory = Allocate(64);
  void* pinned = AllocatePinned(64);
  InThread([&] {
    EXPECT_OK(aclrtFree(memory));
    EXPECT_OK(aclrtFreeHost(pinned));
  });
}

TEST_F(Memory, AllocatedAndFreedByManyThreads) {
  std::vector<std::thread> threads;
  const Info before = GetInfo();
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      ASSERT_OK(aclrtSetDevice(0));
      for (std::size_t i = 1; i < 200; ++i) {
        void* memory = Allocate(i * 100);
        void* pinned = AllocatePinned(i * 100);
        ASSERT_OK(aclrtMemcpy(memory, i * 100, pinned, i * 100, ACL_MEMCPY_HOST_TO_DEVICE));
        ASSERT_OK(aclrtFree(memory));
        ASSERT_OK(aclrtFreeHost(pinned));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(before.free, GetInfo().free);
}

// ---- The end of memory ----

class SmallMemory : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/forebay_small_memory.json";
    FILE* file = std::fopen(path_.c_str(), "w");
    ASSERT_NE(nullptr, file);
    std::fputs(R"({"forebay": {"device_memory": 64, "initial_pool": 2, "pinned_memory": 64}})", file);
    std::fclose(file);
    ASSERT_OK(aclInit(path_.c_str()));
    ASSERT_OK(aclrtSetDevice(0));
  }
  void TearDown() override {
    aclFinalize();
    std::remove(path_.c_str());
  }
  std::string path_;
};

TEST_F(SmallMemory, PinnedMemoryRunsOutInACode) {
  std::vector<void*> blocks;
  auto memory = Untouched<void*>();
  aclError code = ACL_SUCCESS;
  while ((code = aclrtMallocHost(&memory, 8 << 20)) == ACL_SUCCESS) {
    blocks.push_back(memory);
    memory = Untouched<void*>();
  }
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, code);
  EXPECT_TRUE(IsUntouched(memory));
  EXPECT_GE(blocks.size(), 7U);
  for (void* block : blocks) EXPECT_OK(aclrtFreeHost(block));
  EXPECT_OK(aclrtMallocHost(&memory, 8 << 20));
}

TEST_F(SmallMemory, PinnedMemoryEndsWithTheReset) {
  void* memory = nullptr;
  ASSERT_OK(aclrtMallocHost(&memory, 4096));
  ASSERT_OK(aclrtResetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFreeHost(memory));
}

}  // namespace
}  // namespace conformance
