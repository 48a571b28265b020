// Part of the project in this directory.
#pragma once

inline constexpr int kOne = 1;
