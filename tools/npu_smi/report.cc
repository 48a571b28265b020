#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace forebay::npu_smi {
namespace {

constexpr std::string_view kVersion = FOREBAY_VERSION;
constexpr uint64_t kMiB = uint64_t{1} << 20;
// What hardware measures and a program does not have.
constexpr std::string_view kNotThere = "NA";

constexpr std::string_view kFrame = "+{:-<27}+{:-<15}+{:-<52}+\n";
constexpr std::string_view kRule = "+{:=<27}+{:=<15}+{:=<52}+\n";

std::string Frame() { return fmt::format(fmt::runtime(kFrame), "", "", ""); }
std::string Rule() { return fmt::format(fmt::runtime(kRule), "", "", ""); }

uint64_t Mib(uint64_t bytes) { return bytes / kMiB; }
uint64_t Percent(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : part * 100 / whole; }
std::string Usage(uint64_t used, uint64_t total) { return fmt::format("{:<4} / {}", used, total); }

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string Line(std::string_view key, std::string_view value) { return fmt::format("\t{:<30} : {}\n", key, value); }
template <typename Value>
std::pair<std::string, std::string> Row(std::string_view key, const Value& value) {
  return {std::string(key), fmt::format("{}", value)};
}

Rows Memory(const Npu& npu) {
  return {Row("DDR Capacity(MB)", 0),
          Row("DDR Clock Speed(MHz)", 0),
          Row("HBM Capacity(MB)", Mib(npu.total_bytes)),
          Row("HBM Clock Speed(MHz)", kNotThere),
          Row("HBM Temperature(C)", kNotThere),
          Row("HBM Manufacturer ID", kNotThere)};
}

Rows Usages(const Npu& npu) {
  return {Row("DDR Capacity(MB)", 0),
          Row("DDR Usage Rate(%)", 0),
          Row("DDR Hugepages Total(page)", 0),
          Row("DDR Hugepages Usage Rate(%)", 0),
          Row("HBM Capacity(MB)", Mib(npu.total_bytes)),
          Row("HBM Usage Rate(%)", Percent(npu.used_bytes, npu.total_bytes)),
          Row("Aicore Usage Rate(%)", npu.busy_percent),
          Row("Aivector Usage Rate(%)", npu.busy_percent),
          Row("Aicpu Usage Rate(%)", 0),
          Row("Ctrlcpu Usage Rate(%)", 0),
          Row("DDR Bandwidth Usage Rate(%)", 0),
          Row("HBM Bandwidth Usage Rate(%)", kNotThere),
          Row("NPU Utilization(%)", npu.busy_percent)};
}

Rows Board(const Npu& npu) {
  return {Row("Product Name", "Forebay software NPU"),
          Row("Model", kNotThere),
          Row("Manufacturer", "Forebay"),
          Row("Serial Number", kNotThere),
          Row("Software Version", kVersion),
          Row("Firmware Version", kVersion),
          Row("Compatibility", "OK"),
          Row("Board ID", kNotThere),
          Row("PCIe Bus Info", kNotThere),
          Row("Chip Name", npu.ShortName()),
          Row("NPU Name", kNotThere)};
}

Rows Common(const Npu& npu) {
  return {Row("Memory Usage Rate(%)", 0), Row("HBM Usage Rate(%)", Percent(npu.used_bytes, npu.total_bytes)),
          Row("Aicore Usage Rate(%)", npu.busy_percent), Row("Aicore Freq(MHZ)", kNotThere),
          Row("Temperature(C)", kNotThere)};
}

Rows Health(const Npu& npu) {
  return {Row("Health Status", npu.Health()), Row("Error Code", kNotThere),
          Row("Error Information", npu.lost ? "the device is gone and waits for its reset" : kNotThere)};
}

Rows Temperature(const Npu&) { return {Row("NPU Temperature (C)", kNotThere)}; }
Rows Power(const Npu&) { return {Row("NPU Real-time Power(W)", kNotThere)}; }

Rows ProcessMemory(const Npu& npu) {
  Rows rows;
  for (const OpenDevice& process : npu.processes) {
    rows.push_back(Row("Process id", process.process));
    rows.push_back(Row("Process name", process.process_name));
    rows.push_back(Row("Process memory(MB)", Mib(process.used_bytes)));
  }
  if (rows.empty()) rows.push_back(Row("Process", "No process in device"));
  return rows;
}

constexpr std::pair<std::string_view, Rows (*)(const Npu&)> kDetails[] = {
    {"memory", Memory}, {"usages", Usages},    {"board", Board}, {"common", Common},
    {"health", Health}, {"temp", Temperature}, {"power", Power}, {"proc-mem", ProcessMemory},
};

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string JsonOf(const OpenDevice& process) {
  return fmt::format(
      "{{\"pid\": {}, \"name\": {}, \"memory_mb\": {}, \"streams\": {}, \"tasks\": {}, \"kernels\": {}, "
      "\"copies\": {}}}",
      process.process, Quoted(process.process_name), Mib(process.used_bytes), process.streams, process.tasks,
      process.kernels, process.copies);
}

}  // namespace

