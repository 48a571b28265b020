#include "forebay/tensor.h"

#include <fmt/format.h>

#include "forebay/base/macros.h"
#include "forebay/runtime/device_state.h"
#include "tensor/tensor_storage.h"

namespace forebay {
namespace {

// Bytes of a shape, or why it has none.
Result<uint64_t> BytesOf(const Shape& shape, DataType type) {
  uint64_t bytes = SizeOf(type);
  if (bytes == 0) {
    return Status(Code::kParamInvalid, fmt::format("{} is not a data type of tensors", static_cast<int32_t>(type)),
                  "See DataType");
  }
  for (const int64_t extent : shape) {
    if (extent < 0)
      return Status(Code::kParamInvalid, fmt::format("a tensor has the extent {}", extent), "Extents are 0 or more");
    if (extent != 0 && bytes > (uint64_t{1} << 62) / static_cast<uint64_t>(extent)) {
      return Status(Code::kParamInvalid, "a tensor has more than 2^62 bytes");
    }
    bytes *= static_cast<uint64_t>(extent);
  }
  return bytes;
}

Shape RowMajorStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

}  // namespace

RuntimeTensor::Storage::Storage(void* address, uint64_t bytes, MemoryPool* pool, std::weak_ptr<MemoryPool> pool_owner)
    : address_(address), bytes_(bytes), pool_(pool), pool_owner_(std::move(pool_owner)) {
  if (const runtime::DeviceState* device = runtime::DeviceOfAddress(address)) {
    device_ = device->id();
    power_cycle_ = device->power_cycle();
  }
}

RuntimeTensor::Storage::~Storage() {
  // The pool may be gone, and its blocks with it.
  if (pool_ == nullptr) return;
  if (const auto pool = pool_owner_.lock()) pool_->Free(address_).IgnoreError();
}

Result<RuntimeTensor> RuntimeTensor::Make(std::shared_ptr<Storage> storage, void* address, Shape shape, DataType type) {
  RuntimeTensor tensor;
  tensor.storage_ = std::move(storage);
  tensor.address_ = address;
  tensor.strides_ = RowMajorStrides(shape);
  tensor.shape_ = std::move(shape);
  tensor.type_ = type;
  return tensor;
}

Result<RuntimeTensor> RuntimeTensor::FromPool(MemoryPool& pool, Shape shape, DataType type) {
  ASSIGN_OR_RETURN(const uint64_t bytes, BytesOf(shape, type));
  ASSIGN_OR_RETURN(void* address, pool.Alloc(bytes == 0 ? 1 : bytes));
  auto storage = std::make_shared<Storage>(address, bytes, &pool, pool.weak_from_this());
  return Make(std::move(storage), address, std::move(shape), type);
}

Result<RuntimeTensor> RuntimeTensor::FromAddress(void* address, Shape shape, DataType type) {
  ASSIGN_OR_RETURN(const uint64_t bytes, BytesOf(shape, type));
  auto storage = std::make_shared<Storage>(address, bytes, nullptr, std::weak_ptr<MemoryPool>());
  return Make(std::move(storage), address, std::move(shape), type);
}

int64_t RuntimeTensor::element_count() const noexcept {
  int64_t count = 1;
  for (const int64_t extent : shape_) count *= extent;
  return count;
}

uint64_t RuntimeTensor::bytes() const noexcept { return static_cast<uint64_t>(element_count()) * SizeOf(type_); }

}  // namespace forebay
