// Addresses and physical memory apart from each other.

#include <algorithm>

#include "conformance/support.h"

namespace conformance {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kPage = 2 * kMiB;

aclrtPhysicalMemProp Properties(aclrtMemAttr attribute = ACL_HBM_MEM_HUGE, uint32_t device = 0) {
  aclrtPhysicalMemProp properties{};
  properties.handleType = ACL_MEM_HANDLE_TYPE_NONE;
  properties.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  properties.memAttr = attribute;
  properties.location = {device, ACL_MEM_LOCATION_TYPE_DEVICE};
  return properties;
}

aclrtDrvMemHandle Physical(std::size_t bytes = kPage, uint32_t device = 0) {
  const aclrtPhysicalMemProp properties = Properties(ACL_HBM_MEM_HUGE, device);
  aclrtDrvMemHandle handle = nullptr;
  EXPECT_OK(aclrtMallocPhysical(&handle, bytes, &properties, 0));
  return handle;
}

char* Reserved(std::size_t bytes) {
  void* address = nullptr;
  EXPECT_OK(aclrtReserveMemAddress(&address, bytes, 0, nullptr, 0));
  return static_cast<char*>(address);
}

std::size_t FreeBytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  return free;
}

void CheckWordsAt(void* address, std::size_t bytes, uint32_t value) {
  std::vector<uint32_t> words(bytes / sizeof value);
  EXPECT_OK(aclrtMemcpy(words.data(), bytes, address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(static_cast<std::ptrdiff_t>(words.size()), std::count(words.begin(), words.end(), value));
}

using VirtualMemory = WithDevice;

TEST_F(VirtualMemory, MapsHandlesSideBySideAndCopiesAcrossThem) {
  char* address = Reserved(8 * kPage);
  EXPECT_GE(reinterpret_cast<uint64_t>(address), 352ULL << 30);
  const std::size_t free = FreeBytes();
  aclrtDrvMemHandle first = Physical();
  aclrtDrvMemHandle second = Physical(3 * kPage);
  EXPECT_EQ(free - 4 * kPage, FreeBytes());
  ASSERT_OK(aclrtMapMem(address + kPage, kPage, 0, first, 0));
  ASSERT_OK(aclrtMapMem(address + 2 * kPage, 3 * kPage, 0, second, 0));
  EXPECT_OK(aclrtMemsetD32(address + kPage, 4 * kPage, 7, kPage));
  CheckWordsAt(address + kPage, 4 * kPage, 7);
  void* block = nullptr;
  ASSERT_OK(aclrtMalloc(&block, 4 * kPage, ACL_MEM_MALLOC_HUGE_FIRST));
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  EXPECT_OK(aclrtMemcpyAsync(block, 4 * kPage, address + kPage, 4 * kPage, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  EXPECT_OK(aclrtMemsetAsync(address + 3 * kPage, kPage, 1, kPage, stream));
  EXPECT_OK(aclrtSynchronizeStream(stream));
  CheckWordsAt(block, 4 * kPage, 7);
  CheckWordsAt(address + 3 * kPage, kPage, 0x01010101);
  EXPECT_NE(ACL_SUCCESS, aclrtMemset(address + kPage - 4, 8, 0, 8)) << "nothing is mapped before";
  EXPECT_NE(ACL_SUCCESS, aclrtMemset(address + 5 * kPage - 4, 8, 0, 8)) << "nor behind";
  ASSERT_OK(aclrtUnmapMem(address + kPage));
  EXPECT_NE(ACL_SUCCESS, aclrtMemset(address + kPage, 4, 0, 4));
  ASSERT_OK(aclrtMapMem(address, kPage, 0, first, 0));
  CheckWordsAt(address, kPage, 7);
  EXPECT_OK(aclrtUnmapMem(address));
  EXPECT_OK(aclrtUnmapMem(address + 2 * kPage));
  EXPECT_OK(aclrtReleaseMemAddress(address));
  EXPECT_OK(aclrtFreePhysical(first));
  EXPECT_OK(aclrtFreePhysical(second));
  EXPECT_OK(aclrtFree(block));
  EXPECT_EQ(free, FreeBytes());
}

TEST_F(VirtualMemory, KernelsUseMappedMemory) {
  char* address = Reserved(kPage);
  ASSERT_OK(aclrtMapMem(address, kPage, 0, Physical(), 0));
  ASSERT_OK(aclrtMemset(address, kPage, 0, kPage));
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  aclrtBinHandle binary = Load("basic_kernels");
  ASSERT_OK(Launch(Function(binary, "add_one"), stream, DataAndCount{address + 4096, 100}));
  ASSERT_OK(aclrtSynchronizeStream(stream));
  CheckWordsAt(address + 4096, 400, 1);
  CheckWordsAt(address, 4096, 0);
}

TEST_F(VirtualMemory, MemoryIsFreedWhenItIsUnmappedAndGivenBackAsOftenAsRetained) {
  const std::size_t free = FreeBytes();
  char* address = Reserved(kPage);
  aclrtDrvMemHandle handle = Physical();
  ASSERT_OK(aclrtMapMem(address, kPage, 0, handle, 0));
  ASSERT_OK(aclrtMemset(address, kPage, 3, kPage));
  aclrtDrvMemHandle again = nullptr;
  EXPECT_OK(aclrtMemRetainAllocationHandle(address + 100, &again));
  EXPECT_EQ(handle, again);
  EXPECT_OK(aclrtFreePhysical(handle));
  EXPECT_OK(aclrtFreePhysical(handle));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtFreePhysical(handle));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtMapMem(address, kPage, 0, handle, 0));
  EXPECT_EQ(free - kPage, FreeBytes()) << "still mapped";
  CheckWordsAt(address, kPage, 0x03030303);
  EXPECT_OK(aclrtUnmapMem(address));
  EXPECT_EQ(free, FreeBytes());
  EXPECT_OK(aclrtReleaseMemAddress(address));
  handle = Physical();
  address = Reserved(kPage);
  ASSERT_OK(aclrtMapMem(address, kPage, 0, handle, 0));
  CheckWordsAt(address, kPage, 0);  // what others had is gone
}

TEST_F(VirtualMemory, NobodyUsesMemoryBeforeAccessIsGranted) {
  char* address = Reserved(kPage);
  ASSERT_OK(aclrtMemMapNoAccess(address, kPage, 0, Physical(), 0));
  aclrtMemLocation device{0, ACL_MEM_LOCATION_TYPE_DEVICE};
  aclrtMemLocation host{0, ACL_MEM_LOCATION_TYPE_HOST};
  uint64_t flag = 9;
  EXPECT_OK(aclrtMemGetAccess(address, &device, &flag));
  EXPECT_EQ(uint64_t{ACL_RT_MEM_ACCESS_FLAGS_NONE}, flag);
  EXPECT_NE(ACL_SUCCESS, aclrtMemset(address, kPage, 0, kPage));
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  aclrtBinHandle binary = Load("basic_kernels");
  ASSERT_OK(Launch(Function(binary, "add_one"), stream, DataAndCount{address, 1}));
  EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(stream)) << "a kernel faults";
  ASSERT_OK(aclrtDestroyStreamForce(stream));

  aclrtMemAccessDesc grant{ACL_RT_MEM_ACCESS_FLAGS_READWRITE, device, {}};
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetAccess(address, kPage / 2, &grant, 1));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetAccess(address + 4096, kPage, &grant, 1));
  aclrtMemAccessDesc bad = grant;
  bad.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetAccess(address, kPage, &bad, 1));
  bad = grant;
  bad.location.type = ACL_MEM_LOCATION_TYPE_HOST_NUMA;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetAccess(address, kPage, &bad, 1));
  bad = grant;
  bad.location.id = 1;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetAccess(address, kPage, &bad, 1)) << "that device is off";
  bad.location.id = 1000;
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtMemSetAccess(address, kPage, &bad, 1));
  EXPECT_NE(ACL_SUCCESS, aclrtMemset(address, kPage, 0, kPage)) << "nothing was granted";

  ASSERT_OK(aclrtMemSetAccess(address, kPage, &grant, 1));
  EXPECT_OK(aclrtMemGetAccess(address + 100, &device, &flag));
  EXPECT_EQ(uint64_t{ACL_RT_MEM_ACCESS_FLAGS_READWRITE}, flag);
  EXPECT_OK(aclrtMemGetAccess(address, &host, &flag));
  EXPECT_EQ(uint64_t{ACL_RT_MEM_ACCESS_FLAGS_NONE}, flag);
  EXPECT_OK(aclrtMemset(address, kPage, 5, kPage));
  aclrtMemAccessDesc both[] = {grant, {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, host, {}}};
  ASSERT_OK(aclrtMemSetAccess(address, kPage, both, 2));
  EXPECT_EQ(5, address[kPage - 1]) << "the host reads it where it is";
  address[0] = 6;
  char byte = 0;
  EXPECT_OK(aclrtMemcpy(&byte, 1, address, 1, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(6, byte);
  EXPECT_OK(aclrtUnmapMem(address));
}

TEST_F(VirtualMemory, OtherDevicesUseWhatTheyAreGranted) {
  char* address = Reserved(2 * kPage);
  ASSERT_OK(aclrtMapMem(address, kPage, 0, Physical(), 0));
  ASSERT_OK(aclrtMemset(address, kPage, 0, kPage));
  ASSERT_OK(aclrtSetDevice(1));
  aclrtMemAccessDesc grant{ACL_RT_MEM_ACCESS_FLAGS_READWRITE, {1, ACL_MEM_LOCATION_TYPE_DEVICE}, {}};
  ASSERT_OK(aclrtMemSetAccess(address, kPage, &grant, 1));
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  aclrtBinHandle binary = Load("basic_kernels");
  ASSERT_OK(Launch(Function(binary, "add_one"), stream, DataAndCount{address, 8}));
  ASSERT_OK(aclrtSynchronizeStream(stream));
  aclrtDrvMemHandle of_device_1 = Physical(kPage, 1);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(address + kPage, kPage, 0, of_device_1, 0))
      << "two devices in one range";
  ASSERT_OK(aclrtResetDevice(1));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtFreePhysical(of_device_1)) << "gone with its device";
  ASSERT_OK(aclrtSetDevice(0));
  CheckWordsAt(address, 32, 1);
}

