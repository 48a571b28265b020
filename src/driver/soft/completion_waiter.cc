#include "completion_waiter.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "forebay/base/architecture.h"
#include "forebay/base/futex.h"

namespace forebay::driver {

CompletionWaiter::CompletionWaiter(const types::BarView& bar, uint32_t spin_us)
    : bar_(bar), spin_us_(spin_us), queues_(std::make_unique<Queue[]>(bar.boot.stream_count)) {}

bool CompletionWaiter::Spin(const types::StreamRegisters& registers, uint64_t entry) noexcept {
  types::Doorbell& doorbell = bar_.header->doorbell;
  const int cpu = sched_getcpu();
  doorbell.host_cpu.store(cpu, std::memory_order_relaxed);
  if (doorbell.parked.load(std::memory_order_relaxed) != 0 ||
      doorbell.device_cpu.load(std::memory_order_relaxed) == cpu) {
    // The device needs this very processor: spinning would keep it from working.
    for (int i = 0; i < 10; ++i) {
      sched_yield();
      if (registers.done.load(std::memory_order_acquire) >= entry) return true;
      if (doorbell.parked.load(std::memory_order_relaxed) != 0) break;
    }
    return false;
  }
  const uint64_t until = base::ReadCycleCounter() + spin_us_ * (bar_.boot.cycle_frequency / 1'000'000);
  do {
    for (int i = 0; i < 4; ++i) {
      if (registers.done.load(std::memory_order_acquire) >= entry) return true;
      base::CpuRelax();
    }
  } while (base::ReadCycleCounter() < until);
  return false;
}

CompletionWaiter::Outcome CompletionWaiter::Wait(uint32_t stream, uint64_t entry, const base::Deadline& deadline,
                                                 const std::atomic<bool>& lost) {
  types::StreamRegisters& registers = bar_.streams[stream];
  const auto done = [&] { return registers.done.load(std::memory_order_acquire) >= entry; };
  // `done` is read before `tail`, which only grows, so a sane device is never ahead.
  const auto sane = [&] {
    const uint64_t count = registers.done.load(std::memory_order_acquire);
    return count <= registers.tail.load(std::memory_order_acquire);
  };
  // What a lost device leaves behind counts as done (ReleaseAll), but is not.
  const auto judge = [&] {
    if (lost.load(std::memory_order_acquire)) return Outcome::kLost;
    return sane() ? Outcome::kDone : Outcome::kBroken;
  };
  if (done()) return judge();
  const bool by_seed = bar_.boot.scheduled_by_seed != 0;
  if (by_seed) bar_.header->host_waiters.fetch_add(1, std::memory_order_acq_rel);
  Outcome result = Outcome::kDone;
  if (!Spin(registers, entry)) {
    Queue& queue = queues_[stream];
    base::MutexLock lock(queue.mutex);
    queue.entries.push_back(entry);
    while (!done()) {
      if (lost.load(std::memory_order_acquire)) {
        result = Outcome::kLost;
        break;
      }
      const int64_t left_ns = deadline.RemainingNanoseconds();
      if (left_ns == 0) {
        result = Outcome::kTimeout;
        break;
      }
      if (queue.has_leader) {
        // The leader's target may be higher than what this thread waits for.
        if (registers.target.load(std::memory_order_relaxed) > entry) {
          registers.target.store(entry, std::memory_order_relaxed);
          base::FullFence();
          if (done()) break;
        }
        const auto limit = left_ns < 0 ? std::chrono::steady_clock::now() + std::chrono::hours(24)
                                       : std::chrono::steady_clock::now() + std::chrono::nanoseconds(left_ns);
        queue.changed.WaitUntil(queue.mutex, limit);
        continue;
      }
      // What is slept on is the very count that was found too low: the device may have gone on since the loop's
      // condition.
      const uint64_t count = registers.done.load(std::memory_order_acquire);
      if (count >= entry) break;
      const auto seen = static_cast<uint32_t>(count);
      queue.has_leader = true;
      registers.target.store(*std::min_element(queue.entries.begin(), queue.entries.end()), std::memory_order_relaxed);
      // Pairs with the fence in the device's Publish: it sees the target, or the count is seen here.
      base::FullFence();
      if (static_cast<uint32_t>(registers.done.load(std::memory_order_acquire)) == seen &&
          !lost.load(std::memory_order_acquire)) {
        queue.mutex.Unlock();
        base::FutexWait(base::LowHalf(registers.done), seen, left_ns);
        queue.mutex.Lock();
      }
      queue.has_leader = false;
      queue.changed.NotifyAll();
    }
    queue.entries.erase(std::find(queue.entries.begin(), queue.entries.end(), entry));
    if (!queue.has_leader) queue.changed.NotifyAll();
  }
  if (by_seed) bar_.header->host_waiters.fetch_sub(1, std::memory_order_acq_rel);
  return result == Outcome::kDone ? judge() : result;
}

void CompletionWaiter::ReleaseAll() {
  for (uint32_t i = 0; i < bar_.boot.stream_count; ++i) {
    types::StreamRegisters& registers = bar_.streams[i];
    registers.done.store(registers.tail.load(std::memory_order_acquire), std::memory_order_release);
    base::FutexWakeAll(base::LowHalf(registers.done));
    base::MutexLock lock(queues_[i].mutex);
    queues_[i].changed.NotifyAll();
  }
}

}  // namespace forebay::driver
