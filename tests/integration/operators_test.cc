// Operators: how they expand into tasks, and how the runtime orders them by their tensors.
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class Operators : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    Prepare();
  }
  void Prepare() {
    add_one = basic["add_one"];
    fill = basic["fill"];
    copy_words = basic["copy_words"];
    spin = basic["spin_ticks"];
  }
  Operator Fill(const RuntimeTensor& out, uint32_t value) {
    return {fill, {}, {out}, {static_cast<uint32_t>(out.element_count()), value}, 2, {}, {}};
  }
  Operator AddOne(const RuntimeTensor& data) {
    return {add_one, {}, {data}, {static_cast<uint32_t>(data.element_count())}, 2, {}, {}};
  }
  // The kernel's first pointer is the destination, so both tensors are named in declared order.
  Operator CopyWords(const RuntimeTensor& to, const RuntimeTensor& from) {
    Operator op{copy_words, {}, {to}, {static_cast<uint32_t>(to.element_count())}, 2, {}, {}};
    op.outputs.push_back(from);
    return op;
  }
  KernelHandle add_one, fill, copy_words, spin;
};

std::string TaskText(StreamHandle stream) { return Must(TaskQueue::Of(stream)).ToString(); }
std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST_F(Operators, ExpandIntoTasksOfTheirStream) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(8);
  const std::vector<uint32_t> host(8, 7);
  HeldStream held(stream);
  ASSERT_OK(LaunchOperator(AddOne(data), stream));
  Operator with_callback = AddOne(data);
  with_callback.on_done = [] {};
  ASSERT_OK(LaunchOperator(with_callback, stream));
  const std::vector<std::string> lines = Lines(TaskText(stream));
  ASSERT_EQ(lines.size(), 6U) << TaskText(stream);
  EXPECT_NE(lines[0].find("host function"), std::string::npos);
  EXPECT_NE(lines[1].find("kernel add_one (2 blocks)"), std::string::npos);
  EXPECT_NE(lines[2].find("record event"), std::string::npos);
  EXPECT_NE(lines[3].find("kernel add_one"), std::string::npos);
  EXPECT_NE(lines[5].find("host function"), std::string::npos);
  held.Release();
  EXPECT_OK(SynchronizeStream(stream));
  EXPECT_TRUE(TaskText(stream).empty());
}

TEST_F(Operators, TakingAnotherStreamsOutputInsertsAWaitThere) {
  const StreamHandle producer = Must(CreateStream()), consumer = Must(CreateStream());
  RuntimeTensor data = Words(8), copy = Words(8);
  HeldStream held(producer);
  ASSERT_OK(LaunchOperator(Fill(data, 5), producer));
  ASSERT_OK(LaunchOperator(CopyWords(copy, data), consumer));
  EXPECT_NE(TaskText(consumer).find("wait until event"), std::string::npos) << TaskText(consumer);
  EXPECT_EQ(TaskText(producer).find("wait until event"), std::string::npos) << "the producer is not held up";
  EXPECT_FALSE(Must(IsStreamIdle(consumer)));
  held.Release();
  ASSERT_OK(SynchronizeStream(consumer));
  EXPECT_EQ(Read(copy), std::vector<uint32_t>(8, 5));
}

TEST_F(Operators, NoWaitForWhatHasRunOrIsOnTheSameStream) {
  const StreamHandle first = Must(CreateStream()), second = Must(CreateStream());
  RuntimeTensor data = Words(8), other = Words(8);
  ASSERT_OK(LaunchOperator(Fill(data, 1), first));
  ASSERT_OK(SynchronizeStream(first));
  HeldStream held(second);
  ASSERT_OK(LaunchOperator(AddOne(data), second));
  ASSERT_OK(LaunchOperator(AddOne(data), second));
  ASSERT_OK(LaunchOperator(Fill(other, 2), second));
  EXPECT_EQ(TaskText(second).find("wait"), std::string::npos) << TaskText(second);
  held.Release();
  ASSERT_OK(SynchronizeStream(second));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(8, 3));
}

