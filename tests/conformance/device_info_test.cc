// What can be asked of a device.
#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

using DeviceInfo = WithDevice;

int64_t Figure(uint32_t device, aclrtDevAttr attribute) {
  auto value = Untouched<int64_t>();
  EXPECT_OK(aclrtGetDeviceInfo(device, attribute, &value)) << attribute;
  return value;
}

TEST_F(DeviceInfo, FiguresAreThoseOfThePart) {
  EXPECT_EQ(20, Figure(0, ACL_DEV_ATTR_AICORE_CORE_NUM));
  EXPECT_EQ(20, Figure(0, ACL_DEV_ATTR_CUBE_CORE_NUM));
  EXPECT_EQ(40, Figure(0, ACL_DEV_ATTR_VECTOR_CORE_NUM));
  EXPECT_EQ(2201, Figure(0, ACL_DEV_ATTR_NPU_ARCH));
  EXPECT_GT(Figure(0, ACL_DEV_ATTR_AICPU_CORE_NUM), 0);
  EXPECT_GT(Figure(0, ACL_DEV_ATTR_L2_CACHE_SIZE), 1 << 20);
  for (int simt = ACL_DEV_ATTR_WARP_SIZE; simt <= ACL_DEV_ATTR_MAX_BLOCK_DIM_Z; ++simt)
    EXPECT_EQ(0, Figure(0, static_cast<aclrtDevAttr>(simt))) << "only the newest generation has them";
  EXPECT_EQ(7, Figure(7, ACL_DEV_ATTR_PHY_CHIP_ID));
  EXPECT_EQ(Figure(0, ACL_DEV_ATTR_SMP_ID), Figure(7, ACL_DEV_ATTR_SMP_ID));
  EXPECT_EQ(0, Figure(0, ACL_DEV_ATTR_IS_VIRTUAL));
}

TEST_F(DeviceInfo, MemoryIsWhatTheDeviceHas) {
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
  EXPECT_EQ(static_cast<int64_t>(total), Figure(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE));
  EXPECT_GE(Figure(1, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE), 64 << 20) << "one that is not set";
}

TEST_F(DeviceInfo, WrongQuestionsAreRefused) {
  auto value = Untouched<int64_t>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceInfo(8, ACL_DEV_ATTR_NPU_ARCH, &value));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceInfo(UINT32_MAX, ACL_DEV_ATTR_NPU_ARCH, &value));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceInfo(0, NoSuch<aclrtDevAttr>(213), &value));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceInfo(0, NoSuch<aclrtDevAttr>(0), &value));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_HD_CONNECT_TYPE, &value));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_DEVICE_FORM_FACTOR, &value));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_SUPER_POD_ID, &value));
  EXPECT_TRUE(IsUntouched(value));
}

TEST_F(DeviceInfo, CapabilitiesAreFiguresOrFeatures) {
  auto value = Untouched<int64_t>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclGetDeviceCapability(8, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, nullptr));
  EXPECT_TRUE(IsUntouched(value));
  EXPECT_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
  EXPECT_EQ(20, value);
  EXPECT_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
  EXPECT_EQ(40, value);
  EXPECT_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value));
  EXPECT_EQ(Figure(0, ACL_DEV_ATTR_L2_CACHE_SIZE), value);

  auto feature = Untouched<int32_t>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceCapability(0, NoSuch<aclrtDevFeatureType>(2), &feature));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID,
              aclrtGetDeviceCapability(8, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &feature));
  EXPECT_TRUE(IsUntouched(feature));
  EXPECT_OK(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &feature));
  EXPECT_EQ(0, feature);
}

TEST_F(DeviceInfo, UuidIsOfOneDeviceAndStays) {
  aclrtUuid first{};
  aclrtUuid again{};
  aclrtUuid other{};
  EXPECT_OK(aclrtDeviceGetUuid(0, &first));
  EXPECT_OK(aclrtDeviceGetUuid(0, &again));
  EXPECT_OK(aclrtDeviceGetUuid(1, &other));
  EXPECT_EQ(0, std::memcmp(&first, &again, sizeof first));
  EXPECT_NE(0, std::memcmp(&first, &other, sizeof first));
  auto untouched = Untouched<aclrtUuid>();
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceGetUuid(8, &untouched));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetUuid(0, nullptr));
  EXPECT_TRUE(IsUntouched(untouched));
}

