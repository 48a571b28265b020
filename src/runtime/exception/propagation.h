// How far a failure reaches: the one table that the runtime and, through the registers of a stream, the device follow.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "forebay/sip/device.h"
#include "forebay/types.h"

namespace forebay::runtime {

// Whose streams stop: they run nothing more, drop what is queued, and refuse what is submitted.
enum class Reach : uint8_t { kNobody, kStream, kContext, kDevice };

struct PropagationRule {
  sip::Severity severity;
  std::optional<FailurePolicy> policy;  // of the stream that fails; empty: any
  Reach stops;
  bool is_forgotten;     // once a synchronise has reported it
  bool follows_records;  // records behind it complete with the failure, so that waiting streams fail as well
  std::string_view ends;  // what ends the state
};

std::span<const PropagationRule> PropagationRules() noexcept;
const PropagationRule& RuleFor(sip::Severity severity, FailurePolicy policy) noexcept;

}  // namespace forebay::runtime
