#include "memory/pool/placer.h"

#include <algorithm>
#include <array>

namespace forebay::runtime {

// ---- GapPlacer ----

bool GapPlacer::Conflict(uint32_t a, uint32_t b) const {
  if (blocks_[a].begin > blocks_[b].begin) std::swap(a, b);
  return !step_.MayFollow(blocks_[b], b, blocks_[a]);
}

uint64_t GapPlacer::FindGap(uint32_t index) {
  const uint64_t bytes = blocks_[index].bytes;
  uint64_t top = 0;
  uint64_t best = kNoPlacement;
  uint64_t best_gap = kNoPlacement;
  work_ += placed_.size();
  for (const Placed& placed : placed_) {
    if (placed.end <= top || !Conflict(index, placed.block)) continue;
    if (placed.offset >= top + bytes && placed.offset - top < best_gap) {
      best = top;
      best_gap = placed.offset - top;
      if (fit_ == Fit::kLowest || best_gap == bytes) return best;
    }
    top = placed.end;
  }
  return best != kNoPlacement ? best : top;
}

uint64_t GapPlacer::Run(const PlacementOrder& order, uint64_t limit, uint64_t most_work) {
  placed_.clear();
  uint64_t total = 0;
  for (const uint32_t index : order) {
    const uint64_t offset = FindGap(index);
    const uint64_t end = offset + blocks_[index].bytes;
    if (end >= limit || work_ > most_work) return kNoPlacement;
    total = std::max(total, end);
    const Placed placed{offset, end, index};
    placed_.insert(std::upper_bound(placed_.begin(), placed_.end(), placed,
                                    [](const Placed& a, const Placed& b) { return a.offset < b.offset; }),
                   placed);
  }
  offsets_.resize(blocks_.size());
  for (const Placed& placed : placed_) offsets_[placed.block] = placed.offset;
  return total;
}

void GapPlacer::Critical(std::vector<uint32_t>* blocks) const {
  blocks->clear();
  uint64_t top = 0;
  for (const Placed& placed : placed_) top = std::max(top, placed.end);
  for (const Placed& placed : placed_) {
    if (placed.end == top) blocks->push_back(placed.block);
  }
}

// ---- SkylinePlacer ----

SkylinePlacer::SkylinePlacer(const StepRecord& step) : Placer(step) {
  // Nothing changes between two allocations without a free: they are one epoch, so that there are fewer.
  std::vector<uint32_t> epoch_of(step.position());
  std::vector<bool> is_free(step.position(), true);
  for (const StepBlock& block : blocks_) is_free[block.begin] = false;
  uint32_t epoch = 0;
  for (uint32_t position = 0; position < step.position(); ++position) {
    if (position > 0 && is_free[position - 1] && !is_free[position]) ++epoch;
    epoch_of[position] = epoch;
  }
  const uint32_t epochs = epoch + 1;
  demand_.resize(epochs);
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    const Lifetime lifetime{epoch_of[blocks_[i].begin],
                            blocks_[i].end == kAfterStep ? epochs : ExtendedEnd(i, epoch_of)};
    lifetimes_.push_back(lifetime);
    for (uint32_t at = lifetime.begin; at < lifetime.end; ++at) demand_[at] += blocks_[i].bytes;
  }
}

uint32_t SkylinePlacer::ExtendedEnd(uint32_t block, const std::vector<uint32_t>& epoch_of) const {
  for (uint32_t later = static_cast<uint32_t>(blocks_.size()); --later > block;) {
    if (!step_.MayFollow(blocks_[later], later, blocks_[block])) return epoch_of[blocks_[later].begin] + 1;
  }
  return epoch_of[blocks_[block].begin] + 1;
}

void SkylinePlacer::Link(const PlacementOrder& order) {
  const std::size_t head = blocks_.size();
  next_.resize(head + 1);
  std::size_t last = head;
  for (const uint32_t block : order) {
    next_[last] = block;
    last = block;
  }
  next_[last] = kNobody;
}

std::size_t SkylinePlacer::LowestSegment() const {
  std::size_t lowest = 0;
  for (std::size_t i = 1; i < skyline_.size(); ++i) {
    if (skyline_[i].height < skyline_[lowest].height) lowest = i;
  }
  return lowest;
}