TEST_F(Operators, ReadAfterWriteHoldsUnderEverySchedule) {
  UnderSeeds(25, [&] {
    Prepare();
    const StreamHandle streams[] = {Must(CreateStream()), Must(CreateStream()), Must(CreateStream())};
    RuntimeTensor data = Words(64);
    for (uint32_t step = 0; step < 30; ++step) {
      ASSERT_OK(LaunchOperator(step == 0 ? Fill(data, 100) : AddOne(data), streams[step % 3]));
    }
    for (const StreamHandle stream : streams) ASSERT_OK(SynchronizeStream(stream));
    EXPECT_EQ(Read(data), std::vector<uint32_t>(64, 129));
  });
}

TEST_F(Operators, WriteAfterReadHoldsUnderEverySchedule) {
  UnderSeeds(25, [&] {
    Prepare();
    const StreamHandle writer = Must(CreateStream()), readers[] = {Must(CreateStream()), Must(CreateStream())};
    RuntimeTensor data = Words(64);
    std::vector<RuntimeTensor> copies;
    for (uint32_t round = 0; round < 8; ++round) {
      ASSERT_OK(LaunchOperator(Fill(data, round), writer));
      for (const StreamHandle reader : readers) {
        copies.push_back(Words(64));
        // Named as an input it is only read; the kernel takes the destination first.
        Operator op{copy_words, {copies.back(), data}, {}, {uint32_t{64}}, 2, {}, {}};
        ASSERT_OK(LaunchOperator(op, reader));
      }
    }
    ASSERT_OK(SynchronizeDevice());
    for (uint32_t i = 0; i < copies.size(); ++i) EXPECT_EQ(Read(copies[i]), std::vector<uint32_t>(64, i / 2)) << i;
  });
}

TEST_F(Operators, WriteAfterWriteHoldsUnderEverySchedule) {
  UnderSeeds(25, [&] {
    Prepare();
    const StreamHandle streams[] = {Must(CreateStream()), Must(CreateStream())};
    RuntimeTensor data = Words(64);
    for (uint32_t step = 0; step < 20; ++step) ASSERT_OK(LaunchOperator(Fill(data, step), streams[step % 2]));
    ASSERT_OK(SynchronizeDevice());
    EXPECT_EQ(Read(data), std::vector<uint32_t>(64, 19));
  });
}

TEST_F(Operators, ABlockedStreamDoesNotDelayAnother) {
  const StreamHandle blocked = Must(CreateStream()), free_stream = Must(CreateStream());
  RuntimeTensor data = Words(8);
  HeldStream held(blocked);
  std::promise<void> called;
  Operator op = Fill(data, 3);
  op.on_done = [&] { called.set_value(); };
  ASSERT_OK(LaunchOperator(op, free_stream));
  ASSERT_OK(SynchronizeStream(free_stream)) << "its callback does not wait for the blocked stream's either";
  EXPECT_EQ(called.get_future().wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(Read(data), std::vector<uint32_t>(8, 3));
  EXPECT_FALSE(Must(IsStreamIdle(blocked)));
}

TEST_F(Operators, CountUpTheirTensorsUntilTheyHaveRun) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(8);
  EXPECT_EQ(data.use_count(), 1);
  HeldStream held(stream);
  ASSERT_OK(LaunchOperator(Fill(data, 1), stream));
  ASSERT_OK(LaunchOperator(AddOne(data), stream));
  EXPECT_EQ(data.use_count(), 3);
  held.Release();
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(data.use_count(), 1);
}

TEST_F(Operators, ABlockGoesBackOnlyAfterEveryStreamThatUsedIt) {
  const StreamHandle first = Must(CreateStream()), second = Must(CreateStream());
  const uint64_t before = pool->statistics().live_blocks;
  RuntimeTensor data = Words(8);
  ASSERT_OK(LaunchOperator(Fill(data, 1), first));
  ASSERT_OK(SynchronizeStream(first));
  HeldStream first_held(first), second_held(second);
  RuntimeTensor copies[] = {Words(8), Words(8)};
  ASSERT_OK(LaunchOperator(CopyWords(copies[0], data), first));
  ASSERT_OK(LaunchOperator(CopyWords(copies[1], data), second));
  const void* address = data.address();
  data = RuntimeTensor();
  EXPECT_EQ(pool->statistics().live_blocks, before + 3);
  first_held.Release();
  ASSERT_OK(SynchronizeStream(first));
  EXPECT_EQ(pool->statistics().live_blocks, before + 3) << "the second stream still uses it";
  second_held.Release();
  ASSERT_OK(SynchronizeStream(second));
  EXPECT_EQ(pool->statistics().live_blocks, before + 2);
  EXPECT_EQ(Read(copies[1]), std::vector<uint32_t>(8, 1));
  EXPECT_EQ(Words(8).address(), address) << "the block is used again";
}

