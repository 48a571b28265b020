// Eight threads on eight streams take, use, hand on and release memory of one pool at random, against a model: no two
// live blocks overlap, and every block holds what its user wrote from the first use to the last, in the order of
// streams. STRESS_ROUNDS makes it longer: 400000 take about ten minutes.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>

#include "forebay/base/thread.h"
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

constexpr uint32_t kThreads = 8;
constexpr std::size_t kBlocksOfAThread = 24;

// What is live, as the host knows it.
class Model {
 public:
  void Enter(void* address, std::size_t bytes) {
    const auto begin = reinterpret_cast<uint64_t>(address);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto next = live_.lower_bound(begin);
    EXPECT_TRUE(next == live_.end() || begin + bytes <= next->first);
    EXPECT_TRUE(next == live_.begin() || std::prev(next)->second <= begin);
    live_.emplace(begin, begin + bytes);
  }
  void Leave(void* address) {
    std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_EQ(live_.erase(reinterpret_cast<uint64_t>(address)), 1u);
  }

 private:
  std::mutex mutex_;
  std::map<uint64_t, uint64_t> live_;
};

class MemoryStress : public RuntimeTest {
 protected:
  struct Block {
    void* address;
    uint32_t words;
    uint32_t value;
    uint32_t stream;  // that used it last
  };

  void SetUp() override {
    RuntimeTest::SetUp();
    fill_ = basic["fill"];
    count_others_ = basic["count_others"];
    for (StreamHandle& stream : streams_) stream = Must(CreateStream());
    errors_ = Must(pool->Alloc(4));
    const uint32_t zero = 0;
    ASSERT_OK(Copy(errors_, &zero, 4));
  }
  void TearDown() override {
    for (const StreamHandle stream : streams_) EXPECT_OK(DestroyStream(stream));
    EXPECT_OK(pool->Free(errors_));
    RuntimeTest::TearDown();
  }

  uint32_t Errors() {
    uint32_t errors = 0;
    EXPECT_OK(Copy(&errors, errors_, 4));
    return errors;
  }
  static std::size_t PickWords(std::mt19937& random) {
    switch (random() % 8) {
      case 0: return 1 + random() % 65536;              // up to 256 KiB
      case 1: return (1 << 19) + random() % (1 << 18);  // 2 to 3 MiB
      default: return 1 + random() % 4096;              // slots
    }
  }
  void Fill(const Block& block) {
    void* address = block.address;
    uint32_t n = block.words, value = block.value;
    void* arguments[] = {&address, &n, &value};
    EXPECT_OK(LaunchKernel(fill_, streams_[block.stream], arguments, 3));
  }
  void Check(const Block& block) {
    void* address = block.address;
    void* errors = errors_;
    uint32_t n = block.words, value = block.value;
    void* arguments[] = {&address, &errors, &n, &value};
    EXPECT_OK(LaunchKernel(count_others_, streams_[block.stream], arguments, 4));
  }
  // Another stream goes on with the block, behind an event.
  void HandOn(Block& block, uint32_t stream, EventHandle event) {
    if (stream == block.stream) return;
    EXPECT_OK(RecordEvent(event, streams_[block.stream]));
    EXPECT_OK(StreamWaitEvent(streams_[stream], event));
    block.stream = stream;
  }
  void Run(uint32_t thread, uint32_t rounds, MemoryPool& used) {
    std::mt19937 random(thread + 1);
    std::vector<Block> blocks;
    const EventHandle event = Must(CreateEvent());
    for (uint32_t round = 0; round < rounds && !HasFailure(); ++round) {
      if (blocks.size() < kBlocksOfAThread && random() % 2 == 0) {
        Block block{nullptr, static_cast<uint32_t>(PickWords(random)), thread << 24 | round,
                    static_cast<uint32_t>(random() % kThreads)};
        block.address = Must(used.Alloc(block.words * 4, streams_[block.stream]));
        model_.Enter(block.address, block.words * 4);
        Fill(block);
        blocks.push_back(block);
      } else if (!blocks.empty()) {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        Block& block = blocks.back();
        if (random() % 3 == 0) HandOn(block, static_cast<uint32_t>(random() % kThreads), event);
        Check(block);
        if (random() % 4 == 0) continue;
        model_.Leave(block.address);
        EXPECT_OK(used.Free(block.address, streams_[block.stream]));
        blocks.pop_back();
      }
      if (random() % 64 == 0) {
        EXPECT_OK(SynchronizeStream(streams_[random() % kThreads]));
      }
      if (random() % 256 == 0) used.Trim(random() % (64 << 20));
    }
    for (const Block& block : blocks) {
      Check(block);
      model_.Leave(block.address);
      EXPECT_OK(used.Free(block.address, streams_[block.stream]));
    }
    EXPECT_OK(DestroyEvent(event));
  }
  void RunOn(MemoryPool& used) {
    const char* wanted = std::getenv("STRESS_ROUNDS");
    const auto rounds = static_cast<uint32_t>(wanted != nullptr ? std::atoi(wanted) : 400);
    std::vector<base::Thread> threads;
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back("test", [&, thread] {
        EXPECT_OK(SetDevice(0));
        Run(thread, rounds, used);
        EXPECT_OK(ResetDevice(0));
      });
    }
    for (base::Thread& thread : threads) thread.Join();
    for (const StreamHandle stream : streams_) EXPECT_OK(SynchronizeStream(stream));
    EXPECT_EQ(Errors(), 0u);
    EXPECT_EQ(used.statistics().live_blocks, 0u);
  }

  KernelHandle fill_ = nullptr;
  KernelHandle count_others_ = nullptr;
  StreamHandle streams_[kThreads] = {};
  void* errors_ = nullptr;
  Model model_;
};

