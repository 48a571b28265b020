// Time, for tests that watch that something does not happen, or happens in the end.
#pragma once

#include <chrono>
#include <thread>

namespace conformance {

inline void Pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

}  // namespace conformance
