#include "forebay/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "forebay/base/macros.h"
#include "forebay/runtime/device_state.h"
#include "memory/memory_pool_impl.h"
#include "tensor/tensor_storage.h"

namespace forebay {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 62;

// Bytes of a shape, or why it has none. Strides of what passes here do not overflow either.
Result<uint64_t> SizeOfShape(const Shape& shape, DataType type) {
  const uint64_t bits = BitsOf(type);
  if (bits == 0) {
    return Status(Code::kParamInvalid, fmt::format("{} is not a data type of tensors", static_cast<int32_t>(type)),
                  "See DataType");
  }
  const uint64_t most = bits < 8 ? kMostBytes : kMostBytes / (bits / 8);
  uint64_t count = 1;
  bool is_empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0)
      return Status(Code::kParamInvalid, fmt::format("a tensor has the extent {}", extent), "Extents are 0 or more");
    is_empty |= extent == 0;
    if (extent == 0) continue;
    if (count > most / static_cast<uint64_t>(extent)) {
      return Status(Code::kParamInvalid, fmt::format("a tensor of the shape {} has more than 2^62 bytes", shape),
                    "Check the extents");
    }
    count *= static_cast<uint64_t>(extent);
  }
  return is_empty ? 0 : BytesOf(type, count);
}

Shape RowMajorStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * std::max<int64_t>(shape[i - 1], 1);
  return strides;
}

int64_t CountOf(const Shape& shape) noexcept {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

// The lowest and highest element that a view reaches. False when that is beyond all numbers.
bool Reach(const Shape& shape, const Shape& strides, int64_t offset, int64_t* lowest, int64_t* highest) {
  *lowest = *highest = offset;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    int64_t last = 0;
    int64_t& end = strides[i] < 0 ? *lowest : *highest;
    if (__builtin_mul_overflow(shape[i] - 1, strides[i], &last) || __builtin_add_overflow(end, last, &end))
      return false;
  }
  return true;
}

Status NoSuchDimension(std::size_t dimension, const Shape& shape) {
  return Status(Code::kParamInvalid,
                fmt::format("dimension {} was asked of a tensor of the shape {}", dimension, shape),
                "Dimensions count from 0");
}

}  // namespace

RuntimeTensor::Storage::Storage(void* address, uint64_t bytes, std::shared_ptr<runtime::ReturnedBlocks> home)
    : address_(address), bytes_(bytes), home_(std::move(home)) {
  if (home_) block_ = std::make_unique<runtime::ReturnedBlocks::Block>(address);
  if (const runtime::DeviceState* device = runtime::DeviceOfAddress(address)) {
    device_ = device->id();
    power_cycle_ = device->power_cycle();
  }
}

RuntimeTensor::Storage::~Storage() {
  if (home_) home_->Add(std::move(block_));
}

Result<RuntimeTensor> RuntimeTensor::Make(std::shared_ptr<Storage> storage, Shape shape, DataType type) {
  RuntimeTensor tensor;
  tensor.address_ = storage->address();
  tensor.storage_ = std::move(storage);
  tensor.strides_ = RowMajorStrides(shape);
  tensor.shape_ = std::move(shape);
  tensor.type_ = type;
  return tensor;
}

Result<RuntimeTensor> RuntimeTensor::FromPool(MemoryPool& pool, Shape shape, DataType type) {
  ASSIGN_OR_RETURN(const uint64_t bytes, SizeOfShape(shape, type));
  ASSIGN_OR_RETURN(void* address, runtime::AllocateFor(pool, bytes == 0 ? 1 : bytes, __builtin_return_address(0)));
  auto storage = std::make_shared<Storage>(address, bytes, runtime::ReturnedBlocksOf(pool));
  return Make(std::move(storage), std::move(shape), type);
}

Result<RuntimeTensor> RuntimeTensor::FromAddress(void* address, Shape shape, DataType type) {
  ASSIGN_OR_RETURN(const uint64_t bytes, SizeOfShape(shape, type));
  return Make(std::make_shared<Storage>(address, bytes, nullptr), std::move(shape), type);
}

Result<RuntimeTensor> RuntimeTensor::View(Shape shape, Shape strides, int64_t offset) const {
  if (!storage_) return Status(Code::kParamInvalid, "a view of an empty tensor", "Make it from a pool or an address");
  if (shape.size() != strides.size()) {
    return Status(
        Code::kParamInvalid,
        fmt::format("a view has {} extents, {}, but {} strides, {}", shape.size(), shape, strides.size(), strides),
        "Give a stride for each extent");
  }
  RETURN_IF_ERROR(SizeOfShape(shape, type_).status());
  int64_t first = 0;
  int64_t lowest = 0;
  int64_t highest = 0;
  const auto outside = [&] {
    return Status(Code::kParamInvalid,
                  fmt::format("a view of the shape {} with the strides {}, {} elements behind element {}, reaches "
                              "beyond the {} bytes of its block",
                              shape, strides, offset, offset_, storage_->bytes()),
                  "Keep views inside the block that the tensor was made with");
  };
  if (__builtin_add_overflow(offset_, offset, &first) || first < 0) return outside();
  const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  const uint64_t bits = BitsOf(type_);
  const uint64_t room = storage_->bytes() / bits * 8 + storage_->bytes() % bits * 8 / bits;  // in elements
  if (is_empty) {
    if (static_cast<uint64_t>(first) > room) return outside();
  } else if (!Reach(shape, strides, first, &lowest, &highest) || lowest < 0 || static_cast<uint64_t>(highest) >= room) {
    return outside();
  }
  return Viewed(std::move(shape), std::move(strides), first);
}

