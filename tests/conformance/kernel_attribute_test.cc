// What can be asked about kernel binaries and functions, and where they lie on the device.
#include <algorithm>
#include <iterator>

#include "conformance/kernel_fixture.h"
#include "forebay/launch.h"

namespace conformance {
namespace {

class KernelAttribute : public WithKernels {
 protected:
  void SetUp() override {
    WithKernels::SetUp();
    launch_ = Load("argument_kernels");
  }
  static std::string Bytes(const std::string& name) {
    std::ifstream file(KernelPath(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static int64_t Attribute(aclrtFuncHandle function, aclrtFuncAttribute attribute) {
    int64_t value = -1;
    EXPECT_OK(aclrtGetFunctionAttribute(function, attribute, &value));
    return value;
  }
  static int64_t Type(aclrtFuncHandle function) { return Attribute(function, ACL_FUNC_ATTR_KERNEL_TYPE); }
  static aclrtBinHandle LoadWith(const std::string& name, aclrtBinaryLoadOptionType type, uint32_t value) {
    aclrtBinaryLoadOption option{};
    option.type = type;
    option.value.rsv[0] = value;
    aclrtBinaryLoadOptions options{&option, 1};
    aclrtBinHandle binary = nullptr;
    EXPECT_OK(aclrtBinaryLoadFromFile(KernelPath(name).c_str(), &options, &binary));
    return binary;
  }
  uint32_t Run(aclrtFuncHandle function) {
    void* out = words_->get();
    void* values[] = {&out};
    EXPECT_OK(aclrtLaunchKernelWithArgsArray(function, 1, stream_, nullptr, values));
    EXPECT_OK(aclrtSynchronizeStream(stream_));
    return (*words_)[0];
  }

  aclrtBinHandle launch_ = nullptr;
};

// ---- Functions ----

TEST_F(KernelAttribute, TypeAndRatioAreThoseOfTheSource) {
  EXPECT_EQ(ACL_KERNEL_TYPE_AICORE, Type(add_one_));
  EXPECT_EQ(ACL_KERNEL_TYPE_CUBE, Type(Function(binary_, "cube_cores")));
  EXPECT_EQ(ACL_KERNEL_TYPE_VECTOR, Type(Function(launch_, "vector_trap")));
  const aclrtFuncHandle mix = Function(launch_, "one_to_two");
  EXPECT_EQ(ACL_KERNEL_TYPE_MIX, Type(mix));
  EXPECT_EQ(1 << 16 | 2, Attribute(mix, ACL_FUNC_ATTR_KERNEL_RATIO));
  EXPECT_EQ(0, Attribute(add_one_, ACL_FUNC_ATTR_KERNEL_RATIO));
  EXPECT_EQ(0, Attribute(add_one_, ACL_FUNC_ATTR_KERNEL_SCHED_MODE));
  const aclrtBinHandle vector =
      LoadWith("basic_kernels", ACL_RT_BINARY_LOAD_OPT_MAGIC, ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE);
  EXPECT_EQ(ACL_KERNEL_TYPE_VECTOR, Type(Function(vector, "add_one")));
  EXPECT_EQ(ACL_KERNEL_TYPE_CUBE, Type(Function(vector, "cube_cores")));
  auto value = Untouched<int64_t>();
  for (const int id : {0, 4, -1})
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
                aclrtGetFunctionAttribute(add_one_, NoSuch<aclrtFuncAttribute>(id), &value));
  EXPECT_TRUE(IsUntouched(value));
}

TEST_F(KernelAttribute, CodeLiesInTheImageOnItsCores) {
  void* image = nullptr;
  std::size_t bytes = 0;
  ASSERT_OK(aclrtBinaryGetDevAddress(launch_, &image, &bytes));
  const struct {
    const char* name;
    bool cube, vector;
  } kernels[] = {{"count_up", true, false}, {"vector_trap", false, true}, {"one_to_two", true, true}};
  for (const auto& kernel : kernels) {
    const aclrtFuncHandle function = Function(launch_, kernel.name);
    void* cube = &image;
    void* vector = &image;
    std::size_t cube_bytes = 0;
    std::size_t vector_bytes = 0;
    EXPECT_OK(aclrtGetFunctionAddr(function, &cube, &vector));
    EXPECT_OK(aclrtGetFunctionSize(function, &cube_bytes, &vector_bytes));
    EXPECT_EQ(kernel.cube, cube != nullptr) << kernel.name;
    EXPECT_EQ(kernel.vector, vector != nullptr) << kernel.name;
    EXPECT_EQ(kernel.cube, cube_bytes != 0) << kernel.name;
    EXPECT_EQ(kernel.vector, vector_bytes != 0) << kernel.name;
    const auto* code = static_cast<const char*>(kernel.cube ? cube : vector);
    EXPECT_GE(code, static_cast<char*>(image)) << kernel.name;
    EXPECT_LE(code + std::max(cube_bytes, vector_bytes), static_cast<char*>(image) + bytes) << kernel.name;
  }
}

TEST_F(KernelAttribute, ParametersAreThoseOfTheSource) {
  const aclrtFuncHandle mixed = Function(binary_, "mixed_arguments");
  std::size_t count = 0;
  EXPECT_OK(aclrtFunctionGetParamCount(mixed, &count));
  ASSERT_EQ(5U, count);
  const std::size_t offsets[] = {0, 8, 16, 20, 24};
  const std::size_t sizes[] = {1, 8, 4, 3, 8};
  for (std::size_t i = 0; i < 5; ++i) {
    std::size_t offset = 0;
    std::size_t size = 0;
    EXPECT_OK(aclrtFunctionGetParamInfo(mixed, i, &offset, &size));
    EXPECT_EQ(offsets[i], offset) << i;
    EXPECT_EQ(sizes[i], size) << i;
    EXPECT_OK(aclrtFunctionGetParamInfo(mixed, i, &offset, nullptr));
    EXPECT_OK(aclrtFunctionGetParamInfo(mixed, i, nullptr, &size));
  }
  auto size = Untouched<std::size_t>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtFunctionGetParamInfo(mixed, 5, &size, &size));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtFunctionGetParamInfo(mixed, SIZE_MAX, &size, &size));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtFunctionGetParamInfo(mixed, 0, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtFunctionGetAvailDynUbufPerBlock(mixed, 1, &size));
  EXPECT_TRUE(IsUntouched(size));
  EXPECT_OK(aclrtFunctionGetAvailDynUbufPerBlock(mixed, 0, &size));
  EXPECT_EQ(0U, size);
  EXPECT_OK(aclrtFunctionGetParamCount(Function(launch_, "many"), &count));
  EXPECT_EQ(128U, count);
  EXPECT_OK(aclrtFunctionGetParamCount(Function(binary_, "nop"), &count));
  EXPECT_EQ(0U, count);
}

TEST_F(KernelAttribute, FunctionKnowsItsBinary) {
  aclrtBinHandle found = nullptr;
  EXPECT_OK(aclrtFunctionGetBinary(add_one_, &found));
  EXPECT_EQ(binary_, found);
  EXPECT_OK(aclrtFunctionGetBinary(Function(launch_, "many"), &found));
  EXPECT_EQ(launch_, found);
}

TEST_F(KernelAttribute, NullOutputsAreRefused) {
  void* pointer = nullptr;
  std::size_t size = 0;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetFunctionAddr(add_one_, nullptr, &pointer));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetFunctionAddr(add_one_, &pointer, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetFunctionSize(add_one_, nullptr, &size));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetFunctionAttribute(add_one_, ACL_FUNC_ATTR_KERNEL_TYPE, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtFunctionGetBinary(add_one_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtFunctionGetParamCount(add_one_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtFunctionGetAvailDynUbufPerBlock(add_one_, 0, nullptr));
}

// ---- Images and their variables ----

TEST_F(KernelAttribute, ImageLiesInDeviceMemory) {
  void* address = nullptr;
  std::size_t bytes = 0;
  ASSERT_OK(aclrtBinaryGetDevAddress(binary_, &address, &bytes));
  ASSERT_GT(bytes, 1000U);
  char begin[4];
  ASSERT_OK(aclrtMemcpy(begin, 4, address, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(0, std::memcmp(begin, "\177ELF", 4));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetDevAddress(binary_, nullptr, &bytes));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetDevAddress(binary_, &address, nullptr));
}

TEST_F(KernelAttribute, MemoryOfTheImageComesBack) {
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
  const aclrtBinHandle again = Load("argument_kernels");
  ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
  EXPECT_LT(after, before);
  ASSERT_OK(aclrtBinaryUnLoad(again));
  ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
  EXPECT_EQ(before, after);
}

TEST_F(KernelAttribute, VariablesAreSharedWithTheHost) {
  void* counter = nullptr;
  std::size_t bytes = 0;
  ASSERT_OK(aclrtBinaryGetGlobal(launch_, "shared_counter", &counter, &bytes));
  EXPECT_EQ(4U, bytes);
  const aclrtFuncHandle count_up = Function(launch_, "count_up");
  EXPECT_OK(Launch(count_up, stream_, DataAndCount{words_->get(), 10}));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(17U, (*words_)[0]) << "its value in the source was 7";
  uint32_t value = 0;
  ASSERT_OK(aclrtMemcpy(&value, 4, counter, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(17U, value);
  value = 1000;
  ASSERT_OK(aclrtMemcpy(counter, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_OK(Launch(count_up, stream_, DataAndCount{words_->get(), 1}));
  // In stream order, and by a kernel of another binary.
  EXPECT_OK(Launch(add_one_, stream_, DataAndCount{counter, 1}));
  EXPECT_OK(aclrtMemcpyAsync(words_->get(), 4, counter, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1002U, (*words_)[0]);
  void* table = nullptr;
  ASSERT_OK(aclrtBinaryGetGlobal(launch_, "shared_table", &table, nullptr));
  EXPECT_OK(aclrtMemset(table, 64, 3, 64));
  EXPECT_EQ(0x03030303U, Run(Function(launch_, "read_table")));
}

TEST_F(KernelAttribute, VariablesOfTwoImagesAreTwo) {
  void* first = nullptr;
  void* second = nullptr;
  const aclrtBinHandle again = Load("argument_kernels");
  ASSERT_OK(aclrtBinaryGetGlobal(launch_, "shared_counter", &first, nullptr));
  ASSERT_OK(aclrtBinaryGetGlobal(again, "shared_counter", &second, nullptr));
  EXPECT_NE(first, second);
  EXPECT_OK(Launch(Function(launch_, "count_up"), stream_, DataAndCount{words_->get(), 10}));
  EXPECT_OK(Launch(Function(again, "count_up"), stream_, DataAndCount{words_->get(), 1}));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(8U, (*words_)[0]);
}

TEST_F(KernelAttribute, VariableIsLookedUpByName) {
  auto pointer = Untouched<void*>();
  auto size = Untouched<std::size_t>();
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_SYMBOL_NOT_FOUND, aclrtBinaryGetGlobal(launch_, "no_such_variable", &pointer, &size));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("no_such_variable")) << text;
  EXPECT_NE(std::string::npos, text.find("shared_counter")) << text;
  for (const char* name : {"", "constant_word", "count_up", "_ZN7forebay6kernel8servicesE"})
    EXPECT_CODE(ACL_ERROR_RT_SYMBOL_NOT_FOUND, aclrtBinaryGetGlobal(launch_, name, &pointer, &size)) << name;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetGlobal(launch_, nullptr, &pointer, &size));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetGlobal(launch_, "shared_counter", nullptr, nullptr));
  EXPECT_TRUE(IsUntouched(pointer));
  EXPECT_TRUE(IsUntouched(size));
}

// ---- Ways to load, and to find a function ----

TEST_F(KernelAttribute, LazyBinaryComesToTheDeviceWhenItIsUsed) {
  void* address = &address;
  std::size_t bytes = 1;
  for (const bool by_variable : {false, true}) {
    const aclrtBinHandle lazy = LoadWith("argument_kernels", ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 1);
    ASSERT_OK(aclrtBinaryGetDevAddress(lazy, &address, &bytes));
    EXPECT_EQ(nullptr, address);
    EXPECT_EQ(0U, bytes);
    if (by_variable) {
      EXPECT_OK(aclrtBinaryGetGlobal(lazy, "shared_counter", &address, nullptr));
    } else {
      EXPECT_EQ(1U, Run(Function(lazy, "variant_1")));
    }
    ASSERT_OK(aclrtBinaryGetDevAddress(lazy, &address, &bytes));
    EXPECT_NE(nullptr, address);
    EXPECT_OK(aclrtBinaryUnLoad(lazy));
  }
  EXPECT_OK(aclrtBinaryUnLoad(LoadWith("argument_kernels", ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 1))) << "never used";
  aclrtBinaryLoadOption option{};
  option.type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD;
  option.value.isLazyLoad = 2;
  aclrtBinaryLoadOptions options{&option, 1};
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtBinaryLoadFromFile(KernelPath("argument_kernels").c_str(), &options, &address));
}

TEST_F(KernelAttribute, KeyTellsVariantsApart) {
  aclrtFuncHandle function = nullptr;
  ASSERT_OK(aclrtBinaryGetFunctionByEntry(launch_, 1, &function));
  EXPECT_EQ(1U, Run(function));
  ASSERT_OK(aclrtBinaryGetFunctionByEntry(launch_, 21, &function));
  EXPECT_EQ(21U, Run(function));
  function = Untouched<aclrtFuncHandle>();
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_KERNEL_LOOKUP, aclrtBinaryGetFunctionByEntry(launch_, 3, &function));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("more than one")) << text;
  EXPECT_CODE(ACL_ERROR_RT_KERNEL_LOOKUP, aclrtBinaryGetFunctionByEntry(launch_, 0, &function));
  EXPECT_CODE(ACL_ERROR_RT_KERNEL_LOOKUP, aclrtBinaryGetFunctionByEntry(launch_, UINT64_MAX, &function));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetFunctionByEntry(nullptr, 1, &function));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetFunctionByEntry(launch_, 1, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtBinaryGetFunctionByEntry(stream_, 1, &function));
  InThread([&] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtBinaryGetFunctionByEntry(launch_, 1, &function)); });
  EXPECT_TRUE(IsUntouched(function));
}

