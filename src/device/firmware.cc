#include "forebay/device/firmware.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "address_space.h"
#include "core_team.h"
#include "forebay/base/architecture.h"
#include "forebay/base/clock.h"
#include "forebay/base/futex.h"
#include "forebay/base/macros.h"
#include "forebay/base/thread.h"
#include "interrupts.h"
#include "kernel_images.h"
#include "print_ring.h"
#include "scheduler.h"
#include "watchdog.h"

namespace forebay::device {
namespace {

constexpr int64_t kTickNanoseconds = 1'000'000;
constexpr int kTicksUntilRest = 100;
// How long a dispatcher that is awake may make no step, and how long the host may take to hear of it.
constexpr int kTicksUntilHung = 1000;
constexpr int64_t kNewsNanoseconds = 1'000'000'000;

}  // namespace

class Firmware::Impl {
 public:
  Impl(FirmwareResources resources, AddressSpace memory)
      : bar_(resources.bar),
        boot_(resources.bar.boot),
        memory_(std::move(memory)),
        interrupts_(bar_),
        print_(
            bar_, [this] { interrupts_.RaisePrinted(); }, std::move(resources.drain_print)),
        images_(&Core::Services()),
        team_(types::CoreLimit(boot_), boot_.stack_bytes, &print_),
        scheduler_(bar_, &memory_, &images_, &interrupts_, boot_.core_threads == 0 ? nullptr : &team_,
                   resources.own_process ? std::function<void()>([] { raise(SIGKILL); }) : nullptr),
        watchdog_(&team_, bar_.cores),
        own_core_(0, boot_.stack_bytes, &print_),
        own_process_(resources.own_process) {}

  ~Impl() {
    if (boot_.core_threads == 0) return;
    stop_.store(true, std::memory_order_release);
    RingControl();
    control_.Join();
    team_.Stop();
    WakeDispatcher();
    // Kernels that still run are stopped; their threads can end then.
    while (threads_running_.load(std::memory_order_acquire) != 0) {
      for (uint32_t i = 0; i < team_.core_count(); ++i) {
        Core& core = team_.core(i);
        const uint64_t begun = core.jobs_begun();
        if (core.running_job() != nullptr) core.Interrupt(begun, types::FaultCause::kAbort);
      }
      WakeDispatcher();
      const uint32_t running = threads_running_.load(std::memory_order_acquire);
      if (running != 0) base::FutexWait(threads_running_, running, kTickNanoseconds);
    }
    base::MutexLock lock(threads_mutex_);
    for (base::Thread& thread : threads_) thread.Join();
  }

  Status Start() {
    Core::InstallFaultHandlers();
    if (boot_.core_threads == 0) return {};
    // Once the device runs it goes on with the cores that it has.
    team_.set_spawn([this] { StartCoreThread().IgnoreError(); });
    for (uint32_t i = 0; i < boot_.core_threads; ++i) RETURN_IF_ERROR(StartCoreThread());
    control_ = base::Thread("fb-control", [this] { ControlMain(); });
    return control_.status();
  }

  void WaitForStop() { control_.Join(); }

  bool Pump() {
    own_core_.AttachThread();
    const bool ran = scheduler_.Step(own_core_) == Scheduler::StepResult::kRan;
    own_core_.DetachThread();
    return ran;
  }

  void ServeMailbox() {
    types::Mailbox& mailbox = bar_.header->mailbox;
    // Acquire pairs with the host's release: the arguments are seen.
    if (mailbox.pending.load(std::memory_order_acquire) == 0) return;
    Result<int32_t> result = Answer(mailbox.request, mailbox.argument);
    mailbox.result = result.ok() ? *result : -static_cast<int32_t>(result.code());
    const std::string text = result.ok() ? "" : result.status().error()->message;
    std::strncpy(mailbox.text, text.c_str(), sizeof mailbox.text - 1);
    auto& counters = bar_.header->counters;
    counters.images.store(images_.count(), std::memory_order_relaxed);
    counters.mapped_bytes.store(memory_.mapped_bytes(), std::memory_order_relaxed);
    // Both pair with the host's acquire. It begins another request only when none is pending.
    mailbox.completed.fetch_add(1, std::memory_order_acq_rel);
    mailbox.pending.store(0, std::memory_order_release);
    base::FutexWakeAll(mailbox.completed);
  }

