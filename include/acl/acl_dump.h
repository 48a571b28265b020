// Dumps: what operators read and wrote, and what was there when one failed, kept in files or handed to the program.
// aclmdlInitDump and its kin, in acl_rt.h, turn dumps on.
#ifndef FOREBAY_ACL_ACL_DUMP_H_
#define FOREBAY_ACL_ACL_DUMP_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// Mark functions of this header, as programs spell it.
#define ACL_DUMP_API __attribute__((visibility("default")))
#define ACL_DUMP_WEAK __attribute__((weak))

// Limits: the length of a path in bytes, the dimensions of a tensor.
#define ACL_DUMP_MAX_FILE_PATH_LENGTH 4096
#define ACL_DUMP_MAX_SHAPE_NUM 25

// What aclopStartDumpArgs writes: the arguments of operators that run on AI cores.
#define ACL_OP_DUMP_OP_AICORE_ARGS 0x00000001U

// The kinds of dump: of the failing operator, in three degrees of detail, of all data, of what overflowed.
typedef enum acldumpType {
  AIC_ERR_BRIEF_DUMP = 1,
  AIC_ERR_NORM_DUMP = 2,
  AIC_ERR_DETAIL_DUMP = 3,
  DATA_DUMP = 4,
  OVERFLOW_DUMP = 5,
} acldumpType;

// A part of a dump on its way to the program.
typedef struct acldumpChunk {
  char fileName[ACL_DUMP_MAX_FILE_PATH_LENGTH];  // the file this part belongs to
  uint32_t bufLen;                               // bytes in dataBuf
  uint32_t isLastChunk;                          // 1 ends the file
  int64_t offset;                                // of the part in the file, in bytes; -1 appends
  int32_t flag;
  __extension__ uint8_t dataBuf[0];
} acldumpChunk;

// A tensor to be saved with a failure: its role, how its address is to be read, where it lies.
typedef enum acldumpTensorType {
  ACL_DUMP_TENSOR_INPUT = 0,
  ACL_DUMP_TENSOR_OUTPUT = 1,
  ACL_DUMP_TENSOR_WORKSPACE = 2,
} acldumpTensorType;
typedef enum acldumpTensorAddressType {
  ACL_DUMP_ADDR_PTR = 0,      // points to the data
  ACL_DUMP_ADDR_PTR_PTR = 1,  // points to a pointer to the data
  ACL_DUMP_ADDR_RAW = 2,      // is the data
} acldumpTensorAddressType;
typedef enum acldumpTensorPlacement {
  ACL_DUMP_PLACEMENT_DEVICE = 0,
  ACL_DUMP_PLACEMENT_HOST = 1,
  ACL_DUMP_PLACEMENT_END = 2,
} acldumpTensorPlacement;
typedef struct acldumpTensorInfo {
  acldumpTensorType type;
  size_t tensorSize;  // bytes
  int32_t format;     // aclFormat
  int32_t dataType;   // aclDataType
  int64_t* tensorAddr;
  acldumpTensorAddressType addrType;
  acldumpTensorPlacement placement;
  uint32_t argsOffset;      // of the address in the arguments of the operator, in bytes
  uint32_t shapeNum;        // dimensions in shape
  uint32_t originShapeNum;  // dimensions in originShape
  uint64_t shape[ACL_DUMP_MAX_SHAPE_NUM];
  uint64_t originShape[ACL_DUMP_MAX_SHAPE_NUM];
} acldumpTensorInfo;

// Hands the dumps that follow to `messageCallback` instead of writing files: part by part, with the number of bytes as
// the second argument. The function returns 0 when it has taken the part. `flag` is given back with each part. A later
// registration replaces the earlier.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `messageCallback` is NULL
ACL_FUNC_VISIBILITY aclError acldumpRegCallback(int32_t (*const messageCallback)(const acldumpChunk*, int32_t),
                                                int32_t flag);

// Ends what acldumpRegCallback began; later dumps are files again.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY void acldumpUnregCallback(void);

// Starts to write the arguments of operators to files below `path`. `dumpType` is ACL_OP_DUMP_OP_AICORE_ARGS.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `path` is NULL or no directory, or `dumpType` is unknown
//   100044 ACL_ERROR_DUMP_ALREADY_RUN: it has been started before
ACL_FUNC_VISIBILITY aclError aclopStartDumpArgs(uint32_t dumpType, const char* path);

// Ends what aclopStartDumpArgs started.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `dumpType` is unknown
//   100045 ACL_ERROR_DUMP_NOT_RUN: it has not been started
ACL_FUNC_VISIBILITY aclError aclopStopDumpArgs(uint32_t dumpType);

// The directory that dumps of a kind are written to; NULL when that kind is not turned on. The text belongs to the
// library and stays valid until dumps are turned on or off.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY const char* acldumpGetPath(acldumpType dumpType);

// Writes tensors that belong to a failure, and a text of the program, to the file `fileName` in the directory of
// acldumpGetExceptionInfoPath. Device memory is read as it is at the time of the call. `userTag` may be NULL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `fileName` or `tensors` is NULL, `tensorCount` is 0, or a tensor describes what
//     cannot be
//   100004 ACL_ERROR_WRITE_FILE: the file cannot be written
ACL_FUNC_VISIBILITY aclError acldumpSaveExceptionInfo(const char* fileName, const char* userTag,
                                                      const acldumpTensorInfo* tensors, size_t tensorCount);

// Writes the directory that files about failures go to, as text that ends with 0. `maxLen` is the size of `path` in
// bytes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `path` is NULL, or the text does not fit into `maxLen` bytes
//   100045 ACL_ERROR_DUMP_NOT_RUN: dumps of failures are not turned on
ACL_FUNC_VISIBILITY aclError acldumpGetExceptionInfoPath(char* path, size_t maxLen);
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // FOREBAY_ACL_ACL_DUMP_H_