uint32_t SkylinePlacer::TakeFitting(const Segment& segment) {
  std::size_t before = blocks_.size();
  for (uint32_t block = next_[before]; block != kNobody; before = block, block = next_[block]) {
    ++work_;
    if (lifetimes_[block].begin < segment.begin || lifetimes_[block].end > segment.end) continue;
    next_[before] = next_[block];
    return block;
  }
  return kNobody;
}

void SkylinePlacer::MergeAround(std::size_t at) {
  for (std::size_t i = at > 0 ? at - 1 : 0; i + 1 < skyline_.size() && i < at + 3;) {
    if (skyline_[i].height != skyline_[i + 1].height) {
      ++i;
      continue;
    }
    skyline_[i].end = skyline_[i + 1].end;
    skyline_.erase(skyline_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

void SkylinePlacer::Put(uint32_t block, std::size_t at) {
  const Segment segment = skyline_[at];
  const Lifetime life = lifetimes_[block];
  offsets_[block] = segment.height;
  for (uint32_t epoch = life.begin; epoch < life.end; ++epoch) remaining_[epoch] -= blocks_[block].bytes;
  std::array<Segment, 3> parts{};
  std::size_t count = 0;
  if (segment.begin < life.begin) parts[count++] = {segment.begin, life.begin, segment.height};
  parts[count++] = {life.begin, life.end, segment.height + blocks_[block].bytes};
  if (life.end < segment.end) parts[count++] = {life.end, segment.end, segment.height};
  skyline_[at] = parts[0];
  skyline_.insert(skyline_.begin() + static_cast<std::ptrdiff_t>(at) + 1, parts.begin() + 1,
                  parts.begin() + static_cast<std::ptrdiff_t>(count));
  MergeAround(at);
}

bool SkylinePlacer::Raise(std::size_t at, uint64_t limit) {
  Segment& segment = skyline_[at];
  const uint64_t left = at > 0 ? skyline_[at - 1].height : kNoPlacement;
  const uint64_t right = at + 1 < skyline_.size() ? skyline_[at + 1].height : kNoPlacement;
  segment.height = std::min(left, right);
  work_ += (segment.end - segment.begin) / 4;
  for (uint32_t epoch = segment.begin; epoch < segment.end; ++epoch) {
    if (remaining_[epoch] < limit - segment.height) continue;
    critical_epoch_ = epoch;
    return false;
  }
  MergeAround(at);
  return true;
}

uint64_t SkylinePlacer::Run(const PlacementOrder& order, uint64_t limit, uint64_t most_work) {
  offsets_.assign(blocks_.size(), kNoPlacement);
  skyline_.assign(1, {0, static_cast<uint32_t>(demand_.size()), 0});
  remaining_ = demand_;
  critical_epoch_ = kNobody;
  Link(order);
  uint64_t total = 0;
  for (std::size_t left = blocks_.size(); left > 0;) {
    if (work_ > most_work) return kNoPlacement;
    const std::size_t lowest = LowestSegment();
    work_ += skyline_.size() / 4;
    const uint32_t block = TakeFitting(skyline_[lowest]);
    if (block == kNobody) {
      if (!Raise(lowest, limit)) return kNoPlacement;
      continue;
    }
    const uint64_t end = skyline_[lowest].height + blocks_[block].bytes;
    if (end >= limit) {
      offsets_[block] = kNoPlacement;
      critical_epoch_ = lifetimes_[block].begin;
      return kNoPlacement;
    }
    work_ += (lifetimes_[block].end - lifetimes_[block].begin) / 4 + 1;
    Put(block, lowest);
    total = std::max(total, end);
    --left;
  }
  return total;
}

void SkylinePlacer::Critical(std::vector<uint32_t>* blocks) const {
  blocks->clear();
  for (uint32_t i = 0; i < blocks_.size() && critical_epoch_ != kNobody; ++i) {
    const bool lives = lifetimes_[i].begin <= critical_epoch_ && critical_epoch_ < lifetimes_[i].end;
    if (lives && offsets_[i] == kNoPlacement) blocks->push_back(i);
  }
}

}  // namespace forebay::runtime
