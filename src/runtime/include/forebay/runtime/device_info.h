// What can be asked of a device, whether it is set or not, and what a program may limit.
//
// Devices have three numbers. The program's own counts the devices that it sees. The logical and the physical number
// count those of the system, and are the same here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/status.h"

namespace forebay::runtime {

struct Cores {
  uint32_t cube = 0;
  uint32_t vector = 0;
};
// The cores of each device: those of the part, or what ai_cores makes of them.
Cores HardwareCores();

// kInvalidDeviceId when the program does not see the device.
Result<int32_t> PhysicalId(int32_t device);
Result<int32_t> DeviceWithPhysicalId(int32_t physical);
// The memory that it has, or would have if it were set now.
Result<uint64_t> MemoryBytes(int32_t device);
// The same in every process, and another one for each device of each machine.
Result<std::array<char, 16>> Uuid(int32_t device);
// "0000:80:00.0". kFeatureNotSupport for a part without the bus.
Result<std::string> PciBusId(int32_t device);
Result<int32_t> DeviceWithPciBusId(std::string_view text);

enum class DeviceLink { kDirect, kSameChip, kSwitch, kPcieBridge };
Result<DeviceLink> LinkBetween(int32_t device, int32_t other);

// How much of the time since the last question, or since it was set, a device has worked on tasks, in percent.
Result<int32_t> Utilization(int32_t device);

// ---- Peer access: from one device to the memory of another, in one direction ----

Result<bool> CanAccessPeer(int32_t device, int32_t peer);
// From the current device. The access ends with the reset of that device.
Status EnablePeerAccess(int32_t peer);
Status DisablePeerAccess(int32_t peer);
// False also when there is no such device.
bool PeerAccessEnabled(int32_t device, int32_t peer);

// ---- Limits of the process, for all devices ----

enum class DeviceLimit : uint32_t { kSimtStack, kSimtDivergenceStack, kSimdStack, kSimdPrintPerCore, kSimtPrint };
// In bytes. Takes effect when a device is set that nobody uses.
Status SetDeviceLimit(DeviceLimit limit, uint64_t bytes);
// What was set last, whether it is in effect or not.
Result<uint64_t> GetDeviceLimit(DeviceLimit limit);

// ---- How many cores a program wants to use. Nobody enforces it: who launches asks for it and chooses the blocks. ----

enum class CoreKind : uint32_t { kCube, kVector };
inline constexpr uint32_t kCoreKinds = 2;
Result<uint32_t> CoreLimitOfDevice(int32_t device, CoreKind kind);
Status SetCoreLimitOfDevice(int32_t device, CoreKind kind, uint32_t cores);
Status ResetCoreLimitsOfDevice(int32_t device);
// Of a stream: its own limit, else that of its device.
Result<uint32_t> CoreLimitOfStream(uint64_t stream, CoreKind kind);
Status SetCoreLimitOfStream(uint64_t stream, CoreKind kind, uint32_t cores);
Status ResetCoreLimitsOfStream(uint64_t stream);
// Makes the limits of a stream those of the calling thread, until they are unused or the stream is destroyed.
Status UseCoreLimitsOfStream(uint64_t stream);
Status UnuseCoreLimitsOfStream(uint64_t stream);
// Those of the stream that the thread uses, else those of its device.
Result<uint32_t> CoreLimitOfThread(CoreKind kind);

}  // namespace forebay::runtime
