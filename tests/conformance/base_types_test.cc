// Half precision, data types, data buffers: what needs no device.
#include <cmath>
#include <limits>

#include "conformance/support.h"

namespace conformance {
namespace {

uint32_t SizeCutTo32Bits(const aclDataBuffer* buffer) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return aclGetDataBufferSize(buffer);
#pragma GCC diagnostic pop
}

TEST(HalfPrecision, WidensWithoutInfinities) {
  EXPECT_EQ(0.0F, aclFloat16ToFloat(0x0000));
  EXPECT_TRUE(std::signbit(aclFloat16ToFloat(0x8000)));
  EXPECT_EQ(1.0F, aclFloat16ToFloat(0x3C00));
  EXPECT_EQ(-2.0F, aclFloat16ToFloat(0xC000));
  EXPECT_EQ(65504.0F, aclFloat16ToFloat(0x7BFF));
  EXPECT_EQ(std::ldexp(1.0F, -24), aclFloat16ToFloat(0x0001));
  EXPECT_EQ(65536.0F, aclFloat16ToFloat(0x7C00));
  EXPECT_EQ(-65536.0F, aclFloat16ToFloat(0xFC00));
  EXPECT_EQ(98304.0F, aclFloat16ToFloat(0x7E00));
}

TEST(HalfPrecision, NarrowingSaturates) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(0x7BFF, aclFloatToFloat16(65504.0F));
  EXPECT_EQ(0x7BFF, aclFloatToFloat16(1e30F));
  EXPECT_EQ(0xFBFF, aclFloatToFloat16(-1e30F));
  EXPECT_EQ(0x7BFF, aclFloatToFloat16(infinity));
  EXPECT_EQ(0xFBFF, aclFloatToFloat16(-infinity));
  EXPECT_EQ(0x7BFF, aclFloatToFloat16(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(0x0000, aclFloatToFloat16(1e-30F));
  EXPECT_EQ(0x8000, aclFloatToFloat16(-0.0F));
}

TEST(HalfPrecision, NarrowingRoundsToEven) {
  EXPECT_EQ(0x3C00, aclFloatToFloat16(1.0F + std::ldexp(1.0F, -11)));
  EXPECT_EQ(0x3C02, aclFloatToFloat16(1.0F + 3 * std::ldexp(1.0F, -11)));
  EXPECT_EQ(0x3C01, aclFloatToFloat16(1.0F + std::ldexp(1.001F, -11)));
  EXPECT_EQ(0x0000, aclFloatToFloat16(std::ldexp(1.0F, -25)));
  EXPECT_EQ(0x0002, aclFloatToFloat16(3 * std::ldexp(1.0F, -25)));
  EXPECT_EQ(0x0400, aclFloatToFloat16(std::ldexp(1.0F, -14))) << "the least normal number";
}

TEST(HalfPrecision, EveryNumberComesBack) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    if ((bits & 0x7C00) == 0x7C00) continue;  // too large to come back
    ASSERT_EQ(bits, aclFloatToFloat16(aclFloat16ToFloat(static_cast<aclFloat16>(bits))));
  }
}

TEST(DataType, SizesAreThoseOfTheElements) {
  const std::vector<std::pair<aclDataType, std::size_t>> sizes = {
      {ACL_FLOAT, 4},        {ACL_FLOAT16, 2},     {ACL_INT8, 1},        {ACL_INT32, 4},         {ACL_UINT8, 1},
      {ACL_INT16, 2},        {ACL_UINT16, 2},      {ACL_UINT32, 4},      {ACL_INT64, 8},         {ACL_UINT64, 8},
      {ACL_DOUBLE, 8},       {ACL_BOOL, 1},        {ACL_COMPLEX64, 8},   {ACL_COMPLEX128, 16},   {ACL_BF16, 2},
      {ACL_COMPLEX32, 4},    {ACL_HIFLOAT8, 1},    {ACL_FLOAT8_E5M2, 1}, {ACL_FLOAT8_E4M3FN, 1}, {ACL_FLOAT8_E8M0, 1},
      {ACL_DT_UNDEFINED, 0}, {ACL_STRING, 0},      {ACL_INT4, 0},        {ACL_UINT1, 0},         {ACL_FLOAT6_E3M2, 0},
      {ACL_FLOAT6_E2M3, 0},  {ACL_FLOAT4_E2M1, 0}, {ACL_FLOAT4_E1M2, 0}};
  for (const auto& [type, size] : sizes) EXPECT_EQ(size, aclDataTypeSize(type)) << type;
}

TEST(DataType, NumbersThatAreNoTypeHaveNoSize) {
  for (const int number : {-2, 5, 14, 15, 17, 26, 28, 31, 32, 42, 1000, INT32_MAX, INT32_MIN}) {
    if (number == ACL_COMPLEX128) continue;
    EXPECT_EQ(0U, aclDataTypeSize(NoSuch<aclDataType>(number))) << number;
  }
}

TEST(DataBuffer, NamesMemoryAndOwnsNone) {
  char data[8];
  aclDataBuffer* buffer = aclCreateDataBuffer(data, sizeof data);
  ASSERT_NE(nullptr, buffer);
  EXPECT_EQ(data, aclGetDataBufferAddr(buffer));
  EXPECT_EQ(8U, aclGetDataBufferSizeV2(buffer));
  EXPECT_OK(aclUpdateDataBuffer(buffer, nullptr, std::size_t{5} << 32 | 7));
  EXPECT_EQ(nullptr, aclGetDataBufferAddr(buffer));
  EXPECT_EQ(std::size_t{5} << 32 | 7, aclGetDataBufferSizeV2(buffer));
  EXPECT_EQ(7U, SizeCutTo32Bits(buffer));
  EXPECT_OK(aclDestroyDataBuffer(buffer));
}

TEST(DataBuffer, NullIsAnsweredWithNothing) {
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclDestroyDataBuffer(nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclUpdateDataBuffer(nullptr, nullptr, 0));
  EXPECT_EQ(nullptr, aclGetDataBufferAddr(nullptr));
  EXPECT_EQ(0U, aclGetDataBufferSizeV2(nullptr));
  EXPECT_EQ(0U, SizeCutTo32Bits(nullptr));
}

TEST(DataBuffer, MadeAndDestroyedByManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (std::size_t i = 1; i < 2000; ++i) {
        char data = 0;
        aclDataBuffer* buffer = aclCreateDataBuffer(&data, i);
        ASSERT_NE(nullptr, buffer);
        ASSERT_EQ(i, aclGetDataBufferSizeV2(buffer));
        ASSERT_OK(aclDestroyDataBuffer(buffer));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace conformance
