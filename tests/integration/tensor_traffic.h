// Many threads that copy, view, hand over, drop and launch the same tensors.
#pragma once

#include <array>
#include <mutex>
#include <random>
#include <vector>

#include "forebay/base/thread.h"
#include "support/runtime_fixture.h"

namespace forebay::testing {

class TensorTraffic : public RuntimeTest {
 protected:
  // Every count has to be exact in the end, and every block back in the pool.
  void Run(uint32_t thread_count, uint32_t operations_each) {
    const uint64_t live = pool->statistics().live_blocks;
    const KernelHandle add_one = basic["add_one"];
    {
      std::vector<RuntimeTensor> bases;
      for (int i = 0; i < 8; ++i) bases.push_back(Words(std::vector<uint32_t>(16, 0)));
      std::array<Slot, 32> slots;
      std::vector<base::Thread> threads;
      for (uint32_t t = 0; t < thread_count; ++t) {
        threads.emplace_back("traffic", [&, t] {
          EXPECT_OK(SetDevice(0));
          const StreamHandle stream = Must(CreateStream());
          std::minstd_rand random(t + 1);
          for (uint32_t i = 0; i < operations_each; ++i) Step(bases, slots, random, add_one, stream);
          EXPECT_OK(SynchronizeStream(stream));
          EXPECT_OK(DestroyStream(stream));
          EXPECT_OK(ResetDevice(0));
        });
      }
      for (base::Thread& thread : threads) thread.Join();
      slots = {};
      for (const RuntimeTensor& base : bases) EXPECT_EQ(base.use_count(), 1);
      EXPECT_EQ(pool->statistics().live_blocks, live + bases.size());
    }
    EXPECT_EQ(pool->statistics().live_blocks, live);
  }

 private:
  struct Slot {
    Slot() = default;
    Slot& operator=(Slot&& other) noexcept {
      tensor = std::move(other.tensor);
      return *this;
    }
    std::mutex mutex;
    RuntimeTensor tensor;
  };

  void Step(const std::vector<RuntimeTensor>& bases, std::array<Slot, 32>& slots, std::minstd_rand& random,
            KernelHandle add_one, StreamHandle stream) {
    const uint32_t choice = random() % 256;
    RuntimeTensor tensor = bases[random() % bases.size()];
    if (choice < 8) tensor = Words(8);
    if (choice % 2 == 0) tensor = Must(tensor.Slice(0, 4, 8));
    if (choice == 9) {
      EXPECT_OK(
          LaunchOperator({add_one, {}, {tensor}, {static_cast<uint32_t>(tensor.element_count())}, 1, {}, {}}, stream));
    }
    Slot& slot = slots[random() % slots.size()];
    {
      const std::lock_guard<std::mutex> lock(slot.mutex);
      std::swap(slot.tensor, tensor);
    }
  }
};

}  // namespace forebay::testing
