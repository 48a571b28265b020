// What the program is told of failing tasks while they fail, and what it may ask then.
#include <unistd.h>

#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

struct Told {
  const char* by;
  uint32_t task;
  uint32_t stream;
  uint32_t thread;
  uint32_t device;
  uint32_t code;
};

// Callbacks may run in any thread, but before the synchronise that the test waits in returns.
std::vector<Told> told;
std::function<void(aclrtExceptionInfo*)> in_callback;

void Note(const char* by, aclrtExceptionInfo* info) {
  told.push_back({by, aclrtGetTaskIdFromExceptionInfo(info), aclrtGetStreamIdFromExceptionInfo(info),
                  aclrtGetThreadIdFromExceptionInfo(info), aclrtGetDeviceIdFromExceptionInfo(info),
                  aclrtGetErrorCodeFromExceptionInfo(info)});
  if (in_callback) in_callback(info);
}
void First(aclrtExceptionInfo* info) { Note("first", info); }
void Second(aclrtExceptionInfo* info) { Note("second", info); }
void OfBinary(aclrtExceptionInfo* info, void* name) { Note(static_cast<const char*>(name), info); }
void* Name(const char* name) { return const_cast<char*>(name); }

std::string Tellers() {
  std::string all;
  for (const Told& one : told) all += std::string(all.empty() ? "" : " ") + one.by;
  return all;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
aclError SetSingle(aclrtExceptionInfoCallback callback) { return aclrtSetExceptionInfoCallback(callback); }
#pragma GCC diagnostic pop

class ExceptionCallback : public WithStream {
 protected:
  void SetUp() override {
    WithStream::SetUp();
    told.clear();
    in_callback = nullptr;
  }
  void TearDown() override {
    SetSingle(nullptr);
    aclrtExceptionInfoCallbackUnregister(First);
    aclrtExceptionInfoCallbackUnregister(Second);
    in_callback = nullptr;
    WithStream::TearDown();
  }
  // A kernel that fails, and the code of the synchronise.
  aclError Fail() {
    EXPECT_OK(LaunchTrap(stream_));
    const aclError code = aclrtSynchronizeStream(stream_);
    Messages();
    return code;
  }
};

TEST_F(ExceptionCallback, TellsWhatFailedBeforeTheSynchroniseReturns) {
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  ASSERT_OK(LaunchAddOne(stream_));
  uint32_t submitter = 0;
  InThread([&] {
    submitter = static_cast<uint32_t>(gettid());
    ASSERT_OK(aclrtSetDevice(0));
    ASSERT_OK(LaunchTrap(stream_));
  });
  ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  ASSERT_EQ(1U, told.size());
  int32_t stream = -1;
  ASSERT_OK(aclrtStreamGetId(stream_, &stream));
  EXPECT_EQ(1U, told[0].task);
  EXPECT_EQ(static_cast<uint32_t>(stream), told[0].stream);
  EXPECT_EQ(submitter, told[0].thread);
  EXPECT_EQ(0U, told[0].device);
  EXPECT_EQ(static_cast<uint32_t>(ACL_ERROR_RT_AICORE_EXCEPTION), told[0].code);
}

TEST_F(ExceptionCallback, EveryFailureIsToldAndNothingElse) {
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(nullptr));
  for (int i = 0; i < 3; ++i) ASSERT_OK(LaunchTrap(stream_));
  ASSERT_OK(LaunchTrap(nullptr));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeDevice());
  EXPECT_EQ(4U, told.size());
}

TEST_F(ExceptionCallback, SeveralFunctionsAreEachCalledOnce) {
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(Second));
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  Fail();
  EXPECT_EQ("first second", Tellers());
  told.clear();
  ASSERT_OK(aclrtExceptionInfoCallbackUnregister(First));
  EXPECT_OK(aclrtExceptionInfoCallbackUnregister(First)) << "one that is not registered changes nothing";
  Fail();
  EXPECT_EQ("second", Tellers());
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtExceptionInfoCallbackRegister(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtExceptionInfoCallbackUnregister(nullptr));
}

TEST_F(ExceptionCallback, OlderFormHasAPlaceOfItsOwn) {
  ASSERT_OK(SetSingle(Second));
  ASSERT_OK(SetSingle(First));
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  Fail();
  EXPECT_EQ("first first", Tellers());
  told.clear();
  ASSERT_OK(SetSingle(nullptr));
  Fail();
  EXPECT_EQ("first", Tellers());
}

