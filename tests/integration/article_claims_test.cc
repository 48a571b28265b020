// The claims of the article that this system is built after, one test each.
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class ArticleClaims : public RuntimeTest {};

TEST_F(ArticleClaims, WaitingParksOnlyTheWaitingStream) {
  const StreamHandle producer = Must(CreateStream()), waiter = Must(CreateStream()), other = Must(CreateStream());
  const EventHandle event = Must(CreateEvent());
  HeldStream held(producer);
  ASSERT_OK(RecordEvent(event, producer));
  ASSERT_OK(StreamWaitEvent(waiter, event));
  ASSERT_OK(Launch(basic["nop"], waiter, 1));
  RuntimeTensor data = Words(std::vector<uint32_t>(4, 0));
  for (int i = 0; i < 100; ++i) ASSERT_OK(Launch(basic["add_one"], other, 1, data.address(), uint32_t{4}));
  ASSERT_OK(SynchronizeStream(other));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(4, 100));
  EXPECT_FALSE(Must(IsStreamIdle(waiter)));
  EXPECT_FALSE(Must(IsEventComplete(event)));
  held.Release();
  ASSERT_OK(SynchronizeStream(waiter));
  EXPECT_TRUE(Must(IsEventComplete(event)));
}

TEST_F(ArticleClaims, EveryPhaseGivesBackWhatItTook) {
  const ResourceCounters start = Runtime::Counters();
  // Tensors at zero.
  std::shared_ptr<MemoryPool> own = Must(MemoryPool::Create());
  {
    RuntimeTensor data = Must(RuntimeTensor::FromPool(*own, {1024}, DataType::kUint32));
    ASSERT_OK(LaunchOperator({basic["fill"], {}, {data}, {uint32_t{1024}, uint32_t{1}}, 1, {}, {}}));
    EXPECT_GT(Runtime::Counters().memory_bytes, start.memory_bytes);
  }
  EXPECT_EQ(own->statistics().live_blocks, 0U);
  own->Trim();
  EXPECT_EQ(Runtime::Counters().memory_bytes, start.memory_bytes);
  own.reset();
  EXPECT_EQ(Runtime::Counters(), start);
  // Streams and events.
  std::vector<StreamHandle> streams;
  for (int i = 0; i < 20; ++i) streams.push_back(Must(CreateStream()));
  EXPECT_EQ(Runtime::Counters().streams, start.streams + 20);
  const EventHandle event = Must(CreateEvent());
  ASSERT_OK(RecordEvent(event, streams[0]));
  EXPECT_EQ(Runtime::Counters().events, start.events + 1);
  ASSERT_OK(SynchronizeStream(streams[0]));
  ASSERT_OK(DestroyEvent(event));
  for (const StreamHandle stream : streams) ASSERT_OK(DestroyStream(stream));
  EXPECT_EQ(Runtime::Counters(), start);
  // The device, with everything still in use. RuntimeTest checks that nothing is left.
  const EventHandle forgotten = Must(CreateEvent());
  const StreamHandle forgotten_stream = Must(CreateStream());
  ASSERT_OK(RecordEvent(forgotten, forgotten_stream));
  own = Must(MemoryPool::Create());
  void* const block = Must(own->Alloc(4096));
  RuntimeTensor kept = Words(16);
  Close();
  EXPECT_EQ(DestroyEvent(forgotten).code(), Code::kInvalidHandle);
  EXPECT_EQ(DestroyStream(forgotten_stream).code(), Code::kContextNull);
  EXPECT_EQ(own->Free(block).code(), Code::kMemoryFree);
  EXPECT_EQ(own->Alloc(4096).code(), Code::kInvalidHandle);
  Open();
  EXPECT_EQ(DestroyStream(forgotten_stream).code(), Code::kInvalidHandle);
  EXPECT_EQ(RecordEvent(forgotten, nullptr).code(), Code::kInvalidHandle);
  EXPECT_FALSE(own->Alloc(64).ok());
}

TEST_F(ArticleClaims, ADeviceCanBeSetAgainWhateverWasLeftOver) {
  std::vector<std::shared_ptr<MemoryPool>> pools;
  std::vector<RuntimeTensor> tensors;
  for (int round = 0; round < 5; ++round) {
    pools.push_back(Must(MemoryPool::Create(1 << 20)));
    tensors.push_back(Must(RuntimeTensor::FromPool(*pools.back(), {64}, DataType::kFloat)));
    tensors.push_back(Words(64));
    RecordEvent(Must(CreateEvent()), Must(CreateStream())).IgnoreError();
    Reopen();
  }
  EXPECT_OK(LaunchOperator({basic["nop"], {}, {}, {}, 1, {}, {}}));
}

TEST_F(ArticleClaims, CheckingOnlyAtTheEndYieldsTheFirstError) {
  const Kernels faults("fault_kernels");
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(4);
  for (int i = 0; i < 50; ++i) {
    LaunchOperator({basic["fill"], {}, {data}, {uint32_t{4}, uint32_t{1}}, 1, {}, {}}, stream).IgnoreError();
    if (i == 20) Launch(faults["divide_by_zero"], stream, 1, data.address(), int32_t{0}).IgnoreError();
    if (i == 30) Launch(faults["trap"], stream, 1).IgnoreError();
  }
  const Status status = SynchronizeStream(stream);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error()->kernel, "divide_by_zero");
  EXPECT_EQ(status.error()->task, 42) << "a kernel and a record for each of 21 operators came before";
}

TEST_F(ArticleClaims, AKernelCannotLaunchKernels) {
  const auto refused = LoadKernelBinary(KernelPath("bad_runtime_call"));
  ASSERT_EQ(refused.code(), Code::kParamInvalid);
  EXPECT_NE(refused.status().ToString().find("dynamic parallelism"), std::string::npos) << refused.status().ToString();
}

TEST_F(ArticleClaims, ResetMakesAllStreamsStaleAtOnce) {
  std::vector<StreamHandle> streams;
  for (int i = 0; i < 100; ++i) streams.push_back(Must(CreateStream()));
  for (const StreamHandle stream : streams) ASSERT_OK(Launch(basic["nop"], stream, 1));
  Reopen();
  for (const StreamHandle stream : streams) EXPECT_EQ(QueryStreamStatus(stream).code(), Code::kInvalidHandle);
}

}  // namespace
}  // namespace forebay::testing
