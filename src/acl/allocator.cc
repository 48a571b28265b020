// Allocators that the program registers for its streams.
#include "acl/acl_rt_allocator.h"

#include "forebay/runtime/allocator.h"
#include "guard.h"

using namespace forebay;           // NOLINT(google-build-using-namespace)
using namespace forebay::acl;      // NOLINT(google-build-using-namespace)
using namespace forebay::runtime;  // NOLINT(google-build-using-namespace)

namespace {

// Sets one part of a description.
template <typename Value>
aclError SetPart(const char* call, aclrtAllocatorDesc description, const char* name, Value value,
                 Value Allocator::* part) {
  return Guard(call, [&]() -> Status {
    if (description == nullptr) return NullArgument("allocatorDesc");
    if (value == nullptr) return NullArgument(name);
    return UpdateAllocatorDescription(ToHandle(description), [&](Allocator& allocator) { allocator.*part = value; });
  });
}

}  // namespace

aclrtAllocatorDesc aclrtAllocatorCreateDesc() {
  aclrtAllocatorDesc made = nullptr;
  Guard("aclrtAllocatorCreateDesc", [&]() -> Status {
    ASSIGN_OR_RETURN(const uint64_t handle, CreateAllocatorDescription());
    made = FromHandle(handle);
    return {};
  });
  return made;
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc) {
  return Guard("aclrtAllocatorDestroyDesc", [&]() -> Status {
    if (allocatorDesc == nullptr) return NullArgument("allocatorDesc");
    return DestroyAllocatorDescription(ToHandle(allocatorDesc));
  });
}

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator) {
  return SetPart("aclrtAllocatorSetObjToDesc", allocatorDesc, "allocator", allocator, &Allocator::object);
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func) {
  return SetPart("aclrtAllocatorSetAllocFuncToDesc", allocatorDesc, "func", func, &Allocator::allocate);
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func) {
  return SetPart("aclrtAllocatorSetFreeFuncToDesc", allocatorDesc, "func", func, &Allocator::free);
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func) {
  return SetPart("aclrtAllocatorSetAllocAdviseFuncToDesc", allocatorDesc, "func", func, &Allocator::allocate_at);
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func) {
  return SetPart("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", allocatorDesc, "func", func, &Allocator::address_of);
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc) {
  return Guard("aclrtAllocatorRegister", [&]() -> Status {
    if (stream == nullptr) return NullArgument("stream");
    if (allocatorDesc == nullptr) return NullArgument("allocatorDesc");
    return RegisterAllocator(ToHandle(stream), ToHandle(allocatorDesc));
  });
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,
                                   aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,
                                   aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc) {
  return Guard("aclrtAllocatorGetByStream", [&]() -> Status {
    if (stream == nullptr) return NullArgument("stream");
    if (allocatorDesc == nullptr) return NullArgument("allocatorDesc");
    if (allocator == nullptr) return NullArgument("allocator");
    if (allocFunc == nullptr) return NullArgument("allocFunc");
    if (freeFunc == nullptr) return NullArgument("freeFunc");
    if (allocAdviseFunc == nullptr) return NullArgument("allocAdviseFunc");
    if (getAddrFromBlockFunc == nullptr) return NullArgument("getAddrFromBlockFunc");
    ASSIGN_OR_RETURN(const RegisteredAllocator found, FindAllocator(ToHandle(stream)));
    *allocatorDesc = FromHandle(found.description);
    *allocator = found.allocator.object;
    *allocFunc = found.allocator.allocate;
    *freeFunc = found.allocator.free;
    *allocAdviseFunc = found.allocator.allocate_at;
    *getAddrFromBlockFunc = found.allocator.address_of;
    return {};
  });
}

aclError aclrtAllocatorUnregister(aclrtStream stream) {
  return Guard("aclrtAllocatorUnregister", [&]() -> Status {
    if (stream == nullptr) return NullArgument("stream");
    UnregisterAllocator(ToHandle(stream));
    return {};
  });
}
