// What pools cost, as Markdown tables of ratios. Every ratio is the median of rounds that are taken in turns.
//
//   memory_speed [ROUNDS]
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "goals.h"
#include "libraries.h"
#include "peers.h"
#include "speed_cases.h"
#include "steady_state.h"
#include "threads.h"

namespace forebay::bench {
namespace {

class Speed {
 public:
  explicit Speed(int rounds) : rounds_(rounds), libraries_(OpenLibraries()) {}

  void Run() {
    // First, while there is little memory that a fork would have to promise again.
    Steady();
    SmallBlocks();
    Tensors();
    Scaling();
    Threads();
    Bounds();
  }

 private:
  const Library* Find(std::string_view name) const {
    for (const Library& library : libraries_) {
      if (library.name == name) return &library;
    }
    return nullptr;
  }

  static void Print(const std::string& what, const std::string& peer, const Compared& compared, const std::string& goal,
                    bool is_reached) {
    fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.3g} | {} | {} |\n", what, peer, compared.ours, compared.other,
               compared.ratio, goal,
               goal == ""   ? ""
               : is_reached ? "yes"
                            : "**no**");
    std::fflush(stdout);
  }

  static void Header(const char* title) {
    fmt::print(
        "\n{}\n\n| | Beside | Forebay, ns | Other, ns | Ratio | Goal | Reached |\n|---|---|--:|--:|--:|---|---|\n",
        title);
  }

  // ---- Small blocks ----

