#include "forebay/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "forebay/base/thread.h"
#include "forebay/device.h"
#include "forebay/runtime.h"

namespace forebay {
namespace {

class TensorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(SetDevice(0).ok());
    auto made = MemoryPool::Create();
    ASSERT_TRUE(made.ok());
    pool = *std::move(made);
  }
  void TearDown() override {
    pool.reset();
    EXPECT_TRUE(ResetDevice(0).ok());
    EXPECT_EQ(Runtime::Counters(), ResourceCounters());
  }
  RuntimeTensor Make(Shape shape, DataType type = DataType::kFloat) {
    return Must(RuntimeTensor::FromPool(*pool, std::move(shape), type));
  }
  static RuntimeTensor Must(const Result<RuntimeTensor>& tensor) {
    EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
    return tensor.ok() ? *tensor : RuntimeTensor();
  }
  uint64_t live() const { return pool->statistics().live_blocks; }
  std::shared_ptr<MemoryPool> pool;
};

TEST_F(TensorTest, KnowsItsBytesAndRowMajorStrides) {
  const RuntimeTensor tensor = Make({2, 3, 4}, DataType::kFloat16);
  EXPECT_EQ(tensor.element_count(), 24);
  EXPECT_EQ(tensor.bytes(), 48U);
  EXPECT_EQ(tensor.strides(), (Shape{12, 4, 1}));
  EXPECT_EQ(tensor.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(tensor.type(), DataType::kFloat16);
  EXPECT_EQ(reinterpret_cast<uint64_t>(tensor.address()) % 512, 0U);
}

TEST_F(TensorTest, OfNoExtentIsAScalarAndOfExtentZeroIsEmpty) {
  EXPECT_EQ(Make({}, DataType::kDouble).bytes(), 8U);
  EXPECT_EQ(Make({4, 0, 3}).bytes(), 0U);
  EXPECT_EQ(Make({4, 0, 3}).element_count(), 0);
}

TEST_F(TensorTest, BadShapesAndTypesAreRefused) {
  EXPECT_EQ(RuntimeTensor::FromPool(*pool, {-1}, DataType::kFloat).code(), Code::kParamInvalid);
  EXPECT_EQ(RuntimeTensor::FromPool(*pool, {int64_t{1} << 40, int64_t{1} << 40}, DataType::kFloat).code(),
            Code::kParamInvalid);
  EXPECT_EQ(RuntimeTensor::FromPool(*pool, {4}, static_cast<DataType>(5)).code(), Code::kParamInvalid);
  EXPECT_EQ(RuntimeTensor::FromAddress(nullptr, {-4}, DataType::kFloat).code(), Code::kParamInvalid);
  EXPECT_EQ(RuntimeTensor::FromPool(*pool, {int64_t{1} << 50}, DataType::kInt8).code(), Code::kMemoryAllocation);
  EXPECT_EQ(live(), 0U);
}

TEST_F(TensorTest, ElementsOfLessThanAByteArePacked) {
  EXPECT_EQ(Make({3}, DataType::kInt4).bytes(), 2U);
  EXPECT_EQ(Make({4, 2}, DataType::kFloat4E2m1).bytes(), 4U);
  EXPECT_EQ(Make({9}, DataType::kUint1).bytes(), 2U);
  EXPECT_EQ(Make({5}, DataType::kFloat6E3m2).bytes(), 4U);
  EXPECT_EQ(Make({3}, DataType::kComplex128).bytes(), 48U);
  EXPECT_EQ(Make({}, DataType::kUint1).bytes(), 1U);
  for (const DataType without : {DataType::kString, DataType::kUndefined}) {
    EXPECT_EQ(RuntimeTensor::FromPool(*pool, {4}, without).code(), Code::kParamInvalid);
  }
}

TEST_F(TensorTest, ManyExtentsAreAsGoodAsFew) {
  const Shape many(12, 2);
  RuntimeTensor tensor = Make(many, DataType::kInt8);
  const RuntimeTensor copy = tensor;
  EXPECT_EQ(copy.shape(), many);
  EXPECT_EQ(copy.strides()[0], 2048);
  RuntimeTensor moved = std::move(tensor);
  EXPECT_EQ(moved.element_count(), 4096);
  EXPECT_EQ(Must(moved.Reshape({64, 64})).strides(), (Shape{64, 1}));
}

TEST_F(TensorTest, EmptyInOneExtentAndHugeInOthersIsRefused) {
  EXPECT_EQ(RuntimeTensor::FromPool(*pool, {0, int64_t{1} << 40, int64_t{1} << 40}, DataType::kFloat).code(),
            Code::kParamInvalid);
}

TEST_F(TensorTest, ViewsTellWhereTheirElementsLie) {
  const RuntimeTensor base = Make({4, 6});
  const auto* begin = static_cast<const std::byte*>(base.address());
  const RuntimeTensor rows = Must(base.Slice(0, 1, 3));
  EXPECT_EQ(rows.shape(), (Shape{2, 6}));
  EXPECT_EQ(rows.address(), begin + 24);
  EXPECT_TRUE(rows.is_contiguous());
  const RuntimeTensor column = Must(rows.Slice(1, 1, 6, 2));
  EXPECT_EQ(column.shape(), (Shape{2, 3}));
  EXPECT_EQ(column.strides(), (Shape{6, 2}));
  EXPECT_EQ(column.offset(), 7);
  EXPECT_EQ(column.address(), begin + 28);
  EXPECT_EQ(column.bytes(), 24U);
  EXPECT_FALSE(column.is_contiguous());
  const RuntimeTensor turned = Must(base.Transpose(0, 1));
  EXPECT_EQ(turned.shape(), (Shape{6, 4}));
  EXPECT_EQ(turned.strides(), (Shape{1, 6}));
  EXPECT_FALSE(turned.is_contiguous());
  EXPECT_EQ(Must(rows.Reshape({3, 4})).address(), rows.address());
  EXPECT_EQ(Must(base.View({6, 4}, {1, -6}, 18)).address(), begin + 72);
  EXPECT_EQ(Must(base.View({5, 24}, {0, 1})).element_count(), 120) << "one row, seen five times";
  EXPECT_EQ(Must(base.Slice(1, 6, 6)).bytes(), 0U);
  EXPECT_TRUE(Must(Must(base.Slice(0, 2, 3)).Transpose(0, 1)).is_contiguous()) << "an extent of 1 has no neighbours";
}

TEST_F(TensorTest, ViewsStayInsideTheirBlock) {
  const RuntimeTensor base = Make({4, 6});
  constexpr int64_t kHuge = INT64_MAX;
  const Result<RuntimeTensor> refused[] = {
      base.View({25}, {1}),
      base.View({24}, {1}, 1),
      base.View({2}, {24}),
      base.View({2}, {-1}),
      base.View({1}, {1}, -1),
      base.View({1}, {1}, 24),
      base.View({0}, {1}, 25),
      base.View({3}, {kHuge}),
      base.View({3}, {-kHuge}),
      base.View({2, 2}, {kHuge, kHuge}),
      base.View({-1}, {1}),
      base.View({2}, {1, 1}),
      base.View({1}, {1}, kHuge),
      base.Slice(2, 0, 1),
      base.Slice(0, 0, 5),
      base.Slice(0, -1, 2),
      base.Slice(0, 3, 2),
      base.Slice(0, 0, 4, 0),
      base.Transpose(0, 2),
      base.Transpose(9, 0),
      base.Reshape({5, 5}),
      base.Reshape({-4, -6}),
      Must(base.Transpose(0, 1)).Reshape({24}),
      Make({0}).Reshape({1}),
      RuntimeTensor().View({}, {}),
      RuntimeTensor().Reshape({}),
      RuntimeTensor().Slice(0, 0, 0),
      RuntimeTensor().Transpose(0, 0),
  };
  for (const auto& view : refused) EXPECT_EQ(view.code(), Code::kParamInvalid) << &view - refused;
  EXPECT_EQ(base.use_count(), 1);
}

TEST_F(TensorTest, ViewsOfElementsOfLessThanAByteBeginWithAByte) {
  const RuntimeTensor nibbles = Make({8}, DataType::kInt4);
  EXPECT_EQ(Must(nibbles.Slice(0, 4, 8)).address(), static_cast<std::byte*>(nibbles.address()) + 2);
  EXPECT_EQ(nibbles.Slice(0, 3, 8).code(), Code::kParamInvalid);
  const RuntimeTensor sixes = Make({8}, DataType::kFloat6E2m3);
  EXPECT_EQ(Must(sixes.Slice(0, 4, 8)).address(), static_cast<std::byte*>(sixes.address()) + 3);
  EXPECT_EQ(sixes.Slice(0, 2, 8).code(), Code::kParamInvalid);
}

TEST_F(TensorTest, AViewKeepsItsBlock) {
  RuntimeTensor view;
  {
    const RuntimeTensor base = Make({4, 6});
    view = Must(Must(base.Slice(0, 1, 3)).Transpose(0, 1));
    EXPECT_EQ(base.use_count(), 2);
  }
  EXPECT_EQ(live(), 1U);
  view = RuntimeTensor();
  EXPECT_EQ(live(), 0U);
}

TEST_F(TensorTest, TheLastCopyMayGoOnAnyThreadAndAfterTheDevice) {
  RuntimeTensor tensor = Make({100});
  base::Thread("test", [last = std::move(tensor)]() mutable { last = RuntimeTensor(); }).Join();
  EXPECT_EQ(live(), 0U);
  tensor = Make({100});
  ASSERT_TRUE(ResetDevice(0).ok());
  tensor = RuntimeTensor();
  ASSERT_TRUE(SetDevice(0).ok());
}

TEST_F(TensorTest, CopiesShareTheBlockAndTheLastOneReturnsIt) {
  RuntimeTensor tensor = Make({100});
  EXPECT_EQ(tensor.use_count(), 1);
  {
    const RuntimeTensor copy = tensor;
    EXPECT_EQ(tensor.use_count(), 2);
    EXPECT_EQ(copy.address(), tensor.address());
    tensor = RuntimeTensor();
    EXPECT_EQ(copy.use_count(), 1);
    EXPECT_EQ(live(), 1U);
  }
  EXPECT_EQ(live(), 0U);
  EXPECT_EQ(tensor.use_count(), 0);
}

TEST_F(TensorTest, MayOutliveItsPool) {
  RuntimeTensor tensor = Make({100});
  pool.reset();
  EXPECT_EQ(tensor.use_count(), 1);
  tensor = RuntimeTensor();
}

TEST_F(TensorTest, OfARawAddressNeverFrees) {
  const auto block = pool->Alloc(4096);
  ASSERT_TRUE(block.ok());
  {
    const auto tensor = RuntimeTensor::FromAddress(*block, {16, 16}, DataType::kUint32);
    ASSERT_TRUE(tensor.ok());
    EXPECT_EQ(tensor->address(), *block);
  }
  EXPECT_EQ(live(), 1U);
  EXPECT_TRUE(pool->Free(*block).ok());
}

}  // namespace
}  // namespace forebay
