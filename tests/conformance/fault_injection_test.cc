// Faults on demand: each kind takes the way that a real one takes.
#include "forebay/fault_injection.h"

#include <sys/wait.h>

#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

using forebay::InjectFaults;
using forebay::ListFaults;
using forebay::RemoveFaults;

class Injected : public WithStream {
 protected:
  void TearDown() override {
    RemoveFaults();
    WithStream::TearDown();
  }
  static void Inject(const std::string& text) {
    const forebay::Status injected = InjectFaults(text);
    ASSERT_TRUE(injected.ok()) << injected.ToString();
  }
  void StartAnew() {
    RemoveFaults();
    ASSERT_OK(aclrtResetDeviceForce(0));
    ASSERT_OK(aclFinalize());
    WithStream::SetUp();
  }
  int32_t Id(aclrtStream stream) {
    int32_t id = -1;
    EXPECT_OK(aclrtStreamGetId(stream, &id));
    return id;
  }
  // One task of each kind that a fault can hit, and an event that is waited for.
  aclError SubmitAll() {
    aclrtStream other = nullptr;
    EXPECT_OK(aclrtCreateStream(&other));
    // Closed until the wait is queued: for an event that has happened there is no wait.
    Gate gate;
    EXPECT_OK(gate.Close(other));
    EXPECT_OK(aclrtRecordEvent(event_, other));
    aclrtStreamWaitEvent(stream_, event_);
    gate.Open();
    LaunchAddOne(stream_);
    aclrtMemcpyAsync(pinned_, 64, memory_, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream_);
    const aclError code = aclrtSynchronizeStream(stream_);
    EXPECT_OK(aclrtDestroyStreamForce(other));
    return code;
  }
};

TEST_F(Injected, TasksFailWithTheirCodes) {
  struct Kind {
    const char* name;
    aclError code;
  };
  constexpr Kind kKinds[] = {
      {"aicore_exception", 507015},
      {"aicore_trap", 507016},
      {"aicore_read_overflow", 507042},
      {"aicore_write_overflow", 507043},
      {"vector_exception", 507035},
      {"vector_trap", 507036},
      {"vector_read_overflow", 507044},
      {"vector_write_overflow", 507045},
      {"aicpu_exception", 507018},
      {"aicpu_timeout", 507017},
      {"aicpu_dump", 507019},
      {"aicpu_model", 507020},
      {"aicpu_load", 507902},
      {"aicpu_internal", 507900},
      {"dma_error", 507013},
      {"ffts_timeout", 507048},
      {"ffts_exception", 507049},
      {"ffts_trap", 507050},
      {"ccu_timeout", 507915},
      {"ccu_exception", 507916},
      {"wait_timeout", 107019},
      {"scheduler_error", 507001},
      {"unknown_task", 507009},
      {"device_oom", 207018},
      {"end_of_sequence", 507005},
      {"model_execute", 507011},
      {"model_abort", 507023},
  };
  for (const Kind& kind : kKinds) {
    Inject(std::string(kind.name) + "@stream=" + std::to_string(Id(stream_)) + ",count=1");
    EXPECT_EQ(kind.code, SubmitAll()) << kind.name;
    const std::string text = Messages();
    EXPECT_NE(std::string::npos, text.find(std::string("injected by ") + kind.name)) << text;
    EXPECT_EQ(kind.code, aclrtGetLastError(ACL_RT_THREAD_LEVEL)) << kind.name;
    EXPECT_EQ(1U, ListFaults().back().happened) << kind.name;
    EXPECT_EQ(ACL_SUCCESS, SubmitAll()) << kind.name << " is over: " << Messages();
    RemoveFaults();
  }
}

