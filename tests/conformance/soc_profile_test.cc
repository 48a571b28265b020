// Parts: what each has and refuses, and what a program hears when it runs into a limit.
#include "conformance/support.h"

namespace conformance {
namespace {

class Part {
 public:
  explicit Part(const std::string& soc, const std::string& more = "")
      : file_(R"({"forebay": {"soc": ")" + soc + "\"" + more + "}}") {
    EXPECT_OK(aclInit(file_.path()));
    EXPECT_STREQ(soc.c_str(), aclrtGetSocName());
  }
  ~Part() {
    aclFinalize();
    Messages();
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  static int64_t Figure(aclrtDevAttr attribute) {
    int64_t value = -1;
    EXPECT_OK(aclrtGetDeviceInfo(0, attribute, &value));
    return value;
  }

 private:
  const InitFile file_;
};

struct Expected {
  const char* soc;
  uint32_t streams;
  int64_t architecture;
  bool simt;
  bool super_pod;
  bool pci;
  bool stack;
  uint64_t link;  // between devices 0 and 1; 0: none
};
class Parts : public testing::TestWithParam<Expected> {};

TEST_P(Parts, HaveTheirLimitsAndRefuseTheRest) {
  const Expected& expected = GetParam();
  const Part part(expected.soc);
  ASSERT_OK(aclrtSetDevice(0));
  uint32_t available = 0;
  EXPECT_OK(aclrtGetStreamAvailableNum(&available));
  EXPECT_EQ(expected.streams - 1, available) << "the default stream is one";
  EXPECT_EQ(expected.architecture, Part::Figure(ACL_DEV_ATTR_NPU_ARCH));
  EXPECT_EQ(expected.simt, Part::Figure(ACL_DEV_ATTR_WARP_SIZE) != 0);
  const auto expect = [](bool has, aclError code, const char* what) {
    EXPECT_EQ(has ? ACL_SUCCESS : ACL_ERROR_RT_FEATURE_NOT_SUPPORT, code) << what << ": " << Messages();
  };
  int64_t value = 0;
  std::size_t size = 0;
  char text[13];
  uint64_t link = 0;
  int32_t can = -1;
  expect(expected.super_pod, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_SUPER_POD_ID, &value), "super pod");
  expect(expected.simt, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_HD_CONNECT_TYPE, &value), "connection");
  expect(expected.simt, aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, &size), "stack of threads");
  expect(expected.stack, aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &size), "stack");
  expect(expected.pci, aclrtDeviceGetPCIBusId(0, text, sizeof text), "PCI bus");
  expect(expected.link != 0, aclrtGetDevicesTopo(0, 1, &link), "link");
  EXPECT_EQ(expected.link, link);
  EXPECT_OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(expected.link != 0 ? 1 : 0, can);
  expect(expected.link != 0, aclrtDeviceEnablePeerAccess(1, 0), "peer access");
}

INSTANTIATE_TEST_SUITE_P(
    All, Parts,
    testing::Values(Expected{"Ascend950PR_9599", 1984, 3510, true, true, true, true, ACL_RT_DEVS_TOPOLOGY_HCCS_SW},
                    Expected{"Ascend910_9391", 1984, 2201, false, true, true, true, ACL_RT_DEVS_TOPOLOGY_SIO},
                    Expected{"Ascend910B1", 1984, 2201, false, false, true, true, ACL_RT_DEVS_TOPOLOGY_HCCS},
                    Expected{"Ascend910A", 2048, 1001, false, false, true, false, ACL_RT_DEVS_TOPOLOGY_HCCS},
                    Expected{"Ascend310P3", 1024, 2002, false, false, true, false, ACL_RT_DEVS_TOPOLOGY_PHB},
                    Expected{"Ascend310B1", 512, 3002, false, false, false, true, 0}),
    [](const auto& instance) { return std::string(instance.param.soc); });

TEST(SocProfile, EveryStreamOfThePartCanBeMade) {
  const Part part("Ascend910A");
  ASSERT_OK(aclrtSetDevice(0));
  std::vector<aclrtStream> streams(2047);
  for (aclrtStream& stream : streams) ASSERT_OK(aclrtCreateStream(&stream));
  auto one_more = Untouched<aclrtStream>();
  EXPECT_CODE(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, aclrtCreateStream(&one_more));
  EXPECT_TRUE(IsUntouched(one_more));
}

