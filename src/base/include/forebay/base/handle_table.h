// Handles that are validated and never dereferenced.
//
// A handle is a 64-bit value, not an address: kind (8 bits) | generation (32 bits) | slot (24 bits). Its top byte makes
// it a non-canonical address, so a program that dereferences one crashes at once. Objects live in slots whose memory is
// never returned: a stale handle finds a slot with another generation, and a caller that still holds a reference while
// another thread destroys the object touches memory that is still an object of that type. A caller that then locks the
// object must check the generation once more under that lock (`IsCurrent`).
//
// The generation is odd while the slot is in use and even while it is free.
// Thread safety: all functions may be called from any thread. A lookup is one acquire load, a mask and a compare.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "forebay/base/macros.h"
#include "forebay/base/mutex.h"

namespace forebay::base {

// What a handle names. The value is the handle's top byte.
enum class HandleKind : uint8_t {
  kStream = 0xA1,
  kEvent = 0xA2,
  kContext = 0xA3,
  kKernelBinary = 0xA4,
  kKernelFunction = 0xA5,
  kKernelArguments = 0xA6,
  kDataBuffer = 0xA7,
  kKernelParameter = 0xA8,
  kNotify = 0xA9,
  kCountedNotify = 0xAA,
  kKeptBinary = 0xAB,
  kMemoryPool = 0xAC,
  kAllocatorDescription = 0xAD,
  kPhysicalMemory = 0xAE,
};

template <typename T, HandleKind kKind>
class HandleTable {
 public:
  static constexpr uint32_t kSlotBits = 24;
  static constexpr uint32_t kChunkBits = 6;
  static constexpr uint32_t kChunkSlots = 1u << kChunkBits;

  // `capacity` is the most objects that can live at once; it is rounded up to whole chunks of 64.
  explicit HandleTable(uint32_t capacity) : chunks_((capacity + kChunkSlots - 1) >> kChunkBits) {
    FOREBAY_CHECK(capacity <= (1u << kSlotBits));
  }

  struct Entry {
    uint64_t handle = 0;  // 0: the table is full
    T* object = nullptr;
  };

  // Takes a free slot. The object was default-constructed when its chunk was made, and keeps what its last use left.
  // The handle is not valid for Find until Publish.
  Entry Allocate() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (free_.empty() && !AddChunkLocked()) return {};
    const uint32_t index = free_.back();
    free_.pop_back();
    Slot& slot = SlotAt(index);
    const uint32_t generation = slot.generation.load(std::memory_order_relaxed) + 1;
    return {Pack(generation, index), &slot.object};
  }
  // Makes the handle of Allocate findable. Release pairs with the acquire in Find: what was written to the object
  // before is seen by whoever finds it.
  void Publish(uint64_t handle) noexcept {
    SlotAt(IndexOf(handle)).generation.store(GenerationOf(handle), std::memory_order_release);
  }
  // Makes the handle stale. The caller calls this once, under the object's own lock.
  void Retire(uint64_t handle) noexcept {
    SlotAt(IndexOf(handle)).generation.store(GenerationOf(handle) + 1, std::memory_order_release);
  }
  // Gives a retired (or never published) slot back for reuse.
  void Release(uint64_t handle) EXCLUDES(mutex_) {
    Slot& slot = SlotAt(IndexOf(handle));
    if (slot.generation.load(std::memory_order_relaxed) != GenerationOf(handle) + 1) {
      slot.generation.store(GenerationOf(handle) + 1, std::memory_order_release);
    }
    MutexLock lock(mutex_);
    free_.push_back(IndexOf(handle));
  }

  // The object, or null for a handle that is null, stale, of another kind, or never was one.
  T* Find(uint64_t handle) const noexcept {
    if ((handle >> 56) != static_cast<uint64_t>(kKind)) return nullptr;
    const uint32_t index = IndexOf(handle);
    const uint32_t chunk = index >> kChunkBits;
    if (chunk >= chunks_.size()) return nullptr;
    Chunk* memory = chunks_[chunk].load(std::memory_order_acquire);
    if (memory == nullptr) return nullptr;
    Slot& slot = (*memory)[index & (kChunkSlots - 1)];
    const uint32_t generation = GenerationOf(handle);
    if ((generation & 1) == 0 || slot.generation.load(std::memory_order_acquire) != generation) return nullptr;
    return &slot.object;
  }
  bool IsCurrent(uint64_t handle) const noexcept { return Find(handle) != nullptr; }

  // Calls visit(handle, object) for every object in use at the time it is reached. The object may be retired meanwhile.
  template <typename Visitor>
  void ForEach(Visitor visit) const {
    for (uint32_t chunk = 0; chunk < chunks_.size(); ++chunk) {
      Chunk* memory = chunks_[chunk].load(std::memory_order_acquire);
      if (memory == nullptr) return;
      for (uint32_t i = 0; i < kChunkSlots; ++i) {
        const uint32_t generation = (*memory)[i].generation.load(std::memory_order_acquire);
        if (generation & 1) visit(Pack(generation, chunk * kChunkSlots + i), (*memory)[i].object);
      }
    }
  }

 private:
  struct Slot {
    std::atomic<uint32_t> generation{0};
    T object;
  };
  using Chunk = std::array<Slot, kChunkSlots>;

  static uint64_t Pack(uint32_t generation, uint32_t index) noexcept {
    return uint64_t{static_cast<uint8_t>(kKind)} << 56 | uint64_t{generation} << kSlotBits | index;
  }
  static uint32_t IndexOf(uint64_t handle) noexcept { return handle & ((1u << kSlotBits) - 1); }
  static uint32_t GenerationOf(uint64_t handle) noexcept { return static_cast<uint32_t>(handle >> kSlotBits); }
  Slot& SlotAt(uint32_t index) const noexcept {
    return (*chunks_[index >> kChunkBits].load(std::memory_order_acquire))[index & (kChunkSlots - 1)];
  }
  bool AddChunkLocked() REQUIRES(mutex_) {
    if (chunks_in_use_ == chunks_.size()) return false;
    auto memory = std::make_unique<Chunk>();
    const uint32_t first = static_cast<uint32_t>(chunks_in_use_) << kChunkBits;
    for (uint32_t i = kChunkSlots; i > 0; --i) free_.push_back(first + i - 1);
    owned_.push_back(std::move(memory));
    // Release pairs with the acquire in Find and SlotAt: the constructed slots are seen.
    chunks_[chunks_in_use_++].store(owned_.back().get(), std::memory_order_release);
    return true;
  }

  std::vector<std::atomic<Chunk*>> chunks_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Chunk>> owned_ GUARDED_BY(mutex_);
  std::size_t chunks_in_use_ GUARDED_BY(mutex_) = 0;
  std::vector<uint32_t> free_ GUARDED_BY(mutex_);
};

}  // namespace forebay::base
