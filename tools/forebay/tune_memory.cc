// forebay tune-memory: replays the history of a memory pool with other settings.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>

#include "command.h"
#include "memory/pool/replayed_heap.h"
#include "memory/pool/trace.h"

namespace forebay::tool {
namespace {

using runtime::Trace;
using runtime::TraceEvent;
using runtime::TraceOperation;

constexpr std::string_view kHelp =
    R"(Replays a recorded history of a memory pool with other settings of the pool, and shows what each of them would have
cost: the most memory reserved by the most memory live, the same for the last step alone, how often the device was asked for memory or had to rearrange it, and time.

  TRACE        the history, a text file. "a ID BYTES STREAM" allocates, "f ID STREAM" frees, "e FROM TO" makes stream TO
               wait for stream FROM, "y STREAM" makes the host wait, "i" ends a step of the program, "#" is a comment.
               Stream "-" is none.
  --lag N      how far the device is behind the program, in operations of the pool (200)

The best are the settings that reserve the least in the last step, within one percent of each other those that ask the device least, and
of those the fastest. They are printed as environment variables; in the file of aclInit they are the same names in lower
case, without FOREBAY_, under "forebay".

Exit status: 0 done, 1 the trace cannot be read or replayed, 2 wrong arguments.
)";

struct Settings {
  uint64_t growth_mib;
  uint64_t remap_mib;
  uint32_t slack_percent;
  bool plan;
};

struct Outcome {
  Settings settings{};
  double waste = 0;       // reserved by live
  double last_waste = 0;  // in the last step
  uint64_t calls = 0;
  double ns = 0;
};

double ThreadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

runtime::ReplayOptions OptionsOf(const Settings& settings, uint64_t lag) {
  constexpr unsigned kMib = 20;
  runtime::ReplayOptions options;
  options.heap.growth_bytes = settings.growth_mib << kMib;
  options.heap.remap_bytes = settings.remap_mib << kMib;
  options.heap.remap_slack_percent = settings.slack_percent;
  options.plan.enabled = settings.plan;
  options.lag = lag;
  return options;
}

// Empty when an allocation fails, which only happens when the history has more than any device.
std::optional<Outcome> ReplayWith(const Settings& settings, const Trace& trace, bool marks_steps, uint64_t lag) {
  runtime::ReplayOptions options = OptionsOf(settings, lag);
  options.marks_steps = marks_steps;
  runtime::ReplayedHeap heap(options);
  std::vector<uint64_t> addresses(trace.ids);
  uint64_t peak = 0;
  uint64_t last_peak = 0;
  const double begin = ThreadNs();
  for (const TraceEvent& event : trace.events) {
    switch (event.operation) {
      case TraceOperation::kAllocate:
        addresses[event.id] = heap.Allocate(event.bytes, event.stream);
        if (addresses[event.id] == 0) return std::nullopt;
        break;
      case TraceOperation::kFree: heap.Free(addresses[event.id], event.stream); break;
      case TraceOperation::kWait: heap.Wait(event.id, event.stream); break;
      case TraceOperation::kSynchronise: heap.Synchronise(event.stream); break;
      case TraceOperation::kStep:
        last_peak = heap.source().peak();
        peak = std::max(peak, last_peak);
        heap.EndStep();
        heap.source().ResetPeak();
        break;
    }
  }
  Outcome outcome;
  outcome.settings = settings;
  outcome.ns = (ThreadNs() - begin) / static_cast<double>(trace.events.size());
  const auto by_live = [&](uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(trace.peak_bytes);
  };
  peak = std::max(peak, heap.source().peak());
  outcome.waste = by_live(peak);
  outcome.last_waste = by_live(last_peak == 0 ? peak : last_peak);
  outcome.calls = heap.source().calls();
  return outcome;
}

std::vector<Settings> Candidates() {
  std::vector<Settings> candidates;
  for (const bool plan : {false, true}) {
    for (const uint64_t growth : {0U, 32U, 256U}) {
      candidates.push_back({growth, 0, 5, plan});
      for (const uint32_t slack : {0U, 5U, 20U}) candidates.push_back({growth, 2, slack, plan});
    }
  }
  return candidates;
}

const Outcome& Best(const std::vector<Outcome>& outcomes) {
  const double least = std::min_element(outcomes.begin(), outcomes.end(), [](const auto& a, const auto& b) {
                         return a.last_waste < b.last_waste;
                       })->last_waste;
  const Outcome* best = nullptr;
  for (const Outcome& outcome : outcomes) {
    if (outcome.last_waste > least + 0.01) continue;
    if (best == nullptr || outcome.calls < best->calls || (outcome.calls == best->calls && outcome.ns < best->ns))
      best = &outcome;
  }
  return *best;
}

void Print(const Trace& trace, const std::vector<Outcome>& outcomes) {
  fmt::print("{}: {} operations on {} streams, {:.1f} MiB live at most\n\n", trace.name, trace.events.size(),
             trace.streams, static_cast<double>(trace.peak_bytes) / (1 << 20));
  constexpr std::string_view kRow = "{:>11}  {:>10}  {:>16}  {:>9}  {:>13}  {:>9}  {:>12}  {:>16}\n";
  fmt::print(fmt::runtime(kRow), "pool_growth", "pool_remap", "pool_remap_slack", "pool_plan", "reserved/live",
             "last step", "device calls", "ns per operation");
  for (const Outcome& outcome : outcomes) {
    const Settings& settings = outcome.settings;
    fmt::print(fmt::runtime(kRow), settings.growth_mib, settings.remap_mib,
               settings.remap_mib == 0 ? "-" : fmt::format("{}", settings.slack_percent), settings.plan ? 1 : 0,
               fmt::format("{:.4f}", outcome.waste), fmt::format("{:.4f}", outcome.last_waste), outcome.calls,
               fmt::format("{:.0f}", outcome.ns));
  }
  const Settings& best = Best(outcomes).settings;
  fmt::print(
      "\nThe best of these:\n\nFOREBAY_POOL_GROWTH={}\nFOREBAY_POOL_REMAP={}\nFOREBAY_POOL_REMAP_SLACK={}\n"
      "FOREBAY_POOL_PLAN={}\n",
      best.growth_mib, best.remap_mib, best.slack_percent, best.plan ? 1 : 0);
}

int Misused(const std::string& what) {
  fmt::print(stderr, "forebay tune-memory: {}; forebay tune-memory -h explains\n", what);
  return kMisused;
}

int Run(const Arguments& arguments) {
  std::string path;
  uint64_t lag = 200;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--lag") {
      if (i + 1 == arguments.size()) return Misused("--lag needs a number");
      const std::string_view value = arguments[++i];
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), lag);
      if (error != std::errc() || end != value.data() + value.size())
        return Misused(fmt::format("--lag \"{}\" is no number of operations", value));
    } else if (argument.starts_with('-')) {
      return Misused(fmt::format("there is no option \"{}\"", argument));
    } else if (!path.empty()) {
      return Misused(fmt::format("\"{}\" is a second trace, one is replayed", argument));
    } else {
      path = argument;
    }
  }
  if (path.empty()) return Misused("name a trace");
  const Result<Trace> trace = runtime::ReadTrace(path);
  if (!trace.ok()) {
    fmt::print(stderr, "forebay tune-memory: {}\n", trace.status().error()->message);
    return kFailed;
  }
  if (trace->peak_bytes == 0) {
    fmt::print(stderr, "forebay tune-memory: {}: nothing is allocated in it\n", path);
    return kFailed;
  }
  const bool marks_steps = std::any_of(trace->events.begin(), trace->events.end(), [](const TraceEvent& event) {
    return event.operation == TraceOperation::kStep;
  });
  std::vector<Outcome> outcomes;
  for (const Settings& settings : Candidates()) {
    const std::optional<Outcome> outcome = ReplayWith(settings, *trace, marks_steps, lag);
    if (!outcome) {
      fmt::print(stderr, "forebay tune-memory: {}: more memory is allocated than there are addresses\n", path);
      return kFailed;
    }
    outcomes.push_back(*outcome);
  }
  Print(*trace, outcomes);
  return kDone;
}

}  // namespace

const Command kTuneMemory = {"tune-memory", "[--lag N] TRACE",
                             "which settings suit a program best, by the history of its memory pool", kHelp, Run};

}  // namespace forebay::tool
