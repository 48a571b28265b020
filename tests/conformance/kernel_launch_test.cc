// All ways to launch a kernel do the same; attributes of launches; what a part refuses.
#include "conformance/kernel_fixture.h"
#include "forebay/launch.h"
#include "kernels/basic_kernels.h"

namespace conformance {
namespace {

using forebay_test::Mixed;
using forebay_test::Triple;

class KernelLaunch : public WithKernels {
 protected:
  void SetUp() override {
    WithKernels::SetUp();
    launch_ = Load("argument_kernels");
  }

  aclError LaunchArray(aclrtFuncHandle function, std::vector<void*> arguments, uint32_t blocks = 1,
                       std::vector<aclrtLaunchKernelAttr> attributes = {}) {
    aclrtLaunchKernelCfg config{attributes.data(), attributes.size()};
    arguments.push_back(nullptr);
    return aclrtLaunchKernelWithArgsArray(function, blocks, stream_, &config, arguments.data());
  }
  static aclrtLaunchKernelAttr Attribute(aclrtLaunchKernelAttrId id, uint32_t value) {
    aclrtLaunchKernelAttr attribute{};
    attribute.id = id;
    attribute.value.rsv[0] = value;
    return attribute;
  }
  // What a kernel without arguments fails with.
  aclError FailureOf(aclrtFuncHandle function, std::vector<aclrtLaunchKernelAttr> attributes = {}) {
    EXPECT_OK(LaunchArray(function, {}, 1, attributes));
    return aclrtSynchronizeStream(stream_);
  }

  aclrtBinHandle launch_ = nullptr;
};

TEST_F(KernelLaunch, AllFormsGiveTheSame) {
  struct {
    uint8_t small;
    void* out;
    float real;
    Triple triple;
    double wide;
  } arguments{200, words_->get(), 1.5F, {1, 2, 3}, -2.25};
  const aclrtFuncHandle mixed = Function(binary_, "mixed_arguments");
  void* on_device = nullptr;
  ASSERT_OK(aclrtMalloc(&on_device, sizeof arguments, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtMemcpy(on_device, sizeof arguments, &arguments, sizeof arguments, ACL_MEMCPY_HOST_TO_DEVICE));
  std::vector<void*> values = {&arguments.small, &arguments.out, &arguments.real, &arguments.triple, &arguments.wide};
  const std::vector<std::size_t> sizes = {1, 8, 4, 3, 8};
  aclrtArgsHandle list = nullptr;
  ASSERT_OK(aclrtKernelArgsInit(mixed, &list));
  for (std::size_t i = 0; i < values.size(); ++i) {
    aclrtParamHandle parameter = nullptr;
    ASSERT_OK(aclrtKernelArgsAppend(list, values[i], sizes[i], &parameter));
  }
  ASSERT_OK(aclrtKernelArgsFinalize(list));
  const auto symbol = reinterpret_cast<const void*>(&MadeUpHandles);
  std::ifstream file(KernelPath("basic_kernels"), std::ios::binary);
  static const std::string program((std::istreambuf_iterator<char>(file)), {});
  const forebay::EmbeddedKernel embedded{symbol, "mixed_arguments"};
  ASSERT_TRUE(forebay::RegisterKernels(program.data(), program.size(), &embedded, 1).ok());
  EXPECT_EQ(ACL_ERROR_RT_KERNEL_DUPLICATE,
            static_cast<aclError>(forebay::RegisterKernels(program.data(), program.size(), &embedded, 1).code()));

  const std::vector<std::function<aclError()>> forms = {
      [&] { return aclrtLaunchKernel(mixed, 1, on_device, sizeof arguments, stream_); },
      [&] { return aclrtLaunchKernelV2(mixed, 1, on_device, sizeof arguments, nullptr, stream_); },
      [&] { return aclrtLaunchKernelWithConfig(mixed, 1, stream_, nullptr, list, nullptr); },
      [&] {
        return aclrtLaunchKernelWithHostArgs(mixed, 1, stream_, nullptr, &arguments, sizeof arguments, nullptr, 0);
      },
      [&] { return aclrtLaunchKernelWithArgsArray(mixed, 1, stream_, nullptr, values.data()); },
      [&] { return aclrtLaunchKernelWithArgsArray(const_cast<void*>(symbol), 1, stream_, nullptr, values.data()); },
  };
  for (std::size_t form = 0; form < forms.size(); ++form) {
    ASSERT_OK(aclrtMemset(words_->get(), words_->bytes(), 0, words_->bytes()));
    EXPECT_OK(forms[form]()) << form;
    EXPECT_OK(aclrtSynchronizeStream(stream_)) << form;
    Mixed result{};
    ASSERT_OK(aclrtMemcpy(&result, sizeof result, words_->get(), sizeof result, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(200, result.small) << form;
    EXPECT_EQ(1.5F, result.real) << form;
    EXPECT_EQ(3, result.triple.c) << form;
    EXPECT_EQ(-2.25, result.wide) << form;
  }
}

TEST_F(KernelLaunch, ArrayIsCopiedAndChecked) {
  DataAndCount arguments = Arguments();
  void* values[] = {&arguments.data, &arguments.n};
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtLaunchKernelWithArgsArray(add_one_, 1, stream_, nullptr, values));
  std::memset(&arguments, 0, sizeof arguments);
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, (*words_)[0]);
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithArgsArray(nullptr, 1, stream_, nullptr, values));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithArgsArray(add_one_, 1, stream_, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithArgsArray(add_one_, 0, stream_, nullptr, values));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithArgsArray(add_one_, 65536, stream_, nullptr, values));
  values[1] = nullptr;
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithArgsArray(add_one_, 1, stream_, nullptr, values));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("argument 1 of kernel add_one")) << text;
}

