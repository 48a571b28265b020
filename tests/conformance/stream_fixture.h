// A stream, and all that work for it needs.
#pragma once

#include "conformance/support.h"

namespace conformance {

class WithStream : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtCreateStream(&stream_));
    basic_ = Load("basic_kernels");
    fault_ = Load("fault_kernels");
    add_one_ = Function(basic_, "add_one");
    trap_ = Function(fault_, "trap");
    ASSERT_OK(aclrtCreateEvent(&event_));
    ASSERT_OK(aclrtRecordEvent(event_, nullptr));
    ASSERT_OK(aclrtCreateEventWithFlag(&flagged_event_, ACL_EVENT_SYNC));
    ASSERT_OK(aclrtMalloc(&memory_, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_OK(aclrtMallocHost(&pinned_, 64));
    DataAndCount arguments{memory_, 1};
    ASSERT_OK(aclrtKernelArgsInit(add_one_, &list_));
    aclrtParamHandle parameter = nullptr;
    ASSERT_OK(aclrtKernelArgsAppend(list_, &arguments.data, sizeof arguments.data, &parameter));
    ASSERT_OK(aclrtKernelArgsAppend(list_, &arguments.n, sizeof arguments.n, &parameter));
    ASSERT_OK(aclrtKernelArgsFinalize(list_));
    ASSERT_OK(aclrtKernelArgsInit(trap_, &no_arguments_));
    ASSERT_OK(aclrtKernelArgsFinalize(no_arguments_));
    ASSERT_OK(aclrtMemset(memory_, 64, 0, 64));
    ASSERT_OK(aclrtMalloc(&device_arguments_, sizeof arguments, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_OK(
        aclrtMemcpy(device_arguments_, sizeof arguments, &arguments, sizeof arguments, ACL_MEMCPY_HOST_TO_DEVICE));
  }

  aclError LaunchTrap(aclrtStream stream) {
    return aclrtLaunchKernelWithConfig(trap_, 1, stream, nullptr, no_arguments_, nullptr);
  }
  // A kernel that never ends by itself.
  aclError LaunchLoop(aclrtStream stream) {
    const aclrtFuncHandle loop = Function(fault_, "loop_forever");
    aclrtArgsHandle list = nullptr;
    EXPECT_OK(aclrtKernelArgsInit(loop, &list));
    EXPECT_OK(aclrtKernelArgsFinalize(list));
    return aclrtLaunchKernelWithConfig(loop, 1, stream, nullptr, list, nullptr);
  }
  aclError LaunchAddOne(aclrtStream stream) { return Launch(add_one_, stream, DataAndCount{memory_, 1}); }
  uint32_t FirstWord() {
    uint32_t value = 0;
    EXPECT_OK(aclrtMemcpy(&value, sizeof value, memory_, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
  }

  aclrtStream stream_ = nullptr;
  aclrtBinHandle basic_ = nullptr;
  aclrtBinHandle fault_ = nullptr;
  aclrtFuncHandle add_one_ = nullptr;
  aclrtFuncHandle trap_ = nullptr;
  aclrtEvent event_ = nullptr;
  aclrtEvent flagged_event_ = nullptr;
  aclrtArgsHandle list_ = nullptr;
  aclrtArgsHandle no_arguments_ = nullptr;
  void* memory_ = nullptr;
  void* pinned_ = nullptr;
  void* device_arguments_ = nullptr;
};

}  // namespace conformance
