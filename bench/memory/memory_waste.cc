// How much more a pool reserves than is live at once, as Markdown tables.
//
//   memory_waste MINIMALLOC_DIRECTORY [TRACE...]     without traces: all that can be made
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "forebay_pool.h"
#include "goals.h"
#include "memory/pool/placement.h"
#include "peers.h"
#include "replay.h"

namespace forebay::bench {
namespace {

struct Input {
  runtime::Trace trace;
  TraceKind kind = TraceKind::kModel;
  bool of_the_eight = false;
};

ForebayOptions Remapping(uint32_t slack_percent) {
  ForebayOptions options = WithoutRemapping();
  options.heap.remap_bytes = 2 * kMiB;
  options.heap.remap_slack_percent = slack_percent;
  options.lag = kUsualLag;
  return options;
}

struct Contender {
  const char* name;
  bool is_ordered;  // whether it respects streams at all
  std::function<std::unique_ptr<Pool>()> make;
};

Contender Forebay(const char* name, const ForebayOptions& options) {
  return {name, true, [options] { return std::make_unique<ForebayPool>(options); }};
}

template <typename Model>
Contender Peer(const char* name, bool is_ordered) {
  return {name, is_ordered, [] { return std::make_unique<Model>(); }};
}

std::vector<Contender> Contenders() {
  ForebayOptions small_pages = Remapping(0);
  small_pages.page_bytes = 64 * kKiB;
  small_pages.heap.remap_bytes = 64 * kKiB;
  return {Peer<ArticlePool>("article", false),
          Peer<LinearStreamModel>("SOMA model", true),
          Peer<FrameworkModel>("framework model", true),
          Peer<BestFit>("best fit", false),
          Forebay("Forebay, no remapping", WithoutRemapping()),
          Forebay("5 % slack", Remapping(5)),
          Forebay("no slack", Remapping(0)),
          Forebay("64 KiB pages", small_pages)};
}
constexpr std::size_t kFramework = 2, kBestFit = 3, kOnline = 4, kSlack = 5, kNoSlack = 6, kSmallPages = 7;

class Mean {
 public:
  void Add(double value) {
    sum_ += std::log(value);
    worst_ = std::max(worst_, value);
    ++count_;
  }
  double geometric() const { return std::exp(sum_ / std::max(count_, 1)); }
  double worst() const { return worst_; }

 private:
  double sum_ = 0;
  double worst_ = 0;
  int count_ = 0;
};

// One row: the trace, and what each contender did with it.
struct Row {
  const Input* input;
  std::vector<Replayed> replayed;
};

Row ReplayAll(const Input& input, const std::vector<Contender>& contenders) {
  Row row{&input, {}};
  for (const Contender& contender : contenders) {
    const std::unique_ptr<Pool> pool = contender.make();
    row.replayed.push_back(Replay(input.trace, *pool, contender.is_ordered));
  }
  return row;
}

void PrintRows(const std::vector<Row>& rows, const std::vector<Contender>& contenders) {
  fmt::print(
      "The most that was reserved by the most that was live, as it was asked for. *Italic*: the pool ignores "
      "streams, which is no choice on a device. `!`: the replay found a mistake.\n\n| Trace |");
  for (const Contender& contender : contenders) fmt::print(" {} |", contender.name);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < contenders.size(); ++i) fmt::print("--:|");
  fmt::print("\n");
  std::vector<Mean> means(contenders.size());
  for (const Row& row : rows) {
    const runtime::Trace& trace = row.input->trace;
    fmt::print("| {} |", trace.name);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const Replayed& replayed = row.replayed[i];
      const char* mark = contenders[i].is_ordered ? "" : "*";
      fmt::print(" {}{:.3f}{}{} |", mark, replayed.Waste(trace), mark, replayed.mistake.empty() ? "" : " !");
      if (row.input->of_the_eight) means[i].Add(replayed.Waste(trace));
    }
    fmt::print("\n");
  }
  fmt::print("| geometric mean of the first eight |");
  for (const Mean& mean : means) fmt::print(" {:.3f} |", mean.geometric());
  fmt::print("\n\n");
}

