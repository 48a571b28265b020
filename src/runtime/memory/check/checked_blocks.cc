#include "memory/check/checked_blocks.h"

#include <algorithm>
#include <cstring>

#include "memory/check/memory_reports.h"

namespace forebay::runtime {
namespace {

constexpr uint64_t kBehind = 512;                       // bytes of the zone behind a block
constexpr uint64_t kGuardedBytes = uint64_t{1} << 20;   // from here on some blocks are guarded
constexpr uint64_t kOwnPagesBytes = uint64_t{8} << 20;  // from here on all have pages of their own
constexpr std::size_t kMostPast = 4096;                 // blocks that are remembered after they have left
constexpr uint64_t kAddressesPerByte = 16;              // what addresses without memory count

uint64_t RoundUp(uint64_t value, uint64_t unit) noexcept { return (value + unit - 1) / unit * unit; }
uint64_t EndOf(const AddressRange& range) noexcept { return range.address + range.bytes; }

void Tell(std::vector<MemoryReport>& found) {
  for (MemoryReport& report : found) MemoryReports::Get().Add(std::move(report), Told::kAsMessage);
}

}  // namespace

CheckedBlocks::CheckedBlocks(const CheckOptions& options, Heap& heap, PoolPages& pages, const Ordering& order,
                             uint64_t alignment)
    : options_(options),
      heap_(heap),
      pages_(pages),
      order_(order),
      alignment_(alignment),
      before_(std::max<uint64_t>(alignment, 64)),
      page_bytes_(pages.page_bytes()) {
  MemoryReports::Get().AddPool(this, options.exit_code);
}

CheckedBlocks::~CheckedBlocks() { MemoryReports::Get().RemovePool(this); }

CheckedBlocks::Plan CheckedBlocks::MakePlan(uint64_t bytes, uint64_t reserved) {
  Plan plan{bytes};
  if (bytes >= kGuardedBytes && bytes < uint64_t{1} << 48 && pages_.can_withdraw())
    plan.guarded = large_blocks_.fetch_add(1, std::memory_order_relaxed) % options_.sample == 0;
  if (!plan.guarded && (bytes < kOwnPagesBytes || !pages_.can_withdraw() || bytes >= uint64_t{1} << 48)) {
    Simplify(&plan, reserved);
    return plan;
  }
  plan.own = RoundUp(plan.guarded ? bytes : before_ + bytes + kBehind, page_bytes_);
  // The heap may begin anywhere in a page.
  plan.room = std::max(plan.own + page_bytes_ + (plan.guarded ? 2 * page_bytes_ : 0), reserved);
  return plan;
}

void CheckedBlocks::Simplify(Plan* plan, uint64_t reserved) const {
  const uint64_t around = before_ + kBehind;
  const uint64_t least = std::max(plan->bytes, reserved);
  plan->own = 0;
  plan->guarded = false;
  plan->room = least > UINT64_MAX - around ? UINT64_MAX : least + around;
}

uint64_t CheckedBlocks::AddressIn(const Plan& plan, uint64_t given) const {
  if (plan.own == 0) return given + before_;
  const uint64_t first = RoundUp(given, page_bytes_);
  // As close to the pages behind it as its alignment lets it.
  if (plan.guarded) return first + page_bytes_ + plan.own - RoundUp(plan.bytes, alignment_);
  return first + before_;
}

void CheckedBlocks::Enter(const Plan& plan, uint64_t given, const void* site) {
  Block block;
  block.address = AddressIn(plan, given);
  block.bytes = plan.bytes;
  // A stream that still uses what the heap had back early may be in there, so that nothing is put around the block
  // then.
  const std::optional<BlockInfo> info = heap_.Find(given);
  block.given = {given, info ? info->rounded : plan.room};
  block.allocated_at = site;
  {
    base::MutexLock lock(mutex_);
    block.has_zones = MayWriteAround();
    if (const auto before = past_.find(block.address); before != past_.end()) {
      block.generation = before->second.generation + 1;
      block.freed_before_at = before->second.freed_at;
    }
  }
  if (block.has_zones) {
    block.guarded = plan.guarded;
    if (plan.own != 0) block.own = {RoundUp(given, page_bytes_) + (plan.guarded ? page_bytes_ : 0), plan.own};
    for (const AddressRange& guard : Guards(block)) pages_.Withdraw(guard);
    Fill(ZoneBefore(block), kZonePattern);
    Fill(ZoneBehind(block), kZonePattern);
  }
  base::MutexLock lock(mutex_);
  blocks_.insert_or_assign(block.address, block);
}

FreeResult CheckedBlocks::Free(uint64_t address, const StreamMoment& moment, const void* site) {
  {
    base::MutexLock lock(mutex_);
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) {
      if (past_.contains(address)) return {Freed::kAlreadyFree, address, 0};
      const Block* around = Around(address);
      if (around == nullptr || around->state != State::kLive || address < around->address)
        return {Freed::kNotABlock, 0, 0};
      return {Freed::kInterior, around->address, around->bytes};
    }
    Block& block = found->second;
    if (block.state != State::kLive) return {Freed::kAlreadyFree, address, block.bytes};
    block.state = State::kReleased;
    block.moment = moment;
    block.freed_at = site;
    released_.push_back(address);
  }
  Settle();
  return {Freed::kOk, address, 0};
}

