// The functions of acl_rt_memory_soma.h that Forebay does not build yet; see not_built.cc.
#include "acl/acl_rt_memory_soma.h"

#include "not_built.h"

using forebay::acl::NotBuilt;

aclError aclrtMemPoolCreate(aclrtMemPool*, const aclrtMemPoolProps*) { return NotBuilt("aclrtMemPoolCreate"); }
aclError aclrtMemPoolDestroy(const aclrtMemPool) { return NotBuilt("aclrtMemPoolDestroy"); }
aclError aclrtMemPoolSetAttr(aclrtMemPool, aclrtMemPoolAttr, void*) { return NotBuilt("aclrtMemPoolSetAttr"); }
aclError aclrtMemPoolGetAttr(aclrtMemPool, aclrtMemPoolAttr, void*) { return NotBuilt("aclrtMemPoolGetAttr"); }
aclError aclrtMemPoolMallocAsync(void**, size_t, aclrtMemPool, aclrtStream) {
  return NotBuilt("aclrtMemPoolMallocAsync");
}
aclError aclrtMemPoolFreeAsync(void*, aclrtStream) { return NotBuilt("aclrtMemPoolFreeAsync"); }
aclError aclrtMemPoolTrimTo(aclrtMemPool, size_t) { return NotBuilt("aclrtMemPoolTrimTo"); }
