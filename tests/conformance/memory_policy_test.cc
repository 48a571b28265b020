// What an allocation may ask for: pages, configurations; and what it says when there is no memory left.
#include <cstdio>
#include <vector>

#include "conformance/memory_calls.h"

namespace conformance {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

class WithSmallDevice : public testing::Test {
 protected:
  void SetUp() override { Start(64); }
  void Start(int mib) {
    path_ = testing::TempDir() + "/forebay_memory_policy.json";
    FILE* file = std::fopen(path_.c_str(), "w");
    ASSERT_NE(nullptr, file);
    std::fprintf(file, R"({"forebay": {"device_memory": %d, "initial_pool": 2, "pinned_memory": 64}})", mib);
    std::fclose(file);
    ASSERT_OK(aclInit(path_.c_str()));
    ASSERT_OK(aclrtSetDevice(0));
  }
  void TearDown() override {
    aclFinalize();
    std::remove(path_.c_str());
    Messages();
  }
  static std::size_t Free() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_OK(aclrtGetMemInfo(ACL_DDR_MEM, &free, &total));
    return free;
  }
  static std::size_t Accounted(std::size_t bytes, int policy) {
    const std::size_t before = Free();
    void* memory = nullptr;
    EXPECT_OK(aclrtMalloc(&memory, bytes, NoSuch<aclrtMemMallocPolicy>(policy)));
    const std::size_t accounted = before - Free();
    EXPECT_OK(aclrtFree(memory));
    EXPECT_EQ(before, Free());
    return accounted;
  }
  std::string path_;
};

TEST_F(WithSmallDevice, HugePagesAreAccountedWhole) {
  EXPECT_EQ(2 * kMiB, Accounted(1000, ACL_MEM_MALLOC_HUGE_ONLY));
  EXPECT_EQ(2 * kMiB, Accounted(1000, ACL_MEM_MALLOC_HUGE_ONLY_P2P));
  EXPECT_EQ(4 * kMiB, Accounted(2 * kMiB, ACL_MEM_MALLOC_HUGE_ONLY)) << "32 bytes more are beyond the page";
  EXPECT_EQ(2 * kMiB, Accounted(kMiB + 1, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_GT(2 * kMiB, Accounted(kMiB, ACL_MEM_MALLOC_HUGE_FIRST)) << "up to 1 MiB normal pages";
  EXPECT_GT(4 * kMiB, Accounted(3 * kMiB, ACL_MEM_MALLOC_NORMAL_ONLY));
  EXPECT_EQ(4 * kMiB, Accounted(2 * kMiB, 99)) << "a policy that is none goes by size";
  EXPECT_GT(2 * kMiB, Accounted(kMiB + 1000, 99));
}

TEST_F(WithSmallDevice, HugePagesFirstFallsBackAndHugePagesOnlyFails) {
  void* most = nullptr;
  ASSERT_OK(aclrtMallocAlign32(&most, 61 * kMiB, ACL_MEM_MALLOC_NORMAL_ONLY));
  auto memory = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocAlign32(&memory, 3 * kMiB, ACL_MEM_MALLOC_HUGE_ONLY));
  EXPECT_TRUE(IsUntouched(memory));
  ASSERT_OK(aclrtFree(most));
  ASSERT_OK(aclrtMallocAlign32(&most, 62 * kMiB, ACL_MEM_MALLOC_NORMAL_ONLY));
  void* rest = nullptr;
  EXPECT_OK(aclrtMalloc(&rest, 2 * kMiB - 32, ACL_MEM_MALLOC_HUGE_FIRST)) << "32 bytes more fill a page";
  EXPECT_OK(aclrtFree(rest));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&rest, 2 * kMiB - 31, ACL_MEM_MALLOC_HUGE_ONLY));
  // A page is no longer free, but enough is.
  void* little = nullptr;
  ASSERT_OK(aclrtMalloc(&little, 100, ACL_MEM_MALLOC_NORMAL_ONLY));
  constexpr std::size_t kMoreThanHalf = kMiB + kMiB / 2;
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&rest, kMoreThanHalf, ACL_MEM_MALLOC_HUGE_ONLY));
  ASSERT_OK(aclrtMalloc(&rest, kMoreThanHalf, ACL_MEM_MALLOC_HUGE_FIRST));
  aclrtPtrAttributes attributes{};
  EXPECT_OK(aclrtPointerGetAttributes(rest, &attributes));
  EXPECT_EQ(4096U, attributes.pageSize);
}

