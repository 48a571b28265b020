#include "watchdog.h"

#include <algorithm>

namespace forebay::device {

bool Watchdog::Tick(int64_t now_ns) {
  bool busy = false;
  const CoreTeam::RoleState role = team_->role_state();
  const bool worked = role.tasks != last_.tasks;
  if (role.in_task) {
    busy = true;
    // Inside the same task as a tick ago: someone else dispatches from now on.
    if (last_.in_task && !worked && last_.core == role.core) team_->MoveRole(role);
  }
  last_ = role;
  const int64_t since_last_ns = now_ns - last_tick_ns_;
  last_tick_ns_ = now_ns;
  const uint32_t count = team_->core_count();
  seen_.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    Core& core = team_->core(i);
    const KernelJob* job = core.running_job();
    if (job == nullptr) {
      cores_[i].since_ns.store(0, std::memory_order_relaxed);
      continue;
    }
    busy = true;
    Seen& seen = seen_[i];
    const uint64_t begun = core.jobs_begun();
    if (begun != seen.jobs_begun) {
      seen = {begun, now_ns};
      cores_[i].since_ns.store(0, std::memory_order_relaxed);
      continue;
    }
    // Two ticks in the same kernel.
    if (cores_[i].since_ns.load(std::memory_order_relaxed) == 0) {
      cores_[i].stream.store(job->stream.load(std::memory_order_relaxed), std::memory_order_relaxed);
      cores_[i].since_ns.store(seen.since_ns, std::memory_order_release);
    }
    // A kernel that waits for the host to take what it printed does not run, and neither do the blocks that wait for
    // it. It cannot be stopped there either.
    const bool waits_to_print = job->waiting_to_print.load(std::memory_order_relaxed) != 0;
    if (waits_to_print) seen.since_ns += since_last_ns;
    const int64_t elapsed_ns = now_ns - seen.since_ns;
    const int64_t limit_ns = int64_t{job->timeout_us.load(std::memory_order_relaxed)} * 1000;
    const bool failed_elsewhere = job->failed.load(std::memory_order_acquire) != 0;
    if ((limit_ns == 0 || elapsed_ns < limit_ns) && !failed_elsewhere) continue;
    core.Interrupt(begun, types::FaultCause::kTimeout);
    const bool is_over = limit_ns != 0 && elapsed_ns >= limit_ns;
    if (is_over && IsDeaf(core, waits_to_print ? 0 : since_last_ns, &seen)) gave_up_ = true;
  }
  return busy || worked;
}

bool Watchdog::IsDeaf(const Core& core, int64_t passed_ns, Seen* seen) noexcept {
  const int64_t processor_ns = core.ProcessorNanoseconds();
  if (seen->told_at_processor_ns < 0) {
    seen->told_at_processor_ns = processor_ns;
    return false;
  }
  seen->told_for_ns += std::min(passed_ns, kLongestTickNanoseconds);
  return processor_ns - seen->told_at_processor_ns > kPatienceNanoseconds ||
         seen->told_for_ns > kLongestPatienceNanoseconds;
}

void Watchdog::StopAll() {
  Stop([](uint32_t) { return true; });
}

void Watchdog::StopStream(uint32_t stream) {
  Stop([stream](uint32_t of_job) { return of_job == stream; });
}

template <typename Accepts>
void Watchdog::Stop(const Accepts& accepts) {
  const uint32_t count = team_->core_count();
  for (uint32_t i = 0; i < count; ++i) {
    Core& core = team_->core(i);
    const uint64_t begun = core.jobs_begun();
    const KernelJob* job = core.running_job();
    if (job != nullptr && accepts(job->stream.load(std::memory_order_relaxed)))
      core.Interrupt(begun, types::FaultCause::kAbort);
  }
}

}  // namespace forebay::device
