// A core: a host thread (or the pumping caller) that runs blocks of kernels and copies, and survives their faults.
//
// While a block or a copy runs, a fault of this thread is caught, control jumps back here, and the task fails; anywhere
// else a fault is the firmware's own and takes the device down. Blocks run on fibers: one that waits in SyncAll leaves
// its fiber parked, and the core goes on with the next block.
#pragma once

#include <csetjmp>
#include <csignal>

#include <atomic>
#include <memory>
#include <vector>

#include "fiber.h"
#include "kernel_job.h"
#include "print_ring.h"

namespace forebay::device {

class Core {
 public:
  Core(uint32_t index, std::size_t stack_bytes, PrintRing* print);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Makes this core the one of the calling thread, with a signal stack; Detach undoes it. Faults are only caught
  // between.
  void AttachThread();
  void DetachThread();
  static const kernel_abi::DeviceServices& Services() noexcept;
  // Installs the process's fault handlers, once. Faults outside of blocks go to the handlers that were there before.
  static void InstallFaultHandlers();

  // Runs blocks of the job until none is left to start and none of this core's is parked.
  void RunBlocks(KernelJob& job) noexcept;
  // The same where no watchdog looks after the core: a timer of the calling thread stops the job.
  void RunBlocksWithin(KernelJob& job, uint32_t timeout_us) noexcept;
  // Runs `work`, which touches memory; false when an address faulted, with the detail filled in. After a fault nothing
  // that `work` had on its stack is destroyed.
  template <typename Work>
  bool RunGuarded(const Work& work, FaultDetail* detail) noexcept {
    if (sigsetjmp(landing_, 0) != 0) {
      *detail = fault_;
      detail->cause = types::FaultCause::kCopyAddress;
      return false;
    }
    guarded_ = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the work stays between the two stores
    work();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    guarded_ = 0;
    return true;
  }
  // One aligned word, in one piece. What was written before the word was is seen by who loads it.
  bool LoadWord(const std::byte* source, uint64_t* value, FaultDetail* detail) noexcept;
  bool StoreWord(std::byte* destination, uint64_t value, FaultDetail* detail) noexcept;

  // Asks this core from another thread to give up its job number `begun`, with this cause. No effect when it has moved
  // on.
  void Interrupt(uint64_t begun, types::FaultCause cause) noexcept;
  // The processor time of this core's thread; asked from another one.
  int64_t ProcessorNanoseconds() const noexcept;
  const KernelJob* running_job() const noexcept { return job_.load(std::memory_order_acquire); }
  uint32_t index() const noexcept { return index_; }
  // The job of a kernel that this core starts. Lives as long as the core.
  KernelJob& job_storage() noexcept { return job_storage_; }
  // Where arguments are put together that do not lie in one piece in the ring.
  std::vector<std::byte>& argument_buffer() noexcept { return argument_buffer_; }
  // Grows with every job this core begins, and so names the job that runs.
  uint64_t jobs_begun() const noexcept { return jobs_begun_.load(std::memory_order_acquire); }

 private:
  struct Block;  // a fiber and what belongs to the block on it

  static void RunBlockBody(Fiber& fiber, void* argument);
  static void OnFault(int signal, siginfo_t* info, void* context);
  static const kernel_abi::BlockContext* ServiceBlockContext();
  static void ServiceSyncAll();
  static int ServicePrint(const char* format, va_list arguments);
  [[noreturn]] static void ServiceFail(kernel_abi::FailureCause cause, const char* detail);

  // Null when there is no memory for another stack.
  Block* TakeBlock() noexcept;
  // False when the job was interrupted before the block could go on.
  bool EnterBlock(KernelJob& job, Block& block) noexcept;
  bool ResumeOneParked(KernelJob& job) noexcept;
  bool WaitForBarrier(KernelJob& job) noexcept;
  void FlushPrint(Block& block) noexcept;
  [[noreturn]] void GiveUp(types::FaultCause cause, const char* text) noexcept;
  void HandleFault(KernelJob& job) noexcept;
  // Takes an interrupt meant for the running job; kNone when there is none.
  types::FaultCause TakeInterrupt() noexcept;
  void HonourLateInterrupt() noexcept;
  // Around the kernel's own code, on its stack.
  void BeginGuard() noexcept;
  void EndGuard() noexcept;

  const uint32_t index_;
  const std::size_t stack_bytes_;
  PrintRing* const print_;
  std::vector<std::unique_ptr<Block>> free_blocks_;
  std::vector<std::unique_ptr<Block>> parked_;
  std::unique_ptr<Block> current_;
  std::atomic<KernelJob*> job_{nullptr};
  std::atomic<uint64_t> jobs_begun_{0};
  KernelJob job_storage_;
  std::vector<std::byte> argument_buffer_;

  // The fault path. `guarded_` is set exactly while a fault may jump to `landing_`. While `critical_` is set a fault is
  // the firmware's own; while `unstoppable_` is, an interrupt stays in `interrupt_` and is honoured later.
  sigjmp_buf landing_;
  volatile std::sig_atomic_t guarded_ = 0;
  volatile std::sig_atomic_t critical_ = 0;
  volatile std::sig_atomic_t unstoppable_ = 0;
  // Number of the job to be interrupted << 8 | cause; 0: none.
  std::atomic<uint64_t> interrupt_{0};
  FaultDetail fault_;
  std::unique_ptr<std::byte[]> signal_stack_;
  stack_t previous_signal_stack_{};
  std::atomic<pid_t> thread_id_{0};
};

}  // namespace forebay::device