TEST_F(KernelLaunch, ArgumentsOfAnySizeFit) {
  void* out = words_->get();
  forebay_test::LargeStruct large;
  std::memset(large.bytes, 2, sizeof large.bytes);
  EXPECT_OK(LaunchArray(Function(binary_, "large_struct"), {&out, &large}));
  uint32_t numbers[128];
  std::vector<void*> values;
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 128; ++i) {
    numbers[i] = 3 * i + 1;
    expected += numbers[i] * (i + 1);
    values.push_back(&numbers[i]);
  }
  EXPECT_OK(LaunchArray(Function(launch_, "many"), values));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(600U, (*words_)[0]);
  void* sum = nullptr;
  ASSERT_OK(aclrtBinaryGetGlobal(launch_, "many_sum", &sum, nullptr));
  uint32_t value = 0;
  ASSERT_OK(aclrtMemcpy(&value, sizeof value, sum, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(expected, value);
}

TEST_F(KernelLaunch, V2ChecksWhatTheOthersCheck) {
  aclrtLaunchKernelAttr bad = Attribute(ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 2);
  aclrtLaunchKernelCfg config{&bad, 1};
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelV2(nullptr, 1, words_->get(), 12, nullptr, stream_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelV2(add_one_, 0, words_->get(), 12, nullptr, stream_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelV2(add_one_, 1, nullptr, 12, nullptr, stream_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelV2(add_one_, 1, words_->get(), 0, nullptr, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelV2(add_one_, 1, words_->get(), 8, nullptr, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelV2(add_one_, 1, words_->get(), 12, &config, stream_));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtLaunchKernelV2(stream_, 1, words_->get(), 12, nullptr, stream_));
}

TEST_F(KernelLaunch, OnAnotherDeviceIsRefused) {
  ASSERT_OK(aclrtSetDevice(1));
  aclrtStream other = nullptr;
  ASSERT_OK(aclrtCreateStream(&other));
  DataAndCount arguments = Arguments();
  void* values[] = {&arguments.data, &arguments.n};
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
              aclrtLaunchKernelWithArgsArray(add_one_, 1, other, nullptr, values));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
              aclrtLaunchKernelV2(add_one_, 1, words_->get(), 12, nullptr, other));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtLaunchKernelWithArgsArray(add_one_, 1, stream_, nullptr, values));
  ASSERT_OK(aclrtSetDevice(0));
}

TEST_F(KernelLaunch, PlaceholdersMayPointAtEachOther) {
  struct {
    void* out;
    void* pointer;  // to `inner`
    void* inner;    // to `value`
    uint32_t value;
    uint32_t padding;
  } arguments{words_->get(), nullptr, nullptr, 4711, 0};
  aclrtPlaceHolderInfo both[] = {{8, 16}, {16, 24}};
  const aclrtFuncHandle follow = Function(launch_, "follow_twice");
  EXPECT_OK(aclrtLaunchKernelWithHostArgs(follow, 1, stream_, nullptr, &arguments, sizeof arguments, both, 2));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(4711U, (*words_)[0]);
}

TEST_F(KernelLaunch, SizesBeyondAllAreRefused) {
  uint64_t arguments[4] = {reinterpret_cast<uint64_t>(words_->get()), 1, 0, 0};
  aclrtPlaceHolderInfo one[] = {{0, 8}};
  aclrtPlaceHolderInfo far[] = {{UINT32_MAX - 7, UINT32_MAX}};
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 6, SIZE_MAX - 7, SIZE_MAX - 8, SIZE_MAX - 47, SIZE_MAX / 2,
                                  std::size_t{UINT32_MAX} * 48, std::size_t{UINT32_MAX} + 13, std::size_t{1} << 32}) {
    for (aclrtPlaceHolderInfo* placeholders : {static_cast<aclrtPlaceHolderInfo*>(nullptr), one, far}) {
      Messages();
      EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID,
                aclrtLaunchKernelWithHostArgs(add_one_, 1, stream_, nullptr, arguments, bytes, placeholders,
                                              placeholders != nullptr ? 1 : 0))
          << bytes;
      const std::string text = Messages();
      EXPECT_NE(std::string::npos, text.find(std::to_string(bytes))) << text;
    }
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernel(add_one_, 1, words_->get(), bytes, stream_));
  }
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(0U, (*words_)[0]);
}

