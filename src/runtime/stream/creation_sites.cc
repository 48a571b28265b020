// Where in the program its streams come from, for the one who has run out of them.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"

namespace forebay::runtime {
namespace {

constexpr std::size_t kMostSites = 3;

std::string DescribeSite(const void* address) {
  if (address == nullptr) return "with their context";
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return fmt::format("at {}", address);
  // The offset in the file is what addr2line takes.
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase);
  const std::string file = std::filesystem::path(info.dli_fname).filename().string();
  if (info.dli_sname == nullptr) return fmt::format("at {}+{:#x}", file, offset);
  return fmt::format("at {}+{:#x} ({})", file, offset, info.dli_sname);
}

}  // namespace

std::string TopCreationSites(const DeviceState& device) {
  std::map<const void*, uint32_t> counts;
  for (uint32_t slot = 0; slot < types::kMaxStreams; ++slot) {
    if (const Stream* stream = Streams().Find(device.StreamAtSlot(slot))) ++counts[stream->created_at()];
  }
  std::vector<std::pair<const void*, uint32_t>> sites(counts.begin(), counts.end());
  std::stable_sort(sites.begin(), sites.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (sites.size() > kMostSites) sites.resize(kMostSites);
  std::string text;
  for (const auto& [address, count] : sites)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, DescribeSite(address));
  return text;
}

}  // namespace forebay::runtime
