// Codes that no other test provokes: every code there is at a call, and what takes an unusual program.
#include <condition_variable>
#include <mutex>

#include "acl/acl_rt_allocator.h"
#include "conformance/kernel_fixture.h"
#include "forebay/fault_injection.h"

namespace conformance {
namespace {

struct CodeRow {
  aclError code;
  const char* name;
};
constexpr CodeRow kCodes[] = {
#define FOREBAY_CODE(enumerator, number, name, meaning) {number, name},
#include "forebay/codes.def"
#undef FOREBAY_CODE
};

TEST(Provoke, EveryCodeCanBeReturnedByACall) {
  for (const CodeRow& row : kCodes) {
    if (row.code == ACL_SUCCESS) continue;
    const std::string fault = "api_error@call=aclrtGetDeviceCount,code=" + std::to_string(row.code) + ",count=1";
    const forebay::Status armed = forebay::InjectFaults(fault);
    ASSERT_TRUE(armed.ok()) << armed.ToString();
    auto count = Untouched<uint32_t>();
    EXPECT_EQ(row.code, aclrtGetDeviceCount(&count));
    EXPECT_TRUE(IsUntouched(count));
    EXPECT_EQ(row.code, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find(row.name)) << text;
    forebay::RemoveFaults();
    EXPECT_OK(aclrtGetDeviceCount(&count));
  }
}

TEST(Provoke, DescriptionsOfAllocatorsRunOut) {
  std::vector<aclrtAllocatorDesc> descriptions;
  aclrtAllocatorDesc description = nullptr;
  while (descriptions.size() < 1U << 20 && (description = aclrtAllocatorCreateDesc()) != nullptr)
    descriptions.push_back(description);
  EXPECT_EQ(nullptr, description);
  EXPECT_EQ(ACL_ERROR_BAD_ALLOC, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  for (const aclrtAllocatorDesc one : descriptions) EXPECT_OK(aclrtAllocatorDestroyDesc(one));
  description = aclrtAllocatorCreateDesc();
  EXPECT_NE(nullptr, description);
  EXPECT_OK(aclrtAllocatorDestroyDesc(description));
  Messages();
}

class SmallQueue : public WithKernels {
 protected:
  void SetUp() override { Start("\"queue_depth\": 64"); }
  aclError LaunchOn(void* memory) { return Launch(add_one_, stream_, DataAndCount{memory, 1}); }
};

// The queue cannot drain before the function has returned, so that waiting for room would never end.
TEST_F(SmallQueue, AHostFunctionThatFillsItsOwnQueueIsTold) {
  struct Filler {
    aclrtStream stream;
    aclrtEvent event = nullptr;
    aclrtContext context = nullptr;
    int accepted = 0;
    aclError code = ACL_SUCCESS;
  } filler{stream_};
  ASSERT_OK(aclrtCreateEvent(&filler.event));
  ASSERT_OK(aclrtGetCurrentContext(&filler.context));
  ASSERT_OK(aclrtLaunchHostFunc(
      stream_,
      [](void* argument) {
        auto& state = *static_cast<Filler*>(argument);
        state.code = aclrtSetCurrentContext(state.context);
        while (state.accepted < 1000 && state.code == ACL_SUCCESS) {
          state.code = aclrtRecordEvent(state.event, state.stream);
          state.accepted += state.code == ACL_SUCCESS ? 1 : 0;
        }
      },
      &filler));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(ACL_ERROR_RT_STREAM_TASK_FULL, filler.code);
  EXPECT_GT(filler.accepted, 0);
  EXPECT_LE(filler.accepted, 64);
  EXPECT_OK(aclrtSynchronizeEvent(filler.event));
  EXPECT_OK(LaunchOn(words_->get()));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_OK(aclrtDestroyEvent(filler.event));
}

// While the callback of one failure runs, a later failure waits for its turn, and its arguments are overwritten.
TEST_F(SmallQueue, ArgumentsOfAFailureThatIsLongPastAreNotGiven) {
  if (IsInline()) GTEST_SKIP() << "the device tells of failures in the thread that submits";
  static std::mutex mutex;
  static std::condition_variable changed;
  static int calls;
  static bool open;
  static aclError code;
  calls = 0;
  open = false;
  code = ACL_SUCCESS;
  const auto callback = [](aclrtExceptionInfo* info) {
    std::unique_lock lock(mutex);
    ++calls;
    changed.notify_all();
    changed.wait(lock, [] { return open; });
    void* address = nullptr;
    uint32_t bytes = 0;
    if (calls == 2) code = aclrtGetArgsFromExceptionInfo(info, &address, &bytes);
  };
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(callback));
  ASSERT_OK(LaunchOn(nullptr));
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return calls == 1; });
  }
  ASSERT_OK(LaunchOn(nullptr));
  for (int i = 0; i < 200; ++i) ASSERT_OK(LaunchOn(words_->get()));
  {
    std::unique_lock lock(mutex);
    open = true;
    changed.notify_all();
  }
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(2, calls);
  EXPECT_EQ(ACL_ERROR_RT_RINGBUFFER_NO_DATA, code);
  EXPECT_OK(aclrtExceptionInfoCallbackUnregister(callback));
}

}  // namespace
}  // namespace conformance
