// What the file of aclInit configures: checked as documented, in effect, or told to be without.
#include "conformance/configuration_fixture.h"

namespace conformance {
namespace {

class Configuration : public WithFiles {
 protected:
  // What the start with this configuration tells although it succeeds.
  std::string Note(const std::string& content) {
    Messages();
    EXPECT_EQ(ACL_SUCCESS, aclInit(Write(content).c_str())) << content;
    const std::string text = Messages();
    EXPECT_OK(aclFinalize());
    return text;
  }
};

TEST_F(Configuration, WhatIsNotBuiltIsTold) {
  EXPECT_EQ("", Note("{}"));
  EXPECT_EQ("", Note(R"({"max_opqueue_num": "20000", "acl_graph": {"event_mode": "0"}, "dump": {}})"));
  EXPECT_EQ("", Note(R"({"profiler": {"switch": "off"}, "dump": {"dump_op_switch": "off", "dump_path": "x"}})"));
  for (const char* content :
       {R"({"dump": {"dump_path": "x", "dump_op_switch": "on"}})", R"({"dump": {"dump_scene": "lite_exception"}})",
        R"({"profiler": {"switch": "on", "output": "x"}})", R"({"acl_graph": {"event_mode": "1"}})",
        R"({"simt_printf_fifo_size": 1048576})", R"({"simd_printf_fifo_size_per_core": "1024"})",
        R"({"StackSize": {"simt_stack_size": 1152}})"}) {
    const std::string text = Note(content);
    EXPECT_NE(std::string::npos, text.find("WE0001")) << content << text;
    EXPECT_NE(std::string::npos, text.find("no effect")) << content << text;
  }
  EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)) << "it is no error";
}

TEST_F(Configuration, DumpSectionIsChecked) {
  for (const char* section :
       {R"({})", R"({"dump_path": "/tmp", "dump_list": [{"model_name": "m", "layer": ["a", "b"]}, {}]})",
        R"({"dump_path": "d", "dump_op_switch": "on", "dump_mode": "all", "dump_data": "stats", "dump_level": "op"})",
        R"({"dump_path": "d", "dump_debug": "on"})", R"({"dump_scene": "aic_err_detail_dump"})",
        R"({"dump_path": "d", "dump_scene": "watcher", "dump_mode": "output",
            "dump_list": [{"layer": ["a"], "watcher_nodes": ["b"]}]})",
        R"({"dump_path": "d", "dump_kernel_data": "printf,assert"})", R"({"dump_step": "0|3-5"})"}) {
    EXPECT_CODE(ACL_SUCCESS, Try(std::string(R"({"dump": )") + section + "}")) << section;
  }
  for (const char* section : {"1",
                              "[]",
                              R"("text")",
                              R"({"no_such_key": "on"})",
                              R"({"dump_path": 1})",
                              R"({"dump_mode": "some"})",
                              R"({"dump_mode": "input|output"})",
                              R"({"dump_op_switch": true})",
                              R"({"dump_op_switch": "on"})",
                              R"({"dump_list": [{"model_name": "m"}]})",
                              R"({"dump_list": {}})",
                              R"({"dump_path": "d", "dump_list": [1]})",
                              R"({"dump_path": "d", "dump_list": [{"model_name": 1}]})",
                              R"({"dump_path": "d", "dump_list": [{"layer": "a"}]})",
                              R"({"dump_path": "d", "dump_list": [{"layer": [1]}]})",
                              R"({"dump_data": ""})",
                              R"({"dump_level": "All"})",
                              R"({"dump_scene": "no_such"})",
                              R"({"dump_debug": "on"})",
                              R"({"dump_path": "d", "dump_debug": "on", "dump_op_switch": "on"})",
                              R"({"dump_path": "d", "dump_debug": "on", "dump_list": [{}]})",
                              R"({"dump_path": "d", "dump_scene": "lite_exception", "dump_op_switch": "on"})",
                              R"({"dump_path": "d", "dump_scene": "watcher", "dump_mode": "input"})",
                              R"({"dump_scene": "watcher"})",
                              R"({"dump_path": "d", "dump_kernel_data": "printf,none"})",
                              R"({"dump_kernel_data": "all"})"}) {
    EXPECT_CODE(ACL_ERROR_INVALID_DUMP_CONFIG, Try(std::string(R"({"dump": )") + section + "}")) << section;
  }
}

