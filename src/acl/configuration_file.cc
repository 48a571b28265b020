#include "configuration_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>

#include "dump_section.h"
#include "forebay/base/macros.h"
#include "forebay/base/unique_fd.h"
#include "forebay/runtime/device_state.h"

namespace forebay::acl {
namespace {

using nlohmann::json;

constexpr int kDeepestNesting = 10;
constexpr std::size_t kMostFileBytes = std::size_t{10} << 20;
constexpr int64_t kStackStep = 16 * 1024;
constexpr int64_t kSmallestStack = 32 * 1024;
constexpr int64_t kSimtStackStep = 128;
constexpr int64_t kMostSimtStack = 128 * 1024;
constexpr int64_t kKib = 1024;
constexpr int64_t kMib = 1024 * kKib;

bool NestsTooDeep(std::string_view text) noexcept {
  int braces = 0;
  int brackets = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    braces += (c == '{') - (c == '}');
    brackets += (c == '[') - (c == ']');
    if (braces > kDeepestNesting || brackets > kDeepestNesting) return true;
  }
  return false;
}

// A number or a string of digits, as the documented keys take either.
bool AsInteger(const json& value, int64_t* number) {
  if (value.is_number_integer()) {
    *number = value.get<int64_t>();
    return true;
  }
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

Status BadValue(Code code, std::string_view key, const json& value, std::string_view expected) {
  return Status(code, fmt::format("{} is {} in the configuration", key, value.dump()),
                fmt::format("Expected {}", expected));
}

void Note(InitSettings* settings, const std::string& key, const char* why) {
  settings->notes.push_back(fmt::format("{} in the configuration has no effect: {}", key, why));
}

void NoteThreads(InitSettings* settings, const std::string& key) {
  Note(settings, key, "kernels of many threads are configured, not built yet");
}

Status ApplyDefaultDevice(const json& section, InitSettings* settings) {
  if (!section.is_object()) return BadValue(Code::kFailure, "defaultDevice", section, "an object");
  if (!section.contains("default_device")) return {};
  int64_t id = 0;
  const json& value = section["default_device"];
  if (!AsInteger(value, &id) || id < 0)
    return BadValue(Code::kFailure, "defaultDevice.default_device", value, "a device id in digits");
  const int32_t count = runtime::DeviceCount(settings->configuration);
  if (id >= count) {
    return BadValue(Code::kInvalidDeviceId, "defaultDevice.default_device", value, fmt::format("0 to {}", count - 1));
  }
  settings->default_device = static_cast<int32_t>(id);
  return {};
}

// A whole number of `step`s within the range, or absent.
Status CheckNumber(const json& section, const char* key, int64_t lowest, int64_t highest, int64_t step,
                   int64_t* number = nullptr) {
  if (!section.contains(key)) return {};
  int64_t parsed = 0;
  if (!AsInteger(section[key], &parsed) || parsed < lowest || parsed > highest || parsed % step != 0) {
    return BadValue(Code::kInvalidParam, key, section[key],
                    fmt::format("{} to {} bytes, in steps of {}", lowest, highest, step));
  }
  if (number != nullptr) *number = parsed;
  return {};
}

Status ApplyStack(const json& section, InitSettings* settings) {
  if (!section.is_object()) return BadValue(Code::kInvalidParam, "StackSize", section, "an object");
  for (const auto& [key, value] : section.items()) {
    if (key == "simt_stack_size" || key == "simt_divergence_stack_size") {
      RETURN_IF_ERROR(CheckNumber(section, key.c_str(), 0, kMostSimtStack, kSimtStackStep));
      NoteThreads(settings, "StackSize." + key);
    } else if (key != "aicore_stack_size") {
      return Status(Code::kInvalidParam, fmt::format("the configuration has the unknown key \"StackSize.{}\"", key),
                    "It may have aicore_stack_size, simt_stack_size and simt_divergence_stack_size");
    }
  }
  if (!section.contains("aicore_stack_size")) return {};
  int64_t bytes = 0;
  const base::SocProfile* profile = base::FindSocProfile(settings->configuration.soc);
  const int64_t largest = int64_t{profile->generation->largest_stack_kib} * 1024;
  RETURN_IF_ERROR(CheckNumber(section, "aicore_stack_size", 0, largest, 1, &bytes));
  const int64_t rounded = std::max((bytes + kStackStep - 1) / kStackStep * kStackStep, kSmallestStack);
  // Beside the kernel's own frames there is room for those of the device library.
  settings->configuration.block_stack = rounded / 1024 + 64;
  return {};
}

Status ApplyOwnSection(const json& section, InitSettings* settings) {
  if (!section.is_object()) return BadValue(Code::kInvalidParam, "forebay", section, "an object");
  for (const auto& [key, value] : section.items()) {
    RETURN_IF_ERROR(settings->configuration.Set(key, value.is_string() ? value.get<std::string>() : value.dump(),
                                                "the aclInit file"));
  }
  return {};
}

Status ApplyGraph(const json& section, InitSettings* settings) {
  if (!section.is_object()) return BadValue(Code::kInvalidFile, "acl_graph", section, "an object");
  if (!section.contains("event_mode")) return {};
  int64_t mode = 0;
  const json& value = section["event_mode"];
  if (!AsInteger(value, &mode) || (mode != 0 && mode != 1))
    return BadValue(Code::kInvalidFile, "acl_graph.event_mode", value, "\"0\" or \"1\"");
  if (mode == 1) Note(settings, "acl_graph.event_mode", "captured models are configured, not built yet");
  return {};
}

Status ApplyMessages(const json& value, InitSettings* settings) {
  int64_t mode = 0;
  if (!AsInteger(value, &mode) || (mode != 0 && mode != 1))
    return BadValue(Code::kInvalidParam, "err_msg_mode", value, "\"0\" or \"1\"");
  settings->messages_per_process = mode == 1;
  return {};
}

Status CheckOperatorModels(const json& value, InitSettings*) {
  int64_t count = 0;
  if (AsInteger(value, &count) && count > 0) return {};
  return BadValue(Code::kInvalidMaxOpQueueNumConfig, "max_opqueue_num", value, "a positive number in digits");
}

Status ApplyDump(const json& section, InitSettings* settings) {
  bool asks_for_any = false;
  RETURN_IF_ERROR(CheckDumpSection(section, &asks_for_any));
  if (asks_for_any) Note(settings, "dump", "dumping is configured, not built yet");
  return {};
}

Status ApplyProfiler(const json& section, InitSettings* settings) {
  if (!section.is_object()) return BadValue(Code::kInvalidProfilingConfig, "profiler", section, "an object");
  const json on_or_off = section.value("switch", json("on"));
  if (on_or_off != "on" && on_or_off != "off")
    return BadValue(Code::kInvalidProfilingConfig, "profiler.switch", on_or_off, "\"on\" or \"off\"");
  if (!section.empty() && on_or_off == "on") Note(settings, "profiler", "profiling is configured, not built yet");
  return {};
}

struct KeyRow {
  const char* key;
  Status (*apply)(const json& value, InitSettings* settings);
};
constexpr KeyRow kKeys[] = {
    {"err_msg_mode", ApplyMessages},
    {"max_opqueue_num", CheckOperatorModels},
    {"defaultDevice", ApplyDefaultDevice},
    {"StackSize", ApplyStack},
    {"acl_graph", ApplyGraph},
    {"dump", ApplyDump},
    {"profiler", ApplyProfiler},
};

Status Apply(const json& whole, const std::string& key, const json& value, InitSettings* settings) {
  if (key == "forebay") return {};  // has been applied before the others
  if (key == "simt_printf_fifo_size") {
    RETURN_IF_ERROR(CheckNumber(whole, "simt_printf_fifo_size", kMib, 64 * kMib, 8));
    NoteThreads(settings, key);
    return {};
  }
  if (key == "simd_printf_fifo_size_per_core") {
    RETURN_IF_ERROR(CheckNumber(whole, "simd_printf_fifo_size_per_core", kKib, 64 * kMib, 8));
    Note(settings, key,
         "all cores print through one buffer of 1 MiB, and a full one makes a kernel wait, so that nothing is lost");
    return {};
  }
  for (const KeyRow& row : kKeys) {
    if (key == row.key) return row.apply(value, settings);
  }
  return Status(Code::kInvalidParam, fmt::format("the configuration has the unknown key \"{}\"", key),
                "Keys of this runtime belong into the object \"forebay\"; docs/configuration.md lists them");
}

Result<std::string> ReadFile(const char* path) {
  const auto unreadable = [path](const char* why) {
    return Status(Code::kInvalidFile, fmt::format("the configuration file \"{}\" {}", path, why),
                  "Check the path, or pass NULL for the defaults");
  };
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const base::UniqueFd fd(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!fd.valid() || fstat(fd.get(), &status) != 0) return unreadable("is missing or cannot be read");
  if (!S_ISREG(status.st_mode)) return unreadable("is not a regular file");
  // What files in /proc hold is known only when they are read.
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t bytes = read(fd.get(), piece, sizeof piece);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return unreadable("is missing or cannot be read");
    if (bytes == 0) return text;
    text.append(piece, static_cast<std::size_t>(bytes));
    if (text.size() > kMostFileBytes) {
      return Status(Code::kInvalidFileSize,
                    fmt::format("the configuration file \"{}\" has more than {} bytes", path, kMostFileBytes),
                    "Check the path: a configuration has some kilobytes at most");
    }
  }
}

}  // namespace

Result<InitSettings> ReadInitSettings(const char* path) {
  InitSettings settings;
  settings.configuration = runtime::CurrentConfiguration();
  if (path == nullptr) return settings;
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  if (NestsTooDeep(text)) {
    return Status(Code::kInvalidParam,
                  fmt::format("the configuration file \"{}\" nests more than {} deep", path, kDeepestNesting),
                  "No documented key needs that; check its brackets");
  }
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return Status(Code::kParseFile,
                  fmt::format("the configuration file \"{}\" is not well-formed JSON with an object at the top", path),
                  "An empty configuration is {}");
  }
  settings.file = text;
  settings.text = parsed.dump();
  // How many devices there are decides which of them exist.
  if (parsed.contains("forebay")) RETURN_IF_ERROR(ApplyOwnSection(parsed["forebay"], &settings));
  for (const auto& [key, value] : parsed.items()) RETURN_IF_ERROR(Apply(parsed, key, value, &settings));
  return settings;
}

}  // namespace forebay::acl
