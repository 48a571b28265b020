// Kernel functions and launches.
#include <atomic>

#include "conformance/kernel_fixture.h"

namespace conformance {
namespace {

class Kernel : public WithKernels {};

TEST_F(Kernel, UnloadLetsQueuedLaunchesRun) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(Launch(add_one_, stream_, Arguments()));
  EXPECT_OK(aclrtBinaryUnLoad(binary_));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, (*words_)[0]);
}

TEST_F(Kernel, UnloadedWhileOtherThreadsLaunch) {
  std::atomic<aclrtFuncHandle> shared{add_one_};
  std::atomic<bool> stop{false};
  std::vector<std::thread> users;
  for (int i = 0; i < 2; ++i) {
    users.emplace_back([&] {
      ASSERT_OK(aclrtSetDevice(0));
      aclrtStream stream = nullptr;
      ASSERT_OK(aclrtCreateStream(&stream));
      char name[32];
      while (!stop.load()) {
        const aclrtFuncHandle function = shared.load();
        aclError code = Launch(function, stream, Arguments());
        EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_INVALID_HANDLE) << code << Messages();
        code = aclrtGetFunctionName(function, sizeof name, name);
        EXPECT_TRUE(code == ACL_ERROR_RT_INVALID_HANDLE || (code == ACL_SUCCESS && std::string(name) == "add_one"))
            << code << Messages();
      }
      const aclError code = aclrtSynchronizeStream(stream);
      EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_INVALID_DEVICE_FUNCTION) << code << Messages();
    });
  }
  aclrtBinHandle current = binary_;
  for (int i = 0; i < 30; ++i) {
    const aclrtBinHandle next = Load("basic_kernels");
    shared = Function(next, "add_one");
    EXPECT_OK(aclrtBinaryUnLoad(current));
    current = next;
  }
  stop = true;
  for (std::thread& user : users) user.join();
}

// ---- Launching ----

TEST_F(Kernel, ArgumentsComeFromTheDeviceTheHostOrAList) {
  DataAndCount arguments = Arguments();
  void* on_device = nullptr;
  ASSERT_OK(aclrtMalloc(&on_device, sizeof arguments, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtMemcpy(on_device, sizeof arguments, &arguments, sizeof arguments, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_OK(aclrtLaunchKernel(add_one_, 1, on_device, sizeof arguments, stream_));
  EXPECT_OK(Launch(add_one_, stream_, arguments));
  EXPECT_OK(aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, MakeList(add_one_, words_->get(), 1), nullptr));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(3U, (*words_)[0]);
}

TEST_F(Kernel, HostArgumentsMayBeReusedOnReturn) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  DataAndCount arguments = Arguments();
  ASSERT_OK(aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, nullptr, &arguments, sizeof arguments, nullptr, 0));
  std::memset(&arguments, 0, sizeof arguments);
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, (*words_)[0]);
}

TEST_F(Kernel, LaunchRefusesNullAndZero) {
  DataAndCount arguments = Arguments();
  const aclrtArgsHandle list = MakeList(add_one_, words_->get(), 1);
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernel(add_one_, 0, words_->get(), 12, stream_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernel(add_one_, 1, nullptr, 12, stream_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernel(add_one_, 1, words_->get(), 0, stream_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithConfig(add_one_, 0, stream_, nullptr, list, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithConfig(nullptr, 1, stream_, nullptr, list, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtLaunchKernelWithHostArgs(add_one_, 0, stream_, nullptr, &arguments, 12, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, nullptr, nullptr, 12, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, nullptr, &arguments, 0, nullptr, 0));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(0U, (*words_)[0]);
}

TEST_F(Kernel, MoreThan65535BlocksAreRefused) {
  DataAndCount arguments = Arguments();
  const aclrtArgsHandle list = MakeList(add_one_, words_->get(), 1);
  for (const uint32_t blocks : {65536U, UINT32_MAX}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernel(add_one_, blocks, words_->get(), 12, stream_));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
                aclrtLaunchKernelWithConfig(add_one_, blocks, stream_, nullptr, list, nullptr));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
                aclrtLaunchKernelWithHostArgs(add_one_, blocks, stream_, nullptr, &arguments, 12, nullptr, 0));
  }
  EXPECT_OK(aclrtLaunchKernelWithHostArgs(add_one_, 65535, stream_, nullptr, &arguments, 12, nullptr, 0));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, (*words_)[0]);
}

TEST_F(Kernel, WrongSizeOfArgumentsIsNamed) {
  DataAndCount arguments = Arguments();
  for (const std::size_t bytes : {1UL, 8UL, 11UL, 17UL, 1000UL, SIZE_MAX, SIZE_MAX - 7, SIZE_MAX / 2}) {
    Messages();
    EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID,
              aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, nullptr, &arguments, bytes, nullptr, 0))
        << bytes;
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find("add_one")) << text;
    EXPECT_NE(std::string::npos, text.find("12 bytes")) << text;
    EXPECT_NE(std::string::npos, text.find(std::to_string(bytes))) << text;
    EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernel(add_one_, 1, words_->get(), bytes, stream_)) << bytes;
  }
}