TEST_F(KernelAttribute, KeptBinaryIsLoadedFromItsCopy) {
  std::string bytes = Bytes("argument_kernels");
  const aclrtBinary kept = aclrtCreateBinary(bytes.data(), bytes.size());
  ASSERT_NE(nullptr, kept) << Messages();
  bytes.assign(bytes.size(), 'x');
  aclrtBinHandle loaded = nullptr;
  ASSERT_OK(aclrtBinaryLoad(kept, &loaded));
  aclrtBinHandle twice = nullptr;
  ASSERT_OK(aclrtBinaryLoad(kept, &twice));
  EXPECT_NE(loaded, twice);
  EXPECT_OK(aclrtDestroyBinary(kept));
  EXPECT_EQ(1U, Run(Function(loaded, "variant_1"))) << "what was loaded stays";
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyBinary(kept));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtBinaryLoad(kept, &loaded));
}

TEST_F(KernelAttribute, KeptBinariesAreChecked) {
  EXPECT_EQ(nullptr, aclrtCreateBinary(nullptr, 10));
  EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_EQ(nullptr, aclrtCreateBinary("data", 0));
  auto loaded = Untouched<aclrtBinHandle>();
  const aclrtBinary bad = aclrtCreateBinary("short", 5);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoad(bad, &loaded)) << "it is no kernel binary";
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoad(nullptr, &loaded));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoad(bad, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyBinary(nullptr));
  InThread([&] { EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoad(nullptr, &loaded)); });
  EXPECT_TRUE(IsUntouched(loaded));
  EXPECT_OK(aclrtDestroyBinary(bad));
}

