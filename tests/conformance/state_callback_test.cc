// Functions of the program that are called when a device or a stream comes or goes.
#include "conformance/support.h"

namespace conformance {
namespace {

// One call, as "name state device or stream".
using Calls = std::vector<std::pair<std::string, int>>;

class StateCallback : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(aclInit(nullptr));
    calls.clear();
    streams.clear();
    in_callback = nullptr;
  }
  void TearDown() override {
    in_callback = nullptr;
    aclFinalize();
    for (const char* name : {"a", "b"}) {
      aclrtRegDeviceStateCallback(name, nullptr, nullptr);
      aclrtRegStreamStateCallback(name, nullptr, nullptr);
    }
    Messages();
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }

  static void OnDevice(int32_t device, aclrtDeviceState state, void* name) {
    calls.emplace_back(static_cast<const char*>(name) + std::to_string(device), state);
    if (in_callback) in_callback(state);
  }
  static void OnStream(aclrtStream stream, aclrtStreamState state, void* name) {
    calls.emplace_back(static_cast<const char*>(name), state);
    streams.push_back(stream);
    if (in_callback) in_callback(state);
  }
  static void* Name(const char* name) { return const_cast<char*>(name); }

  inline static Calls calls;
  inline static std::vector<aclrtStream> streams;
  inline static std::function<void(int)> in_callback;
};

TEST_F(StateCallback, DeviceTellsOfItsFirstSetAndLastReset) {
  ASSERT_OK(aclrtRegDeviceStateCallback("a", OnDevice, Name("a")));
  ASSERT_OK(aclrtSetDevice(1));
  const Calls started = {{"a1", ACL_RT_DEVICE_STATE_SET_PRE}, {"a1", ACL_RT_DEVICE_STATE_SET_POST}};
  EXPECT_EQ(started, calls);
  ASSERT_OK(aclrtSetDevice(1));
  ASSERT_OK(aclrtResetDevice(1));
  EXPECT_EQ(started, calls) << "the device goes on";
  calls.clear();
  ASSERT_OK(aclrtResetDevice(1));
  const Calls ended = {{"a1", ACL_RT_DEVICE_STATE_RESET_PRE}, {"a1", ACL_RT_DEVICE_STATE_RESET_POST}};
  EXPECT_EQ(ended, calls);
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(1));
  EXPECT_EQ(ended, calls) << "what fails changes nothing";
  ASSERT_OK(aclrtSetDevice(1));
  calls.clear();
  ASSERT_OK(aclFinalize());
  EXPECT_EQ(ended, calls);
}

TEST_F(StateCallback, DeviceCanBeUsedWhileItIsThere) {
  void* memory = nullptr;
  aclrtStream stream = nullptr;
  std::vector<aclError> codes;
  in_callback = [&](int state) {
    if (state == ACL_RT_DEVICE_STATE_SET_POST) {
      codes = {aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), aclrtCreateStream(&stream)};
    } else if (state == ACL_RT_DEVICE_STATE_RESET_PRE) {
      codes = {aclrtMemsetAsync(memory, 64, 1, 64, stream), aclrtSynchronizeStream(stream), aclrtDestroyStream(stream),
               aclrtFree(memory), aclrtSynchronizeDevice()};
    }
  };
  ASSERT_OK(aclrtRegDeviceStateCallback("a", OnDevice, Name("a")));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_EQ((std::vector<aclError>{0, 0}), codes) << Messages();
  ASSERT_OK(aclrtResetDevice(0));
  EXPECT_EQ((std::vector<aclError>{0, 0, 0, 0, 0}), codes) << Messages();
}