TEST_F(ExceptionCallback, OfABinaryIsForItsKernels) {
  ASSERT_OK(aclrtBinarySetExceptionCallback(fault_, OfBinary, Name("older")));
  ASSERT_OK(aclrtBinarySetExceptionCallback(fault_, OfBinary, Name("fault")));
  ASSERT_OK(aclrtBinarySetExceptionCallback(basic_, OfBinary, Name("basic")));
  Fail();
  EXPECT_EQ("fault", Tellers());
  told.clear();
  ASSERT_OK(Launch(add_one_, stream_, DataAndCount{nullptr, 1}));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ("basic", Tellers());
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinarySetExceptionCallback(nullptr, OfBinary, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinarySetExceptionCallback(basic_, nullptr, nullptr));
  const aclrtBinHandle unloaded = Load("basic_kernels");
  ASSERT_OK(aclrtBinaryUnLoad(unloaded));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtBinarySetExceptionCallback(unloaded, OfBinary, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtBinarySetExceptionCallback(stream_, OfBinary, nullptr));
}

// What a callback found out of the kernel.
struct Kernel {
  aclError args_code = -1;
  aclError copy_code = -1;
  aclError name_code = -1;
  uint32_t bytes = 0;
  std::vector<uint64_t> arguments;
  std::string name;
};

void AskForKernel(aclrtExceptionInfo* info, Kernel* kernel) {
  void* address = nullptr;
  kernel->args_code = aclrtGetArgsFromExceptionInfo(info, &address, &kernel->bytes);
  kernel->arguments.assign((kernel->bytes + 7) / 8, 0);
  if (kernel->args_code == ACL_SUCCESS) {
    kernel->copy_code =
        aclrtMemcpy(kernel->arguments.data(), kernel->bytes, address, kernel->bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  }
  aclrtFuncHandle function = nullptr;
  char name[64] = "";
  kernel->name_code = aclrtGetFuncHandleFromExceptionInfo(info, &function);
  if (kernel->name_code == ACL_SUCCESS) kernel->name_code = aclrtGetFunctionName(function, sizeof name, name);
  kernel->name = name;
}

TEST_F(ExceptionCallback, KernelAndItsArgumentsCanBeAskedFor) {
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  Kernel kernel;
  in_callback = [&](aclrtExceptionInfo* info) { AskForKernel(info, &kernel); };
  uint64_t bad = 0x1234567;
  ASSERT_OK(Launch(Function(fault_, "read_address"), stream_, bad));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(ACL_SUCCESS, kernel.args_code);
  EXPECT_EQ(ACL_SUCCESS, kernel.copy_code);
  EXPECT_EQ(ACL_SUCCESS, kernel.name_code);
  EXPECT_EQ("read_address", kernel.name);
  ASSERT_EQ(sizeof bad, kernel.bytes);
  EXPECT_EQ(bad, kernel.arguments[0]);
}

TEST_F(ExceptionCallback, LongArgumentsComeWhole) {
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  Kernel kernel;
  in_callback = [&](aclrtExceptionInfo* info) { AskForKernel(info, &kernel); };
  struct {
    uint64_t out = 0;
    uint8_t bytes[300];
  } arguments;
  for (int i = 0; i < 300; ++i) arguments.bytes[i] = static_cast<uint8_t>(i);
  ASSERT_OK(Launch(Function(basic_, "large_struct"), stream_, arguments));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_)) << "it writes at 0";
  ASSERT_EQ(ACL_SUCCESS, kernel.args_code);
  ASSERT_GE(kernel.bytes, 308U);
  EXPECT_EQ(0, std::memcmp(kernel.arguments.data(), &arguments, 308));
}

TEST_F(ExceptionCallback, ArgumentsOnTheDeviceAreThoseOfTheProgram) {
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  void* address = nullptr;
  uint32_t bytes = 0;
  in_callback = [&](aclrtExceptionInfo* info) { aclrtGetArgsFromExceptionInfo(info, &address, &bytes); };
  const DataAndCount arguments{nullptr, 1};
  ASSERT_OK(aclrtMemcpy(device_arguments_, sizeof arguments, &arguments, sizeof arguments, ACL_MEMCPY_HOST_TO_DEVICE));
  ASSERT_OK(aclrtLaunchKernel(add_one_, 1, device_arguments_, sizeof arguments, stream_));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(device_arguments_, address);
  EXPECT_EQ(sizeof arguments, bytes);
}

