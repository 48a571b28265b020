// A picture of a pool at one moment, and of how it grew: as JSON for programs, as SVG for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/pool/ordering.h"

namespace forebay::runtime {

enum class SnapshotState : uint8_t {
  kLive,
  kFree,
  kPending,  // freed in the order of a stream that has not come so far yet
};

struct SnapshotBlock {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t requested = 0;  // 0 when it is not live
  SnapshotState state = SnapshotState::kFree;
  uint32_t stream = kNoStream;  // that it was allocated for, or freed in the order of
  std::string owner;            // who allocated it, in any words
  uint64_t age = 0;             // operations of the pool since
};

struct SnapshotRange {
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::vector<SnapshotBlock> blocks;  // by address; what they leave out is free
};

struct Snapshot {
  std::string title;
  std::vector<SnapshotRange> ranges;
};

struct SnapshotTotals {
  uint64_t reserved = 0;   // bytes of all ranges
  uint64_t live = 0;       // bytes of live blocks
  uint64_t requested = 0;  // of these, what was asked for
  uint64_t pending = 0;
  uint64_t largest_free = 0;
  uint64_t live_blocks = 0;
  uint64_t free() const { return reserved - live - pending; }
};

SnapshotTotals Sum(const Snapshot& snapshot);

// {"title", "totals": {...}, "ranges": [{"address", "bytes", "blocks": [{...}]}]}. Addresses are texts, in hexadecimal.
std::string SnapshotJson(const Snapshot& snapshot);
// One lane for each range, the largest first; live blocks have the colour of their owner. Blocks too narrow to be seen
// are drawn together.
std::string SnapshotSvg(const Snapshot& snapshot);

// The pool after an operation. reserved >= active >= live.
struct PoolSample {
  uint64_t reserved = 0;
  uint64_t active = 0;  // live and pending
  uint64_t live = 0;
};

// Three areas over the operations; where several share a column, the highest.
std::string HistorySvg(const std::vector<PoolSample>& samples, const std::string& title);

}  // namespace forebay::runtime
