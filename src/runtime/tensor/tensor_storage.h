// What tensors that lie in the same block share: the lease on it, and who uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/tensor.h"
#include "memory/returned_blocks.h"

namespace forebay {

// The event that stands for one operator: the register of its stream, and the value it reaches.
struct OperatorEvent {
  uint32_t stream_slot = ~0u;
  uint32_t event = 0;
  uint64_t value = 0;
  uint64_t power_cycle = 0;  // of the device: an event from before its reset stands for nothing

  bool exists() const noexcept { return stream_slot != ~0u; }
};

// Thread safety: as annotated.
class RuntimeTensor::Storage {
 public:
  // `home` takes the block back in the end; null for memory that the caller owns.
  Storage(void* address, uint64_t bytes, std::shared_ptr<runtime::ReturnedBlocks> home);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* address() const noexcept { return address_; }
  uint64_t bytes() const noexcept { return bytes_; }
  // The device that the address belongs to; -1: none.
  int32_t device() const noexcept { return device_; }
  bool from_pool() const noexcept { return home_ != nullptr; }
  // Of that device when the storage was made. After a reset a block of a pool is someone else's.
  uint64_t power_cycle() const noexcept { return power_cycle_; }

  base::Mutex mutex;
  OperatorEvent last_writer GUARDED_BY(mutex);
  std::vector<OperatorEvent> readers GUARDED_BY(mutex);  // since the last write, at most one per stream

 private:
  void* const address_;
  const uint64_t bytes_;
  const std::shared_ptr<runtime::ReturnedBlocks> home_;
  std::unique_ptr<runtime::ReturnedBlocks::Block> block_;
  int32_t device_ = -1;
  uint64_t power_cycle_ = 0;
};

}  // namespace forebay
