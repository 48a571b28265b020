#include "core_team.h"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "forebay/base/futex.h"

namespace forebay::device {
namespace {

void Wake(std::atomic<uint32_t>& word) noexcept {
  word.fetch_add(1, std::memory_order_acq_rel);
  base::FutexWakeAll(word);
}

}  // namespace

CoreTeam::CoreTeam(uint32_t limit, std::size_t stack_bytes, PrintRing* print)
    : stack_bytes_(stack_bytes),
      print_(print),
      processors_(std::max(1u, std::thread::hardware_concurrency())),
      members_(limit),
      limit_(limit) {}

Core* CoreTeam::AddCore() {
  base::MutexLock lock(mutex_);
  const uint32_t index = core_count_.load(std::memory_order_relaxed);
  if (index == limit_.load(std::memory_order_relaxed)) return nullptr;
  members_[index].core = std::make_unique<Core>(index, stack_bytes_, print_);
  // The first core is the dispatcher from the start.
  if (index == 0) members_[0].has_role.store(true, std::memory_order_relaxed);
  core_count_.store(index + 1, std::memory_order_release);
  return members_[index].core.get();
}

void CoreTeam::TakeCoreBack() {
  base::MutexLock lock(mutex_);
  const uint32_t index = core_count_.load(std::memory_order_relaxed) - 1;
  limit_.store(index, std::memory_order_relaxed);
  core_count_.store(index, std::memory_order_release);
}

void CoreTeam::StandBy(uint32_t index) {
  if (std::find(standing_by_.begin(), standing_by_.end(), index) != standing_by_.end()) return;
  standing_by_.push_back(index);
  standby_count_.store(static_cast<uint32_t>(standing_by_.size()), std::memory_order_relaxed);
}

uint32_t CoreTeam::TakeStandby() {
  const uint32_t index = standing_by_.back();
  standing_by_.pop_back();
  standby_count_.store(static_cast<uint32_t>(standing_by_.size()), std::memory_order_relaxed);
  return index;
}

CoreTeam::Duty CoreTeam::AwaitDuty(Core& core) {
  Member& member = members_[core.index()];
  for (;;) {
    const uint32_t seen = member.wake.load(std::memory_order_acquire);
    if (stopping()) return Duty::kStop;
    if (member.has_role.exchange(false, std::memory_order_acq_rel)) {
      // It may have entered itself again between being chosen and being told.
      base::MutexLock lock(mutex_);
      std::erase(standing_by_, core.index());
      standby_count_.store(static_cast<uint32_t>(standing_by_.size()), std::memory_order_relaxed);
      return Duty::kDispatch;
    }
    if (KernelJob* job = member.job.exchange(nullptr, std::memory_order_acq_rel)) {
      core.RunBlocks(*job);
      job->helpers.fetch_sub(1, std::memory_order_acq_rel);
      continue;
    }
    {
      base::MutexLock lock(mutex_);
      StandBy(core.index());
    }
    if (member.has_role.load(std::memory_order_acquire) || member.job.load(std::memory_order_acquire) != nullptr)
      continue;
    base::FutexWait(member.wake, seen);
  }
}

void CoreTeam::CallHelpers(KernelJob& job) {
  const uint32_t wanted = std::min(job.block_count, processors_) - 1;
  base::MutexLock lock(mutex_);
  for (uint32_t i = 0; i < wanted && !standing_by_.empty(); ++i) {
    // The last core of all stays free for the dispatcher's role.
    if (standing_by_.size() == 1 && core_count() == limit_.load(std::memory_order_relaxed)) return;
    Member& member = members_[TakeStandby()];
    job.helpers.fetch_add(1, std::memory_order_acq_rel);
    member.job.store(&job, std::memory_order_release);
    Wake(member.wake);
  }
}

void CoreTeam::DismissHelpers(KernelJob& job) noexcept {
  // A helper that has not woken up yet is taken off the job.
  const uint32_t count = core_count();
  for (uint32_t i = 0; i < count; ++i) {
    KernelJob* expected = &job;
    if (members_[i].job.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel)) {
      job.helpers.fetch_sub(1, std::memory_order_acq_rel);
    }
  }
  while (job.helpers.load(std::memory_order_acquire) != 0) sched_yield();
}

bool CoreTeam::MoveRole(const RoleState& from) {
  uint32_t successor = 0;
  {
    base::MutexLock lock(mutex_);
    if (!standing_by_.empty()) successor = TakeStandby() + 1;
  }
  if (successor-- == 0) {
    // A new thread stands by as soon as it runs; the next tick finds it there.
    if (spawn_) spawn_();
    return false;
  }
  uint32_t expected = from.core << 1 | 1;
  Member& member = members_[successor];
  if (tasks_.load(std::memory_order_relaxed) == from.tasks &&
      role_.compare_exchange_strong(expected, successor << 1, std::memory_order_acq_rel, std::memory_order_relaxed)) {
    member.has_role.store(true, std::memory_order_release);
    Wake(member.wake);
    return true;
  }
  base::MutexLock lock(mutex_);
  StandBy(successor);
  return false;
}

void CoreTeam::Stop() {
  stopping_.store(true, std::memory_order_release);
  const uint32_t count = core_count();
  for (uint32_t i = 0; i < count; ++i) Wake(members_[i].wake);
}

}  // namespace forebay::device
