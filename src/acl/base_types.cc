// Data types, half-precision conversion, data buffers.
#include <bit>
#include <cmath>
#include <cstdint>

#include "forebay/base/handle_table.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/types.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

struct DataBuffer {
  void* data = nullptr;
  size_t size = 0;
};
using DataBufferTable = base::HandleTable<DataBuffer, base::HandleKind::kDataBuffer>;

DataBufferTable& DataBuffers() {
  static base::NeverDestroyed<DataBufferTable> table(1u << 18);
  return *table;
}

DataBuffer* Find(const aclDataBuffer* buffer) noexcept { return DataBuffers().Find(ToHandle(buffer)); }

// Half precision as the documentation has it: no infinities and no NaN. The largest exponent is a number like any
// other, and what is too large becomes the largest number, 65504.
constexpr uint32_t kMantissaBits = 10;
constexpr int kExponentBias = 15;
constexpr uint16_t kLargestHalf = 0x7BFF;

}  // namespace

size_t aclDataTypeSize(aclDataType dataType) { return SizeOf(static_cast<DataType>(dataType)); }

float aclFloat16ToFloat(aclFloat16 value) {
  const int sign = (value & 0x8000) != 0 ? -1 : 1;
  const int exponent = (value >> kMantissaBits) & 0x1F;
  const int mantissa = value & 0x3FF;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, 1 - kExponentBias - static_cast<int>(kMantissaBits))
                    : std::ldexp(1024 + mantissa, exponent - kExponentBias - static_cast<int>(kMantissaBits));
  return static_cast<float>(sign * magnitude);
}

aclFloat16 aclFloatToFloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  if (std::isnan(value)) return kLargestHalf;
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude == 0) return sign;
  if (magnitude >= 65520.0) return static_cast<uint16_t>(sign | kLargestHalf);
  // Rounded to a multiple of the last place, ties to even.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int last_place = std::max(exponent - 1, 1 - kExponentBias) - static_cast<int>(kMantissaBits);
  const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -last_place)));
  // Steps count from 0 through the subnormal numbers; each exponent adds 1024, and a carry moves to the next by itself.
  const uint32_t base = static_cast<uint32_t>(last_place + kExponentBias - 1 + static_cast<int>(kMantissaBits))
                        << kMantissaBits;
  return static_cast<uint16_t>(sign | (base + steps));
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  const DataBufferTable::Entry entry = DataBuffers().Allocate();
  if (entry.object == nullptr) {
    Fail("aclCreateDataBuffer",
         Status(Code::kBadAlloc, "no further data buffer can be made", "Destroy data buffers that are no longer used"));
    return nullptr;
  }
  *entry.object = {data, size};
  DataBuffers().Publish(entry.handle);
  return static_cast<aclDataBuffer*>(FromHandle(entry.handle));
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return Guard("aclDestroyDataBuffer", [&]() -> Status {
    if (dataBuffer == nullptr) return NullArgument("dataBuffer");
    if (Find(dataBuffer) == nullptr)
      return Status(Code::kInvalidParam, "the data buffer was destroyed before, or is none", "Destroy it once");
    DataBuffers().Retire(ToHandle(dataBuffer));
    DataBuffers().Release(ToHandle(dataBuffer));
    return {};
  });
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return Guard("aclUpdateDataBuffer", [&]() -> Status {
    if (dataBuffer == nullptr) return NullArgument("dataBuffer");
    DataBuffer* buffer = Find(dataBuffer);
    if (buffer == nullptr)
      return Status(Code::kInvalidParam, "the data buffer was destroyed, or is none", "Create it first");
    *buffer = {data, size};
    return {};
  });
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  const DataBuffer* buffer = Find(dataBuffer);
  return buffer != nullptr ? buffer->data : nullptr;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  const DataBuffer* buffer = Find(dataBuffer);
  return buffer != nullptr ? buffer->size : 0;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<uint32_t>(aclGetDataBufferSizeV2(dataBuffer));
}