TEST_F(VirtualMemory, PeersReachAllocatedMemoryOnceItIsMappedForThem) {
  Words words(16);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemP2PMap(words.get(), words.bytes(), 1, 0)) << "no peer access";
  ASSERT_OK(aclrtSetDevice(1));
  ASSERT_OK(aclrtDeviceEnablePeerAccess(0, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemP2PMap(nullptr, 4, 1, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemP2PMap(words.get(), 0, 1, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemP2PMap(words.get(), 4, 1, 1));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtMemP2PMap(words.get(), 4, 1000, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemP2PMap(&words, 4, 1, 0));
  ASSERT_OK(aclrtMemP2PMap(words.get(), words.bytes(), 1, 0));
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(Launch(Function(Load("basic_kernels"), "add_one"), stream, DataAndCount{words.get(), 16}));
  ASSERT_OK(aclrtSynchronizeStream(stream));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_EQ(1U, words[15]);
}

TEST_F(VirtualMemory, ReservationsAreWhereTheyAreWantedAndDoNotOverlap) {
  char* any = Reserved(100);
  char* other = Reserved(1024 * kMiB);
  EXPECT_NE(any, other);
  void* wanted = other + 4096 * kMiB;
  void* address = Untouched<void*>();
  ASSERT_OK(aclrtReserveMemAddress(&address, 2 * kPage, 0, wanted, 0));
  EXPECT_EQ(wanted, address);
  address = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION,
              aclrtReserveMemAddress(&address, kPage, 0, static_cast<char*>(wanted) + kPage, 0));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtReserveMemAddress(&address, std::size_t{1} << 50, 0, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtReserveMemAddress(&address, SIZE_MAX, 0, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReserveMemAddress(&address, kPage, 0, any + 1, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtReserveMemAddress(&address, kPage, 0, reinterpret_cast<void*>(0x1000000), 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress(nullptr, kPage, 0, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress(&address, 0, 0, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress(&address, kPage, 4096, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress(&address, kPage, 0, nullptr, 1));
  InThread([&] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtReserveMemAddress(&address, kPage, 0, nullptr, 0)); });
  EXPECT_TRUE(IsUntouched(address));
  EXPECT_OK(aclrtReleaseMemAddress(any));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress(any));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress(other + kPage));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtReleaseMemAddress(nullptr));
  ASSERT_OK(aclrtReserveMemAddressNoUCMemory(&address, 1, 0, nullptr, 0));
  EXPECT_EQ(0U, reinterpret_cast<uint64_t>(address) % (1024 * kMiB));
  ASSERT_OK(aclrtMapMem(address, kPage, 0, Physical(), 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress(address)) << "in use";
  EXPECT_OK(aclrtMemset(address, kPage, 1, kPage));
  EXPECT_OK(aclrtUnmapMem(address));
  EXPECT_OK(aclrtReleaseMemAddress(address));
}

TEST_F(VirtualMemory, MappingIsRefusedWhereItCannotBe) {
  char* address = Reserved(4 * kPage);
  aclrtDrvMemHandle handle = Physical();
  for (auto* map : {aclrtMapMem, aclrtMemMapNoAccess}) {
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, map(nullptr, kPage, 0, handle, 0));
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, map(address, kPage, 0, nullptr, 0));
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, map(address, kPage, 4096, handle, 0));
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, map(address, kPage, 0, handle, 1));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, map(address, kPage / 2, 0, handle, 0));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, map(address + 100, kPage, 0, handle, 0));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, map(address + 4 * kPage - 4096, kPage, 0, handle, 0));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, map(&handle, kPage, 0, handle, 0));
    for (void* none : MadeUpHandles(handle)) EXPECT_EQ(ACL_ERROR_RT_INVALID_HANDLE, map(address, kPage, 0, none, 0));
  }
  ASSERT_OK(aclrtMapMem(address + kPage, kPage, 0, handle, 0));
  aclrtDrvMemHandle other = Physical(2 * kPage);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(address, 2 * kPage, 0, other, 0)) << "into the next";
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(address + kPage + 4096, 2 * kPage, 0, other, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtUnmapMem(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtUnmapMem(address));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtUnmapMem(address + kPage + 4096));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(address + kPage));
  EXPECT_NE(Messages().find("aclrtUnmapMem"), std::string::npos);
  void* twice = address + 2 * kPage;
  ASSERT_OK(aclrtMemMapSelectedLink(twice, kPage, address + kPage, 0));
  EXPECT_OK(aclrtMemset(twice, kPage, 4, kPage));
  CheckWordsAt(address + kPage, kPage, 0x04040404);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemMapSelectedLink(address, kPage, address, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemMapSelectedLink(address, kPage, address + kPage, 1));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemMapSetLink(handle, ACL_RT_MEM_ACCESS_LINK_HCCS)) << "mapped";
  EXPECT_OK(aclrtMemMapSetLink(other, ACL_RT_MEM_ACCESS_LINK_HCCS));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemMapSetLink(other, NoSuch<aclrtMemLinkType>(4)));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemMapSetLink(nullptr, ACL_RT_MEM_ACCESS_LINK_HCCS));
}

