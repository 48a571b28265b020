// The JSON file of aclInit.
#pragma once

#include <string>
#include <vector>

#include "forebay/base/configuration.h"
#include "forebay/status.h"

namespace forebay::acl {

struct InitSettings {
  std::string file = "{}";  // the file as it is
  std::string text = "{}";  // what it says, however it is laid out
  base::Configuration configuration;
  bool messages_per_process = false;
  int32_t default_device = -1;     // -1: none
  std::vector<std::string> notes;  // what is configured, and has no effect
};

// Reads and checks the file; null means defaults. Nothing takes effect.
Result<InitSettings> ReadInitSettings(const char* path);

}  // namespace forebay::acl