 private:
  Status StartCoreThread() {
    Core* core = team_.AddCore();
    if (core == nullptr) return {};
    threads_running_.fetch_add(1, std::memory_order_acq_rel);
    base::Thread thread(fmt::format("fb-core-{}", core->index()), [this, core] { CoreMain(*core); });
    if (Status status = thread.status(); !status.ok()) {
      threads_running_.fetch_sub(1, std::memory_order_acq_rel);
      team_.TakeCoreBack();
      return status;
    }
    base::MutexLock lock(threads_mutex_);
    threads_.push_back(std::move(thread));
    return {};
  }

  void CoreMain(Core& core) {
    core.AttachThread();
    while (team_.AwaitDuty(core) == CoreTeam::Duty::kDispatch) {
      scheduler_.Takeover();
      Dispatch(core);
      if (team_.stopping()) break;
    }
    core.DetachThread();
    threads_running_.fetch_sub(1, std::memory_order_acq_rel);
    base::FutexWakeAll(threads_running_);
  }

  // Runs as the dispatcher until the role is lost or the device stops.
  void Dispatch(Core& core) {
    const uint64_t cycles_per_us = std::max<uint64_t>(1, boot_.cycle_frequency / 1'000'000);
    const uint64_t pause_cycles = cycles_per_us * 8 / 10;
    while (!team_.stopping()) {
      switch (scheduler_.Step(core)) {
        case Scheduler::StepResult::kRoleLost: return;
        case Scheduler::StepResult::kRan:
          if (scheduler_.ShouldPauseBeforePolling()) {
            const uint64_t until = base::ReadCycleCounter() + pause_cycles;
            while (base::ReadCycleCounter() < until) base::CpuRelax();
          }
          break;
        case Scheduler::StepResult::kIdle:
          switch (SpinForWork(core, cycles_per_us)) {
            case Scheduler::StepResult::kRoleLost: return;
            case Scheduler::StepResult::kIdle: Park(); break;
            case Scheduler::StepResult::kRan: break;
          }
          break;
      }
    }
  }

  // Looks for work for a while before sleeping. On the host's own processor spinning would keep it from submitting.
  Scheduler::StepResult SpinForWork(Core& core, uint64_t cycles_per_us) {
    const int cpu = sched_getcpu();
    bar_.header->doorbell.device_cpu.store(cpu, std::memory_order_relaxed);
    if (bar_.header->doorbell.host_cpu.load(std::memory_order_relaxed) == cpu) {
      for (int i = 0; i < 10; ++i) {
        sched_yield();
        if (const auto result = scheduler_.Step(core); result != Scheduler::StepResult::kIdle) return result;
      }
      return Scheduler::StepResult::kIdle;
    }
    const uint64_t until = base::ReadCycleCounter() + boot_.spin_us * cycles_per_us;
    while (base::ReadCycleCounter() < until) {
      if (const auto result = scheduler_.Step(core); result != Scheduler::StepResult::kIdle) return result;
      for (int i = 0; i < 4; ++i) base::CpuRelax();
    }
    return Scheduler::StepResult::kIdle;
  }

