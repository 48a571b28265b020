// The structs that the basic kernels take by value, for the kernels and for the tests that launch them.
#pragma once

#include <cstdint>

namespace forebay_test {

struct LargeStruct {
  uint8_t bytes[300];
};

struct Triple {
  uint8_t a, b, c;
};

// What mixed_arguments writes.
struct Mixed {
  uint8_t small;
  float real;
  Triple triple;
  double wide;
};

}  // namespace forebay_test
