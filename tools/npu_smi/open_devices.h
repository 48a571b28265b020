// The devices that processes have open now.
//
// Nothing is registered anywhere: a device's registers are a memory file, which whoever may look at a process finds
// among its descriptors. It is read, never mapped or written, so that looking changes nothing and nothing is left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace forebay::npu_smi {

struct OpenDevice {
  uint32_t device_id = 0;
  int process = 0;  // of the application
  std::string process_name;
  std::string part;
  uint64_t memory_bytes = 0;
  uint64_t used_bytes = 0;  // ranges that the application's pools hold
  uint32_t streams = 0;
  uint64_t tasks = 0;
  uint64_t kernels = 0;
  uint64_t copies = 0;
  uint32_t busy_percent = 0;  // of the moments looked at, how many found a kernel running or ready to run
  bool lost = false;
};

// By device, then by process. `unreadable` receives the processes whose devices another version of Forebay made.
std::vector<OpenDevice> FindOpenDevices(std::vector<int>* unreadable);

}  // namespace forebay::npu_smi
