// Start and end: counting, configuration files, forks, and programs that end in unusual ways.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "conformance/configuration_fixture.h"

namespace conformance {
namespace {

class Init : public WithFiles {};

// ---- Counting ----

TEST_F(Init, SecondStartIsCounted) {  // A17
  EXPECT_OK(aclInit(nullptr));
  EXPECT_CODE(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
  ASSERT_OK(aclrtSetDevice(0));
  uint64_t left = 99;
  EXPECT_OK(aclFinalizeReference(&left));
  EXPECT_EQ(1U, left);
  EXPECT_OK(aclrtSynchronizeDevice()) << "the other user goes on";
  EXPECT_OK(aclFinalizeReference(&left));
  EXPECT_EQ(0U, left);
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice());
  left = 99;
  EXPECT_CODE(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&left));
  EXPECT_EQ(0U, left);
  EXPECT_CODE(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(nullptr));
}

TEST_F(Init, FinalizeEndsAllStarts) {
  EXPECT_OK(aclInit(nullptr));
  EXPECT_CODE(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
  EXPECT_OK(aclFinalize());
  EXPECT_CODE(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
  EXPECT_OK(aclInit(nullptr));
}

TEST_F(Init, CanBeRepeated) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(aclInit(nullptr));
    ASSERT_OK(aclrtSetDevice(0));
    void* memory = nullptr;
    ASSERT_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_OK(aclFinalize());
    EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory));
  }
}

TEST_F(Init, DevicesWorkWithoutIt) {
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtSynchronizeDevice());
  EXPECT_OK(aclrtResetDevice(0));
}

TEST_F(Init, StartedByManyThreadsIsStartedOnce) {
  std::atomic<int> first{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      const aclError code = aclInit(nullptr);
      EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_REPEAT_INITIALIZE) << code;
      first += code == ACL_SUCCESS;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(1, first.load());
  uint64_t left = 0;
  EXPECT_OK(aclFinalizeReference(&left));
  EXPECT_EQ(7U, left);
}

// ---- What is known of the system ----

TEST_F(Init, VersionIsThatOfTheHeaders) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  int32_t major = 0;
  int32_t minor = 0;
  int32_t patch = -1;
  EXPECT_OK(aclrtGetVersion(&major, &minor, &patch));
  EXPECT_EQ(ACL_MAJOR_VERSION, major);
  EXPECT_EQ(ACL_MINOR_VERSION, minor);
  EXPECT_EQ(ACL_PATCH_VERSION, patch);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetVersion(nullptr, &minor, &patch));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetVersion(&major, nullptr, &patch));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetVersion(&major, &minor, nullptr));
#pragma GCC diagnostic pop
}

TEST_F(Init, RunsOnTheHost) {
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_OK(aclrtGetRunMode(&mode));
  EXPECT_EQ(ACL_HOST, mode);
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetRunMode(nullptr));
}

TEST_F(Init, NameOfTheProcessorFollowsTheConfiguration) {
  const char* before = aclrtGetSocName();
  EXPECT_STREQ("Ascend910B3", before);
  ASSERT_OK(aclInit(Write(R"({"forebay": {"soc": "Ascend310P3"}})").c_str()));
  EXPECT_STREQ("Ascend310P3", aclrtGetSocName());
  EXPECT_STREQ("Ascend910B3", before) << "a text that was given stays";
  EXPECT_OK(aclFinalize());
  ASSERT_OK(aclInit(nullptr));
  EXPECT_STREQ("Ascend910B3", aclrtGetSocName());
}

// ---- Configuration ----

TEST_F(Init, EmptyConfigurationMeansDefaults) {
  EXPECT_CODE(ACL_SUCCESS, Try("{}"));
  EXPECT_CODE(ACL_SUCCESS, Try("  {\n}\n"));
}

TEST_F(Init, FileThatCannotBeReadIsRefused) {
  EXPECT_CODE(ACL_ERROR_INVALID_FILE, aclInit((directory_ / "missing.json").c_str()));
  EXPECT_CODE(ACL_ERROR_INVALID_FILE, aclInit(directory_.c_str()));
  EXPECT_CODE(ACL_ERROR_INVALID_FILE, aclInit(""));
  const std::string pipe = directory_ / "pipe";
  ASSERT_EQ(0, mkfifo(pipe.c_str(), 0600));
  for (const char* path : {"/dev/zero", "/dev/null", pipe.c_str()}) {
    Messages();
    EXPECT_EQ(ACL_ERROR_INVALID_FILE, aclInit(path)) << path;
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find(path)) << text;
  }
  EXPECT_CODE(ACL_ERROR_INVALID_FILE_SIZE, Try("{}" + std::string(std::size_t{11} << 20, ' ')));
  EXPECT_CODE(ACL_ERROR_REPEAT_FINALIZE, aclFinalize()) << "nothing was started";
}

