#include "integration/kernel_faults.h"

namespace forebay::testing {
namespace {

struct InlineBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kInline;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Inline, KernelFaults, InlineBackend);

}  // namespace
}  // namespace forebay::testing