bool CheckedBlocks::EndRests(bool pending_too) {
  Settle();
  bool ended = false;
  Reports found;
  std::size_t most;
  {
    base::MutexLock lock(mutex_);
    most = resting_.size();
  }
  for (; most > 0; --most) {
    uint64_t address;
    {
      base::MutexLock lock(mutex_);
      if (resting_.empty()) break;
      address = resting_.front();
      resting_.pop_front();
    }
    if (!EndRest(address, &found)) break;
    ended = true;
  }
  // A stream may still use these; the heap knows how to wait for it.
  std::vector<Block> early;
  if (pending_too) {
    base::MutexLock lock(mutex_);
    for (const uint64_t address : released_) early.push_back(blocks_.at(address));
    for (const Block& block : early) given_early_.push_back(block.moment);
    released_.clear();
  }
  for (const Block& block : early) ended = GiveBack(block, block.moment) || ended;
  Tell(found);
  return ended;
}

void CheckedBlocks::Finish(bool report_leaks) {
  Settle();
  Reports found;
  Check(&found);
  {
    struct Group {
      const Block* first = nullptr;
      uint64_t blocks = 0;
      uint64_t bytes = 0;
    };
    std::map<const void*, Group> groups;
    base::MutexLock lock(mutex_);
    if (finished_) return;
    finished_ = true;
    for (const auto& [address, block] : blocks_) {
      // What has no site is the runtime's own.
      if (!report_leaks || block.state != State::kLive || block.allocated_at == nullptr) continue;
      Group& group = groups[block.allocated_at];
      if (group.first == nullptr) group.first = &block;
      ++group.blocks;
      group.bytes += block.bytes;
    }
    for (const auto& [site, group] : groups) found.push_back(DescribeLeak(*group.first, group.blocks, group.bytes));
  }
  // The addresses may soon be those of others.
  MemoryReports::Get().RemovePool(this);
  Tell(found);
}

std::optional<BlockInfo> CheckedBlocks::Find(uint64_t address) {
  base::MutexLock lock(mutex_);
  auto found = blocks_.upper_bound(address);
  if (found == blocks_.begin()) return std::nullopt;
  const Block& block = (--found)->second;
  if (block.state != State::kLive || address - block.address >= block.bytes) return std::nullopt;
  return BlockInfo{block.address, block.bytes, block.bytes, true, {}};
}

void CheckedBlocks::Correct(HeapStatistics* statistics) {
  base::MutexLock lock(mutex_);
  for (const auto& [address, block] : blocks_) {
    if (block.state == State::kLive) continue;
    statistics->requested.now -= block.bytes;
    statistics->used.now -= block.given.bytes;
    statistics->active.now -= block.given.bytes;
    --statistics->blocks;
  }
}

uint64_t CheckedBlocks::resting_bytes() {
  base::MutexLock lock(mutex_);
  uint64_t bytes = 0;
  for (const uint64_t address : resting_) {
    const Block& block = blocks_.at(address);
    bytes += block.given.bytes - block.own.bytes - (block.guarded ? 2 * page_bytes_ : 0);
  }
  return bytes;
}

void CheckedBlocks::CountInto(MemoryCheckStatistics* statistics) {
  base::MutexLock lock(mutex_);
  for (const auto& [address, block] : blocks_) {
    if (block.state != State::kLive) {
      ++statistics->resting_blocks;
      statistics->resting_bytes += block.bytes;
    } else if (block.allocated_at != nullptr) {
      ++statistics->live_blocks;
      statistics->guarded_blocks += block.guarded ? 1 : 0;
    }
  }
}

void CheckedBlocks::Check(Reports* found) {
  base::MutexLock lock(mutex_);
  for (const auto& [address, block] : blocks_) {
    if (block.state == State::kLive) CheckZones(block, found);
    if (block.state == State::kResting) CheckRest(block, found);
  }
}

void CheckedBlocks::Settle() {
  Reports found;
  while (const std::optional<Block> block = TakeReleased()) BeginRest(*block, &found);
  for (;;) {
    uint64_t address;
    {
      base::MutexLock lock(mutex_);
      if (rest_bytes_ <= options_.rest_bytes || resting_.empty()) break;
      address = resting_.front();
      resting_.pop_front();
    }
    if (!EndRest(address, &found)) break;
  }
  Tell(found);
}

std::optional<CheckedBlocks::Block> CheckedBlocks::TakeReleased() {
  base::MutexLock lock(mutex_);
  const auto ready = std::find_if(released_.begin(), released_.end(), [&](uint64_t address) REQUIRES(mutex_) {
    const StreamMoment& moment = blocks_.at(address).moment;
    return moment.slot == kNoStream || order_.HasPassed(moment);
  });
  if (ready == released_.end()) return std::nullopt;
  const Block block = blocks_.at(*ready);
  released_.erase(ready);
  return block;
}

