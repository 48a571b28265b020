// Argument lists of kernels.
#include "conformance/kernel_fixture.h"

namespace conformance {
namespace {

class Kernel : public WithKernels {};

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

// ---- In the caller's memory ----

class UserMemory : public WithKernels {
 protected:
  void SetUp() override {
    WithKernels::SetUp();
    ASSERT_OK(aclrtKernelArgsGetHandleMemSize(add_one_, &handle_bytes_));
    ASSERT_OK(aclrtKernelArgsGetMemSize(add_one_, 16, &bytes_));
    handle_.resize(handle_bytes_);
    memory_.resize(bytes_);
    ASSERT_OK(aclrtKernelArgsInitByUserMem(add_one_, handle_.data(), memory_.data(), bytes_));
  }
  void AppendAll() {
    void* data = words_->get();
    uint32_t n = 1;
    ASSERT_OK(aclrtKernelArgsAppend(handle_.data(), &data, sizeof data, &first_));
    ASSERT_OK(aclrtKernelArgsAppend(handle_.data(), &n, sizeof n, &second_));
    ASSERT_OK(aclrtKernelArgsFinalize(handle_.data()));
  }
  aclError LaunchList() { return aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, handle_.data(), nullptr); }

  std::size_t handle_bytes_ = 0;
  std::size_t bytes_ = 0;
  std::vector<char> handle_;
  std::vector<char> memory_;
  aclrtParamHandle first_ = nullptr;
  aclrtParamHandle second_ = nullptr;
};

TEST_F(UserMemory, HoldsAListLikeAnyOther) {
  AppendAll();
  EXPECT_OK(LaunchList());
  const uint32_t two = 2;
  ASSERT_OK(aclrtKernelArgsParaUpdate(handle_.data(), second_, const_cast<uint32_t*>(&two), sizeof two));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, LaunchList()) << "not finalised again";
  ASSERT_OK(aclrtKernelArgsFinalize(handle_.data()));
  EXPECT_OK(LaunchList());
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(2U, (*words_)[0]);
  EXPECT_EQ(1U, (*words_)[1]);
}

