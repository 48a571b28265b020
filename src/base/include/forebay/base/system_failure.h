// Failures of the operating system, in words that name the limit behind them.
#pragma once

#include <string>
#include <string_view>

#include "forebay/status.h"

namespace forebay::base {

// "<what>: <the system's reason>", the limit of this process that it points to with its value, and how to raise it.
// `advice` is given where the reason points to no limit. `error` is an errno.
Status SystemFailure(Code code, std::string_view what, int error, std::string advice = {});

}  // namespace forebay::base
