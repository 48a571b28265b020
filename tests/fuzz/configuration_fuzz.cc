// The JSON file of aclInit: any file is taken or refused in words, and what it says stays when it is laid out anew.
#include <sys/mman.h>
#include <unistd.h>

#include "configuration_file.h"
#include "fuzz/input.h"

using namespace forebay;

namespace {

// Of a file with that content.
Result<acl::InitSettings> Read(std::string_view content) {
  const int file = memfd_create("configuration", MFD_CLOEXEC);
  FUZZ_EXPECT(file >= 0 && write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
              "no file");
  auto settings = acl::ReadInitSettings(("/proc/self/fd/" + std::to_string(file)).c_str());
  close(file);
  return settings;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) { return 0; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t bytes) {
  const auto settings = Read({reinterpret_cast<const char*>(data), bytes});
  if (!settings.ok()) {
    const Error& error = *settings.status().error();
    FUZZ_EXPECT(error.code != Code::kInternal && !error.message.empty(), "%s", error.message.c_str());
    return 0;
  }
  const auto again = Read(settings->text);
  FUZZ_EXPECT(again.ok() && again->text == settings->text, "%s", settings->text.c_str());
  FUZZ_EXPECT(again->default_device == settings->default_device, "%s", settings->text.c_str());
  return 0;
}
