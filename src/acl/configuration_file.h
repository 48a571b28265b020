// The JSON file of aclInit.
#pragma once

#include <string>

#include "forebay/base/configuration.h"
#include "forebay/status.h"

namespace forebay::acl {

struct InitSettings {
  std::string text = "{}";  // what the file says, however it is laid out
  base::Configuration configuration;
  bool messages_per_process = false;
  int32_t default_device = -1;  // -1: none
};

// Reads and checks the file; null means defaults. Nothing takes effect.
Result<InitSettings> ReadInitSettings(const char* path);

}  // namespace forebay::acl