TEST_F(DeviceInfo, PciAddressLeadsBackToTheDevice) {
  std::string seen;
  for (int32_t id = 0; id < 8; ++id) {
    char text[13] = {};
    ASSERT_OK(aclrtDeviceGetPCIBusId(id, text, sizeof text));
    EXPECT_EQ(12U, std::strlen(text));
    EXPECT_EQ(std::string::npos, seen.find(text)) << "no two have the same";
    seen += std::string(text) + " ";
    int32_t found = -1;
    EXPECT_OK(aclrtDeviceGetByPCIBusId(text, &found));
    EXPECT_EQ(id, found);
  }
  char text[13] = "untouched";
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceGetPCIBusId(0, text, 12));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceGetPCIBusId(0, text, -1));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceGetPCIBusId(8, text, sizeof text));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetPCIBusId(0, nullptr, 13));
  EXPECT_STREQ("untouched", text);
  auto id = Untouched<int32_t>();
  for (const char* bad : {"", "0000:80:00", "0000:80:00.00", "000g:80:00.0", "0000-80:00.0"})
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceGetByPCIBusId(bad, &id)) << bad;
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceGetByPCIBusId("ffff:ff:ff.f", &id));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetByPCIBusId(nullptr, &id));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetByPCIBusId("0000:80:00.0", nullptr));
  EXPECT_TRUE(IsUntouched(id));
}

TEST_F(DeviceInfo, NothingOutsideADeviceIsReachedAtomically) {
  const aclrtAtomicOperation asked[] = {ACL_RT_ATOMIC_OPERATION_INTEGER_ADD, ACL_RT_ATOMIC_OPERATION_DMA_MAX};
  uint32_t found[2] = {1, 1};
  EXPECT_OK(aclrtDeviceGetHostAtomicCapabilities(found, asked, 2, 0));
  EXPECT_TRUE(found[0] == 0 && found[1] == 0);
  auto untouched = Untouched<uint32_t>();
  const auto none = NoSuch<aclrtAtomicOperation>(13);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceGetHostAtomicCapabilities(&untouched, &none, 1, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceGetHostAtomicCapabilities(&untouched, asked, 0, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetHostAtomicCapabilities(nullptr, asked, 2, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetP2PAtomicCapabilities(&untouched, nullptr, 1, 0, 1));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceGetHostAtomicCapabilities(&untouched, asked, 1, 8));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceGetP2PAtomicCapabilities(&untouched, asked, 1, 0, 8));
  EXPECT_TRUE(IsUntouched(untouched));
  EXPECT_OK(aclrtDeviceGetP2PAtomicCapabilities(&untouched, asked, 1, 0, 1));
  EXPECT_EQ(0U, untouched);
}

TEST_F(DeviceInfo, SchedulerCanBeChosenAmongTwo) {
  EXPECT_OK(aclrtSetTsDevice(ACL_TS_ID_AICORE));
  EXPECT_OK(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetTsDevice(ACL_TS_ID_RESERVED));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetTsDevice(NoSuch<aclrtTsId>(-1)));
}

// ---- Utilization ----

using Utilization = WithStream;

TEST_F(Utilization, IsTheShareOfTimeSpentOnTasks) {
  NEEDS_STOPPABLE_KERNELS();
  aclrtUtilizationInfo info{};
  ASSERT_OK(aclrtGetDeviceUtilizationRate(0, &info));
  // Ends by its time-out; until then the device does nothing else.
  ASSERT_OK(aclrtSetOpExecuteTimeOutWithMs(200));
  EXPECT_OK(aclrtGetDeviceUtilizationRate(0, &info));
  const aclrtFuncHandle endless = Function(fault_, "loop_forever");
  aclrtArgsHandle none = nullptr;
  ASSERT_OK(aclrtKernelArgsInit(endless, &none));
  ASSERT_OK(aclrtKernelArgsFinalize(none));
  ASSERT_OK(aclrtLaunchKernelWithConfig(endless, 1, stream_, nullptr, none, nullptr));
  EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(stream_));
  EXPECT_OK(aclrtGetDeviceUtilizationRate(0, &info));
  EXPECT_GE(info.cubeUtilization, 50);
  EXPECT_LE(info.cubeUtilization, 100);
  EXPECT_EQ(info.cubeUtilization, info.vectorUtilization);
  EXPECT_EQ(-1, info.memoryUtilization);
  ASSERT_OK(aclrtSetOpExecuteTimeOutWithMs(0));
}

TEST_F(Utilization, DeviceThatIsNotSetIsIdle) {
  aclrtUtilizationInfo info{};
  EXPECT_OK(aclrtGetDeviceUtilizationRate(1, &info));
  EXPECT_EQ(0, info.cubeUtilization);
  auto untouched = Untouched<aclrtUtilizationInfo>();
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceUtilizationRate(8, &untouched));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceUtilizationRate(0, nullptr));
  EXPECT_TRUE(IsUntouched(untouched));
}

}  // namespace
}  // namespace conformance
