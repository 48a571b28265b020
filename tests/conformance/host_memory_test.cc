// Copies and fills look at host memory before they touch it.
#include <sys/mman.h>
#include <unistd.h>

#include "conformance/memory_fixture.h"

namespace conformance {
namespace {

class HostMemory : public WithMemory {};

TEST_F(HostMemory, HostAddressesThatCannotBeReachedAreRefused) {
  void* memory = Allocate(4096);
  void* guarded = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(MAP_FAILED, guarded);
  for (void* bad : {reinterpret_cast<void*>(0x10), reinterpret_cast<void*>(0xA1A1A1A1A1A1A1A1), guarded}) {
    EXPECT_CODE(ACL_ERROR_RT_SYS_DMA, aclrtMemcpy(memory, 4096, bad, 64, ACL_MEMCPY_HOST_TO_DEVICE)) << bad;
    EXPECT_CODE(ACL_ERROR_RT_SYS_DMA, aclrtMemcpy(bad, 4096, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST)) << bad;
    EXPECT_CODE(ACL_ERROR_RT_SYS_DMA, aclrtMemset(bad, 64, 0, 64)) << bad;
    EXPECT_NE(ACL_SUCCESS, aclrtMemcpyAsync(memory, 4096, bad, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr)) << bad;
  }
  munmap(guarded, 4096);
  EXPECT_OK(aclrtSynchronizeDevice());
}

// Host memory of five pages, of which the fourth is protected, is none, or lies behind the end of its file.
class HostPages {
 public:
  enum class Fourth { kReadOnly, kNoAccess, kUnmapped, kBehindTheFile };
  explicit HostPages(Fourth fourth) {
    const bool of_file = fourth == Fourth::kBehindTheFile;
    FILE* file = std::tmpfile();
    EXPECT_EQ(0, ftruncate(fileno(file), 3 * 4096));
    pages_ =
        static_cast<char*>(mmap(nullptr, 5 * 4096, PROT_READ | PROT_WRITE,
                                of_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, of_file ? fileno(file) : -1, 0));
    EXPECT_NE(MAP_FAILED, static_cast<void*>(pages_));
    std::fclose(file);
    std::memset(pages_, 7, 3 * 4096);
    if (fourth == Fourth::kUnmapped) munmap(pages_ + 3 * 4096, 4096);
    if (fourth == Fourth::kReadOnly) mprotect(pages_ + 3 * 4096, 4096, PROT_READ);
    if (fourth == Fourth::kNoAccess) mprotect(pages_ + 3 * 4096, 4096, PROT_NONE);
  }
  ~HostPages() { munmap(pages_, 5 * 4096); }
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;
  // Part of each of the pages.
  char* begin() const { return pages_ + 100; }
  static constexpr std::size_t kBytes = 5 * 4096 - 200;

 private:
  char* pages_ = nullptr;
};

TEST_F(HostMemory, HostMemoryWithAHoleIsRefusedAndLeftAlone) {
  constexpr std::size_t kBytes = HostPages::kBytes;
  void* memory = Allocate(kBytes);
  std::vector<char> other(kBytes, 1);
  using Fourth = HostPages::Fourth;
  for (const Fourth fourth : {Fourth::kReadOnly, Fourth::kNoAccess, Fourth::kUnmapped, Fourth::kBehindTheFile}) {
    const HostPages pages(fourth);
    char* host = pages.begin();
    void* destinations[] = {host};
    void* sources[] = {memory};
    std::size_t sizes[] = {kBytes};
    aclrtMemcpyBatchAttr attribute{};
    attribute.dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    attribute.srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    std::size_t first = 0;
    const std::function<aclError()> writes[] = {
        [&] { return aclrtMemcpy(host, kBytes, memory, kBytes, ACL_MEMCPY_DEVICE_TO_HOST); },
        [&] { return aclrtMemcpy(host, kBytes, other.data(), kBytes, ACL_MEMCPY_HOST_TO_HOST); },
        [&] { return aclrtMemcpyAsync(host, kBytes, memory, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, nullptr); },
        [&] { return aclrtMemcpy2d(host, 4096, memory, 64, 64, 4, ACL_MEMCPY_DEVICE_TO_HOST); },
        [&] { return aclrtMemcpy2dAsync(host, 4096, memory, 64, 64, 4, ACL_MEMCPY_DEVICE_TO_HOST, nullptr); },
        [&] { return aclrtMemcpyBatch(destinations, sizes, sources, sizes, 1, &attribute, &first, 1, nullptr); },
        [&] { return aclrtMemset(host, kBytes, 1, kBytes); },
        [&] { return aclrtMemsetAsync(host, kBytes, 1, kBytes, nullptr); },
        [&] { return aclrtMemsetD32(host, kBytes, 1, kBytes / 4); },
        [&] { return aclrtMemsetD32Async(host, kBytes, 1, kBytes / 4, nullptr); }};
    for (const auto& write : writes) {
      Messages();
      EXPECT_EQ(ACL_ERROR_RT_SYS_DMA, write());
      const std::string text = Messages();
      EXPECT_NE(std::string::npos, text.find(testing::PrintToString(static_cast<void*>(host)))) << text;
    }
    EXPECT_EQ(7, host[0]) << "nothing half done";
    const aclError on_read = fourth == Fourth::kReadOnly ? ACL_SUCCESS : ACL_ERROR_RT_SYS_DMA;
    EXPECT_CODE(on_read, aclrtMemcpy(memory, kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE(on_read, aclrtMemcpyAsync(memory, kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    EXPECT_CODE(on_read, aclrtMemcpy(other.data(), kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_HOST));
    // Rows that lie on either side of the hole.
    EXPECT_OK(aclrtMemcpy2d(host, 4 * 4096, memory, 64, 64, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    if (fourth == Fourth::kBehindTheFile) continue;
    EXPECT_OK(aclrtMemcpy2d(host, 2 * 4096, memory, 64, 64, 3, ACL_MEMCPY_DEVICE_TO_HOST));
  }
}

TEST_F(HostMemory, LargeHostMemoryIsLookedAtWhole) {
  void* memory = Allocate(kLarge);
  void* host = mmap(nullptr, kLarge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(MAP_FAILED, host);
  EXPECT_OK(aclrtMemcpy(host, kLarge, memory, kLarge, ACL_MEMCPY_DEVICE_TO_HOST));
  munmap(static_cast<char*>(host) + kLarge - 8192, 4096);
  EXPECT_CODE(ACL_ERROR_RT_SYS_DMA, aclrtMemcpy(host, kLarge, memory, kLarge, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_CODE(ACL_ERROR_RT_SYS_DMA, aclrtMemcpy(memory, kLarge, host, kLarge, ACL_MEMCPY_HOST_TO_DEVICE));
  munmap(host, kLarge);
}

}  // namespace
}  // namespace conformance
