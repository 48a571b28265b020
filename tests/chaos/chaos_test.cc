// Every kind of fault, at random points of the digits example. chaos_program runs the example twice in one process:
// with the fault, and then without, on a device that was reset. Each time it either has the result of a run in which
// nothing fails, or ends with the code of the fault; the second time it has the result. It ends by itself, and leaves
// nothing.
//
// TEST_CHAOS_SEEDS is how many points are tried of each kind, TEST_CHAOS_FIRST_SEED the first of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <ostream>
#include <regex>
#include <sstream>
#include <string>

#include "chaos/chaos_report.h"
#include "forebay/base/injection.h"
#include "forebay/status.h"

namespace forebay::base {

// For messages of GoogleTest.
void PrintTo(const InjectionRow& row, std::ostream* out) { *out << row.name; }

}  // namespace forebay::base

namespace forebay::testing {
namespace {

using base::InjectionKind;
using base::InjectionPlace;
using base::InjectionRow;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t kSeeds = 1;
#else
constexpr uint64_t kSeeds = 2;
#endif

constexpr uint64_t kMoreSeeds = 8;

// The functions of AscendCL that the example calls, of those that can fail.
constexpr const char* kCalls[] = {
    "aclInit",
    "aclFinalize",
    "aclrtSetDevice",
    "aclrtResetDevice",
    "aclrtMalloc",
    "aclrtFree",
    "aclrtMallocHost",
    "aclrtFreeHost",
    "aclrtMemcpy",
    "aclrtMemset",
    "aclrtMemcpyAsync",
    "aclrtBinaryLoadFromFile",
    "aclrtBinaryGetFunction",
    "aclrtBinaryUnLoad",
    "aclrtLaunchKernelWithHostArgs",
    "aclrtCreateStream",
    "aclrtSetStreamFailureMode",
    "aclrtSynchronizeStream",
    "aclrtDestroyStream",
    "aclrtCreateEventExWithFlag",
    "aclrtRecordEvent",
    "aclrtStreamWaitEvent",
    "aclrtSynchronizeEvent",
    "aclrtEventGetTimestamp",
    "aclrtDestroyEvent",
};
constexpr const char* kAllocatingCalls[] = {"aclrtMalloc", "aclrtMallocHost", "aclrtBinaryLoadFromFile"};

// The same numbers everywhere: splitmix64.
class Random {
 public:
  Random(std::string_view kind, uint64_t seed) : state_(seed) {
    for (const char letter : kind) state_ = state_ * 131 + static_cast<unsigned char>(letter);
  }
  uint64_t Below(uint64_t limit) {
    uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return (z ^ (z >> 31)) % limit;
  }
  uint64_t From(uint64_t first, uint64_t last) { return first + Below(last - first + 1); }
  template <typename T, std::size_t kCount>
  const T& Of(const T (&choices)[kCount]) {
    return choices[Below(kCount)];
  }

