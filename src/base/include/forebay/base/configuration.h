// The values of all parameters. parameters.def is the table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/status.h"

namespace forebay::base {

struct Configuration {
#define FOREBAY_INTEGER(name, default_value, lowest, highest, unit, meaning) int64_t name = default_value;
#define FOREBAY_TEXT(name, default_value, allowed, meaning) std::string name = default_value;
#include "forebay/base/parameters.def"
#undef FOREBAY_INTEGER
#undef FOREBAY_TEXT

  // Sets one parameter by name. An unknown name or a value out of range is an error that names it, and nothing changes.
  // `source` says where the value comes from, for the message.
  Status Set(std::string_view name, std::string_view value, std::string_view source);
  // Takes every FOREBAY_* variable that is a parameter, and the CANN variables that have the same meaning.
  Status ApplyEnvironment();
  // The seed of FOREBAY_SCHEDULE=seed:N; false when there is none.
  bool ScheduleSeed(uint64_t* seed) const;
};

// A row of the table, for documentation.
struct ParameterRow {
  std::string name;
  std::string default_value;
  std::string range;
  std::string unit;
  std::string meaning;
};
std::vector<ParameterRow> ParameterTable();

}  // namespace forebay::base