TEST_F(MemoryStress, NobodySeesMemoryThatIsStillUsed) {
  const auto used = Must(MemoryPool::Create());
  RunOn(*used);
  used->Trim();
  EXPECT_EQ(used->statistics().reserved_bytes, 0u);
}

TEST_F(MemoryStress, NorWithoutChanceAndInsertedWaits) {
  MemoryPoolOptions options;
  options.opportunistic = false;
  options.insert_waits = false;
  options.release_threshold = 0;
  const auto used = Must(MemoryPool::Create(options));
  RunOn(*used);
}

TEST_F(MemoryStress, NorWhenThereIsTooLittle) {
  MemoryPoolOptions options;
  options.maximum_bytes = 256 << 20;
  const auto used = Must(MemoryPool::Create(options));
  RunOn(*used);
  EXPECT_LE(used->statistics().reserved_peak, options.maximum_bytes);
}

TEST_F(MemoryStress, AForkedChildLeavesItsParentsMemoryAlone) {
  auto used = Must(MemoryPool::Create());
  auto* block = static_cast<uint32_t*>(Must(used->Alloc(4 << 20)));
  RuntimeTensor tensor = Must(RuntimeTensor::FromPool(*used, {1024}, DataType::kUint32));
  const uint32_t seven = 7;
  ASSERT_OK(Copy(block, &seven, 4));
  const pid_t child = fork();
  if (child == 0) {
    bool refused = used->Alloc(64).code() == Code::kInternal;
    refused &= used->Free(block).code() == Code::kInternal;
    refused &= MemoryPool::Create().code() == Code::kInternal;
    refused &= Copy(block, &seven, 4).code() == Code::kInternal;
    used->Trim();
    tensor = RuntimeTensor();
    used.reset();
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  uint32_t value = 0;
  ASSERT_OK(Copy(&value, block, 4));
  EXPECT_EQ(value, 7u);
  EXPECT_OK(used->Free(block));
}

}  // namespace
}  // namespace forebay::testing
