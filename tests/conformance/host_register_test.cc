// Host memory of the program that devices use.
#include <sys/mman.h>
#include <unistd.h>

#include "conformance/support.h"

namespace conformance {
namespace {

constexpr std::size_t kPage = 4096;

struct FillArguments {
  void* data;
  uint32_t n;
  uint32_t value;
};

class HostRegister : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    memory_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(MAP_FAILED, memory_);
    for (std::size_t i = 0; i < kWords; ++i) words()[i] = static_cast<uint32_t>(i);
  }
  void TearDown() override {
    WithDevice::TearDown();
    munmap(memory_, kBytes);
  }
  static constexpr std::size_t kBytes = 40 * kPage;
  static constexpr std::size_t kWords = kBytes / sizeof(uint32_t);
  uint32_t* words() const { return static_cast<uint32_t*>(memory_); }
  char* At(std::size_t offset) const { return static_cast<char*>(memory_) + offset; }
  void ExpectCounts() const {
    for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(i, words()[i]);
  }
  // A kernel that writes `n` words of `value`, and is waited for.
  static void FillByKernel(void* data, uint32_t n, uint32_t value) {
    const aclrtFuncHandle fill = Function(Load("basic_kernels"), "fill");
    ASSERT_OK(Launch(fill, nullptr, FillArguments{data, n, value}));
    ASSERT_OK(aclrtSynchronizeStream(nullptr));
  }
  void* memory_ = nullptr;
};

TEST_F(HostRegister, KernelsReadAndWriteItAndItKeepsItsContents) {
  void* device = nullptr;
  ASSERT_OK(aclrtHostRegister(memory_, kBytes, ACL_HOST_REGISTER_MAPPED, &device));
  ExpectCounts();
  FillByKernel(device, 100, 7);
  EXPECT_EQ(7U, words()[0]);
  EXPECT_EQ(7U, words()[99]);
  EXPECT_EQ(100U, words()[100]);
  void* inside = nullptr;
  EXPECT_OK(aclrtHostGetDevicePointer(At(5 * kPage + 4), &inside, 0));
  EXPECT_EQ(static_cast<char*>(device) + 5 * kPage + 4, inside);
  words()[0] = 41;
  const aclrtFuncHandle add_one = Function(Load("basic_kernels"), "add_one");
  ASSERT_OK(Launch(add_one, nullptr, DataAndCount{device, 1}));
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(42U, words()[0]) << "what the host wrote is what the kernel read";
  EXPECT_OK(aclrtHostUnregister(memory_));
  EXPECT_EQ(42U, words()[0]);
  EXPECT_EQ(7U, words()[99]);
  EXPECT_EQ(kWords - 1, words()[kWords - 1]);
}

