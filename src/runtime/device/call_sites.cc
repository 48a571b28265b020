#include "device/call_sites.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace forebay::runtime {

std::string DescribeSite(const void* site) {
  if (site == nullptr) return "an unknown place";
  Dl_info info{};
  // The return address may lie behind the last instruction of its function.
  const auto* call = static_cast<const char*>(site) - 1;
  if (dladdr(call, &info) == 0 || info.dli_fname == nullptr) return fmt::format("{}", site);
  const std::string place = fmt::format("{}+{:#x}", std::filesystem::path(info.dli_fname).filename().string(),
                                        call - static_cast<const char*>(info.dli_fbase));
  return info.dli_sname == nullptr ? place : fmt::format("{} ({})", place, info.dli_sname);
}

void SiteTally::Add(const void* site, uint64_t bytes) {
  Holder& holder = by_site_[site];
  holder.site = site;
  ++holder.count;
  holder.bytes += bytes;
}

std::vector<SiteTally::Holder> SiteTally::Top(std::size_t most) const {
  std::vector<Holder> holders;
  for (const auto& [site, holder] : by_site_) holders.push_back(holder);
  std::sort(holders.begin(), holders.end(), [](const Holder& one, const Holder& other) {
    return std::tie(one.bytes, one.count, one.site) > std::tie(other.bytes, other.count, other.site);
  });
  if (holders.size() > most) holders.resize(most);
  return holders;
}

}  // namespace forebay::runtime
