#include "core.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "fault_signals.h"
#include "forebay/base/architecture.h"
#include "forebay/base/clock.h"
#include "forebay/base/macros.h"

namespace forebay::device {
namespace {

using types::FaultCause;

// The signal that interrupts a block that ran out of time. It is ignored when it arrives late.
const int kInterruptSignal = SIGRTMAX - 2;
constexpr std::size_t kSignalStackBytes = 64 * 1024;
// What a kernel prints stays in one piece up to this length.
constexpr std::size_t kMostLineBytes = 64 * 1024;

thread_local Core* current_core __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

struct Core::Block {
  kernel_abi::BlockContext context{};
  std::unique_ptr<Fiber> fiber;
  bool parked = false;
  bool gave_up = false;  // by itself; `fault_` says why
  uint32_t parked_round = 0;
  std::string line;             // printed so far, without its end
  std::vector<char> formatted;  // where a long text is put together
};

Core::Core(uint32_t index, std::size_t stack_bytes, PrintRing* print)
    : index_(index), stack_bytes_(stack_bytes), print_(print) {}

Core::~Core() = default;

const kernel_abi::DeviceServices& Core::Services() noexcept {
  static constexpr kernel_abi::DeviceServices kServices = {
      kernel_abi::kVersion, 0, &ServiceBlockContext, &ServiceSyncAll, &ServicePrint, &ServiceFail};
  return kServices;
}

void Core::InstallFaultHandlers() {
  static const bool installed = [] {
    TakeFaultSignals(&Core::OnFault, kInterruptSignal);
    return true;
  }();
  (void)installed;
}

void Core::AttachThread() {
  if (!signal_stack_) signal_stack_ = std::make_unique<std::byte[]>(kSignalStackBytes);
  stack_t stack{};
  stack.ss_sp = signal_stack_.get();
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, &previous_signal_stack_);
  thread_id_.store(static_cast<pid_t>(syscall(SYS_gettid)), std::memory_order_release);
  current_core = this;
}

void Core::DetachThread() {
  current_core = nullptr;
  thread_id_.store(0, std::memory_order_release);
  if (previous_signal_stack_.ss_sp == nullptr) previous_signal_stack_.ss_flags = SS_DISABLE;
  sigaltstack(&previous_signal_stack_, nullptr);
}

void Core::OnFault(int signal, siginfo_t* info, void* context) {
  ResetProcessorFlags();
  Core* core = current_core;
  if (signal == kInterruptSignal) {
    if (core != nullptr && info->si_code == SI_TIMER) {
      const uint64_t begun = reinterpret_cast<uint64_t>(info->si_value.sival_ptr);
      core->interrupt_.store(begun << 8 | static_cast<uint64_t>(FaultCause::kTimeout), std::memory_order_release);
    }
    // One that comes at a bad moment stays where it is; EnterBlock and the end of the section look again.
    if (core == nullptr || core->guarded_ == 0 || core->unstoppable_ != 0) return;
    if (core->job_.load(std::memory_order_relaxed) == nullptr) return;  // a copy
    const FaultCause cause = core->TakeInterrupt();
    if (cause == FaultCause::kNone) return;
    core->fault_ = FaultDetail{};
    core->fault_.cause = cause;
    core->fault_.instruction = InstructionPointer(context);
  } else {
    if (core == nullptr || core->guarded_ == 0 || core->critical_ != 0 || WasSent(*info)) {
      PassOn(signal, info, context);
      return;
    }
    core->fault_ = FaultDetail{};
    core->fault_.cause = CauseOfFault(signal, *info);
    core->fault_.address = reinterpret_cast<uint64_t>(info->si_addr);
    core->fault_.instruction = InstructionPointer(context);
    if (core->current_ && core->current_->fiber->InGuardArea(info->si_addr))
      core->fault_.cause = FaultCause::kStackOverflow;
  }
  core->guarded_ = 0;
  // The handler is left by a jump, so the mask it was entered with has to be put back here.
  pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
  if (core->current_) core->current_->fiber->AbandonFromSignal();
  siglongjmp(core->landing_, 1);
}

void Core::GiveUp(FaultCause cause, const char* text) noexcept {
  EndGuard();
  fault_ = FaultDetail{};
  fault_.cause = cause;
  std::snprintf(fault_.text, sizeof fault_.text, "%s", text);
  current_->gave_up = true;
  current_->fiber->Leave();
  FOREBAY_CHECK(false && "a block that gave up was entered again");
}

void Core::BeginGuard() noexcept {
  guarded_ = 1;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // A signal that arrives from here on finds `guarded_` set; one that came before left its word.
  HonourLateInterrupt();
}

void Core::EndGuard() noexcept {
  ResetProcessorFlags();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  guarded_ = 0;
}

void Core::Interrupt(uint64_t begun, FaultCause cause) noexcept {
  interrupt_.store(begun << 8 | static_cast<uint64_t>(cause), std::memory_order_release);
  const pid_t thread = thread_id_.load(std::memory_order_acquire);
  if (thread != 0) syscall(SYS_tgkill, getpid(), thread, kInterruptSignal);
}

int64_t Core::ProcessorNanoseconds() const noexcept {
  // What pthread_getcpuclockid gives; a core knows the number of its thread only.
  constexpr clockid_t kClockOfAThread = 6;
  const clockid_t clock = ~thread_id_.load(std::memory_order_acquire) * 8 | kClockOfAThread;
  timespec time{};
  return clock_gettime(clock, &time) == 0 ? time.tv_sec * 1'000'000'000 + time.tv_nsec : 0;
}

FaultCause Core::TakeInterrupt() noexcept {
  uint64_t word = interrupt_.load(std::memory_order_acquire);
  if (word == 0) return FaultCause::kNone;
  if (!interrupt_.compare_exchange_strong(word, 0, std::memory_order_acq_rel)) return FaultCause::kNone;
  // The job it was meant for may be over.
  if (word >> 8 != jobs_begun_.load(std::memory_order_relaxed)) return FaultCause::kNone;
  return static_cast<FaultCause>(word & 0xff);
}

void Core::HonourLateInterrupt() noexcept {
  if (interrupt_.load(std::memory_order_acquire) == 0) return;
  syscall(SYS_tgkill, getpid(), thread_id_.load(std::memory_order_relaxed), kInterruptSignal);
}

const kernel_abi::BlockContext* Core::ServiceBlockContext() { return &current_core->current_->context; }

void Core::ServiceSyncAll() {
  Core* core = current_core;
  KernelJob& job = *core->job_.load(std::memory_order_relaxed);
  if (job.block_count == 1) return;
  if (job.block_count > job.synchronising_limit) {
    char text[sizeof FaultDetail::text];
    std::snprintf(text, sizeof text,
                  "SyncAll in %u blocks, but only %u cores run together; launch at most that many blocks",
                  job.block_count, job.synchronising_limit);
    core->GiveUp(FaultCause::kSyncAll, text);
  }
  const uint32_t round = job.round.load(std::memory_order_acquire);
  if (job.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == job.block_count) {
    job.arrived.store(0, std::memory_order_relaxed);
    // Release pairs with the acquire in ResumeOneParked: what every block wrote before the barrier is seen after it.
    job.round.store(round + 1, std::memory_order_release);
    return;
  }
  Block& block = *core->current_;
  // Between stacks nothing may jump away.
  core->EndGuard();
  block.parked = true;
  block.parked_round = round;
  block.fiber->Leave();
  core->BeginGuard();
}

int Core::ServicePrint(const char* format, va_list arguments) {
  ResetProcessorFlags();
  Core* core = current_core;
  Block& block = *core->current_;
  char text[2048];
  // A fault in here is the kernel's, from a bad pointer in its arguments, but an interrupt could leave a lock of the C
  // library held.
  core->unstoppable_ = 1;
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  const std::size_t bytes = std::min(static_cast<std::size_t>(std::max(length, 0)), kMostLineBytes);
  std::string_view rest(text, std::min(bytes, sizeof text - 1));
  if (bytes > rest.size()) {
    core->critical_ = 1;
    block.formatted.resize(bytes + 1);
    core->critical_ = 0;
    std::vsnprintf(block.formatted.data(), bytes + 1, format, again);
    rest = {block.formatted.data(), bytes};
  }
  va_end(again);
  core->critical_ = 1;  // from here on nothing of the kernel's is touched, and locks are taken
  while (!rest.empty()) {
    const std::size_t wanted = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::size_t piece = std::min(wanted, kMostLineBytes - block.line.size());
    block.line.append(rest.substr(0, piece));
    rest.remove_prefix(piece);
    if (block.line.size() == kMostLineBytes || block.line.back() == '\n') core->FlushPrint(block);
  }
  core->critical_ = 0;
  core->unstoppable_ = 0;
  core->HonourLateInterrupt();
  return length;
}

void Core::ServiceFail(kernel_abi::FailureCause cause, const char* detail) {
  current_core->GiveUp(cause == kernel_abi::FailureCause::kExit ? FaultCause::kExit : FaultCause::kAbort,
                       detail != nullptr ? detail : "");
}

void Core::FlushPrint(Block& block) noexcept {
  if (block.line.empty()) return;
  print_->Append(block.line, job_.load(std::memory_order_relaxed)->waiting_to_print);
  block.line.clear();
}

void Core::RunBlockBody(Fiber& fiber, void* argument) {
  auto* block = static_cast<Block*>(argument);
  for (;;) {
    Core* core = current_core;
    KernelJob* job = core->job_.load(std::memory_order_relaxed);
    // The flags are the fiber's own: a block that waits in SyncAll keeps them.
    const bool checks_overflow = job->checks_overflow;
    if (checks_overflow) std::feclearexcept(FE_ALL_EXCEPT);
    core->BeginGuard();
    job->entry(job->arguments);
    core->EndGuard();
    if (checks_overflow && std::fetestexcept(FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID) != 0) {
      job->overflowed.store(true, std::memory_order_release);
    }
    block->parked = false;
    fiber.Leave();
  }
}

Core::Block* Core::TakeBlock() noexcept {
  if (free_blocks_.empty()) {
    auto block = std::make_unique<Block>();
    auto fiber = Fiber::Create(stack_bytes_, &Core::RunBlockBody, block.get());
    if (!fiber.ok()) return nullptr;
    block->fiber = *std::move(fiber);
    free_blocks_.push_back(std::move(block));
  }
  current_ = std::move(free_blocks_.back());
  free_blocks_.pop_back();
  return current_.get();
}

bool Core::EnterBlock(KernelJob& job, Block& block) noexcept {
  FaultCause cause = FaultCause::kNone;
  if (interrupt_.load(std::memory_order_relaxed) != 0) [[unlikely]]
    cause = TakeInterrupt();
  if (cause != FaultCause::kNone) {
    fault_ = FaultDetail{};
    fault_.cause = cause;
    HandleFault(job);
    return false;
  }
  block.fiber->Enter();
  if (block.gave_up) {
    block.gave_up = false;
    HandleFault(job);
    return false;
  }
  if (block.parked) {
    parked_.push_back(std::move(current_));
    return true;
  }
  FlushPrint(block);
  free_blocks_.push_back(std::move(current_));
  job.finished_blocks.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

bool Core::ResumeOneParked(KernelJob& job) noexcept {
  // Acquire pairs with the release of the block that opened the barrier.
  const uint32_t round = job.round.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < parked_.size(); ++i) {
    if (parked_[i]->parked_round == round) continue;
    current_ = std::move(parked_[i]);
    parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(i));
    current_->parked = false;
    EnterBlock(job, *current_);
    return true;
  }
  return false;
}

