#include "firmware_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "forebay/base/system_failure.h"
#include "forebay/base/unique_fd.h"
#include "forebay/types/bar.h"

namespace forebay::driver {
namespace {

constexpr char kReinstall[] =
    "Install Forebay again, or point FOREBAY_FIRMWARE at the forebay-npu that belongs to this library";

Status Corrupt(const std::string& path, const std::string& why) {
  return Status(Code::kDeviceSetup, fmt::format("the firmware image {} is corrupt: {}", path, why), kReinstall);
}

}  // namespace

uint64_t FirmwareChecksum(const void* data, std::size_t bytes, uint64_t seed) noexcept {
  const auto* byte = static_cast<const unsigned char*>(data);
  uint64_t hash = seed;
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

Status VerifyFirmwareImage(const std::string& path) {
  base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    const std::string_view what = errno == ENOENT ? "is missing" : "cannot be read";
    return base::SystemFailure(Code::kDeviceSetup, fmt::format("the firmware image {} {}", path, what), errno,
                               kReinstall);
  }
  struct stat status{};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Corrupt(path, "it is not a regular file");
  const auto bytes = static_cast<uint64_t>(status.st_size);
  if (bytes <= sizeof(FirmwareSeal)) return Corrupt(path, fmt::format("it has only {} bytes", bytes));
  void* address = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) return Corrupt(path, "it cannot be read");
  const base::Mapping mapping(address, bytes);
  FirmwareSeal seal;
  std::memcpy(&seal, mapping.data() + bytes - sizeof seal, sizeof seal);
  if (std::memcmp(seal.magic, kSealMagic, sizeof seal.magic) != 0) return Corrupt(path, "its seal is missing");
  if (seal.bar_version != types::kBarVersion) {
    return Status(Code::kDeviceSetup,
                  fmt::format("the firmware image {} has interface version {}, this library needs {}", path,
                              seal.bar_version, types::kBarVersion),
                  kReinstall);
  }
  if (seal.image_bytes != bytes - sizeof seal) return Corrupt(path, "it is not as long as its seal says");
  if (FirmwareChecksum(mapping.data(), seal.image_bytes) != seal.checksum)
    return Corrupt(path, "its checksum does not match");
  return {};
}

}  // namespace forebay::driver
