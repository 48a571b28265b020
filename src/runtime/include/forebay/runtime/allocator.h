// Allocators of the program, kept for the libraries of operators that ask for them by stream. The runtime never calls
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "forebay/status.h"

namespace forebay::runtime {

// What a description says. `object` is what the functions are called with.
struct Allocator {
  void* object = nullptr;
  void* (*allocate)(void* object, std::size_t bytes) = nullptr;
  void (*free)(void* object, void* block) = nullptr;
  void* (*allocate_at)(void* object, std::size_t bytes, void* address) = nullptr;
  void* (*address_of)(void* block) = nullptr;
};

struct RegisteredAllocator {
  uint64_t description = 0;  // the handle it was registered with, which may be stale by now
  Allocator allocator;
};

// An empty description. kBadAlloc when there is no room for another.
Result<uint64_t> CreateAllocatorDescription();
// Errors of what takes a description: kInvalidHandle.
Status DestroyAllocatorDescription(uint64_t description);
Status UpdateAllocatorDescription(uint64_t description, const std::function<void(Allocator&)>& update);

// For a stream of the calling thread's context, in place of what was registered. What the description says is copied.
// Errors: kInvalidParam when it lacks something; those of ResolveStream.
Status RegisterAllocator(uint64_t stream, uint64_t description);
// kInvalidParam when none is registered; those of ResolveStream.
Result<RegisteredAllocator> FindAllocator(uint64_t stream);
// Nothing happens when there is none.
void UnregisterAllocator(uint64_t stream);

}  // namespace forebay::runtime