bool Core::WaitForBarrier(KernelJob& job) noexcept {
  const uint32_t round = job.round.load(std::memory_order_acquire);
  const uint32_t arrived = job.arrived.load(std::memory_order_acquire);
  const uint32_t finished = job.finished_blocks.load(std::memory_order_acquire);
  // Once a block has returned, not all can arrive any more, so neither count goes back. Before that `arrived` may be
  // seen full just before the last block opens the barrier.
  if (finished > 0 && arrived > 0 && arrived + finished == job.block_count &&
      job.round.load(std::memory_order_acquire) == round) {
    FaultDetail detail;
    detail.cause = FaultCause::kSyncAll;
    detail.block = static_cast<int32_t>(parked_.front()->context.block_index);
    std::snprintf(detail.text, sizeof detail.text, "%u blocks wait in SyncAll, but %u returned without reaching it",
                  arrived, finished);
    job.Fail(detail);
    return false;
  }
  // Blocks of this job run on other cores, which may need this processor.
  for (int i = 0; i < 32; ++i) base::CpuRelax();
  sched_yield();
  return true;
}

void Core::HandleFault(KernelJob& job) noexcept {
  critical_ = 0;
  unstoppable_ = 0;
  if (current_) {
    fault_.block = static_cast<int32_t>(current_->context.block_index);
    FlushPrint(*current_);
    current_->fiber->Reset();
    current_->parked = false;
    free_blocks_.push_back(std::move(current_));
  }
  job.Fail(fault_);
}

