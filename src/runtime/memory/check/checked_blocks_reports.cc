// What is found in checked blocks, in words.
#include <fmt/format.h>

#include "device/call_sites.h"
#include "memory/check/checked_blocks.h"

namespace forebay::runtime {
namespace {

// Where an offset from the start of a block is.
std::string Place(int64_t offset, uint64_t bytes) {
  if (offset < 0) return fmt::format("{} bytes before the start of", -offset);
  const auto into = static_cast<uint64_t>(offset);
  return into < bytes ? fmt::format("{} bytes into", into) : fmt::format("{} bytes past the end of", into - bytes);
}

}  // namespace

MemoryReport CheckedBlocks::Describe(const Block& block, MemoryFault fault, int64_t offset) const {
  MemoryReport report;
  report.fault = fault;
  report.device = options_.device;
  report.is_host = options_.is_host;
  report.address = block.address;
  report.bytes = block.bytes;
  report.offset = offset;
  report.generation = block.generation;
  report.allocated_at = DescribeSite(block.allocated_at);
  if (block.state != State::kLive) report.freed_at = DescribeSite(block.freed_at);
  return report;
}

std::string CheckedBlocks::Name(const Block& block) const {
  std::string name =
      fmt::format("the block of {} bytes at {:#x} ({} of device {}), allocated at {}", block.bytes, block.address,
                  options_.is_host ? "pinned memory" : "memory", options_.device, DescribeSite(block.allocated_at));
  if (block.state != State::kLive) name += fmt::format(" and freed at {}", DescribeSite(block.freed_at));
  return name;
}

MemoryReport CheckedBlocks::DescribeLeak(const Block& first, uint64_t blocks, uint64_t bytes) const {
  MemoryReport report = Describe(first, MemoryFault::kLeak, 0);
  report.blocks = blocks;
  report.bytes = bytes;
  if (blocks > 1) report.address = 0;
  report.text =
      blocks == 1
          ? fmt::format("leak: nobody freed {}", Name(first))
          : fmt::format("leak: nobody freed {} blocks, {} bytes together ({} of device {}), allocated at {}", blocks,
                        bytes, options_.is_host ? "pinned memory" : "memory", options_.device, report.allocated_at);
  return report;
}

void CheckedBlocks::CheckZones(const Block& block, Reports* found) {
  if (!block.has_zones) return;
  for (const AddressRange& zone : {ZoneBefore(block), ZoneBehind(block)})
    CheckFill(block, zone, kZonePattern, MemoryFault::kOutOfBounds, found);
}

void CheckedBlocks::CheckRest(const Block& block, Reports* found) {
  if (block.own.bytes == 0)
    CheckFill(block, {block.address, block.bytes}, kRestPattern, MemoryFault::kUseAfterFree, found);
}

void CheckedBlocks::CheckFill(const Block& block, const AddressRange& range, uint8_t pattern, MemoryFault fault,
                              Reports* found) {
  const auto damage = FindDamage(range, pattern);
  if (!damage) return;
  const auto offset = static_cast<int64_t>(damage->address - block.address);
  MemoryReport report = Describe(block, fault, offset);
  report.text = fmt::format("{}: {} bytes were written from {} {}",
                            fault == MemoryFault::kOutOfBounds ? "out of bounds" : "use after free", damage->bytes,
                            Place(offset, block.bytes), Name(block));
  found->push_back(std::move(report));
  // Told once.
  Fill(range, pattern);
}

std::optional<MemoryReport> CheckedBlocks::FindDoubleFree(uint64_t address, const void* site) {
  base::MutexLock lock(mutex_);
  auto found = blocks_.find(address);
  if (found != blocks_.end() && found->second.state == State::kLive) return std::nullopt;
  if (found == blocks_.end() && (found = past_.find(address)) == past_.end()) return std::nullopt;
  const Block& block = found->second;
  MemoryReport report = Describe(block, MemoryFault::kDoubleFree, 0);
  report.text = fmt::format("double free: at {}, of {}", DescribeSite(site), Name(block));
  if (block.generation > 1) {
    report.text += fmt::format("; it is block {} at this address, and the one before it was freed at {}",
                               block.generation, DescribeSite(block.freed_before_at));
  }
  return report;
}

std::optional<MemoryReport> CheckedBlocks::FindFault(uint64_t address, uint64_t bytes) {
  base::MutexLock lock(mutex_);
  const Block* block = Around(address);
  if (block == nullptr) return std::nullopt;
  auto offset = static_cast<int64_t>(address - block->address);
  if (block->state == State::kLive) {
    const auto end = static_cast<int64_t>(block->bytes);
    if (offset >= 0 && offset < end) {
      if (bytes <= static_cast<uint64_t>(end - offset)) return std::nullopt;
      // It begins well and goes on too far.
      offset = end;
      address = block->address + block->bytes;
    }
    MemoryReport report = Describe(*block, MemoryFault::kOutOfBounds, offset);
    report.text = fmt::format("out of bounds: {:#x} is {} {}", address, Place(offset, block->bytes), Name(*block));
    return report;
  }
  MemoryReport report = Describe(*block, MemoryFault::kUseAfterFree, offset);
  report.text = fmt::format("use after free: {:#x} is {} {}", address, Place(offset, block->bytes), Name(*block));
  return report;
}

}  // namespace forebay::runtime