TEST_F(VirtualMemory, PhysicalMemoryHasWhatItWasTakenWith) {
  auto properties = Properties(ACL_HBM_MEM_HUGE);
  std::size_t granularity = 0;
  const std::pair<aclrtMemAttr, std::size_t> rows[] = {{ACL_DDR_MEM_NORMAL, 4096},
                                                       {ACL_HBM_MEM_HUGE, kPage},
                                                       {ACL_HBM_MEM_NORMAL, kPage},
                                                       {ACL_HBM_MEM_P2P_HUGE, kPage},
                                                       {ACL_HBM_MEM_HUGE1G, 512 * kPage}};
  for (const auto& [attribute, bytes] : rows) {
    properties.memAttr = attribute;
    for (const auto option : {ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED}) {
      EXPECT_OK(aclrtMemGetAllocationGranularity(&properties, option, &granularity));
      EXPECT_EQ(bytes, granularity) << attribute;
    }
  }
  properties.memAttr = ACL_DDR_MEM_NORMAL;
  aclrtDrvMemHandle handle = nullptr;
  const std::size_t free = FreeBytes();
  ASSERT_OK(aclrtMallocPhysical(&handle, 5000, &properties, 0));
  EXPECT_EQ(free - 8192, FreeBytes()) << "in pages";
  aclrtPhysicalMemProp found{};
  EXPECT_OK(aclrtMemGetAllocationPropertiesFromHandle(handle, &found));
  EXPECT_EQ(0, std::memcmp(&properties, &found, sizeof found));
  char* address = Reserved(kPage);
  ASSERT_OK(aclrtMapMem(address, 5000, 0, handle, 0));
  aclrtPtrAttributes attributes{};
  EXPECT_OK(aclrtPointerGetAttributes(address + 4999, &attributes));
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, attributes.location.type);
  EXPECT_EQ(4096U, attributes.pageSize);
  EXPECT_OK(aclrtPointerGetAttributes(address + kPage - 1, &attributes));
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, attributes.location.type);
  void* base = nullptr;
  std::size_t size = 0;
  EXPECT_OK(aclrtMemGetAddressRange(address + 10, &base, &size));
  EXPECT_EQ(address, base);
  EXPECT_EQ(5000U, size);
}