TEST_F(ExceptionCallback, TaskThatIsNoKernelHasNoArguments) {
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  aclError args = ACL_SUCCESS;
  aclError function = ACL_SUCCESS;
  auto address = Untouched<void*>();
  auto handle = Untouched<aclrtFuncHandle>();
  in_callback = [&](aclrtExceptionInfo* info) {
    uint32_t bytes = 0;
    args = aclrtGetArgsFromExceptionInfo(info, &address, &bytes);
    function = aclrtGetFuncHandleFromExceptionInfo(info, &handle);
  };
  ASSERT_OK(aclrtStreamWaitEventWithTimeout(stream_, flagged_event_, 1));
  EXPECT_EQ(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream_));
  ASSERT_EQ(1U, told.size());
  EXPECT_EQ(static_cast<uint32_t>(ACL_ERROR_RT_WAIT_TIMEOUT), told[0].code);
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, args);
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, function);
  EXPECT_TRUE(IsUntouched(address));
  EXPECT_TRUE(IsUntouched(handle));
}

TEST_F(ExceptionCallback, StreamsAndDevicesAreRefusedInsideOne) {
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  std::vector<aclError> codes;
  std::string text;
  in_callback = [&](aclrtExceptionInfo*) {
    aclrtStream stream = nullptr;
    aclrtContext context = nullptr;
    codes = {aclrtSynchronizeStream(stream_),
             aclrtSynchronizeStream(nullptr),
             aclrtSynchronizeDevice(),
             aclrtSynchronizeEvent(event_),
             aclrtRecordEvent(event_, stream_),
             LaunchTrap(stream_),
             aclrtStreamAbort(stream_),
             aclrtCreateStream(&stream),
             aclrtDestroyStream(stream_),
             aclrtCreateContext(&context, 0),
             aclrtSetDevice(1),
             aclrtResetDeviceForce(0),
             aclFinalize(),
             aclInit(nullptr)};
    text = Messages();
    void* memory = nullptr;
    codes.push_back(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS &&
                            aclrtFree(memory) == ACL_SUCCESS
                        ? ACL_ERROR_RT_PARAM_INVALID
                        : ACL_SUCCESS);
  };
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, Fail());
  EXPECT_EQ(std::vector<aclError>(15, ACL_ERROR_RT_PARAM_INVALID), codes);
  EXPECT_NE(std::string::npos, text.find("an exception callback uses a stream")) << text;
  in_callback = nullptr;
  EXPECT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_)) << "and nothing of it lasts";
}

TEST_F(ExceptionCallback, DroppedTasksAreNotToldUnderStop) {
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(LaunchTrap(stream_));
  ASSERT_OK(LaunchTrap(stream_));
  gate.Open();
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, told.size());
}

TEST_F(ExceptionCallback, NullHasNoNumbers) {
  using Number = uint32_t (*)(const aclrtExceptionInfo*);
  for (const Number number : {Number{aclrtGetTaskIdFromExceptionInfo}, Number{aclrtGetStreamIdFromExceptionInfo},
                              Number{aclrtGetThreadIdFromExceptionInfo}, Number{aclrtGetDeviceIdFromExceptionInfo},
                              Number{aclrtGetErrorCodeFromExceptionInfo}}) {
    EXPECT_EQ(0xFFFFFFFFU, number(nullptr));
    EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  }
  auto address = Untouched<void*>();
  uint32_t bytes = 0;
  aclrtFuncHandle function = nullptr;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetArgsFromExceptionInfo(nullptr, &address, &bytes));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetFuncHandleFromExceptionInfo(nullptr, &function));
  EXPECT_TRUE(IsUntouched(address));
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(First));
  std::vector<aclError> codes;
  in_callback = [&](aclrtExceptionInfo* info) {
    codes = {aclrtGetArgsFromExceptionInfo(info, nullptr, &bytes),
             aclrtGetArgsFromExceptionInfo(info, &address, nullptr),
             aclrtGetFuncHandleFromExceptionInfo(info, nullptr)};
  };
  Fail();
  EXPECT_EQ(std::vector<aclError>(3, ACL_ERROR_INVALID_PARAM), codes);
}

TEST_F(ExceptionCallback, DeviceSaysWhatHasGoneWrong) {
  const auto type = [](int32_t device) {
    aclrtErrorInfo info;
    EXPECT_OK(aclrtGetErrorVerbose(device, &info));
    EXPECT_EQ(0, info.tryRepair);
    EXPECT_EQ(info.errorType == ACL_RT_ERROR_AICORE, info.hasDetail != 0);
    return info.errorType;
  };
  EXPECT_EQ(ACL_RT_NO_ERROR, type(0));
  Fail();
  EXPECT_EQ(ACL_RT_ERROR_AICORE, type(0));
  EXPECT_EQ(ACL_RT_NO_ERROR, type(1)) << "one that is off";
  ASSERT_OK(aclrtResetDeviceForce(0));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_EQ(ACL_RT_NO_ERROR, type(0));
  aclrtErrorInfo info;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetErrorVerbose(0, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetErrorVerbose(99, &info));
}

}  // namespace
}  // namespace conformance
