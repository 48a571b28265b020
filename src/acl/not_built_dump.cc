// The functions of acl_dump.h that Forebay does not build yet; see not_built.cc.
#include "acl/acl_dump.h"

#include "not_built.h"

using forebay::acl::NotBuilt;

aclError acldumpRegCallback(int32_t (*const)(const acldumpChunk*, int32_t), int32_t) {
  return NotBuilt("acldumpRegCallback");
}
void acldumpUnregCallback() { NotBuilt("acldumpUnregCallback"); }
aclError aclopStartDumpArgs(uint32_t, const char*) { return NotBuilt("aclopStartDumpArgs"); }
aclError aclopStopDumpArgs(uint32_t) { return NotBuilt("aclopStopDumpArgs"); }
const char* acldumpGetPath(acldumpType) {
  NotBuilt("acldumpGetPath");
  return nullptr;
}
aclError acldumpSaveExceptionInfo(const char*, const char*, const acldumpTensorInfo*, size_t) {
  return NotBuilt("acldumpSaveExceptionInfo");
}
aclError acldumpGetExceptionInfoPath(char*, size_t) { return NotBuilt("acldumpGetExceptionInfoPath"); }
