#include "forebay/tensor.h"

#include <gtest/gtest.h>

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
    auto tensor = RuntimeTensor::FromPool(*pool, std::move(shape), type);
    EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
    return tensor.ok() ? *std::move(tensor) : RuntimeTensor();
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
