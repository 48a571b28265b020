#include "device/call_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "diagnosis/symbols.h"

namespace forebay::runtime {

std::string DescribeSite(const void* site) {
  if (site == nullptr) return "an unknown place";
  // The return address may lie behind the last instruction of its function.
  const LoadedCode call = FindLoadedCode(static_cast<const char*>(site) - 1);
  if (call.place.empty()) return fmt::format("{}", site);
  return call.symbol == nullptr ? call.place : fmt::format("{} ({})", call.place, call.symbol);
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