void CheckedBlocks::BeginRest(const Block& block, Reports* found) {
  CheckZones(block, found);
  if (block.own.bytes != 0) {
    pages_.Withdraw(block.own);
  } else {
    Fill({block.address, block.bytes}, kRestPattern);
  }
  base::MutexLock lock(mutex_);
  blocks_.at(block.address).state = State::kResting;
  resting_.push_back(block.address);
  rest_bytes_ += Weight(block);
}

bool CheckedBlocks::EndRest(uint64_t address, Reports* found) {
  Block block;
  {
    base::MutexLock lock(mutex_);
    Block& kept = blocks_.at(address);
    kept.state = State::kLeaving;
    block = kept;
    rest_bytes_ -= Weight(block);
  }
  CheckRest(block, found);
  if (GiveBack(block, {})) return true;
  base::MutexLock lock(mutex_);
  blocks_.at(address).state = State::kResting;
  resting_.push_front(address);
  rest_bytes_ += Weight(block);
  return false;
}

bool CheckedBlocks::GiveBack(const Block& block, const StreamMoment& moment) {
  if (block.state == State::kLeaving && block.own.bytes != 0) {
    const uint64_t guard = block.guarded ? page_bytes_ : 0;
    if (!pages_.Restore({block.own.address - guard, block.own.bytes + 2 * guard}).ok()) return false;
  } else {
    std::vector<AddressRange> done;
    for (const AddressRange& guard : Guards(block)) {
      if (pages_.Restore(guard).ok()) {
        done.push_back(guard);
        continue;
      }
      for (const AddressRange& restored : done) pages_.Withdraw(restored);
      base::MutexLock lock(mutex_);
      released_.push_back(block.address);
      return false;
    }
  }
  {
    base::MutexLock lock(mutex_);
    Bury(block);
  }
  heap_.Free(block.given.address, moment);
  return true;
}

void CheckedBlocks::Bury(const Block& block) {
  blocks_.erase(block.address);
  if (past_.insert_or_assign(block.address, block).second) past_order_.push_back(block.address);
  past_[block.address].state = State::kLeaving;
  if (past_order_.size() <= kMostPast) return;
  past_.erase(past_order_.front());
  past_order_.pop_front();
}

bool CheckedBlocks::MayWriteAround() {
  std::erase_if(given_early_, [&](const StreamMoment& moment) { return order_.HasPassed(moment); });
  return given_early_.empty();
}

const CheckedBlocks::Block* CheckedBlocks::Around(uint64_t address) const {
  for (const auto* blocks : {&blocks_, &past_}) {
    auto next = blocks->upper_bound(address);
    // It may lie in front of the next block, or in or behind the one before.
    if (next != blocks->end() && next->second.given.address <= address) return &next->second;
    if (next != blocks->begin() && address < EndOf(std::prev(next)->second.given)) return &std::prev(next)->second;
  }
  return nullptr;
}

uint64_t CheckedBlocks::Weight(const Block& block) const {
  return block.own.bytes != 0 ? block.given.bytes / kAddressesPerByte : block.given.bytes;
}

AddressRange CheckedBlocks::ZoneBefore(const Block& block) const {
  const uint64_t bytes = block.guarded ? std::min(before_, block.address - block.own.address) : before_;
  return {block.address - bytes, bytes};
}

AddressRange CheckedBlocks::ZoneBehind(const Block& block) const {
  const uint64_t end = block.address + block.bytes;
  return {end, block.guarded ? EndOf(block.own) - end : kBehind};
}

std::vector<AddressRange> CheckedBlocks::Guards(const Block& block) const {
  if (!block.guarded) return {};
  return {{block.own.address - page_bytes_, page_bytes_}, {EndOf(block.own), page_bytes_}};
}

void CheckedBlocks::Fill(const AddressRange& range, uint8_t pattern) {
  if (range.bytes == 0) return;
  if (std::byte* view = pages_.HostView(range.address, range.bytes)) std::memset(view, pattern, range.bytes);
}

std::optional<AddressRange> CheckedBlocks::FindDamage(const AddressRange& range, uint8_t pattern) {
  const std::byte* view = range.bytes == 0 ? nullptr : pages_.HostView(range.address, range.bytes);
  if (view == nullptr) return std::nullopt;
  // Each byte is what its neighbour is.
  if (view[0] == std::byte{pattern} && std::memcmp(view, view + 1, range.bytes - 1) == 0) return std::nullopt;
  const auto is_damaged = [&](std::byte value) { return value != std::byte{pattern}; };
  const std::byte* end = view + range.bytes;
  const std::byte* first = std::find_if(view, end, is_damaged);
  while (end > first && !is_damaged(end[-1])) --end;
  if (first == end) return std::nullopt;
  return AddressRange{range.address + static_cast<uint64_t>(first - view), static_cast<uint64_t>(end - first)};
}

}  // namespace forebay::runtime
