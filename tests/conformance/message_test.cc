// Ids of messages, and the log: the program's own lines and those of failing calls.
#include <sys/wait.h>

#include <atomic>
#include <cstdio>
#include <set>
#include <thread>

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
         {"ASCEND_GLOBAL_LOG_LEVEL", "ASCEND_MODULE_LOG_LEVEL", "ASCEND_GLOBAL_EVENT_ENABLE",
          "ASCEND_SLOG_PRINT_TO_STDOUT", "ASCEND_PROCESS_LOG_PATH", "ASCEND_WORK_PATH", "ASCEND_HOST_LOG_FILE_NUM"}) {
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) setenv(name, value.c_str(), 1);
    aclFinalize();
    Messages();
    ASSERT_OK(aclInit(nullptr));
  }
  static std::set<std::filesystem::path> Files(const std::filesystem::path& directory, const char* kind = "debug") {
    std::set<std::filesystem::path> files;
    if (!std::filesystem::exists(directory / kind / "plog")) return files;
    for (const auto& file : std::filesystem::directory_iterator(directory / kind / "plog")) files.insert(file.path());
    return files;
  }
  // The lines of the files of a process, which are all files, below a directory.
  static std::vector<std::string> Lines(const std::filesystem::path& directory, const char* kind = "debug",
                                        pid_t process = getpid()) {
    std::vector<std::string> lines;
    const std::string beginning = "plog-" + std::to_string(process) + "_";
    for (const auto& file : Files(directory, kind)) {
      EXPECT_EQ(0U, file.filename().string().find(beginning)) << file;
      std::ifstream stream(file);
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

TEST_F(Log, ModulesHaveLevelsOfTheirOwn) {
  struct Row {
    const char* levels;
    std::size_t lines;  // of a warning of the program and an error of a call
  };
  int row_number = 0;
  for (const Row& row : {Row{"APP=2", 2}, Row{"APP=2:ASCENDCL=4", 1}, Row{"GE=0:APP=0", 2}, Row{"ASCENDCL=4", 0},
                         Row{"APP=2:ASCENDCL=5", 1}, Row{"APP = 2", 1}, Row{"APP=2,ASCENDCL=2", 1}, Row{"APP", 1},
                         Row{"=2", 1}, Row{"APP=2::GE=1", 1}, Row{"", 1}}) {
    const std::filesystem::path directory = directory_ / std::to_string(row_number++);
    Start({{"ASCEND_PROCESS_LOG_PATH", directory.string()}, {"ASCEND_MODULE_LOG_LEVEL", row.levels}});
    ACL_APP_LOG(ACL_WARNING, "x");
    aclrtSetDevice(99);
    EXPECT_EQ(row.lines, Lines(directory).size()) << row.levels;
  }
}

TEST_F(Log, EventsHaveFilesOfTheirOwn) {
  for (const char* enabled : {"", "1", "0"}) {
    const std::filesystem::path directory = directory_ / (std::string("events") + enabled);
    Start({{"ASCEND_PROCESS_LOG_PATH", directory.string()}, {"ASCEND_GLOBAL_EVENT_ENABLE", enabled}});
    ASSERT_OK(aclrtSetDevice(0));
    ASSERT_OK(aclrtResetDevice(0));
    const std::vector<std::string> lines = Lines(directory, "run");
    EXPECT_TRUE(Lines(directory).empty());
    if (std::string(enabled) == "0") {
      EXPECT_TRUE(lines.empty());
      continue;
    }
    ASSERT_EQ(2U, lines.size());
    EXPECT_EQ(0U, lines[0].find("[EVENT] RUNTIME(")) << lines[0];
    EXPECT_NE(std::string::npos, lines[0].find("device 0 is started")) << lines[0];
    EXPECT_NE(std::string::npos, lines[1].find("device 0 is ended")) << lines[1];
  }
}

TEST_F(Log, FailedTaskIsOneErrorAndItsReturnIsNone) {
  Start({{"ASCEND_PROCESS_LOG_PATH", directory_.string()}, {"ASCEND_GLOBAL_LOG_LEVEL", "1"}});
  ASSERT_OK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(Launch(Function(Load("fault_kernels"), "read_address"), stream, static_cast<void*>(nullptr)));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
  EXPECT_NE("", Messages());
  const std::vector<std::string> lines = Lines(directory_);
  ASSERT_EQ(2U, lines.size());
  for (const char* part : {"[ERROR] RUNTIME(", "507015", "stream ", "kernel read_address"}) {
    EXPECT_NE(std::string::npos, lines[0].find(part)) << lines[0];
  }
  EXPECT_EQ(0U, lines[1].find("[INFO] ASCENDCL(")) << lines[1];
  EXPECT_OK(aclrtDestroyStream(stream));
  EXPECT_OK(aclrtResetDevice(0));
}

TEST_F(Log, FullFileIsFollowedByAnotherAndTheOldestGoes) {
  Start({{"ASCEND_PROCESS_LOG_PATH", directory_.string()}, {"ASCEND_HOST_LOG_FILE_NUM", "2"}});
  const std::string text(1024, 'a');
  const auto files_after = [&](int lines) {
    for (int i = 0; i < lines; ++i) ACL_APP_LOG(ACL_ERROR, "%s", text.c_str());
    return Files(directory_);
  };
  constexpr int kNearlyFull = (20 << 20) / 1200;
  const auto first = files_after(kNearlyFull);
  ASSERT_EQ(1U, first.size());
  EXPECT_EQ(2U, files_after(kNearlyFull / 2).size());
  const auto last = files_after(kNearlyFull);
  EXPECT_EQ(2U, last.size());
  EXPECT_FALSE(last.contains(*first.begin()));
  for (const auto& file : last) EXPECT_LE(std::filesystem::file_size(file), 20U << 20);
}

// Other threads write while this one forks, so that a lock which the child inherited would never be opened.
TEST_F(Log, ForkedChildWritesAFileOfItsOwn) {
  Start({{"ASCEND_PROCESS_LOG_PATH", directory_.string()}});
  // The parent's file is open before a child empties the directory.
  ACL_APP_LOG(ACL_ERROR, "parent");
  std::atomic<bool> stops{false};
  std::thread writer([&] {
    while (!stops.load()) ACL_APP_LOG(ACL_ERROR, "parent");
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      std::filesystem::remove_all(directory_);
      ACL_APP_LOG(ACL_ERROR, "child");
      const std::vector<std::string> lines = Lines(directory_);
      _exit(lines.size() == 1 && lines[0].find(": child") != std::string::npos ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
  }
  stops = true;
  writer.join();
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
