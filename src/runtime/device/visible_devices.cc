#include "device/visible_devices.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <string_view>

namespace forebay::runtime {
namespace {

// -1 for what is no number. Signs and blanks are not part of one.
int64_t ParseId(std::string_view token) {
  int64_t id = -1;
  if (token.empty() || token.front() == '-') return -1;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), id);
  return error == std::errc() && end == token.data() + token.size() ? id : -1;
}

}  // namespace

VisibleDevices FindVisibleDevices(const base::Configuration& configuration) {
  VisibleDevices visible;
  visible.list = configuration.visible_devices;
  const auto devices = static_cast<int32_t>(configuration.devices);
  if (visible.list.empty()) {
    for (int32_t id = 0; id < devices; ++id) visible.physical.push_back(id);
    return visible;
  }
  std::string_view rest = visible.list;
  for (;;) {
    const std::string_view token = rest.substr(0, rest.find(','));
    const int64_t id = ParseId(token);
    const int32_t previous = visible.physical.empty() ? -1 : visible.physical.back();
    if (id <= previous || id >= devices) {
      visible.cut = true;
      visible.cut_at = token;
      visible.reason = id < 0           ? "is no number of a device"
                       : id >= devices  ? "is no device of the system"
                       : id == previous ? "is there twice"
                                        : "is not in ascending order";
      return visible;
    }
    visible.physical.push_back(static_cast<int32_t>(id));
    if (token.size() == rest.size()) return visible;
    rest.remove_prefix(token.size() + 1);
  }
}

void WarnWhenCut(const base::Configuration& configuration) {
  const VisibleDevices visible = FindVisibleDevices(configuration);
  if (!visible.cut) return;
  fmt::print(stderr,
             "forebay: warning: the list of visible devices \"{}\" ends at \"{}\", which {}; the process sees {} of {} "
             "devices\n",
             visible.list, visible.cut_at, visible.reason, visible.physical.size(), configuration.devices);
}

std::string VisibleDevices::Describe() const {
  std::string text;
  for (std::size_t i = 0; i < physical.size(); ++i)
    text += fmt::format("{}{} -> {}", i == 0 ? "" : ", ", i, physical[i]);
  return text;
}

}  // namespace forebay::runtime