TEST_F(Init, FileThatIsNoJsonIsRefused) {
  for (const char* content : {"", " ", "{", "}", "{\"a\": }", "{'a': 1}", "[]", "7", "\"text\"", "{} {}", "{\"a\": 1,}",
                              "\xFF\xFE", "{\"err_msg_mode\": \"\xC3\x28\"}"}) {
    EXPECT_CODE(ACL_ERROR_PARSE_FILE, Try(content)) << content;
  }
  EXPECT_CODE(ACL_ERROR_PARSE_FILE, Try(std::string("{\0}", 3)));
}

TEST_F(Init, NestingOfMoreThan10IsRefused) {
  const auto nested = [](int depth, const char* open, const char* close) {
    std::string text = "{\"dump\": ";
    for (int i = 0; i < depth; ++i) text += open;
    text += "1";
    for (int i = 0; i < depth; ++i) text += close;
    return text + "}";
  };
  // What does not nest too deep is looked at, and is no dump section.
  EXPECT_CODE(ACL_ERROR_INVALID_DUMP_CONFIG, Try(nested(9, "{\"a\": ", "}")));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, Try(nested(10, "{\"a\": ", "}")));
  EXPECT_CODE(ACL_ERROR_INVALID_DUMP_CONFIG, Try(nested(10, "[", "]")));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, Try(nested(11, "[", "]")));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, Try(std::string(1000000, '[')));
  EXPECT_CODE(ACL_ERROR_INVALID_DUMP_CONFIG, Try(R"({"dump": "[[[[[[[[[[[[{{{{{{{{{{{{\"[[[[[[["})"));
}

TEST_F(Init, ValuesOutOfRangeAreRefused) {
  for (const char* content :
       {R"({"err_msg_mode": "2"})", R"({"err_msg_mode": -1})", R"({"err_msg_mode": true})", R"({"err_msg_mode": null})",
        R"({"err_msg_mode": "1 "})", R"({"StackSize": {"aicore_stack_size": -1}})",
        R"({"StackSize": {"aicore_stack_size": 99999999}})", R"({"forebay": 1})", R"({"forebay": {"no_such_key": 1}})",
        R"({"forebay": {"queue_depth": 100}})", R"({"forebay": {"devices": 0}})", R"({"forebay": {"devices": {}}})",
        R"({"no_such_key": 1})", R"({"err_msg_mode": 99999999999999999999999})"}) {
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, Try(content)) << content;
  }
}

TEST_F(Init, MaxOpqueueNumMustBeANumber) {
  EXPECT_CODE(ACL_SUCCESS, Try(R"({"max_opqueue_num": "20000"})"));
  for (const char* value : {"\"0\"", "\"-1\"", "\"1a\"", "\"\"", "{}", "1.5"}) {
    EXPECT_CODE(ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG, Try(std::string(R"({"max_opqueue_num": )") + value + "}"))
        << value;
  }
}

TEST_F(Init, EventModeIs0Or1) {
  EXPECT_CODE(ACL_SUCCESS, Try(R"({"acl_graph": {"event_mode": "1"}})"));
  EXPECT_CODE(ACL_ERROR_INVALID_FILE, Try(R"({"acl_graph": {"event_mode": "2"}})"));
}

TEST_F(Init, DefaultDeviceServesThreadsWithoutOne) {
  ASSERT_OK(aclInit(Write(R"({"defaultDevice": {"default_device": "1"}})").c_str()));
  int32_t id = -1;
  EXPECT_OK(aclrtGetDevice(&id));
  EXPECT_EQ(1, id);
  InThread([] {
    void* memory = nullptr;
    EXPECT_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtFree(memory));
    int32_t mine = -1;
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtGetDevice(&mine));
    EXPECT_EQ(0, mine) << "an explicit device wins";
  });
  EXPECT_OK(aclFinalize());
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&id));
}

TEST_F(Init, DefaultDeviceIsChecked) {
  for (const char* value : {"1a", "0x3", "-1", "", " 1"}) {
    EXPECT_CODE(ACL_ERROR_FAILURE, Try(std::string(R"({"defaultDevice": {"default_device": ")") + value + "\"}}"))
        << value;
  }
  for (const char* value : {"[]", "0", "null", "\"0\""})
    EXPECT_CODE(ACL_ERROR_FAILURE, Try(std::string(R"({"defaultDevice": )") + value + "}")) << value;
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, Try(R"({"defaultDevice": {"default_device": "8"}})"));
  EXPECT_CODE(ACL_SUCCESS, Try(R"({"defaultDevice": {}})"));
  EXPECT_CODE(ACL_SUCCESS, Try(R"({"forebay": {"devices": 12}, "defaultDevice": {"default_device": "11"}})"));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID,
              Try(R"({"forebay": {"devices": 2}, "defaultDevice": {"default_device": "2"}})"));
}

TEST_F(Init, FailedStartChangesNothing) {
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclInit(Write(R"({"forebay": {"soc": "Ascend310P3"}, "err_msg_mode": "2"})").c_str()));
  EXPECT_STREQ("Ascend910B3", aclrtGetSocName());
  EXPECT_CODE(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
  EXPECT_OK(aclInit(nullptr));
}

TEST_F(Init, SecondConfigurationMustBeTheSame) {
  const std::string first = Write(R"({"err_msg_mode": "0"})", "first.json");
  const std::string same = Write("{ \"err_msg_mode\" : \"0\" }\n", "same.json");
  const std::string other = Write(R"({"err_msg_mode": "1"})", "other.json");
  ASSERT_OK(aclInit(first.c_str()));
  EXPECT_CODE(ACL_ERROR_REPEAT_INITIALIZE, aclInit(first.c_str()));
  EXPECT_CODE(ACL_ERROR_REPEAT_INITIALIZE, aclInit(same.c_str()));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclInit(other.c_str()));
  uint64_t left = 0;
  EXPECT_OK(aclFinalizeReference(&left));
  EXPECT_EQ(2U, left) << "the one that differed is not counted";
}

TEST_F(Init, NullAndAnEmptyObjectAreTheSameConfiguration) {
  ASSERT_OK(aclInit(nullptr));
  EXPECT_CODE(ACL_ERROR_REPEAT_INITIALIZE, aclInit(Write("{}").c_str()));
}

TEST_F(Init, NextStartBeginsWithTheDefaults) {
  ASSERT_OK(aclInit(Write(R"({"forebay": {"devices": 2}, "err_msg_mode": "1"})").c_str()));
  uint32_t count = 0;
  EXPECT_OK(aclrtGetDeviceCount(&count));
  EXPECT_EQ(2U, count);
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(2));
  ASSERT_OK(aclFinalize());
  ASSERT_OK(aclInit(nullptr));
  EXPECT_OK(aclrtGetDeviceCount(&count));
  EXPECT_EQ(8U, count);
}

TEST_F(Init, LimitOfStreamsIsTheConfigured) {  // A8
  ASSERT_OK(aclInit(Write(R"({"forebay": {"streams": 8}})").c_str()));
  ASSERT_OK(aclrtSetDevice(0));
  std::vector<aclrtStream> streams(7);
  for (aclrtStream& stream : streams) ASSERT_OK(aclrtCreateStream(&stream));
  Messages();
  auto stream = Untouched<aclrtStream>();
  EXPECT_EQ(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, aclrtCreateStream(&stream));
  EXPECT_TRUE(IsUntouched(stream));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("stream")) << text;
  EXPECT_NE(std::string::npos, text.find("8")) << text;
  ASSERT_OK(aclrtDestroyStream(streams[3]));
  EXPECT_OK(aclrtCreateStream(&stream));
}

// ---- Forks ----

// What the child, which runs `body`, ends with.
template <typename Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // one that hangs is a failure
    _exit(body());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

TEST_F(Init, ChildOfAUsedParentIsRefusedAtOnce) {  // A18
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclrtSetDevice(0));
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    ASSERT_OK(aclrtSetDevice(0));
    while (!stop.load()) ASSERT_OK(aclrtSynchronizeDevice());
  });
  void* memory = nullptr;
  ASSERT_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_EQ(0, InChild([&] {
              void* mine = nullptr;
              if (aclrtMalloc(&mine, 64, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_ERROR_INTERNAL_ERROR) return 1;
              if (std::string(Messages()).find("fork") == std::string::npos) return 2;
              if (aclrtSynchronizeDevice() == ACL_SUCCESS) return 3;
              if (aclrtFree(memory) == ACL_SUCCESS) return 4;
              if (aclrtSetDevice(1) == ACL_SUCCESS) return 5;
              if (aclrtResetDeviceForce(0) == ACL_SUCCESS) return 6;
              if (aclFinalize() == ACL_SUCCESS) return 7;
              return 0;
            }));
  EXPECT_OK(aclrtMemset(memory, 64, 1, 64));
  EXPECT_OK(aclrtSynchronizeDevice());
  stop = true;
  worker.join();
}

}  // namespace
}  // namespace conformance
