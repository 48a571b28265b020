// The functions of acl_rt_allocator.h that Forebay does not build yet; see not_built.cc.
#include "acl/acl_rt_allocator.h"

#include "not_built.h"

using forebay::acl::NotBuilt;

aclrtAllocatorDesc aclrtAllocatorCreateDesc() {
  NotBuilt("aclrtAllocatorCreateDesc");
  return nullptr;
}
aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc) { return NotBuilt("aclrtAllocatorDestroyDesc"); }
aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc, aclrtAllocator) {
  return NotBuilt("aclrtAllocatorSetObjToDesc");
}
aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc, aclrtAllocatorAllocFunc) {
  return NotBuilt("aclrtAllocatorSetAllocFuncToDesc");
}
aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc, aclrtAllocatorFreeFunc) {
  return NotBuilt("aclrtAllocatorSetFreeFuncToDesc");
}
aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc, aclrtAllocatorAllocAdviseFunc) {
  return NotBuilt("aclrtAllocatorSetAllocAdviseFuncToDesc");
}
aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc, aclrtAllocatorGetAddrFromBlockFunc) {
  return NotBuilt("aclrtAllocatorSetGetAddrFromBlockFuncToDesc");
}
aclError aclrtAllocatorRegister(aclrtStream, aclrtAllocatorDesc) { return NotBuilt("aclrtAllocatorRegister"); }
aclError aclrtAllocatorGetByStream(aclrtStream, aclrtAllocatorDesc*, aclrtAllocator*, aclrtAllocatorAllocFunc*,
                                   aclrtAllocatorFreeFunc*, aclrtAllocatorAllocAdviseFunc*,
                                   aclrtAllocatorGetAddrFromBlockFunc*) {
  return NotBuilt("aclrtAllocatorGetByStream");
}
aclError aclrtAllocatorUnregister(aclrtStream) { return NotBuilt("aclrtAllocatorUnregister"); }
