// How the driver starts the firmware process.
#pragma once

namespace forebay::device {

inline constexpr char kBootArgument[] = "--boot";
inline constexpr int kBarDescriptor = 3;
inline constexpr int kMemoryDescriptor = 4;
inline constexpr int kHostDescriptor = 5;  // a pidfd of the host process
inline constexpr int kFirstUnusedDescriptor = 6;

}  // namespace forebay::device
