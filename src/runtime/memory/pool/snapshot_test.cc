#include "memory/pool/snapshot.h"

#include <gtest/gtest.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "memory/pool/svg.h"

namespace forebay::runtime {
namespace {

// What is wrong with an XML document as simple as ours, or nothing.
std::string XmlMistake(std::string_view xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    const auto byte = static_cast<unsigned char>(xml[at]);
    if (byte < 0x20 && byte != '\n') return "control character";
    if (xml[at] == '&') {
      const std::string_view rest = xml.substr(at, 6);
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
        known = known || rest.starts_with(entity);
      if (!known) return "bare ampersand";
    }
    if (xml[at] == '>') return "bare >";
    if (xml[at] != '<') continue;
    const std::size_t end = xml.find('>', at);
    if (end == std::string_view::npos) return "tag without end";
    std::string_view tag = xml.substr(at + 1, end - at - 1);
    at = end;
    if (tag.starts_with('?')) continue;
    if (tag.find('<') != std::string_view::npos) return "< in a tag";
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "open quote";
    const std::string name(tag.substr(tag.starts_with('/'), tag.find_first_of(" /", 1) - tag.starts_with('/')));
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != name) return "</" + name + "> out of place";
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "open " + open.back();
}

Snapshot Example() {
  Snapshot snapshot;
  snapshot.title = "device 0";
  snapshot.ranges.push_back({0x10000, 0x8000, {}});
  snapshot.ranges[0].blocks = {{0x10000, 0x1000, 0xF00, SnapshotState::kLive, 1, "weights", 5},
                               {0x11000, 0x1000, 0, SnapshotState::kFree, kNoStream, "", 4},
                               {0x13000, 0x2000, 0, SnapshotState::kPending, 2, "", 1}};
  snapshot.ranges.push_back({0x90000, 0x1000, {{0x90000, 0x400, 0x400, SnapshotState::kLive, kNoStream, "", 9}}});
  return snapshot;
}

TEST(Snapshot, SumsAgree) {
  const SnapshotTotals totals = Sum(Example());
  EXPECT_EQ(totals.reserved, 0x9000U);
  EXPECT_EQ(totals.live, 0x1400U);
  EXPECT_EQ(totals.requested, 0x1300U);
  EXPECT_EQ(totals.pending, 0x2000U);
  EXPECT_EQ(totals.free(), 0x5C00U);
  EXPECT_EQ(totals.largest_free, 0x3000U);
  EXPECT_EQ(totals.live_blocks, 2U);
}

TEST(Snapshot, JsonHoldsEverything) {
  const auto json = nlohmann::json::parse(SnapshotJson(Example()));
  EXPECT_EQ(json["totals"]["reserved"], 0x9000);
  EXPECT_EQ(json["totals"]["free"], 0x5C00);
  ASSERT_EQ(json["ranges"].size(), 2U);
  const auto& block = json["ranges"][0]["blocks"][0];
  EXPECT_EQ(block["address"], "0x10000");
  EXPECT_EQ(block["owner"], "weights");
  EXPECT_EQ(block["stream"], 1);
  EXPECT_EQ(json["ranges"][0]["blocks"][2]["state"], "pending");
  uint64_t live = 0;
  for (const auto& range : json["ranges"])
    for (const auto& one : range["blocks"]) live += one["state"] == "live" ? one["bytes"].get<uint64_t>() : 0;
  EXPECT_EQ(live, json["totals"]["live"].get<uint64_t>());
}

TEST(Snapshot, PictureShowsLanesBlocksAndTotals) {
  const std::string svg = SnapshotSvg(Example());
  EXPECT_EQ(XmlMistake(svg), "");
  for (const std::string_view expected : {"device 0", "0x10000", "0x90000", "weights", "class=\"pending\"",
                                          "36.0 KiB reserved in 2 ranges", "3840 bytes requested", "stream 2"})
    EXPECT_NE(svg.find(expected), std::string::npos) << expected << "\n" << svg;
}

TEST(Snapshot, AnyTextMayBeAnOwner) {
  const std::string texts[] = {"</title><script>alert(1)</script>",
                               "a & b",
                               "\"quoted' ]]>",
                               std::string("nul\0byte", 8),
                               "\x1b[31mred\x7f",
                               "\xff\xfe broken",
                               "\xc0\xaf",
                               "\xed\xa0\x80",
                               "\xef\xbf\xbf",
                               "gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x98\x80",
                               std::string(5000, '<'),
                               "\xe2\x82"};
  for (const std::string& text : texts) {
    Snapshot snapshot = Example();
    snapshot.title = text;
    for (SnapshotRange& range : snapshot.ranges)
      for (SnapshotBlock& block : range.blocks) block.owner = text;
    const std::string svg = SnapshotSvg(snapshot);
    EXPECT_EQ(XmlMistake(svg), "") << text;
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_TRUE(nlohmann::json::accept(SnapshotJson(snapshot))) << text;
    EXPECT_EQ(XmlMistake(HistorySvg({{3, 2, 1}}, text)), "");
  }
  EXPECT_EQ(XmlText("gr\xc3\xbc\xc3\x9f\x65 \xff<"), "gr\xc3\xbc\xc3\x9f\x65 ?&lt;");
}

TEST(Snapshot, ManyBlocksMakeASmallPicture) {
  Snapshot snapshot;
  for (uint64_t range = 0; range < 200; ++range) {
    snapshot.ranges.push_back({range << 32, uint64_t{1} << 30, {}});
    for (uint64_t i = 0; i < 5000; ++i)
      snapshot.ranges.back().blocks.push_back(
          {(range << 32) + i * 1024, 512, 500, SnapshotState::kLive, 0, "owner " + std::to_string(i % 50), i});
  }
  const std::string svg = SnapshotSvg(snapshot);
  EXPECT_LT(svg.size(), 4U << 20);
  EXPECT_EQ(XmlMistake(svg), "");
  EXPECT_NE(svg.find("168 smaller ranges are not shown"), std::string::npos);
  EXPECT_NE(svg.find("42 others"), std::string::npos);
}

TEST(Snapshot, OfNothingIsAPictureToo) {
  EXPECT_EQ(XmlMistake(SnapshotSvg({})), "");
  EXPECT_TRUE(nlohmann::json::accept(SnapshotJson({})));
  EXPECT_EQ(XmlMistake(HistorySvg({}, "")), "");
}

TEST(History, ShowsPeaksAndStaysSmall) {
  std::vector<PoolSample> samples;
  for (uint64_t i = 0; i < 100'000; ++i) samples.push_back({(i + 2) << 10, (i + 1) << 10, i << 10});
  samples[50'000].reserved = uint64_t{3} << 30;
  const std::string svg = HistorySvg(samples, "history");
  EXPECT_EQ(XmlMistake(svg), "");
  EXPECT_LT(svg.size(), 64U << 10);
  EXPECT_NE(svg.find("reserved, peak 3.00 GiB"), std::string::npos);
  EXPECT_NE(svg.find("live, peak 97.7 MiB"), std::string::npos);
  EXPECT_NE(svg.find("100000 operations"), std::string::npos);
}

}  // namespace
}  // namespace forebay::runtime