void Core::RunBlocks(KernelJob& job) noexcept {
  jobs_begun_.store(jobs_begun_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  job_.store(&job, std::memory_order_release);
  // The mask is not saved: the handler puts it back before it jumps.
  if (sigsetjmp(landing_, 0) != 0) HandleFault(job);
  while (job.failed.load(std::memory_order_acquire) == 0) {
    if (!parked_.empty() && ResumeOneParked(job)) continue;
    uint32_t block_index = job.next_block.load(std::memory_order_relaxed);
    if (block_index < job.block_count) block_index = job.next_block.fetch_add(1, std::memory_order_relaxed);
    if (block_index < job.block_count) {
      Block* block = TakeBlock();
      if (block == nullptr) [[unlikely]] {
        FaultDetail detail;
        detail.cause = FaultCause::kNoStack;
        detail.block = static_cast<int32_t>(block_index);
        job.Fail(detail);
        break;
      }
      block->context = {job.first_block + block_index, job.block_count};
      EnterBlock(job, *block);
    } else if (parked_.empty() || !WaitForBarrier(job)) {
      break;
    } else if (interrupt_.load(std::memory_order_relaxed) != 0) {
      // Out of time while all blocks of this core wait.
      FaultDetail detail;
      detail.cause = TakeInterrupt();
      detail.block = static_cast<int32_t>(parked_.front()->context.block_index);
      if (detail.cause != FaultCause::kNone) job.Fail(detail);
    }
  }
  // After a failure blocks that wait in SyncAll will never be released.
  for (auto& block : parked_) {
    FlushPrint(*block);
    block->fiber->Reset();
    block->parked = false;
    free_blocks_.push_back(std::move(block));
  }
  parked_.clear();
  job_.store(nullptr, std::memory_order_release);
}

void Core::RunBlocksWithin(KernelJob& job, uint32_t timeout_us) noexcept {
  sigevent notification{};
  notification.sigev_notify = SIGEV_THREAD_ID;
  notification.sigev_signo = kInterruptSignal;
  notification.sigev_value.sival_ptr = reinterpret_cast<void*>(jobs_begun_.load(std::memory_order_relaxed) + 1);
  notification._sigev_un._tid = thread_id_.load(std::memory_order_relaxed);
  timer_t timer{};
  const bool armed = timer_create(CLOCK_MONOTONIC, &notification, &timer) == 0;
  if (armed) {
    // It repeats, because it may come at a moment when the kernel cannot be stopped.
    const itimerspec limit{{0, 1'000'000}, {timeout_us / 1'000'000, (timeout_us % 1'000'000) * 1000L}};
    timer_settime(timer, 0, &limit, nullptr);
  }
  RunBlocks(job);
  if (armed) timer_delete(timer);
}

bool Core::LoadWord(const std::byte* source, uint64_t* value, FaultDetail* detail) noexcept {
  return RunGuarded([=] { *value = __atomic_load_n(reinterpret_cast<const uint64_t*>(source), __ATOMIC_ACQUIRE); },
                    detail);
}

bool Core::StoreWord(std::byte* destination, uint64_t value, FaultDetail* detail) noexcept {
  return RunGuarded([=] { __atomic_store_n(reinterpret_cast<uint64_t*>(destination), value, __ATOMIC_RELEASE); },
                    detail);
}

}  // namespace forebay::device
