// Kernels that go wrong: which code, which words, and where it happened.
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class KernelFaults : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    faults = Kernels("fault_kernels");
    stream = Must(CreateStream());
  }
  // Runs the kernel as task 1 of the stream and returns its failure, after checking where it says it happened. The
  // stream works again afterwards.
  template <typename... Arguments>
  Error FailureOf(const std::string& kernel, Arguments... arguments) {
    EXPECT_OK(Launch(basic["nop"], stream, 1));
    EXPECT_OK(Launch(faults[kernel], stream, 1, arguments...));
    const Status failed = SynchronizeStream(stream);
    if (failed.ok()) {
      ADD_FAILURE() << kernel << " did not fail";
      return {};
    }
    const Error error = *failed.error();
    EXPECT_EQ(error.kernel, kernel);
    EXPECT_EQ(error.device, 0);
    EXPECT_EQ(error.stream, Must(GetStreamId(stream)));
    EXPECT_EQ(error.task, 1 + 3 * rounds_ + extra_tasks_);
    EXPECT_EQ(error.block, 0);
    EXPECT_FALSE(error.advice.empty());
    EXPECT_OK(RecoverStream(stream));
    EXPECT_OK(Launch(basic["nop"], stream, 1));
    EXPECT_OK(SynchronizeStream(stream));
    ++rounds_;
    return error;
  }
  void ExpectFailure(const Error& error, Code code, const std::string& words) {
    EXPECT_EQ(error.code, code);
    EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
  }
  Kernels faults;
  StreamHandle stream = nullptr;

 private:
  int64_t rounds_ = 0;

 protected:
  int64_t extra_tasks_ = 0;
};

TEST_F(KernelFaults, NullPointer) {
  const Error error = FailureOf("read_null");
  ExpectFailure(error, Code::kAicoreException, "not mapped on the device");
  ExpectFailure(error, Code::kAicoreException, "address 0x0");
}

TEST_F(KernelFaults, UnmappedAddress) {
  auto* const address = static_cast<uint8_t*>(Must(pool->Alloc(512)));
  auto* const beyond = address + (uint64_t{16} << 30);
  ExpectFailure(FailureOf("write_address", beyond), Code::kAicoreException, "not mapped on the device");
  ASSERT_OK(pool->Free(address));
}

TEST_F(KernelFaults, FreedAndTrimmedMemory) {
  const std::shared_ptr<MemoryPool> own = Must(MemoryPool::Create());
  void* const address = Must(own->Alloc(512));
  ASSERT_OK(own->Free(address));
  own->Trim();
  ExpectFailure(FailureOf("read_address", address), Code::kAicoreException, "not mapped on the device");
}

TEST_F(KernelFaults, Trap) { ExpectFailure(FailureOf("trap"), Code::kAicoreException, "trap"); }

TEST_F(KernelFaults, Division) {
  const RuntimeTensor out = Words(1);
  ExpectFailure(FailureOf("divide_by_zero", out.address(), int32_t{0}), Code::kAicoreException,
                "divided an integer by zero");
}

#if defined(__x86_64__)
TEST_F(KernelFaults, PrivilegedInstruction) {
  ExpectFailure(FailureOf("halt"), Code::kAicoreException, "privileged instruction");
}

TEST_F(KernelFaults, AddressThatIsNone) {
  const Error error = FailureOf("read_address", uint64_t{1} << 63);
  ExpectFailure(error, Code::kAicoreException, "address that is none");
  EXPECT_EQ(error.message.find("address 0x0"), std::string::npos) << error.message;
}

TEST_F(KernelFaults, FloatingPointException) {
  ExpectFailure(FailureOf("trap_float_division"), Code::kAicoreException, "floating-point exception");
}

TEST_F(KernelFaults, AlignmentChecksStayWithTheKernelThatTurnedThemOn) {
  auto* const words = static_cast<uint8_t*>(Must(pool->Alloc(512)));
  for (int round = 0; round < 3; ++round) {
    ExpectFailure(FailureOf("check_alignment", words + 1), Code::kAicoreException, "not aligned");
    // One that ends well leaves them on too.
    ASSERT_OK(Launch(faults["check_alignment"], stream, 4, words));
    ASSERT_OK(SynchronizeStream(stream));
    ++extra_tasks_;
  }
  ASSERT_OK(pool->Free(words));
}
#endif

TEST_F(KernelFaults, StackOverflow) {
  ExpectFailure(FailureOf("overflow_stack"), Code::kAicoreException, "overflowed its stack");
}

TEST_F(KernelFaults, Abort) { ExpectFailure(FailureOf("call_abort"), Code::kAicoreException, "the kernel aborted"); }

TEST_F(KernelFaults, Exit) {
  const Error error = FailureOf("call_exit");
  ExpectFailure(error, Code::kAicoreException, "called exit");
  ExpectFailure(error, Code::kAicoreException, "exit(3)");
}

TEST_F(KernelFaults, Assertion) { ExpectFailure(FailureOf("assert_false"), Code::kAicoreException, "one == 2"); }

TEST_F(KernelFaults, OneAfterTheOther) {
  for (int round = 0; round < 3; ++round) {
    for (const char* kernel : {"trap", "read_null", "call_abort", "overflow_stack"}) FailureOf(kernel);
  }
}

TEST_F(KernelFaults, AKernelOfManyBlocksNamesTheOneThatFailed) {
  ASSERT_OK(Launch(faults["trap"], stream, 16));
  const Status failed = SynchronizeStream(stream);
  ASSERT_FALSE(failed.ok());
  EXPECT_GE(failed.error()->block, 0);
  EXPECT_LT(failed.error()->block, 16);
}

}  // namespace
}  // namespace forebay::testing
