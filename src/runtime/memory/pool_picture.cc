#include "memory/pool_picture.h"

#include <unistd.h>

#include <fmt/format.h>

#include "device/call_sites.h"
#include "memory/allocation_table.h"

namespace forebay::runtime {

Snapshot SnapshotOf(const std::vector<BlockInfo>& blocks) {
  Snapshot snapshot;
  snapshot.title = fmt::format("Memory pool of process {}", getpid());
  for (const BlockInfo& info : blocks) {
    if (snapshot.ranges.empty() || snapshot.ranges.back().address + snapshot.ranges.back().bytes != info.address) {
      snapshot.ranges.push_back({info.address, 0, {}});
    }
    SnapshotRange& range = snapshot.ranges.back();
    range.bytes += info.rounded;
    SnapshotBlock block;
    block.address = info.address;
    block.bytes = info.rounded;
    if (info.is_live) {
      block.state = SnapshotState::kLive;
      block.requested = info.requested;
      const auto allocation = AllocationTable::Get().Find(info.address);
      block.owner = allocation ? DescribeSite(allocation->site) : "pools and tensors";
    } else if (info.moment.slot != kNoStream) {
      block.state = SnapshotState::kPending;
      block.stream = info.moment.slot;
    }
    range.blocks.push_back(std::move(block));
  }
  return snapshot;
}

}  // namespace forebay::runtime