TEST_F(VirtualMemory, PhysicalMemoryIsRefusedWithoutChangingOutputs) {
  const auto good = Properties();
  auto handle = Untouched<aclrtDrvMemHandle>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocPhysical(nullptr, kPage, &good, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocPhysical(&handle, 0, &good, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocPhysical(&handle, kPage, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMallocPhysical(&handle, kPage, &good, 1));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocPhysical(&handle, SIZE_MAX, &good, 0));
  auto granularity = Untouched<std::size_t>();
  std::vector<aclrtPhysicalMemProp> bad(6, good);
  bad[0].handleType = ACL_MEM_HANDLE_TYPE_POSIX;
  bad[1].allocationType = NoSuch<aclrtMemAllocationType>(1);
  bad[2].memAttr = NoSuch<aclrtMemAttr>(18);
  bad[3].memAttr = NoSuch<aclrtMemAttr>(-1);
  bad[4].location.type = ACL_MEM_LOCATION_TYPE_HOST;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical(&handle, kPage, &bad[i], 0)) << i;
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemGetAllocationGranularity(&bad[i], ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity))
        << i;
  }
  bad[5].location.id = 1;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical(&handle, kPage, &bad[5], 0)) << "off";
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtMemGetAllocationGranularity(&bad[5], ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &granularity));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtMemGetAllocationGranularity(nullptr, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity));
  EXPECT_TRUE(IsUntouched(handle) && IsUntouched(granularity));
  char* address = Reserved(kPage);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemRetainAllocationHandle(address, &handle));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemRetainAllocationHandle(nullptr, &handle));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtFreePhysical(nullptr));
  EXPECT_TRUE(IsUntouched(handle));
}

