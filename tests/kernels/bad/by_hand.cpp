// A kernel binary put together without the toolchain, which lets it lack parts of what a binary has to have.
#include "forebay/kernel_glue.h"

extern "C" int aclrtMalloc(void** pointer, unsigned long bytes, int policy);
namespace forebay {
void Submit();
}

#ifndef WITHOUT_BIND
extern "C" __attribute__((visibility("default"))) void forebay_kernel_bind(const forebay::kernel_abi::DeviceServices*) {
}
#endif

extern "C" void launch([[maybe_unused]] void** pointer) {
#ifdef CALL_RUNTIME
  aclrtMalloc(pointer, 1, 0);
  forebay::Submit();
#endif
}

#ifdef WITHOUT_ENTRY
#define forebay_entry_launch some_other_function
#endif
FOREBAY_KERNEL_ENTRY(launch, ::launch, kVector)
