#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "memory/pool/snapshot.h"
#include "memory/pool/svg.h"

namespace forebay::runtime {
namespace {

constexpr double kWidth = 1200;
constexpr double kMargin = 16;
constexpr double kInner = kWidth - 2 * kMargin;

// ---- A moment ----

constexpr double kLaneHeight = 24;
constexpr double kLanePitch = 46;
constexpr std::size_t kMostLanes = 32;
constexpr double kNarrow =
    1;  // pixels: what is narrower is drawn together with its neighbours, in the colour of the first
constexpr std::size_t kNamedOwners = std::size(kOwnerColours) - 1;

// The owners with the most live bytes, the largest first.
std::vector<std::pair<std::string, uint64_t>> LargestOwners(const Snapshot& snapshot) {
  std::map<std::string, uint64_t> bytes;
  for (const SnapshotRange& range : snapshot.ranges) {
    for (const SnapshotBlock& block : range.blocks) {
      if (block.state == SnapshotState::kLive) bytes[block.owner] += block.bytes;
    }
  }
  std::vector<std::pair<std::string, uint64_t>> owners(bytes.begin(), bytes.end());
  std::sort(owners.begin(), owners.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return owners;
}

class SnapshotPicture {
 public:
  explicit SnapshotPicture(const Snapshot& snapshot) : snapshot_(snapshot), owners_(LargestOwners(snapshot)) {
    for (std::size_t i = 0; i < owners_.size(); ++i)
      colours_[owners_[i].first] = kOwnerColours[std::min(i, kNamedOwners)];
    lanes_.resize(snapshot.ranges.size());
    std::iota(lanes_.begin(), lanes_.end(), 0);
    std::sort(lanes_.begin(), lanes_.end(), [&](std::size_t a, std::size_t b) {
      const uint64_t one = snapshot.ranges[a].bytes, other = snapshot.ranges[b].bytes;
      return one != other ? one > other : a < b;
    });
    left_out_ = lanes_.size() - std::min(lanes_.size(), kMostLanes);
    lanes_.resize(lanes_.size() - left_out_);
  }

  std::string Draw() {
    const std::size_t entries = std::min(owners_.size(), kNamedOwners + 1) + 2;
    const double legend_rows = static_cast<double>((entries + 3) / 4);
    const double top = 66 + 18 * legend_rows;
    svg_ = Svg(kWidth, top + kLanePitch * static_cast<double>(lanes_.size()) + (left_out_ > 0 ? 20 : 0) + 4);
    svg_.Text(kMargin, 24, snapshot_.title.empty() ? "Memory pool" : snapshot_.title, "title");
    const SnapshotTotals totals = Sum(snapshot_);
    svg_.Text(kMargin, 44,
              fmt::format("{} reserved in {} ranges; {} live in {} blocks ({} requested); {} pending; {} free, the "
                          "largest piece {}",
                          BytesText(totals.reserved), snapshot_.ranges.size(), BytesText(totals.live),
                          totals.live_blocks, BytesText(totals.requested), BytesText(totals.pending),
                          BytesText(totals.free()), BytesText(totals.largest_free)));
    DrawLegend();
    double y = top;
    for (const std::size_t lane : lanes_) {
      DrawLane(snapshot_.ranges[lane], y);
      y += kLanePitch;
    }
    if (left_out_ > 0) svg_.Text(kMargin, y + 8, fmt::format("{} smaller ranges are not shown", left_out_), "small");
    return std::move(svg_).Finish();
  }

 private:
  // Blocks that are drawn as one.
  struct Run {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::string_view colour;
    uint64_t blocks = 0;
    const SnapshotBlock* first = nullptr;
  };

  void LegendEntry(std::string_view colour, const std::string& text) {
    const double x = kMargin + kInner / 4 * static_cast<double>(legend_ % 4);
    const double y = 58 + 18 * static_cast<double>(legend_ / 4);
    ++legend_;
    svg_.Rectangle(x, y, 12, 12, colour);
    constexpr std::size_t kMostBytes = 44;
    svg_.Text(x + 18, y + 10, text.size() <= kMostBytes ? text : text.substr(0, kMostBytes - 3) + "...");
  }

  void DrawLegend() {
    LegendEntry("free", "free");
    LegendEntry("pending", "freed, not passed yet");
    for (std::size_t i = 0; i < std::min(owners_.size(), kNamedOwners); ++i) {
      const auto& [owner, bytes] = owners_[i];
      LegendEntry(kOwnerColours[i], BytesText(bytes) + " " + (owner.empty() ? "live" : owner));
    }
    if (owners_.size() <= kNamedOwners) return;
    uint64_t bytes = 0;
    for (std::size_t i = kNamedOwners; i < owners_.size(); ++i) bytes += owners_[i].second;
    LegendEntry("other", fmt::format("{} {} others", BytesText(bytes), owners_.size() - kNamedOwners));
  }

  std::string_view Colour(const SnapshotBlock& block) const {
    return block.state == SnapshotState::kPending ? "pending" : colours_.at(block.owner);
  }

  void DrawLane(const SnapshotRange& range, double y) {
    svg_.Text(kMargin, y + 10, fmt::format("{:#x}  {}", range.address, BytesText(range.bytes)), "small");
    const double scale = kInner / static_cast<double>(std::max<uint64_t>(snapshot_.ranges[lanes_[0]].bytes, 1));
    const auto place = [&](uint64_t address) { return scale * static_cast<double>(address - range.address); };
    svg_.Rectangle(kMargin, y + 14, place(range.address + range.bytes), kLaneHeight, "lane");
    Run run;
    const auto flush = [&] {
      if (run.first == nullptr) return;
      const double x = place(run.begin);
      svg_.Rectangle(kMargin + x, y + 14, std::max(place(run.end) - x, 0.2), kLaneHeight, run.colour, About(run));
    };
    for (const SnapshotBlock& block : range.blocks) {
      if (block.state == SnapshotState::kFree) continue;
      const uint64_t end = block.address + block.bytes;
      if (run.first == nullptr || place(end) - place(run.begin) >= kNarrow) {
        flush();
        run = {block.address, end, Colour(block), 0, &block};
      }
      run.end = end;
      ++run.blocks;
    }
    flush();
  }

  static std::string About(const Run& run) {
    const SnapshotBlock& block = *run.first;
    if (run.blocks > 1)
      return fmt::format("{:#x}: {} blocks, {}", run.begin, run.blocks, BytesText(run.end - run.begin));
    std::string text = fmt::format("{:#x}: {}", block.address, BytesText(block.bytes));
    if (block.state == SnapshotState::kLive) text += fmt::format(" ({} bytes requested)", block.requested);
    if (block.stream != kNoStream) text += fmt::format(", stream {}", block.stream);
    if (!block.owner.empty()) text += ", " + block.owner;
    return text + fmt::format(", {} {} operations ago", block.state == SnapshotState::kLive ? "allocated" : "freed",
                              block.age);
  }

  const Snapshot& snapshot_;
  const std::vector<std::pair<std::string, uint64_t>> owners_;
  std::map<std::string, std::string_view> colours_;
  std::vector<std::size_t> lanes_;
  std::size_t left_out_ = 0;
  std::size_t legend_ = 0;
  Svg svg_{0, 0};
};

// ---- Over time ----

constexpr double kHistoryHeight = 420;
constexpr double kHistoryTop = 64;
constexpr double kHistoryBottom = kHistoryHeight - 36;
constexpr std::size_t kMostColumns = 584;

std::vector<PoolSample> Columns(const std::vector<PoolSample>& samples) {
  const std::size_t count = std::min(samples.size(), kMostColumns);
  std::vector<PoolSample> columns(count);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    PoolSample& column = columns[i * count / samples.size()];
    column.reserved = std::max(column.reserved, samples[i].reserved);
    column.active = std::max(column.active, samples[i].active);
    column.live = std::max(column.live, samples[i].live);
  }
  return columns;
}

}  // namespace

std::string SnapshotSvg(const Snapshot& snapshot) { return SnapshotPicture(snapshot).Draw(); }

std::string HistorySvg(const std::vector<PoolSample>& samples, const std::string& title) {
  struct Area {
    const char* name;
    uint64_t PoolSample::* bytes;
  };
  constexpr std::array<Area, 3> kAreas = {
      {{"reserved", &PoolSample::reserved}, {"active", &PoolSample::active}, {"live", &PoolSample::live}}};
  Svg svg(kWidth, kHistoryHeight);
  svg.Text(kMargin, 24, title.empty() ? "Memory pool over time" : title, "title");
  const std::vector<PoolSample> columns = Columns(samples);
  uint64_t highest = 1;
  for (const PoolSample& sample : columns) highest = std::max({highest, sample.reserved, sample.active, sample.live});
  const auto height = [&](uint64_t bytes) {
    return kHistoryBottom - (kHistoryBottom - kHistoryTop) * static_cast<double>(bytes) / static_cast<double>(highest);
  };
  const double step = columns.empty() ? 0 : kInner / static_cast<double>(columns.size());
  for (std::size_t area = 0; area < kAreas.size(); ++area) {
    uint64_t peak = 0;
    std::string path = fmt::format("M{:.1f} {:.1f}", kMargin, kHistoryBottom);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const uint64_t bytes = columns[i].*kAreas[area].bytes;
      peak = std::max(peak, bytes);
      fmt::format_to(std::back_inserter(path), "V{:.1f}h{:.2f}", height(bytes), step);
    }
    svg.Path(path + fmt::format("V{:.1f}Z", kHistoryBottom), kAreas[area].name);
    const double x = kMargin + 220 * static_cast<double>(area);
    svg.Rectangle(x, 36, 12, 12, kAreas[area].name);
    svg.Text(x + 18, 46, fmt::format("{}, peak {}", kAreas[area].name, BytesText(peak)));
  }
  for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const auto bytes = static_cast<uint64_t>(part * static_cast<double>(highest));
    svg.Path(fmt::format("M{:.1f} {:.1f}h{:.1f}", kMargin, height(bytes), kInner), "grid");
    if (part > 0) svg.Text(kMargin + 2, height(bytes) + 11, BytesText(bytes), "small");
  }
  svg.Text(kMargin, kHistoryBottom + 18, fmt::format("{} operations", samples.size()), "small");
  return std::move(svg).Finish();
}

}  // namespace forebay::runtime