TEST_F(HostRegister, CopiesWithItAreTrulyAsynchronous) {
  void* destination = nullptr;
  ASSERT_OK(aclrtMalloc(&destination, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtHostRegisterV2(memory_, kBytes, ACL_HOST_REG_PINNED));
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  // With pageable memory this would wait for the gate for ever.
  ASSERT_OK(aclrtMemcpyAsync(destination, kBytes, memory_, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  words()[kWords - 1] = 5;
  ASSERT_OK(aclrtMemcpyAsync(memory_, kPage, static_cast<char*>(destination) + kPage, kPage, ACL_MEMCPY_DEVICE_TO_HOST,
                             nullptr));
  EXPECT_EQ(0U, words()[0]);
  gate.Open();
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(kPage / 4, words()[0]);
  uint32_t last = 0;
  ASSERT_OK(aclrtMemcpy(&last, 4, static_cast<char*>(destination) + kBytes - 4, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(5U, last) << "the source is read when the stream comes to it";
  void* device = nullptr;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostGetDevicePointer(memory_, &device, 0)) << "it is not mapped";
  EXPECT_OK(aclrtHostUnregister(memory_));
}

TEST_F(HostRegister, CopyOfARangeRegisteredInPartsIsWhole) {
  void* destination = nullptr;
  ASSERT_OK(aclrtMalloc(&destination, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtHostRegisterV2(At(kPage), kPage, ACL_HOST_REG_PINNED));
  ASSERT_OK(aclrtHostRegisterV2(At(0), kPage, ACL_HOST_REG_PINNED));
  ASSERT_OK(aclrtHostRegisterV2(At(2 * kPage), 7, ACL_HOST_REG_PINNED | ACL_HOST_REG_MAPPED));
  ASSERT_OK(aclrtMemcpyAsync(destination, kBytes, memory_, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  std::memset(memory_, 0, kBytes);
  ASSERT_OK(aclrtMemcpy(memory_, kBytes, destination, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
  ExpectCounts();
}

TEST_F(HostRegister, RegisteredTwiceAndNotRegisteredAreTold) {
  auto device = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostUnregister(memory_));
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostGetDevicePointer(memory_, &device, 0));
  void* mapped = nullptr;
  ASSERT_OK(aclrtHostRegister(At(kPage), 2 * kPage, ACL_HOST_REGISTER_MAPPED, &mapped));
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
              aclrtHostRegister(At(kPage), 2 * kPage, ACL_HOST_REGISTER_MAPPED, &device));
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, aclrtHostRegisterV2(At(2 * kPage), 1, ACL_HOST_REG_PINNED));
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, aclrtHostRegisterV2(memory_, kBytes, ACL_HOST_REG_MAPPED));
  EXPECT_OK(aclrtHostRegisterV2(memory_, kPage, ACL_HOST_REG_MAPPED)) << "the page before is free";
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostUnregister(At(2 * kPage)));
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostGetDevicePointer(At(3 * kPage), &device, 0));
  InThread([&] { EXPECT_OK(aclrtHostUnregister(At(kPage))) << "from any thread"; });
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostUnregister(At(kPage)));
  EXPECT_TRUE(IsUntouched(device));
  ExpectCounts();
}

TEST_F(HostRegister, BadArgumentsAreRefusedAndChangeNothing) {
  auto device = Untouched<void*>();
  const auto mapped = ACL_HOST_REGISTER_MAPPED;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister(nullptr, kPage, mapped, &device));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister(memory_, kPage, mapped, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister(memory_, 0, mapped, &device));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister(At(64), kPage, mapped, &device));
  for (const uint64_t bytes : {UINT64_MAX, UINT64_MAX - kPage, uint64_t{1} << 47})
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister(memory_, bytes, mapped, &device)) << bytes;
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtHostRegister(memory_, kPage, ACL_HOST_REGISTER_IOMEMORY, &device));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtHostRegister(memory_, kPage, ACL_HOST_REGISTER_READONLY, &device));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister(memory_, kPage, NoSuch<aclrtHostRegisterType>(1), &device));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2(memory_, kPage, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2(memory_, kPage, 0x40));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtHostRegisterV2(memory_, kPage, ACL_HOST_REG_READONLY));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostUnregister(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostGetDevicePointer(nullptr, &device, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostGetDevicePointer(memory_, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostGetDevicePointer(memory_, &device, 1));
  InThread([&] {
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtHostRegister(memory_, kPage, mapped, &device)) << "without a context";
  });
  void* of_device = nullptr;
  ASSERT_OK(aclrtMalloc(&of_device, 4 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  const uintptr_t aligned = (reinterpret_cast<uintptr_t>(of_device) + kPage - 1) / kPage * kPage;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister(reinterpret_cast<void*>(aligned), kPage, mapped, &device));
  EXPECT_TRUE(IsUntouched(device));
  ExpectCounts();
}

TEST_F(HostRegister, MemoryThatCannotBeMovedIsRefused) {
  auto device = Untouched<void*>();
  const auto refused = [&](void* memory, std::size_t bytes, const char* why) {
    Messages();
    EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister(memory, bytes, ACL_HOST_REGISTER_MAPPED, &device));
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find(why)) << why << " is missing in: " << text;
  };
  void* shared = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(MAP_FAILED, shared);
  refused(shared, kPage, "shared");
  munmap(shared, kPage);
  ASSERT_EQ(0, mprotect(At(8 * kPage), kPage, PROT_READ));
  refused(memory_, kBytes, "read and written");
  ASSERT_EQ(0, munmap(At(8 * kPage), kPage));
  refused(memory_, kBytes, "nothing is mapped");
  EXPECT_TRUE(IsUntouched(device));
  EXPECT_EQ(0U, words()[0]);
  EXPECT_OK(aclrtHostRegister(memory_, 8 * kPage, ACL_HOST_REGISTER_MAPPED, &device));
}

TEST_F(HostRegister, EndsWithTheDeviceAndTheMemoryStays) {
  void* device = nullptr;
  ASSERT_OK(aclrtHostRegister(memory_, kBytes, ACL_HOST_REGISTER_MAPPED, &device));
  FillByKernel(static_cast<uint32_t*>(device) + 10, 1, 10);
  ASSERT_OK(aclrtResetDevice(0));
  ExpectCounts();
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostUnregister(memory_));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtHostRegister(memory_, kBytes, ACL_HOST_REGISTER_MAPPED, &device)) << "anew";
  ASSERT_OK(aclFinalize());
  ExpectCounts();
  words()[0] = 1;  // it can be written, too
}

