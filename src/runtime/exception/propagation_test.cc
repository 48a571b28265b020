// Every row of the table of how far failures reach, on a real device; and that its page shows it.
#include "exception/propagation.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include "forebay/base/macros.h"
#include "forebay/fault_injection.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "support/runtime_fixture.h"

namespace forebay::runtime {
namespace {

using testing::HeldStream;
using testing::Launch;
using testing::Must;

uint64_t ToHandle(StreamHandle stream) { return reinterpret_cast<uint64_t>(stream); }

// What stands for each severity, when it happens to a task, and what the program gets.
struct Fault {
  const char* kind;
  Code code;
};
Fault FaultOf(sip::Severity severity) {
  switch (severity) {
    case sip::Severity::kNotice: return {"end_of_sequence", Code::kEndOfSequence};
    case sip::Severity::kOperator: return {"aicore_exception", Code::kAicoreException};
    case sip::Severity::kRepairable: return {"memory_uce", Code::kDeviceMemoryError};
    case sip::Severity::kDevice: return {"overheat", Code::kDriverInternal};
  }
  return {};
}

class Propagation : public testing::RuntimeTest {
 protected:
  void TearDown() override {
    RemoveFaults();
    RuntimeTest::TearDown();
  }
  Status AddOne(const RuntimeTensor& data, StreamHandle stream) {
    return LaunchOperator({basic["add_one"], {}, {data}, {static_cast<uint32_t>(data.element_count())}, 1, {}, {}},
                          stream);
  }
  // A stream does its work, and what it did can be read.
  void ExpectWorks(StreamHandle stream) {
    RuntimeTensor data = Words(std::vector<uint32_t>(1, 7));
    EXPECT_OK(AddOne(data, stream));
    EXPECT_OK(SynchronizeStream(stream));
    EXPECT_EQ(Read(data), std::vector<uint32_t>(1, 8));
  }
  void Walk(const PropagationRule& rule, FailurePolicy policy);
  void WalkEnding(const PropagationRule& rule, StreamHandle failing, uint64_t context, const Status& failure);
};

void Propagation::Walk(const PropagationRule& rule, FailurePolicy policy) {
  const Fault fault = FaultOf(rule.severity);
  SCOPED_TRACE(::testing::Message() << fault.kind << ", policy " << static_cast<int>(policy));
  DeviceState& device = *Must(FindDevice(0));
  // Another context of the device, and another device.
  const uint64_t home = Must(CurrentContext())->handle();
  const uint64_t elsewhere = Must(Context::Create(device, /*is_default=*/false));
  ASSERT_OK(SetCurrentContext(elsewhere));
  const StreamHandle far_stream = Must(CreateStream(0, policy));
  ASSERT_OK(SetDevice(1));
  const testing::Kernels kernels_of_other("basic_kernels");
  const StreamHandle stream_of_other = Must(CreateStream(0, policy));
  ASSERT_OK(SetCurrentContext(home));
  // One context of two streams; the second waits for the first. A third has nothing to do with them.
  const uint64_t context = Must(Context::Create(device, /*is_default=*/false));
  ASSERT_OK(SetCurrentContext(context));
  const StreamHandle failing = Must(CreateStream(0, policy)), waiting = Must(CreateStream(0, policy));
  const StreamHandle bystander = Must(CreateStream(0, policy));
  const EventHandle event = Must(CreateEvent());
  {
    RuntimeTensor data = Words(std::vector<uint32_t>(4, 1)), waited = Words(std::vector<uint32_t>(4, 1));
    bool called = false;
    const auto owned = std::make_shared<int>(0);
    HeldStream held(failing);
    ASSERT_OK(InjectFaults(std::string(fault.kind) + "@stream=" + std::to_string(Must(GetStreamId(failing))) +
                           ",kernel=nop"));
    ASSERT_OK(Launch(basic["nop"], failing, 1));
    ASSERT_OK(AddOne(data, failing));
    ASSERT_OK(LaunchHostFunction(failing, [&called, owned] { called = true; }));
    ASSERT_OK(RecordEvent(event, failing));
    ASSERT_OK(StreamWaitEvent(waiting, event));
    ASSERT_OK(AddOne(waited, waiting));
    held.Release();

    const bool goes_on = rule.stops == Reach::kNobody;
    const Status failure = SynchronizeStream(failing);
    EXPECT_EQ(failure.code(), fault.code) << "a synchronise: " << failure.ToString();
    const Status of_waiting = SynchronizeStream(waiting);
    EXPECT_TRUE(Must(IsEventComplete(event))) << "nobody waits for ever";
    EXPECT_EQ(SynchronizeEvent(event).ok(), goes_on) << "events behind it";
    if (rule.stops == Reach::kStream) {
      EXPECT_EQ(of_waiting.code(), Code::kDependencyFailed) << of_waiting.ToString();
      EXPECT_EQ(of_waiting.error()->cause, failure.error());
    } else if (rule.stops == Reach::kContext) {
      EXPECT_TRUE(of_waiting.code() == fault.code || of_waiting.code() == Code::kDependencyFailed)
          << of_waiting.ToString();
    } else {
      EXPECT_EQ(of_waiting.code(), goes_on ? Code::kSuccess : fault.code) << "streams that wait for these";
    }
    if (rule.stops < Reach::kDevice) {
      EXPECT_EQ(Read(data), std::vector<uint32_t>(4, goes_on ? 2 : 1)) << "tasks queued behind it";
      EXPECT_EQ(Read(waited), std::vector<uint32_t>(4, goes_on ? 2 : 1));
    }
    EXPECT_EQ(called, goes_on) << "host functions behind it";
    EXPECT_EQ(owned.use_count(), 1) << "what they own";
    EXPECT_EQ(data.use_count(), 1) << "what queued tasks hold";
    EXPECT_EQ(waited.use_count(), 1);

    const StreamState state = rule.stops == Reach::kNobody   ? StreamState::kReady
                              : rule.stops == Reach::kDevice ? StreamState::kLost
                                                             : StreamState::kStopped;
    EXPECT_EQ(Must(GetStreamState(failing)), state) << "the stream that fails";
    EXPECT_EQ(SynchronizeStream(failing).code(), rule.IsForgotten() ? Code::kSuccess : fault.code) << "again";
    RemoveFaults();
    EXPECT_EQ(Launch(basic["nop"], failing, 1).code(), goes_on ? Code::kSuccess : fault.code) << "later launches";
    const Code of_context = rule.stops < Reach::kContext ? Code::kSuccess : fault.code;
    EXPECT_EQ(Launch(basic["nop"], bystander, 1).code(), of_context) << "other streams of the context";
    EXPECT_EQ(SynchronizeStream(bystander).code(), of_context);
    WalkEnding(rule, failing, context, failure);
  }
  const auto go_to = [&](uint64_t there) { ASSERT_OK(SetCurrentContext(there)); };
  if (rule.stops < Reach::kDevice) {
    go_to(elsewhere);
    ExpectWorks(far_stream);
  } else if (rule.ends == Ending::kRepairDevice) {
    go_to(elsewhere);
    ExpectWorks(far_stream);
  }
  ASSERT_OK(SetDevice(1));
  EXPECT_OK(Launch(kernels_of_other["nop"], stream_of_other, 1)) << "other devices";
  EXPECT_OK(SynchronizeStream(stream_of_other));
  ASSERT_OK(::forebay::ResetDevice(1));
  ASSERT_OK(::forebay::ResetDevice(1));
  ASSERT_OK(SetDevice(0));
  ASSERT_OK(::forebay::ResetDevice(0));
}

void Propagation::WalkEnding(const PropagationRule& rule, StreamHandle failing, uint64_t context,
                             const Status& failure) {
  DeviceState& device = *Must(FindDevice(0));
  const bool recovers = rule.ends <= Ending::kRecoverStream;
  EXPECT_EQ(RecoverStream(failing).ok(), recovers) << "recovering the stream";
  if (recovers) return ExpectWorks(failing);
  EXPECT_EQ(Launch(basic["nop"], failing, 1).code(), failure.code()) << "nothing changed";
  if (rule.ends == Ending::kDestroyContext) {
    // An abort drops tasks that there are, and does not start the context again.
    EXPECT_OK(Streams().Find(ToHandle(failing))->Abort(ToHandle(failing)));
    EXPECT_EQ(Launch(basic["nop"], failing, 1).code(), failure.code());
    EXPECT_EQ(CreateStream().ok(), true);
    EXPECT_OK(Context::Destroy(context, /*force=*/false));
    ASSERT_OK(SetCurrentContext(Must(Context::Create(device, /*is_default=*/false))));
    return ExpectWorks(nullptr);
  }
  EXPECT_OK(device.AbortTasks(0));
  const Status repaired = device.Repair(device.trouble().bad_pages);
  EXPECT_EQ(repaired.ok(), rule.ends == Ending::kRepairDevice) << repaired.ToString();
  if (repaired.ok()) return ExpectWorks(failing);
  EXPECT_EQ(Launch(basic["nop"], failing, 1).code(), failure.code());
}

TEST_F(Propagation, EveryRowIsFollowed) {
  for (const PropagationRule& rule : PropagationRules()) {
    for (const FailurePolicy policy :
         {FailurePolicy::kContinue, FailurePolicy::kStopStream, FailurePolicy::kStopContext}) {
      if (rule.policy.value_or(policy) != policy) continue;
      Walk(rule, policy);
      if (HasFatalFailure()) return;
      // The reset is what ends the last row; for the others it clears up.
      Reopen();
      ExpectWorks(nullptr);
    }
  }
}

TEST(PropagationRules, ThereIsOneForEverySeverityAndPolicy) {
  for (const auto severity :
       {sip::Severity::kNotice, sip::Severity::kOperator, sip::Severity::kRepairable, sip::Severity::kDevice}) {
    for (const FailurePolicy policy :
         {FailurePolicy::kContinue, FailurePolicy::kStopStream, FailurePolicy::kStopContext}) {
      int fitting = 0;
      for (const PropagationRule& rule : PropagationRules())
        fitting += rule.severity == severity && rule.policy.value_or(policy) == policy ? 1 : 0;
      EXPECT_EQ(fitting, 1);
    }
    EXPECT_EQ(sip::IsDeviceFailure(severity), RuleFor(severity, FailurePolicy::kContinue).stops == Reach::kDevice);
  }
}

TEST(PropagationRules, ThePageShowsThem) {
  std::ifstream file(ARCHITECTURE_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(page.find("\n" + PropagationTable() + "\n"), std::string::npos)
      << "docs/ARCHITECTURE.md has to show, in \"A failing task\":\n"
      << PropagationTable();
}

}  // namespace
}  // namespace forebay::runtime
