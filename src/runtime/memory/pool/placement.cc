#include "memory/pool/placement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "memory/pool/placer.h"

namespace forebay::runtime {
namespace {

// Small and repeatable; the quality of the numbers hardly matters.
class Random {
 public:
  uint32_t Below(std::size_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>((state_ >> 11) % limit);
  }

 private:
  uint64_t state_ = 88172645463325252ULL;
};

// Long lives first, large blocks first, large areas first, and areas with more weight on the length of life; and as
// they come, and go, in time.
std::array<PlacementOrder, 6> GreedyOrders(const std::vector<StepBlock>& blocks) {
  struct Weights {
    double life;
    double bytes;
    double begin = 0;
    double end = 0;
  };
  constexpr std::array<Weights, 6> kWeights = {{{1, 0}, {0, 1}, {1, 1}, {2, 1}, {0, 0, -1, 0}, {0, 0, 0, 1}}};
  std::array<PlacementOrder, kWeights.size()> orders;
  std::vector<double> rank(blocks.size());
  for (std::size_t i = 0; i < orders.size(); ++i) {
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      const auto bytes = static_cast<double>(blocks[block].bytes);
      rank[block] = kWeights[i].life * std::log(blocks[block].end - blocks[block].begin) +
                    kWeights[i].bytes * std::log(bytes + 1) + kWeights[i].begin * blocks[block].begin +
                    kWeights[i].end * blocks[block].end + 1e-16 * bytes;
    }
    orders[i].resize(blocks.size());
    std::iota(orders[i].begin(), orders[i].end(), 0);
    std::sort(orders[i].begin(), orders[i].end(),
              [&](uint32_t a, uint32_t b) { return rank[a] != rank[b] ? rank[a] > rank[b] : a < b; });
  }
  return orders;
}

// The best placement so far, and how it was found.
struct Found {
  Placer* placer = nullptr;
  PlacementOrder order;
  uint64_t bytes = kNoPlacement;
  std::vector<uint64_t> offsets;
};

void Move(PlacementOrder& order, std::size_t from, std::size_t to) {
  const auto begin = order.begin();
  const auto at = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
  if (to <= from) {
    std::rotate(at(to), at(from), at(from + 1));
  } else {
    std::rotate(at(from), at(from + 1), at(to + 1));
  }
}

// Local search: some blocks change their place in the order, mostly those that stood in the way of less, and the change
// stays unless it makes things worse.
void Improve(uint64_t enough, uint64_t most_work, Found& best) {
  constexpr uint32_t kMostMoves = 3;
  constexpr double kBoldness = 0.05;
  const uint64_t most_vain = 1000 * best.order.size();
  uint64_t vain = 0;
  Placer& placer = *best.placer;
  Random random;
  PlacementOrder order = best.order;
  std::vector<uint32_t> critical;
  const uint64_t limit = placer.work() + most_work;
  // A run that must do better fails, and tells by which blocks.
  const auto find_critical = [&] {
    placer.Run(order, best.bytes, limit);
    placer.Critical(&critical);
  };
  find_critical();
  while (best.bytes > enough && placer.work() < limit && vain < most_vain) {
    PlacementOrder changed = order;
    for (uint32_t moves = 1 + random.Below(kMostMoves); moves > 0; --moves) {
      std::size_t from = random.Below(order.size());
      std::size_t to = random.Below(order.size());
      if (!critical.empty() && random.Below(4) != 0) {
        const uint32_t block = critical[random.Below(critical.size())];
        from = static_cast<std::size_t>(std::find(changed.begin(), changed.end(), block) - changed.begin());
        to = random.Below(from + 1);
      }
      Move(changed, from, to);
    }
    // At first a change for the worse may stay, less and less, so that the search leaves where it is stuck.
    const double left = static_cast<double>(limit - std::min(limit, placer.work())) / static_cast<double>(most_work);
    const auto bound =
        best.bytes + static_cast<uint64_t>(kBoldness * left * left * static_cast<double>(best.bytes - enough));
    const uint64_t bytes = placer.Run(changed, bound + 1, limit);
    ++vain;
    if (bytes > bound) continue;
    order.swap(changed);
    if (bytes < best.bytes) {
      vain = 0;
      best.bytes = bytes;
      best.offsets = placer.offsets();
    }
    find_critical();
  }
}

void FindPredecessors(const StepRecord& step, Placement* placement) {
  const std::vector<StepBlock>& blocks = step.blocks();
  // Who has the space from an offset on, up to the next entry.
  std::map<uint64_t, uint32_t> owners;
  constexpr uint32_t kNobody = ~uint32_t{0};
  const auto split = [&](uint64_t offset) {
    auto at = std::prev(owners.upper_bound(offset));
    return at->first == offset ? at : owners.emplace_hint(std::next(at), offset, at->second);
  };
  owners[0] = kNobody;
  // The first round finds who has the space when the step ends, and begins again.
  for (const bool is_last : {false, true}) {
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      const uint64_t offset = placement->offsets[i];
      if (is_last) placement->first_predecessor.push_back(placement->predecessors.size());
      if (blocks[i].bytes == 0) continue;
      const auto begin = split(offset);
      const auto end = split(offset + blocks[i].bytes);
      if (is_last) {
        const std::size_t first = placement->first_predecessor.back();
        for (auto at = begin; at != end; ++at) {
          if (at->second != kNobody) placement->predecessors.push_back(at->second);
        }
        const auto list = placement->predecessors.begin() + static_cast<std::ptrdiff_t>(first);
        std::sort(list, placement->predecessors.end());
        placement->predecessors.erase(std::unique(list, placement->predecessors.end()), placement->predecessors.end());
      }
      owners.erase(std::next(begin), end);
      begin->second = i;
    }
  }
  placement->first_predecessor.push_back(placement->predecessors.size());
}

}  // namespace

Placement Place(const StepRecord& step, const PlacementEffort& effort) {
  Placement placement;
  placement.first_predecessor = {0};
  if (step.blocks().empty()) return placement;
  GapPlacer tightest(step, GapPlacer::Fit::kTightest);
  GapPlacer lowest(step, GapPlacer::Fit::kLowest);
  SkylinePlacer skyline(step);
  const uint64_t enough = step.PeakBytes();
  Found best;
  for (Placer* placer :
       {static_cast<Placer*>(&tightest), static_cast<Placer*>(&lowest), static_cast<Placer*>(&skyline)}) {
    // The first placer finds something whatever it takes.
    const uint64_t most_work = placer == &tightest ? kNoPlacement : effort.work;
    for (const PlacementOrder& order : GreedyOrders(step.blocks())) {
      if (best.bytes <= enough) break;
      const uint64_t bytes = placer->Run(order, best.bytes, most_work);
      if (bytes < best.bytes) best = {placer, order, bytes, placer->offsets()};
    }
  }
  Improve(enough, effort.work, best);
  placement.bytes = best.bytes;
  placement.offsets = std::move(best.offsets);
  placement.first_predecessor.clear();
  FindPredecessors(step, &placement);
  return placement;
}

}  // namespace forebay::runtime
