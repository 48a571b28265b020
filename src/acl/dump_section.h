// The object "dump" in the file of aclInit.
#pragma once

#include <nlohmann/json.hpp>

#include "forebay/status.h"

namespace forebay::acl {

// Checks it as documented. `asks_for_any` receives whether it asks for a dump at all. kInvalidDumpConfig.
Status CheckDumpSection(const nlohmann::json& section, bool* asks_for_any);

}  // namespace forebay::acl
