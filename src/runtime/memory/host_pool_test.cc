// Host memory by its use, and what the runtime buffers in it.
#include "forebay/host_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <vector>

#include "forebay/base/thread.h"
#include "forebay/device.h"
#include "forebay/runtime.h"
#include "forebay/runtime/allocation.h"
#include "forebay/runtime/copy.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/host_registration.h"
#include "forebay/runtime/stream.h"
#include "forebay/sip/device.h"
#include "support/runtime_fixture.h"

namespace forebay::runtime {
namespace {

using testing::HeldStream;
using testing::Must;

constexpr std::size_t kMiB = std::size_t{1} << 20;

class HostPoolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = Runtime::Counters();
    ASSERT_OK(SetDevice(0));
    pool = Must(MemoryPool::OfCurrentDevice());
  }
  void TearDown() override {
    pool.reset();
    EXPECT_OK(::forebay::ResetDevice(0));
    EXPECT_EQ(Runtime::Counters(), before_);
  }
  static uint64_t LiveForCopies() { return Must(HostPool::Statistics(HostUse::kCopy)).live_blocks; }
  static std::shared_ptr<sip::Device> device() { return (*Must(FindDevice(0))).sip(); }
  static uint64_t CopiesDone() { return device()->device_counters().copies.load(std::memory_order_acquire); }
  static uint64_t ToHandle(StreamHandle stream) { return reinterpret_cast<uint64_t>(stream); }
  static Status CopyAsync(void* to, const void* from, std::size_t bytes, StreamHandle stream,
                          Staging staging = Staging::kNone) {
    CopyRequest request;
    request.destination = to;
    request.source = from;
    request.bytes = bytes;
    request.staging = staging;
    return CopyOnStream(request, ToHandle(stream));
  }
  std::shared_ptr<MemoryPool> pool;

 private:
  ResourceCounters before_;
};

// Pages of the application that are pinned in so many pieces, none beside the next in the memory file.
class Pieces {
 public:
  Pieces(std::size_t bytes, std::size_t count) : bytes_(bytes) {
    view_ = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(view_, MAP_FAILED);
    for (std::size_t i = 0; i < bytes; ++i) view_[i] = static_cast<std::byte>(i * 7 + i / 4096);
    const std::size_t piece = bytes / count;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_OK(RegisterHost(view_ + i * piece, piece, {.pinned = true}));
      registered_.push_back(view_ + i * piece);
      gaps_.push_back(Must(HostPool::Alloc(piece, HostUse::kCopy)));
    }
  }
  ~Pieces() {
    for (void* piece : registered_) EXPECT_OK(UnregisterHost(piece));
    for (void* gap : gaps_) EXPECT_OK(HostPool::Free(gap));
    munmap(view_, bytes_);
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  std::byte* view() const { return view_; }

 private:
  std::size_t bytes_;
  std::byte* view_ = nullptr;
  std::vector<void*> registered_, gaps_;
};

TEST_F(HostPoolTest, MemoryForCopiesIsOnePieceOfWhatTheDeviceShares) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, 3 * kMiB, 9 * kMiB}) {
    void* block = Must(HostPool::Alloc(bytes, HostUse::kCopy));
    EXPECT_EQ(reinterpret_cast<uint64_t>(block) % 4096, 0U);
    EXPECT_TRUE(device()->FindPinned(block, bytes).has_value());
    std::memset(block, 3, bytes);
    EXPECT_OK(HostPool::Free(block));
  }
  EXPECT_EQ(LiveForCopies(), 0U);
}

TEST_F(HostPoolTest, MemoryForCopiesIsThatOfTheCInterface) {
  AllocationRequest request;
  request.bytes = 100;
  void* block = Must(AllocatePinned(request));
  EXPECT_OK(HostPool::Free(block));
  block = Must(HostPool::Alloc(100, HostUse::kCopy));
  EXPECT_EQ(FindAllocation(block)->bytes, 100U);
  EXPECT_OK(RegisterHost(block, 100, {.mapped = true})) << "kernels may use it";
  EXPECT_OK(FreePinned(block, BeforeFree::kNothing, nullptr));
  EXPECT_EQ(LiveForCopies(), 0U);
}

