// A kernel binary, and all that its launches need.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "conformance/support.h"

namespace conformance {

// Starts with these parameters, in JSON, of the object "forebay".
inline aclError InitWith(const std::string& parameters) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("forebay_kernels_" + std::to_string(getpid()));
  std::ofstream(path) << "{\"forebay\": {" << parameters << "}}";
  const aclError code = aclInit(path.c_str());
  std::filesystem::remove(path);
  return code;
}

class WithKernels : public WithDevice {
 protected:
  void SetUp() override { Start(""); }
  void Start(const std::string& parameters) {
    words_.reset();  // of a start before this one
    ASSERT_OK(InitWith(parameters));
    ASSERT_OK(aclrtSetDevice(0));
    ASSERT_OK(aclrtCreateStream(&stream_));
    binary_ = Load("basic_kernels");
    add_one_ = Function(binary_, "add_one");
    words_ = std::make_unique<Words>(64);
  }
  void TearDown() override {
    words_.reset();
    WithDevice::TearDown();
  }

  aclrtArgsHandle MakeList(aclrtFuncHandle function, void* data, uint32_t n) {
    aclrtArgsHandle list = nullptr;
    aclrtParamHandle parameter = nullptr;
    EXPECT_OK(aclrtKernelArgsInit(function, &list));
    EXPECT_OK(aclrtKernelArgsAppend(list, &data, sizeof data, &parameter));
    EXPECT_OK(aclrtKernelArgsAppend(list, &n, sizeof n, &parameter));
    EXPECT_OK(aclrtKernelArgsFinalize(list));
    return list;
  }
  DataAndCount Arguments() const { return {words_->get(), 1}; }

  aclrtStream stream_ = nullptr;
  aclrtBinHandle binary_ = nullptr;
  aclrtFuncHandle add_one_ = nullptr;
  std::unique_ptr<Words> words_;
};

}  // namespace conformance
