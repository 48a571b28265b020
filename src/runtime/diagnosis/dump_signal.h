// A signal at which the process writes its state (DumpState) to standard error, and to the log as an event.
#pragma once

namespace forebay::runtime {

// 0: none. The handler only wakes a thread, which does the work, and calls the handler that was there before.
void ConfigureDumpSignal(int signal);
// The thread does not survive a fork; whoever begins to use a device sees to it that there is one.
void EnsureDumpThread();

}  // namespace forebay::runtime
