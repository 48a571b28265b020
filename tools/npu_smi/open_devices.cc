#include "open_devices.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <tuple>

#include "forebay/base/unique_fd.h"
#include "forebay/types/bar.h"

namespace forebay::npu_smi {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBarFile = "/memfd:forebay-bar";
constexpr int kSamples = 20;
constexpr auto kSampleInterval = std::chrono::milliseconds(1);

struct Bar {
  base::UniqueFd file;
  std::unique_ptr<types::BarHeader> header = std::make_unique<types::BarHeader>();
  int busy_samples = 0;

  bool Read(void* to, std::size_t bytes, uint64_t offset) const {
    return pread(file.get(), to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }
};

std::optional<int> ProcessOf(const fs::path& directory) {
  const std::string name = directory.filename();
  int process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return process;
}

// The number of a process in its own namespace, which is the last of its numbers.
uint32_t OwnNumber(const fs::path& directory) {
  std::ifstream status(directory / "status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers(line.substr(6));
    uint32_t number = 0;
    while (numbers >> number) {
    }
    return number;
  }
  return 0;
}

std::string NameOf(const fs::path& directory) {
  std::ifstream file(directory / "comm");
  std::string name;
  std::getline(file, name);
  return name;
}

enum class Outcome { kRead, kNotReady, kOtherVersion };

Outcome ReadHeader(Bar* bar) {
  types::BarHeader& header = *bar->header;
  struct stat status{};
  if (fstat(bar->file.get(), &status) != 0 || !bar->Read(&header, sizeof header, 0)) return Outcome::kNotReady;
  if (header.magic != types::kBarMagic) return Outcome::kNotReady;
  if (header.version != types::kBarVersion) return Outcome::kOtherVersion;
  types::BarView view;
  auto* memory = reinterpret_cast<std::byte*>(&header);
  return types::ViewBar(memory, static_cast<uint64_t>(status.st_size), &view) ? Outcome::kRead : Outcome::kNotReady;
}

// Whether a kernel is at the head of some queue.
bool IsBusy(const Bar& bar) {
  const types::BarHeader& header = *bar.header;
  std::vector<types::StreamRegisters> streams(header.boot.stream_count);
  if (!bar.Read(streams.data(), streams.size() * sizeof streams[0], header.streams_offset)) return false;
  for (std::size_t slot = 0; slot < streams.size(); ++slot) {
    const uint64_t done = streams[slot].done.load(std::memory_order_relaxed);
    if (streams[slot].tail.load(std::memory_order_relaxed) == done) continue;
    const uint64_t entry = slot * header.boot.queue_depth + (done & (header.boot.queue_depth - 1));
    types::Command command;
    if (!bar.Read(&command, sizeof command, header.rings_offset + entry * sizeof command)) continue;
    if (command.opcode == types::Opcode::kKernel) return true;
  }
  return false;
}

OpenDevice Describe(const Bar& bar, int process, const fs::path& directory) {
  const types::BarHeader& header = *bar.header;
  const auto read = [](const auto& counter) { return counter.load(std::memory_order_relaxed); };
  OpenDevice device;
  device.device_id = header.boot.device_id;
  device.process = process;
  device.process_name = NameOf(directory);
  device.part.assign(header.boot.part, strnlen(header.boot.part, sizeof header.boot.part));
  device.memory_bytes = header.boot.memory_bytes;
  device.used_bytes = read(header.counters.mapped_bytes);
  device.streams = read(header.queues_granted);
  device.tasks = read(header.counters.tasks);
  device.kernels = read(header.counters.kernels);
  device.copies = read(header.counters.copies);
  device.lost = read(header.lost) != 0;
  return device;
}

}  // namespace

std::vector<OpenDevice> FindOpenDevices(std::vector<int>* unreadable) {
  std::vector<OpenDevice> devices;
  std::vector<Bar> bars;
  std::error_code ignored;
  // Processes come and go while this looks; whatever cannot be read is not there.
  for (fs::directory_iterator at("/proc", ignored), end; at != end; at.increment(ignored)) {
    const std::optional<int> process = ProcessOf(at->path());
    if (!process) continue;
    const fs::path directory = at->path();
    for (fs::directory_iterator fd(directory / "fd", ignored); fd != end; fd.increment(ignored)) {
      const std::string target = fs::read_symlink(fd->path(), ignored);
      if (!target.starts_with(kBarFile)) continue;
      Bar bar;
      bar.file = base::UniqueFd(open(fd->path().c_str(), O_RDONLY | O_CLOEXEC));
      if (!bar.file.valid()) continue;
      const Outcome outcome = ReadHeader(&bar);
      if (outcome == Outcome::kOtherVersion) unreadable->push_back(*process);
      if (outcome != Outcome::kRead) continue;
      // The device process has the file too, and so have children of a fork.
      if (bar.header->boot.host_process != OwnNumber(directory)) continue;
      devices.push_back(Describe(bar, *process, directory));
      bars.push_back(std::move(bar));
    }
  }
  for (int sample = 0; sample < kSamples && !bars.empty(); ++sample) {
    for (Bar& bar : bars) bar.busy_samples += IsBusy(bar) ? 1 : 0;
    std::this_thread::sleep_for(kSampleInterval);
  }
  for (std::size_t i = 0; i < devices.size(); ++i)
    devices[i].busy_percent = static_cast<uint32_t>(bars[i].busy_samples * 100 / kSamples);
  std::sort(devices.begin(), devices.end(), [](const OpenDevice& a, const OpenDevice& b) {
    return std::tie(a.device_id, a.process) < std::tie(b.device_id, b.process);
  });
  std::sort(unreadable->begin(), unreadable->end());
  unreadable->erase(std::unique(unreadable->begin(), unreadable->end()), unreadable->end());
  return devices;
}

}  // namespace forebay::npu_smi