TEST_F(WithSmallDevice, PagesOf1GiBNeedOne) {
  auto memory = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&memory, 1000, ACL_MEM_MALLOC_HUGE1G_ONLY));
  EXPECT_NE(std::string::npos, Messages().find("1073741824"));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&memory, 1000, ACL_MEM_MALLOC_HUGE1G_ONLY_P2P));
  EXPECT_TRUE(IsUntouched(memory));
  ASSERT_OK(aclFinalize());
  Start(2048);
  EXPECT_EQ(1024 * kMiB, Accounted(1024 * kMiB, ACL_MEM_MALLOC_HUGE1G_ONLY)) << "without 32 bytes more";
}

TEST_F(WithSmallDevice, OnlyConfiguredCallsJoinPolicies) {
  auto memory = Untouched<void*>();
  const auto joined = NoSuch<aclrtMemMallocPolicy>(ACL_MEM_MALLOC_NORMAL_ONLY | ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                                                   ACL_MEM_ACCESS_USER_SPACE_READONLY);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMalloc(&memory, 64, joined));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocAlign32(&memory, 64, joined));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocCached(&memory, 64, joined));
  const auto both = NoSuch<aclrtMemMallocPolicy>(ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocWithCfg(&memory, 64, both, nullptr));
  EXPECT_TRUE(IsUntouched(memory));
  EXPECT_OK(aclrtMalloc(&memory, 64, ACL_MEM_TYPE_LOW_BAND_WIDTH));
  EXPECT_OK(aclrtFree(memory));
  EXPECT_OK(aclrtMallocWithCfg(&memory, 64, joined, nullptr));
  EXPECT_OK(aclrtFree(memory));
}

