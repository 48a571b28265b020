// Channels that bring tensors from the host to a device and back, as data sets of items under a name.
#ifndef FOREBAY_ACL_ACL_TDT_H_
#define FOREBAY_ACL_ACL_TDT_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// What an item is: a tensor, a slice of one, the last slice, or a mark of the end or of a fault of the data.
typedef enum acltdtTensorType {
  ACL_TENSOR_DATA_UNDEFINED = -1,
  ACL_TENSOR_DATA_TENSOR = 0,
  ACL_TENSOR_DATA_END_OF_SEQUENCE = 1,
  ACL_TENSOR_DATA_ABNORMAL = 2,
  ACL_TENSOR_DATA_SLICE_TENSOR = 3,
  ACL_TENSOR_DATA_END_TENSOR = 4,
} acltdtTensorType;

// Items, data sets and channels; opaque.
typedef struct acltdtDataItem acltdtDataItem;
typedef struct acltdtDataset acltdtDataset;
typedef struct acltdtChannelHandle acltdtChannelHandle;

// ---- Items: one tensor each ----

// What an item is; ACL_TENSOR_DATA_UNDEFINED for NULL.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem* dataItem);

// The type of the elements of an item; ACL_DT_UNDEFINED for NULL.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem* dataItem);

// Where the data of an item is, on the host; NULL for NULL. It belongs to the program, or after acltdtReceiveTensor to
// the item.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY void* acltdtGetDataAddrFromItem(const acltdtDataItem* dataItem);

// The bytes of an item; 0 for NULL.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY size_t acltdtGetDataSizeFromItem(const acltdtDataItem* dataItem);

// The number of dimensions of an item; 0 for NULL.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY size_t acltdtGetDimNumFromItem(const acltdtDataItem* dataItem);

// Of a tensor that came in slices, how many there are and which one the item is, from 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError acltdtGetSliceInfoFromItem(const acltdtDataItem* dataItem, size_t* sliceNum,
                                                        size_t* sliceId);

// The dimensions of an item. `dimNum` is the room in `dims`.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `dimNum` is not the number of dimensions
ACL_FUNC_VISIBILITY aclError acltdtGetDimsFromItem(const acltdtDataItem* dataItem, int64_t* dims, size_t dimNum);

// Makes an item of `size` bytes at `data`, which stay the program's. Returns NULL where `dims` is NULL and `dimNum` is
// not 0, where there are more than 128 dimensions, or when host memory is exhausted.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtDataItem* acltdtCreateDataItem(acltdtTensorType tdtType, const int64_t* dims, size_t dimNum,
                                                         aclDataType dataType, void* data, size_t size);

// Destroys an item, not the data of the program it names.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `dataItem` is NULL
ACL_FUNC_VISIBILITY aclError acltdtDestroyDataItem(acltdtDataItem* dataItem);

// ---- Data sets: items that travel together ----

// Makes a data set without items. Returns NULL when host memory is exhausted.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtDataset* acltdtCreateDataset(void);

// Destroys a data set, and the items that acltdtReceiveTensor has put into it. Items of the program stay.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `dataset` is NULL
ACL_FUNC_VISIBILITY aclError acltdtDestroyDataset(acltdtDataset* dataset);

// The item at a position of a data set, from 0; NULL where there is none. It belongs to the data set.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtDataItem* acltdtGetDataItem(const acltdtDataset* dataset, size_t index);

// Adds an item at the end of a data set.
// Synchronous. Thread-safe, as long as no other thread uses the same data set.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or the data set was received
ACL_FUNC_VISIBILITY aclError acltdtAddDataItem(acltdtDataset* dataset, acltdtDataItem* dataItem);

// The number of items of a data set; 0 for NULL.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY size_t acltdtGetDatasetSize(const acltdtDataset* dataset);

// The name that a received data set was sent with; NULL for NULL. The text belongs to the data set.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY const char* acltdtGetDatasetName(const acltdtDataset* dataset);

// ---- Channels ----

// Stops a channel: whoever waits in acltdtSendTensor or acltdtReceiveTensor returns. Another thread calls it before
// acltdtDestroyChannel.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `handle` is NULL
ACL_FUNC_VISIBILITY aclError acltdtStopChannel(acltdtChannelHandle* handle);

// Makes a channel to a device, of that name. Returns NULL where the device is not there, the name is NULL or too long,
// or a channel has it.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtChannelHandle* acltdtCreateChannel(uint32_t deviceId, const char* name);

// Makes a channel that holds up to `capacity` data sets, 2 to 8192. Returns NULL where acltdtCreateChannel does, and
// for another capacity.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtChannelHandle* acltdtCreateChannelWithCapacity(uint32_t deviceId, const char* name,
                                                                         size_t capacity);

// Destroys a channel. What is still in it is lost.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `handle` is NULL
ACL_FUNC_VISIBILITY aclError acltdtDestroyChannel(acltdtChannelHandle* handle);

// Removes what is in a channel.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `handle` is NULL
//   200006 ACL_ERROR_FEATURE_UNSUPPORTED: the channel was made without a capacity
ACL_FUNC_VISIBILITY aclError acltdtCleanChannel(acltdtChannelHandle* handle);

// Sends a data set through a channel. `timeout` is in milliseconds; 0 does not wait, -1 waits for ever. The data may be
// reused when the call returns.
// Synchronous: waits while the channel is full. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `timeout` is below -1
//   207014 ACL_ERROR_RT_QUEUE_FULL: the channel is full, and the time is over
ACL_FUNC_VISIBILITY aclError acltdtSendTensor(const acltdtChannelHandle* handle, const acltdtDataset* dataset,
                                              int32_t timeout);

// Receives a data set from a channel into an empty one. `timeout` is in milliseconds; 0 does not wait, -1 waits for
// ever.
// Synchronous: waits while the channel is empty. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, `timeout` is below -1, or the data set has items
//   207013 ACL_ERROR_RT_QUEUE_EMPTY: the channel is empty, and the time is over
ACL_FUNC_VISIBILITY aclError acltdtReceiveTensor(const acltdtChannelHandle* handle, acltdtDataset* dataset,
                                                 int32_t timeout);

// The number of data sets in a channel.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   200006 ACL_ERROR_FEATURE_UNSUPPORTED: the channel was made without a capacity
ACL_FUNC_VISIBILITY aclError acltdtQueryChannelSize(const acltdtChannelHandle* handle, size_t* size);
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // FOREBAY_ACL_ACL_TDT_H_
