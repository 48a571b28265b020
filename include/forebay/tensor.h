// RuntimeTensor: where the data of an operator lies, and how it is shaped.
#pragma once

#include <memory>

#include "forebay/memory_pool.h"
#include "forebay/shape.h"
#include "forebay/status.h"
#include "forebay/types.h"

#pragma GCC visibility push(default)
namespace forebay {

// Address, shape, data type and strides of data in device memory. A tensor does not own data. One made from a pool
// shares a counted lease on its block: every copy and view counts up, and so does each use of it as an input or output
// of a launched operator until that operator has run. At zero, which means that every stream that used it has passed,
// the block goes back to its pool. That may happen on any thread, also in a callback: it takes no lock and waits for
// nothing. One made from a raw address never frees.
//
// Elements of less than a byte are packed: 3 elements of kInt4 take 2 bytes, the first in the low bits.
//
// The runtime remembers the last writer and the readers of the underlying block, whichever views of it they use, and
// orders operators on different streams by them (LaunchOperator).
// Thread safety: distinct copies may be used by several threads.
class RuntimeTensor {
 public:
  class Storage;

  RuntimeTensor() noexcept = default;
  // Takes a block from the pool. Errors: kParamInvalid for a negative extent, for more than 2^62 bytes, and for a type
  // whose elements have no size; kMemoryAllocation.
  static Result<RuntimeTensor> FromPool(MemoryPool& pool, Shape shape, DataType type);
  // Describes data that the caller keeps alive until the operators that use it have run.
  static Result<RuntimeTensor> FromAddress(void* address, Shape shape, DataType type);

  // Views see the same block in another way and keep it alive; nothing is copied. Offsets, strides and steps count
  // elements. Errors of all of them: kParamInvalid for what is not inside the block, for a first element of less than
  // a byte that does not begin one, and for a tensor that was never made.
  //
  // What a shape and strides, which may be 0 or negative, reach from `offset` elements behind this one's first.
  Result<RuntimeTensor> View(Shape shape, Shape strides, int64_t offset = 0) const;
  // Elements `begin` up to, but without, `end` of one dimension, every `step`th of them.
  Result<RuntimeTensor> Slice(std::size_t dimension, int64_t begin, int64_t end, int64_t step = 1) const;
  // Two dimensions exchanged.
  Result<RuntimeTensor> Transpose(std::size_t first, std::size_t second) const;
  // The same elements in the same order. kParamInvalid when their number differs, or when this one has gaps.
  Result<RuntimeTensor> Reshape(Shape shape) const;

  // Of the first element.
  void* address() const noexcept { return address_; }
  const Shape& shape() const noexcept { return shape_; }
  // Steps between neighbours along each extent, in elements; row-major unless it is a view that says otherwise.
  const Shape& strides() const noexcept { return strides_; }
  // How many elements of the block come before the first.
  int64_t offset() const noexcept { return offset_; }
  DataType type() const noexcept { return type_; }
  int64_t element_count() const noexcept;
  // Of the elements without gaps.
  uint64_t bytes() const noexcept;
  // Whether the elements lie one behind the other in row-major order.
  bool is_contiguous() const noexcept;
  // How many tensors, and uses by operators that have not run, share the block by now; 0 for an empty tensor.
  long use_count() const;

  const std::shared_ptr<Storage>& storage() const noexcept { return storage_; }

 private:
  static Result<RuntimeTensor> Make(std::shared_ptr<Storage> storage, Shape shape, DataType type);
  Result<RuntimeTensor> Viewed(Shape shape, Shape strides, int64_t offset) const;

  std::shared_ptr<Storage> storage_;
  void* address_ = nullptr;
  int64_t offset_ = 0;
  Shape shape_;
  Shape strides_;
  DataType type_ = DataType::kFloat;
};

}  // namespace forebay
#pragma GCC visibility pop
