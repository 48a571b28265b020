// Memory: allocating, freeing, copying and filling.
#include <sys/mman.h>

#include <chrono>

#include "conformance/support.h"

namespace conformance {
namespace {

class Memory : public WithDevice {
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
  static void* Allocate(std::size_t bytes) {
    void* memory = nullptr;
    EXPECT_OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
  }
  static void* AllocatePinned(std::size_t bytes) {
    void* memory = nullptr;
    EXPECT_OK(aclrtMallocHost(&memory, bytes));
    return memory;
  }
};

constexpr std::size_t kHuge[] = {SIZE_MAX,      SIZE_MAX - 1,    SIZE_MAX - 31,    SIZE_MAX - 32, SIZE_MAX - 63,
                                 SIZE_MAX - 64, SIZE_MAX - 4096, SIZE_MAX / 2 + 1, SIZE_MAX / 2,  std::size_t{1} << 47};

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

// ---- Copying ----

TEST_F(Memory, CopyGoesWhereTheAddressesSay) {
  char from[100];
  char to[100] = {};
  std::memset(from, 3, sizeof from);
  void* memory = Allocate(100);
  void* second = Allocate(100);
  // The kind is of no account.
  EXPECT_OK(aclrtMemcpy(memory, 100, from, 100, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_OK(aclrtMemcpy(second, 100, memory, 100, NoSuch<aclrtMemcpyKind>(77)));
  EXPECT_OK(aclrtMemcpy(to, 100, second, 100, ACL_MEMCPY_HOST_TO_HOST));
  EXPECT_EQ(0, std::memcmp(from, to, 100));
}

TEST_F(Memory, CopyOf0BytesSucceedsAlways) {
  EXPECT_OK(aclrtMemcpy(nullptr, 0, nullptr, 0, NoSuch<aclrtMemcpyKind>(77)));
  EXPECT_OK(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, NoSuch<aclrtMemcpyKind>(77), reinterpret_cast<aclrtStream>(5)));
  EXPECT_OK(aclrtMemset(nullptr, 0, 0, 0));
  EXPECT_OK(aclrtMemsetAsync(nullptr, 0, 0, 0, reinterpret_cast<aclrtStream>(5)));
}

TEST_F(Memory, NullAddressesAreRefused) {
  char host[4] = {};
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(nullptr, 4, host, 4, ACL_MEMCPY_DEFAULT));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(host, 4, nullptr, 4, ACL_MEMCPY_DEFAULT));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(nullptr, 4, host, 4, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(host, 4, nullptr, 4, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(nullptr, 4, 0, 4));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(nullptr, 4, 0, 4, nullptr));
}

TEST_F(Memory, MoreThanTheDestinationHoldsIsRefused) {
  void* memory = Allocate(64);
  char host[64] = {};
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(memory, 63, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync(memory, 63, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemset(memory, 63, 0, 64));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemsetAsync(memory, 63, 0, 64, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(memory, 0, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
}

TEST_F(Memory, CountsBeyondEverythingAreRefused) {
  void* memory = Allocate(64);
  void* pinned = AllocatePinned(64);
  char host[64] = {};
  for (const std::size_t bytes : kHuge) {
    for (void* other : {pinned, static_cast<void*>(host)}) {
      EXPECT_NE(ACL_SUCCESS, aclrtMemcpy(memory, bytes, other, bytes, ACL_MEMCPY_HOST_TO_DEVICE)) << bytes;
      EXPECT_NE(ACL_SUCCESS, aclrtMemcpy(other, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST)) << bytes;
      EXPECT_NE(ACL_SUCCESS, aclrtMemcpyAsync(memory, bytes, other, bytes, ACL_MEMCPY_HOST_TO_DEVICE, nullptr))
          << bytes;
      EXPECT_NE(ACL_SUCCESS, aclrtMemset(other, bytes, 0, bytes)) << bytes;
      EXPECT_NE(ACL_SUCCESS, aclrtMemcpy(other, bytes, host, bytes, ACL_MEMCPY_HOST_TO_HOST)) << bytes;
    }
    EXPECT_NE(ACL_SUCCESS, aclrtMemset(memory, bytes, 0, bytes)) << bytes;
    EXPECT_NE(ACL_SUCCESS, aclrtMemsetAsync(memory, bytes, 0, bytes, nullptr)) << bytes;
    EXPECT_NE(ACL_SUCCESS, aclrtMemsetAsync(pinned, bytes, 0, bytes, nullptr)) << bytes;
  }
  EXPECT_OK(aclrtSynchronizeDevice());
}

TEST_F(Memory, HostAddressesThatCannotBeReachedAreRefused) {
  void* memory = Allocate(4096);
  void* guarded = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(MAP_FAILED, guarded);
  for (void* bad : {reinterpret_cast<void*>(0x10), reinterpret_cast<void*>(0xA1A1A1A1A1A1A1A1), guarded}) {
    EXPECT_CODE(ACL_ERROR_RT_SYS_DMA, aclrtMemcpy(memory, 4096, bad, 64, ACL_MEMCPY_HOST_TO_DEVICE)) << bad;
    EXPECT_CODE(ACL_ERROR_RT_SYS_DMA, aclrtMemcpy(bad, 4096, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST)) << bad;
    EXPECT_CODE(ACL_ERROR_RT_SYS_DMA, aclrtMemset(bad, 64, 0, 64)) << bad;
    EXPECT_NE(ACL_SUCCESS, aclrtMemcpyAsync(memory, 4096, bad, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr)) << bad;
  }
  munmap(guarded, 4096);
  EXPECT_OK(aclrtSynchronizeDevice());
}

TEST_F(Memory, FreedDeviceMemoryIsRefusedByCopies) {
  void* memory = Allocate(std::size_t{128} << 20);  // more than the pool keeps
  char host[64] = {};
  ASSERT_OK(aclrtFree(memory));
  // What was freed may be held for reuse, but must never bring the program down.
  aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtMemcpyAsync(memory, 64, AllocatePinned(64), 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr);
  aclrtSynchronizeDevice();
}

TEST_F(Memory, KindsThatDoNotFitAreRefusedWhenQueued) {
  void* memory = Allocate(64);
  void* pinned = AllocatePinned(64);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(memory, 64, pinned, 64, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(pinned, 64, memory, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemcpyAsync(memory, 64, pinned, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemcpyAsync(memory, 64, pinned, 64, NoSuch<aclrtMemcpyKind>(77), nullptr));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
              aclrtMemcpyAsync(pinned, 64, pinned, 64, ACL_MEMCPY_HOST_TO_HOST, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemcpyAsync(pinned, 64, pinned, 64, ACL_MEMCPY_DEFAULT, nullptr));
  EXPECT_OK(aclrtMemcpyAsync(memory, 64, pinned, 64, ACL_MEMCPY_DEFAULT, nullptr));
  EXPECT_OK(aclrtMemcpyAsync(memory, 64, pinned, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, nullptr));
  EXPECT_OK(aclrtSynchronizeDevice());
}

TEST_F(Memory, PinnedSourceIsReadLaterAndPageableSourceBeforeTheReturn) {  // A15
  void* memory = Allocate(64);
  auto* pinned = static_cast<char*>(AllocatePinned(64));
  char pageable[64];
  std::memset(pinned, 1, 64);
  std::memset(pageable, 1, 64);
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  // Returns although the stream is blocked, and reads what is there when its turn comes.
  ASSERT_OK(aclrtMemcpyAsync(memory, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  std::memset(pinned, 2, 64);
  gate.Open();
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  char back[64] = {};
  ASSERT_OK(aclrtMemcpy(back, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(2, back[63]);

  Gate second;
  ASSERT_OK(second.Close(nullptr));
  const auto start = std::chrono::steady_clock::now();
  std::thread opener([&] {
    second.WaitUntilReached();
    Pause(50);
    second.Open();
  });
  ASSERT_OK(aclrtMemcpyAsync(memory, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(45))
      << "it returns when the copy is done";
  std::memset(pageable, 2, 64);
  opener.join();
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  ASSERT_OK(aclrtMemcpy(back, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(1, back[63]);
}

TEST_F(Memory, SynchronousCopyWaitsForNoStream) {
  void* memory = Allocate(64);
  char host[64] = {};
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  EXPECT_OK(aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_OK(aclrtMemset(memory, 64, 0, 64));
  EXPECT_OK(aclrtFree(memory));
  gate.Open();
}

TEST_F(Memory, FillTakesTheLowByteAndHostMemoryToo) {
  void* memory = Allocate(64);
  unsigned char host[64] = {};
  EXPECT_OK(aclrtMemset(memory, 64, 0x1234, 64));
  EXPECT_OK(aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(0x34, host[63]);
  EXPECT_OK(aclrtMemset(host, 64, -1, 64));
  EXPECT_EQ(0xFF, host[63]);
  EXPECT_OK(aclrtMemsetAsync(host, 64, 5, 64, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(5, host[63]);
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

TEST_F(SmallMemory, RunsOutInWordsAndChangesNothing) {  // A16
  std::vector<void*> blocks(40);
  for (void*& block : blocks) ASSERT_OK(aclrtMallocAlign32(&block, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  std::size_t before = 0;
  std::size_t total = 0;
  ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
  EXPECT_EQ(std::size_t{64} << 20, total);
  Messages();
  auto memory = Untouched<void*>();
  EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION,
            aclrtMallocAlign32(&memory, std::size_t{65} << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find(std::to_string(std::size_t{65} << 20))) << text;
  EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION,
            aclrtMallocAlign32(&memory, std::size_t{30} << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_TRUE(IsUntouched(memory));
  std::size_t after = 0;
  ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
  EXPECT_EQ(before, after);
  EXPECT_OK(aclrtSynchronizeDevice()) << "no stream is told of it";
  // What is freed last lies beside what was never used.
  for (std::size_t i = 24; i < 40; ++i) ASSERT_OK(aclrtFree(blocks[i]));
  EXPECT_OK(aclrtMallocAlign32(&memory, std::size_t{30} << 20, ACL_MEM_MALLOC_HUGE_FIRST));
}

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