TEST_F(KernelLaunch, UnreadableArgumentsAreTheKernelsFailure) {
  ASSERT_OK(aclrtLaunchKernel(add_one_, 1, reinterpret_cast<void*>(0x1230), 12, stream_));
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  const std::string text = Messages();
  for (const char* part : {"0x1230", "add_one", "arguments"}) EXPECT_NE(std::string::npos, text.find(part)) << text;
}

// ---- Attributes ----

TEST_F(KernelLaunch, BlocksThatMustRunAtOnceNeedCores) {
  void* out = words_->get();
  const aclrtFuncHandle mark = Function(launch_, "mark_blocks");
  const auto with_mode = [&](uint32_t blocks, uint32_t mode) {
    return LaunchArray(mark, {&out}, blocks, {Attribute(ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, mode)});
  };
  EXPECT_OK(with_mode(40, 1));
  EXPECT_OK(with_mode(41, 0));
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, with_mode(41, 1));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("41 blocks")) << text;
  EXPECT_NE(std::string::npos, text.find("40 cores")) << text;
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(KernelLaunch, SwitchesAreOnOrOff) {
  void* out = words_->get();
  const aclrtFuncHandle mark = Function(launch_, "mark_blocks");
  for (const aclrtLaunchKernelAttrId id :
       {ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH,
        ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING}) {
    EXPECT_OK(LaunchArray(mark, {&out}, 1, {Attribute(id, 0)})) << id;
    EXPECT_OK(LaunchArray(mark, {&out}, 1, {Attribute(id, 1)})) << id;
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, LaunchArray(mark, {&out}, 1, {Attribute(id, 2)})) << id;
  }
  EXPECT_OK(LaunchArray(mark, {&out}, 1, {Attribute(ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, 1024)}));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(KernelLaunch, PartWithoutAChoiceOfCoresDoesNotLookAtIt) {
  void* out = words_->get();
  EXPECT_OK(LaunchArray(Function(launch_, "mark_blocks"), {&out}, 2,
                        {Attribute(ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, 5),
                         Attribute(ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, ACL_RT_ENGINE_TYPE_AIV)}));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U << 16 | 2, (*words_)[1]);
  EXPECT_EQ(0U, (*words_)[5]);
  const aclrtFuncHandle trap = Function(Load("fault_kernels"), "trap");
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION,
              FailureOf(trap, {Attribute(ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, ACL_RT_ENGINE_TYPE_AIV)}));
}

