// Memory at one address for the host and all devices.
#include <algorithm>

#include "conformance/support.h"

namespace conformance {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;
constexpr aclrtMemManagedLocation kDevice0{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
constexpr aclrtMemManagedLocation kDevice1{ACL_MEM_LOCATIONTYPE_DEVICE, 1};
constexpr aclrtMemManagedLocation kHost{ACL_MEM_LOCATIONTYPE_HOST, 0};

char* Managed(std::size_t bytes) {
  void* address = nullptr;
  EXPECT_OK(aclrtMemAllocManaged(&address, bytes, ACL_RT_MEM_ATTACH_GLOBAL));
  return static_cast<char*>(address);
}

uint32_t* Words(char* address) { return reinterpret_cast<uint32_t*>(address); }

int32_t Attribute(aclrtMemManagedRangeAttribute attribute, const void* address, std::size_t bytes) {
  int32_t value = 77;
  EXPECT_OK(aclrtMemManagedGetAttr(attribute, address, bytes, &value, sizeof value));
  return value;
}

class ManagedMemory : public WithDevice {
 protected:
  static std::size_t FreeBytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
  }
};

TEST_F(ManagedMemory, HostAndKernelsUseOneAddress) {
  aclrtFuncHandle add_one = Function(Load("basic_kernels"), "add_one");
  const std::size_t free = FreeBytes();
  char* memory = Managed(kPage + 1);
  EXPECT_EQ(free - 2 * kPage, FreeBytes()) << "whole pages of 2 MiB";
  EXPECT_TRUE(std::all_of(memory, memory + 2 * kPage, [](char byte) { return byte == 0; }));
  for (uint32_t i = 0; i < 1000; ++i) Words(memory)[i] = i;
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(Launch(add_one, stream, DataAndCount{memory, 1000}));
  ASSERT_OK(aclrtSynchronizeStream(stream));
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(i + 1, Words(memory)[i]);
  aclrtPtrAttributes attributes{};
  EXPECT_OK(aclrtPointerGetAttributes(memory + 5, &attributes));
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_MANAGED, attributes.location.type);
  EXPECT_EQ(kPage, attributes.pageSize);
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory + kPage));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtUnmapMem(memory));
  EXPECT_OK(aclrtFree(memory));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory));
  EXPECT_EQ(free, FreeBytes());
  EXPECT_OK(aclrtFreeWithDevSync(Managed(1)));
  EXPECT_EQ(free, FreeBytes());
}

