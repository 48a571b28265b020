// Options of the process and of contexts.
#include "conformance/support.h"

namespace conformance {
namespace {

using SystemOption = WithDevice;

TEST_F(SystemOption, OfAContextIsUnsetUntilItIsSet) {
  auto value = Untouched<int64_t>();
  EXPECT_CODE(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_TRUE(IsUntouched(value));
  EXPECT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 3));
  EXPECT_OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(3, value);
  EXPECT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
  EXPECT_OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(0, value);
  EXPECT_CODE(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value));
}

TEST_F(SystemOption, BelongsToItsContext) {
  EXPECT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, 1));
  aclrtContext other = nullptr;
  ASSERT_OK(aclrtCreateContext(&other, 0));
  int64_t value = -1;
  EXPECT_CODE(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value));
  EXPECT_OK(aclrtSetDevice(0));
  InThread([&] {
    ASSERT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value));
    EXPECT_EQ(1, value) << "threads share a context and its options";
  });
  // The next context of the device knows nothing of it.
  EXPECT_OK(aclrtResetDeviceForce(0));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value));
}

TEST_F(SystemOption, OfTheProcessBeginsAt0AndIsItsOwn) {
  int64_t value = -1;
  EXPECT_OK(aclrtGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value));
  EXPECT_EQ(0, value);
  EXPECT_OK(aclrtSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 1));
  InThread([&] {
    EXPECT_OK(aclrtGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value));
    EXPECT_EQ(1, value) << "without a device as well";
  });
  EXPECT_CODE(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value));
  EXPECT_OK(aclrtSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 0));
}

TEST_F(SystemOption, IsChecked) {
  using Set = aclError (*)(aclSysParamOpt, int64_t);
  for (const Set set : {Set{aclrtCtxSetSysParamOpt}, Set{aclrtSetSysParamOpt}}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, set(ACL_OPT_DETERMINISTIC, 4));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, set(ACL_OPT_DETERMINISTIC, -1));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, set(ACL_OPT_ENABLE_DEBUG_KERNEL, 2));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, set(NoSuch<aclSysParamOpt>(4), 0));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, set(NoSuch<aclSysParamOpt>(-1), 0));
  }
  using Get = aclError (*)(aclSysParamOpt, int64_t*);
  for (const Get get : {Get{aclrtCtxGetSysParamOpt}, Get{aclrtGetSysParamOpt}}) {
    auto value = Untouched<int64_t>();
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, get(ACL_OPT_DETERMINISTIC, nullptr));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, get(NoSuch<aclSysParamOpt>(4), &value));
    EXPECT_TRUE(IsUntouched(value));
  }
  InThread([] {
    int64_t value = 0;
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  });
}

}  // namespace
}  // namespace conformance
