#include "memory/pool/trace.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "memory/pool/ordering.h"

namespace forebay::runtime {
namespace {

constexpr std::string_view kText =
    "# two lines\n# of comment\na 0 1024 0\na 7 512 2\ne 0 2\nf 0 2\n\ny 2\na 0 2048 -\nf 0 -\ni\n";

TEST(Trace, IsParsedAndCounted) {
  const Result<Trace> trace = ParseTrace(kText, "text");
  ASSERT_TRUE(trace.ok()) << trace.status().ToString();
  EXPECT_EQ(trace->note, "two lines\nof comment\n");
  ASSERT_EQ(trace->events.size(), 8U);
  EXPECT_EQ(trace->events[1], (TraceEvent{TraceOperation::kAllocate, 7, 2, 512}));
  EXPECT_EQ(trace->events[2], (TraceEvent{TraceOperation::kWait, 0, 2, 0}));
  EXPECT_EQ(trace->events[4], (TraceEvent{TraceOperation::kSynchronise, 0, 2, 0}));
  EXPECT_EQ(trace->events[6], (TraceEvent{TraceOperation::kFree, 0, kNoStream, 0}));
  EXPECT_EQ(trace->ids, 8U);
  EXPECT_EQ(trace->streams, 3U);
  EXPECT_EQ(trace->peak_bytes, 2048U + 512U);
}

TEST(Trace, WhatIsWrittenIsReadAgain) {
  const Result<Trace> trace = ParseTrace(kText, "text");
  ASSERT_TRUE(trace.ok());
  const Result<Trace> again = ParseTrace(WriteTrace(*trace), "text");
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, *trace);
}

TEST(Trace, MistakesAreNamedWithTheirLine) {
  const struct {
    std::string_view text;
    std::string_view expected;
  } kCases[] = {{"a 0 512 0\nq 1\n", "file:2: there is no operation \"q\""},
                {"alloc 0 512 0\n", "file:1: there is no operation \"alloc\""},
                {"a 0 512\n", "file:1: STREAM is missing"},
                {"a 0 -512 0\n", "file:1: BYTES \"-512\" is no number"},
                {"a 0 5x 0\n", "BYTES \"5x\" is no number"},
                {"a 0 99999999999999999999 0\n", "BYTES 99999999999999999999 is too large"},
                {"a 4294967295 512 0\n", "ID 4294967295 is too large"},
                {"a 0 512 2048\n", "STREAM 2048 is too large, the limit is 2047"},
                {"a 0 512 0 0\n", "more than the 3 operands of \"a\""},
                {"i 1\n", "more than the 0 operands"},
                {"y -\n", "STREAM \"-\" is no number"},
                {"\na 3 512 0\na 3 512 0\n", "file:3: block 3 is live, it was allocated in line 2"},
                {"f 3 0\n", "file:1: block 3 is not live"},
                {"a 3 1 0\nf 3 0\nf 3 0\n", "file:3: block 3 is not live"}};
  for (const auto& [text, expected] : kCases) {
    const Result<Trace> trace = ParseTrace(text, "file");
    ASSERT_FALSE(trace.ok()) << text;
    EXPECT_EQ(trace.code(), Code::kParseFile);
    EXPECT_NE(trace.status().error()->message.find(expected), std::string::npos) << trace.status().ToString();
  }
}

TEST(Trace, AFileGivesItsName) {
  const std::string path = testing::TempDir() + "/trace_test_" + std::to_string(::getpid()) + ".trace";
  std::ofstream(path) << "a 0 512 0\r\nf 0 0\r\n";
  const Result<Trace> trace = ReadTrace(path);
  std::remove(path.c_str());
  ASSERT_TRUE(trace.ok()) << trace.status().ToString();
  EXPECT_EQ(trace->name, "trace_test_" + std::to_string(::getpid()));
  EXPECT_EQ(ReadTrace(path).code(), Code::kInvalidFile);
  EXPECT_EQ(ReadTrace(testing::TempDir()).code(), Code::kInvalidFile);
}

}  // namespace
}  // namespace forebay::runtime