TEST_F(ManagedMemory, IsEitherSideOfACopy) {
  char* memory = Managed(kPage);
  void* block = nullptr;
  ASSERT_OK(aclrtMalloc(&block, kPage, ACL_MEM_MALLOC_HUGE_FIRST));
  std::vector<char> plain(kPage, 3);
  EXPECT_OK(aclrtMemcpy(memory, kPage, plain.data(), kPage, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_EQ(3, memory[kPage - 1]);
  EXPECT_OK(aclrtMemcpy(block, kPage, memory, kPage, ACL_MEMCPY_HOST_TO_DEVICE)) << "as the host's";
  memory[0] = 4;
  EXPECT_OK(aclrtMemcpy(block, kPage, memory, kPage, ACL_MEMCPY_DEVICE_TO_DEVICE)) << "as the device's";
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  EXPECT_OK(aclrtMemsetAsync(memory, kPage, 0, kPage, stream));
  EXPECT_OK(aclrtMemcpyAsync(memory, kPage, block, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  ASSERT_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(4, memory[0]);
  EXPECT_EQ(0, memory[1]);
}

TEST_F(ManagedMemory, EveryDeviceUsesItAlsoOneThatIsSetLater) {
  char* memory = Managed(kPage);
  Words(memory)[0] = 10;
  ASSERT_OK(aclrtSetDevice(1));
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(Launch(Function(Load("basic_kernels"), "add_one"), stream, DataAndCount{memory, 1}));
  EXPECT_OK(aclrtMemsetAsync(memory + 4, 4, 1, 4, stream));
  void* block = nullptr;
  ASSERT_OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_OK(aclrtMemcpyAsync(block, 8, memory, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  ASSERT_OK(aclrtSynchronizeStream(stream));
  uint32_t words[2] = {};
  EXPECT_OK(aclrtMemcpy(words, 8, block, 8, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(11U, words[0]);
  EXPECT_EQ(0x01010101U, words[1]);
  char* second = Managed(kPage);
  Words(second)[0] = 1;
  ASSERT_OK(aclrtResetDevice(1));
  EXPECT_EQ(11U, Words(memory)[0]) << "the other device's";
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(second)) << "gone with its device";
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtFree(memory));
}

TEST_F(ManagedMemory, AdviceIsKeptForEachPage) {
  char* memory = Managed(4 * kPage);
  EXPECT_EQ(0, Attribute(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 4 * kPage));
  EXPECT_EQ(-2, Attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, 4 * kPage));
  EXPECT_EQ(-2, Attribute(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, 4 * kPage));
  ASSERT_OK(aclrtMemManagedAdvise(memory, kPage, ACL_MEM_ADVISE_SET_READ_MOSTLY, {}));
  EXPECT_EQ(1, Attribute(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, kPage));
  EXPECT_EQ(-2, Attribute(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, kPage + 1)) << "pages differ";
  EXPECT_EQ(0, Attribute(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory + kPage, 3 * kPage));
  ASSERT_OK(aclrtMemManagedAdvise(memory, kPage, ACL_MEM_ADVISE_UNSET_READ_MOSTLY, {}));
  EXPECT_EQ(0, Attribute(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 4 * kPage));
  ASSERT_OK(aclrtMemManagedAdvise(memory, 2 * kPage, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, kDevice1));
  ASSERT_OK(aclrtMemManagedAdvise(memory + 2 * kPage, kPage, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, kHost));
  ASSERT_OK(aclrtMemManagedAdvise(memory + 3 * kPage, kPage, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION,
                                  {ACL_MEM_LOCATIONTYPE_HOST_NUMA, 3}));
  EXPECT_EQ(1, Attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, 2 * kPage));
  EXPECT_EQ(-2, Attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, 3 * kPage));
  EXPECT_EQ(-1, Attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory + 2 * kPage, 2 * kPage));
  EXPECT_EQ(ACL_MEM_LOCATIONTYPE_HOST_NUMA,
            Attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, memory + 3 * kPage, kPage));
  EXPECT_EQ(3, Attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, memory + 3 * kPage, kPage));
  ASSERT_OK(aclrtMemManagedAdvise(memory, 4 * kPage, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, {}));
  EXPECT_EQ(0, Attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, memory, 4 * kPage));
  ASSERT_OK(aclrtMemManagedAdvise(memory, 4 * kPage, ACL_MEM_ADVISE_SET_ACCESSED_BY, kDevice1));
  ASSERT_OK(aclrtMemManagedAdvise(memory, 4 * kPage, ACL_MEM_ADVISE_SET_ACCESSED_BY, kHost));
  ASSERT_OK(aclrtMemManagedAdvise(memory, kPage, ACL_MEM_ADVISE_SET_ACCESSED_BY, kDevice0));
  ASSERT_OK(aclrtMemManagedAdvise(memory, kPage, ACL_MEM_ADVISE_SET_ACCESSED_BY, kDevice0));
  int32_t users[4] = {};
  int32_t read_mostly = 9;
  auto accessed_by = ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
  aclrtMemManagedRangeAttribute both[] = {accessed_by, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
  void* data[] = {users, &read_mostly};
  std::size_t sizes[] = {sizeof users, sizeof read_mostly};
  ASSERT_OK(aclrtMemManagedGetAttrs(both, 2, memory, kPage, data, sizes));
  EXPECT_EQ((std::vector<int32_t>{1, -1, 0, -2}), std::vector<int32_t>(users, users + 4));
  EXPECT_EQ(0, read_mostly);
  ASSERT_OK(aclrtMemManagedGetAttr(accessed_by, memory, 2 * kPage, users, sizeof users));
  EXPECT_EQ((std::vector<int32_t>{1, -1, -2, -2}), std::vector<int32_t>(users, users + 4)) << "of all pages";
  ASSERT_OK(aclrtMemManagedAdvise(memory, 4 * kPage, ACL_MEM_ADVISE_UNSET_ACCESSED_BY, kDevice1));
  EXPECT_EQ(-1, Attribute(accessed_by, memory, 4 * kPage));
}

