// Kernel binaries with one wrong word: each is loaded or refused, and neither the program nor the device suffers.
#include <elf.h>

#include <fstream>
#include <iterator>
#include <random>

#include "conformance/kernel_fixture.h"

namespace conformance {
namespace {

class DamagedKernel : public WithKernels {
 protected:
  void SetUp() override {
    WithKernels::SetUp();
    std::ifstream file(KernelPath("basic_kernels"), std::ios::binary);
    good_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_GT(good_.size(), 0x2000U);
  }

  std::string good_;
};

TEST_F(DamagedKernel, NeverHarmsTheDevice) {
  // Words that are easily taken for something: limits, sizes, and bits.
  const uint64_t kWords[] = {0,           1, 8, 0x1000, 0x7FFFFFFF, 0xFFFFFFFF, uint64_t{1} << 40, uint64_t{1} << 63,
                             ~uint64_t{0}};
  const char* count = std::getenv("DAMAGED_KERNELS");
  const int kCount = count != nullptr ? std::atoi(count) : 600;
  std::mt19937_64 random(20240607);
  int refused = 0;
  for (int i = 0; i < kCount; ++i) {
    // The tables of the loader are at the start, those of the sections at the end; the code lies between.
    const std::size_t start = random() % good_.size();
    const std::size_t places[] = {start % 0x1000, good_.size() - 8 - start % 0x1000, start};
    std::size_t at = std::min(places[random() % 3], good_.size() - 8) & ~std::size_t{3};
    uint64_t word = 0;
    std::memcpy(&word, &good_[at], sizeof word);
    const uint64_t flipped = word ^ (uint64_t{1} << random() % 64);
    const uint64_t odd = kWords[random() % std::size(kWords)];
    const uint64_t choices[] = {flipped, odd, (word & ~uint64_t{0xFFFFFFFF}) | (odd & 0xFFFFFFFF), random()};
    word = choices[random() % std::size(choices)];
    std::string damaged = good_;
    std::memcpy(&damaged[at], &word, sizeof word);
    aclrtBinHandle binary = nullptr;
    const aclError code = aclrtBinaryLoadFromData(damaged.data(), damaged.size(), nullptr, &binary);
    if (code == ACL_SUCCESS) {
      EXPECT_OK(aclrtBinaryUnLoad(binary));
    } else {
      ++refused;
      const std::string text = Messages();
      // One that asks for too much memory may be sound.
      ASSERT_TRUE(code == ACL_ERROR_RT_PARAM_INVALID || code == ACL_ERROR_RT_MEMORY_ALLOCATION)
          << text << "word " << at << " became " << word;
      EXPECT_EQ(code == ACL_ERROR_RT_PARAM_INVALID, text.find("kernel binary") != std::string::npos) << text;
    }
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_ABNORMAL;
    ASSERT_OK(aclrtQueryDeviceStatus(0, &status));
    ASSERT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status) << "word " << at << " became " << word;
  }
  EXPECT_GT(refused, kCount / 10);
  // What was loaded before still runs.
  ASSERT_OK(Launch(add_one_, stream_, Arguments()));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, (*words_)[0]);
}

TEST_F(DamagedKernel, IsRefusedWithTheReason) {
  // A relocation that points out of the image: its table begins where the first section of that type is.
  Elf64_Ehdr header;
  std::memcpy(&header, good_.data(), sizeof header);
  bool found = false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, &good_[header.e_shoff + i * sizeof section], sizeof section);
    if (section.sh_type != SHT_RELA || section.sh_size == 0) continue;
    found = true;
    const uint64_t outside = uint64_t{1} << 44;
    std::memcpy(&good_[section.sh_offset], &outside, sizeof outside);
  }
  if (!found) GTEST_SKIP() << "the linker made no relocations";
  auto binary = Untouched<aclrtBinHandle>();
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromData(good_.data(), good_.size(), nullptr, &binary));
  const std::string text = Messages();
  EXPECT_EQ(0U, text.find("EE1014")) << text;
  EXPECT_NE(std::string::npos, text.find("is corrupt: a relocation lies outside of its data")) << text;
  EXPECT_TRUE(IsUntouched(binary));
}

}  // namespace
}  // namespace conformance
