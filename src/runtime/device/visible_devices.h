// Which devices of the system a process sees, and under which numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/configuration.h"

namespace forebay::runtime {

struct VisibleDevices {
  std::string list;               // as it was given; empty: all
  std::vector<int32_t> physical;  // the physical number by the number that the process uses
  // The list counts up to its first token that is not an ascending number of a device.
  bool cut = false;
  std::string cut_at;
  std::string reason;

  std::string Describe() const;  // "0 -> 1, 1 -> 3"
};
VisibleDevices FindVisibleDevices(const base::Configuration& configuration);
// Says so on the error output when the list is cut; nobody would find out otherwise.
void WarnWhenCut(const base::Configuration& configuration);

}  // namespace forebay::runtime
