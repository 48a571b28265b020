// Functions that other libraries register for the start and the end of AscendCL.
#include "conformance/configuration_fixture.h"

namespace conformance {
namespace {

// What was called, in order, and what the functions answer.
struct Journal {
  std::string calls;
  std::string text;
  int answer = 0;
  aclError inside = ACL_SUCCESS;
};
Journal journal;

int AtStart(const char* text, size_t bytes, void* data) {
  journal.calls += static_cast<const char*>(data);
  journal.text.assign(text, bytes);
  return journal.answer;
}
int AlsoAtStart(const char*, size_t, void* data) {
  journal.calls += static_cast<const char*>(data);
  return 0;
}
int AtEnd(void* data) {
  journal.calls += static_cast<const char*>(data);
  int32_t id = -1;
  journal.inside = aclrtGetDevice(&id);
  return journal.answer;
}
int AlsoAtEnd(void* data) {
  journal.calls += static_cast<const char*>(data);
  return 0;
}
char* Name(const char* name) { return const_cast<char*>(name); }

class InitCallback : public WithFiles {
 protected:
  void SetUp() override {
    WithFiles::SetUp();
    journal = {};
  }
  void TearDown() override {
    journal.answer = 0;
    WithFiles::TearDown();
    for (const aclRegisterCallbackType type : {ACL_REG_TYPE_ACL_MODEL, ACL_REG_TYPE_ACL_DVPP, ACL_REG_TYPE_OTHER}) {
      aclInitCallbackUnRegister(type, AtStart);
      aclInitCallbackUnRegister(type, AlsoAtStart);
      aclFinalizeCallbackUnRegister(type, AtEnd);
      aclFinalizeCallbackUnRegister(type, AlsoAtEnd);
    }
    Messages();
  }
};

TEST_F(InitCallback, RunsAtTheStartInTheOrderOfRegistration) {
  ASSERT_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, AtStart, Name("a")));
  ASSERT_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, AlsoAtStart, Name("b")));
  EXPECT_EQ("", journal.calls);
  const std::string content = "{ \"err_msg_mode\": \"0\" }\n";
  ASSERT_OK(aclInit(Write(content).c_str()));
  EXPECT_EQ("ab", journal.calls);
  EXPECT_EQ(content, journal.text);
  EXPECT_CODE(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
  EXPECT_EQ("ab", journal.calls) << "a start that is only counted calls nothing";
  ASSERT_OK(aclFinalize());
  ASSERT_OK(aclInit(nullptr));
  EXPECT_EQ("abab", journal.calls);
  EXPECT_EQ("{}", journal.text);
}

TEST_F(InitCallback, RegisteredAfterTheStartRunsAtOnce) {
  const std::string content = R"({"err_msg_mode": "0"})";
  ASSERT_OK(aclInit(Write(content).c_str()));
  ASSERT_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, AtStart, Name("a")));
  EXPECT_EQ("a", journal.calls);
  EXPECT_EQ(content, journal.text);
}

TEST_F(InitCallback, ThatFailsFailsTheStart) {
  ASSERT_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, AtStart, Name("a")));
  ASSERT_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, AlsoAtStart, Name("b")));
  journal.answer = 1234;
  EXPECT_EQ(1234, aclInit(Write(R"({"forebay": {"devices": 2}})").c_str()));
  EXPECT_NE(std::string::npos, Messages().find("1234"));
  EXPECT_EQ("a", journal.calls);
  EXPECT_CODE(ACL_ERROR_REPEAT_FINALIZE, aclFinalize()) << "nothing is started";
  uint32_t count = 0;
  EXPECT_OK(aclrtGetDeviceCount(&count));
  EXPECT_EQ(8U, count) << "nor is the file in effect";
  journal.answer = 0;
  EXPECT_OK(aclInit(nullptr));
}

TEST_F(InitCallback, ThatFailsAtOnceIsNotRegistered) {
  ASSERT_OK(aclInit(nullptr));
  journal.answer = ACL_ERROR_INTERNAL_ERROR;
  EXPECT_CODE(ACL_ERROR_INTERNAL_ERROR, aclInitCallbackRegister(ACL_REG_TYPE_OTHER, AtStart, Name("a")));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, AtStart));
}

TEST_F(InitCallback, TakenBackIsNotCalled) {
  ASSERT_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, AtStart, Name("a")));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, AtStart)) << "another type";
  EXPECT_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, AtStart));
  ASSERT_OK(aclInit(nullptr));
  EXPECT_EQ("", journal.calls);
}

TEST_F(InitCallback, OfTheEndRunsInReverseWhileDevicesAreThere) {
  ASSERT_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, AtEnd, Name("a")));
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, AlsoAtEnd, Name("b")));
  EXPECT_CODE(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclFinalizeReference(nullptr));
  EXPECT_EQ("", journal.calls) << "one is left";
  EXPECT_OK(aclFinalizeReference(nullptr));
  EXPECT_EQ("ba", journal.calls);
  EXPECT_EQ(ACL_SUCCESS, journal.inside);
  ASSERT_OK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, AlsoAtEnd));
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclFinalize());
  EXPECT_EQ("baa", journal.calls);
}

TEST_F(InitCallback, ThatFailsAtTheEndIsToldAndEverythingEnds) {
  ASSERT_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, AlsoAtEnd, Name("a")));
  ASSERT_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, AtEnd, Name("b")));
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclrtSetDevice(0));
  journal.answer = ACL_ERROR_FAILURE;
  uint64_t left = 9;
  EXPECT_CODE(ACL_ERROR_FAILURE, aclFinalizeReference(&left));
  EXPECT_EQ(0U, left);
  EXPECT_EQ("ba", journal.calls);
  EXPECT_CODE(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
  int32_t id = -1;
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&id));
}

TEST_F(InitCallback, RegistrationsAreChecked) {
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclInitCallbackRegister(ACL_REG_TYPE_OTHER, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, AtEnd)) << "unknown";
  for (const int type : {-1, 8, 0xFFFE, 0x10000}) {
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
                aclInitCallbackRegister(NoSuch<aclRegisterCallbackType>(type), AtStart, nullptr));
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
                aclFinalizeCallbackRegister(NoSuch<aclRegisterCallbackType>(type), AtEnd, nullptr));
  }
  ASSERT_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, AtStart, Name("a")));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclInitCallbackRegister(ACL_REG_TYPE_OTHER, AtStart, Name("b"))) << "twice";
  EXPECT_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, AtStart, Name("b")));
}

TEST_F(InitCallback, CannotStartOrEndAscendCL) {
  static std::vector<aclError> codes;
  codes.clear();
  const aclInitCallbackFunc meddles = [](const char*, size_t, void*) {
    codes = {aclInit(nullptr), aclFinalize(), aclFinalizeReference(nullptr),
             aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, AtStart)};
    int32_t id = -1;
    codes.push_back(aclrtSetDevice(0) == ACL_SUCCESS && aclrtGetDevice(&id) == ACL_SUCCESS ? -1 : 0);
    return 0;
  };
  ASSERT_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, meddles, nullptr));
  EXPECT_OK(aclInit(nullptr));
  EXPECT_EQ((std::vector<aclError>{ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID,
                                   ACL_ERROR_RT_PARAM_INVALID, -1}),
            codes);
  EXPECT_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, meddles));
}

}  // namespace
}  // namespace conformance
