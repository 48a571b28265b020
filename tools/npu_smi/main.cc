// npu-smi: shows the devices and who uses them. It only looks; no device is powered on for it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "forebay/base/configuration.h"
#include "forebay/base/soc_profile.h"
#include "forebay/sip/device.h"
#include "open_devices.h"
#include "report.h"

namespace forebay::npu_smi {
namespace {

constexpr std::string_view kHelp =
    R"(npu-smi shows the devices of Forebay, and the processes that have them open.

  npu-smi info                       all devices and processes, as a table
  npu-smi info --json                the same for programs
  npu-smi info -l                    how many devices there are, and their ids
  npu-smi info -m                    the chips of the devices
  npu-smi info -t TYPE [-i N [-c 0]] lines "key : value" about device N, or about all: )";

constexpr std::string_view kHelpEnd = R"(
  npu-smi -h, npu-smi -v             this help; the version

How many devices there are, their part and their memory follow the FOREBAY_* variables; a device that is open shows what it
was given. Processes of other users are seen by root only. Nothing can be set.
)";

struct Options {
  bool info = false;
  bool list = false;
  bool mapping = false;
  bool json = false;
  std::string_view type;
  int npu = -1;
};

int Refuse(std::string_view what) {
  fmt::print(stderr, "npu-smi: {}; npu-smi -h shows what there is\n", what);
  return 1;
}

bool ParseNumber(std::string_view text, int* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size() && *number >= 0;
}

// Why the arguments are refused; empty when they are not.
std::string Parse(const std::vector<std::string_view>& arguments, Options* options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool has_value = argument == "-t" || argument == "-i" || argument == "-c";
    if (has_value && i + 1 == arguments.size()) return fmt::format("{} needs a value", argument);
    const std::string_view value = has_value ? arguments[++i] : std::string_view();
    int chip = 0;
    if (argument == "info" && i == 0) {
      options->info = true;
    } else if (argument == "-l") {
      options->list = true;
    } else if (argument == "-m") {
      options->mapping = true;
    } else if (argument == "--json") {
      options->json = true;
    } else if (argument == "-t") {
      options->type = value;
    } else if (argument == "-i") {
      if (!ParseNumber(value, &options->npu)) return fmt::format("\"{}\" is no device id", value);
    } else if (argument == "-c") {
      if (!ParseNumber(value, &chip) || chip != 0) return fmt::format("there is no chip \"{}\", only 0", value);
    } else {
      return fmt::format("\"{}\" is not known or not supported", argument);
    }
  }
  return options->info ? "" : "the command info is missing";
}

std::vector<Npu> Npus(const base::Configuration& configuration, std::vector<int>* unreadable) {
  const base::SocProfile* profile = base::FindSocProfile(configuration.soc);
  const std::vector<OpenDevice> open = FindOpenDevices(unreadable);
  std::size_t count = static_cast<std::size_t>(configuration.devices);
  for (const OpenDevice& device : open) count = std::max<std::size_t>(count, device.device_id + 1);
  const uint64_t memory = sip::DeviceMemoryBytes(configuration, *profile);
  std::vector<Npu> npus(count);
  for (uint32_t id = 0; id < count; ++id) {
    npus[id].id = id;
    npus[id].part = profile->name;
  }
  for (const OpenDevice& device : open) {
    Npu& npu = npus[device.device_id];
    npu.part = device.part;
    npu.total_bytes = std::max(npu.total_bytes, device.memory_bytes);
    npu.used_bytes += device.used_bytes;
    npu.busy_percent = std::max(npu.busy_percent, device.busy_percent);
    npu.lost = npu.lost || device.lost;
    npu.processes.push_back(device);
  }
  for (Npu& npu : npus) {
    if (npu.processes.empty()) npu.total_bytes = memory;
    // Each process has its own memory, so that together they may have more than one device of theirs.
    npu.total_bytes = std::max(npu.total_bytes, npu.used_bytes);
  }
  return npus;
}

int Info(const Options& options) {
  base::Configuration configuration;
  if (const Status status = configuration.ApplyEnvironment(); !status.ok()) {
    fmt::print(stderr, "npu-smi: {}\n", status.ToString());
    return 1;
  }
  std::vector<int> unreadable;
  std::vector<Npu> npus = Npus(configuration, &unreadable);
  for (const int process : unreadable)
    fmt::print(stderr, "npu-smi: process {} has a device of another version of Forebay, which is not shown\n", process);
  if (options.npu >= 0) {
    if (static_cast<std::size_t>(options.npu) >= npus.size())
      return Refuse(fmt::format("there is no device {}, only 0 to {}", options.npu, npus.size() - 1));
    npus = {npus[static_cast<std::size_t>(options.npu)]};
  }
  std::string text;
  if (!options.type.empty()) {
    for (const Npu& npu : npus) {
      const auto details = Details(options.type, npu);
      if (!details) return Refuse(fmt::format("there is no type \"{}\", only {}", options.type, DetailTypes()));
      text += (text.empty() ? "" : "\n") + *details;
    }
  } else {
    text = options.list ? List(npus) : options.mapping ? Mapping(npus) : options.json ? Json(npus) : Table(npus);
  }
  fmt::print("{}", text);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

int Run(const std::vector<std::string_view>& arguments) {
  const auto asks_for = [&](std::string_view shorter, std::string_view longer) {
    return std::ranges::any_of(arguments, [&](auto argument) { return argument == shorter || argument == longer; });
  };
  if (arguments.empty() || asks_for("-h", "--help")) {
    fmt::print("{}{}{}", kHelp, DetailTypes(), kHelpEnd);
    return 0;
  }
  if (asks_for("-v", "--version")) {
    fmt::print("npu-smi version: {}\n", FOREBAY_VERSION);
    return 0;
  }
  Options options;
  const std::string refusal = Parse(arguments, &options);
  return refusal.empty() ? Info(options) : Refuse(refusal);
}

}  // namespace
}  // namespace forebay::npu_smi

int main(int count, char** arguments) { return forebay::npu_smi::Run({arguments + 1, arguments + count}); }
