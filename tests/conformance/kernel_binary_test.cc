// Kernel binaries: loading, and everything that is refused.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "conformance/kernel_fixture.h"

namespace conformance {
namespace {

class Kernel : public WithKernels {};

class BadFile : public WithKernels {
 protected:
  void SetUp() override {
    WithKernels::SetUp();
    directory_ = std::filesystem::path(testing::TempDir()) / ("forebay_kernel_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
    std::ifstream file(KernelPath("basic_kernels"), std::ios::binary);
    good_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_GT(good_.size(), 1000U);
  }
  void TearDown() override {
    std::filesystem::remove_all(directory_);
    WithKernels::TearDown();
  }

  // Loading the file fails with `code`, and says which file and (all of) what.
  void ExpectRefused(const std::string& path, aclError code, const std::vector<std::string>& words) {
    Messages();
    auto binary = Untouched<aclrtBinHandle>();
    EXPECT_EQ(code, aclrtBinaryLoadFromFile(path.c_str(), nullptr, &binary)) << path;
    EXPECT_TRUE(IsUntouched(binary));
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find(path)) << text;
    EXPECT_NE(std::string::npos, text.find("aclrtBinaryLoadFromFile")) << text;
    for (const std::string& word : words)
      EXPECT_NE(std::string::npos, text.find(word)) << word << " is not in: " << text;
  }
  std::string Write(const std::string& name, std::string_view content) {
    const std::string path = (directory_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  std::filesystem::path directory_;
  std::string good_;
};

TEST_F(BadFile, Missing) { ExpectRefused((directory_ / "missing.o").string(), ACL_ERROR_RT_FILE_OPEN, {}); }
TEST_F(BadFile, Directory) { ExpectRefused(directory_.string(), ACL_ERROR_RT_FILE_OPEN, {}); }
TEST_F(BadFile, Empty) { ExpectRefused(Write("empty.o", ""), ACL_ERROR_RT_PARAM_INVALID, {}); }
TEST_F(BadFile, NoElf) { ExpectRefused(Write("text.o", std::string(5000, 'x')), ACL_ERROR_RT_PARAM_INVALID, {"ELF"}); }

TEST_F(BadFile, TruncatedAnywhere) {
  for (const std::size_t bytes : {1UL, 16UL, 63UL, 64UL, 200UL, good_.size() / 4, good_.size() / 2, good_.size() - 1}) {
    ExpectRefused(Write("truncated.o", std::string_view(good_).substr(0, bytes)), ACL_ERROR_RT_PARAM_INVALID, {});
  }
}

TEST_F(BadFile, OfAnotherMachine) {
  std::string other = good_;
  other[18] = static_cast<char>(0xF7);  // e_machine: BPF
  other[19] = 0;
  ExpectRefused(Write("other_machine.o", other), ACL_ERROR_RT_PARAM_INVALID, {"machine"});
}

TEST_F(BadFile, WithoutKernels) { ExpectRefused(KernelPath("bad_metadata"), ACL_ERROR_RT_PARAM_INVALID, {}); }
TEST_F(BadFile, NotLinked) { ExpectRefused(KernelPath("bad_relocatable"), ACL_ERROR_RT_PARAM_INVALID, {}); }
TEST_F(BadFile, WithoutItsEntry) { ExpectRefused(KernelPath("bad_entry"), ACL_ERROR_RT_PARAM_INVALID, {}); }
TEST_F(BadFile, NeedsALibrary) { ExpectRefused(KernelPath("bad_needed"), ACL_ERROR_RT_PARAM_INVALID, {"libstdc++"}); }
TEST_F(BadFile, CallsWhatKernelsMayNot) {
  ExpectRefused(KernelPath("bad_malloc"), ACL_ERROR_RT_PARAM_INVALID, {"malloc"});
}
TEST_F(BadFile, CallsTheRuntime) { ExpectRefused(KernelPath("bad_runtime_call"), ACL_ERROR_RT_PARAM_INVALID, {"acl"}); }

TEST_F(BadFile, ProgramIsNoKernel) {
  ExpectRefused(std::filesystem::read_symlink("/proc/self/exe").string(), ACL_ERROR_RT_PARAM_INVALID, {});
}

TEST_F(BadFile, UnreadableFile) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string path = Write("secret.o", good_);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  ExpectRefused(path, ACL_ERROR_RT_FILE_OPEN, {});
}

TEST_F(BadFile, SameBytesLoadFromMemory) {
  aclrtBinHandle binary = nullptr;
  std::string copy = good_;
  ASSERT_OK(aclrtBinaryLoadFromData(copy.data(), copy.size(), nullptr, &binary));
  std::memset(copy.data(), 0, copy.size());  // may be reused on return
  EXPECT_OK(Launch(Function(binary, "add_one"), stream_, Arguments()));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, (*words_)[0]);
}

TEST_F(BadFile, BadDataIsRefused) {
  auto binary = Untouched<aclrtBinHandle>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromData(nullptr, 10, nullptr, &binary));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromData(good_.data(), 0, nullptr, &binary));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromData(good_.data(), good_.size(), nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromData("short", 5, nullptr, &binary));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromData(good_.data(), good_.size() / 2, nullptr, &binary));
  EXPECT_TRUE(IsUntouched(binary));
}