TEST(SocProfile, EveryEventOfThePartCanBeMade) {
  const Part part("Ascend310P3");
  ASSERT_OK(aclrtSetDevice(0));
  std::vector<aclrtEvent> events(1023);
  for (aclrtEvent& event : events) ASSERT_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  auto one_more = Untouched<aclrtEvent>();
  EXPECT_CODE(ACL_ERROR_RT_NO_EVENT_RESOURCE, aclrtCreateEventWithFlag(&one_more, ACL_EVENT_SYNC));
  EXPECT_TRUE(IsUntouched(one_more));
}

TEST(SocProfile, DiesOfOneChipShareItsNumber) {
  const Part part("Ascend910_9391");
  int64_t chip = -1;
  EXPECT_OK(aclrtGetDeviceInfo(3, ACL_DEV_ATTR_PHY_CHIP_ID, &chip));
  EXPECT_EQ(1, chip);
  uint64_t link = 0;
  EXPECT_OK(aclrtGetDevicesTopo(1, 2, &link));
  EXPECT_EQ(ACL_RT_DEVS_TOPOLOGY_HCCS_SW, link);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDevicesTopo(1, 1, &link));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDevicesTopo(0, 8, &link));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetDevicesTopo(0, 1, nullptr));
}

TEST(SocProfile, RowsWithinADeviceNeedAPartThatCopiesThem) {
  for (const auto& [soc, code] :
       {std::pair{"Ascend310P3", ACL_ERROR_RT_FEATURE_NOT_SUPPORT},
        std::pair{"Ascend910A", ACL_ERROR_RT_FEATURE_NOT_SUPPORT}, std::pair{"Ascend910B1", ACL_SUCCESS}}) {
    const Part part(soc);
    ASSERT_OK(aclrtSetDevice(0));
    const Words words(64);
    for (const std::size_t rows : {1UL, 2UL}) {
      EXPECT_CODE(code, aclrtMemcpy2dAsync(words.get(), 16, static_cast<char*>(words.get()) + 128, 16, 8, rows,
                                           ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
    }
    char host[32] = {};
    EXPECT_OK(aclrtMemcpy2dAsync(words.get(), 16, host, 16, 8, 2, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    EXPECT_OK(aclrtSynchronizeDevice());
  }
}

TEST(SocProfile, UnknownPartIsRefusedWithTheNamesThatExist) {
  const InitFile file(R"({"forebay": {"soc": "Ascend910X"}})");
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclInit(file.path()));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("Ascend910X")) << text;
  EXPECT_NE(std::string::npos, text.find("Ascend910B3, ")) << text;
}

TEST(SocProfile, ConfiguredCoresAreReportedInTheProportionOfThePart) {
  const Part part("Ascend910B3", R"(, "ai_cores": 8)");
  EXPECT_EQ(4, Part::Figure(ACL_DEV_ATTR_CUBE_CORE_NUM));
  EXPECT_EQ(8, Part::Figure(ACL_DEV_ATTR_VECTOR_CORE_NUM));
}

TEST(SocProfile, LargestStackIsThatOfThePart) {
  const InitFile large(R"({"forebay": {"soc": "Ascend310B1"}, "StackSize": {"aicore_stack_size": 7864320}})");
  EXPECT_OK(aclInit(large.path()));
  EXPECT_OK(aclFinalize());
  const InitFile too_large(R"({"forebay": {"soc": "Ascend950PR_9599"}, "StackSize": {"aicore_stack_size": 131073}})");
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclInit(too_large.path()));
}

// ---- A8 ----

TEST(A8, ExhaustedStreamsSayHowManyAndWhereTheyComeFrom) {
  const Part part("Ascend910B3", R"(, "streams": 8)");
  ASSERT_OK(aclrtSetDevice(0));
  std::vector<aclrtStream> streams;
  auto stream = Untouched<aclrtStream>();
  aclError code = ACL_SUCCESS;
  while ((code = aclrtCreateStream(&stream)) == ACL_SUCCESS) {
    streams.push_back(stream);
    stream = Untouched<aclrtStream>();
    ASSERT_LE(streams.size(), 8U);
  }
  EXPECT_EQ(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, code);
  EXPECT_TRUE(IsUntouched(stream));
  EXPECT_EQ(7U, streams.size()) << "the default stream counts";
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("no stream left: 8 of at most 8 exist")) << text;
  EXPECT_NE(std::string::npos, text.find("most were made 7 at conformance_soc_profile_test+0x")) << text;
  EXPECT_NE(std::string::npos, text.find("1 with their context")) << text;
  EXPECT_OK(aclrtDestroyStream(streams.back()));
  EXPECT_OK(aclrtCreateStream(&stream));
}

}  // namespace
}  // namespace conformance