TEST_F(HostPoolTest, MemoryForComputingIsTheProcesssAndServesAgain) {
  ASSERT_OK(::forebay::ResetDevice(0));
  const uint64_t live = Must(HostPool::Statistics(HostUse::kCompute)).live_blocks;
  auto* block = static_cast<std::byte*>(Must(HostPool::Alloc(5 * kMiB, HostUse::kCompute)));
  std::memset(block, 5, 5 * kMiB);
  ASSERT_OK(SetDevice(0));
  EXPECT_FALSE(device()->FindPinned(block, 1).has_value());
  ASSERT_OK(::forebay::ResetDevice(0));
  EXPECT_EQ(block[5 * kMiB - 1], std::byte{5}) << "devices come and go";
  const MemoryPoolStatistics before = Must(HostPool::Statistics(HostUse::kCompute));
  EXPECT_EQ(before.live_blocks, live + 1);
  EXPECT_OK(HostPool::Free(block));
  EXPECT_EQ(Must(HostPool::Alloc(5 * kMiB, HostUse::kCompute)), block);
  EXPECT_EQ(Must(HostPool::Statistics(HostUse::kCompute)).device_calls, before.device_calls);
  EXPECT_OK(HostPool::Free(block));
  HostPool::Trim();
  EXPECT_EQ(Must(HostPool::Statistics(HostUse::kCompute)).reserved_bytes, 0U);
  ASSERT_OK(SetDevice(0));
}

TEST_F(HostPoolTest, BadRequestsAreRefused) {
  for (const HostUse use : {HostUse::kCopy, HostUse::kCompute}) {
    EXPECT_EQ(HostPool::Alloc(0, use).code(), Code::kParamInvalid);
    for (const std::size_t huge : {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX - 2 * kMiB, SIZE_MAX / 2, std::size_t{1} << 60})
      EXPECT_EQ(HostPool::Alloc(huge, use).code(), Code::kMemoryAllocation) << huge;
    auto* block = static_cast<std::byte*>(Must(HostPool::Alloc(4096, use)));
    EXPECT_EQ(HostPool::Free(block + 64).code(), Code::kMemoryFree);
    EXPECT_OK(HostPool::Free(block));
    EXPECT_EQ(HostPool::Free(block).code(), Code::kMemoryFree);
  }
  EXPECT_EQ(HostPool::Alloc(64, static_cast<HostUse>(2)).code(), Code::kParamInvalid);
  EXPECT_EQ(HostPool::Statistics(static_cast<HostUse>(2)).code(), Code::kParamInvalid);
  int local = 0;
  EXPECT_EQ(HostPool::Free(&local).code(), Code::kMemoryFree);
  EXPECT_EQ(HostPool::Free(nullptr).code(), Code::kMemoryFree);
  void* on_device = Must(pool->Alloc(64));
  EXPECT_EQ(HostPool::Free(on_device).code(), Code::kMemoryFree);
  EXPECT_OK(pool->Free(on_device));
}

TEST_F(HostPoolTest, MemoryForCopiesNeedsADevice) {
  base::Thread("test", [] {
    EXPECT_EQ(HostPool::Alloc(64, HostUse::kCopy).code(), Code::kContextNull);
    EXPECT_EQ(HostPool::Statistics(HostUse::kCopy).code(), Code::kContextNull);
    HostPool::Trim();
    EXPECT_OK(HostPool::Free(Must(HostPool::Alloc(64, HostUse::kCompute))));
  }).Join();
}

// What contiguity buys: one task of the copy engine instead of one for each piece.
TEST_F(HostPoolTest, ACopyIsOneTaskForEachPieceOfItsHostSide) {
  constexpr std::size_t kBytes = 2 * kMiB;
  auto* memory = static_cast<std::byte*>(Must(pool->Alloc(kBytes)));
  const StreamHandle stream = Must(CreateStream());
  for (const std::size_t count : {1u, 4u, 16u, 64u}) {
    const Pieces pieces(kBytes, count);
    const std::vector<std::byte> expected(pieces.view(), pieces.view() + kBytes);
    for (const bool to_device : {true, false}) {
      const uint64_t before = CopiesDone();
      if (!to_device) std::memset(pieces.view(), 0, kBytes);
      HeldStream held(stream);
      ASSERT_OK(to_device ? CopyAsync(memory, pieces.view(), kBytes, stream)
                          : CopyAsync(pieces.view(), memory, kBytes, stream));
      held.Release();
      ASSERT_OK(SynchronizeStream(stream));
      EXPECT_EQ(CopiesDone() - before, count);
    }
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), pieces.view())) << count;
  }
  EXPECT_OK(pool->Free(memory));
}

