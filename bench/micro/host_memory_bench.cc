// What host memory is worth to copies: in how many pieces it is pinned, and whether it is pinned at all. Ratios of wall
// time, medians of interleaved rounds.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "forebay/base/clock.h"
#include "forebay/forebay.h"

namespace {

constexpr std::size_t kPage = 4096;
constexpr int kRounds = 41;

void Check(aclError code, const char* what) {
  if (code == ACL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d %s\n", what, code, aclGetRecentErrMsg());
  std::exit(1);
}
#define CHECK(call) Check(call, #call)

// Median nanoseconds of each body, one after the other in every round.
std::vector<double> Measure(const std::vector<std::function<void()>>& bodies) {
  std::vector<std::vector<double>> times(bodies.size());
  for (int round = 0; round <= kRounds; ++round) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const int64_t begin = forebay::base::NowNanoseconds();
      bodies[i]();
      // The first round touches the pages.
      if (round > 0) times[i].push_back(static_cast<double>(forebay::base::NowNanoseconds() - begin));
    }
  }
  std::vector<double> medians;
  for (auto& each : times) {
    std::nth_element(each.begin(), each.begin() + kRounds / 2, each.end());
    medians.push_back(each[kRounds / 2]);
  }
  return medians;
}

char* Pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) std::abort();
  std::memset(pages, 1, bytes);
  return static_cast<char*>(pages);
}

// Registered in so many pieces that do not follow each other in the memory file.
char* InPieces(std::size_t bytes, std::size_t count) {
  char* pages = Pages(bytes);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(aclrtHostRegisterV2(pages + i * (bytes / count), bytes / count, ACL_HOST_REG_PINNED));
    void* gap = nullptr;
    CHECK(aclrtMallocHost(&gap, kPage));
  }
  return pages;
}

void CopyFromPieces(aclrtStream stream, void* memory) {
  for (const std::size_t bytes : {std::size_t{256} << 10, std::size_t{4} << 20}) {
    constexpr std::size_t kCounts[] = {1, 4, 16, 64};
    std::vector<std::function<void()>> bodies;
    for (const std::size_t count : kCounts) {
      const char* source = InPieces(bytes, count);
      bodies.push_back([=] {
        CHECK(aclrtMemcpyAsync(memory, bytes, source, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        CHECK(aclrtSynchronizeStream(stream));
      });
    }
    const std::vector<double> times = Measure(bodies);
    std::printf("copy of %zu KiB, host side in 1/4/16/64 pinned pieces: %.1f us, ratios", bytes >> 10, times[0] / 1e3);
    for (const double time : times) std::printf(" %.2f", time / times[0]);
    std::printf("\n");
  }
}

void CopyByKind(aclrtStream stream, void* memory) {
  for (const std::size_t bytes :
       {std::size_t{4} << 10, std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{16} << 20}) {
    void* pinned = nullptr;
    CHECK(aclrtMallocHost(&pinned, bytes));
    std::memset(pinned, 1, bytes);
    const char* pageable = Pages(bytes);
    const auto copy = [=](const void* source, aclrtMemcpyKind kind) {
      CHECK(aclrtMemcpyAsync(memory, bytes, source, bytes, kind, stream));
      CHECK(aclrtSynchronizeStream(stream));
    };
    const std::vector<double> times =
        Measure({[=] { copy(pinned, ACL_MEMCPY_HOST_TO_DEVICE); }, [=] { copy(pageable, ACL_MEMCPY_HOST_TO_DEVICE); },
                 [=] { copy(pageable, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE); }});
    std::printf("copy of %zu KiB, pinned/pageable/buffered: %.1f us, ratios 1.00 %.2f %.2f\n", bytes >> 10,
                times[0] / 1e3, times[1] / times[0], times[2] / times[0]);
    CHECK(aclrtFreeHost(pinned));
  }
}

// A block that the pool had before, fresh huge pages, and fresh pages as the system gives them.
void Compute() {
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  const auto from_pool = [] {
    const auto block = forebay::HostPool::Alloc(kBytes, forebay::HostUse::kCompute);
    if (!block.ok()) std::abort();
    std::memset(*block, 1, kBytes);
    forebay::HostPool::Free(*block).IgnoreError();
  };
  const auto trimmed = [&] {
    forebay::HostPool::Trim();
    from_pool();
  };
  const std::vector<double> times = Measure({trimmed, from_pool, [] { munmap(Pages(kBytes), kBytes); }});
  std::printf("8 MiB for computing, from the pool/trimmed before/mmap: %.1f us, ratios 1.00 %.2f %.2f\n",
              times[1] / 1e3, times[0] / times[1], times[2] / times[1]);
}

}  // namespace

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));
  void* memory = nullptr;
  CHECK(aclrtMalloc(&memory, std::size_t{16} << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemset(memory, std::size_t{16} << 20, 0, std::size_t{16} << 20));
  CopyFromPieces(stream, memory);
  CopyByKind(stream, memory);
  Compute();
  CHECK(aclFinalize());
  return 0;
}
