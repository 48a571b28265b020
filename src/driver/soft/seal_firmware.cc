// Build tool: appends the seal to a firmware image.   seal_firmware IMAGE
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "firmware_image.h"
#include "forebay/types/bar.h"

int main(int argument_count, char** arguments) {
  using namespace forebay::driver;
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: seal_firmware IMAGE\n");
    return 2;
  }
  std::ifstream input(arguments[1], std::ios::binary);
  const std::vector<char> image((std::istreambuf_iterator<char>(input)), {});
  FirmwareSeal seal{};
  std::memcpy(seal.magic, kSealMagic, sizeof seal.magic);
  seal.bar_version = forebay::types::kBarVersion;
  seal.image_bytes = image.size();
  seal.checksum = FirmwareChecksum(image.data(), image.size());
  std::ofstream output(arguments[1], std::ios::binary | std::ios::app);
  output.write(reinterpret_cast<const char*>(&seal), sizeof seal);
  output.close();
  if (image.empty() || !output) {
    std::fprintf(stderr, "seal_firmware: %s cannot be read or written\n", arguments[1]);
    return 1;
  }
  return 0;
}
