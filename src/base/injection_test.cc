#include "forebay/base/injection.h"

#include <gtest/gtest.h>

#include <set>

namespace forebay::base {
namespace {

Injection One(std::string_view text) {
  const Result<std::vector<Injection>> injections = ParseInjections(text);
  EXPECT_TRUE(injections.ok()) << injections.status().ToString();
  return injections.ok() && injections->size() == 1 ? injections->front() : Injection{};
}

TEST(Injections, SeveralAreSeparatedBySemicolons) {
  const auto all = ParseInjections(" aicore_exception@stream=3,task=5 ; ;slow@factor=20;\n");
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].kind, InjectionKind::kAicoreException);
  EXPECT_EQ((*all)[0].text, "aicore_exception@stream=3,task=5");
  EXPECT_EQ((*all)[0].stream, 3);
  EXPECT_EQ((*all)[0].task, 5);
  EXPECT_EQ((*all)[1].factor, 20U);
  EXPECT_TRUE(ParseInjections("")->empty());
}

TEST(Injections, ReadEveryKindOfValue) {
  EXPECT_EQ(One("timeout@kernel=matmul,nth=2").kernel, "matmul");
  EXPECT_EQ(One("device_lost@device=1,after=200ms").after_us, 200'000);
  EXPECT_EQ(One("device_lost@after=3s").after_us, 3'000'000);
  EXPECT_EQ(One("ecc@address=0x20000000").address, 0x20000000U);
  EXPECT_EQ(One("oom@above=64MiB").above, uint64_t{64} << 20);
  EXPECT_EQ(One("drop_doorbell@p=0.25,seed=7").probability, 0.25);
  EXPECT_EQ(One("drop_doorbell@p=0.25,seed=7").seed, 7U);
  const Injection call = One("api_error@call=aclrtRecordEvent,code=207007,nth=3");
  EXPECT_EQ(call.call, "aclrtRecordEvent");
  EXPECT_EQ(call.code, 207007);
  EXPECT_EQ(call.nth, 3U);
}

TEST(Injections, HappenOnceWhereAgainWouldBeForEver) {
  EXPECT_EQ(One("overheat@device=0").count, 1U);
  EXPECT_EQ(One("setup_failure").count, 1U);
  EXPECT_EQ(One("aicore_exception@nth=4").count, 1U);
  EXPECT_EQ(One("aicore_exception").count, 0U);
  EXPECT_EQ(One("overheat@device=0,count=3").count, 3U);
}

// Each names what is wrong, and what would be right.
TEST(Injections, WhatCannotBeReadIsNamed) {
  struct Bad {
    const char* text;
    const char* named;
    const char* remedy;
  };
  constexpr Bad kBad[] = {
      {"aicore_exeption@stream=1", "there is no \"aicore_exeption\"", "aicore_exception"},
      {"aicore_exception@strem=1", "has no \"strem\"", "stream"},
      {"aicore_exception@stream=", "stream has the value \"\"", "the id of a stream"},
      {"aicore_exception@stream=-1", "\"-1\"", "the id of a stream"},
      {"aicore_exception@stream=99999999999", "\"99999999999\"", "the id of a stream"},
      {"aicore_exception@task=x", "\"x\"", "from 0"},
      {"aicore_exception@nth=0", "nth has the value \"0\"", "from 1"},
      {"device_lost@after=200", "\"200\"", "us, ms or s"},
      {"device_lost@after=99999999999999999s", "\"99999999999999999s\"", "us, ms or s"},
      {"drop_doorbell@p=1.5", "\"1.5\"", "0 to 1"},
      {"drop_doorbell@p=nan", "\"nan\"", "0 to 1"},
      {"drop_doorbell@kernel=k", "has no \"kernel\"", "stream"},
      {"oom@above=64Mib", "\"64Mib\"", "64MiB"},
      {"oom@nth=3", "either a call or a size", "call="},
      {"oom@call=aclrtMalloc,above=1MiB", "either a call or a size", "above="},
      {"api_error@code=107000", "names no call", "call="},
      {"api_error@call=aclrtMalloc", "names no code", "code="},
      {"api_error@call=aclrtMalloc,code=123", "no code 123", "AscendCL"},
      {"slow@address=1", "has no \"address\"", "factor"},
      {"slow@stream=1,stream=2", "\"stream\" twice", "once"},
      {"@stream=1", "there is no \"\"", "Use one of"},
  };
  for (const Bad& bad : kBad) {
    const auto parsed = ParseInjections(std::string("slow;") + bad.text);
    ASSERT_FALSE(parsed.ok()) << bad.text;
    EXPECT_EQ(parsed.code(), Code::kInvalidParam) << bad.text;
    const std::string words = parsed.status().ToString();
    EXPECT_NE(words.find(bad.named), std::string::npos) << words;
    EXPECT_NE(words.find(bad.remedy), std::string::npos) << words;
    EXPECT_NE(words.find(bad.text), std::string::npos) << words;
  }
}

TEST(Injections, ASeedAlwaysSaysTheSame) {
  const InjectionChance chance{0, 0.1, 7}, other{0, 0.1, 8};
  std::set<uint64_t> ours, theirs;
  for (uint64_t match = 1; match <= 10'000; ++match) {
    if (chance.Holds(match)) ours.insert(match);
    if (other.Holds(match)) theirs.insert(match);
    EXPECT_EQ(chance.Holds(match), ours.count(match) != 0);
  }
  EXPECT_GT(ours.size(), 850U);
  EXPECT_LT(ours.size(), 1150U);
  EXPECT_NE(ours, theirs);
  EXPECT_FALSE((InjectionChance{0, 0, 7}.Holds(1)));
}

TEST(Injections, AreCountedWhereTheyMatchAndHappen) {
  ArmedInjection third(One("api_error@call=aclrtMalloc,code=207001,nth=3"), 1, false);
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(third.Match(), i == 3) << i;
  EXPECT_EQ(third.matched, 5U);
  EXPECT_EQ(third.happened, 1U);
  EXPECT_FALSE(third.IsLeft());
  ArmedInjection twice(One("api_error@call=aclrtMalloc,code=207001,count=2"), 2, false);
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(twice.Match(), i <= 2) << i;
}

TEST(Injections, EveryKindHasARow) {
  std::set<std::string_view> names;
  for (const InjectionRow& row : InjectionTable()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(&RowOf(row.kind), &row);
  }
}

}  // namespace
}  // namespace forebay::base