TEST_F(Operators, UploadsComeBeforeTheKernel) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(8);
  std::vector<uint32_t> host(8, 41);
  Operator op = AddOne(data);
  op.uploads.push_back({data, host.data()});
  ASSERT_OK(LaunchOperator(op, stream));
  host.assign(8, 0);  // pageable memory was read before the call returned
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(8, 42));
}

TEST_F(Operators, OnDoneRunsAfterTheKernelOnAnotherThread) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words({1, 1});
  std::thread::id caller;
  uint32_t seen = 0;
  Operator op = AddOne(data);
  op.on_done = [&] {
    caller = std::this_thread::get_id();
    seen = 1;
  };
  ASSERT_OK(LaunchOperator(op, stream));
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(seen, 1U);
  EXPECT_TRUE(caller != std::this_thread::get_id());
}

TEST_F(Operators, AHostFunctionMustNotWaitForItsOwnStream) {
  const StreamHandle stream = Must(CreateStream());
  Status synchronised, destroyed, reset;
  ASSERT_OK(LaunchHostFunction(stream, [&] {
    SetDevice(0).IgnoreError();
    synchronised = SynchronizeStream(stream);
    destroyed = DestroyStream(stream);
    ResetDevice(0).IgnoreError();
    reset = ResetDevice(0);
  }));
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(synchronised.code(), Code::kParamInvalid);
  EXPECT_EQ(destroyed.code(), Code::kParamInvalid);
  EXPECT_EQ(reset.code(), Code::kParamInvalid);
}

TEST_F(Operators, WhatNothingHasIsRefused) {
  const auto policy = CreateStream(0, static_cast<FailurePolicy>(9));
  EXPECT_EQ(policy.code(), Code::kParamInvalid);
  EXPECT_NE(policy.status().ToString().find("9"), std::string::npos);
  EXPECT_EQ(MemoryPool::Create(uint64_t{1} << 60).code(), Code::kMemoryAllocation);
  const RuntimeTensor data = Words(8);
  const Status launched = LaunchKernel(AddOne(data).kernel, Must(CreateStream()), nullptr, 2);
  EXPECT_EQ(launched.code(), Code::kParamInvalid);
  EXPECT_NE(launched.ToString().find("array that is null"), std::string::npos) << launched.ToString();
}

TEST_F(Operators, WrongCountsAreRefused) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(8);
  Operator op = AddOne(data);
  op.inputs.push_back(data);
  EXPECT_EQ(LaunchOperator(op, stream).code(), Code::kParamInvalid) << "a tensor too many";
  op = AddOne(data);
  op.outputs.clear();
  EXPECT_EQ(LaunchOperator(op, stream).code(), Code::kParamInvalid) << "a tensor too few";
  op = AddOne(data);
  op.scalars.clear();
  EXPECT_EQ(LaunchOperator(op, stream).code(), Code::kParamInvalid) << "a scalar too few";
  op = AddOne(data);
  op.scalars.push_back(uint32_t{1});
  EXPECT_EQ(LaunchOperator(op, stream).code(), Code::kParamInvalid) << "a scalar too many";
  op = AddOne(data);
  op.scalars = {uint64_t{8}};
  EXPECT_EQ(LaunchOperator(op, stream).code(), Code::kParamInvalid) << "a scalar of another size";
  op = AddOne(data);
  op.block_count = 0;
  EXPECT_FALSE(LaunchOperator(op, stream).ok());
  op = AddOne(data);
  op.kernel = nullptr;
  EXPECT_EQ(LaunchOperator(op, stream).code(), Code::kInvalidHandle);
  EXPECT_EQ(Must(TaskQueue::Of(stream)).published(), 0U) << "what is refused leaves no trace";
  op = Operator();
  EXPECT_EQ(data.use_count(), 1);
}

