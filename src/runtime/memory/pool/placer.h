// Two ways to place blocks one by one in a given order; a search for a good order is in placement.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/pool/step.h"

namespace forebay::runtime {

inline constexpr uint64_t kNoPlacement = ~uint64_t{0};

// The order in which blocks are placed, or are preferred.
using PlacementOrder = std::vector<uint32_t>;

class Placer {
 public:
  explicit Placer(const StepRecord& step) : step_(step), blocks_(step.blocks()) {}
  virtual ~Placer() = default;

  // How many bytes the blocks need when they are placed in this order. Gives up, with kNoPlacement, once it is clear
  // that they are `limit` or more, or that more than `most_work` steps of some nanoseconds are needed in all.
  virtual uint64_t Run(const PlacementOrder& order, uint64_t limit, uint64_t most_work) = 0;
  // Blocks that an earlier place may help, after a run: those for which there was no room under the limit, or those at
  // the top.
  virtual void Critical(std::vector<uint32_t>* blocks) const = 0;

  // Of each block, after a run that did not give up.
  const std::vector<uint64_t>& offsets() const { return offsets_; }
  uint64_t work() const { return work_; }

 protected:
  const StepRecord& step_;
  const std::vector<StepBlock>& blocks_;
  std::vector<uint64_t> offsets_;
  uint64_t work_ = 0;
};

// Each block goes into the lowest or the tightest gap among those that it must not share space with.
class GapPlacer final : public Placer {
 public:
  enum class Fit { kLowest, kTightest };
  GapPlacer(const StepRecord& step, Fit fit) : Placer(step), fit_(fit) {}
  uint64_t Run(const PlacementOrder& order, uint64_t limit, uint64_t most_work) override;
  void Critical(std::vector<uint32_t>* blocks) const override;

 private:
  struct Placed {
    uint64_t offset;
    uint64_t end;
    uint32_t block;
  };
  bool Conflict(uint32_t a, uint32_t b) const;
  uint64_t FindGap(uint32_t index);

  const Fit fit_;
  std::vector<Placed> placed_;  // by offset
};

// Space is filled from below: the lowest part of the skyline over time takes the first block, in the order, that lives
// within it, and is raised to its neighbours when there is none. Blocks live until everything may follow them.
class SkylinePlacer final : public Placer {
 public:
  explicit SkylinePlacer(const StepRecord& step);
  uint64_t Run(const PlacementOrder& order, uint64_t limit, uint64_t most_work) override;
  void Critical(std::vector<uint32_t>* blocks) const override;

 private:
  // In epochs: runs of allocations between frees.
  struct Lifetime {
    uint32_t begin;
    uint32_t end;
  };
  struct Segment {
    uint32_t begin;
    uint32_t end;
    uint64_t height;
  };
  uint32_t ExtendedEnd(uint32_t block, const std::vector<uint32_t>& epoch_of) const;
  void Link(const PlacementOrder& order);
  std::size_t LowestSegment() const;
  // Takes the first block that fits out of the list; kNobody when there is none.
  uint32_t TakeFitting(const Segment& segment);
  void Put(uint32_t block, std::size_t at);
  bool Raise(std::size_t at, uint64_t limit);
  void MergeAround(std::size_t at);

  static constexpr uint32_t kNobody = ~uint32_t{0};
  std::vector<Lifetime> lifetimes_;
  std::vector<uint64_t> demand_;     // bytes that live in each epoch
  std::vector<uint64_t> remaining_;  // of these, what is not placed yet
  std::vector<Segment> skyline_;
  std::vector<uint32_t> next_;  // the blocks not placed yet, in order; the last element is the head
  uint32_t critical_epoch_ = kNobody;
};

}  // namespace forebay::runtime
