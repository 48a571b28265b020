// Blocks on their way back to a pool, from threads that must neither wait nor take a lock.
#pragma once

#include <atomic>
#include <memory>

namespace forebay::runtime {

// Filled by anybody, emptied by whoever next asks the pool for something. It may outlive the pool, whose blocks then
// mean nothing. Thread safety: all functions may be called from any thread.
class ReturnedBlocks {
 public:
  // Made with the block, so that giving it back needs no memory.
  struct Block {
    void* address = nullptr;
    Block* next = nullptr;
  };

  ReturnedBlocks() = default;
  ~ReturnedBlocks() {
    TakeAll([](void*) {});
  }
  ReturnedBlocks(const ReturnedBlocks&) = delete;
  ReturnedBlocks& operator=(const ReturnedBlocks&) = delete;

  void Add(std::unique_ptr<Block> block) noexcept {
    Block* added = block.release();
    added->next = first_.load(std::memory_order_relaxed);
    // Release pairs with the acquire in TakeAll: the pool sees the address, and what was done with the block before.
    while (!first_.compare_exchange_weak(added->next, added, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  // Calls take(address) for every block added up to now.
  template <typename Take>
  void TakeAll(Take take) {
    if (first_.load(std::memory_order_relaxed) == nullptr) return;
    for (Block* next = first_.exchange(nullptr, std::memory_order_acquire); next != nullptr;) {
      const std::unique_ptr<Block> block(next);
      next = block->next;
      take(block->address);
    }
  }

 private:
  std::atomic<Block*> first_{nullptr};
};

}  // namespace forebay::runtime
