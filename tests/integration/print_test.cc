// What kernels print reaches the application's standard output by whole lines, before the synchronise returns.
#include <map>
#include <sstream>

#include "support/processes.h"
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

std::string Print(const std::string& arguments) {
  const ChildResult child = RunChild(INTEGRATION_CHILD, "print " + arguments);
  EXPECT_EQ(child.exit_code, 0);
  const std::string end = "\nsynchronised\n";
  EXPECT_GE(child.output.size(), end.size());
  if (child.output.size() < end.size()) return {};
  EXPECT_EQ(child.output.substr(child.output.size() - end.size()), end) << "everything is printed before";
  return child.output.substr(0, child.output.size() - end.size());
}

std::map<std::string, int> CountLines(const std::string& text) {
  std::map<std::string, int> counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) ++counts[line];
  return counts;
}

TEST(DevicePrint, LinesOfManyBlocksStayWhole) {
  const auto counts = CountLines(Print("print_lines 16 20"));
  EXPECT_EQ(counts.size(), 16U * 20U);
  for (int block = 0; block < 16; ++block) {
    for (int line = 0; line < 20; ++line) {
      std::ostringstream text;
      text << "block " << block << " of 16: line " << line;
      EXPECT_EQ(counts.count(text.str()), 1U) << text.str();
    }
  }
}

TEST(DevicePrint, PartsBecomeOneLineAndAnUnfinishedOneIsPrintedAtTheEnd) {
  EXPECT_EQ(Print("print_partial 1"), "one line in parts\nunfinished");
}

TEST(DevicePrint, LongLinesStayWhole) {
  const auto counts = CountLines(Print("print_long 8 5 1000"));
  EXPECT_EQ(counts.size(), 8U);
  for (char letter = 'a'; letter < 'i'; ++letter) {
    const auto found = counts.find(std::string(1000, letter));
    ASSERT_NE(found, counts.end()) << letter;
    EXPECT_EQ(found->second, 5);
  }
}

TEST(DevicePrint, LineOfManyKilobytesStaysWhole) {
  const auto counts = CountLines(Print("print_line_of 1 19999"));
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts.begin()->first.size(), 19999U);
  EXPECT_EQ(counts.begin()->second, 2);
}

TEST(DevicePrint, MoreThanTheRingHoldsIsNotLost) {
  // 4 blocks x 1000 lines x 1001 bytes: about four times the ring.
  const auto counts = CountLines(Print("print_long 4 1000 1000"));
  EXPECT_EQ(counts.size(), 4U);
  for (const auto& [line, count] : counts) EXPECT_EQ(count, 1000) << line.substr(0, 20);
}

}  // namespace
}  // namespace forebay::testing
