// The software NPU as a process of its own: started by exec, watched through its pidfd.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "firmware_image.h"
#include "forebay/base/futex.h"
#include "forebay/base/macros.h"
#include "forebay/base/system_failure.h"
#include "forebay/device/process_contract.h"
#include "soft_device.h"

namespace forebay::driver {
namespace {

int PidfdOpen(pid_t process) noexcept { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

// How long a device that is to end may take to do so by itself.
constexpr int kGraceMs = 1'000;

class ProcessDevice final : public SoftDevice {
 public:
  ProcessDevice(const DeviceOptions& options, InterruptSink* sink) : SoftDevice(options, sink) {}

  ~ProcessDevice() override {
    if (process_ > 0) {
      closing_.store(true, std::memory_order_release);
      const uint64_t one = 1;
      // The monitor may have ended already, together with the device. It has ended before the device is asked to, of
      // which it would ask in vain whether it lives.
      (void)!write(stop_monitor_.get(), &one, sizeof one);
      monitor_.Join();
      if (pidfd_.valid()) AskWithin(kGraceMs, types::Request::kStop, 0, 0, {}).status().IgnoreError();
      EndProcess(kGraceMs);
    }
    StopInterruptThread();
  }

  Status PowerOn() {
    RETURN_IF_ERROR(VerifyFirmwareImage(options_.firmware_path));
    RETURN_IF_ERROR(CreateMemory());
    RETURN_IF_ERROR(Spawn());
    RETURN_IF_ERROR(AwaitBoot());
    RETURN_IF_ERROR(StartInterruptThread());
    stop_monitor_ = base::UniqueFd(eventfd(0, EFD_CLOEXEC));
    if (!stop_monitor_.valid()) return base::SystemFailure(Code::kDeviceSetup, "eventfd failed", errno);
    monitor_ = base::Thread("fb-monitor", [this] { Monitor(); });
    return monitor_.status();
  }

  int process_id() const noexcept override { return process_; }

 private:
  Status Spawn() {
    base::UniqueFd host(PidfdOpen(getpid()));
    if (!host.valid()) {
      return base::SystemFailure(Code::kDeviceSetup, "pidfd_open failed", errno,
                                 "The device process needs Linux 5.3 or later, and a sandbox that allows pidfd_open; "
                                 "FOREBAY_DEVICE_MODE=inline runs the device inside the application instead");
    }
    // dup2 onto the numbers that the firmware expects. The sources are moved out of their way first.
    base::UniqueFd sources[] = {Above(bar_file_.get()), Above(memory_.file()), Above(host.get())};
    for (const base::UniqueFd& source : sources) {
      if (!source.valid())
        return base::SystemFailure(Code::kDeviceSetup, "passing a file to the device failed", EMFILE);
    }
    const int targets[] = {device::kBarDescriptor, device::kMemoryDescriptor, device::kHostDescriptor};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&actions, sources[i].get(), targets[i]);
    posix_spawn_file_actions_addclosefrom_np(&actions, device::kFirstUnusedDescriptor);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    // A group of its own: a terminal's Ctrl-C reaches the application first, which then powers the device off.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::string path = options_.firmware_path;
    std::string argument = device::kBootArgument;
    char* arguments[] = {path.data(), argument.data(), nullptr};
    // It tidies the user's directory when the host is gone, and needs nothing else of the host's variables.
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    std::string directory = fmt::format("XDG_RUNTIME_DIR={}", runtime != nullptr ? runtime : "");
    char* environment[] = {directory.data(), nullptr};
    pid_t process = -1;
    const int error = posix_spawn(&process, path.c_str(), &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
      return base::SystemFailure(Code::kDeviceSetup, fmt::format("the firmware image {} cannot be started", path),
                                 error, "Check that it is executable for this user and made for this machine");
    }
    process_ = process;
    pidfd_ = base::UniqueFd(PidfdOpen(process));
    if (!pidfd_.valid()) {
      const int why = errno;
      EndProcess(0);
      return base::SystemFailure(Code::kDeviceSetup, "watching the device process failed", why,
                                 "It ended as soon as it was started");
    }
    return {};
  }

  static base::UniqueFd Above(int fd) {
    return base::UniqueFd(fcntl(fd, F_DUPFD_CLOEXEC, device::kFirstUnusedDescriptor));
  }

  Status AwaitBoot() {
    auto& state = bar_.header->boot_state;
    const auto deadline = base::Deadline::AfterNanoseconds(options_.boot_timeout_ms * 1'000'000);
    for (;;) {
      const uint32_t seen = state.load(std::memory_order_acquire);  // pairs with the firmware's release
      if (seen == static_cast<uint32_t>(types::BootState::kRunning)) return {};
      if (seen == static_cast<uint32_t>(types::BootState::kRefused)) {
        EndProcess(kGraceMs);
        return Status(Code::kDeviceSetup,
                      fmt::format("the firmware {} refused to boot: {}", options_.firmware_path, RefusalText()));
      }
      if (HasExited(0)) {
        EndProcess(0);
        return Status(Code::kDeviceSetup, fmt::format("the firmware {} ended while it booted", options_.firmware_path),
                      "It may have been killed, or is not the forebay-npu that belongs to this library");
      }
      if (deadline.Passed()) {
        EndProcess(0);
        return Status(Code::kDeviceSetup,
                      fmt::format("the firmware {} hung at boot: it did not come up within {} ms",
                                  options_.firmware_path, options_.boot_timeout_ms),
                      "Raise boot_timeout on a very slow machine");
      }
      // Short naps, because a firmware that dies wakes nobody.
      base::FutexWait(state, seen, 5'000'000);
    }
  }

  std::string RefusalText() const {
    const auto refusal = static_cast<types::BootRefusal>(bar_.header->boot_refusal.load(std::memory_order_relaxed));
    if (refusal == types::BootRefusal::kVersion) return "it speaks another version of the register layout";
    const types::Mailbox& mailbox = bar_.header->mailbox;
    return refusal == types::BootRefusal::kFailed
               ? std::string(mailbox.text, strnlen(mailbox.text, sizeof mailbox.text))
               : "for an unknown reason";
  }

  // Whether the process has ended, waiting up to `timeout_ms` for it.
  bool HasExited(int timeout_ms) const {
    pollfd watched{pidfd_.get(), POLLIN, 0};
    int events = 0;
    while ((events = poll(&watched, 1, timeout_ms)) < 0 && errno == EINTR) {
    }
    return events > 0;
  }

  void Kill() const {
    // By its descriptor, because the number may belong to another process by now.
    if (pidfd_.valid()) syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  }

  // Waits up to `grace_ms` for the process to end by itself, ends it, and takes its place in the process table back.
  void EndProcess(int grace_ms) {
    if (process_ <= 0) return;
    if (!pidfd_.valid()) {
      kill(process_, SIGKILL);
    } else if (!HasExited(grace_ms)) {
      Kill();
    }
    // An application that reaps all its children may have been faster.
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
  }

  bool CanCutOff() const override { return true; }
  void CutOff() override {
    Kill();
    HasExited(kGraceMs);
  }

  // A dead device never wakes a futex, so a thread watches its pidfd; and now and then whether it lives.
  void Monitor() {
    pollfd watched[2] = {{pidfd_.get(), POLLIN, 0}, {stop_monitor_.get(), POLLIN, 0}};
    const int beat_ms = options_.heartbeat_ms == 0 ? -1 : static_cast<int>(options_.heartbeat_ms);
    for (int events = 0; events <= 0;) {
      events = poll(watched, 2, beat_ms);
      if (events == 0) LookForLife();
      if (lost()) return;
    }
    if (watched[0].revents == 0 || closing_.load(std::memory_order_acquire)) return;
    MarkLost(fmt::format("the device process {} ended unexpectedly", process_.load()));
  }

  std::atomic<pid_t> process_{-1};
  base::UniqueFd pidfd_;
  base::UniqueFd stop_monitor_;
  base::Thread monitor_;
};

}  // namespace

Result<std::unique_ptr<Device>> OpenProcessDevice(const DeviceOptions& options, InterruptSink* sink) {
  auto device = std::make_unique<ProcessDevice>(options, sink);
  RETURN_IF_ERROR(device->PowerOn());
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace forebay::driver
