// SyncAll: the blocks of one kernel meet, however few cores the host has.
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class SyncAll : public RuntimeTest {};

TEST_F(SyncAll, FortyBlocksMeetOnTwoCores) {
  Close();
  ASSERT_OK(Runtime::Configure("core_threads", "2"));
  Open();
  const StreamHandle stream = Must(CreateStream());
  constexpr uint32_t kBlocks = 40, kRounds = 20;
  const RuntimeTensor counters = Words(std::vector<uint32_t>(kBlocks + 1, 0));
  ASSERT_OK(Launch(basic["sync_blocks"], stream, kBlocks, counters.address(), kRounds));
  ASSERT_OK(SynchronizeStream(stream));
  std::vector<uint32_t> expected(kBlocks, kRounds);
  expected.push_back(0);
  EXPECT_EQ(Read(counters), expected);
  ASSERT_OK(Runtime::Configure("core_threads", "0"));
}

TEST_F(SyncAll, BlocksThatDoNotAllCallItFail) {
  const Kernels kernels("integration_kernels");
  const StreamHandle stream = Must(CreateStream());
  ASSERT_OK(Launch(kernels["sync_some"], stream, 8, uint32_t{5}));
  const Status failed = SynchronizeStream(stream);
  ASSERT_EQ(failed.code(), Code::kAicoreException) << failed.ToString();
  EXPECT_NE(failed.ToString().find("SyncAll"), std::string::npos) << failed.ToString();
  EXPECT_EQ(failed.error()->kernel, "sync_some");
  EXPECT_GE(failed.error()->block, 0);
  EXPECT_LT(failed.error()->block, 5) << "one of those that wait";
  ASSERT_OK(RecoverStream(stream));
  EXPECT_OK(Launch(kernels["sync_some"], stream, 8, uint32_t{8}));
  EXPECT_OK(SynchronizeStream(stream));
}

TEST_F(SyncAll, MoreBlocksThanCoresFail) {
  const StreamHandle stream = Must(CreateStream());
  const RuntimeTensor counters = Words(std::vector<uint32_t>(42, 0));
  ASSERT_OK(Launch(basic["sync_blocks"], stream, 41, counters.address(), uint32_t{1}));
  const Status failed = SynchronizeStream(stream);
  ASSERT_EQ(failed.code(), Code::kAicoreException) << failed.ToString();
  EXPECT_NE(failed.ToString().find("41 blocks"), std::string::npos) << failed.ToString();
}

}  // namespace
}  // namespace forebay::testing
