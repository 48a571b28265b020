// The kernels of raw_kernels.cc, for tests of the driver.
#pragma once

#include <fstream>
#include <iterator>

#include "support/driver_harness.h"

namespace forebay::testing {

enum RawKernel : uint32_t {
  kAppend,
  kMarkBlocks,
  kMeet,
  kMeetWithoutTheFirst,
  kRead,
  kWrite,
  kTrap,
  kDivide,
  kRecurse,
  kAbort,
  kExit,
  kAwaitWord,
  kPrintLines,
  kPrintForever,
  kSum,
  kFollowPlaceholder,
  kCountCalls
};

inline const std::vector<std::string>& RawKernelNames() {
  static const std::vector<std::string> names = {"Append",     "MarkBlocks",   "Meet", "MeetWithoutTheFirst",
                                                 "Read",       "Write",        "Trap", "Divide",
                                                 "Recurse",    "Abort",        "Exit", "AwaitWord",
                                                 "PrintLines", "PrintForever", "Sum",  "FollowPlaceholder",
                                                 "CountCalls"};
  return names;
}

inline std::vector<std::byte> ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

inline uint32_t LoadRawKernels(driver::Device& device) {
  const auto loaded = device.LoadImage(ReadBytes(RAW_KERNELS), RawKernelNames(), 0);
  EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
  return loaded.ok() ? *loaded : ~0u;
}

// Packed arguments of 64-bit words.
class Arguments {
 public:
  Arguments(std::initializer_list<uint64_t> words) : words_(words) {}
  explicit Arguments(std::vector<uint64_t> words) : words_(std::move(words)) {}
  operator std::span<const std::byte>() const {
    return std::as_bytes(std::span(words_));
  }  // NOLINT(google-explicit-constructor)

 private:
  std::vector<uint64_t> words_;
};

}  // namespace forebay::testing
