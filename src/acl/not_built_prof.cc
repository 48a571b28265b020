// The functions of acl_prof.h that Forebay does not build yet; see not_built.cc.
#include "acl/acl_prof.h"

#include "not_built.h"

using forebay::acl::NotBuilt;

aclError aclprofInit(const char*, size_t) { return NotBuilt("aclprofInit"); }
aclError aclprofFinalize() { return NotBuilt("aclprofFinalize"); }
aclError aclprofStart(const aclprofConfig*) { return NotBuilt("aclprofStart"); }
aclprofConfig* aclprofCreateConfig(uint32_t*, uint32_t, aclprofAicoreMetrics, const aclprofAicoreEvents*, uint64_t) {
  NotBuilt("aclprofCreateConfig");
  return nullptr;
}
aclError aclprofDestroyConfig(const aclprofConfig*) { return NotBuilt("aclprofDestroyConfig"); }
aclError aclprofStop(const aclprofConfig*) { return NotBuilt("aclprofStop"); }
aclError aclprofSetConfig(aclprofConfigType, const char*, size_t) { return NotBuilt("aclprofSetConfig"); }
aclError aclprofModelSubscribe(uint32_t, const aclprofSubscribeConfig*) { return NotBuilt("aclprofModelSubscribe"); }
aclError aclprofModelUnSubscribe(uint32_t) { return NotBuilt("aclprofModelUnSubscribe"); }
aclprofSubscribeConfig* aclprofCreateSubscribeConfig(int8_t, aclprofAicoreMetrics, void*) {
  NotBuilt("aclprofCreateSubscribeConfig");
  return nullptr;
}
aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig*) {
  return NotBuilt("aclprofDestroySubscribeConfig");
}
aclError aclprofGetOpDescSize(size_t*) { return NotBuilt("aclprofGetOpDescSize"); }
aclError aclprofGetOpNum(const void*, size_t, uint32_t*) { return NotBuilt("aclprofGetOpNum"); }
aclError aclprofGetOpTypeLen(const void*, size_t, uint32_t, size_t*) { return NotBuilt("aclprofGetOpTypeLen"); }
aclError aclprofGetOpType(const void*, size_t, uint32_t, char*, size_t) { return NotBuilt("aclprofGetOpType"); }
aclError aclprofGetOpNameLen(const void*, size_t, uint32_t, size_t*) { return NotBuilt("aclprofGetOpNameLen"); }
aclError aclprofGetOpName(const void*, size_t, uint32_t, char*, size_t) { return NotBuilt("aclprofGetOpName"); }
uint64_t aclprofGetOpStart(const void*, size_t, uint32_t) {
  NotBuilt("aclprofGetOpStart");
  return 0;
}
uint64_t aclprofGetOpEnd(const void*, size_t, uint32_t) {
  NotBuilt("aclprofGetOpEnd");
  return 0;
}
uint64_t aclprofGetOpDuration(const void*, size_t, uint32_t) {
  NotBuilt("aclprofGetOpDuration");
  return 0;
}
size_t aclprofGetModelId(const void*, size_t, uint32_t) {
  NotBuilt("aclprofGetModelId");
  return 0;
}
aclprofSubscribeOpFlag aclprofGetOpFlag(const void*, size_t, uint32_t) {
  NotBuilt("aclprofGetOpFlag");
  return ACL_SUBSCRIBE_NONE;
}
const char* aclprofGetOpAttriValue(const void*, size_t, uint32_t, aclprofSubscribeOpAttri) {
  NotBuilt("aclprofGetOpAttriValue");
  return nullptr;
}
aclError aclprofGetStepTimestamp(aclprofStepInfo*, aclprofStepTag, aclrtStream) {
  return NotBuilt("aclprofGetStepTimestamp");
}
aclprofStepInfo* aclprofCreateStepInfo() {
  NotBuilt("aclprofCreateStepInfo");
  return nullptr;
}
void aclprofDestroyStepInfo(aclprofStepInfo*) { NotBuilt("aclprofDestroyStepInfo"); }
void* aclprofCreateStamp() {
  NotBuilt("aclprofCreateStamp");
  return nullptr;
}
void aclprofDestroyStamp(void*) { NotBuilt("aclprofDestroyStamp"); }
aclError aclprofPush(void*) { return NotBuilt("aclprofPush"); }
aclError aclprofPop() { return NotBuilt("aclprofPop"); }
aclError aclprofRangeStart(void*, uint32_t*) { return NotBuilt("aclprofRangeStart"); }
aclError aclprofRangeStop(uint32_t) { return NotBuilt("aclprofRangeStop"); }
aclError aclprofSetStampTraceMessage(void*, const char*, uint32_t) { return NotBuilt("aclprofSetStampTraceMessage"); }
aclError aclprofMark(void*) { return NotBuilt("aclprofMark"); }
aclError aclprofMarkEx(const char*, size_t, aclrtStream) { return NotBuilt("aclprofMarkEx"); }
uint64_t aclprofStr2Id(const char*) {
  NotBuilt("aclprofStr2Id");
  return 0;
}
aclError aclprofRangePushEx(aclprofEventAttributes*) { return NotBuilt("aclprofRangePushEx"); }
aclError aclprofRangePop() { return NotBuilt("aclprofRangePop"); }
