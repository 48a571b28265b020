// The grammar of injections: any text is read or refused in words, and what was read says the same when it is read
// again.
#include "forebay/base/injection.h"
#include "fuzz/input.h"

using namespace forebay;

extern "C" int LLVMFuzzerInitialize(int*, char***) { return 0; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t bytes) {
  const auto parsed = base::ParseInjections({reinterpret_cast<const char*>(data), bytes});
  if (!parsed.ok()) {
    const Error& error = *parsed.status().error();
    FUZZ_EXPECT(error.code == Code::kInvalidParam, "%d", static_cast<int>(error.code));
    FUZZ_EXPECT(!error.message.empty() && !error.advice.empty(), "%s", error.message.c_str());
    return 0;
  }
  for (const base::Injection& injection : *parsed) {
    const auto again = base::ParseInjections(injection.text);
    FUZZ_EXPECT(again.ok() && again->size() == 1 && again->front() == injection, "%s", injection.text.c_str());
    base::ArmedInjection armed(injection, 1, false);
    for (int i = 0; i < 4; ++i) armed.Match();
    FUZZ_EXPECT(injection.count == 0 || armed.happened <= injection.count, "%s", injection.text.c_str());
  }
  return 0;
}
