// A memory pool of device 0, and two streams that use it.
#pragma once

#include "conformance/memory_calls.h"
#include "conformance/stream_fixture.h"

namespace conformance {

inline constexpr std::size_t kMiB = std::size_t{1} << 20;

class MemoryPoolTest : public WithStream {
 protected:
  void SetUp() override {
    WithStream::SetUp();
    pool_ = MakePool();
    ASSERT_OK(aclrtCreateStream(&other_));
  }
  // A pool with room for one block of 4 MiB.
  void MakeWithRoomForOne() {
    ASSERT_OK(aclrtMemPoolDestroy(pool_));
    pool_ = MakePool(4 * kMiB);
  }
  void* Take(std::size_t bytes, aclrtStream stream) {
    void* memory = nullptr;
    EXPECT_OK(aclrtMemPoolMallocAsync(&memory, bytes, pool_, stream));
    return memory;
  }
  // Where a block was that stream_ has taken and released.
  void* Released(std::size_t bytes) {
    void* memory = Take(bytes, stream_);
    EXPECT_OK(aclrtMemPoolFreeAsync(memory, stream_));
    return memory;
  }
  uint64_t Get(aclrtMemPoolAttr attribute) {
    uint64_t value = 0;
    EXPECT_OK(aclrtMemPoolGetAttr(pool_, attribute, &value));
    return value;
  }
  void Switch(aclrtMemPoolAttr attribute, uint32_t value) { EXPECT_OK(aclrtMemPoolSetAttr(pool_, attribute, &value)); }
  // Only what is named lets one stream have what another released.
  void Allow(bool events, bool chance, bool waits) {
    Switch(ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, events ? 1 : 0);
    Switch(ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, chance ? 1 : 0);
    Switch(ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, waits ? 1 : 0);
  }
  void Threshold(uint64_t bytes) {
    EXPECT_OK(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &bytes));
  }

  aclrtMemPool pool_ = nullptr;
  aclrtStream other_ = nullptr;
};

}  // namespace conformance