TEST_F(KernelLaunch, PartWithAChoiceOfCoresSplitsTheBlocks) {
  ASSERT_OK(aclFinalize());
  Start("\"soc\": \"Ascend310P3\"");
  launch_ = Load("argument_kernels");
  void* out = words_->get();
  const aclrtFuncHandle mark = Function(launch_, "mark_blocks");
  const auto from = [&](uint32_t first, uint32_t blocks) {
    return LaunchArray(mark, {&out}, blocks, {Attribute(ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, first)});
  };
  EXPECT_OK(from(0, 3));
  EXPECT_OK(from(3, 2));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(2U << 16 | 3, (*words_)[2]);
  EXPECT_EQ(4U << 16 | 2, (*words_)[4]);
  EXPECT_EQ(0U, (*words_)[5]);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, from(65534, 2));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, from(UINT32_MAX, 1));
  const aclrtFuncHandle trap = Function(Load("fault_kernels"), "trap");
  EXPECT_CODE(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
              FailureOf(trap, {Attribute(ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, ACL_RT_ENGINE_TYPE_AIV)}));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION,
              FailureOf(trap, {Attribute(ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, ACL_RT_ENGINE_TYPE_AIC)}));
}

TEST_F(KernelLaunch, CodeOfAFailureIsThatOfTheCores) {
  EXPECT_CODE(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, FailureOf(Function(launch_, "vector_trap")));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, FailureOf(Function(Load("fault_kernels"), "trap")));
  const auto with_magic = [&](uint32_t magic, const char* binary) {
    aclrtBinaryLoadOption option{};
    option.type = ACL_RT_BINARY_LOAD_OPT_MAGIC;
    option.value.magic = magic;
    aclrtBinaryLoadOptions options{&option, 1};
    aclrtBinHandle loaded = nullptr;
    EXPECT_OK(aclrtBinaryLoadFromFile(KernelPath(binary).c_str(), &options, &loaded));
    return loaded;
  };
  EXPECT_CODE(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
              FailureOf(Function(with_magic(ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE, "fault_kernels"), "trap")));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION,
              FailureOf(Function(with_magic(ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE, "fault_kernels"), "trap")));
  EXPECT_CODE(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
              FailureOf(Function(with_magic(ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE, "argument_kernels"), "vector_trap")))
      << "what the source says precedes";
}

TEST_F(KernelLaunch, KernelsWithThreadsAreRefused) {
  const dim3 one{1, 1, 1};
  void* values[] = {&launch_};
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
              aclrtLaunchSIMTKernelWithArgsArray(add_one_, one, one, 0, stream_, nullptr, values));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtLaunchSIMTKernelWithArgsArray(nullptr, one, one, 0, stream_, nullptr, values));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
              aclrtLaunchSIMTKernelWithHostArgs(add_one_, one, one, 0, stream_, nullptr, values, 8, nullptr, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtLaunchSIMTKernelWithHostArgs(add_one_, one, one, 0, stream_, nullptr, nullptr, 8, nullptr, 0));
}

// ---- The address through which cores meet ----

TEST_F(KernelLaunch, SynchronisationAddressIsTheDevices) {
  auto address = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetHardwareSyncAddr(nullptr));
  InThread([&] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetHardwareSyncAddr(&address)); });
  EXPECT_TRUE(IsUntouched(address));
  ASSERT_OK(aclrtGetHardwareSyncAddr(&address));
  void* again = nullptr;
  InThread([&] {
    ASSERT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtGetHardwareSyncAddr(&again));
  });
  EXPECT_EQ(address, again);
  EXPECT_OK(Launch(add_one_, stream_, DataAndCount{address, 4096}));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  std::vector<uint32_t> words(4096);
  ASSERT_OK(aclrtMemcpy(words.data(), 16384, address, 16384, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(std::vector<uint32_t>(4096, 1), words) << "it began as zeros, and all of it is there";
  ASSERT_OK(aclrtSetDevice(1));
  ASSERT_OK(aclrtGetHardwareSyncAddr(&again));
  EXPECT_NE(address, again);
  ASSERT_OK(aclrtSetDevice(0));
}

}  // namespace
}  // namespace conformance