  void SmallBlocks() {
    Header("Blocks of 512 B to 12 KiB, one of many replaced at random: a free and an allocation.");
    for (const std::size_t live :
         {std::size_t{1'000}, std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
      const double most = live >= 100'000 ? 0.5 : 1.0;
      HostOrderedHeap heap;
      Replacement<HostOrderedHeap> ours(heap, live);
      for (const Library& library : libraries_) {
        Replacement<const Library> other(library, live);
        const Compared compared = Compare(ours, other, rounds_, 15);
        other.FreeAll();
        const bool has_goal = library.name == "mimalloc";
        Print(fmt::format("{} live", live), library.name, compared, has_goal ? fmt::format("{}", most) : "",
              compared.ratio <= most);
      }
      if (live == 10'000 || live == 1'000'000) Article(ours, live);
    }
  }

  void Article(Replacement<HostOrderedHeap>& ours, std::size_t live) {
    ArticlePool pool;
    Replacement<ArticlePool> other(pool, live, [&](uint64_t bytes) { return pool.Append(bytes); });
    Compared compared = Compare(ours, other, std::min(rounds_, 5), 15);
    const double least = live == 10'000 ? 200 : 1000;
    Print(fmt::format("{} live", live), "article", compared, fmt::format("1/{}", least), 1 / compared.ratio >= least);
  }

  // ---- Tensors ----

  // Only what is large, and no streams.
  static runtime::Trace LargeOnly(const runtime::Trace& trace) {
    runtime::Trace large = trace;
    std::vector<bool> kept(trace.ids);
    std::erase_if(large.events, [&](runtime::TraceEvent& event) {
      event.stream = 0;
      if (event.operation == runtime::TraceOperation::kAllocate) kept[event.id] = event.bytes >= 64 * kKiB;
      const bool is_block =
          event.operation == runtime::TraceOperation::kAllocate || event.operation == runtime::TraceOperation::kFree;
      return !is_block || !kept[event.id];
    });
    return large;
  }

  void Tensors() {
    Header("Blocks from 64 KiB on of the model traces, no streams.");
    double framework_worst = 0, tcmalloc_worst = 0, jemalloc_worst = 0;
    for (const TraceSource& source : TraceSources()) {
      if (!source.of_the_eight) continue;
      const runtime::Trace trace = LargeOnly(source.make());
      HostOrderedHeap heap;
      TraceRounds<HostOrderedHeap> ours(heap, trace);
      const auto beside = [&](auto& pool, const std::string& name, double most, double& worst) {
        TraceRounds other(pool, trace);
        const Compared compared = Compare(ours, other, rounds_, 0);
        worst = std::max(worst, compared.ratio);
        Print(source.name, name, compared, fmt::format("{}", most), compared.ratio <= most);
      };
      FrameworkModel framework;
      beside(framework, "framework model", 0.4, framework_worst);
      if (const Library* library = Find("tcmalloc")) beside(*library, "tcmalloc", 0.5, tcmalloc_worst);
      if (const Library* library = Find("jemalloc")) beside(*library, "jemalloc", 0.1, jemalloc_worst);
    }
    Header("Model traces whole, with their streams; events and synchronisations included.");
    for (const TraceSource& source : TraceSources()) {
      if (source.kind == TraceKind::kAdversarial) continue;
      const runtime::Trace trace = source.make();
      ForebayPool pool{ForebayOptions()};
      FrameworkModel framework;
      TraceRounds<ForebayPool> ours(pool, trace);
      TraceRounds<FrameworkModel> other(framework, trace);
      const Compared compared = Compare(ours, other, rounds_, 0);
      most_steps_ = std::max(most_steps_, pool.heap().statistics().most_steps);
      Print(source.name, "framework model", compared, "1", compared.ratio <= 1);
    }
  }

  // ---- What depends on nothing ----

  void Scaling() {
    Header("Many free blocks: a block that comes and goes beside 524288 of them, and beside 4096.");
    struct Case {
      uint64_t hole;
      uint64_t request;
    };
    for (const Case& each : {Case{1 * kKiB, 1 * kKiB}, Case{1 * kKiB, 2 * kKiB}, Case{64 * kKiB, 64 * kKiB},
                             Case{64 * kKiB, 128 * kKiB}}) {
      HostOrderedHeap many_heap, few_heap;
      Holes<HostOrderedHeap> many(many_heap, 524'288, each.hole, each.request);
      Holes<HostOrderedHeap> few(few_heap, 4096, each.hole, each.request);
      const Compared compared = Compare(many, few, rounds_, 10);
      most_steps_ =
          std::max({most_steps_, many_heap.heap().statistics().most_steps, few_heap.heap().statistics().most_steps});
      Print(fmt::format("holes of {} KiB, request of {} KiB", each.hole / kKiB, each.request / kKiB),
            "itself, 4096 holes", compared, "1.3", compared.ratio <= 1.3);
    }
    LinearStreamModel model;
    HostOrderedHeap heap;
    Holes<LinearStreamModel> other(model, 16'384, kKiB, kKiB);
    Holes<HostOrderedHeap> ours(heap, 16'384, kKiB, kKiB);
    const Compared compared = Compare(ours, other, std::min(rounds_, 5), 10);
    Print("16384 holes, 1 KiB", "SOMA model", compared, "0.01", compared.ratio <= 0.01);
  }

  void Threads() {
    Header("Two threads. Sets of their own: processor time beside that of one thread. Hand-off: wall time.");
    HostOrderedHeap heap;
    std::vector<double> one, two, ratios;
    for (int round = 0; round < rounds_; ++round) {
      one.push_back(PrivateSets(heap, 1));
      two.push_back(PrivateSets(heap, 2));
      ratios.push_back(two.back() / one.back());
    }
    Compared compared{Median(two), Median(one), Median(ratios)};
    Print("sets of their own", "itself, one thread", compared, "1.15", compared.ratio <= 1.15);
    for (const Library& library : libraries_) {
      one.clear(), two.clear(), ratios.clear();
      for (int round = 0; round < rounds_; ++round) {
        one.push_back(HandOff(heap));
        two.push_back(HandOff(library));
        ratios.push_back(one.back() / two.back());
      }
      compared = {Median(one), Median(two), Median(ratios)};
      const bool has_goal = library.name == "mimalloc";
      Print("hand-off", library.name, compared, has_goal ? "1" : "", compared.ratio <= 1);
    }
  }

  void Steady() const {
    fmt::print("\nOnce a program repeats itself: its last step, in a process that the system kills for any call.\n");
    GoalHeader();
    for (const TraceSource& source : TraceSources()) {
      const bool is_paged = std::string_view(source.name) == "llama7b_serve_paged";
      if (source.kind != TraceKind::kPeriodic && !is_paged) continue;
      for (const bool planned : {false, true}) {
        if (planned && is_paged) continue;
        const SteadyState state = ObserveLastStep(source.make(), planned);
        const bool reached = !state.system_calls && state.upstream_calls == 0 && state.allocations == 0;
        Goal(source.name + std::string(planned ? ", with a plan" : ""),
             "no system call, no upstream call, no allocation",
             state.system_calls
                 ? "a system call"
                 : fmt::format("{} upstream calls, {} allocations", state.upstream_calls, state.allocations),
             reached);
      }
    }
  }

  void Bounds() const {
    fmt::print("\nBounds:\n");
    GoalHeader();
    Goal("blocks looked at by one operation", "at most 64", fmt::format("{}", most_steps_), most_steps_ <= 64);
    const double small = BookkeepingPerBlock(1'000'000, 1024);
    const double large = BookkeepingPerBlock(100'000, 100 * kKiB);
    Goal("host memory for each block", "at most 64 B",
         fmt::format("{:.1f} B of 1 KiB, {:.1f} B of 100 KiB", small, large), small <= 64 && large <= 64);
  }

  const int rounds_;
  const std::vector<Library> libraries_;
  uint64_t most_steps_ = 0;
};

}  // namespace
}  // namespace forebay::bench

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 7;
  if (count > 2 || rounds <= 0) {
    std::fprintf(stderr, "usage: memory_speed [ROUNDS]\n");
    return 2;
  }
  forebay::bench::Speed(rounds).Run();
  return 0;
}
