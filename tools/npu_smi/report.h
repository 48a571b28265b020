// What npu-smi prints, in the layouts that scripts take apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "open_devices.h"

namespace forebay::npu_smi {

// One device, with all processes that have it open. Each process has memory of its own; the device's are their sums.
struct Npu {
  uint32_t id = 0;
  std::string part;
  uint64_t total_bytes = 0;
  uint64_t used_bytes = 0;
  uint32_t busy_percent = 0;
  bool lost = false;
  std::vector<OpenDevice> processes;

  std::string ShortName() const;  // the part without "Ascend"
  std::string_view Health() const { return lost ? "Critical" : "OK"; }
};

std::string Table(std::span<const Npu> npus);
std::string List(std::span<const Npu> npus);
std::string Mapping(std::span<const Npu> npus);
std::string Json(std::span<const Npu> npus);

// The lines "key : value" of one type of `npu-smi info -t`; nothing when there is no such type.
std::optional<std::string> Details(std::string_view type, const Npu& npu);
std::string DetailTypes();

}  // namespace forebay::npu_smi