TEST_F(HostPoolTest, PiecesThatFollowEachOtherAreOne) {
  auto* memory = static_cast<std::byte*>(Must(pool->Alloc(4 * 4096)));
  const StreamHandle stream = Must(CreateStream());
  auto* block = static_cast<std::byte*>(Must(HostPool::Alloc(16 * 4096, HostUse::kCopy)));
  EXPECT_OK(HostPool::Free(block));
  // They get neighbouring pages of what was freed.
  auto* pages =
      static_cast<std::byte*>(mmap(nullptr, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (int i = 0; i < 4; ++i) ASSERT_OK(RegisterHost(pages + i * 4096, 4096, {.pinned = true}));
  uint64_t tasks = 1;
  for (int i = 1; i < 4; ++i) {
    const bool follows =
        *device()->FindPinned(pages + (i - 1) * 4096, 1) + 4096 == *device()->FindPinned(pages + i * 4096, 1);
    if (!follows) ++tasks;
  }
  const uint64_t before = CopiesDone();
  ASSERT_OK(CopyAsync(memory + 50, pages + 100, 4 * 4096 - 200, stream));
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(CopiesDone() - before, tasks);
  // A part that is not pinned makes all of it pageable.
  ASSERT_OK(UnregisterHost(pages + 4096));
  ASSERT_OK(CopyAsync(memory, pages, 4 * 4096, stream));
  EXPECT_EQ(CopiesDone() - before, tasks);
  for (const int i : {0, 2, 3}) ASSERT_OK(UnregisterHost(pages + i * 4096));
  munmap(pages, 4 * 4096);
  EXPECT_OK(pool->Free(memory));
}

TEST_F(HostPoolTest, ABufferedSourceTakesAFewChunksHoweverLongItIs) {
  constexpr std::size_t kBytes = 50 * kMiB + 12345;
  auto* memory = static_cast<std::byte*>(Must(pool->Alloc(kBytes)));
  std::vector<std::byte> source(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) source[i] = static_cast<std::byte>(i / 999);
  const std::vector<std::byte> expected = source;
  const StreamHandle stream = Must(CreateStream());
  ASSERT_OK(CopyAsync(memory, source.data(), kBytes, stream, Staging::kHost));
  std::fill(source.begin(), source.end(), std::byte{0xFF});
  ASSERT_OK(SynchronizeStream(stream));
  std::vector<std::byte> read(kBytes);
  ASSERT_OK(Copy(read.data(), memory, kBytes));
  EXPECT_TRUE(read == expected);
  const MemoryPoolStatistics statistics = Must(HostPool::Statistics(HostUse::kCopy));
  EXPECT_LE(statistics.peak_bytes, 16 * kMiB);
  EXPECT_EQ(statistics.live_blocks, 0U);
  EXPECT_OK(pool->Free(memory));
}

TEST_F(HostPoolTest, ABufferedSourceThatFitsDoesNotWaitForTheStream) {
  constexpr std::size_t kBytes = 16 * kMiB;
  auto* memory = static_cast<std::byte*>(Must(pool->Alloc(kBytes)));
  std::vector<std::byte> source(kBytes, std::byte{1});
  const StreamHandle stream = Must(CreateStream());
  HeldStream held(stream);
  ASSERT_OK(CopyAsync(memory, source.data(), kBytes, stream, Staging::kPageable));
  EXPECT_EQ(LiveForCopies(), 4U);
  held.Release();
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(LiveForCopies(), 0U);
  EXPECT_OK(pool->Free(memory));
}

TEST_F(HostPoolTest, AnAbortLosesNoChunk) {
  constexpr std::size_t kBytes = 40 * kMiB;
  auto* memory = static_cast<std::byte*>(Must(pool->Alloc(kBytes)));
  const std::vector<std::byte> source(kBytes, std::byte{1});
  const StreamHandle stream = Must(CreateStream(0, FailurePolicy::kContinue)), gate = Must(CreateStream());
  Stream* object = Streams().Find(ToHandle(stream));
  HeldStream held(gate);
  const EventHandle event = Must(CreateEvent());
  ASSERT_OK(RecordEvent(event, gate));
  ASSERT_OK(StreamWaitEvent(stream, event));
  Status copied;
  std::promise<void> began;
  base::Thread copier("test", [&] {
    EXPECT_OK(SetDevice(0));
    ASSERT_OK(CopyAsync(memory, source.data(), 4096, stream, Staging::kHost));
    began.set_value();
    copied = CopyAsync(memory, source.data(), kBytes, stream, Staging::kHost);
    EXPECT_OK(::forebay::ResetDevice(0));
  });
  began.get_future().wait();
  // The copier waits for a chunk, or will find the stream as it is after the abort.
  ASSERT_OK(object->Abort(ToHandle(stream)));
  copier.Join();
  EXPECT_TRUE(copied.ok() || copied.code() == Code::kStreamAbort) << copied.ToString();
  held.Release();
  EXPECT_OK(SynchronizeStream(gate));
  EXPECT_OK(SynchronizeStream(stream));
  EXPECT_EQ(LiveForCopies(), 0U);
  EXPECT_OK(pool->Free(memory));
}

}  // namespace
}  // namespace forebay::runtime