TEST_F(VirtualMemory, EverythingEndsWithTheResetOfItsDevice) {
  char* address = Reserved(4 * kPage);
  aclrtDrvMemHandle handle = Physical();
  ASSERT_OK(aclrtMapMem(address, kPage, 0, handle, 0));
  ASSERT_OK(aclrtResetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtUnmapMem(address));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress(address));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtFreePhysical(handle));
  ASSERT_OK(aclrtSetDevice(0));
  void* same = nullptr;
  ASSERT_OK(aclrtReserveMemAddress(&same, 4 * kPage, 0, address, 0));
  ASSERT_OK(aclrtMapMem(same, kPage, 0, Physical(), 0));
  CheckWordsAt(same, kPage, 0);
}

TEST_F(VirtualMemory, ThreadsMapAndUnmapAtOnce) {
  const std::size_t free = FreeBytes();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      ASSERT_OK(aclrtSetDevice(0));
      for (int round = 0; round < 30; ++round) {
        char* address = Reserved(4 * kPage);
        aclrtDrvMemHandle handle = Physical();
        ASSERT_OK(aclrtMapMem(address + kPage, kPage, 0, handle, 0));
        EXPECT_OK(aclrtFreePhysical(handle));
        EXPECT_OK(aclrtMemset(address + kPage, kPage, i, 4096));
        CheckWordsAt(address + kPage, 4096, 0x01010101u * static_cast<uint32_t>(i));
        EXPECT_OK(aclrtUnmapMem(address + kPage));
        EXPECT_OK(aclrtReleaseMemAddress(address));
      }
      ASSERT_OK(aclrtResetDevice(0));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(free, FreeBytes());
}

}  // namespace
}  // namespace conformance