TEST_F(Injected, AKernelThatHangsIsStoppedForItsTime) {
  NEEDS_STOPPABLE_KERNELS();
  ASSERT_OK(aclFinalize());
  const InitFile file(R"({"forebay": {"execute_timeout": 50}})");
  ASSERT_OK(aclInit(file.path()));
  ASSERT_OK(aclrtSetDevice(0));
  ASSERT_OK(aclrtCreateStream(&stream_));
  add_one_ = Function(Load("basic_kernels"), "add_one");
  ASSERT_OK(aclrtMalloc(&memory_, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtMemset(memory_, 64, 0, 64));
  for (const auto& [kind, code] : {std::pair{"timeout", ACL_ERROR_RT_AICORE_TIMEOUT},
                                   std::pair{"vector_timeout", ACL_ERROR_RT_VECTOR_CORE_TIMEOUT}}) {
    Inject(std::string(kind) + "@kernel=add_one,nth=2");
    for (int i = 0; i < 3; ++i) EXPECT_OK(LaunchAddOne(stream_));
    EXPECT_EQ(code, aclrtSynchronizeStream(stream_)) << Messages();
    EXPECT_OK(LaunchAddOne(stream_)) << "its core works again";
    EXPECT_OK(aclrtSynchronizeStream(stream_));
    RemoveFaults();
  }
  EXPECT_EQ(6U, FirstWord()) << "two of three, and one more, twice";
}

TEST_F(Injected, DevicesFailWithTheirCodesAndOthersGoOn) {
  struct Kind {
    const char* name;
    aclError code;
  };
  constexpr Kind kKinds[] = {
      {"memory_uce", 507053}, {"ecc", 507054},         {"suspect_memory", 507055}, {"suspect_remote", 507057},
      {"link_error", 507056}, {"l3_port", 507914},     {"overheat", 507899},       {"power", 507899},
      {"link_lost", 507901},  {"device_lost", 507010}, {"heartbeat_lost", 507010}, {"hung_scheduler", 507010},
  };
  for (const Kind& kind : kKinds) {
    Gate gate;
    ASSERT_OK(gate.Close(stream_));
    ASSERT_OK(LaunchAddOne(stream_));
    Inject(std::string(kind.name) + "@device=0");
    gate.Open();
    EXPECT_EQ(kind.code, aclrtSynchronizeStream(stream_)) << kind.name;
    EXPECT_NE(std::string::npos, Messages().find("device 0")) << kind.name;
    EXPECT_EQ(kind.code, aclrtSynchronizeStream(stream_)) << kind.name << ": it stays so";
    EXPECT_EQ(kind.code, LaunchAddOne(stream_)) << kind.name;
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_NORMAL;
    EXPECT_OK(aclrtQueryDeviceStatus(0, &status));
    EXPECT_EQ(ACL_RT_DEVICE_STATUS_ABNORMAL, status) << kind.name;
    InThread([&] {
      ASSERT_OK(aclrtSetDevice(1));
      EXPECT_OK(aclrtQueryDeviceStatus(1, &status));
      EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status) << kind.name;
      EXPECT_OK(aclrtSynchronizeDevice());
      EXPECT_OK(aclrtResetDevice(1));
    });
    StartAnew();
    EXPECT_EQ(ACL_SUCCESS, SubmitAll()) << kind.name << ": as new after the reset. " << Messages();
  }
}

TEST_F(Injected, ADeviceFailsAtATaskOrWhenItIsTime) {
  Inject("overheat@stream=" + std::to_string(Id(stream_)) + ",task=3");
  for (int i = 0; i < 3; ++i) ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  // It may have failed before the second of these.
  LaunchAddOne(stream_);
  LaunchAddOne(stream_);
  EXPECT_CODE(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtSynchronizeStream(stream_));
  StartAnew();
  Inject("power@device=0,after=30ms");
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_NORMAL;
  while (status == ACL_RT_DEVICE_STATUS_NORMAL) ASSERT_OK(aclrtQueryDeviceStatus(0, &status));
  EXPECT_CODE(ACL_ERROR_RT_DRV_INTERNAL_ERROR, LaunchAddOne(stream_));
}

TEST_F(Injected, AKernelOverflowsWhereItsStreamNotesThat) {
  void* status = nullptr;
  ASSERT_OK(aclrtMalloc(&status, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  const auto has_overflowed = [&] {
    uint64_t words[8] = {};
    EXPECT_OK(aclrtGetOverflowStatus(status, sizeof words, stream_));
    EXPECT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_OK(aclrtMemcpy(words, sizeof words, status, sizeof words, ACL_MEMCPY_DEVICE_TO_HOST));
    return words[0] != 0;
  };
  ASSERT_OK(aclrtSetStreamOverflowSwitch(stream_, 1));
  Inject("overflow@kernel=add_one,nth=2");
  ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_FALSE(has_overflowed());
  ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_TRUE(has_overflowed());
  ASSERT_OK(aclrtResetOverflowStatus(stream_));
  EXPECT_EQ(2U, FirstWord()) << "and does its work";
}

TEST_F(Injected, ASlowTaskTakesItsTimeAndIsRight) {
  Inject("slow@kernel=add_one,factor=1000,nth=2");
  for (int i = 0; i < 3; ++i) ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(3U, FirstWord());
  EXPECT_EQ(1U, ListFaults().front().happened);
}

TEST_F(Injected, LostDoorbellsAreMadeUpFor) {
  Inject("drop_doorbell@p=0.5,seed=7");
  aclrtStream other = nullptr;
  ASSERT_OK(aclrtCreateStream(&other));
  for (int i = 0; i < 40; ++i) {
    ASSERT_OK(LaunchAddOne(other));
    ASSERT_OK(aclrtRecordEvent(event_, other));
    ASSERT_OK(aclrtStreamWaitEvent(stream_, event_));
    ASSERT_OK(LaunchAddOne(stream_));
    ASSERT_OK(aclrtSynchronizeStream(stream_));
  }
  EXPECT_EQ(80U, FirstWord());
}

TEST_F(Injected, CallsFailAndDoNothing) {
  Inject("api_error@call=aclrtRecordEvent,code=207007,nth=2;oom@call=aclrtMalloc,nth=2");
  EXPECT_OK(aclrtRecordEvent(event_, stream_));
  EXPECT_EQ(ACL_ERROR_RT_NO_EVENT_RESOURCE, aclrtRecordEvent(event_, stream_));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("injected by api_error")) << text;
  EXPECT_NE(std::string::npos, text.find("call aclrtRecordEvent")) << text;
  EXPECT_OK(aclrtRecordEvent(event_, stream_));
  void* memory = nullptr;
  EXPECT_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_OK(aclrtFree(memory));
  memory = Untouched<void*>();
  EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_TRUE(IsUntouched(memory));
}

TEST_F(Injected, MemoryRunsOutOnOneDeviceOnly) {
  Inject("oom@call=aclrtMalloc,device=1");
  void* memory = nullptr;
  EXPECT_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_OK(aclrtFree(memory));
  InThread([] {
    void* there = nullptr;
    ASSERT_OK(aclrtSetDevice(1));
    EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&there, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtResetDevice(1));
  });
}

