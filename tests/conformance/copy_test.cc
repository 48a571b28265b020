// Copies and fills: synchronous and queued, by kind, across devices.
#include <chrono>
#include <numeric>

#include "conformance/memory_fixture.h"

namespace conformance {
namespace {

class Copy : public WithMemory {};

TEST_F(Copy, CopyGoesWhereTheAddressesSay) {
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

TEST_F(Copy, CopyOf0BytesSucceedsAlways) {
  EXPECT_OK(aclrtMemcpy(nullptr, 0, nullptr, 0, NoSuch<aclrtMemcpyKind>(77)));
  EXPECT_OK(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, NoSuch<aclrtMemcpyKind>(77), reinterpret_cast<aclrtStream>(5)));
  EXPECT_OK(aclrtMemset(nullptr, 0, 0, 0));
  EXPECT_OK(aclrtMemsetAsync(nullptr, 0, 0, 0, reinterpret_cast<aclrtStream>(5)));
}

TEST_F(Copy, NullAddressesAreRefused) {
  char host[4] = {};
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(nullptr, 4, host, 4, ACL_MEMCPY_DEFAULT));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(host, 4, nullptr, 4, ACL_MEMCPY_DEFAULT));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(nullptr, 4, host, 4, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(host, 4, nullptr, 4, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(nullptr, 4, 0, 4));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(nullptr, 4, 0, 4, nullptr));
}