  void Park() {
    if (!scheduler_.RetireDry()) return;
    auto& parked = bar_.header->doorbell.parked;
    parked.store(1, std::memory_order_seq_cst);
    // Pairs with the host's: either the bit it set is seen here, or it sees `parked` and wakes.
    base::FullFence();
    if (!scheduler_.HasNews() && !team_.stopping()) {
      auto& parks = bar_.header->counters.parks;
      parks.store(parks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      base::FutexWait(parked, 1, scheduler_.SleepLimitNanoseconds());
    }
    parked.store(0, std::memory_order_seq_cst);
    base::FullFence();  // pairs with the fence in RestUntilNeeded
    if (control_rests_.load(std::memory_order_relaxed) != 0 && control_rests_.exchange(0) != 0) RingControl();
  }

  void WakeDispatcher() {
    auto& parked = bar_.header->doorbell.parked;
    parked.store(0, std::memory_order_seq_cst);
    base::FutexWakeAll(parked);
  }

  void RingControl() {
    auto& doorbell = bar_.header->mailbox.doorbell;
    doorbell.fetch_add(1, std::memory_order_acq_rel);
    base::FutexWakeAll(doorbell);
  }

  void ControlMain() {
    auto& doorbell = bar_.header->mailbox.doorbell;
    int idle_ticks = 0;
    while (!stop_.load(std::memory_order_acquire)) {
      const uint32_t seen = doorbell.load(std::memory_order_acquire);
      ServeMailbox();
      idle_ticks = Tick() ? 0 : idle_ticks + 1;
      if (stop_.load(std::memory_order_acquire)) return;
      int64_t limit_ns = kTickNanoseconds;
      if (idle_ticks > kTicksUntilRest) {
        control_rests_.store(1, std::memory_order_seq_cst);
        base::FullFence();
        // Only while the dispatcher sleeps; it rings when it gets up.
        if (bar_.header->doorbell.parked.load(std::memory_order_relaxed) != 0) {
          limit_ns = -1;
        } else {
          control_rests_.store(0, std::memory_order_relaxed);
        }
      }
      base::FutexWait(doorbell, seen, limit_ns);
    }
  }

  bool Tick() {
    const bool busy = watchdog_.Tick(base::NowNanoseconds());
    // A kernel that ignores its interrupt holds a core, and perhaps a lock, for good: the device ends, as a hung one
    // does.
    if (watchdog_.gave_up() && own_process_) _exit(3);
    // Read first: a ring that comes behind it is answered by the next look.
    const uint32_t rung = bar_.header->mailbox.doorbell.load(std::memory_order_acquire);
    auto& looks = bar_.header->counters.looks;
    looks.store(looks.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    if (rung != answered_ring_) base::FutexWakeAll(base::LowHalf(looks));
    answered_ring_ = rung;
    if (scheduler_.halted()) watchdog_.StopAll();
    WatchDispatcher();
    return busy || scheduler_.faults().armed();
  }

  // A dispatcher that is awake, and in no task that may take long, makes steps all the time.
  void WatchDispatcher() {
    const uint64_t steps = scheduler_.steps();
    const bool may_rest = bar_.header->doorbell.parked.load(std::memory_order_acquire) != 0 ||
                          team_.role_state().in_task || scheduler_.halted();
    ticks_without_step_ = may_rest || steps != last_steps_ ? 0 : ticks_without_step_ + 1;
    last_steps_ = steps;
    if (ticks_without_step_ < kTicksUntilHung) return;
    ticks_without_step_ = 0;
    scheduler_.HaltHung();
    // The host has to hear of it before the process ends.
    if (own_process_) {
      const auto deadline = base::Deadline::AfterNanoseconds(kNewsNanoseconds);
      const auto& header = *bar_.header;
      while (header.interrupts_taken.load() != header.interrupts_raised.load() && !deadline.Passed()) sched_yield();
      _exit(4);
    }
  }

  Result<int32_t> Answer(types::Request request, const uint64_t* argument) {
    switch (request) {
      case types::Request::kChangeMappings: RETURN_IF_ERROR(ChangeMappings(argument[0])); return 0;
      case types::Request::kOpenFile: {
        ASSIGN_OR_RETURN(const uint32_t file, memory_.OpenFile(static_cast<int>(argument[0])));
        return static_cast<int32_t>(file);
      }
      case types::Request::kCloseFile: RETURN_IF_ERROR(memory_.CloseFile(static_cast<uint32_t>(argument[0]))); return 0;
      case types::Request::kLoadImage: {
        ASSIGN_OR_RETURN(const uint32_t slot, LoadStagedImage(argument[0]));
        return static_cast<int32_t>(slot);
      }
      case types::Request::kUnloadImage: RETURN_IF_ERROR(images_.Unload(static_cast<uint32_t>(argument[0]))); return 0;
      case types::Request::kAbortStream:
      case types::Request::kHoldStream:
      case types::Request::kRecoverStream:
        if (argument[0] >= boot_.stream_count) return Status(Code::kParamInvalid, "there is no such stream");
        AskDispatcher({request, static_cast<uint32_t>(argument[0])});
        return 0;
      case types::Request::kRecoverDevice:
      case types::Request::kArmFaults: AskDispatcher({request, 0}); return 0;
      case types::Request::kPing: return 0;
      case types::Request::kStop: stop_.store(true, std::memory_order_release); return 0;
      case types::Request::kNone: break;
    }
    return Status(Code::kDriverInternal, fmt::format("request {} is not known", static_cast<uint32_t>(request)));
  }

  Status ChangeMappings(uint64_t count) {
    if (count > types::kMaxMappingChanges) return Status(Code::kDriverInternal, "too many mappings change at once");
    for (uint64_t i = 0; i < count; ++i) {
      types::MappingChange change;
      std::memcpy(&change, bar_.staging + i * sizeof change, sizeof change);
      RETURN_IF_ERROR(memory_.Change(change));
    }
    return {};
  }

  Result<uint32_t> LoadStagedImage(uint64_t home) {
    types::StagedImage staged;
    std::memcpy(&staged, bar_.staging, sizeof staged);
    const uint64_t names_bytes = uint64_t{staged.kernel_count} * kernel_abi::kMaxNameBytes;
    const uint64_t room = types::kStagingBytes - sizeof staged;
    if (names_bytes > room || staged.image_bytes > room - names_bytes) {
      return Status(Code::kDriverInternal, "the staged kernel image does not fit");
    }
    const auto* name = reinterpret_cast<const char*>(bar_.staging + sizeof staged);
    std::vector<std::string> names(staged.kernel_count);
    for (std::string& text : names) {
      text.assign(name, strnlen(name, kernel_abi::kMaxNameBytes));
      name += kernel_abi::kMaxNameBytes;
    }
    own_core_.AttachThread();
    auto slot =
        images_.Load({reinterpret_cast<const std::byte*>(name), staged.image_bytes}, names, home, memory_, own_core_);
    own_core_.DetachThread();
    return slot;
  }

  void AskDispatcher(const StreamRequest& request) {
    const uint32_t before = scheduler_.requests_done().load(std::memory_order_acquire);
    scheduler_.PostRequest(request);
    // Without threads the next Pump takes the request before anything else.
    if (boot_.core_threads == 0) return;
    const bool ends_task = request.kind == types::Request::kAbortStream || request.kind == types::Request::kHoldStream;
    for (int tick = 0; scheduler_.requests_done().load(std::memory_order_acquire) == before; ++tick) {
      // The dispatcher may be inside a long task; the ticks move its role on. Stopping that task is the last resort:
      // the scheduler should know first that its failure is wanted.
      if (ends_task && tick > kTicksUntilRest) watchdog_.StopStream(request.stream);
      base::FutexWait(scheduler_.requests_done(), before, kTickNanoseconds);
      Tick();
    }
    if (ends_task) watchdog_.StopStream(request.stream);
  }

  const types::BarView bar_;
  const types::BootParameters boot_;
  AddressSpace memory_;
  Interrupts interrupts_;
  PrintRing print_;
  KernelImages images_;
  CoreTeam team_;
  Scheduler scheduler_;
  Watchdog watchdog_;
  Core own_core_;  // of the thread that serves the mailbox or pumps
  const bool own_process_;
  std::atomic<uint32_t> control_rests_{0};
  uint32_t answered_ring_ = 0;  // these are the control thread's
  uint64_t last_steps_ = 0;
  int ticks_without_step_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<uint32_t> threads_running_{0};
  base::Mutex threads_mutex_;
  std::vector<base::Thread> threads_ GUARDED_BY(threads_mutex_);
  base::Thread control_;
};

Firmware::Firmware(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Firmware::~Firmware() = default;

Result<std::unique_ptr<Firmware>> Firmware::Boot(FirmwareResources resources) {
  ASSIGN_OR_RETURN(AddressSpace memory,
                   AddressSpace::Create(resources.bar.boot, resources.memory_fd, resources.own_process));
  const types::BarView bar = resources.bar;
  for (uint32_t i = 0; i < bar.boot.stream_count; ++i) {
    bar.streams[i].target.store(types::kNoTarget, std::memory_order_relaxed);
  }
  auto impl = std::make_unique<Impl>(std::move(resources), std::move(memory));
  RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<Firmware>(new Firmware(std::move(impl)));
}

void Firmware::WaitForStop() { impl_->WaitForStop(); }
void Firmware::ServeMailbox() { impl_->ServeMailbox(); }
bool Firmware::Pump() { return impl_->Pump(); }

}  // namespace forebay::device
