// How far a failure reaches: the one table that the runtime and, through the registers of a stream, the device follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "forebay/sip/device.h"
#include "forebay/types.h"

namespace forebay::runtime {

// Whose streams stop: they run nothing more, drop what is queued, and refuse what is submitted.
enum class Reach : uint8_t { kNobody, kStream, kContext, kDevice };

// What ends the state.
enum class Ending : uint8_t { kNothing, kSynchronize, kRecoverStream, kDestroyContext, kRepairDevice, kResetDevice };

struct PropagationRule {
  sip::Severity severity;
  std::optional<FailurePolicy> policy;  // of the stream that fails; empty: any
  Reach stops;
  Ending ends;

  // Once a synchronise has reported it.
  constexpr bool IsForgotten() const noexcept { return ends <= Ending::kSynchronize; }
};

std::span<const PropagationRule> PropagationRules() noexcept;
const PropagationRule& RuleFor(sip::Severity severity, FailurePolicy policy) noexcept;
// What can end the failure of a device as a whole.
inline Ending EndingOf(sip::Severity severity) noexcept { return RuleFor(severity, FailurePolicy::kContinue).ends; }

// ---- In words ----

// What a failure has consequences for.
enum class Concern : uint8_t {
  kFailingStream,
  kQueuedTasks,
  kEventsBehind,
  kWaitingStreams,
  kHostFunctions,
  kLeases,
  kLaterLaunches,
  kSynchronize,
  kOtherStreamsOfContext,
  kOtherStreamsOfDevice,
  kOtherDevices,
  kRecovery,
};
inline constexpr int kConcernCount = 12;
std::string_view NameOf(Concern concern) noexcept;
std::string_view WhatBecomesOf(Concern concern, const PropagationRule& rule) noexcept;
// All of it as a table of a page, in Markdown.
std::string PropagationTable();

}  // namespace forebay::runtime
