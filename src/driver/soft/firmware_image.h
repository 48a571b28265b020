// The firmware image on disk: an executable with a seal behind it that names its version and proves it whole.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/status.h"

namespace forebay::driver {

// The last bytes of the file. The build appends it (tools/seal_firmware).
struct FirmwareSeal {
  char magic[8];         // "FBSEAL1"
  uint32_t bar_version;  // the register layout that the firmware speaks
  uint32_t reserved;
  uint64_t image_bytes;  // bytes before the seal
  uint64_t checksum;     // FNV-1a of those bytes
};
inline constexpr char kSealMagic[8] = "FBSEAL1";

uint64_t FirmwareChecksum(const void* data, std::size_t bytes, uint64_t seed = 0xcbf29ce484222325u) noexcept;

// Success when the file is a whole firmware image of this version; otherwise kDeviceSetup and which of these is wrong.
Status VerifyFirmwareImage(const std::string& path);

}  // namespace forebay::driver