std::string Npu::ShortName() const {
  constexpr std::string_view kMake = "Ascend";
  return part.starts_with(kMake) ? part.substr(kMake.size()) : part;
}

std::string Table(std::span<const Npu> npus) {
  std::string text = fmt::format("+{:-<96}+\n| npu-smi {:<24} Version: {:<52} |\n", "", kVersion, kVersion) + Frame();
  text += fmt::format("| {:<5} {:<19} | {:<13} | {:<11} {:<17} {:<20}|\n", "NPU", "Name", "Health", "Power(W)",
                      "Temp(C)", "Hugepages-Usage(page)");
  text += fmt::format("| {:<25} | {:<13} | {:<11} {:<17} {:<20} |\n", "Chip", "Bus-Id", "AICore(%)", "Memory-Usage(MB)",
                      "HBM-Usage(MB)");
  text += Rule();
  for (const Npu& npu : npus) {
    text += fmt::format("| {:<5} {:<19} | {:<13} | {:<11} {:<17} {:<20} |\n", npu.id, npu.ShortName(), npu.Health(),
                        kNotThere, kNotThere, Usage(0, 0));
    text += fmt::format("| {:<25} | {:<13} | {:<11} {:<17} {:<20} |\n", 0, kNotThere, npu.busy_percent, Usage(0, 0),
                        Usage(Mib(npu.used_bytes), Mib(npu.total_bytes)));
    text += Rule();
  }
  text += Frame();
  text += fmt::format("| {:<7} {:<17} | {:<13} | {:<24} | {:<23} |\n", "NPU", "Chip", "Process id", "Process name",
                      "Process memory(MB)");
  text += Rule();
  for (const Npu& npu : npus) {
    if (npu.processes.empty()) {
      text += fmt::format("| {:<94} |\n", fmt::format("No running processes found in NPU {}", npu.id));
    }
    for (const OpenDevice& process : npu.processes) {
      text += fmt::format("| {:<7} {:<17} | {:<13} | {:<24} | {:<23} |\n", npu.id, 0, process.process,
                          process.process_name, Mib(process.used_bytes));
    }
    text += Rule();
  }
  return text;
}

std::string List(std::span<const Npu> npus) {
  std::string text = Line("Total Count", fmt::format("{}", npus.size()));
  for (const Npu& npu : npus) {
    text += '\n';
    text += Line("NPU ID", fmt::format("{}", npu.id));
    text += Line("Product Name", "Forebay software NPU");
    text += Line("Chip Count", "1");
  }
  return text;
}

std::string Mapping(std::span<const Npu> npus) {
  constexpr std::string_view kRow = "\t{:<30} {:<30} {:<30} {}\n";
  std::string text = fmt::format(fmt::runtime(kRow), "NPU ID", "Chip ID", "Chip Logic ID", "Chip Name");
  for (const Npu& npu : npus) text += fmt::format(fmt::runtime(kRow), npu.id, 0, npu.id, "Ascend " + npu.ShortName());
  return text;
}

std::string Json(std::span<const Npu> npus) {
  std::vector<std::string> devices;
  for (const Npu& npu : npus) {
    std::vector<std::string> processes;
    for (const OpenDevice& process : npu.processes) processes.push_back(JsonOf(process));
    devices.push_back(fmt::format(
        "{{\"npu\": {}, \"name\": {}, \"health\": \"{}\", \"ai_core_percent\": {}, \"memory_total_mb\": {}, "
        "\"memory_used_mb\": {}, \"power_w\": null, \"temperature_c\": null, \"processes\": [{}]}}",
        npu.id, Quoted(npu.part), npu.Health(), npu.busy_percent, Mib(npu.total_bytes), Mib(npu.used_bytes),
        fmt::join(processes, ", ")));
  }
  return fmt::format("{{\"version\": \"{}\", \"devices\": [\n  {}\n]}}\n", kVersion, fmt::join(devices, ",\n  "));
}

std::optional<std::string> Details(std::string_view type, const Npu& npu) {
  const auto* const found = std::ranges::find(kDetails, type, [](const auto& entry) { return entry.first; });
  if (found == std::end(kDetails)) return std::nullopt;
  std::string text = Line("NPU ID", fmt::format("{}", npu.id)) + Line("Chip Count", "1");
  for (const auto& [key, value] : found->second(npu)) text += Line(key, value);
  return text + Line("Chip ID", "0");
}

std::string DetailTypes() {
  std::vector<std::string_view> names;
  for (const auto& [name, rows] : kDetails) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace forebay::npu_smi