TEST_F(Injected, MemoryRunsOutAboveASize) {
  Inject("oom@above=128MiB");
  std::vector<void*> blocks;
  void* memory = nullptr;
  aclError code = ACL_SUCCESS;
  while ((code = aclrtMalloc(&memory, 16 << 20, ACL_MEM_MALLOC_HUGE_FIRST)) == ACL_SUCCESS && blocks.size() < 20)
    blocks.push_back(memory);
  EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION, code);
  EXPECT_NE(std::string::npos, Messages().find("injected by oom@above=128MiB"));
  EXPECT_LE(blocks.size(), 8U);
  EXPECT_GE(blocks.size(), 6U);
  for (void* block : blocks) EXPECT_OK(aclrtFree(block));
  EXPECT_OK(aclrtMalloc(&memory, 64 << 20, ACL_MEM_MALLOC_HUGE_FIRST)) << "what is free can be had";
  EXPECT_OK(aclrtFree(memory));
}

TEST_F(Injected, TheDriverRefusesAndTheDeviceDoesNotStart) {
  Inject("request_error@device=0");
  void* memory = nullptr;
  EXPECT_EQ(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtMalloc(&memory, 512 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  RemoveFaults();
  EXPECT_OK(aclrtMalloc(&memory, 512 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_OK(aclrtFree(memory));
  Inject("setup_failure@device=1");
  InThread([] {
    EXPECT_EQ(ACL_ERROR_RT_DEV_SETUP_ERROR, aclrtSetDevice(1));
    EXPECT_NE(std::string::npos, Messages().find("injected by setup_failure"));
    EXPECT_OK(aclrtSetDevice(1));
    EXPECT_OK(aclrtResetDevice(1));
  });
}

TEST_F(Injected, WhatCannotBeReadArmsNothing) {
  EXPECT_FALSE(InjectFaults("slow;overheet").ok());
  EXPECT_TRUE(ListFaults().empty());
  EXPECT_EQ(ACL_SUCCESS, SubmitAll());
}

TEST_F(Injected, AForkedChildLeavesTheDevicesOfItsParentAlone) {
  ASSERT_TRUE(forebay::InjectFaults("aicore_exception@kernel=add_one").ok());
  const pid_t child = fork();
  if (child == 0) {
    const bool refused = forebay::InjectFaults("overheat").code() == forebay::Code::kInternal;
    forebay::RemoveFaults();
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_EQ(0, status) << "0x100: the child was not refused";
  ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_)) << "it is still armed";
}

TEST_F(Injected, TheConfigurationArmsToo) {
  ASSERT_OK(aclFinalize());
  const InitFile file(R"({"forebay": {"inject": "aicore_exception@task=0,nth=1"}})");
  ASSERT_OK(aclInit(file.path()));
  ASSERT_OK(aclrtSetDevice(0));
  ASSERT_OK(aclrtCreateStream(&stream_));
  fault_ = Load("fault_kernels");
  trap_ = Function(fault_, "trap");
  ASSERT_OK(aclrtKernelArgsInit(trap_, &no_arguments_));
  ASSERT_OK(aclrtKernelArgsFinalize(no_arguments_));
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_NE(std::string::npos, Messages().find("injected by aicore_exception")) << "not the trap";
  ASSERT_OK(aclFinalize());
  const InitFile wrong(R"({"forebay": {"inject": "aicore_exception@task=first"}})");
  EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclInit(wrong.path()));
  EXPECT_NE(std::string::npos, Messages().find("task has the value \"first\""));
  const InitFile nothing(R"({"forebay": {"inject": ""}})");
  ASSERT_OK(aclInit(nothing.path()));
  EXPECT_TRUE(ListFaults().empty());
}

}  // namespace
}  // namespace conformance