TEST_F(HostRegister, WhatWasMappedThereMeanwhileIsLeftAlone) {
  void* device = nullptr;
  ASSERT_OK(aclrtHostRegister(memory_, kBytes, ACL_HOST_REGISTER_MAPPED, &device));
  void* other = mmap(At(2 * kPage), kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  ASSERT_EQ(At(2 * kPage), other);
  std::memset(other, 9, kPage);
  EXPECT_OK(aclrtHostUnregister(memory_));
  EXPECT_EQ(9, *At(2 * kPage));
  EXPECT_EQ(3 * kPage / 4, words()[3 * kPage / 4]);
}

TEST_F(HostRegister, RepeatedLeavesNothingBehind) {
  // More than there is pinned memory if it were not given back.
  for (int i = 0; i < 300; ++i) {
    void* device = nullptr;
    ASSERT_OK(aclrtHostRegister(memory_, kBytes, ACL_HOST_REGISTER_MAPPED, &device)) << i;
    ASSERT_OK(aclrtHostUnregister(memory_));
  }
  ExpectCounts();
}

TEST_F(HostRegister, PinnedMemoryIsMappedAsItIs) {
  void* pinned = nullptr;
  ASSERT_OK(aclrtMallocHost(&pinned, 3 * kPage));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2(pinned, kPage, ACL_HOST_REG_PINNED));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2(pinned, 3 * kPage + 1, ACL_HOST_REG_MAPPED));
  void* device = nullptr;
  ASSERT_OK(aclrtHostRegister(pinned, 3 * kPage, ACL_HOST_REGISTER_MAPPED, &device));
  FillByKernel(device, 10, 3);
  EXPECT_EQ(3U, static_cast<uint32_t*>(pinned)[9]);
  EXPECT_OK(aclrtHostUnregister(pinned));
  ASSERT_OK(aclrtHostRegister(pinned, kPage, ACL_HOST_REGISTER_MAPPED, &device));
  EXPECT_OK(aclrtFreeHost(pinned));
  EXPECT_CODE(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostUnregister(pinned)) << "it ended with the memory";
}

TEST_F(HostRegister, MemoryForTheSameAddressHasIt) {
  aclrtMallocAttribute attribute{ACL_RT_MEM_ATTR_VA_FLAG, {}};
  attribute.value.vaFlag = 1;
  aclrtMallocConfig config{&attribute, 1};
  for (int round = 0; round < 2; ++round) {
    void* memory = nullptr;
    ASSERT_OK(aclrtMallocHostWithCfg(&memory, 5000, &config));
    std::memset(memory, 0, 5000);
    void* device = nullptr;
    ASSERT_OK(aclrtHostRegister(memory, 5000, ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT_EQ(memory, device);
    FillByKernel(device, 10, 3);
    EXPECT_EQ(3U, static_cast<uint32_t*>(memory)[9]);
    EXPECT_OK(aclrtHostUnregister(memory));
    EXPECT_EQ(3U, static_cast<uint32_t*>(memory)[9]);
    Words copy(10);
    EXPECT_OK(aclrtMemcpyAsync(copy.get(), 40, memory, 40, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(3U, copy[9]);
    EXPECT_OK(aclrtFreeHost(memory));
    EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFreeHost(memory));
  }
}

TEST_F(HostRegister, OnlyCoresUseMappedMemory) {
  auto capability = Untouched<aclrtHostMemMapCapability>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIC, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtHostMemMapCapabilities(0, NoSuch<aclrtHacType>(10), &capability));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtHostMemMapCapabilities(1000, ACL_RT_HAC_TYPE_AIC, &capability));
  EXPECT_TRUE(IsUntouched(capability));
  for (const aclrtHacType type : {ACL_RT_HAC_TYPE_AIC, ACL_RT_HAC_TYPE_AIV}) {
    EXPECT_OK(aclrtHostMemMapCapabilities(0, type, &capability));
    EXPECT_EQ(ACL_RT_HOST_MEM_MAP_SUPPORTED, capability);
  }
  EXPECT_OK(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_SDMA, &capability));
  EXPECT_EQ(ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED, capability);
}

}  // namespace
}  // namespace conformance
