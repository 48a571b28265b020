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

void Goal(const char* name, const std::string& goal, const std::string& reached, bool is_reached) {
  fmt::print("| {} | {} | {} | {} |\n", name, goal, reached, is_reached ? "yes" : "**no**");
}

// Rows by trace, columns by contender.
using Results = std::vector<std::vector<Replayed>>;

bool PrintReplays(const std::vector<Input>& inputs, const std::vector<Contender>& contenders, Results* results) {
  bool correct = true;
  fmt::print("Most bytes reserved, by most bytes live. *Italic*: ignores streams, and so hands memory out too early.\n\n| Trace |");
  for (const Contender& contender : contenders) fmt::print(" {} |", contender.name);
  fmt::print("\n|---|{:-<{}}\n", "", 0);
  return correct && results != nullptr && inputs.empty();
}

}  // namespace
}  // namespace forebay::bench