void PrintGoals(const std::vector<Row>& rows) {
  Mean online, no_slack, slack, best_fit;
  uint64_t most_calls = 0;
  for (const Row& row : rows) {
    const runtime::Trace& trace = row.input->trace;
    if (row.input->kind == TraceKind::kPeriodic)
      most_calls = std::max(most_calls, row.replayed[kSlack].last_step_calls);
    if (!row.input->of_the_eight) continue;
    online.Add(row.replayed[kOnline].Waste(trace));
    slack.Add(row.replayed[kSlack].Waste(trace));
    no_slack.Add(row.replayed[kNoSlack].Waste(trace));
    best_fit.Add(row.replayed[kBestFit].Waste(trace));
  }
  GoalHeader();
  Goal("Waste without remapping", "at most 1.03, the worst 1.09",
       fmt::format("{:.4f}, the worst {:.4f} (best fit without streams: {:.4f})", online.geometric(), online.worst(),
                   best_fit.geometric()),
       online.geometric() <= 1.03 && online.worst() <= 1.09);
  Goal("Waste with remapping, no slack", "at most 1.01, the worst 1.02",
       fmt::format("{:.4f}, the worst {:.4f}", no_slack.geometric(), no_slack.worst()),
       no_slack.geometric() <= 1.01 && no_slack.worst() <= 1.02);
  Goal("Waste with remapping, 5 % slack", "at most 1.03, at most 2 calls in the last step of a training",
       fmt::format("{:.4f}, {} calls", slack.geometric(), most_calls), slack.geometric() <= 1.03 && most_calls <= 2);
}

void PrintAdversarialGoals(const std::vector<Row>& rows) {
  struct Limit {
    const char* trace;
    std::size_t contender;
    double most;
  };
  constexpr Limit kLimits[] = {{"adv_streams", kNoSlack, 1.5},
                               {"adv_sawtooth", kNoSlack, 1.1},
                               {"adv_checker", kNoSlack, 1.3},
                               {"adv_robson", kSmallPages, 1.1}};
  for (const Limit& limit : kLimits) {
    for (const Row& row : rows) {
      if (row.input->trace.name != limit.trace) continue;
      const double waste = row.replayed[limit.contender].Waste(row.input->trace);
      const double framework = row.replayed[kFramework].Waste(row.input->trace);
      Goal(limit.trace, fmt::format("at most {}, and 0.7 of the framework model", limit.most),
           fmt::format("{:.3f}, {:.2f}", waste, waste / framework), waste <= limit.most && waste <= 0.7 * framework);
    }
  }
}

// ---- Placement of what is known in advance ----

runtime::StepRecord WholeRecord(const runtime::Trace& trace, uint64_t alignment) {
  runtime::StepRecord record;
  std::vector<uint32_t> blocks(trace.ids);
  for (const runtime::TraceEvent& event : trace.events) {
    switch (event.operation) {
      case runtime::TraceOperation::kAllocate:
        blocks[event.id] = record.Allocate((event.bytes + alignment - 1) / alignment * alignment, event.stream);
        break;
      case runtime::TraceOperation::kFree: record.Free(blocks[event.id], event.stream); break;
      case runtime::TraceOperation::kWait: record.Wait(event.id, event.stream); break;
      case runtime::TraceOperation::kSynchronise: record.Synchronise(event.stream); break;
      case runtime::TraceOperation::kStep: break;
    }
  }
  return record;
}

// The same programs, with their steps marked or found, once the plan is there.
void PrintPlans(const std::vector<Input>& inputs) {
  fmt::print(
      "\nRecorded placement: the most that was reserved from the third step on, by live, and calls to the driver since "
      "then. Where steps are not marked, they are found once two were alike; this is the last step. Programs that do "
      "not "
      "repeat show that nothing is lost.\n\n"
      "| Trace | Marked steps | Calls | Complete steps | Not marked | Blocks planned | ms to replay, by plans |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n");
  double worst = 0;
  uint64_t calls = 0;
  for (const Input& input : inputs) {
    if (input.kind == TraceKind::kAdversarial) continue;
    const auto ratio = [&](uint64_t reserved) {
      return static_cast<double>(reserved) / static_cast<double>(input.trace.peak_bytes);
    };
    ForebayPool marked(Planned(true));
    const auto begin = std::chrono::steady_clock::now();
    const Replayed replayed = Replay(input.trace, marked, true);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    ForebayPool found(Planned(false));
    const Replayed unmarked = Replay(input.trace, found, true);
    const runtime::PlanStatistics plan = marked.heap().plan_statistics();
    fmt::print("| {}{} | {:.4f} | {} | {} | {:.4f} | {} | {:.0f} |\n", input.trace.name,
               replayed.mistake.empty() && unmarked.mistake.empty() ? "" : " !", ratio(replayed.settled_reserved),
               replayed.settled_calls, plan.complete_steps, ratio(unmarked.last_step_reserved), plan.planned,
               ms / static_cast<double>(std::max<uint64_t>(plan.plans, 1)));
    for (const Replayed& each : {replayed, unmarked}) {
      if (!each.mistake.empty())
        std::fprintf(stderr, "%s, planned: %s\n", input.trace.name.c_str(), each.mistake.c_str());
    }
    if (input.kind != TraceKind::kPeriodic) continue;
    worst = std::max(worst, ratio(replayed.settled_reserved));
    calls += replayed.settled_calls;
  }
  GoalHeader();
  Goal("Recorded placement of trainings", "each at most 1.01, no call from the third step on",
       fmt::format("the worst {:.4f}, {} calls", worst, calls), worst <= 1.01 && calls == 0);
}

