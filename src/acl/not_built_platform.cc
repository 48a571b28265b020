// The functions of acl_platform.h that Forebay does not build yet; see not_built.cc.
#include "acl/acl_platform.h"

#include "not_built.h"

using forebay::acl::NotBuilt;

aclError aclplatformGetDeviceInfo(aclplatformDevInfo, char*, uint32_t) { return NotBuilt("aclplatformGetDeviceInfo"); }
aclError aclplatformGetInstructionInfo(aclplatformCoreType, const char*, char*, uint32_t) {
  return NotBuilt("aclplatformGetInstructionInfo");
}
