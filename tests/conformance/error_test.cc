// The last error and the recent messages: whose they are, in what order, and when they are gone.
#include <cstdio>

#include "conformance/support.h"

namespace conformance {
namespace {

std::string WriteConfiguration(const std::string& name, const std::string& content) {
  const std::string path = testing::TempDir() + "/forebay_error_test_" + name + ".json";
  FILE* file = std::fopen(path.c_str(), "w");
  EXPECT_NE(nullptr, file);
  std::fputs(content.c_str(), file);
  std::fclose(file);
  return path;
}

class Errors : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    Messages();
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }
};

TEST_F(Errors, LastErrorBeginsAt0InEveryThread) {
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(nullptr));
  InThread([] { EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)); });
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
}

TEST_F(Errors, LastErrorIsTheNewestAndIsReadOnce) {
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(nullptr));
  EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
  EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_EQ(ACL_SUCCESS, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

TEST_F(Errors, SuccessDoesNotClearTheLastError) {
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(nullptr));
  EXPECT_OK(aclrtSynchronizeDevice());
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

TEST_F(Errors, OtherLevelsAreRefused) {
  EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclrtGetLastError(NoSuch<aclrtLastErrLevel>(1)));
  EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclrtPeekAtLastError(NoSuch<aclrtLastErrLevel>(-1)));
}

TEST_F(Errors, FailureOfTheWorkIsTheLastErrorOfTheThreadThatWaits) {
  const aclrtFuncHandle trap = Function(Load("fault_kernels"), "trap");
  aclrtArgsHandle list = nullptr;
  ASSERT_OK(aclrtKernelArgsInit(trap, &list));
  ASSERT_OK(aclrtKernelArgsFinalize(list));
  ASSERT_OK(aclrtLaunchKernelWithConfig(trap, 1, nullptr, nullptr, list, nullptr));
  InThread([] {
    ASSERT_OK(aclrtSetDevice(0));
    EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  });
  EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
}

TEST_F(Errors, NoMessageWithoutAFailure) { EXPECT_EQ(nullptr, aclGetRecentErrMsg()); }

TEST_F(Errors, MessagesComeNewestFirstAndOnce) {
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(nullptr));
  EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
  const std::string text = Messages();
  const std::size_t newest = text.find("aclrtSetDevice");
  const std::size_t oldest = text.find("aclrtFree");
  ASSERT_NE(std::string::npos, newest) << text;
  ASSERT_NE(std::string::npos, oldest) << text;
  EXPECT_LT(newest, oldest) << text;
  EXPECT_EQ(nullptr, aclGetRecentErrMsg());
}

TEST_F(Errors, MessagesAreNeverStale) {
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(nullptr));
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
  EXPECT_EQ(std::string::npos, Messages().find("aclrtFree"));
}

TEST_F(Errors, MessagesBelongToTheThread) {
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(nullptr));
  InThread([] {
    EXPECT_EQ(nullptr, aclGetRecentErrMsg());
    EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
  });
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("aclrtFree")) << text;
  EXPECT_EQ(std::string::npos, text.find("aclrtSetDevice")) << text;
}

TEST_F(Errors, TextStaysUntilItIsAskedForAgain) {
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(nullptr));
  const char* text = aclGetRecentErrMsg();
  ASSERT_NE(nullptr, text);
  const std::string copy = text;
  for (int i = 0; i < 100; ++i) aclrtSetDevice(99);
  EXPECT_EQ(copy, text);
}

TEST_F(Errors, MessageHasIdCodeNameAndAdvice) {
  EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
  const std::string text = Messages();
  for (const char* part : {"EE1001", "107001", "INVALID_DEVICEID", "device 99", "use 0 to 7"}) {
    EXPECT_NE(std::string::npos, text.find(part)) << part << " is not in: " << text;
  }
}

TEST_F(Errors, ManyFailuresAreBounded) {
  for (int i = 0; i < 100000; ++i) aclrtFree(nullptr);
  EXPECT_LT(Messages().size(), 100000U);
}

TEST(ErrorsOfTheProcess, AreSharedByItsThreads) {
  const std::string path = WriteConfiguration("process", R"({"err_msg_mode": "1"})");
  ASSERT_OK(aclInit(path.c_str()));
  InThread([] { EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99)); });
  EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)) << "the code is the thread's all the same";
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("aclrtSetDevice")) << text;
  EXPECT_EQ(nullptr, aclGetRecentErrMsg());
  InThread([] { EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99)); });
  EXPECT_OK(aclFinalize());
  // What was not read goes with the mode.
  ASSERT_OK(aclInit(nullptr));
  EXPECT_EQ(nullptr, aclGetRecentErrMsg());
  EXPECT_OK(aclFinalize());
  ASSERT_OK(aclInit(path.c_str()));
  EXPECT_EQ(nullptr, aclGetRecentErrMsg());
  EXPECT_OK(aclFinalize());
  std::remove(path.c_str());
}

TEST(ErrorsOfTheProcess, AreReadByManyThreads) {
  const std::string path = WriteConfiguration("threads", R"({"err_msg_mode": "1"})");
  ASSERT_OK(aclInit(path.c_str()));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 500; ++i) {
        if (t == 0) {
          aclGetRecentErrMsg();
        } else {
          aclrtSetDevice(99);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_OK(aclFinalize());
  std::remove(path.c_str());
}

}  // namespace
}  // namespace conformance
