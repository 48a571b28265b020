// forebay-npu: the firmware as a process of its own.
//
// It is started by the driver with three descriptors: the BAR, the memory file, and a pidfd of the host process. It
// ends when the driver asks, or when the host is gone.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "forebay/base/futex.h"
#include "forebay/base/share_directory.h"
#include "forebay/base/thread.h"
#include "forebay/base/unique_fd.h"
#include "forebay/device/firmware.h"
#include "forebay/device/process_contract.h"
#include "forebay/types/bar.h"

namespace {

using forebay::types::BootRefusal;
using forebay::types::BootState;

void Announce(forebay::types::BarHeader& header, BootState state) {
  header.boot_state.store(static_cast<uint32_t>(state), std::memory_order_release);  // pairs with the driver's acquire
  forebay::base::FutexWakeAll(header.boot_state);
}

int Refuse(forebay::types::BarHeader& header, BootRefusal reason, const forebay::Status& why = {}) {
  if (!why.ok()) {
    const std::string text = why.error()->message + ". " + why.error()->advice;
    std::strncpy(header.mailbox.text, text.c_str(), sizeof header.mailbox.text - 1);
  }
  header.boot_refusal.store(static_cast<uint32_t>(reason), std::memory_order_relaxed);
  Announce(header, BootState::kRefused);
  return 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  using namespace forebay;
  if (argument_count != 2 || std::strcmp(arguments[1], device::kBootArgument) != 0) {
    std::fprintf(stderr,
                 "forebay-npu is the firmware of a software NPU. The runtime starts it; it does nothing alone.\n");
    return 2;
  }
  struct stat bar_file{};
  if (fstat(device::kBarDescriptor, &bar_file) != 0 || bar_file.st_size <= 0) return 2;
  auto mapping = base::Mapping::OfFile(device::kBarDescriptor, 0, static_cast<std::size_t>(bar_file.st_size),
                                       PROT_READ | PROT_WRITE);
  if (!mapping.ok()) return 2;
  device::FirmwareResources resources;
  resources.memory_fd = device::kMemoryDescriptor;
  resources.own_process = true;
  auto* header = reinterpret_cast<types::BarHeader*>(mapping->data());
  if (!types::ViewBar(mapping->data(), mapping->size(), &resources.bar)) {
    // The driver is of another version; the fields it reads lie where they always have.
    return Refuse(*header, BootRefusal::kVersion);
  }
  auto firmware = device::Firmware::Boot(std::move(resources));
  if (!firmware.ok()) return Refuse(*header, BootRefusal::kFailed, firmware.status());

  // Whatever happens to the host, also by SIGKILL, the device does not outlive it.
  base::Thread host_watch("fb-host-watch", [] {
    pollfd host{device::kHostDescriptor, POLLIN, 0};
    while (poll(&host, 1, -1) < 0) {
    }
    // What it shared has ended with it.
    base::TidyShareDirectory();
    _exit(0);
  });
  if (!host_watch.status().ok()) return Refuse(*header, BootRefusal::kFailed, host_watch.status());
  host_watch.Detach();
  Announce(*header, BootState::kRunning);
  (*firmware)->WaitForStop();
  // Kernels that still run would delay an orderly end; nothing of this process is needed any more.
  _exit(0);
}