TEST_F(Operators, AnEmptyTensorIsRefused) {
  const StreamHandle stream = Must(CreateStream());
  EXPECT_EQ(LaunchOperator(AddOne(RuntimeTensor()), stream).code(), Code::kParamInvalid);
}

TEST_F(Operators, ATensorOfAnotherDeviceIsRefused) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor here = Words(8);
  ASSERT_OK(SetDevice(1));
  const std::shared_ptr<MemoryPool> other_pool = Must(MemoryPool::OfCurrentDevice());
  RuntimeTensor there = Must(RuntimeTensor::FromPool(*other_pool, {8}, DataType::kUint32));
  EXPECT_EQ(Must(CurrentDevice()), 1);
  EXPECT_EQ(LaunchOperator(AddOne(there), stream).code(), Code::kStreamContext) << "the stream is not of this device";
  ASSERT_OK(SetDevice(0));
  EXPECT_EQ(LaunchOperator(AddOne(there), stream).code(), Code::kStreamContext);
  EXPECT_OK(LaunchOperator(AddOne(here), stream));
  EXPECT_OK(SynchronizeStream(stream));
  there = RuntimeTensor();
  EXPECT_OK(ResetDevice(1));
  EXPECT_OK(ResetDevice(0));
}

TEST_F(Operators, TwoDevicesWorkSideBySide) {
  RuntimeTensor here = Words(8);
  const StreamHandle first = Must(CreateStream());
  HeldStream held(first);
  ASSERT_OK(LaunchOperator(Fill(here, 1), first));
  ASSERT_OK(SetDevice(1));
  {
    const Kernels kernels("basic_kernels");
    const std::shared_ptr<MemoryPool> other_pool = Must(MemoryPool::OfCurrentDevice());
    RuntimeTensor there = Must(RuntimeTensor::FromPool(*other_pool, {8}, DataType::kUint32));
    const StreamHandle second = Must(CreateStream());
    ASSERT_OK(LaunchOperator({kernels["fill"], {}, {there}, {uint32_t{8}, uint32_t{2}}, 1, {}, {}}, second));
    ASSERT_OK(SynchronizeStream(second));
    EXPECT_EQ(Read(there), std::vector<uint32_t>(8, 2));
  }
  ASSERT_OK(ResetDevice(1));
  ASSERT_OK(SetDevice(0));
  held.Release();
  EXPECT_OK(SynchronizeStream(first));
  EXPECT_EQ(Read(here), std::vector<uint32_t>(8, 1));
  EXPECT_OK(ResetDevice(0));
}

TEST_F(Operators, ATensorFromBeforeAResetOrdersNothing) {
  RuntimeTensor raw;
  {
    RuntimeTensor data = Words(8);
    raw = Must(RuntimeTensor::FromAddress(data.address(), {8}, DataType::kUint32));
    const StreamHandle stream = Must(CreateStream());
    for (int i = 0; i < 5; ++i) ASSERT_OK(LaunchOperator(Fill(raw, 1), stream));
    ASSERT_OK(SynchronizeStream(stream));
  }
  Reopen();
  Prepare();
  RuntimeTensor data = Words(8);
  const StreamHandle unused = Must(CreateStream()), stream = Must(CreateStream());
  (void)unused;
  ASSERT_OK(LaunchOperator(Fill(raw, 2), stream));
  EXPECT_OK(SynchronizeStream(stream, 10'000));
}

TEST_F(Operators, ATensorOfAPoolFromBeforeAResetIsRefused) {
  const RuntimeTensor stale = Words(8);
  Reopen();
  Prepare();
  const RuntimeTensor data = Words(8);
  const StreamHandle stream = Must(CreateStream());
  const Status refused = LaunchOperator(Fill(stale, 2), stream);
  EXPECT_EQ(refused.code(), Code::kInvalidHandle) << refused.ToString();
  EXPECT_OK(SynchronizeStream(stream));
}

}  // namespace
}  // namespace forebay::testing
