// Several threads that make, use and destroy everything at once.
#include <atomic>
#include <barrier>

#include "forebay/base/thread.h"
#include "support/runtime_fixture.h"
#include "tensor_traffic.h"

namespace forebay::testing {
namespace {

class Stress : public RuntimeTest {
 protected:
  void TearDown() override {
    Close();
    EXPECT_OK(Runtime::Configure("schedule", ""));
  }
  static void InThreads(uint32_t count, const std::function<void(uint32_t)>& body) {
    std::vector<base::Thread> threads;
    for (uint32_t i = 0; i < count; ++i) {
      threads.emplace_back("test", [&body, i] {
        EXPECT_OK(SetDevice(0));
        body(i);
        EXPECT_OK(ResetDevice(0));
      });
    }
    for (base::Thread& thread : threads) thread.Join();
  }
  void UsePools(uint32_t rounds);
};

TEST_F(Stress, ThreadsWithStreamsOfTheirOwn) {
  UnderSeeds(3, [&] {
    const KernelHandle add_one = basic["add_one"];
    InThreads(4, [&](uint32_t) {
      for (int round = 0; round < 15; ++round) {
        const StreamHandle first = Must(CreateStream(round % 8)), second = Must(CreateStream());
        RuntimeTensor data = Words(std::vector<uint32_t>(32, 0));
        for (uint32_t i = 0; i < 20; ++i) {
          EXPECT_OK(LaunchOperator({add_one, {}, {data}, {uint32_t{32}}, 2, {}, {}}, i % 2 == 0 ? first : second));
        }
        EXPECT_OK(SynchronizeStream(first));
        EXPECT_OK(SynchronizeStream(second));
        EXPECT_EQ(Read(data), std::vector<uint32_t>(32, 20));
        EXPECT_OK(DestroyStream(first));
        EXPECT_OK(DestroyStream(second));
      }
    });
  });
}

using TensorStress = TensorTraffic;
TEST_F(TensorStress, CountsAreExactAfterAMillionOperations) { Run(4, 250'000); }

TEST_F(Stress, ThreadsThatShareStreamsAndEvents) {
  const KernelHandle append = basic["append"], add_one = basic["add_one"];
  const StreamHandle streams[] = {Must(CreateStream()), Must(CreateStream()), Must(CreateStream())};
  const EventHandle events[] = {Must(CreateEvent()), Must(CreateEvent())};
  const RuntimeTensor log = Log(4 * 120);
  std::atomic<uint32_t> called{0};
  InThreads(4, [&](uint32_t thread) {
    RuntimeTensor mine = Words(std::vector<uint32_t>(16, 0));
    for (uint32_t i = 0; i < 120; ++i) {
      const StreamHandle stream = streams[(i + thread) % 3];
      EXPECT_OK(Launch(append, stream, 1, log.address(), thread * 1000 + i));
      EXPECT_OK(RecordEvent(events[i % 2], stream));
      EXPECT_OK(StreamWaitEvent(streams[(i + 1) % 3], events[i % 2]));
      EXPECT_OK(LaunchOperator({add_one, {}, {mine}, {uint32_t{16}}, 1, {}, {}}, stream));
      if (i % 10 == 0) {
        EXPECT_OK(LaunchHostFunction(stream, [&called] { ++called; }));
      }
      if (i % 40 == 0) {
        EXPECT_OK(SynchronizeEvent(events[i % 2]));
      }
    }
    EXPECT_OK(SynchronizeDevice());
    EXPECT_EQ(Read(mine), std::vector<uint32_t>(16, 120));
  });
  EXPECT_EQ(Logged(log).size(), 4U * 120U);
  EXPECT_EQ(called.load(), 4U * 12U);
}

TEST_F(Stress, OneEventRecordedByManyThreadsOnOneStream) {
  const StreamHandle stream = Must(CreateStream()), waiter = Must(CreateStream());
  const EventHandle event = Must(CreateEvent());
  constexpr std::ptrdiff_t kThreads = 4;
  std::barrier meeting(kThreads);
  InThreads(kThreads, [&](uint32_t thread) {
    for (int round = 0; round < 500; ++round) {
      meeting.arrive_and_wait();
      for (int i = 0; i < 3; ++i) EXPECT_OK(RecordEvent(event, stream));
      meeting.arrive_and_wait();
      if (thread != 0) continue;
      // A value that went back would leave the waiter waiting for ever.
      EXPECT_OK(StreamWaitEvent(waiter, event));
      EXPECT_OK(SynchronizeStream(waiter, 20'000));
    }
  });
}

TEST_F(Stress, StreamsDestroyedWhileOthersSubmitToThem) {
  const KernelHandle nop = basic["nop"];
  for (int round = 0; round < 20; ++round) {
    const StreamHandle stream = Must(CreateStream());
    InThreads(3, [&](uint32_t thread) {
      for (int i = 0; i < 100; ++i) {
        if (thread == 0 && i == 50) {
          EXPECT_OK(DestroyStream(stream));
        }
        const Status status = Launch(nop, stream, 1);
        EXPECT_TRUE(status.ok() || status.code() == Code::kInvalidHandle) << status.ToString();
        const Status waited = i % 20 == 0 ? SynchronizeStream(stream) : QueryStreamStatus(stream);
        EXPECT_TRUE(waited.ok() || waited.code() == Code::kInvalidHandle) << waited.ToString();
      }
    });
  }
}

TEST_F(Stress, PoolsAndTensorsInManyThreads) {
  const std::shared_ptr<MemoryPool> own = Must(MemoryPool::Create());
  InThreads(4, [&](uint32_t thread) {
    std::vector<RuntimeTensor> tensors(8);
    for (uint32_t i = 0; i < 400; ++i) {
      const int64_t extent = 1 + (i * 7919 + thread * 104729) % 20'000;
      tensors[i % 8] = Must(RuntimeTensor::FromPool(*own, {extent}, DataType::kFloat));
      if (i % 100 == 0) own->Trim();
    }
  });
  EXPECT_EQ(own->statistics().live_blocks, 0U);
  EXPECT_EQ(own->statistics().requested_bytes, 0U);
}

TEST_F(Stress, TheDeviceIsResetWhileOtherThreadsUseIt) {
  const StreamHandle stream = Must(CreateStream());
  const EventHandle event = Must(CreateEvent());
  const KernelHandle nop = basic["nop"];
  std::atomic<bool> stop{false};
  std::vector<base::Thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back("test", [&, i] {
      // Adopts the device without a reference that would keep it on.
      EXPECT_OK(SetDevice(0));
      EXPECT_OK(ResetDevice(0));
      while (!stop.load()) {
        Launch(nop, stream, 1).IgnoreError();
        if (i == 0) SynchronizeStream(stream).IgnoreError();
        if (i == 1) RecordEvent(event, stream).IgnoreError();
        if (i == 2) {
          if (const auto made = CreateStream(); made.ok()) DestroyStream(*made).IgnoreError();
          if (const auto made = MemoryPool::Create(); made.ok()) (*made)->Alloc(100).status().IgnoreError();
        }
      }
    });
  }
  for (int round = 0; round < 10 && !HasFailure(); ++round) {
    for (int i = 0; i < 200; ++i) Launch(nop, nullptr, 1).IgnoreError();
    EXPECT_OK(ResetDevice(0));
    ASSERT_OK(SetDevice(0));
  }
  stop.store(true);
  for (base::Thread& thread : threads) thread.Join();
}

}  // namespace
}  // namespace forebay::testing