TEST_F(UserMemory, BeginsAnew) {
  AppendAll();
  EXPECT_OK(LaunchList());
  ASSERT_OK(aclrtKernelArgsInitByUserMem(add_one_, handle_.data(), memory_.data(), bytes_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, LaunchList()) << "it is empty again";
  AppendAll();
  EXPECT_OK(LaunchList());
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(2U, (*words_)[0]);
}

TEST_F(UserMemory, PlaceholderBufferLiesInIt) {
  const aclrtFuncHandle copy = Function(binary_, "copy_words");
  ASSERT_OK(aclrtKernelArgsGetMemSize(copy, 24 + 16, &bytes_));
  memory_.resize(bytes_);
  ASSERT_OK(aclrtKernelArgsInitByUserMem(copy, handle_.data(), memory_.data(), bytes_));
  void* destination = words_->get();
  uint32_t n = 4;
  void* buffer = nullptr;
  ASSERT_OK(aclrtKernelArgsAppend(handle_.data(), &destination, sizeof destination, &first_));
  ASSERT_OK(aclrtKernelArgsAppendPlaceHolder(handle_.data(), &second_));
  ASSERT_OK(aclrtKernelArgsAppend(handle_.data(), &n, sizeof n, &first_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtKernelArgsGetPlaceHolderBuffer(handle_.data(), second_, bytes_, &buffer));
  ASSERT_OK(aclrtKernelArgsGetPlaceHolderBuffer(handle_.data(), second_, 16, &buffer));
  EXPECT_GE(buffer, static_cast<void*>(memory_.data()));
  EXPECT_LE(static_cast<char*>(buffer) + 16, memory_.data() + bytes_);
  const uint32_t values[4] = {1, 2, 3, 4};
  std::memcpy(buffer, values, sizeof values);
  ASSERT_OK(aclrtKernelArgsFinalize(handle_.data()));
  EXPECT_OK(aclrtLaunchKernelWithConfig(copy, 1, stream_, nullptr, handle_.data(), nullptr));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(4U, (*words_)[3]);
}

TEST_F(UserMemory, IsChecked) {
  char* const handle = handle_.data();
  char* const memory = memory_.data();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInitByUserMem(nullptr, handle, memory, bytes_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInitByUserMem(add_one_, nullptr, memory, bytes_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInitByUserMem(add_one_, handle, nullptr, bytes_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInitByUserMem(add_one_, handle, memory, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsInitByUserMem(add_one_, handle, memory, 11));
  EXPECT_OK(aclrtKernelArgsInitByUserMem(add_one_, handle, memory, 12));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtKernelArgsInitByUserMem(stream_, handle, memory, bytes_));
  auto size = Untouched<std::size_t>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsGetHandleMemSize(add_one_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsGetMemSize(add_one_, 0, &size));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsGetMemSize(add_one_, 8, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsGetMemSize(add_one_, SIZE_MAX, &size));
  EXPECT_TRUE(IsUntouched(size));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtKernelArgsFinalize(memory)) << "not what was named a handle";
}

// ---- Limits ----

TEST_F(Kernel, ListHolds128Arguments) {
  aclrtArgsHandle list = nullptr;
  aclrtParamHandle parameter = nullptr;
  const aclrtBinHandle binary = Load("argument_kernels");
  const aclrtFuncHandle many = Function(binary, "many");
  ASSERT_OK(aclrtKernelArgsInit(many, &list));
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 128; ++i) {
    uint32_t value = 1000 - i;
    expected += value * (i + 1);
    ASSERT_OK(aclrtKernelArgsAppend(list, &value, sizeof value, &parameter)) << i;
  }
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsAppend(list, &expected, sizeof expected, &parameter));
  ASSERT_OK(aclrtKernelArgsFinalize(list));
  EXPECT_OK(aclrtLaunchKernelWithConfig(many, 1, stream_, nullptr, list, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  void* sum = nullptr;
  ASSERT_OK(aclrtBinaryGetGlobal(binary, "many_sum", &sum, nullptr));
  uint32_t value = 0;
  ASSERT_OK(aclrtMemcpy(&value, sizeof value, sum, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(expected, value);
}

TEST_F(Kernel, ListsLastAsLongAsTheirKernel) {
  // There is no call that ends a list. A program that makes one per launch must not run out, nor lose the first ones.
  const aclrtArgsHandle first = MakeList(add_one_, words_->get(), 1);
  for (int i = 0; i < 50000; ++i) {
    const aclrtArgsHandle list = MakeList(add_one_, words_->get(), 1);
    if (i % 1000 != 0) continue;
    ASSERT_OK(aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, list, nullptr));
  }
  ASSERT_OK(aclrtLaunchKernelWithConfig(add_one_, 1, stream_, nullptr, first, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(51U, (*words_)[0]);
  ASSERT_OK(aclrtBinaryUnLoad(binary_));
  binary_ = Load("basic_kernels");
  const aclrtFuncHandle again = Function(binary_, "add_one");
  for (int i = 0; i < 50000; ++i) MakeList(again, words_->get(), 1);
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtKernelArgsFinalize(first)) << "its kernel has gone";
}

TEST_F(UserMemory, NamesTheListBegunLast) {
  AppendAll();
  for (int i = 0; i < 5000; ++i)
    ASSERT_OK(aclrtKernelArgsInitByUserMem(add_one_, handle_.data(), memory_.data(), bytes_));
  AppendAll();
  EXPECT_OK(LaunchList());
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, (*words_)[0]);
}

TEST_F(UserMemory, MayBeSaidToBeOfAnySize) {
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 31, SIZE_MAX / 2, std::size_t{1} << 33}) {
    ASSERT_OK(aclrtKernelArgsInitByUserMem(add_one_, handle_.data(), memory_.data(), bytes));
    uint32_t n = 1;
    void* buffer = nullptr;
    ASSERT_OK(aclrtKernelArgsAppendPlaceHolder(handle_.data(), &first_));
    ASSERT_OK(aclrtKernelArgsAppend(handle_.data(), &n, sizeof n, &second_));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
                aclrtKernelArgsGetPlaceHolderBuffer(handle_.data(), first_, SIZE_MAX - 64, &buffer));
    ASSERT_OK(aclrtKernelArgsGetPlaceHolderBuffer(handle_.data(), first_, std::size_t{1} << 29, &buffer));
    ASSERT_OK(aclrtKernelArgsFinalize(handle_.data()));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, LaunchList()) << "too much for a task";
  }
}

}  // namespace
}  // namespace conformance
