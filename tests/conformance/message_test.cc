// Ids of messages, and the log: the program's own lines and those of failing calls.
#include <cstdio>

#include "conformance/configuration_fixture.h"

namespace conformance {
namespace {

TEST(MessageId, SaysOfWhichClassTheFailureIs) {
  struct Row {
    const char* id;
    std::function<aclError()> call;
  };
  int64_t value = 0;
  for (const Row& row : {Row{"EH0002", [] { return aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr); }},
                         Row{"EE1004", [] { return aclrtExceptionInfoCallbackRegister(nullptr); }},
                         Row{"EE1001", [] { return aclrtSetDevice(99); }},
                         Row{"EE1003", [] { return aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 9); }},
                         Row{"EE1010", [&] { return aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value); }},
                         Row{"EH0003", [] { return aclInit("/no/such/file"); }}}) {
    Messages();
    EXPECT_NE(ACL_SUCCESS, row.call());
    const std::string text = Messages();
    EXPECT_EQ(0U, text.find(std::string(row.id) + ": ")) << text;
  }
}

class Log : public WithFiles {
 protected:
  void SetUp() override {
    WithFiles::SetUp();
    Start({});
  }
  void TearDown() override {
    Start({});
    WithFiles::TearDown();
  }
  // Starts with these variables and none of the others.
  void Start(const std::vector<std::pair<const char*, std::string>>& variables) {
    for (const char* name :
         {"ASCEND_GLOBAL_LOG_LEVEL", "ASCEND_SLOG_PRINT_TO_STDOUT", "ASCEND_PROCESS_LOG_PATH", "ASCEND_WORK_PATH"}) {
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) setenv(name, value.c_str(), 1);
    aclFinalize();
    Messages();
    ASSERT_OK(aclInit(nullptr));
  }
  // The lines of the process's file below a directory.
  static std::vector<std::string> Lines(const std::filesystem::path& directory) {
    std::vector<std::string> lines;
    const std::string beginning = "plog-" + std::to_string(getpid()) + "_";
    if (!std::filesystem::exists(directory / "debug" / "plog")) return lines;
    for (const auto& file : std::filesystem::directory_iterator(directory / "debug" / "plog")) {
      EXPECT_EQ(0U, file.path().filename().string().find(beginning)) << file.path();
      std::ifstream stream(file.path());
      for (std::string line; std::getline(stream, line);) lines.push_back(line);
    }
    return lines;
  }
};

TEST_F(Log, FileOfTheProcessHasTheProgramsLines) {
  Start({{"ASCEND_PROCESS_LOG_PATH", directory_.string()}});
  ACL_APP_LOG(ACL_ERROR, "value %d of %s", 7, "thing");
  ACL_APP_LOG(ACL_WARNING, "below the level");
  const std::vector<std::string> lines = Lines(directory_);
  ASSERT_EQ(1U, lines.size());
  EXPECT_EQ(0U, lines[0].find("[ERROR] APP(" + std::to_string(getpid()) + ",")) << lines[0];
  EXPECT_NE(std::string::npos, lines[0].find("[message_test.cc:")) << lines[0];
  EXPECT_NE(std::string::npos, lines[0].find("TestBody: value 7 of thing")) << lines[0];
}

TEST_F(Log, LevelIsTheConfigured) {
  for (int lowest = 0; lowest <= 4; ++lowest) {
    const std::filesystem::path directory = directory_ / std::to_string(lowest);
    Start({{"ASCEND_PROCESS_LOG_PATH", directory.string()}, {"ASCEND_GLOBAL_LOG_LEVEL", std::to_string(lowest)}});
    for (const aclLogLevel level : {ACL_DEBUG, ACL_INFO, ACL_WARNING, ACL_ERROR}) ACL_APP_LOG(level, "x");
    EXPECT_EQ(static_cast<std::size_t>(4 - lowest), Lines(directory).size()) << lowest;
  }
}

TEST_F(Log, LinesAreCutAfter1024Bytes) {
  Start({{"ASCEND_WORK_PATH", directory_.string()}});
  const std::string fits(1024, 'a');
  ACL_APP_LOG(ACL_ERROR, "%s", fits.c_str());
  ACL_APP_LOG(ACL_ERROR, "%sb", fits.c_str());
  ACL_APP_LOG(ACL_ERROR, "one\ntwo");
  const std::vector<std::string> lines = Lines(directory_ / "log");
  ASSERT_EQ(3U, lines.size());
  EXPECT_NE(std::string::npos, lines[0].find(fits));
  EXPECT_EQ(fits, lines[1].substr(lines[1].size() - 1024));
  EXPECT_NE(std::string::npos, lines[2].find("one two")) << "one message is one line";
}

TEST_F(Log, OddArgumentsAreHarmless) {
  Start({{"ASCEND_PROCESS_LOG_PATH", directory_.string()}});
  const char* none = nullptr;
  aclAppLog(ACL_ERROR, none, none, 0, "text");
  aclAppLog(ACL_ERROR, "f", "g", 0, none);
  aclAppLog(NoSuch<aclLogLevel>(4), "f", "g", 0, "x");
  aclAppLog(NoSuch<aclLogLevel>(-1), "f", "g", 0, "x");
  EXPECT_EQ(1U, Lines(directory_).size());
  Start({{"ASCEND_PROCESS_LOG_PATH", "/proc/no/such"}});
  aclAppLog(ACL_ERROR, "f", "g", 0, "nowhere to go");
}

TEST_F(Log, CallThatFailsIsOneLine) {
  Start({{"ASCEND_PROCESS_LOG_PATH", directory_.string()}});
  EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
  const std::vector<std::string> lines = Lines(directory_);
  ASSERT_EQ(1U, lines.size());
  for (const char* part : {"[ERROR] ASCENDCL(", "EE1001", "107001", "aclrtSetDevice"}) {
    EXPECT_NE(std::string::npos, lines[0].find(part)) << lines[0];
  }
}

TEST_F(Log, WhatIsConfiguredInVainIsAWarning) {
  Start({{"ASCEND_PROCESS_LOG_PATH", directory_.string()}, {"ASCEND_GLOBAL_LOG_LEVEL", "2"}});
  ASSERT_OK(aclFinalize());
  ASSERT_OK(aclInit(Write(R"({"profiler": {"switch": "on"}})").c_str()));
  const std::vector<std::string> lines = Lines(directory_);
  ASSERT_EQ(1U, lines.size());
  EXPECT_EQ(0U, lines[0].find("[WARNING] ASCENDCL(")) << lines[0];
  EXPECT_NE(std::string::npos, lines[0].find("profiler")) << lines[0];
}

TEST_F(Log, GoesToStandardOutputWhenToldSo) {
  Start({{"ASCEND_SLOG_PRINT_TO_STDOUT", "1"}, {"ASCEND_PROCESS_LOG_PATH", directory_.string()}});
  testing::internal::CaptureStdout();
  ACL_APP_LOG(ACL_ERROR, "seen");
  const std::string output = testing::internal::GetCapturedStdout();
  EXPECT_NE(std::string::npos, output.find("seen\n")) << output;
  EXPECT_TRUE(Lines(directory_).empty());
}

TEST_F(Log, IsQuietUnlessToldWhere) {
  testing::internal::CaptureStdout();
  ACL_APP_LOG(ACL_ERROR, "x");
  aclrtSetDevice(99);
  EXPECT_EQ("", testing::internal::GetCapturedStdout());
}

}  // namespace
}  // namespace conformance
