// Access from one device to the memory of another.
#include "conformance/support.h"

namespace conformance {
namespace {

using PeerAccess = WithDevice;

int32_t StatusOf(int32_t device, int32_t peer) {
  auto status = Untouched<int32_t>();
  EXPECT_OK(aclrtDevicePeerAccessStatus(device, peer, &status));
  return status;
}

TEST_F(PeerAccess, EveryDeviceCanReachEveryOther) {
  for (int32_t device = 0; device < 8; ++device) {
    for (int32_t peer = 0; peer < 8; ++peer) {
      auto can = Untouched<int32_t>();
      if (device == peer) {
        EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceCanAccessPeer(&can, device, peer));
        EXPECT_TRUE(IsUntouched(can));
      } else {
        EXPECT_OK(aclrtDeviceCanAccessPeer(&can, device, peer));
        EXPECT_EQ(1, can);
      }
    }
  }
  auto can = Untouched<int32_t>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceCanAccessPeer(nullptr, 0, 1));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceCanAccessPeer(&can, 0, 8));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceCanAccessPeer(&can, -1, 0));
  EXPECT_TRUE(IsUntouched(can));
}

TEST_F(PeerAccess, IsOfOneDirectionAndOfTheWholeDevice) {
  EXPECT_EQ(0, StatusOf(0, 1));
  EXPECT_OK(aclrtDeviceEnablePeerAccess(1, 0));
  EXPECT_OK(aclrtDeviceEnablePeerAccess(1, 0)) << "a second time changes nothing";
  EXPECT_EQ(1, StatusOf(0, 1));
  EXPECT_EQ(0, StatusOf(1, 0));
  EXPECT_EQ(0, StatusOf(0, 2));
  InThread([] { EXPECT_EQ(1, StatusOf(0, 1)) << "also for a thread without a device"; });
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  EXPECT_OK(aclrtDeviceDisablePeerAccess(1)) << "in another context of the same device";
  EXPECT_EQ(0, StatusOf(0, 1));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceDisablePeerAccess(1));
  EXPECT_OK(aclrtDestroyContext(context));
}

TEST_F(PeerAccess, EndsWithTheResetOfTheDevice) {
  EXPECT_OK(aclrtDeviceEnablePeerAccess(1, 0));
  EXPECT_OK(aclrtResetDevice(0));
  EXPECT_EQ(0, StatusOf(0, 1));
  EXPECT_OK(aclrtSetDevice(0));
  EXPECT_EQ(0, StatusOf(0, 1));
}

TEST_F(PeerAccess, WrongArgumentsAreRefused) {
  EXPECT_CODE(ACL_ERROR_FEATURE_UNSUPPORTED, aclrtDeviceEnablePeerAccess(1, 1));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceEnablePeerAccess(0, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceDisablePeerAccess(0));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceEnablePeerAccess(8, 0));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceDisablePeerAccess(-1));
  auto status = Untouched<int32_t>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDevicePeerAccessStatus(0, 1, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDevicePeerAccessStatus(0, 8, &status));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDevicePeerAccessStatus(-1, 0, &status));
  EXPECT_TRUE(IsUntouched(status));
  EXPECT_EQ(0, StatusOf(0, 1)) << "nothing was enabled";
  InThread([] {
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceDisablePeerAccess(1));
  });
}

}  // namespace
}  // namespace conformance
