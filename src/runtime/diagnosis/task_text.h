// Tasks and host functions in words.
#pragma once

#include <string>

#include "forebay/runtime/stream.h"

namespace forebay::runtime {

// One task: "copy 64 bytes from pinned to device".
std::string DescribeTask(const types::Command& command, const DeviceState& device);
// The same with its number, the name of a host function, and where it was submitted, as far as that is known.
std::string TaskLine(const QueuedTask& task, const Stream& stream);
// What a host function is called: "on_step (train.cc:12)".
std::string DescribeFunction(const FunctionName& name);
// What is compared: ">= 5".
std::string DescribeCondition(types::Condition condition, uint64_t value);

}  // namespace forebay::runtime
