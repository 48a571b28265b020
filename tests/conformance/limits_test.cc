// Limits that a program sets: sizes for the process, cores for devices and streams.
#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

constexpr auto kCube = ACL_RT_DEV_RES_CUBE_CORE;
constexpr auto kVector = ACL_RT_DEV_RES_VECTOR_CORE;
const auto kNoKind = [] { return NoSuch<aclrtDevResLimitType>(2); };

using Limits = WithDevice;

// ---- Sizes ----

TEST_F(Limits, SizeIsWhatWasSetLastAlsoBeforeItIsInEffect) {
  std::size_t before = 0;
  EXPECT_OK(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &before));
  EXPECT_EQ(32U * 1024, before);
  EXPECT_OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 33000));
  std::size_t now = 0;
  EXPECT_OK(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &now));
  EXPECT_EQ(33000U, now);
  EXPECT_OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, before));
  EXPECT_OK(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, &now));
  EXPECT_EQ(32U * 1024, now);
}

TEST_F(Limits, SizesOutOfRangeAreRefused) {
  EXPECT_OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 192 * 1024));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 192 * 1024 + 1));
  EXPECT_NE(std::string::npos, Messages().find("Expected 0 to 196608 bytes"));
  std::size_t kept = 0;
  EXPECT_OK(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &kept));
  EXPECT_EQ(192U * 1024, kept);
  EXPECT_OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 32 * 1024));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 1023));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 1025));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, std::size_t{1} << 32));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceSetLimit(NoSuch<aclrtDeviceLimit>(5), 1024));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceSetLimit(NoSuch<aclrtDeviceLimit>(-1), 1024));
  auto value = Untouched<std::size_t>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetLimit(NoSuch<aclrtDeviceLimit>(5), &value));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, &value));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 1152));
  EXPECT_NE(std::string::npos, Messages().find("Ascend950PR_9599")) << "the parts that have it";
  EXPECT_TRUE(IsUntouched(value));
}

TEST(LimitsOfThreads, BothStacksCannotBe0) {
  const InitFile file(R"({"forebay": {"soc": "Ascend950PR_9599"}})");
  ASSERT_OK(aclInit(file.path()));
  EXPECT_OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE, 0));
  EXPECT_OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 1152));
  EXPECT_OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 0));
  EXPECT_OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE, 1024));
  EXPECT_OK(aclFinalize());
}

// ---- Cores ----

class Cores : public WithStream {
 protected:
  static uint32_t OfDevice(int32_t device, aclrtDevResLimitType kind) {
    uint32_t value = 0;
    EXPECT_OK(aclrtGetDeviceResLimit(device, kind, &value));
    return value;
  }
  static uint32_t OfStream(aclrtStream stream, aclrtDevResLimitType kind) {
    uint32_t value = 0;
    EXPECT_OK(aclrtGetStreamResLimit(stream, kind, &value));
    return value;
  }
  static uint32_t OfThread(aclrtDevResLimitType kind) {
    uint32_t value = 0;
    EXPECT_OK(aclrtGetResInCurrentThread(kind, &value));
    return value;
  }
  void TearDown() override {
    EXPECT_OK(aclrtResetDeviceResLimit(0));
    WithStream::TearDown();
  }
};

TEST_F(Cores, StreamGoesBeforeDeviceAndDeviceBeforeHardware) {
  EXPECT_EQ(20U, OfThread(kCube));
  EXPECT_EQ(40U, OfThread(kVector));
  EXPECT_OK(aclrtSetDeviceResLimit(0, kCube, 10));
  EXPECT_EQ(10U, OfThread(kCube));
  EXPECT_EQ(40U, OfThread(kVector)) << "each kind for itself";
  EXPECT_EQ(10U, OfStream(stream_, kCube)) << "that of its device";
  EXPECT_EQ(20U, OfDevice(1, kCube)) << "another device";

  EXPECT_OK(aclrtSetStreamResLimit(stream_, kCube, 3));
  EXPECT_EQ(3U, OfStream(stream_, kCube));
  EXPECT_EQ(10U, OfStream(nullptr, kCube)) << "the default stream is another";
  EXPECT_EQ(10U, OfThread(kCube)) << "not before the thread uses it";
  EXPECT_OK(aclrtUseStreamResInCurrentThread(stream_));
  EXPECT_EQ(3U, OfThread(kCube));
  EXPECT_EQ(40U, OfThread(kVector));
  InThread([] {
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_EQ(10U, OfThread(kCube)) << "another thread uses none";
    EXPECT_OK(aclrtResetDevice(0));
  });
  EXPECT_OK(aclrtResetStreamResLimit(stream_));
  EXPECT_EQ(10U, OfThread(kCube));
  EXPECT_OK(aclrtResetDeviceResLimit(0));
  EXPECT_EQ(20U, OfThread(kCube));
  EXPECT_OK(aclrtUnuseStreamResInCurrentThread(stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtUnuseStreamResInCurrentThread(stream_));
}

TEST_F(Cores, LimitsOfAStreamEndWithIt) {
  EXPECT_OK(aclrtSetStreamResLimit(stream_, kVector, 7));
  EXPECT_OK(aclrtUseStreamResInCurrentThread(stream_));
  EXPECT_EQ(7U, OfThread(kVector));
  EXPECT_OK(aclrtDestroyStream(stream_));
  EXPECT_EQ(40U, OfThread(kVector));
  aclrtStream next = nullptr;
  ASSERT_OK(aclrtCreateStream(&next));
  EXPECT_EQ(40U, OfStream(next, kVector)) << "nothing is left of the stream before";
  EXPECT_EQ(40U, OfThread(kVector));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtUseStreamResInCurrentThread(stream_));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtSetStreamResLimit(stream_, kVector, 1));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtResetStreamResLimit(stream_));
}

TEST_F(Cores, WrongArgumentsAreRefused) {
  auto value = Untouched<uint32_t>();
  for (const uint32_t cores : {0U, 21U, UINT32_MAX}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceResLimit(0, kCube, cores));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamResLimit(stream_, kCube, cores));
  }
  EXPECT_EQ(20U, OfDevice(0, kCube));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceResLimit(0, kNoKind(), &value));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceResLimit(0, kNoKind(), 1));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetStreamResLimit(stream_, kNoKind(), &value));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamResLimit(stream_, kNoKind(), 1));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetResInCurrentThread(kNoKind(), &value));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceResLimit(8, kCube, &value));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDeviceResLimit(-1, kCube, 1));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDeviceResLimit(8));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceResLimit(0, kCube, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetStreamResLimit(stream_, kCube, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetResInCurrentThread(kCube, nullptr));
  InThread([&] {
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetResInCurrentThread(kCube, &value));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtUseStreamResInCurrentThread(stream_));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetStreamResLimit(stream_, kCube, 1));
    EXPECT_OK(aclrtSetDevice(1));
    EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtUseStreamResInCurrentThread(stream_));
    EXPECT_OK(aclrtResetDevice(1));
  });
  EXPECT_TRUE(IsUntouched(value));
}

}  // namespace
}  // namespace conformance
