// The core threads of the device: which one is the dispatcher, which ones stand by, which ones help with a kernel.
//
// The dispatcher's role is one word: the core that holds it, and whether that core is inside a task that may run long.
// Only the holder changes it, except that the control thread moves the role to a core that stands by while the holder
// is inside a task. The holder finds out when the task ends.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "core.h"
#include "forebay/base/mutex.h"

namespace forebay::device {

class CoreTeam {
 public:
  // At most `limit` cores ever.
  CoreTeam(uint32_t limit, std::size_t stack_bytes, PrintRing* print);

  // --- The holder of the role ---
  void BeginTask(const Core& core) noexcept {
    tasks_.store(tasks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    // Release pairs with the acquire of whoever takes the role over: the scheduler's state is seen.
    role_.store(core.index() << 1 | 1, std::memory_order_release);
  }
  // False when the role has moved on.
  bool EndTask(const Core& core) noexcept {
    uint32_t expected = core.index() << 1 | 1;
    return role_.compare_exchange_strong(expected, core.index() << 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  // Whether another core could take the role over. A holder for whom none could must not begin what may never end.
  bool HasSpare() const noexcept {
    return standby_count_.load(std::memory_order_relaxed) != 0 || core_count() < limit_.load(std::memory_order_relaxed);
  }
  // Lets cores that stand by run blocks of the job, as many as there are processors for. DismissHelpers waits until
  // they have left it.
  void CallHelpers(KernelJob& job) EXCLUDES(mutex_);
  void DismissHelpers(KernelJob& job) noexcept;

  // --- The control thread ---
  struct RoleState {
    uint32_t core;
    bool in_task;
    uint64_t tasks;  // tasks begun by all holders so far
  };
  RoleState role_state() const noexcept {
    const uint32_t word = role_.load(std::memory_order_acquire);
    return {word >> 1, (word & 1) != 0, tasks_.load(std::memory_order_relaxed)};
  }
  // Moves the role from a holder that is inside a task to a core that stands by, or to a new one. False when the holder
  // has come out of it, or all cores are busy.
  bool MoveRole(const RoleState& from) EXCLUDES(mutex_);

  // --- Core threads ---
  enum class Duty { kDispatch, kStop };
  // Stands by, helping with jobs when called, until the role arrives or the team stops.
  Duty AwaitDuty(Core& core) EXCLUDES(mutex_);
  void Stop() EXCLUDES(mutex_);
  bool stopping() const noexcept { return stopping_.load(std::memory_order_acquire); }

  // Makes another core. The caller starts its thread, which calls AwaitDuty. Null at the limit.
  Core* AddCore() EXCLUDES(mutex_);
  // The core added last could not get a thread. There will be no more than there are now.
  void TakeCoreBack() EXCLUDES(mutex_);
  uint32_t core_count() const noexcept { return core_count_.load(std::memory_order_acquire); }
  Core& core(uint32_t index) const noexcept { return *members_[index].core; }
  // Called by MoveRole when nobody stands by, to start another core thread.
  void set_spawn(std::function<void()> spawn) { spawn_ = std::move(spawn); }

 private:
  void StandBy(uint32_t index) REQUIRES(mutex_);
  uint32_t TakeStandby() REQUIRES(mutex_);

  struct Member {
    std::unique_ptr<Core> core;
    std::atomic<uint32_t> wake{0};
    std::atomic<KernelJob*> job{nullptr};
    std::atomic<bool> has_role{false};
  };

  const std::size_t stack_bytes_;
  PrintRing* const print_;
  const uint32_t processors_;
  std::vector<Member> members_;
  std::atomic<uint32_t> limit_;  // cores that there can be
  std::atomic<uint32_t> core_count_{0};
  std::atomic<uint32_t> role_{0};  // core << 1 | inside a task
  std::atomic<uint64_t> tasks_{0};
  std::atomic<bool> stopping_{false};
  std::function<void()> spawn_;
  base::Mutex mutex_;
  std::vector<uint32_t> standing_by_ GUARDED_BY(mutex_);
  std::atomic<uint32_t> standby_count_{0};  // how many these are, for looking without the lock
};

}  // namespace forebay::device
