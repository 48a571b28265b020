#include "contract/waiting_contract.h"

namespace forebay::testing {
namespace {

struct ProcessBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kProcess;
  static constexpr uint64_t kSeeds = 10;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Process, WaitingContract, ProcessBackend);

}  // namespace
}  // namespace forebay::testing
