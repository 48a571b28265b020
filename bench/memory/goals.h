// A table of goals, and whether they are reached.
#pragma once

#include <fmt/format.h>

#include <string>

namespace forebay::bench {

inline void GoalHeader() { fmt::print("\n| | Goal | Here | Reached |\n|---|---|---|---|\n"); }

inline void Goal(const std::string& name, const std::string& goal, const std::string& here, bool is_reached) {
  fmt::print("| {} | {} | {} | {} |\n", name, goal, here, is_reached ? "yes" : "**no**");
}

}  // namespace forebay::bench
