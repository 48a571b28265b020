// The numbers of devices: the program's own, and those of the system; and threads without a device.
#include "conformance/support.h"

namespace conformance {
namespace {

// Started with 4 devices, of which the process sees those of the list.
class Seeing {
 public:
  explicit Seeing(const std::string& list)
      : file_(R"({"forebay": {"devices": 4, "visible_devices": ")" + list + "\"}}") {
    testing::internal::CaptureStderr();
    EXPECT_OK(aclInit(file_.path()));
    warnings_ = testing::internal::GetCapturedStderr();
  }
  ~Seeing() { aclFinalize(); }
  Seeing(const Seeing&) = delete;
  Seeing& operator=(const Seeing&) = delete;

  static uint32_t Count() {
    uint32_t count = 0;
    EXPECT_OK(aclrtGetDeviceCount(&count));
    return count;
  }
  static int32_t Physical(int32_t user) {
    auto physical = Untouched<int32_t>();
    EXPECT_OK(aclrtGetPhyDevIdByUserDevId(user, &physical));
    return physical;
  }
  const std::string& warnings() const { return warnings_; }

 private:
  const InitFile file_;
  std::string warnings_;
};

// ---- A19 ----

TEST(A19, ListChoosesAndRenumbersDevices) {
  const Seeing seeing("1,3");
  EXPECT_EQ(2U, Seeing::Count());
  EXPECT_EQ(1, Seeing::Physical(0));
  EXPECT_EQ(3, Seeing::Physical(1));
  EXPECT_EQ("", seeing.warnings());
  for (int32_t id = 0; id < 2; ++id) {
    EXPECT_OK(aclrtSetDevice(id));
    int32_t current = -1;
    EXPECT_OK(aclrtGetDevice(&current));
    EXPECT_EQ(id, current);
  }
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(3)) << "hidden under that number";
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("\"1,3\"")) << text;
  EXPECT_NE(std::string::npos, text.find("logical -> physical: 0 -> 1, 1 -> 3")) << text;
}

TEST(A19, ListEndsAtItsFirstBadTokenAndSaysSo) {
  struct Case {
    const char* list;
    uint32_t count;
    const char* token;
  };
  for (const Case& c :
       {Case{"1,9,2", 1, "\"9\""}, Case{"1, 2", 1, "\" 2\""}, Case{"3,1", 1, "\"1\""}, Case{"2,2", 1, "\"2\""},
        Case{"0,1,x", 2, "\"x\""}, Case{"0,", 1, "\"\""}, Case{"-1", 0, "\"-1\""}, Case{"4", 0, "\"4\""}}) {
    const Seeing seeing(c.list);
    EXPECT_EQ(c.count, Seeing::Count()) << c.list;
    const std::string& text = seeing.warnings();
    EXPECT_EQ(1, std::count(text.begin(), text.end(), '\n')) << text;
    EXPECT_NE(std::string::npos, text.find(std::string("ends at ") + c.token)) << text;
    EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(static_cast<int32_t>(c.count))) << c.list;
  }
}

// ---- Numbers ----

TEST(DeviceIds, TranslateInBothDirections) {
  const Seeing seeing("1,3");
  const auto expect = [](int32_t expected, aclError (*call)(const int32_t, int32_t* const), int32_t id) {
    auto result = Untouched<int32_t>();
    EXPECT_OK(call(id, &result));
    EXPECT_EQ(expected, result);
  };
  expect(3, aclrtGetLogicDevIdByUserDevId, 1);
  expect(1, aclrtGetUserDevIdByLogicDevId, 3);
  expect(3, aclrtGetPhyDevIdByUserDevId, 1);
  expect(1, aclrtGetUserDevIdByPhyDevId, 3);
  // These two work on the program's own numbers, whatever their names say.
  expect(3, aclrtGetPhyDevIdByLogicDevId, 1);
  expect(1, aclrtGetLogicDevIdByPhyDevId, 3);
}

TEST(DeviceIds, NumbersOfNoVisibleDeviceAreRefused) {
  const Seeing seeing("1,3");
  for (const auto call : {aclrtGetLogicDevIdByUserDevId, aclrtGetPhyDevIdByUserDevId, aclrtGetPhyDevIdByLogicDevId}) {
    auto result = Untouched<int32_t>();
    for (const int32_t id : {-1, 2, INT32_MAX}) EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, call(id, &result));
    EXPECT_TRUE(IsUntouched(result));
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, call(0, nullptr));
  }
  for (const auto call : {aclrtGetUserDevIdByLogicDevId, aclrtGetUserDevIdByPhyDevId, aclrtGetLogicDevIdByPhyDevId}) {
    auto result = Untouched<int32_t>();
    for (const int32_t id : {-1, 0, 2, 4}) EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, call(id, &result));
    EXPECT_TRUE(IsUntouched(result));
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, call(1, nullptr));
  }
}

// ---- A1, A2 ----

TEST(A1, CallsWithoutADeviceSayWhatToDo) {
  ASSERT_OK(aclInit(nullptr));
  auto free_bytes = Untouched<std::size_t>();
  auto total = Untouched<std::size_t>();
  auto memory = Untouched<void*>();
  auto stream = Untouched<aclrtStream>();
  const auto expect_refused = [](const char* name, aclError code) {
    EXPECT_EQ(ACL_ERROR_RT_CONTEXT_NULL, code) << name;
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find(name)) << text;
    EXPECT_NE(std::string::npos, text.find("aclrtSetDevice")) << text;
  };
  expect_refused("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
  expect_refused("aclrtMalloc", aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  expect_refused("aclrtCreateStream", aclrtCreateStream(&stream));
  EXPECT_TRUE(IsUntouched(free_bytes) && IsUntouched(total) && IsUntouched(memory) && IsUntouched(stream));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
  EXPECT_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_OK(aclrtCreateStream(&stream));
  EXPECT_OK(aclFinalize());
}

TEST(A2, ThreadInheritsNothingAndTakesTheContextItIsGiven) {
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclrtSetDevice(1));
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtGetCurrentContext(&context));
  const auto expect_mine = [&] {
    int32_t id = -1;
    aclrtContext mine = nullptr;
    EXPECT_OK(aclrtGetDevice(&id));
    EXPECT_OK(aclrtGetCurrentContext(&mine));
    EXPECT_TRUE(id == 1 && mine == context);
  };
  InThread([&] {
    auto id = Untouched<int32_t>();
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&id));
    EXPECT_TRUE(IsUntouched(id));
    EXPECT_OK(aclrtSetCurrentContext(context));
    EXPECT_OK(aclrtGetDevice(&id));
    EXPECT_EQ(1, id);
  });
  expect_mine();
  EXPECT_OK(aclFinalize());
}

}  // namespace
}  // namespace conformance
