#include "contract/driver_contract.h"

namespace forebay::testing {
namespace {

struct InlineBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kInline;
  static constexpr bool kExecutes = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Inline, DriverContract, InlineBackend);

}  // namespace
}  // namespace forebay::testing