Result<RuntimeTensor> RuntimeTensor::Viewed(Shape shape, Shape strides, int64_t offset) const {
  const uint32_t bits = BitsOf(type_);
  if (static_cast<uint64_t>(offset) % 8 * bits % 8 != 0) {
    return Status(
        Code::kParamInvalid,
        fmt::format("a view begins with element {} of {} bits, which is not the beginning of a byte", offset, bits),
        "Let views begin at whole bytes");
  }
  RuntimeTensor view;
  view.storage_ = storage_;
  view.address_ = static_cast<std::byte*>(storage_->address()) + BytesOf(type_, static_cast<uint64_t>(offset));
  view.offset_ = offset;
  view.shape_ = std::move(shape);
  view.strides_ = std::move(strides);
  view.type_ = type_;
  return view;
}

Result<RuntimeTensor> RuntimeTensor::Slice(std::size_t dimension, int64_t begin, int64_t end, int64_t step) const {
  if (dimension >= shape_.size()) return NoSuchDimension(dimension, shape_);
  if (begin < 0 || end < begin || end > shape_[dimension] || step < 1) {
    return Status(Code::kParamInvalid,
                  fmt::format("elements {} to {} in steps of {} were asked of dimension {}, which has {}", begin, end,
                              step, dimension, shape_[dimension]),
                  "Let 0 <= begin <= end <= extent, and step 1 or more");
  }
  RuntimeTensor view = *this;
  const int64_t count = end - begin;
  view.shape_[dimension] = count / step + (count % step != 0 ? 1 : 0);
  // Where there is nothing, nothing is skipped: it might lead out of the block.
  if (view.element_count() == 0) return view;
  // A step beyond the end is never taken.
  if (view.shape_[dimension] > 1) view.strides_[dimension] *= step;
  return Viewed(std::move(view.shape_), std::move(view.strides_), offset_ + begin * strides_[dimension]);
}

Result<RuntimeTensor> RuntimeTensor::Transpose(std::size_t first, std::size_t second) const {
  if (first >= shape_.size()) return NoSuchDimension(first, shape_);
  if (second >= shape_.size()) return NoSuchDimension(second, shape_);
  RuntimeTensor view = *this;
  std::swap(view.shape_[first], view.shape_[second]);
  std::swap(view.strides_[first], view.strides_[second]);
  return view;
}

Result<RuntimeTensor> RuntimeTensor::Reshape(Shape shape) const {
  if (!storage_) return Status(Code::kParamInvalid, "a view of an empty tensor", "Make it from a pool or an address");
  ASSIGN_OR_RETURN(const uint64_t bytes, SizeOfShape(shape, type_));
  if (bytes != this->bytes() || CountOf(shape) != element_count()) {
    return Status(Code::kParamInvalid, fmt::format("a tensor of the shape {} cannot take the shape {}", shape_, shape),
                  "Both have the same number of elements");
  }
  if (!is_contiguous()) {
    return Status(Code::kParamInvalid,
                  fmt::format("a tensor of the shape {} with the strides {} has gaps, or another order, and takes no "
                              "other shape",
                              shape_, strides_),
                  "Copy it into a contiguous tensor first");
  }
  Shape strides = RowMajorStrides(shape);
  return Viewed(std::move(shape), std::move(strides), offset_);
}

int64_t RuntimeTensor::element_count() const noexcept { return CountOf(shape_); }

uint64_t RuntimeTensor::bytes() const noexcept { return BytesOf(type_, static_cast<uint64_t>(element_count())); }

bool RuntimeTensor::is_contiguous() const noexcept {
  int64_t step = 1;
  if (element_count() == 0) return true;
  for (std::size_t i = shape_.size(); i > 0; --i) {
    if (shape_[i - 1] != 1 && strides_[i - 1] != step) return false;
    step *= shape_[i - 1];
  }
  return true;
}

long RuntimeTensor::use_count() const {
  if (!storage_) return 0;
  // Operators that have run hold their tensors until somebody looks.
  if (storage_.use_count() > 1 && storage_->device() >= 0) {
    if (const auto device = runtime::FindDevice(storage_->device()); device.ok()) (*device)->ReclaimAll();
  }
  return storage_.use_count();
}

}  // namespace forebay
