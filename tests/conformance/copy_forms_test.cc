// The other forms of a copy: rows, batches, and addresses that the device reads when the task runs.
#include <numeric>

#include "conformance/memory_fixture.h"

namespace conformance {
namespace {

// ---- Rows ----

class Rows : public WithMemory {
 protected:
  // 3 rows of 5 bytes, 8 bytes apart, in a field of dots.
  static std::string Field(char first) {
    std::string field(24, '.');
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t i = 0; i < 5; ++i) field[row * 8 + i] = static_cast<char>(first + static_cast<int>(row));
    }
    return field;
  }
  static std::vector<char> Dots() { return std::vector<char>(24, '.'); }
  static std::string Text(const std::vector<char>& bytes) { return std::string(bytes.begin(), bytes.end()); }
};

TEST_F(Rows, OnlyTheRowsAreCopied) {
  char packed[] = "aaaaabbbbbccccc";
  char* memory = ToDevice(Dots());
  EXPECT_OK(aclrtMemcpy2d(memory, 8, packed, 5, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_EQ(Field('a'), Text(FromDevice(memory, 24)));
  std::string back(24, '.');
  EXPECT_OK(aclrtMemcpy2d(back.data(), 8, memory, 8, 5, 3, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(Field('a'), back);
  char tight[16] = {};
  EXPECT_OK(aclrtMemcpy2d(tight, 5, memory, 8, 5, 3, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_STREQ(packed, tight);
}

TEST_F(Rows, QueuedInOrderBetweenHostAndDeviceAndWithinIt) {
  char* first = ToDevice(Dots());
  char* second = ToDevice(Dots());
  auto* pinned = static_cast<char*>(AllocatePinned(24));
  std::memcpy(pinned, "dddddeeeeefffff", 15);
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  EXPECT_OK(aclrtMemcpy2dAsync(first, 8, pinned, 5, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_OK(aclrtMemcpy2dAsync(second, 8, first, 8, 5, 3, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
  EXPECT_OK(aclrtMemcpy2dAsync(pinned, 8, second, 8, 8, 3, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  EXPECT_EQ("ddddde", std::string(pinned, 6)) << "nothing has run";
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(Field('d'), std::string(pinned, 24));
}

TEST_F(Rows, PageableRowsAreCopiedBeforeTheReturn) {
  char packed[] = "aaaaabbbbbccccc";
  char* memory = ToDevice(Dots());
  EXPECT_OK(aclrtMemcpy2dAsync(memory, 8, packed, 5, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_EQ(Field('a'), Text(FromDevice(memory, 24)));
}

TEST_F(Rows, WhatDoesNotFitIsRefused) {
  char host[24] = {};
  char* memory = ToDevice(Dots());
  for (const int kind :
       std::initializer_list<int>{ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT,
                                  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, 77}) {
    const auto wrong = NoSuch<aclrtMemcpyKind>(kind);
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(memory, 8, host, 8, 5, 3, wrong)) << kind;
    if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE) continue;
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2dAsync(memory, 8, host, 8, 5, 3, wrong, nullptr)) << kind;
  }
  const auto both = [&](aclError code, void* dst, std::size_t dpitch, const void* src, std::size_t spitch,
                        std::size_t width, std::size_t height, aclrtMemcpyKind kind) {
    EXPECT_CODE(code, aclrtMemcpy2d(dst, dpitch, src, spitch, width, height, kind));
    EXPECT_CODE(code, aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width, height, kind, nullptr));
  };
  both(ACL_ERROR_INVALID_PARAM, nullptr, 8, host, 8, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE);
  both(ACL_ERROR_INVALID_PARAM, memory, 8, nullptr, 8, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE);
  both(ACL_ERROR_INVALID_PARAM, memory, 4, host, 8, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE);
  both(ACL_ERROR_INVALID_PARAM, memory, 8, host, 4, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE);
  both(ACL_ERROR_RT_PARAM_INVALID, memory, 8, host, 8, 5, 3, ACL_MEMCPY_DEVICE_TO_HOST);
  both(ACL_ERROR_RT_PARAM_INVALID, memory, SIZE_MAX / 2, host, 8, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE);
  both(ACL_ERROR_RT_SYS_DMA, memory, 8, host, SIZE_MAX / 2, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE);
  both(ACL_SUCCESS, nullptr, 0, nullptr, 0, 0, 3, ACL_MEMCPY_HOST_TO_DEVICE);
  both(ACL_SUCCESS, nullptr, 0, nullptr, 0, 3, 0, ACL_MEMCPY_HOST_TO_DEVICE);
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtMemcpy2dAsync(memory, 5000001, host, 5000001, 5000001, 1, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtMemcpy2dAsync(memory, 1, host, 1, 1, 5242881, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_EQ(Dots(), FromDevice(memory, 24));
}

// ---- Batches ----

class Batches : public WithMemory {
 protected:
  static constexpr std::size_t kCount = 4;
  static aclrtMemcpyBatchAttr Attribute(aclrtMemLocationType to, aclrtMemLocationType from) {
    aclrtMemcpyBatchAttr attribute{};
    attribute.dstLoc.type = to;
    attribute.srcLoc.type = from;
    return attribute;
  }
  static inline const aclrtMemcpyBatchAttr kUp = Attribute(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_HOST);
  static inline const aclrtMemcpyBatchAttr kDown = Attribute(ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_DEVICE);

  void SetUp() override {
    WithMemory::SetUp();
    device_ = ToDevice(std::vector<uint8_t>(64 * kCount, 0));
    pinned_ = static_cast<uint8_t*>(AllocatePinned(64 * kCount));
    for (std::size_t i = 0; i < kCount; ++i) {
      std::memset(pinned_ + i * 64, static_cast<int>(i + 1), 64);
      dsts_[i] = device_ + i * 64;
      srcs_[i] = pinned_ + i * 64;
      sizes_[i] = rooms_[i] = 64;
    }
  }
  // Runs the batch in all four ways: the same answer from each, and the same index where it is told.
  void ExpectAll(aclError code, std::size_t index) {
    for (const bool queued : {false, true}) {
      std::size_t failed = 12345;
      EXPECT_CODE(code, queued ? aclrtMemcpyBatchAsync(dsts_, rooms_, srcs_, sizes_, kCount, attributes_.data(),
                                                       indexes_.data(), attributes_.size(), &failed, nullptr)
                               : aclrtMemcpyBatch(dsts_, rooms_, srcs_, sizes_, kCount, attributes_.data(),
                                                  indexes_.data(), attributes_.size(), &failed));
      EXPECT_EQ(index, failed) << (queued ? "queued" : "at once");
      EXPECT_CODE(code, queued ? aclrtMemcpyBatchAsyncV2(dsts_, rooms_, srcs_, sizes_, kCount, attributes_.data(),
                                                         indexes_.data(), attributes_.size(), nullptr)
                               : aclrtMemcpyBatchV2(dsts_, rooms_, srcs_, sizes_, kCount, attributes_.data(),
                                                    indexes_.data(), attributes_.size()));
    }
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
  }
  void ExpectRefused(aclError code, std::size_t index) {
    ExpectAll(code, index);
    EXPECT_EQ(std::vector<uint8_t>(64 * kCount, 0), FromDevice(device_, 64 * kCount)) << "nothing half done";
  }

  uint8_t* device_ = nullptr;
  uint8_t* pinned_ = nullptr;
  void* dsts_[kCount];
  void* srcs_[kCount];
  std::size_t sizes_[kCount];
  std::size_t rooms_[kCount];
  std::vector<aclrtMemcpyBatchAttr> attributes_ = {kUp};
  std::vector<std::size_t> indexes_ = {0};
};

TEST_F(Batches, CopyAllUpAndDown) {
  ExpectAll(ACL_SUCCESS, SIZE_MAX);
  EXPECT_EQ(std::vector<uint8_t>(pinned_, pinned_ + 64 * kCount), FromDevice(device_, 64 * kCount));
  uint8_t pageable[64 * kCount] = {};
  for (std::size_t i = 0; i < kCount; ++i) {
    srcs_[i] = dsts_[i];
    dsts_[i] = pageable + i * 64;
  }
  sizes_[2] = 0;
  srcs_[2] = nullptr;
  attributes_ = {kDown, Attribute(ACL_MEM_LOCATION_TYPE_UNREGISTERED, ACL_MEM_LOCATION_TYPE_DEVICE)};
  indexes_ = {0, 3};
  ExpectAll(ACL_SUCCESS, SIZE_MAX);
  EXPECT_EQ(1, pageable[63]);
  EXPECT_EQ(0, pageable[2 * 64]) << "of 0 bytes";
  EXPECT_EQ(4, pageable[4 * 64 - 1]);
}

TEST_F(Batches, PinnedOnesAreQueued) {
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  std::size_t failed = 0;
  EXPECT_OK(aclrtMemcpyBatchAsync(dsts_, rooms_, srcs_, sizes_, kCount, attributes_.data(), indexes_.data(), 1, &failed,
                                  nullptr));
  std::memset(pinned_, 9, 64 * kCount);
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(std::vector<uint8_t>(64 * kCount, 9), FromDevice(device_, 64 * kCount));
}

TEST_F(Batches, BadItemsAreNamedAndNothingIsCopied) {
  srcs_[2] = device_;  // not where the attribute says
  ExpectRefused(ACL_ERROR_RT_PARAM_INVALID, 2);
  srcs_[2] = nullptr;
  ExpectRefused(ACL_ERROR_INVALID_PARAM, 2);
  srcs_[2] = pinned_;
  rooms_[3] = 63;
  ExpectRefused(ACL_ERROR_INVALID_PARAM, 3);
  rooms_[3] = 64;
  attributes_ = {kUp, kDown};
  indexes_ = {0, 1};
  ExpectRefused(ACL_ERROR_RT_PARAM_INVALID, 1);
  attributes_ = {kUp, Attribute(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_DEVICE)};
  ExpectRefused(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, 1);
  attributes_ = {kUp};
  indexes_ = {0};
  attributes_[0].dstLoc.id = 1;  // of another device
  ExpectRefused(ACL_ERROR_RT_PARAM_INVALID, 0);
  attributes_ = {kUp};
  dsts_[1] = Unallocated();
  ExpectRefused(ACL_ERROR_RT_PARAM_INVALID, 1);
}

TEST_F(Batches, BadAttributesAreRefused) {
  for (const std::vector<std::size_t>& indexes :
       std::vector<std::vector<std::size_t>>{{1}, {0, 0}, {0, 2, 1}, {0, 4}}) {
    indexes_ = indexes;
    attributes_.assign(indexes.size(), kUp);
    ExpectRefused(ACL_ERROR_RT_PARAM_INVALID, SIZE_MAX);
  }
  indexes_ = {0, 1, 2, 3, 4};
  attributes_.assign(5, kUp);
  ExpectRefused(ACL_ERROR_RT_PARAM_INVALID, SIZE_MAX);
  attributes_ = {};
  std::size_t failed = 0;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatch(dsts_, rooms_, srcs_, sizes_, kCount,
                                                           &attributes_.emplace_back(), indexes_.data(), 0, &failed));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemcpyBatch(dsts_, rooms_, srcs_, sizes_, 0, attributes_.data(), indexes_.data(), 1, &failed));
}

TEST_F(Batches, NullArraysAreRefused) {
  for (int missing = 0; missing < 6; ++missing) {
    const auto unless = [missing](int i, auto* array) { return missing == i ? nullptr : array; };
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
                aclrtMemcpyBatch(unless(0, dsts_), unless(1, rooms_), unless(2, srcs_), unless(3, sizes_), kCount,
                                 unless(4, attributes_.data()), unless(5, indexes_.data()), 1, nullptr))
        << missing;
  }
  EXPECT_OK(aclrtMemcpyBatch(dsts_, rooms_, srcs_, sizes_, kCount, attributes_.data(), indexes_.data(), 1, nullptr))
      << "who does not want the index need not take it";
}

// ---- Addresses read when the task runs ----

class Indirect : public WithMemory {
 protected:
  void SetUp() override {
    WithMemory::SetUp();
    std::size_t bytes = 0;
    ASSERT_OK(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &bytes));
    ASSERT_GT(bytes, 0U);
    descriptor_ = Allocate(bytes);
    ASSERT_OK(aclrtMemset(descriptor_, bytes, 0, bytes));
    std::vector<uint8_t> values(256);
    std::iota(values.begin(), values.end(), uint8_t{0});
    source_ = ToDevice(values);
    target_ = ToDevice(std::vector<uint8_t>(256, 0xEE));
  }
  aclError Set(void* source, void* target, std::size_t bytes) {
    return aclrtSetMemcpyDesc(descriptor_, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, source, target, bytes, nullptr);
  }
  aclError CopyByDescriptor() {
    return aclrtMemcpyAsyncWithDesc(descriptor_, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, nullptr);
  }

  void* descriptor_ = nullptr;
  uint8_t* source_ = nullptr;
  uint8_t* target_ = nullptr;
};

TEST_F(Indirect, DescriptorIsReadWhenTheTaskRuns) {
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  ASSERT_OK(Set(source_, target_, 16));
  EXPECT_OK(CopyByDescriptor());
  ASSERT_OK(Set(source_ + 100, target_ + 1, 2));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  const std::vector<uint8_t> back = FromDevice(target_, 4);
  EXPECT_EQ((std::vector<uint8_t>{0xEE, 100, 101, 0xEE}), back);
}

TEST_F(Indirect, BaseAddressesAreReadWhenTheTaskRuns) {
  uint8_t** bases = ToDevice(std::vector<uint8_t*>{nullptr, nullptr});
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  EXPECT_OK(aclrtMemcpyAsyncWithOffset(reinterpret_cast<void**>(bases), 2, 3,
                                       const_cast<const void**>(reinterpret_cast<void**>(bases + 1)), 2, 50,
                                       ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, nullptr));
  uint8_t* now[] = {target_, source_};
  ASSERT_OK(aclrtMemcpy(bases, sizeof now, now, sizeof now, ACL_MEMCPY_HOST_TO_DEVICE));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ((std::vector<uint8_t>{0xEE, 50, 51, 0xEE}), FromDevice(target_ + 2, 4));
}

TEST_F(Indirect, AnAddressOutOfReachFailsTheTaskInWords) {
  auto* bad = static_cast<uint8_t*>(Unallocated());
  ASSERT_OK(Set(source_, bad, 16));
  Messages();
  EXPECT_OK(CopyByDescriptor());
  EXPECT_EQ(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(nullptr));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("destination at " + testing::PrintToString(static_cast<void*>(bad)))) << text;
  EXPECT_EQ(ACL_SUCCESS, Set(reinterpret_cast<void*>(0x1000), target_, 16));
  EXPECT_OK(CopyByDescriptor());
  EXPECT_EQ(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(nullptr));
  const std::string second = Messages();
  EXPECT_NE(std::string::npos, second.find("0x1000: source")) << second;
  // The stream goes on.
  ASSERT_OK(Set(source_, target_, 16));
  EXPECT_OK(CopyByDescriptor());
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(15, FromDevice(target_, 16)[15]);
}

TEST_F(Indirect, ADescriptorThatWasNeverSetFailsTheTask) {
  EXPECT_OK(CopyByDescriptor());
  EXPECT_EQ(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream(nullptr));
}

TEST_F(Indirect, WhatDoesNotFitIsRefused) {
  auto bytes = Untouched<std::size_t>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemcpyDescSize(ACL_MEMCPY_DEVICE_TO_DEVICE, &bytes));
  EXPECT_TRUE(IsUntouched(bytes));
  const auto inner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
  char host[64] = {};
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtSetMemcpyDesc(nullptr, inner, source_, target_, 1, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtSetMemcpyDesc(descriptor_, inner, nullptr, target_, 1, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtSetMemcpyDesc(descriptor_, inner, source_, nullptr, 1, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetMemcpyDesc(descriptor_, inner, source_, target_, 0, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetMemcpyDesc(descriptor_, inner, source_, target_, 1, host));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtSetMemcpyDesc(descriptor_, ACL_MEMCPY_DEFAULT, source_, target_, 1, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetMemcpyDesc(host, inner, source_, target_, 1, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsyncWithDesc(nullptr, inner, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithDesc(descriptor_, ACL_MEMCPY_DEFAULT, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithDesc(host, inner, nullptr));
  auto** at = reinterpret_cast<void**>(target_);
  auto** from = reinterpret_cast<const void**>(source_);
  auto** here = reinterpret_cast<void**>(host);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithOffset(nullptr, 8, 0, from, 8, 0, inner, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithOffset(at, 8, 0, nullptr, 8, 0, inner, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithOffset(here, 8, 0, from, 8, 0, inner, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemcpyAsyncWithOffset(at, 8, 0, from, 8, 0, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsyncWithOffset(at, 7, 0, from, 8, 0, inner, nullptr));
  EXPECT_OK(aclrtMemcpyAsyncWithOffset(nullptr, 0, 0, nullptr, 0, 0, inner, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
}

TEST(BatchOfCopies, MoreThanAnyArrayHoldsIsRefused) {
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclrtSetDevice(0));
  char bytes[8] = {};
  void* address = bytes;
  size_t size = sizeof bytes;
  size_t index = 0;
  size_t failed = 7;
  aclrtMemcpyBatchAttr attribute{};
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtMemcpyBatch(&address, &size, &address, &size, SIZE_MAX, &attribute, &index, 1, &failed));
  EXPECT_OK(aclFinalize());
}

}  // namespace
}  // namespace conformance