TEST_F(Copy, MoreThanTheDestinationHoldsIsRefused) {
  void* memory = Allocate(64);
  char host[64] = {};
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(memory, 63, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync(memory, 63, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemset(memory, 63, 0, 64));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemsetAsync(memory, 63, 0, 64, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(memory, 0, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
}

TEST_F(Copy, CountsBeyondEverythingAreRefused) {
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

TEST_F(Copy, MemoryThatWentBackToTheDeviceIsRefused) {
  void* memory = Unallocated();
  void* pinned = AllocatePinned(64);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(pinned, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(memory, 64, 0, 64));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(memory, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(memory, 64, 0, 64, nullptr));
  EXPECT_OK(aclrtSynchronizeDevice());
}

TEST_F(Copy, MemoryThatGoesBackBeforeItsTurnFailsTheTaskInWords) {
  void* memory = Allocate(kLarge);
  void* pinned = AllocatePinned(64);
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  ASSERT_OK(aclrtMemcpyAsync(pinned, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  gate.WaitUntilReached();
  FreeForGood(memory);
  Messages();
  gate.Open();
  EXPECT_EQ(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(nullptr));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("source at " + testing::PrintToString(memory))) << text;
  EXPECT_OK(aclrtMemcpyAsync(Allocate(64), 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr)) << "the stream goes on";
}

TEST_F(Copy, KindsThatDoNotFitAreRefusedWhenQueued) {
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
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID,
            aclrtMemcpyAsync(reinterpret_cast<void*>(0x1234), 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("0x1234 is no memory of the process")) << text;
  EXPECT_OK(aclrtMemcpyAsync(memory, 64, pinned, 64, ACL_MEMCPY_DEFAULT, nullptr));
  EXPECT_OK(aclrtMemcpyAsync(memory, 64, pinned, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, nullptr));
  EXPECT_OK(aclrtSynchronizeDevice());
}

TEST_F(Copy, PinnedSourceIsReadLaterAndPageableSourceBeforeTheReturn) {  // A15
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

TEST_F(Copy, SynchronousCopyWaitsForNoStream) {
  void* memory = Allocate(64);
  char host[64] = {};
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  EXPECT_OK(aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_OK(aclrtMemset(memory, 64, 0, 64));
  EXPECT_OK(aclrtFree(memory));
  gate.Open();
}

TEST_F(Copy, FillTakesTheLowByteAndHostMemoryToo) {
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

// ---- Kinds ----

TEST_F(Copy, OverlappingRangesMove) {
  std::vector<uint8_t> expected(4096);
  std::iota(expected.begin(), expected.end(), uint8_t{0});
  uint8_t* memory = ToDevice(expected);
  for (const bool up : {true, false}) {
    const int from = up ? 0 : 100;
    const int to = up ? 100 : 0;
    std::memmove(expected.data() + to, expected.data() + from, 3000);
    EXPECT_OK(aclrtMemcpyAsync(memory + to, 3000, memory + from, 3000, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    std::memmove(expected.data() + to, expected.data() + from, 3000);
    EXPECT_OK(aclrtMemcpy(memory + to, 3000, memory + from, 3000, ACL_MEMCPY_DEVICE_TO_DEVICE));
    EXPECT_EQ(expected, FromDevice(memory, expected.size()));
  }
}

TEST_F(Copy, ARangeAcrossTwoAllocationsIsMemoryLikeAnyOther) {
  auto* first = static_cast<uint8_t*>(Allocate(4096));
  auto* second = static_cast<uint8_t*>(Allocate(4096));
  uint8_t* lower = std::min(first, second);
  const std::size_t span = static_cast<std::size_t>(std::max(first, second) - lower) + 4096;
  std::vector<uint8_t> values(span, 7);
  EXPECT_OK(aclrtMemcpy(lower, span, values.data(), span, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_EQ(values, FromDevice(lower, span));
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(lower, total, 0, total)) << "but not what nobody allocated";
}

TEST_F(Copy, BufferedSourceIsReusableAtOnce) {
  auto* memory = static_cast<uint8_t*>(Allocate(128));
  uint8_t pageable[64];
  auto* pinned = static_cast<uint8_t*>(AllocatePinned(64));
  std::memset(pageable, 1, 64);
  std::memset(pinned, 2, 64);
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  EXPECT_OK(aclrtMemcpyAsync(memory, 64, pageable, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, nullptr));
  EXPECT_OK(aclrtMemcpyAsync(memory + 64, 64, pinned, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, nullptr));
  std::memset(pageable, 9, 64);
  std::memset(pinned, 9, 64);
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  const std::vector<uint8_t> back = FromDevice(memory, 128);
  EXPECT_EQ(1, back[63]);
  EXPECT_EQ(2, back[64]);
}

// "Slow task on s, then copy of result": destroying waits until the copy has landed.
TEST_F(Copy, DestroyingTheStreamReturnsAfterTheCopyHasLanded) {  // A10
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  std::vector<uint8_t> values(4096, 5);
  const uint8_t* memory = ToDevice(values);
  auto* pinned = static_cast<uint8_t*>(AllocatePinned(4096));
  std::memset(pinned, 0, 4096);
  Gate slow;
  ASSERT_OK(slow.Close(stream));
  ASSERT_OK(aclrtMemcpyAsync(pinned, 4096, memory, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  slow.WaitUntilReached();
  EXPECT_EQ(0, pinned[0]);
  std::thread opener([&] {
    Pause(20);  // only gives a destroy that does not wait time to return too early
    slow.Open();
  });
  EXPECT_OK(aclrtDestroyStream(stream));
  EXPECT_EQ(5, pinned[0]);
  EXPECT_EQ(5, pinned[4095]);
  opener.join();
}

TEST_F(Copy, DeprecatedFormDoesTheSame) {
  void* memory = Allocate(64);
  auto* pinned = static_cast<char*>(AllocatePinned(64));
  std::memset(pinned, 3, 64);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_OK(aclrtMemcpyAsyncWithCondition(memory, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
              aclrtMemcpyAsyncWithCondition(pinned, 64, pinned, 64, ACL_MEMCPY_HOST_TO_HOST, nullptr));
#pragma GCC diagnostic pop
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(3, FromDevice(static_cast<char*>(memory), 64)[63]);
}

// ---- Two devices ----

class TwoDevices : public WithMemory {
 protected:
  void SetUp() override {
    WithMemory::SetUp();
    ASSERT_OK(aclrtCreateStream(&stream_));
    ASSERT_OK(aclrtSetDevice(1));
    other_ = ToDevice(std::vector<uint8_t>(4096, 6));
    other_pinned_ = static_cast<uint8_t*>(AllocatePinned(4096));
    std::memset(other_pinned_, 8, 4096);
    ASSERT_OK(aclrtCreateStream(&other_stream_));
    ASSERT_OK(aclrtSetDevice(0));
    ASSERT_OK(aclrtDeviceEnablePeerAccess(1, 0));
    own_ = ToDevice(std::vector<uint8_t>(4096, 0));
  }

  aclrtStream stream_ = nullptr;
  aclrtStream other_stream_ = nullptr;
  uint8_t* own_ = nullptr;
  uint8_t* other_ = nullptr;
  uint8_t* other_pinned_ = nullptr;
};

TEST_F(TwoDevices, CopiesCross) {
  EXPECT_OK(aclrtMemcpy(own_, 4096, other_, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE));
  EXPECT_EQ(6, FromDevice(own_, 4096)[4095]);
  for (const aclrtMemcpyKind kind :
       {ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT}) {
    ASSERT_OK(aclrtMemset(own_, 4096, 0, 4096));
    EXPECT_OK(aclrtMemcpyAsync(own_, 4096, other_, 4096, kind, stream_));
    EXPECT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(6, FromDevice(own_, 4096)[4095]) << kind;
  }
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemcpyAsync(own_, 4096, other_, 4096, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream_));
  EXPECT_OK(aclrtMemcpyAsync(own_, 64, own_ + 64, 64, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(TwoDevices, CopiesNeedAccessFromOneToTheOther) {
  const auto copy = [this] { return aclrtMemcpy(own_, 4096, other_, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE); };
  const auto queue = [this] {
    return aclrtMemcpyAsync(other_, 4096, own_, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_);
  };
  ASSERT_OK(aclrtDeviceDisablePeerAccess(1));
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, copy());
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("from device 1 to device 0")) << text;
  EXPECT_NE(std::string::npos, text.find("aclrtDeviceEnablePeerAccess")) << text;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, queue());
  EXPECT_OK(aclrtMemcpy(own_, 64, other_pinned_, 64, ACL_MEMCPY_HOST_TO_DEVICE)) << "host memory is anyone's";
  ASSERT_OK(aclrtSetDevice(1));
  ASSERT_OK(aclrtDeviceEnablePeerAccess(0, 0));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(copy()) << "either direction will do";
  EXPECT_OK(queue());
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(TwoDevices, CopiesAndFillsAcrossAreQueuedLikeOthers) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  // All return although the stream is blocked, and happen in its order.
  EXPECT_OK(aclrtMemcpyAsync(own_, 4096, other_, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_));
  EXPECT_OK(aclrtMemcpyAsync(own_, 1024, other_pinned_, 1024, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  EXPECT_OK(aclrtMemsetAsync(other_, 4096, 1, 64, stream_));
  EXPECT_OK(aclrtMemcpyAsync(other_ + 64, 64, own_, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_));
  EXPECT_EQ(6, FromDevice(other_, 1)[0]);
  ASSERT_OK(aclrtMemset(other_, 4096, 7, 4096));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  const std::vector<uint8_t> own = FromDevice(own_, 4096);
  EXPECT_EQ(8, own[1023]);
  EXPECT_EQ(7, own[1024]) << "read when its turn came";
  const std::vector<uint8_t> other = FromDevice(other_, 4096);
  EXPECT_EQ(1, other[63]);
  EXPECT_EQ(8, other[64]);
}

TEST_F(TwoDevices, ACopyWhoseOtherDeviceWasResetFails) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtMemcpyAsync(own_, 4096, other_, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_));
  ASSERT_OK(aclrtResetDeviceForce(1));
  ASSERT_OK(aclrtSetDevice(0));
  gate.Open();
  EXPECT_CODE(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(0, FromDevice(own_, 1)[0]);
}

// ---- Words ----

TEST_F(Copy, FillsWholeWordsOnDeviceAndHost) {
  const std::vector<uint32_t> expected = {0x01020304, 0x01020304, 0x01020304, 9};
  uint32_t* memory = ToDevice(std::vector<uint32_t>(4, 9));
  EXPECT_OK(aclrtMemsetD32(memory, 16, 0x01020304, 3));
  EXPECT_EQ(expected, FromDevice(memory, 4));
  std::vector<uint32_t> host(4, 9);
  EXPECT_OK(aclrtMemsetD32(host.data(), 16, 0x01020304, 3));
  EXPECT_EQ(expected, host);
  memory = ToDevice(std::vector<uint32_t>(4, 9));
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  EXPECT_OK(aclrtMemsetD32Async(memory, 16, 0x01020304, 3, nullptr));
  EXPECT_EQ(9U, FromDevice(memory, 1)[0]);
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(expected, FromDevice(memory, 4));
}

TEST_F(Copy, WordsOnTheHostAreFilledWhenTheCallReturns) {
  auto* pinned = static_cast<uint32_t*>(AllocatePinned(16));
  uint32_t pageable[4] = {};
  for (uint32_t* host : {pinned, pageable}) {
    EXPECT_OK(aclrtMemsetD32Async(host, 16, 0xA0B0C0D0, 4, nullptr));
    EXPECT_EQ(0xA0B0C0D0, host[3]);
  }
}

TEST_F(Copy, WordsThatDoNotFitAreRefused) {
  uint32_t* memory = ToDevice(std::vector<uint32_t>(4, 9));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemsetD32(nullptr, 16, 1, 4));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemsetD32Async(nullptr, 16, 1, 4, nullptr));
  for (const std::size_t room : {std::size_t{0}, std::size_t{3}, std::size_t{15}}) {
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemsetD32(memory, room, 1, 4));
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemsetD32Async(memory, room, 1, 4, nullptr));
  }
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemsetD32(memory, 16, 1, SIZE_MAX / 4 + 2));
  EXPECT_OK(aclrtMemsetD32(nullptr, 0, 1, 0));
  EXPECT_EQ(std::vector<uint32_t>(4, 9), FromDevice(memory, 4));
}

// ---- The end of pinned memory ----

TEST(CopyInLittleMemory, ABufferedSourceIsReusableEvenWithoutABuffer) {
  const std::string path = testing::TempDir() + "/forebay_copy_memory.json";
  FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(nullptr, file);
  std::fputs(R"({"forebay": {"pinned_memory": 64}})", file);
  std::fclose(file);
  ASSERT_OK(aclInit(path.c_str()));
  ASSERT_OK(aclrtSetDevice(0));
  void* memory = nullptr;
  void* all = nullptr;
  std::vector<char> source(std::size_t{5} << 20, 4);
  ASSERT_OK(aclrtMalloc(&memory, source.size(), ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtMallocHost(&all, std::size_t{64} << 20));
  EXPECT_OK(
      aclrtMemcpyAsync(memory, source.size(), source.data(), source.size(), ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, nullptr));
  char last = 0;
  EXPECT_OK(aclrtMemcpy(&last, 1, static_cast<char*>(memory) + source.size() - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(4, last) << "it was copied before the return";
  aclFinalize();
  std::remove(path.c_str());
}

}  // namespace
}  // namespace conformance
