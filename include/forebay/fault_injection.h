// Faults on demand, for tests of what a program does when something fails.
//
//   InjectFaults("aicore_exception@stream=3,task=5");    the sixth task of stream 3 fails with 507015
//   InjectFaults("overheat@device=0,after=200ms");       device 0 fails as a whole
//   InjectFaults("oom@call=aclrtMalloc,nth=10");         the tenth aclrtMalloc finds no memory
//
// A fault takes the way that a real one takes: the device reports it, and the application learns of it by query,
// synchronise or callback. FOREBAY_INJECT, and "inject" in the configuration, take the same text. docs/injection.md has
// all kinds and keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/status.h"

#pragma GCC visibility push(default)
namespace forebay {

struct InjectedFault {
  std::string text;       // as it was asked for
  uint64_t matched = 0;   // how often what it is tied to came
  uint64_t happened = 0;  // and how often the fault happened then
};

// Arms one or several faults, separated by ";", in addition to those that are armed; on devices that are set at once,
// and on others when they are set. kInvalidParam, with nothing armed, names what cannot be read. Thread safety: all
// functions may be called from any thread.
Status InjectFaults(std::string_view text);
// Disarms all, those of the configuration too. A device that has failed stays so until it is reset.
void RemoveFaults();
// What is armed, in the order in which it was, with the counts of all devices.
std::vector<InjectedFault> ListFaults();

}  // namespace forebay
#pragma GCC visibility pop
