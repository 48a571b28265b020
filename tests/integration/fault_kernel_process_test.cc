#include "integration/kernel_faults.h"

namespace forebay::testing {
namespace {

struct ProcessBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kProcess;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Process, KernelFaults, ProcessBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Process, KernelHangs, ProcessBackend);

}  // namespace
}  // namespace forebay::testing
