// expect: a kernel's arguments take at most 65536 bytes
#include "forebay/kernel.h"

struct Large {
  char bytes[40000];
};
__global__ void large(Large, Large) {}