TEST_F(StateCallback, DevicesAreNotSetOrResetInOne) {
  std::vector<aclError> codes;
  in_callback = [&](int) {
    aclrtContext context = nullptr;
    codes = {aclrtSetDevice(0),        aclrtSetDevice(1), aclrtResetDevice(0),
             aclrtResetDeviceForce(0), aclFinalize(),     aclrtCreateContext(&context, 1)};
  };
  ASSERT_OK(aclrtRegDeviceStateCallback("a", OnDevice, Name("a")));
  ASSERT_OK(aclrtRegStreamStateCallback("a", OnStream, Name("s")));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_EQ(std::vector<aclError>(6, ACL_ERROR_RT_PARAM_INVALID), codes);
  EXPECT_NE(std::string::npos, Messages().find("a callback on a device or stream sets a device"));
  codes.clear();
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  EXPECT_EQ(std::vector<aclError>(6, ACL_ERROR_RT_PARAM_INVALID), codes);
  ASSERT_OK(aclrtSynchronizeDevice());
}

TEST_F(StateCallback, StreamTellsWhenItIsMadeAndBeforeItIsDestroyed) {
  ASSERT_OK(aclrtSetDevice(0));
  ASSERT_OK(aclrtRegStreamStateCallback("a", OnStream, Name("a")));
  ASSERT_OK(aclrtRegStreamStateCallback("b", OnStream, Name("b")));
  aclError used = -1;
  in_callback = [&](int) {
    int32_t id = -1;
    used = aclrtStreamGetId(streams.back(), &id);
    if (used == ACL_SUCCESS) used = aclrtSynchronizeStream(streams.back());
  };
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  EXPECT_EQ((Calls{{"a", ACL_RT_STREAM_STATE_CREATE_POST}, {"b", ACL_RT_STREAM_STATE_CREATE_POST}}), calls);
  EXPECT_EQ((std::vector<aclrtStream>{stream, stream}), streams);
  EXPECT_EQ(ACL_SUCCESS, used) << Messages();
  calls.clear();
  used = -1;
  ASSERT_OK(aclrtRegStreamStateCallback("a", nullptr, nullptr));
  ASSERT_OK(aclrtDestroyStream(stream));
  EXPECT_EQ((Calls{{"b", ACL_RT_STREAM_STATE_DESTROY_PRE}}), calls);
  EXPECT_EQ(ACL_SUCCESS, used) << Messages();
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream(stream));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(nullptr));
  EXPECT_EQ(1U, calls.size()) << "what fails changes nothing";
}

TEST_F(StateCallback, DefaultStreamsTellToo) {
  ASSERT_OK(aclrtRegStreamStateCallback("a", OnStream, Name("a")));
  aclError used = -1;
  in_callback = [&](int) { used = aclrtSynchronizeStream(nullptr); };
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_EQ((Calls{{"a", ACL_RT_STREAM_STATE_CREATE_POST}}), calls);
  EXPECT_EQ(ACL_SUCCESS, used) << Messages();
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  aclrtStream made = nullptr;
  ASSERT_OK(aclrtCtxGetCurrentDefaultStream(&made));
  EXPECT_EQ(2U, calls.size());
  EXPECT_EQ(made, streams.back());
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  calls.clear();
  used = -1;
  ASSERT_OK(aclrtDestroyContext(context));
  EXPECT_EQ(2U, calls.size()) << "it had two streams";
  EXPECT_EQ(ACL_SUCCESS, used) << Messages();
  calls.clear();
  ASSERT_OK(aclrtResetDeviceForce(0));
  EXPECT_EQ((Calls{{"a", ACL_RT_STREAM_STATE_DESTROY_PRE}}), calls);
}

TEST_F(StateCallback, NamesAreChecked) {
  const auto check = [](auto reg, auto callback) {
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, reg(nullptr, callback, nullptr));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, reg("", callback, nullptr));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, reg("a", nullptr, nullptr)) << "nothing to take back";
    EXPECT_OK(reg("a", callback, nullptr));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, reg("a", callback, nullptr)) << "the name is taken";
    EXPECT_OK(reg("a", nullptr, nullptr));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, reg("a", nullptr, nullptr));
  };
  check(aclrtRegDeviceStateCallback, OnDevice);
  check(aclrtRegStreamStateCallback, OnStream);
}

}  // namespace
}  // namespace conformance
