#include "forebay/runtime/pool_handle.h"

#include <fmt/format.h>

#include "forebay/base/handle_table.h"
#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/spin_lock.h"
#include "forebay/runtime/allocation.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "memory/memory_pool_impl.h"
#include "memory/pool_registry.h"

namespace forebay::runtime {
namespace {

constexpr uint32_t kMostPools = 1u << 16;

// Thread safety: all functions may be called from any thread.
class PoolObject {
 public:
  void Set(uint64_t handle, std::shared_ptr<MemoryPool> pool) {
    base::SpinLockHolder hold(lock_);
    handle_ = handle;
    pool_ = std::move(pool);
  }
  // Null when the object is no longer what the handle stands for.
  std::shared_ptr<MemoryPool> Get(uint64_t handle) {
    base::SpinLockHolder hold(lock_);
    return handle_ == handle ? pool_ : nullptr;
  }
  std::shared_ptr<MemoryPool> Take(uint64_t handle) {
    base::SpinLockHolder hold(lock_);
    if (handle_ != handle) return nullptr;
    handle_ = 0;
    return std::move(pool_);
  }

 private:
  base::SpinLock lock_;
  uint64_t handle_ GUARDED_BY(lock_) = 0;
  std::shared_ptr<MemoryPool> pool_ GUARDED_BY(lock_);
};

using PoolTable = base::HandleTable<PoolObject, base::HandleKind::kMemoryPool>;

PoolTable& Pools() {
  static base::NeverDestroyed<PoolTable> table(kMostPools);
  return *table;
}

Status StalePool() {
  return Status(Code::kInvalidHandle,
                "the pool was destroyed, its device was reset after it was made, or the handle never was one",
                "Use the handle that the creating call gave, until the pool is destroyed or its device is reset");
}

}  // namespace

Result<uint64_t> CreatePool(int32_t device, const MemoryPoolOptions& options) {
  ASSIGN_OR_RETURN(DeviceState * state, FindDevice(device));
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryPool> pool, MakeApplicationPool(*state, options, /*has_handle=*/true));
  const PoolTable::Entry entry = Pools().Allocate();
  if (entry.object == nullptr) {
    DetachPool(*pool);
    return Status(Code::kResourceAllocFail,
                  fmt::format("the process has {} memory pools, the most there can be", kMostPools),
                  "Destroy pools that are no longer used");
  }
  entry.object->Set(entry.handle, std::move(pool));
  Pools().Publish(entry.handle);
  return entry.handle;
}

Status DestroyPool(uint64_t handle) {
  PoolObject* object = Pools().Find(handle);
  const std::shared_ptr<MemoryPool> pool = object != nullptr ? object->Take(handle) : nullptr;
  if (!pool) return StalePool();
  Pools().Retire(handle);
  Pools().Release(handle);
  const bool was_open = IsOpen(*pool);
  AbandonApplicationPool(pool);
  return was_open ? Status() : StalePool();
}

Result<std::shared_ptr<MemoryPool>> FindPool(uint64_t handle) {
  PoolObject* object = Pools().Find(handle);
  std::shared_ptr<MemoryPool> pool = object != nullptr ? object->Get(handle) : nullptr;
  if (!pool || !IsOpen(*pool)) return StalePool();
  return pool;
}

Result<void*> AllocateFromPool(uint64_t handle, std::size_t bytes, uint64_t stream, const void* site) {
  ASSIGN_OR_RETURN(const std::shared_ptr<MemoryPool> pool, FindPool(handle));
  ASSIGN_OR_RETURN(const StreamReference reference, ResolveStream(stream));
  Result<void*> block = AllocateOnStream(*pool, bytes, reference, site);
  // Another thread may have destroyed the pool meanwhile, when it still looked unused.
  if (block.ok() && !FindPool(handle).ok()) AbandonApplicationPool(pool);
  return block;
}

Status FreeToPool(void* address, uint64_t stream, const void* site) {
  ASSIGN_OR_RETURN(const StreamReference reference, ResolveStream(stream));
  DeviceState* device = DeviceOfAddress(address);
  const std::shared_ptr<MemoryPool> pool =
      device != nullptr ? device->pools().At(reinterpret_cast<uint64_t>(address)) : nullptr;
  if (!pool || !HasHandle(*pool)) {
    const auto found = FindAllocation(address);
    return Status(Code::kParamInvalid,
                  fmt::format("{} is {}", address,
                              !found        ? "in no memory pool that was made with aclrtMemPoolCreate"
                              : found->host ? "host memory"
                                            : "device memory that is not from a pool with a handle"),
                  found ? "Free it with the call that belongs to its allocation"
                        : "Free what aclrtMemPoolMallocAsync gave, once, before its device is reset");
  }
  Status freed = FreeOnStream(*pool, address, reference, site);
  if (freed.ok()) {
    device->pools().DropIfAbandoned(pool);
    return freed;
  }
  if (freed.code() != Code::kMemoryFree) return freed;
  Error error = *freed.error();
  error.code = Code::kParamInvalid;
  return Status(std::move(error));
}

}  // namespace forebay::runtime
