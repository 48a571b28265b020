// What the program has not given back.
#pragma once

#include <string>
#include <vector>

namespace forebay::runtime {

// Streams and events that there are, with the places that made most of them: "3 events were not destroyed: 2 made at
// Load (model.cc:12), ...". Nothing of what comes and goes with a context.
std::vector<std::string> DescribeLeaks();

}  // namespace forebay::runtime
