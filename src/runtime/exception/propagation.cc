#include "exception/propagation.h"

namespace forebay::runtime {
namespace {

using sip::Severity;

// The order is that of severity and policy; docs/ARCHITECTURE.md shows the table, and propagation_test walks it.
constexpr PropagationRule kRules[] = {
    {Severity::kNotice, std::nullopt, Reach::kNobody, true, false, "nothing stops"},
    {Severity::kOperator, FailurePolicy::kContinue, Reach::kNobody, true, false, "a synchronise"},
    {Severity::kOperator, FailurePolicy::kStopStream, Reach::kStream, false, true, "Recover, or destroying the stream"},
    {Severity::kOperator, FailurePolicy::kStopContext, Reach::kContext, false, true, "destroying the context"},
    {Severity::kRepairable, std::nullopt, Reach::kDevice, false, true, "an abort of the device's tasks and a repair"},
    {Severity::kDevice, std::nullopt, Reach::kDevice, false, true, "a reset"},
};

}  // namespace

std::span<const PropagationRule> PropagationRules() noexcept { return kRules; }

const PropagationRule& RuleFor(sip::Severity severity, FailurePolicy policy) noexcept {
  for (const PropagationRule& rule : kRules) {
    if (rule.severity == severity && rule.policy.value_or(policy) == policy) return rule;
  }
  return kRules[std::size(kRules) - 1];
}

}  // namespace forebay::runtime
