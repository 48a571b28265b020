#include "dump_section.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "forebay/base/macros.h"

namespace forebay::acl {
namespace {

using nlohmann::json;

Status Bad(std::string message, std::string advice) {
  return Status(Code::kInvalidDumpConfig, std::move(message), std::move(advice));
}

// The keys that are texts, and what they may be; null: anything.
struct TextRow {
  const char* key;
  const char* allowed;
};
constexpr TextRow kTexts[] = {
    {"dump_path", nullptr},
    {"dump_step", nullptr},
    {"dump_mode", "input|output|all"},
    {"dump_op_switch", "on|off"},
    {"dump_data", "tensor|stats"},
    {"dump_level", "op|kernel|all"},
    {"dump_debug", "on|off"},
    {"dump_scene", "aic_err_brief_dump|aic_err_norm_dump|aic_err_detail_dump|lite_exception|watcher"},
    {"dump_kernel_data", nullptr},
};
constexpr const char* kKernelData = "all|printf|tensor|assert|timestamp";

bool IsOneOf(const std::string& text, const std::string& choices) {
  return !text.empty() && text.find('|') == std::string::npos &&
         ("|" + choices + "|").find("|" + text + "|") != std::string::npos;
}

Status CheckText(const TextRow& row, const json& value) {
  if (!value.is_string()) return Bad(fmt::format("dump.{} is {}", row.key, value.dump()), "It is a text");
  if (row.allowed == nullptr || IsOneOf(value.get<std::string>(), row.allowed)) return {};
  return Bad(fmt::format("dump.{} is {}", row.key, value.dump()), fmt::format("Use one of {}", row.allowed));
}

Status CheckKernelData(const std::string& list) {
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) {
    if (!IsOneOf(item, kKernelData)) {
      return Bad(fmt::format("dump.dump_kernel_data has the item \"{}\"", item),
                 fmt::format("Use some of {}, with commas between them", kKernelData));
    }
  }
  return {};
}

Status CheckList(const json& list) {
  const auto bad = [](const json& what) {
    return Bad(fmt::format("dump.dump_list has {}", what.dump()),
               "It is an array of objects with model_name, a text, and layer and watcher_nodes, arrays of texts");
  };
  if (!list.is_array()) return bad(list);
  for (const json& model : list) {
    if (!model.is_object()) return bad(model);
    for (const auto& [key, value] : model.items()) {
      if (key == "model_name" ? !value.is_string() : !value.is_array()) return bad(model);
      if (!value.is_array()) continue;
      for (const json& name : value) {
        if (!name.is_string() && !name.is_object()) return bad(model);
      }
    }
  }
  return {};
}

}  // namespace

Status CheckDumpSection(const json& section, bool* asks_for_any) {
  if (!section.is_object())
    return Bad(fmt::format("dump is {} in the configuration", section.dump()), "It is an object");
  for (const auto& [key, value] : section.items()) {
    if (key == "dump_list") {
      RETURN_IF_ERROR(CheckList(value));
      continue;
    }
    const TextRow* found = nullptr;
    for (const TextRow& row : kTexts) {
      if (key == row.key) found = &row;
    }
    if (found == nullptr) return Bad(fmt::format("there is no dump.{}", key), "docs/configuration.md lists the keys");
    RETURN_IF_ERROR(CheckText(*found, value));
  }
  const auto text = [&](const char* key) { return section.value(key, std::string()); };
  RETURN_IF_ERROR(CheckKernelData(text("dump_kernel_data")));
  const bool watches = text("dump_scene") == "watcher";
  const bool debugs = text("dump_debug") == "on";
  const bool of_operators = text("dump_op_switch") == "on";
  const bool of_kernels = !text("dump_kernel_data").empty();
  const bool on_failure = !text("dump_scene").empty() && !watches;
  const bool of_models = section.contains("dump_list") && !section["dump_list"].empty() && !watches;
  if (debugs && (of_models || of_operators)) {
    return Bad("dump.dump_debug is on together with a dump of models or operators",
               "Dump either what overflows, or models and operators");
  }
  if ((on_failure || watches) && (of_models || of_operators)) {
    return Bad("dump.dump_scene is set together with a dump of models or operators",
               "Dump either in that scene, or models and operators");
  }
  if (watches && section.contains("dump_mode") && text("dump_mode") != "output")
    return Bad("dump.dump_scene is \"watcher\" with another dump_mode than \"output\"", "A watcher dumps outputs");
  const bool has_place =
      !text("dump_path").empty() ||
      (of_kernels && (std::getenv("ASCEND_DUMP_PATH") != nullptr || std::getenv("ASCEND_WORK_PATH") != nullptr));
  if ((of_models || of_operators || debugs || watches || of_kernels) && !has_place)
    return Bad("dump.dump_path is missing in the configuration", "Name the directory to dump to");
  *asks_for_any = of_models || of_operators || debugs || watches || of_kernels || on_failure;
  return {};
}

}  // namespace forebay::acl
