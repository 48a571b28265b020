#include "forebay/runtime/leaks.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "device/call_sites.h"
#include "diagnosis/symbols.h"
#include "forebay/runtime/event.h"
#include "forebay/runtime/stream.h"

namespace forebay::runtime {
namespace {

constexpr std::size_t kMostSites = 5;

void AddLeaks(std::vector<std::string>& leaks, std::string_view what, uint64_t count, const SiteTally& tally) {
  if (count == 0) return;
  std::string text = fmt::format("{} {} {} not destroyed:", count, what, count == 1 ? "was" : "were");
  const char* separator = " ";
  for (const SiteTally::Holder& holder : tally.Top(kMostSites)) {
    // The address behind the call.
    const std::string site =
        holder.site == nullptr ? "an unknown place" : DescribeCode(static_cast<const char*>(holder.site) - 1);
    text += fmt::format("{}{} made at {}", std::exchange(separator, ", "), holder.count, site);
  }
  if (tally.size() > kMostSites) text += fmt::format(", and others at {} more places", tally.size() - kMostSites);
  leaks.push_back(std::move(text));
}

}  // namespace

std::vector<std::string> DescribeLeaks() {
  std::vector<std::string> leaks;
  SiteTally streams;
  uint64_t stream_count = 0;
  Streams().ForEach([&](uint64_t, const Stream& stream) {
    if (stream.is_default()) return;
    ++stream_count;
    streams.Add(stream.created_at());
  });
  AddLeaks(leaks, stream_count == 1 ? "stream" : "streams", stream_count, streams);
  SiteTally events;
  uint64_t event_count = 0;
  Events().ForEach([&](uint64_t, const Event& event) {
    ++event_count;
    events.Add(event.created_at());
  });
  AddLeaks(leaks, event_count == 1 ? "event" : "events", event_count, events);
  return leaks;
}

}  // namespace forebay::runtime
