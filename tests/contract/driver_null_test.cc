#include "contract/driver_contract.h"

namespace forebay::testing {
namespace {

struct NullBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kNull;
  static constexpr bool kExecutes = false;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Null, DriverContract, NullBackend);

}  // namespace
}  // namespace forebay::testing
