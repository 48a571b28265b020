// What becomes of a stream, and of those that depend on it, when a task fails.
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class FailurePolicies : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    faults = Kernels("fault_kernels");
  }
  void Trap(StreamHandle stream) { ASSERT_OK(Launch(faults["trap"], stream, 1)); }
  void Abort(StreamHandle stream) { Launch(faults["call_abort"], stream, 1).IgnoreError(); }
  Status AddOne(const RuntimeTensor& data, StreamHandle stream) {
    return LaunchOperator({basic["add_one"], {}, {data}, {static_cast<uint32_t>(data.element_count())}, 1, {}, {}},
                          stream);
  }
  Kernels faults;
};

TEST_F(FailurePolicies, TheFirstFailureIsKept) {
  const StreamHandle stream = Must(CreateStream());
  HeldStream held(stream);
  Trap(stream);
  Abort(stream);
  held.Release();
  const Status first = SynchronizeStream(stream);
  EXPECT_EQ(first.error()->kernel, "trap");
  EXPECT_EQ(SynchronizeStream(stream).error(), first.error()) << "a stopped stream keeps it";
  EXPECT_EQ(QueryStreamStatus(stream).error(), first.error());
  EXPECT_EQ(SynchronizeDevice().error(), first.error());
}

TEST_F(FailurePolicies, AStoppedStreamDropsWhatIsQueuedAndRefusesMore) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(std::vector<uint32_t>(4, 1));
  bool called = false;
  HeldStream held(stream);
  Trap(stream);
  ASSERT_OK(AddOne(data, stream));
  ASSERT_OK(LaunchHostFunction(stream, [&] { called = true; }));
  held.Release();
  const Status first = SynchronizeStream(stream);
  EXPECT_EQ(Read(data), std::vector<uint32_t>(4, 1));
  EXPECT_FALSE(called);
  EXPECT_EQ(data.use_count(), 1);
  EXPECT_EQ(Launch(basic["nop"], stream, 1).error(), first.error());
  EXPECT_EQ(AddOne(data, stream).error(), first.error());
  EXPECT_EQ(LaunchHostFunction(stream, [] {}).error(), first.error());
  EXPECT_EQ(data.use_count(), 1) << "what was refused holds nothing";
}

TEST_F(FailurePolicies, ADroppedHostFunctionLetsGoOfWhatItOwns) {
  const StreamHandle stream = Must(CreateStream());
  const auto owned = std::make_shared<int>(1);
  HeldStream held(stream);
  Trap(stream);
  ASSERT_OK(LaunchHostFunction(stream, [owned] {}));
  EXPECT_EQ(owned.use_count(), 2);
  held.Release();
  EXPECT_FALSE(SynchronizeStream(stream).ok());
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(FailurePolicies, AStreamThatWaitsForAFailedOneFailsAndNamesTheCause) {
  const StreamHandle failing = Must(CreateStream()), waiting = Must(CreateStream()), third = Must(CreateStream());
  const EventHandle event = Must(CreateEvent()), second_event = Must(CreateEvent());
  HeldStream held(failing);
  Trap(failing);
  ASSERT_OK(RecordEvent(event, failing));
  ASSERT_OK(StreamWaitEvent(waiting, event));
  ASSERT_OK(RecordEvent(second_event, waiting));
  ASSERT_OK(StreamWaitEvent(third, second_event));
  held.Release();
  for (const StreamHandle stream : {waiting, third}) {
    const Status failed = SynchronizeStream(stream);
    ASSERT_EQ(failed.code(), Code::kDependencyFailed) << failed.ToString();
    EXPECT_NE(failed.ToString().find("dependency failed"), std::string::npos) << failed.ToString();
    ASSERT_NE(failed.error()->cause, nullptr) << failed.ToString();
    EXPECT_EQ(failed.error()->cause->kernel, "trap");
  }
  EXPECT_TRUE(Must(IsEventComplete(event))) << "nobody waits for ever";
  EXPECT_FALSE(SynchronizeEvent(event).ok());
}

TEST_F(FailurePolicies, ADependencyThroughATensorFailsTheSameWay) {
  const StreamHandle failing = Must(CreateStream()), consumer = Must(CreateStream());
  RuntimeTensor data = Words(4);
  Trap(failing);
  EXPECT_FALSE(SynchronizeStream(failing).ok());
  // Refused because the stream has stopped; nobody looks at the result here.
  AddOne(data, failing).IgnoreError();
  ASSERT_OK(AddOne(data, consumer));
  const Status failed = SynchronizeStream(consumer);
  ASSERT_EQ(failed.code(), Code::kDependencyFailed) << failed.ToString();
  EXPECT_EQ(failed.error()->cause->kernel, "trap");
}

TEST_F(FailurePolicies, ARecordThatAStoppedStreamRefusesStillFailsWhoWaits) {
  const StreamHandle failing = Must(CreateStream()), waiting = Must(CreateStream());
  const EventHandle event = Must(CreateEvent());
  Trap(failing);
  const Status first = SynchronizeStream(failing);
  EXPECT_EQ(RecordEvent(event, failing).error(), first.error());
  ASSERT_OK(StreamWaitEvent(waiting, event));
  EXPECT_EQ(SynchronizeStream(waiting).code(), Code::kDependencyFailed);
}

TEST_F(FailurePolicies, OtherStreamsGoOn) {
  const StreamHandle failing = Must(CreateStream()), other = Must(CreateStream());
  RuntimeTensor data = Words(std::vector<uint32_t>(4, 1));
  Trap(failing);
  EXPECT_FALSE(SynchronizeStream(failing).ok());
  ASSERT_OK(AddOne(data, other));
  ASSERT_OK(SynchronizeStream(other));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(4, 2));
  EXPECT_OK(QueryStreamStatus(other));
}