void PrintPlacements(const std::string& directory) {
  constexpr uint64_t kCapacity = kMiB;
  fmt::print(
      "\nBlocks whose lifetimes are known, placed in advance (MiniMalloc's instances; each fits into 1 MiB):\n\n"
      "| Instance | Blocks | Of 1 MiB | ms |\n|---|--:|--:|--:|\n");
  Mean sizes;
  double slowest = 0;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".trace") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const Result<runtime::Trace> trace = runtime::ReadTrace(path);
    if (!trace.ok()) {
      std::fprintf(stderr, "%s\n", trace.status().ToString().c_str());
      continue;
    }
    const runtime::StepRecord record = WholeRecord(*trace, 1);
    const auto begin = std::chrono::steady_clock::now();
    const runtime::Placement placement = runtime::Place(record, {150'000'000});
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const double size = static_cast<double>(placement.bytes) / static_cast<double>(kCapacity);
    fmt::print("| {} | {} | {:.3f} | {:.0f} |\n", trace->name, record.blocks().size(), size, ms);
    sizes.Add(size);
    slowest = std::max(slowest, ms);
  }
  GoalHeader();
  Goal("MiniMalloc A to K", "each at most 1.15 in 1 s",
       fmt::format("the worst {:.3f}, mean {:.3f}, slowest {:.0f} ms", sizes.worst(), sizes.geometric(), slowest),
       sizes.worst() <= 1.15 && slowest <= 1000);
}

std::vector<Input> Inputs(int count, char** arguments) {
  std::vector<Input> inputs;
  for (int i = 2; i < count; ++i) {
    Result<runtime::Trace> trace = runtime::ReadTrace(arguments[i]);
    if (!trace.ok()) {
      std::fprintf(stderr, "memory_waste: %s\n", trace.status().ToString().c_str());
      std::exit(1);
    }
    inputs.push_back({std::move(*trace), TraceKind::kModel, false});
    for (const TraceSource& source : TraceSources()) {
      if (inputs.back().trace.name != source.name) continue;
      inputs.back().kind = source.kind;
      inputs.back().of_the_eight = source.of_the_eight;
    }
  }
  if (!inputs.empty()) return inputs;
  for (const TraceSource& source : TraceSources()) inputs.push_back({source.make(), source.kind, source.of_the_eight});
  return inputs;
}

int Run(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: memory_waste MINIMALLOC_DIRECTORY [TRACE...]\n");
    return 2;
  }
  const std::vector<Input> inputs = Inputs(count, arguments);
  const std::vector<Contender> contenders = Contenders();
  std::vector<Row> rows;
  bool correct = true;
  for (const Input& input : inputs) {
    rows.push_back(ReplayAll(input, contenders));
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::string& mistake = rows.back().replayed[i].mistake;
      if (mistake.empty()) continue;
      std::fprintf(stderr, "%s, %s: %s\n", input.trace.name.c_str(), contenders[i].name, mistake.c_str());
      correct = correct && i < kOnline;
    }
  }
  PrintRows(rows, contenders);
  PrintGoals(rows);
  PrintAdversarialGoals(rows);
  PrintPlans(inputs);
  PrintPlacements(arguments[1]);
  return correct ? 0 : 1;
}

}  // namespace
}  // namespace forebay::bench

int main(int count, char** arguments) { return forebay::bench::Run(count, arguments); }
