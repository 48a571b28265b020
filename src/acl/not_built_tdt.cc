// The functions of acl_tdt.h that Forebay does not build yet; see not_built.cc.
#include "acl/acl_tdt.h"

#include "not_built.h"

using forebay::acl::NotBuilt;

acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem*) {
  NotBuilt("acltdtGetTensorTypeFromItem");
  return ACL_TENSOR_DATA_UNDEFINED;
}
aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem*) {
  NotBuilt("acltdtGetDataTypeFromItem");
  return ACL_DT_UNDEFINED;
}
void* acltdtGetDataAddrFromItem(const acltdtDataItem*) {
  NotBuilt("acltdtGetDataAddrFromItem");
  return nullptr;
}
size_t acltdtGetDataSizeFromItem(const acltdtDataItem*) {
  NotBuilt("acltdtGetDataSizeFromItem");
  return 0;
}
size_t acltdtGetDimNumFromItem(const acltdtDataItem*) {
  NotBuilt("acltdtGetDimNumFromItem");
  return 0;
}
aclError acltdtGetSliceInfoFromItem(const acltdtDataItem*, size_t*, size_t*) {
  return NotBuilt("acltdtGetSliceInfoFromItem");
}
aclError acltdtGetDimsFromItem(const acltdtDataItem*, int64_t*, size_t) { return NotBuilt("acltdtGetDimsFromItem"); }
acltdtDataItem* acltdtCreateDataItem(acltdtTensorType, const int64_t*, size_t, aclDataType, void*, size_t) {
  NotBuilt("acltdtCreateDataItem");
  return nullptr;
}
aclError acltdtDestroyDataItem(acltdtDataItem*) { return NotBuilt("acltdtDestroyDataItem"); }
acltdtDataset* acltdtCreateDataset() {
  NotBuilt("acltdtCreateDataset");
  return nullptr;
}
aclError acltdtDestroyDataset(acltdtDataset*) { return NotBuilt("acltdtDestroyDataset"); }
acltdtDataItem* acltdtGetDataItem(const acltdtDataset*, size_t) {
  NotBuilt("acltdtGetDataItem");
  return nullptr;
}
aclError acltdtAddDataItem(acltdtDataset*, acltdtDataItem*) { return NotBuilt("acltdtAddDataItem"); }
size_t acltdtGetDatasetSize(const acltdtDataset*) {
  NotBuilt("acltdtGetDatasetSize");
  return 0;
}
const char* acltdtGetDatasetName(const acltdtDataset*) {
  NotBuilt("acltdtGetDatasetName");
  return nullptr;
}
aclError acltdtStopChannel(acltdtChannelHandle*) { return NotBuilt("acltdtStopChannel"); }
acltdtChannelHandle* acltdtCreateChannel(uint32_t, const char*) {
  NotBuilt("acltdtCreateChannel");
  return nullptr;
}
acltdtChannelHandle* acltdtCreateChannelWithCapacity(uint32_t, const char*, size_t) {
  NotBuilt("acltdtCreateChannelWithCapacity");
  return nullptr;
}
aclError acltdtDestroyChannel(acltdtChannelHandle*) { return NotBuilt("acltdtDestroyChannel"); }
aclError acltdtCleanChannel(acltdtChannelHandle*) { return NotBuilt("acltdtCleanChannel"); }
aclError acltdtSendTensor(const acltdtChannelHandle*, const acltdtDataset*, int32_t) {
  return NotBuilt("acltdtSendTensor");
}
aclError acltdtReceiveTensor(const acltdtChannelHandle*, acltdtDataset*, int32_t) {
  return NotBuilt("acltdtReceiveTensor");
}
aclError acltdtQueryChannelSize(const acltdtChannelHandle*, size_t*) { return NotBuilt("acltdtQueryChannelSize"); }
