// RuntimeTensor: where the data of an operator lies, and how it is shaped.
#pragma once

#include <memory>

#include "forebay/memory_pool.h"
#include "forebay/status.h"
#include "forebay/types.h"

#pragma GCC visibility push(default)
namespace forebay {

// Address, shape, data type and strides of data in device memory. A tensor does not own data. One made from a pool
// shares a counted lease on its block: every copy, and every launched operator that reads or writes it, counts up; when
// the last copy is gone and the last operator has run, the block goes back to its pool. One made from a raw address
// never frees.
//
// The runtime remembers the last writer and the readers of the underlying storage, and orders operators on different
// streams by them (LaunchOperator).
// Thread safety: distinct copies may be used by several threads.
class RuntimeTensor {
 public:
  class Storage;

  RuntimeTensor() noexcept = default;
  // Takes a block from the pool. Errors: kParamInvalid for a negative extent or an unknown type; kMemoryAllocation.
  static Result<RuntimeTensor> FromPool(MemoryPool& pool, Shape shape, DataType type);
  // Describes data that the caller keeps alive until the operators that use it have run.
  static Result<RuntimeTensor> FromAddress(void* address, Shape shape, DataType type);

  void* address() const noexcept { return address_; }
  const Shape& shape() const noexcept { return shape_; }
  // Steps between neighbours along each extent, in elements; row-major.
  const Shape& strides() const noexcept { return strides_; }
  DataType type() const noexcept { return type_; }
  int64_t element_count() const noexcept;
  uint64_t bytes() const noexcept;
  // How many tensors and unfinished operators share the storage; 0 for an empty tensor.
  long use_count() const noexcept { return storage_.use_count(); }

  const std::shared_ptr<Storage>& storage() const noexcept { return storage_; }

 private:
  static Result<RuntimeTensor> Make(std::shared_ptr<Storage> storage, void* address, Shape shape, DataType type);

  std::shared_ptr<Storage> storage_;
  void* address_ = nullptr;
  Shape shape_;
  Shape strides_;
  DataType type_ = DataType::kFloat;
};

}  // namespace forebay
#pragma GCC visibility pop