TEST_F(Kernel, ArgumentsThatAreNotOnTheDeviceFailTheLaunchOnly) {
  DataAndCount on_host = Arguments();
  EXPECT_OK(aclrtLaunchKernel(add_one_, 1, &on_host, sizeof on_host, stream_));
  if (!IsInline()) {
    EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(stream_));
  }
  aclrtSynchronizeStream(stream_);
  EXPECT_OK(aclrtLaunchKernel(add_one_, 1, reinterpret_cast<void*>(0x1000), sizeof on_host, stream_));
  EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(stream_));
  EXPECT_OK(Launch(add_one_, stream_, Arguments()));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(Kernel, PlaceholdersPointIntoTheArguments) {
  struct {
    void* destination;
    void* source;
    uint32_t n;
    uint32_t padding;
    uint32_t data[4];
  } arguments{words_->get(), nullptr, 4, 0, {5, 6, 7, 8}};
  aclrtPlaceHolderInfo placeholder{8, 24};
  ASSERT_OK(aclrtLaunchKernelWithHostArgs(Function(binary_, "copy_words"), 1, stream_, nullptr, &arguments,
                                          sizeof arguments, &placeholder, 1));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(5 + i, (*words_)[i]);
}

TEST_F(Kernel, BadPlaceholdersAreRefused) {
  struct {
    void* data;
    uint32_t n;
    uint32_t padding;
  } arguments{words_->get(), 1, 0};
  for (const aclrtPlaceHolderInfo bad :
       {aclrtPlaceHolderInfo{16, 0}, {12, 0}, {4, 8}, {0, 16}, {0, UINT32_MAX}, {UINT32_MAX, 0}, {UINT32_MAX - 7, 8}}) {
    aclrtPlaceHolderInfo placeholder = bad;
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, nullptr, &arguments,
                                                                          sizeof arguments, &placeholder, 1))
        << bad.addrOffset << " " << bad.dataOffset;
  }
  aclrtPlaceHolderInfo many[200] = {};
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, nullptr, &arguments, 16, many, 200));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, nullptr, &arguments, 16, many, SIZE_MAX));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, nullptr, &arguments, 16, nullptr, 1));
}

TEST_F(Kernel, ConfigurationIsChecked) {
  DataAndCount arguments = Arguments();
  const aclrtArgsHandle list = MakeList(add_one_, words_->get(), 1);
  const auto launch = [&](std::vector<aclrtLaunchKernelAttr> attributes) {
    aclrtLaunchKernelCfg config{attributes.data(), attributes.size()};
    const aclError by_list = aclrtLaunchKernelWithConfig(add_one_, 1, stream_, &config, list, nullptr);
    EXPECT_EQ(by_list,
              aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, &config, &arguments, sizeof arguments, nullptr, 0));
    return by_list;
  };
  const auto attribute = [](aclrtLaunchKernelAttrId id, uint16_t value) {
    aclrtLaunchKernelAttr made{};
    made.id = id;
    made.value.timeout = value;
    return made;
  };
  EXPECT_CODE(ACL_SUCCESS, launch({}));
  EXPECT_CODE(ACL_SUCCESS, launch({attribute(ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 1),
                                   attribute(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, 5)}));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, launch({attribute(NoSuch<aclrtLaunchKernelAttrId>(0), 1)}));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, launch({attribute(NoSuch<aclrtLaunchKernelAttrId>(10), 1)}));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, launch({attribute(ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 2)}));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, launch({attribute(ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, 2)}));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, launch({attribute(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, 1),
                                                  attribute(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, 1)}));
  aclrtLaunchKernelCfg none{nullptr, 1};
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithConfig(add_one_, 1, stream_, &none, list, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, list, &none));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(Kernel, EveryFaultNamesTheKernel) {
  const aclrtBinHandle faults = Load("fault_kernels");
  for (const char* name : {"read_null", "trap", "overflow_stack", "call_abort", "call_exit", "assert_false"}) {
    const aclrtFuncHandle function = Function(faults, name);
    aclrtArgsHandle list = nullptr;
    ASSERT_OK(aclrtKernelArgsInit(function, &list));
    ASSERT_OK(aclrtKernelArgsFinalize(list));
    ASSERT_OK(aclrtLaunchKernelWithConfig(function, 1, stream_, nullptr, list, nullptr));
    Messages();
    EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_)) << name;
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find(name)) << text;
  }
}

}  // namespace
}  // namespace conformance
