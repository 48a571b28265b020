// expect: a kernel's parameter must be trivially copyable
#include "forebay/kernel.h"

struct Owner {
  Owner(const Owner&) {}
  int value;
};
__global__ void owner(Owner) {}
