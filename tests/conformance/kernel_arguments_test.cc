// Argument lists of kernels.
#include "conformance/kernel_fixture.h"

namespace conformance {
namespace {

class Kernel : public WithKernels {};

TEST_F(Kernel, ListHandlesAreChecked) {
  void* data = words_->get();
  aclrtParamHandle parameter = nullptr;
  void* buffer = nullptr;
  const aclrtArgsHandle list = MakeList(add_one_, data, 1);
  std::vector<void*> handles = MadeUpHandles(list);
  handles.push_back(stream_);
  handles.push_back(add_one_);
  handles.push_back(nullptr);
  for (void* handle : handles) {
    const aclError code = handle == nullptr ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_INVALID_HANDLE;
    ASSERT_CODE(code, aclrtKernelArgsAppend(handle, &data, sizeof data, &parameter));
    ASSERT_CODE(code, aclrtKernelArgsAppendPlaceHolder(handle, &parameter));
    ASSERT_CODE(code, aclrtKernelArgsGetPlaceHolderBuffer(handle, handle == nullptr ? list : handle, 8, &buffer));
    ASSERT_CODE(code, aclrtKernelArgsParaUpdate(handle, handle == nullptr ? list : handle, &data, sizeof data));
    ASSERT_CODE(code, aclrtKernelArgsFinalize(handle));
    ASSERT_CODE(code, aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, handle, nullptr));
    // As the handle of a parameter of a good list.
    ASSERT_CODE(code, aclrtKernelArgsGetPlaceHolderBuffer(list, handle, 8, &buffer));
    ASSERT_CODE(code, aclrtKernelArgsParaUpdate(list, handle, &data, sizeof data));
  }
  EXPECT_EQ(nullptr, parameter);
  EXPECT_EQ(nullptr, buffer);
}

TEST_F(Kernel, ListRefusesNullAndZero) {
  void* data = words_->get();
  aclrtArgsHandle list = nullptr;
  aclrtParamHandle parameter = nullptr;
  void* buffer = nullptr;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInit(add_one_, nullptr));
  ASSERT_OK(aclrtKernelArgsInit(add_one_, &list));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppend(list, nullptr, 8, &parameter));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppend(list, &data, 0, &parameter));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppend(list, &data, 8, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppendPlaceHolder(list, nullptr));
  ASSERT_OK(aclrtKernelArgsAppend(list, &data, 8, &parameter));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsParaUpdate(list, parameter, nullptr, 8));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsParaUpdate(list, parameter, &data, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsGetPlaceHolderBuffer(list, parameter, 0, &buffer));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsGetPlaceHolderBuffer(list, parameter, 8, nullptr));
}

TEST_F(Kernel, ListNamesWhatDoesNotFit) {
  void* data = words_->get();
  aclrtArgsHandle list = nullptr;
  auto parameter = Untouched<aclrtParamHandle>();
  ASSERT_OK(aclrtKernelArgsInit(add_one_, &list));
  for (const std::size_t bytes : {1UL, 4UL, 16UL, SIZE_MAX}) {
    Messages();
    EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsAppend(list, &data, bytes, &parameter));
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find("add_one")) << text;
    EXPECT_NE(std::string::npos, text.find("8 bytes")) << text;
  }
  EXPECT_TRUE(IsUntouched(parameter));
  ASSERT_OK(aclrtKernelArgsAppend(list, &data, sizeof data, &parameter));
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsFinalize(list)) << "one is missing";
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("takes 2 arguments")) << text;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, list, nullptr));
  uint32_t n = 1;
  ASSERT_OK(aclrtKernelArgsAppend(list, &n, sizeof n, &parameter));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsAppend(list, &n, sizeof n, &parameter)) << "it is full";
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsAppendPlaceHolder(list, &parameter)) << "it is full";
}

TEST_F(Kernel, ListOfAnotherKernelIsRefused) {
  const aclrtArgsHandle list = MakeList(add_one_, words_->get(), 1);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtLaunchKernelWithConfig(Function(binary_, "append"), 1, stream_, nullptr, list, nullptr));
}

TEST_F(Kernel, UpdateChangesLaterLaunchesOnly) {
  aclrtArgsHandle list = nullptr;
  aclrtParamHandle data_handle = nullptr;
  aclrtParamHandle n_handle = nullptr;
  void* data = words_->get();
  uint32_t n = 1;
  ASSERT_OK(aclrtKernelArgsInit(add_one_, &list));
  ASSERT_OK(aclrtKernelArgsAppend(list, &data, sizeof data, &data_handle));
  ASSERT_OK(aclrtKernelArgsAppend(list, &n, sizeof n, &n_handle));
  ASSERT_OK(aclrtKernelArgsFinalize(list));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, list, nullptr));
  n = 2;
  ASSERT_OK(aclrtKernelArgsParaUpdate(list, n_handle, &n, sizeof n));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsParaUpdate(list, n_handle, &data, sizeof data));
  ASSERT_OK(aclrtKernelArgsFinalize(list));
  ASSERT_OK(aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, list, nullptr));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(2U, (*words_)[0]);
  EXPECT_EQ(1U, (*words_)[1]);
}

TEST_F(Kernel, PlaceholderDataTravelsWithTheList) {
  aclrtArgsHandle list = nullptr;
  aclrtParamHandle parameter = nullptr;
  aclrtParamHandle placeholder = nullptr;
  const aclrtFuncHandle copy = Function(binary_, "copy_words");
  void* destination = words_->get();
  uint32_t n = 4;
  ASSERT_OK(aclrtKernelArgsInit(copy, &list));
  ASSERT_OK(aclrtKernelArgsAppend(list, &destination, sizeof destination, &parameter));
  ASSERT_OK(aclrtKernelArgsAppendPlaceHolder(list, &placeholder));
  ASSERT_OK(aclrtKernelArgsAppend(list, &n, sizeof n, &parameter));
  void* buffer = nullptr;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsGetPlaceHolderBuffer(list, parameter, 16, &buffer))
      << "no place holder";
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsGetPlaceHolderBuffer(list, placeholder, SIZE_MAX, &buffer));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtKernelArgsGetPlaceHolderBuffer(list, placeholder, SIZE_MAX - 40, &buffer));
  ASSERT_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, placeholder, 16, &buffer));
  const uint32_t values[4] = {11, 12, 13, 14};
  std::memcpy(buffer, values, sizeof values);
  ASSERT_OK(aclrtKernelArgsFinalize(list));
  EXPECT_OK(aclrtLaunchKernelWithConfig(copy, 1, stream_, nullptr, list, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(values[i], (*words_)[i]);
}

TEST_F(Kernel, ListsNeedNoEnd) {
  // There is no call that ends a list. A program that makes one per launch must not run out.
  for (int i = 0; i < 50000; ++i) {
    const aclrtArgsHandle list = MakeList(add_one_, words_->get(), 1);
    if (i % 1000 != 0) continue;
    ASSERT_OK(aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, list, nullptr));
  }
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(50U, (*words_)[0]);
}

}  // namespace
}  // namespace conformance