 private:
  uint64_t state_;
};

// A fault of each kind that never happens: it counts how often it could.
std::string NeverAnyFault() {
  std::string faults;
  for (const InjectionRow& row : base::InjectionTable()) {
    if (base::HappensOnDevice(row.place) || row.place == InjectionPlace::kStart ||
        row.place == InjectionPlace::kRequest)
      faults += std::string(row.name) + "@p=0;";
  }
  for (const char* call : kCalls) faults += std::string("api_error@code=500000,p=0,call=") + call + ';';
  for (const char* call : kAllocatingCalls) faults += std::string("oom@p=0,call=") + call + ';';
  return faults;
}

// The example without a fault, and how often each could have happened.
const Report& Undisturbed() {
  static const Report report = RunWith(NeverAnyFault());
  return report;
}

// From 1 on, so that there is something to pick from.
uint64_t Chances(const std::string& fault) {
  const auto found = Undisturbed().faults.find(fault);
  return found == Undisturbed().faults.end() ? 0 : std::max<uint64_t>(1, found->second.matched);
}

std::string FaultOfCall(const InjectionRow& row, Random& random) {
  std::ostringstream fault;
  fault << row.name << '@';
  if (row.kind == InjectionKind::kOom && random.Below(2) == 0) {
    fault << "above=" << random.From(1, 64) << "MiB";
  } else if (row.kind == InjectionKind::kOom) {
    const std::string call = random.Of(kAllocatingCalls);
    fault << "call=" << call << ",nth=" << random.From(1, Chances("oom@p=0,call=" + call));
  } else {
    static constexpr int32_t kCodes[] = {
#define FOREBAY_CODE(enumerator, number, name, meaning) number,
#include "forebay/codes.def"
#undef FOREBAY_CODE
    };
    int32_t code = 0;
    while (code == 0) code = random.Of(kCodes);
    const std::string call = random.Of(kCalls);
    fault << "call=" << call << ",code=" << code
          << ",nth=" << random.From(1, Chances("api_error@code=500000,p=0,call=" + call));
  }
  return fault.str();
}

// The kind at a point that the seed picks. The ways to name a point take turns, and each kind begins with another.
std::string FaultOf(const InjectionRow& row, uint64_t seed) {
  Random random(row.name, seed);
  if (row.place == InjectionPlace::kCall || row.place == InjectionPlace::kMemory) return FaultOfCall(row, random);
  const uint64_t chances = Chances(std::string(row.name) + "@p=0");
  std::ostringstream fault;
  fault << row.name << '@';
  const bool has_time = base::HappensOnDevice(row.place);
  const uint64_t way = (seed + static_cast<uint64_t>(row.kind)) % (has_time ? 4 : 2);
  if (row.place == InjectionPlace::kDoorbell && way != 3) {
    // How many there are depends on when the device sleeps.
    fault << "p=" << random.Of({"0.1", "0.5", "1"}) << ",seed=" << random.Below(1000);
  } else if (way == 0) {
    fault << "nth=" << random.From(1, chances);
  } else if (way == 1) {
    fault << "p=" << std::min(1.0, 2.0 / static_cast<double>(chances)) << ",seed=" << random.Below(1000);
  } else if (way == 2) {
    // Of the tasks on each of the three streams. Those of other kinds have numbers as well.
    fault << "task=" << random.From(0, chances);
  } else {
    // A run takes about as long.
    fault << "after=" << random.From(0, 100'000) << "us";
    if (row.place != InjectionPlace::kDoorbell) fault << ",count=1";
  }
  if (row.kind == InjectionKind::kSlow) fault << ",factor=" << random.From(2, 1000);
  return fault.str();
}

// Most in plain order, some in another that is allowed.
std::string ScheduleOf(uint64_t seed) { return seed % 3 == 0 ? "seed:" + std::to_string(seed) : ""; }

// Kinds that the example gives no occasion to, with the reason.
const std::map<std::string_view, const char*>& NeverHappens() {
  static const std::map<std::string_view, const char*> kinds;
  return kinds;
}

bool IsDefined(int32_t code) { return CodeName(static_cast<Code>(code)) != CodeName(static_cast<Code>(-1)); }

// Whether the run may end with this code: that of the fault itself, or that of a wait for what has failed.
bool IsCodeOf(const InjectionRow& row, const std::string& fault, int32_t code) {
  if (row.kind == InjectionKind::kApiError) return fault.find("code=" + std::to_string(code)) != std::string::npos;
  // Stops nothing: the next kernel works on what the task has left undone, and may fault.
  if (row.kind == InjectionKind::kEndOfSequence && code == static_cast<int32_t>(Code::kAicoreException)) return true;
  return code == static_cast<int32_t>(row.code) || code == static_cast<int32_t>(Code::kDependencyFailed);
}

void JudgeFirst(const InjectionRow& row, const std::string& fault, const Outcome& first) {
  if (first.code == 0) {
    EXPECT_EQ(first.result, Undisturbed().first.result) << "a wrong result, and no code";
    return;
  }
  ASSERT_EQ(first.code, 2) << "neither a success nor a failure";
  std::smatch match;
  ASSERT_TRUE(std::regex_search(first.complaint, match, std::regex("digits: .* failed with ([0-9]+): ")));
  const int32_t code = std::stoi(match[1]);
  EXPECT_TRUE(IsDefined(code));
  EXPECT_TRUE(IsCodeOf(row, fault, code)) << code;
}

void Judge(const InjectionRow& row, const std::string& fault, const Report& report) {
  SCOPED_TRACE(report.command + "\nstandard output:\n" + report.output + "standard error:\n" + report.errors);
  ASSERT_FALSE(report.hangs) << "it does not end; the state is in its standard error";
  ASSERT_TRUE(WIFEXITED(report.status)) << "signal " << WTERMSIG(report.status);
  EXPECT_EQ(WEXITSTATUS(report.status), 0);
  JudgeFirst(row, fault, report.first);
  EXPECT_EQ(report.second.code, 0) << "it does not work again";
  EXPECT_EQ(report.second.result, Undisturbed().second.result);
  EXPECT_EQ(report.second.complaint, "");
  EXPECT_EQ(report.left, Undisturbed().left);
  EXPECT_FALSE(report.leaves_processes);
  EXPECT_FALSE(report.leaves_files);
}

uint64_t Number(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(Chaos, TheExampleWithoutAFaultIsRightTwice) {
  const Report& report = Undisturbed();
  SCOPED_TRACE(report.command + "\nstandard output:\n" + report.output + "standard error:\n" + report.errors);
  ASSERT_FALSE(report.hangs);
  EXPECT_EQ(report.status, 0);
  EXPECT_EQ(report.first.code, 0);
  EXPECT_NE(report.first.result.find("held-out digits right: "), std::string::npos);
  EXPECT_EQ(report.second.code, 0);
  EXPECT_EQ(report.second.result, report.first.result);
  const std::string after_first = report.left.substr(0, report.left.size() / 2);
  EXPECT_EQ(report.left, after_first + after_first);
  EXPECT_NE(report.left.find(" 0 children, 0 memory files, 0 TiB"), std::string::npos);
  EXPECT_NE(report.left.find("0 devices, 0 ranges, 0 bytes, 0 pinned bytes, 0 streams, 0 events, 0 images"),
            std::string::npos);
  for (const char* call : kCalls) {
    EXPECT_GT(report.faults.at(std::string("api_error@code=500000,p=0,call=") + call).matched, 0U) << call;
  }
}

class ChaosOf : public ::testing::TestWithParam<InjectionRow> {};

TEST_P(ChaosOf, EndsWithItsCodeOrTheRightResultAndWorksAgain) {
  const InjectionRow& row = GetParam();
  const bool loops = row.kind == InjectionKind::kTimeout || row.kind == InjectionKind::kVectorTimeout;
#if defined(__SANITIZE_THREAD__)
  if (loops) GTEST_SKIP() << "ThreadSanitizer keeps the signals back that stop a kernel";
#endif
  ASSERT_EQ(Undisturbed().first.code, 0);
  const uint64_t seeds = Number("TEST_CHAOS_SEEDS", kSeeds), first = Number("TEST_CHAOS_FIRST_SEED", 1);
  uint64_t happened = 0, failed = 0;
  std::string tried;
  // Not every point is one where it can happen; one is found.
  for (uint64_t seed = first; seed < first + seeds || (happened == 0 && seed < first + seeds + kMoreSeeds); ++seed) {
    const std::string fault = FaultOf(row, seed);
    const Report report = RunWith(fault, ScheduleOf(seed), loops ? seconds(2) : kAmple);
    Judge(row, fault, report);
    if (HasFatalFailure()) return;
    const auto counts = report.faults.find(fault);
    const bool did_happen = counts != report.faults.end() && counts->second.happened > 0;
    happened += did_happen;
    failed += report.first.code != 0;
    tried += fault + (did_happen ? "" : " (did not happen)") + '\n';
  }
  if (NeverHappens().contains(row.name)) {
    EXPECT_EQ(happened, 0U) << "it does now; take it off the list\n" << tried;
  } else {
    EXPECT_GT(happened, 0U) << tried;
  }
  EXPECT_LE(failed, happened) << tried;
  if (row.code == Code::kSuccess) {
    EXPECT_EQ(failed, 0U) << "this kind is no failure\n" << tried;
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, ChaosOf, ::testing::ValuesIn(base::InjectionTable()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace forebay::testing