TEST_F(KernelAttribute, KernelOfTheProgramIsLoadedPerDevice) {
  static const char symbol = 0;
  static const std::string program = Bytes("argument_kernels");
  const forebay::EmbeddedKernel kernel{&symbol, "variant_21"};
  ASSERT_TRUE(forebay::RegisterKernels(program.data(), program.size(), &kernel, 1).ok());
  aclrtFuncHandle here = nullptr;
  aclrtFuncHandle again = nullptr;
  ASSERT_OK(aclrtGetFuncBySymbol(&symbol, &here));
  ASSERT_OK(aclrtGetFuncBySymbol(&symbol, &again));
  EXPECT_EQ(here, again);
  EXPECT_EQ(21U, Run(here));
  std::size_t count = 0;
  EXPECT_OK(aclrtFunctionGetParamCount(&symbol, &count));
  EXPECT_EQ(1U, count);
  ASSERT_OK(aclrtSetDevice(1));
  aclrtFuncHandle there = nullptr;
  ASSERT_OK(aclrtGetFuncBySymbol(&symbol, &there));
  EXPECT_NE(here, there);
  ASSERT_OK(aclrtResetDevice(1));
  ASSERT_OK(aclrtSetDevice(1));
  ASSERT_OK(aclrtGetFuncBySymbol(&symbol, &again));
  EXPECT_NE(there, again) << "loaded anew";
  ASSERT_OK(aclrtSetDevice(0));
  auto function = Untouched<aclrtFuncHandle>();
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION, aclrtGetFuncBySymbol(&count, &function));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetFuncBySymbol(nullptr, &function));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetFuncBySymbol(&symbol, nullptr));
  InThread([&] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetFuncBySymbol(&symbol, &function)); });
  EXPECT_TRUE(IsUntouched(function));
}

TEST_F(KernelAttribute, BinaryWithoutCpuKernelsHasNone) {
  auto function = Untouched<aclrtFuncHandle>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtRegisterCpuFunc(binary_, "function", "add_one", &function));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtRegisterCpuFunc(nullptr, "function", "add_one", &function));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtRegisterCpuFunc(binary_, nullptr, "add_one", &function));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtRegisterCpuFunc(binary_, "function", nullptr, &function));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtRegisterCpuFunc(binary_, "function", "add_one", nullptr));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtRegisterCpuFunc(stream_, "function", "add_one", &function));
  EXPECT_TRUE(IsUntouched(function));
}

}  // namespace
}  // namespace conformance
