#include "memory/pool/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace forebay::runtime {
namespace {

using Json = nlohmann::ordered_json;

std::string Address(uint64_t address) { return fmt::format("{:#x}", address); }

const char* StateName(SnapshotState state) {
  switch (state) {
    case SnapshotState::kLive: return "live";
    case SnapshotState::kPending: return "pending";
    case SnapshotState::kFree: return "free";
  }
  return "";
}

Json BlockJson(const SnapshotBlock& block) {
  Json json = {{"address", Address(block.address)}, {"bytes", block.bytes}, {"state", StateName(block.state)}};
  if (block.state == SnapshotState::kLive) json["requested"] = block.requested;
  if (block.stream != kNoStream) json["stream"] = block.stream;
  if (!block.owner.empty()) json["owner"] = block.owner;
  json["age"] = block.age;
  return json;
}

}  // namespace

SnapshotTotals Sum(const Snapshot& snapshot) {
  SnapshotTotals totals;
  for (const SnapshotRange& range : snapshot.ranges) {
    totals.reserved += range.bytes;
    // Free space that reaches over several blocks, or gaps between them, counts as one.
    uint64_t free_from = range.address;
    const auto end_free = [&](uint64_t address) {
      totals.largest_free = std::max(totals.largest_free, address - free_from);
    };
    for (const SnapshotBlock& block : range.blocks) {
      if (block.state == SnapshotState::kFree) continue;
      end_free(block.address);
      free_from = block.address + block.bytes;
      if (block.state == SnapshotState::kPending) {
        totals.pending += block.bytes;
      } else {
        totals.live += block.bytes;
        totals.requested += block.requested;
        ++totals.live_blocks;
      }
    }
    end_free(range.address + range.bytes);
  }
  return totals;
}

std::string SnapshotJson(const Snapshot& snapshot) {
  const SnapshotTotals totals = Sum(snapshot);
  Json json = {{"title", snapshot.title},
               {"totals",
                {{"reserved", totals.reserved},
                 {"live", totals.live},
                 {"requested", totals.requested},
                 {"pending", totals.pending},
                 {"free", totals.free()},
                 {"largest_free", totals.largest_free},
                 {"live_blocks", totals.live_blocks}}},
               {"ranges", Json::array()}};
  for (const SnapshotRange& range : snapshot.ranges) {
    Json blocks = Json::array();
    for (const SnapshotBlock& block : range.blocks) blocks.push_back(BlockJson(block));
    json["ranges"].push_back(
        {{"address", Address(range.address)}, {"bytes", range.bytes}, {"blocks", std::move(blocks)}});
  }
  // An owner may be any text, even one that is no UTF-8.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace forebay::runtime
