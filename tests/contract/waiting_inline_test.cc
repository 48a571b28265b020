#include "contract/waiting_contract.h"

namespace forebay::testing {
namespace {

struct InlineBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kInline;
  static constexpr uint64_t kSeeds = 100;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Inline, WaitingContract, InlineBackend);

}  // namespace
}  // namespace forebay::testing
