// What the program can ask about memory and addresses, and the frees that wait.
#include <atomic>
#include <cstdio>

#include "conformance/support.h"

namespace conformance {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

class MemoryInfo : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtMalloc(&device_, 1000, ACL_MEM_MALLOC_NORMAL_ONLY));
    ASSERT_OK(aclrtMalloc(&huge_, 3 * kMiB, ACL_MEM_MALLOC_HUGE_ONLY));
    ASSERT_OK(aclrtMallocHost(&pinned_, 1000));
  }
  static char* At(void* base, std::size_t offset) { return static_cast<char*>(base) + offset; }
  static aclrtPtrAttributes Attributes(const void* address) {
    auto attributes = Untouched<aclrtPtrAttributes>();
    EXPECT_OK(aclrtPointerGetAttributes(address, &attributes));
    return attributes;
  }
  void* device_ = nullptr;
  void* huge_ = nullptr;
  void* pinned_ = nullptr;
};

TEST_F(MemoryInfo, EveryKindIsTheSameMemory) {
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  EXPECT_LT(0U, free);
  EXPECT_LT(free, total);
  for (int attribute = ACL_DDR_MEM; attribute <= ACL_MEM_P2P_HUGE1G; ++attribute) {
    std::size_t of_kind = SIZE_MAX;
    std::size_t total_of_kind = SIZE_MAX;
    EXPECT_OK(aclrtGetMemInfo(static_cast<aclrtMemAttr>(attribute), &of_kind, &total_of_kind));
    EXPECT_LE(of_kind, free);
    EXPECT_LE(total_of_kind, total);
    EXPECT_LT(free - of_kind, 1024 * kMiB);
  }
  std::size_t huge = 0;
  ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM_HUGE, &huge, &total));
  EXPECT_EQ(free / (2 * kMiB) * (2 * kMiB), huge);
  for (const int none : {-1, 18, 1000}) {
    EXPECT_OK(aclrtGetMemInfo(NoSuch<aclrtMemAttr>(none), &free, &total));
    EXPECT_EQ(0U, free + total);
  }
}

TEST_F(MemoryInfo, NeedsAContext) {
  InThread([] {
    auto free = Untouched<std::size_t>();
    auto total = Untouched<std::size_t>();
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    EXPECT_TRUE(IsUntouched(free) && IsUntouched(total));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceL2CacheFlush(nullptr));
  });
}

TEST_F(MemoryInfo, ModulesAreListedTheMostFirst) {
  aclrtMallocAttribute attribute{ACL_RT_MEM_ATTR_MODULE_ID, {}};
  attribute.value.moduleId = 7;
  aclrtMallocConfig config{&attribute, 1};
  void* memory = nullptr;
  ASSERT_OK(aclrtMallocWithCfg(&memory, 20 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST, &config));
  aclrtMemUsageInfo uses[4];
  std::size_t count = 0;
  ASSERT_OK(aclrtGetMemUsageInfo(0, uses, 4, &count));
  ASSERT_EQ(2U, count);
  EXPECT_STREQ("MODULE_7", uses[0].name);
  EXPECT_EQ(22 * kMiB, uses[0].curMemSize);
  EXPECT_STREQ("APP", uses[1].name);
  EXPECT_EQ(4 * kMiB + 1024 + 32, uses[1].curMemSize);
  ASSERT_OK(aclrtFree(memory));
  ASSERT_OK(aclrtGetMemUsageInfo(0, uses, 1, &count));
  ASSERT_EQ(1U, count) << "as many as there is room for";
  EXPECT_STREQ("APP", uses[0].name);
  ASSERT_OK(aclrtGetMemUsageInfo(0, uses, 4, &count));
  EXPECT_EQ(0U, uses[1].curMemSize);
  EXPECT_EQ(22 * kMiB, uses[1].memPeakSize);
  EXPECT_OK(aclrtGetMemUsageInfo(1, uses, 4, &count));
  EXPECT_EQ(0U, count) << "nothing is allocated there";
}

TEST_F(MemoryInfo, ModulesRefuseNullAndOtherDevices) {
  auto use = Untouched<aclrtMemUsageInfo>();
  auto count = Untouched<std::size_t>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemUsageInfo(0, nullptr, 1, &count));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemUsageInfo(0, &use, 1, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemUsageInfo(0, &use, 0, &count));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetMemUsageInfo(-1, &use, 1, &count));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetMemUsageInfo(1000, &use, 1, &count));
  EXPECT_TRUE(IsUntouched(use) && IsUntouched(count));
}