TEST_F(Configuration, ProfilerSectionIsChecked) {
  EXPECT_CODE(ACL_SUCCESS, Try(R"({"profiler": {}})"));
  EXPECT_CODE(ACL_SUCCESS, Try(R"({"profiler": {"switch": "on", "output": "d", "aic_metrics": "Memory"}})"));
  for (const char* section : {"1", "[]", R"({"switch": "yes"})", R"({"switch": 1})"}) {
    EXPECT_CODE(ACL_ERROR_INVALID_PROFILING_CONFIG, Try(std::string(R"({"profiler": )") + section + "}")) << section;
  }
}

TEST_F(Configuration, SizesAreChecked) {
  for (const char* content :
       {R"({"simt_printf_fifo_size": 67108864})", R"({"simd_printf_fifo_size_per_core": 67108864})",
        R"({"StackSize": {"simt_stack_size": 1280, "simt_divergence_stack_size": "1024"}})",
        R"({"StackSize": {"aicore_stack_size": 196608}})", R"({"StackSize": {"aicore_stack_size": 0}})",
        R"({"StackSize": {}})"}) {
    EXPECT_CODE(ACL_SUCCESS, Try(content)) << content;
  }
  for (const char* content :
       {R"({"simt_printf_fifo_size": 1048575})", R"({"simt_printf_fifo_size": 1048577})",
        R"({"simt_printf_fifo_size": 67108872})", R"({"simt_printf_fifo_size": "x"})",
        R"({"simd_printf_fifo_size_per_core": 1023})", R"({"simd_printf_fifo_size_per_core": -8})",
        R"({"simd_printf_fifo_size_per_core": 1.5})", R"({"StackSize": 1})", R"({"StackSize": {"no_such": 1}})",
        R"({"StackSize": {"simt_stack_size": 1153}})", R"({"StackSize": {"aicore_stack_size": 196609}})",
        R"({"StackSize": {"aicore_stack_size": "32K"}})"}) {
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, Try(content)) << content;
  }
  EXPECT_CODE(ACL_ERROR_INVALID_FILE, Try(R"({"acl_graph": 1})"));
}

TEST_F(Configuration, StackOfKernelsIsTheConfigured) {
  struct {
    uint32_t kib;
  } arguments{160};
  const auto run = [&] {
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(Launch(Function(Load("fault_kernels"), "use_stack"), nullptr, arguments));
    const aclError code = aclrtSynchronizeStream(nullptr);
    Messages();
    EXPECT_OK(aclFinalize());
    return code;
  };
  ASSERT_OK(aclInit(Write(R"({"StackSize": {"aicore_stack_size": 196608}})").c_str()));
  EXPECT_EQ(ACL_SUCCESS, run());
  ASSERT_OK(aclInit(nullptr));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, run()) << "it takes more than the default";
}

TEST_F(Configuration, DefaultDeviceDoesNotKeepOthersFromBeingSet) {
  ASSERT_OK(aclInit(Write(R"({"defaultDevice": {"default_device": "1"}})").c_str()));
  aclrtStream stream = nullptr;
  InThread([&] {
    ASSERT_OK(aclrtCreateStream(&stream));
    aclrtContext context = nullptr;
    ASSERT_OK(aclrtCreateContext(&context, 0));
    int32_t id = -1;
    EXPECT_OK(aclrtGetDevice(&id));
    EXPECT_EQ(0, id);
  });
  InThread([&] { EXPECT_OK(aclrtDestroyStream(stream)) << "it has the default device as well"; });
}

}  // namespace
}  // namespace conformance
