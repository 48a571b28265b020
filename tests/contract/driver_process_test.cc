#include "contract/driver_contract.h"

namespace forebay::testing {
namespace {

struct ProcessBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kProcess;
  static constexpr bool kExecutes = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Process, DriverContract, ProcessBackend);

}  // namespace
}  // namespace forebay::testing
