// How long the blocks of tensors live.
#include "acl/acl.h"
#include "tensor_traffic.h"

namespace forebay::testing {
namespace {

class TensorLifetime : public TensorTraffic {
 protected:
  Operator AddOne(const RuntimeTensor& data) {
    return {basic["add_one"], {}, {data}, {static_cast<uint32_t>(data.element_count())}, 1, {}, {}};
  }
  uint64_t live() const { return pool->statistics().live_blocks; }
};

TEST_F(TensorLifetime, EachUseCountsAndIsCountedDownWithoutAWait) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(8);
  std::promise<void> done;
  HeldStream held(stream);
  Operator op{basic["copy_words"], {data, data}, {}, {uint32_t{8}}, 1, {}, [&] { done.set_value(); }};
  ASSERT_OK(LaunchOperator(op, stream));
  op = Operator();
  EXPECT_EQ(data.use_count(), 3);
  held.Release();
  done.get_future().wait();
  EXPECT_EQ(data.use_count(), 1) << "nobody has waited for the stream";
}

TEST_F(TensorLifetime, ViewsOfABlockAreOrderedByTheBlock) {
  const StreamHandle writer = Must(CreateStream()), reader = Must(CreateStream());
  const RuntimeTensor data = Words(std::vector<uint32_t>(16, 4));
  const RuntimeTensor half = Must(data.Slice(0, 8, 16));
  HeldStream held(writer);
  ASSERT_OK(LaunchOperator(AddOne(data), writer));
  ASSERT_OK(LaunchOperator(AddOne(half), reader));
  EXPECT_NE(Must(TaskQueue::Of(reader)).ToString().find("wait until event"), std::string::npos);
  EXPECT_EQ(data.use_count(), 4);
  held.Release();
  ASSERT_OK(SynchronizeStream(reader));
  EXPECT_EQ(Read(half), std::vector<uint32_t>(8, 6));
  EXPECT_EQ(Read(Must(data.Slice(0, 0, 8))), std::vector<uint32_t>(8, 5));
}

TEST_F(TensorLifetime, AViewInAQueueKeepsTheBlock) {
  const StreamHandle stream = Must(CreateStream());
  const uint64_t before = live();
  HeldStream held(stream);
  ASSERT_OK(LaunchOperator(AddOne(Must(Words(std::vector<uint32_t>(16, 1)).Slice(0, 8, 16))), stream));
  EXPECT_EQ(live(), before + 1);
  held.Release();
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(live(), before);
}

TEST_F(TensorLifetime, AnUploadDoesNotWaitForTheStream) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(8);
  std::vector<uint32_t> host(8, 41);
  HeldStream held(stream);
  Operator op = AddOne(data);
  op.uploads.push_back({data, host.data()});
  ASSERT_OK(LaunchOperator(op, stream));
  op = Operator();
  host.assign(8, 0);
  EXPECT_FALSE(Must(IsStreamIdle(stream)));
  EXPECT_EQ(data.use_count(), 3);
  held.Release();
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(8, 42));
  EXPECT_EQ(data.use_count(), 1);
}

TEST_F(TensorLifetime, UploadsOfAKernelThatIsRefusedKeepTheirBlock) {
  const StreamHandle stream = Must(CreateStream());
  const std::vector<uint32_t> host(8, 41);
  RuntimeTensor data = Words(8);
  HeldStream held(stream);
  Operator op = AddOne(data);
  op.block_count = 0;
  op.uploads.push_back({data, host.data()});
  EXPECT_FALSE(LaunchOperator(op, stream).ok());
  op = Operator();
  EXPECT_EQ(data.use_count(), 3) << "the upload is in the queue";
  held.Release();
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(data.use_count(), 1);
}

TEST_F(TensorLifetime, AnUploadIntoGapsIsRefused) {
  const StreamHandle stream = Must(CreateStream());
  const std::vector<uint32_t> host(8, 41);
  Operator op = AddOne(Words(8));
  op.uploads.push_back({Must(Words(16).Slice(0, 0, 16, 2)), host.data()});
  EXPECT_EQ(LaunchOperator(op, stream).code(), Code::kParamInvalid);
}

TEST_F(TensorLifetime, AStreamThatFailsGivesBackWhatItsTasksHeld) {
  const StreamHandle stream = Must(CreateStream());
  const KernelHandle fault = Kernels("fault_kernels")["read_null"];
  const uint64_t before = live();
  {
    HeldStream held(stream);
    ASSERT_OK(Launch(fault, stream, 1));
    for (int i = 0; i < 20; ++i) ASSERT_OK(LaunchOperator(AddOne(Words(8)), stream));
    EXPECT_EQ(live(), before + 20);
  }
  EXPECT_FALSE(SynchronizeStream(stream).ok());
  EXPECT_EQ(live(), before);
  EXPECT_FALSE(LaunchOperator(AddOne(Words(8)), stream).ok());
  EXPECT_EQ(live(), before);
  EXPECT_OK(DestroyStream(stream));
}

TEST_F(TensorLifetime, AnAbortGivesBackWhatTasksHeld) {
  const StreamHandle stream = Must(CreateStream(0, FailurePolicy::kContinue)), gate = Must(CreateStream());
  const EventHandle event = Must(CreateEvent());
  const uint64_t before = live();
  HeldStream held(gate);
  ASSERT_OK(RecordEvent(event, gate));
  ASSERT_OK(StreamWaitEvent(stream, event));
  for (int i = 0; i < 20; ++i) ASSERT_OK(LaunchOperator(AddOne(Words(8)), stream));
  EXPECT_EQ(live(), before + 20);
  EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
  EXPECT_EQ(live(), before);
}

TEST_F(TensorLifetime, AStreamThatIsDestroyedGivesBackWhatItsTasksHeld) {
  const uint64_t before = live();
  const StreamHandle stream = Must(CreateStream());
  for (int i = 0; i < 20; ++i) ASSERT_OK(LaunchOperator(AddOne(Words(8)), stream));
  ASSERT_OK(DestroyStream(stream));
  EXPECT_EQ(live(), before);
}

TEST_F(TensorLifetime, TheLastTensorMayGoInACallback) {
  const StreamHandle stream = Must(CreateStream());
  const uint64_t before = live();
  Operator op;
  {
    RuntimeTensor data = Words(8);
    op = AddOne(data);
    op.on_done = [data, copy = RuntimeTensor()]() mutable { copy = std::move(data); };
  }
  ASSERT_OK(LaunchOperator(op, stream));
  op = Operator();
  ASSERT_OK(SynchronizeStream(stream));
  // The function itself goes after its task.
  ASSERT_OK(DestroyStream(stream));
  EXPECT_EQ(live(), before);
}

TEST_F(TensorLifetime, TensorsOutliveAReset) {
  RuntimeTensor data = Words(8), view = Must(data.Slice(0, 0, 4));
  ASSERT_OK(LaunchOperator(AddOne(data), Must(CreateStream())));
  Reopen();
  EXPECT_EQ(LaunchOperator(AddOne(view), Must(CreateStream())).code(), Code::kInvalidHandle);
  EXPECT_EQ(data.use_count(), 2);
  const RuntimeTensor other = Words(8);
  const uint64_t before = live();
  data = view = RuntimeTensor();
  EXPECT_EQ(live(), before) << "the old address is another's now";
}

TEST_F(TensorLifetime, CountsAreExactAmongThreads) { Run(4, 10'000); }

}  // namespace
}  // namespace forebay::testing
