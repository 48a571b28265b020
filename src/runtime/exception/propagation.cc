#include "exception/propagation.h"

#include <iterator>

namespace forebay::runtime {
namespace {

using sip::Severity;

// docs/ARCHITECTURE.md shows the table in words; propagation_test walks its rows, and checks that page.
constexpr PropagationRule kRules[] = {
    {Severity::kNotice, std::nullopt, Reach::kNobody, Ending::kNothing},
    {Severity::kOperator, FailurePolicy::kContinue, Reach::kNobody, Ending::kSynchronize},
    {Severity::kOperator, FailurePolicy::kStopStream, Reach::kStream, Ending::kRecoverStream},
    {Severity::kOperator, FailurePolicy::kStopContext, Reach::kContext, Ending::kDestroyContext},
    {Severity::kRepairable, std::nullopt, Reach::kDevice, Ending::kRepairDevice},
    {Severity::kDevice, std::nullopt, Reach::kDevice, Ending::kResetDevice},
};

std::string_view NameOf(const PropagationRule& rule) noexcept {
  switch (rule.severity) {
    case Severity::kNotice: return "notice";
    case Severity::kRepairable: return "device, repairable";
    case Severity::kDevice: return "device";
    case Severity::kOperator: break;
  }
  switch (rule.policy.value_or(FailurePolicy::kContinue)) {
    case FailurePolicy::kContinue: return "task, continue";
    case FailurePolicy::kStopStream: return "task, stop this stream";
    case FailurePolicy::kStopContext: return "task, stop the context";
  }
  return "";
}

std::string_view Recovery(Ending ending) noexcept {
  switch (ending) {
    case Ending::kNothing: return "none is needed";
    case Ending::kSynchronize: return "the synchronise that reports it";
    case Ending::kRecoverStream: return "`Stream::Recover`, an abort, or destroying the stream";
    case Ending::kDestroyContext: return "destroying the context";
    case Ending::kRepairDevice: return "`aclrtDeviceTaskAbort` and `aclrtRepairError`, or a reset";
    case Ending::kResetDevice: return "a reset of the device";
  }
  return "";
}

}  // namespace

std::span<const PropagationRule> PropagationRules() noexcept { return kRules; }

const PropagationRule& RuleFor(Severity severity, FailurePolicy policy) noexcept {
  for (const PropagationRule& rule : kRules) {
    if (rule.severity == severity && rule.policy.value_or(policy) == policy) return rule;
  }
  return kRules[std::size(kRules) - 1];
}

std::string_view NameOf(Concern concern) noexcept {
  switch (concern) {
    case Concern::kFailingStream: return "the stream that fails";
    case Concern::kQueuedTasks: return "tasks queued behind it";
    case Concern::kEventsBehind: return "events recorded behind it";
    case Concern::kWaitingStreams: return "streams that wait for these";
    case Concern::kHostFunctions: return "host functions behind it";
    case Concern::kLeases: return "what queued tasks hold";
    case Concern::kLaterLaunches: return "later launches";
    case Concern::kSynchronize: return "a synchronise";
    case Concern::kOtherStreamsOfContext: return "other streams of the context";
    case Concern::kOtherStreamsOfDevice: return "other streams of the device";
    case Concern::kOtherDevices: return "other devices";
    case Concern::kRecovery: return "what ends it";
  }
  return "";
}

std::string_view WhatBecomesOf(Concern concern, const PropagationRule& rule) noexcept {
  const bool goes_on = rule.stops == Reach::kNobody;
  const bool is_lost = rule.stops == Reach::kDevice;
  switch (concern) {
    case Concern::kFailingStream: return goes_on ? "goes on with the next task" : is_lost ? "is lost" : "stops";
    case Concern::kQueuedTasks: return goes_on ? "run" : "are dropped";
    case Concern::kEventsBehind: return goes_on ? "complete" : "complete with the failure";
    case Concern::kWaitingStreams:
      switch (rule.stops) {
        case Reach::kNobody: return "go on";
        case Reach::kStream: return "fail as \"dependency failed\", which names the cause";
        case Reach::kContext: return "stop with the context, or fail as \"dependency failed\"";
        case Reach::kDevice: return "are lost, too";
      }
      break;
    case Concern::kHostFunctions: return goes_on ? "are called" : "are dropped, and what they own is let go of";
    case Concern::kLeases: return goes_on ? "is let go of when they have run" : "is let go of when they are dropped";
    case Concern::kLaterLaunches: return goes_on ? "are accepted" : "return the failure";
    case Concern::kSynchronize: return rule.IsForgotten() ? "reports it once" : "reports it each time";
    case Concern::kOtherStreamsOfContext: return rule.stops < Reach::kContext ? "go on" : is_lost ? "are lost" : "stop";
    case Concern::kOtherStreamsOfDevice: return is_lost ? "are lost" : "go on";
    case Concern::kOtherDevices: return "go on";
    case Concern::kRecovery: return Recovery(rule.ends);
  }
  return "";
}

std::string PropagationTable() {
  std::string header = "| what fails, policy |";
  std::string line = "|---|";
  for (const PropagationRule& rule : kRules) {
    header.append(" ").append(NameOf(rule)).append(" |");
    line += "---|";
  }
  std::string table = header + "\n" + line + "\n";
  for (int i = 0; i < kConcernCount; ++i) {
    const auto concern = static_cast<Concern>(i);
    table.append("| ").append(NameOf(concern)).append(" |");
    for (const PropagationRule& rule : kRules) table.append(" ").append(WhatBecomesOf(concern, rule)).append(" |");
    table += "\n";
  }
  return table;
}

}  // namespace forebay::runtime