TEST_F(MemoryInfo, TypesOfAllAddressesAreChecked) {
  uint32_t result = 2;
  void* all_device[] = {device_, At(huge_, kMiB)};
  void* mixed[] = {device_, pinned_};
  EXPECT_OK(aclrtCheckMemType(all_device, 2, ACL_RT_MEM_TYPE_DEV, &result, 0));
  EXPECT_EQ(1U, result);
  EXPECT_OK(aclrtCheckMemType(all_device, 2, ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP, &result, 0));
  EXPECT_EQ(1U, result);
  EXPECT_OK(aclrtCheckMemType(mixed, 2, ACL_RT_MEM_TYPE_DEV, &result, 0));
  EXPECT_EQ(0U, result);
  EXPECT_OK(aclrtCheckMemType(mixed, 1, ACL_RT_MEM_TYPE_DEV, &result, 0));
  EXPECT_EQ(1U, result);
  EXPECT_OK(aclrtCheckMemType(all_device, 2, ACL_RT_MEM_TYPE_DVPP, &result, 0));
  EXPECT_EQ(0U, result);
  auto untouched = Untouched<uint32_t>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(nullptr, 1, ACL_RT_MEM_TYPE_DEV, &untouched, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(mixed, 1, ACL_RT_MEM_TYPE_DEV, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(mixed, 0, ACL_RT_MEM_TYPE_DEV, &untouched, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(mixed, 1, 0, &untouched, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(mixed, 1, 0x40, &untouched, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(mixed, 1, ACL_RT_MEM_TYPE_DEV, &untouched, 1));
  EXPECT_TRUE(IsUntouched(untouched));
}

TEST_F(MemoryInfo, AttributesOfPointersSayWhereTheyLie) {
  const aclrtPtrAttributes normal = Attributes(At(device_, 999));
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, normal.location.type);
  EXPECT_EQ(0U, normal.location.id);
  EXPECT_EQ(4096U, normal.pageSize);
  EXPECT_EQ(2 * kMiB, Attributes(At(huge_, kMiB)).pageSize);
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_HOST, Attributes(At(pinned_, 999)).location.type);
  std::vector<char> pageable(100);
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, Attributes(pageable.data()).location.type);
  EXPECT_EQ(0U, Attributes(pageable.data()).pageSize);
  InThread([&] { EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, Attributes(huge_).location.type) << "of any thread"; });
  ASSERT_OK(aclrtFree(huge_));
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, Attributes(huge_).location.type);
  ASSERT_OK(aclrtResetDevice(0));
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, Attributes(device_).location.type);
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, Attributes(pinned_).location.type);
  auto untouched = Untouched<aclrtPtrAttributes>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtPointerGetAttributes(nullptr, &untouched));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtPointerGetAttributes(device_, nullptr));
  EXPECT_TRUE(IsUntouched(untouched));
}

TEST_F(MemoryInfo, RangeOfAnAddressIsItsAllocation) {
  for (void* memory : {device_, pinned_}) {
    void* base = nullptr;
    std::size_t bytes = 0;
    EXPECT_OK(aclrtMemGetAddressRange(At(memory, 999), &base, &bytes));
    EXPECT_EQ(memory, base);
    EXPECT_EQ(1000U, bytes);
    base = nullptr;
    EXPECT_OK(aclrtMemGetAddressRange(memory, &base, nullptr));
    EXPECT_EQ(memory, base);
    EXPECT_OK(aclrtMemGetAddressRange(memory, nullptr, &bytes));
  }
  auto base = Untouched<void*>();
  auto bytes = Untouched<std::size_t>();
  char local = 0;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange(nullptr, &base, &bytes));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange(device_, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange(&local, &base, &bytes));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange(At(device_, 1000), &base, &bytes));
  ASSERT_OK(aclrtFree(device_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange(device_, &base, &bytes));
  EXPECT_TRUE(IsUntouched(base) && IsUntouched(bytes));
}

TEST_F(MemoryInfo, CachesAreCoherentAndTheirRangesChecked) {
  for (const auto call : {&aclrtMemFlush, &aclrtMemInvalidate}) {
    EXPECT_OK(call(huge_, 3 * kMiB));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, call(nullptr, 64));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, call(huge_, 0));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, call(huge_, SIZE_MAX));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, call(pinned_, 64));
  }
  EXPECT_OK(aclrtDeviceL2CacheFlush(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceL2CacheFlush(this));
}

// ---- Freeing ----

TEST_F(MemoryInfo, WrongFreesNameWhatTheAddressIs) {
  const auto says = [](aclError code, const std::string& words) {
    EXPECT_EQ(ACL_ERROR_RT_MEMORY_FREE, code);
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find(words)) << words << " is missing in: " << text;
  };
  Messages();
  says(aclrtFree(At(device_, 64)), "64 bytes into the 1000 bytes");
  says(aclrtFree(pinned_), "aclrtFreeHost");
  says(aclrtFreeHost(At(pinned_, 64)), "64 bytes into the 1000 bytes");
  says(aclrtFreeHost(device_), "Free it with aclrtFree");
  char local = 0;
  char address[32];
  std::snprintf(address, sizeof address, "%p", static_cast<void*>(&local));
  says(aclrtFree(&local), address);
  says(aclrtFreeWithDevSync(&local), address);
  says(aclrtFreeHostWithDevSync(&local), address);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeWithDevSync(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHostWithDevSync(nullptr));
}

TEST_F(MemoryInfo, FreesThatWaitReturnAfterAllStreamsOfTheDevice) {
  aclrtContext other = nullptr;
  aclrtContext first = nullptr;
  ASSERT_OK(aclrtGetCurrentContext(&first));
  ASSERT_OK(aclrtCreateContext(&other, 0));
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  for (const bool host : {false, true}) {
    ASSERT_OK(aclrtSetCurrentContext(other));
    Gate gate;
    ASSERT_OK(gate.Close(stream));
    ASSERT_OK(aclrtMemsetAsync(huge_, kMiB, host ? 2 : 1, kMiB, stream));
    ASSERT_OK(aclrtSetCurrentContext(first));
    std::atomic<bool> opened{false};
    std::thread opener([&] {
      gate.WaitUntilReached();
      opened = true;
      gate.Open();
    });
    EXPECT_OK(host ? aclrtFreeHostWithDevSync(pinned_) : aclrtFreeWithDevSync(device_));
    EXPECT_TRUE(opened) << "it waits for streams of other contexts too";
    opener.join();
    char back = 0;
    EXPECT_OK(aclrtMemcpy(&back, 1, huge_, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(host ? 2 : 1, back);
  }
}

}  // namespace
}  // namespace conformance