TEST_F(Kernel, LoadRefusesNullAndBadOptions) {
  const std::string path = KernelPath("basic_kernels");
  auto binary = Untouched<aclrtBinHandle>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromFile(nullptr, nullptr, &binary));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromFile(path.c_str(), nullptr, nullptr));
  aclrtBinaryLoadOption option{};
  aclrtBinaryLoadOptions options{&option, 1};
  option.type = NoSuch<aclrtBinaryLoadOptionType>(99);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile(path.c_str(), &options, &binary));
  option.type = ACL_RT_BINARY_LOAD_OPT_MAGIC;
  option.value.magic = 1;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile(path.c_str(), &options, &binary));
  option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  option.value.cpuKernelMode = 3;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile(path.c_str(), &options, &binary));
  aclrtBinaryLoadOptions none{nullptr, 1};
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile(path.c_str(), &none, &binary));
  EXPECT_TRUE(IsUntouched(binary));
  option.type = ACL_RT_BINARY_LOAD_OPT_MAGIC;
  option.value.magic = ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE;
  EXPECT_OK(aclrtBinaryLoadFromFile(path.c_str(), &options, &binary));
}

TEST_F(Kernel, UnknownFunctionIsNamedWithTheKnownOnes) {
  auto function = Untouched<aclrtFuncHandle>();
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_KERNEL_LOOKUP, aclrtBinaryGetFunction(binary_, "no_such_kernel", &function));
  EXPECT_TRUE(IsUntouched(function));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("no_such_kernel")) << text;
  EXPECT_NE(std::string::npos, text.find("add_one")) << text;
}

TEST_F(Kernel, GetFunctionRefusesBadArguments) {
  auto function = Untouched<aclrtFuncHandle>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryGetFunction(binary_, nullptr, &function));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryGetFunction(binary_, "add_one", nullptr));
  InThread([&] {
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtBinaryGetFunction(binary_, "add_one", &function));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtBinaryUnLoad(binary_));
  });
  EXPECT_TRUE(IsUntouched(function));
}

TEST_F(Kernel, NameIsWrittenOnlyIntoEnoughRoom) {
  char name[16];
  EXPECT_OK(aclrtGetFunctionName(add_one_, 8, name));
  EXPECT_STREQ("add_one", name);
  std::memset(name, 'x', sizeof name);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetFunctionName(add_one_, 7, name));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetFunctionName(add_one_, 0, name));
  EXPECT_EQ('x', name[0]);
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetFunctionName(add_one_, 8, nullptr));
}

}  // namespace
}  // namespace conformance