TEST_F(WithSmallDevice, ConfigurationsAreChecked) {
  const auto attribute = [](int type, uint32_t value) {
    aclrtMallocAttribute made{};
    made.attr = NoSuch<aclrtMallocAttrType>(type);
    made.value.deviceId = value;
    return made;
  };
  const auto device = [](void** memory, aclrtMallocAttribute one) {
    aclrtMallocConfig config{&one, 1};
    const aclError code = aclrtMallocWithCfg(memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config);
    void* other = nullptr;
    EXPECT_EQ(code, aclrtMallocForTaskScheduler(&other, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config));
    if (other != nullptr) {
      EXPECT_OK(aclrtFree(other));
    }
    return code;
  };
  const auto host = [](void** memory, aclrtMallocAttribute one) {
    aclrtMallocConfig config{&one, 1};
    return aclrtMallocHostWithCfg(memory, 64, &config);
  };
  auto memory = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, device(&memory, attribute(ACL_RT_MEM_ATTR_RSV, 0)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, device(&memory, attribute(77, 0)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, device(&memory, attribute(ACL_RT_MEM_ATTR_DEVICE_ID, 1)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, device(&memory, attribute(ACL_RT_MEM_ATTR_VA_FLAG, 0)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, host(&memory, attribute(ACL_RT_MEM_ATTR_VA_FLAG, 2)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, host(&memory, attribute(77, 0)));
  aclrtMallocConfig no_array{nullptr, 1};
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &no_array));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg(&memory, 64, &no_array));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocWithCfg(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocForTaskScheduler(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocCached(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg(nullptr, 64, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg(&memory, 0, nullptr));
  EXPECT_TRUE(IsUntouched(memory));
  EXPECT_OK(device(&memory, attribute(ACL_RT_MEM_ATTR_DEVICE_ID, 0)));
  EXPECT_OK(aclrtFree(memory));
  EXPECT_OK(host(&memory, attribute(ACL_RT_MEM_ATTR_MODULE_ID, 7)));
  EXPECT_OK(aclrtFreeHost(memory));
  EXPECT_OK(aclrtMallocCached(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_OK(aclrtFree(memory));
}

__attribute__((noinline)) void* AllocateTheMost(std::size_t bytes) {
  void* memory = nullptr;
  EXPECT_OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
  return memory;
}

TEST_F(WithSmallDevice, A16OutOfMemoryNamesWhoHoldsIt) {
  void* small = nullptr;
  ASSERT_OK(aclrtMallocAlign32(&small, 1000, ACL_MEM_MALLOC_NORMAL_ONLY));
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(AllocateTheMost(4 * kMiB - 32));
  const std::size_t free = Free();
  for (const std::size_t bytes : {65 * kMiB, 30 * kMiB}) {
    Messages();
    auto memory = Untouched<void*>();
    EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_TRUE(IsUntouched(memory));
    const std::string text = Messages();
    for (const std::string& part :
         {std::to_string(bytes), std::to_string(free), std::to_string(64 * kMiB),
          std::to_string(40 * kMiB) + " bytes in 10 allocations", std::string("conformance_memory_policy_test+0x")}) {
      EXPECT_NE(std::string::npos, text.find(part)) << part << " is missing in: " << text;
    }
    EXPECT_LT(text.find("in 10 allocations"), text.find("in 1 allocations")) << "the most first: " << text;
    EXPECT_EQ(free, Free());
  }
  EXPECT_OK(aclrtSynchronizeDevice()) << "no stream is told of it";
  // What is freed last lies beside what was never used.
  for (int i = 0; i < 4; ++i) {
    EXPECT_OK(aclrtFree(blocks.back()));
    blocks.pop_back();
  }
  void* memory = nullptr;
  EXPECT_OK(aclrtMalloc(&memory, 30 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST));
}

TEST_F(WithSmallDevice, NothingIsLostWhenAllIsAllocatedAndFreedAgain) {
  const std::size_t before = Free();
  std::size_t most = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> blocks;
    auto memory = Untouched<void*>();
    aclError code = ACL_SUCCESS;
    while ((code = aclrtMalloc(&memory, 3 * kMiB, ACL_MEM_MALLOC_HUGE_ONLY)) == ACL_SUCCESS) blocks.push_back(memory);
    EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION, code);
    if (round == 0) most = blocks.size();
    EXPECT_LE(15U, blocks.size());
    EXPECT_EQ(most, blocks.size());
    for (void* block : blocks) EXPECT_OK(aclrtFree(block));
    EXPECT_EQ(before, Free());
  }
}

// 64 GiB each: more in all than the device has addresses for.
TEST_F(WithSmallDevice, ManyPoolsWithoutMaximumShareTheAddressesOfALargeDevice) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer leaves a device 16 GiB of addresses";
#endif
  ASSERT_OK(aclFinalize());
  Start(64 * 1024);
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  std::vector<aclrtMemPool> pools;
  for (int i = 0; i < 64; ++i) pools.push_back(MakePool());
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) {
    void* block = nullptr;
    ASSERT_OK(aclrtMemPoolMallocAsync(&block, std::size_t{2} << 30, pools[static_cast<std::size_t>(i) % 2], stream));
    // The last byte is there, too.
    ASSERT_OK(aclrtMemsetAsync(static_cast<char*>(block) + (std::size_t{2} << 30) - 1, 1, i, 1, stream));
    blocks.push_back(block);
  }
  for (void* block : blocks) EXPECT_OK(aclrtMemPoolFreeAsync(block, stream)) << "beyond the first range";
  EXPECT_OK(aclrtSynchronizeStream(stream));
  for (const aclrtMemPool pool : pools) EXPECT_OK(aclrtMemPoolDestroy(pool));
}

}  // namespace
}  // namespace conformance
