#include "forebay/runtime/allocator.h"

#include <fmt/format.h>

#include <unordered_map>

#include "forebay/base/handle_table.h"
#include "forebay/base/macros.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/stream.h"

namespace forebay::runtime {
namespace {

struct Description {
  base::Mutex mutex;
  Allocator allocator GUARDED_BY(mutex);
};
using DescriptionTable = base::HandleTable<Description, base::HandleKind::kAllocatorDescription>;

DescriptionTable& Descriptions() {
  static base::NeverDestroyed<DescriptionTable> table(1u << 16);
  return *table;
}

struct Registry {
  base::Mutex mutex;
  std::unordered_map<uint64_t, RegisteredAllocator> by_stream GUARDED_BY(mutex);
};

Registry& Registrations() {
  static base::NeverDestroyed<Registry> registry;
  return *registry;
}

Status StaleDescription() {
  return Status(Code::kInvalidHandle, "the description of an allocator was destroyed, or is none",
                "Use what aclrtAllocatorCreateDesc gave, until it is destroyed");
}

// Looks at a description under its lock, where it stays current.
template <typename Look>
Status WithDescription(uint64_t handle, Look look) {
  Description* description = Descriptions().Find(handle);
  if (description == nullptr) return StaleDescription();
  base::MutexLock lock(description->mutex);
  if (!Descriptions().IsCurrent(handle)) return StaleDescription();
  look(description->allocator);
  return {};
}

const char* MissingPart(const Allocator& allocator) noexcept {
  if (allocator.object == nullptr) return "object (aclrtAllocatorSetObjToDesc)";
  if (allocator.allocate == nullptr) return "function that allocates (aclrtAllocatorSetAllocFuncToDesc)";
  if (allocator.free == nullptr) return "function that frees (aclrtAllocatorSetFreeFuncToDesc)";
  if (allocator.allocate_at == nullptr)
    return "function that allocates at an address (aclrtAllocatorSetAllocAdviseFuncToDesc)";
  if (allocator.address_of == nullptr)
    return "function that gives a block's address (aclrtAllocatorSetGetAddrFromBlockFuncToDesc)";
  return nullptr;
}

}  // namespace

Result<uint64_t> CreateAllocatorDescription() {
  const DescriptionTable::Entry entry = Descriptions().Allocate();
  if (entry.object == nullptr) {
    return Status(Code::kBadAlloc, "no further description of an allocator can be made",
                  "Destroy descriptions that are no longer used");
  }
  {
    base::MutexLock lock(entry.object->mutex);
    entry.object->allocator = {};
  }
  Descriptions().Publish(entry.handle);
  return entry.handle;
}

Status DestroyAllocatorDescription(uint64_t description) {
  RETURN_IF_ERROR(WithDescription(description, [&](Allocator&) { Descriptions().Retire(description); }));
  Descriptions().Release(description);
  return {};
}

Status UpdateAllocatorDescription(uint64_t description, const std::function<void(Allocator&)>& update) {
  return WithDescription(description, update);
}

Status RegisterAllocator(uint64_t stream, uint64_t description) {
  RegisteredAllocator registered;
  registered.description = description;
  RETURN_IF_ERROR(WithDescription(description, [&](const Allocator& said) { registered.allocator = said; }));
  if (const char* missing = MissingPart(registered.allocator)) {
    return Status(Code::kInvalidParam, fmt::format("the description of the allocator lacks its {}", missing),
                  "Set all parts of a description before registering it");
  }
  RETURN_IF_ERROR(ResolveStream(stream).status());
  Registry& registry = Registrations();
  base::MutexLock lock(registry.mutex);
  // A stream may go without its allocator having been unregistered.
  if (!registry.by_stream.contains(stream))
    std::erase_if(registry.by_stream, [](const auto& entry) { return !Streams().IsCurrent(entry.first); });
  registry.by_stream.insert_or_assign(stream, registered);
  return {};
}

Result<RegisteredAllocator> FindAllocator(uint64_t stream) {
  ASSIGN_OR_RETURN(const StreamReference reference, ResolveStream(stream));
  Registry& registry = Registrations();
  base::MutexLock lock(registry.mutex);
  const auto found = registry.by_stream.find(stream);
  if (found != registry.by_stream.end()) return found->second;
  return Status(Code::kInvalidParam, fmt::format("no allocator is registered for stream {}", reference->slot()),
                "Register one with aclrtAllocatorRegister first");
}

void UnregisterAllocator(uint64_t stream) {
  Registry& registry = Registrations();
  base::MutexLock lock(registry.mutex);
  registry.by_stream.erase(stream);
}

}  // namespace forebay::runtime