TEST_F(ManagedMemory, PrefetchIsATaskAndIsNoted) {
  char* memory = Managed(4 * kPage);
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  Words(memory)[0] = 5;
  ASSERT_OK(aclrtMemManagedPrefetchAsync(memory, 4 * kPage, kDevice0, 0, stream));
  EXPECT_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(0, Attribute(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, 4 * kPage));
  const void* parts[] = {memory, memory + kPage, memory + 2 * kPage};
  std::size_t sizes[] = {kPage, 100, 2 * kPage};
  aclrtMemManagedLocation places[] = {kHost, kDevice1};
  std::size_t first[] = {0, 2};
  ASSERT_OK(aclrtMemManagedPrefetchBatchAsync(parts, sizes, 3, places, first, 2, 0, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(-1, Attribute(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, 2 * kPage));
  EXPECT_EQ(1, Attribute(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory + 2 * kPage, 2 * kPage));
  EXPECT_EQ(ACL_MEM_LOCATIONTYPE_HOST,
            Attribute(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, memory, 2 * kPage));
  EXPECT_EQ(1, Attribute(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, memory + 2 * kPage, kPage));
  EXPECT_EQ(5U, Words(memory)[0]);

  std::size_t bad_first[] = {0, 3};
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemManagedPrefetchBatchAsync(parts, sizes, 3, places, bad_first, 2, 0, stream));
  std::size_t not_ascending[] = {0, 0};
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemManagedPrefetchBatchAsync(parts, sizes, 3, places, not_ascending, 2, 0, stream));
  sizes[2] = 3 * kPage;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemManagedPrefetchBatchAsync(parts, sizes, 3, places, first, 2, 0, stream));
  EXPECT_EQ(-1, Attribute(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, 2 * kPage)) << "nothing was noted";
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedPrefetchBatchAsync(parts, sizes, 0, places, first, 2, 0, stream));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedPrefetchBatchAsync(parts, sizes, 3, places, first, 2, 1, stream));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtMemManagedPrefetchBatchAsync(nullptr, sizes, 3, places, first, 2, 0, stream));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedPrefetchAsync(memory, kPage, kHost, 1, stream));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedPrefetchAsync(memory, 0, kHost, 0, stream));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedPrefetchAsync(nullptr, kPage, kHost, 0, stream));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedPrefetchAsync(&memory, kPage, kHost, 0, stream));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedPrefetchAsync(memory, kPage, {}, 0, stream));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemManagedPrefetchAsync(memory, kPage, {ACL_MEM_LOCATIONTYPE_DEVICE, 1000}, 0, stream));
  aclrtContext other = nullptr;
  ASSERT_OK(aclrtCreateContext(&other, 0));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemManagedPrefetchAsync(memory, kPage, kHost, 0, stream));
}

TEST_F(ManagedMemory, BadArgumentsAreRefusedWithoutChangingOutputs) {
  char* memory = Managed(2 * kPage);
  void* address = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(static_cast<void**>(nullptr), kPage, 1));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(&address, 0, 1));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(&address, kPage, 2));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemAllocManaged(&address, uint64_t{1} << 50, 1));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemAllocManaged(&address, UINT64_MAX, 1));
  InThread([&] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemAllocManaged(&address, kPage, 1)); });
  EXPECT_TRUE(IsUntouched(address));
  const auto advise = ACL_MEM_ADVISE_SET_READ_MOSTLY;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedAdvise(nullptr, kPage, advise, kHost));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedAdvise(memory, 0, advise, kHost));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtMemManagedAdvise(memory, kPage, NoSuch<aclrtMemManagedAdviseType>(6), kHost));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedAdvise(memory, 3 * kPage, advise, kHost));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedAdvise(memory, kPage / 2, advise, kHost));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedAdvise(memory + 4096, kPage, advise, kHost));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedAdvise(&memory, kPage, advise, kHost));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemManagedAdvise(memory, kPage, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, {}));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedAdvise(memory, kPage, ACL_MEM_ADVISE_SET_ACCESSED_BY,
                                                                {ACL_MEM_LOCATIONTYPE_DEVICE, 1000}));
  auto value = Untouched<int64_t>();
  const auto attribute = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedGetAttr(attribute, nullptr, kPage, &value, 4));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedGetAttr(attribute, memory, 0, &value, 4));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedGetAttr(attribute, memory, kPage, nullptr, 4));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedGetAttr(attribute, memory, kPage, &value, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedGetAttr(attribute, memory, kPage, &value, 3));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedGetAttr(attribute, memory, kPage, &value, 8));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedGetAttr(attribute, &memory, kPage, &value, 4));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedGetAttr(attribute, memory + kPage, kPage + 1, &value, 4));
  for (const int none : {0, 9}) {
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
                aclrtMemManagedGetAttr(NoSuch<aclrtMemManagedRangeAttribute>(none), memory, kPage, &value, 4));
  }
  aclrtMemManagedRangeAttribute one[] = {attribute};
  void* data[] = {&value};
  std::size_t size[] = {3};
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedGetAttrs(one, 1, memory, kPage, data, size));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedGetAttrs(one, 0, memory, kPage, data, size));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemManagedGetAttrs(nullptr, 1, memory, kPage, data, size));
  EXPECT_TRUE(IsUntouched(value));
}

}  // namespace
}  // namespace conformance