TEST_F(FailurePolicies, ARecoveredStreamWorksAgain) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(std::vector<uint32_t>(4, 1));
  for (int round = 0; round < 3; ++round) {
    Trap(stream);
    EXPECT_FALSE(SynchronizeStream(stream).ok());
    ASSERT_OK(RecoverStream(stream));
    EXPECT_OK(QueryStreamStatus(stream));
    ASSERT_OK(AddOne(data, stream));
    ASSERT_OK(SynchronizeStream(stream));
  }
  EXPECT_EQ(Read(data), std::vector<uint32_t>(4, 4));
}

TEST_F(FailurePolicies, ADestroyedStreamsSlotStartsAfresh) {
  const StreamHandle failing = Must(CreateStream());
  const int32_t id = Must(GetStreamId(failing));
  Trap(failing);
  EXPECT_FALSE(SynchronizeStream(failing).ok());
  ASSERT_OK(DestroyStream(failing));
  EXPECT_EQ(QueryStreamStatus(failing).code(), Code::kInvalidHandle);
  const StreamHandle stream = Must(CreateStream());
  EXPECT_EQ(Must(GetStreamId(stream)), id);
  RuntimeTensor data = Words(std::vector<uint32_t>(4, 1));
  ASSERT_OK(AddOne(data, stream));
  EXPECT_OK(SynchronizeStream(stream));
}

TEST_F(FailurePolicies, ContinueModeSkipsTheFailingTaskOnly) {
  const StreamHandle stream = Must(CreateStream(0, FailurePolicy::kContinue));
  RuntimeTensor data = Words(std::vector<uint32_t>(4, 1));
  HeldStream held(stream);
  Trap(stream);
  ASSERT_OK(AddOne(data, stream));
  Abort(stream);
  ASSERT_OK(AddOne(data, stream));
  held.Release();
  EXPECT_EQ(SynchronizeStream(stream).error()->kernel, "trap") << "the first of two";
  EXPECT_EQ(Read(data), std::vector<uint32_t>(4, 3));
  EXPECT_OK(SynchronizeStream(stream)) << "reported once, then forgotten";
}

TEST_F(FailurePolicies, StopContextStopsEveryStreamOfTheContext) {
  const StreamHandle first = Must(CreateStream(0, FailurePolicy::kStopContext));
  const StreamHandle second = Must(CreateStream(0, FailurePolicy::kStopContext));
  RuntimeTensor data = Words(std::vector<uint32_t>(4, 1));
  HeldStream held(second);
  ASSERT_OK(AddOne(data, second));
  Trap(first);
  const Status failure = SynchronizeStream(first);
  EXPECT_EQ(failure.error()->kernel, "trap");
  EXPECT_EQ(Must(GetStreamState(second)), StreamState::kStopped);
  EXPECT_EQ(Launch(basic["nop"], second, 1).error(), failure.error());
  held.Release();
  EXPECT_EQ(SynchronizeStream(second).error(), failure.error());
  EXPECT_EQ(Read(data), std::vector<uint32_t>(4, 1)) << "its queued tasks are dropped";
}

TEST_F(FailurePolicies, StatesFollowFailureAndRecovery) {
  const StreamHandle stopping = Must(CreateStream()), going_on = Must(CreateStream(0, FailurePolicy::kContinue));
  EXPECT_EQ(Must(GetStreamState(stopping)), StreamState::kReady);
  EXPECT_EQ(Must(GetStreamState(going_on)), StreamState::kReady);
  Trap(stopping);
  EXPECT_FALSE(SynchronizeStream(stopping).ok());
  EXPECT_EQ(Must(GetStreamState(stopping)), StreamState::kStopped);
  ASSERT_OK(RecoverStream(stopping));
  EXPECT_EQ(Must(GetStreamState(stopping)), StreamState::kReady);

  const EventHandle behind = Must(CreateEvent());
  Trap(going_on);
  ASSERT_OK(RecordEvent(behind, going_on));
  EXPECT_FALSE(SynchronizeEvent(behind).ok());
  EXPECT_EQ(Must(GetStreamState(going_on)), StreamState::kFailed);
  EXPECT_FALSE(SynchronizeStream(going_on).ok());
  EXPECT_EQ(Must(GetStreamState(going_on)), StreamState::kReady);
}

}  // namespace
}  // namespace forebay::testing
