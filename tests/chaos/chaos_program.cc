// Runs the digits example twice in one process: first with the faults of FOREBAY_INJECT, then without, on a device that
// was reset. Says between the example's own lines, in lines that begin with "chaos: ", how each run ended, how often
// each fault happened, and what the process still holds of the system after each run. chaos_test judges it.
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "acl/acl.h"
#include "forebay/fault_injection.h"
#include "forebay/runtime.h"

// main of examples/digits/digits.cpp, which the build renames.
int DigitsMain(int argc, char** argv);

namespace {

std::size_t EntriesOf(const char* directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

// The window of a device has terabytes of addresses; what else there is has much less.
std::size_t Terabytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) >> 40;
}

void PrintFootprint(std::size_t terabytes_before) {
  std::size_t files = 0, children = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) files += line.find("/memfd:") != std::string::npos;
  std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (int child = 0; list >> child;) ++children;
  std::printf("chaos: left: %zu descriptors, %zu threads, %zu children, %zu memory files, %zu TiB of addresses\n",
              EntriesOf("/proc/self/fd"), EntriesOf("/proc/self/task"), children, files,
              Terabytes() - terabytes_before);
  const forebay::ResourceCounters left = forebay::Runtime::Counters();
  std::printf(
      "chaos: left: %lu devices, %lu ranges, %lu bytes, %lu pinned bytes, %lu streams, %lu events, %lu images\n",
      left.open_devices, left.memory_ranges, left.memory_bytes, left.pinned_bytes, left.streams, left.events,
      left.kernel_images);
}

void RunDigits(const char* which, int argc, char** argv) {
  std::printf("chaos: %s run\n", which);
  std::fprintf(stderr, "chaos: %s run\n", which);
  const int code = DigitsMain(argc, argv);
  std::printf("chaos: ended with %d\n", code);
}

// Where the example could not end what it had begun.
void StartAfresh() {
  aclrtResetDeviceForce(0);
  while (aclFinalize() == ACL_SUCCESS) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  const std::size_t terabytes = Terabytes();
  RunDigits("first", argc, argv);
  for (const forebay::InjectedFault& fault : forebay::ListFaults()) {
    std::printf("chaos: matched %lu, happened %lu: %s\n", fault.matched, fault.happened, fault.text.c_str());
  }
  forebay::RemoveFaults();
  StartAfresh();
  PrintFootprint(terabytes);
  RunDigits("second", argc, argv);
  StartAfresh();
  PrintFootprint(terabytes);
  return 0;
}
