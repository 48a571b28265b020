// The base of AscendCL: the error type and its codes, handles, data types, and small helpers that need no device.
#ifndef FOREBAY_ACL_ACL_BASE_RT_H_
#define FOREBAY_ACL_ACL_BASE_RT_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/error_codes/ge_error_codes.h"
#include "acl/error_codes/rt_error_codes.h"

// Marks what the shared library exports. Everything else in it is hidden.
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))

// Mark what programs should move away from; the second says what to use instead.
#define ACL_DEPRECATED __attribute__((deprecated))
#define ACL_DEPRECATED_MESSAGE(message) __attribute__((deprecated(message)))

#ifdef __cplusplus
extern "C" {
#endif

// ---- Results ----

// What almost every call returns: 0, or one of the codes below or in error_codes/.
typedef int aclError;

static const int ACL_ERROR_NONE = 0;
static const int ACL_SUCCESS = 0;

// The call or its configuration was wrong.
static const int ACL_ERROR_INVALID_PARAM = 100000;
static const int ACL_ERROR_UNINITIALIZE = 100001;
static const int ACL_ERROR_REPEAT_INITIALIZE = 100002;
static const int ACL_ERROR_INVALID_FILE = 100003;
static const int ACL_ERROR_WRITE_FILE = 100004;
static const int ACL_ERROR_INVALID_FILE_SIZE = 100005;
static const int ACL_ERROR_PARSE_FILE = 100006;
static const int ACL_ERROR_FILE_MISSING_ATTR = 100007;
static const int ACL_ERROR_FILE_ATTR_INVALID = 100008;
static const int ACL_ERROR_INVALID_DUMP_CONFIG = 100009;
static const int ACL_ERROR_INVALID_PROFILING_CONFIG = 100010;

// Offline models and their operators. The runtime itself does not give these.
static const int ACL_ERROR_INVALID_MODEL_ID = 100011;
static const int ACL_ERROR_DESERIALIZE_MODEL = 100012;
static const int ACL_ERROR_PARSE_MODEL = 100013;
static const int ACL_ERROR_READ_MODEL_FAILURE = 100014;
static const int ACL_ERROR_MODEL_SIZE_INVALID = 100015;
static const int ACL_ERROR_MODEL_MISSING_ATTR = 100016;
static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017;
static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018;
static const int ACL_ERROR_MODEL_NOT_DYNAMIC = 100019;
static const int ACL_ERROR_OP_TYPE_NOT_MATCH = 100020;
static const int ACL_ERROR_OP_INPUT_NOT_MATCH = 100021;
static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022;
static const int ACL_ERROR_OP_ATTR_NOT_MATCH = 100023;
static const int ACL_ERROR_OP_NOT_FOUND = 100024;
static const int ACL_ERROR_OP_LOAD_FAILED = 100025;
static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026;
static const int ACL_ERROR_FORMAT_NOT_MATCH = 100027;
static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028;
static const int ACL_ERROR_KERNEL_NOT_FOUND = 100029;
static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030;
static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031;

// Queues, subscriptions, groups, and what was begun or ended twice.
static const int ACL_ERROR_INVALID_QUEUE_ID = 100032;
static const int ACL_ERROR_REPEAT_SUBSCRIBE = 100033;
static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034;
static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035;
static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036;
static const int ACL_ERROR_REPEAT_FINALIZE = 100037;
static const int ACL_ERROR_NOT_STATIC_AIPP = 100038;
static const int ACL_ERROR_COMPILING_STUB_MODE = 100039;
static const int ACL_ERROR_GROUP_NOT_SET = 100040;
static const int ACL_ERROR_GROUP_NOT_CREATE = 100041;
static const int ACL_ERROR_PROF_ALREADY_RUN = 100042;
static const int ACL_ERROR_PROF_NOT_RUN = 100043;
static const int ACL_ERROR_DUMP_ALREADY_RUN = 100044;
static const int ACL_ERROR_DUMP_NOT_RUN = 100045;
static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046;
static const int ACL_ERROR_PROF_API_CONFLICT = 148047;

// Operator packages, picture decoding, bundled models.
static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048;
static const int ACL_ERROR_INVALID_OPP_PATH = 148049;
static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050;
static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051;
static const int ACL_ERROR_UNSUPPORTED_JPEG = 148052;
static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053;

// A resource is used up, or a feature is not there.
static const int ACL_ERROR_BAD_ALLOC = 200000;
static const int ACL_ERROR_API_NOT_SUPPORT = 200001;
static const int ACL_ERROR_INVALID_DEVICE = 200002;
static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003;
static const int ACL_ERROR_RESOURCE_NOT_MATCH = 200004;
static const int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005;
static const int ACL_ERROR_FEATURE_UNSUPPORTED = 200006;
static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007;
static const int ACL_ERROR_STORAGE_OVER_LIMIT = 300000;

// Something failed inside, and no other code says more.
static const int ACL_ERROR_INTERNAL_ERROR = 500000;
static const int ACL_ERROR_FAILURE = 500001;
static const int ACL_ERROR_GE_FAILURE = 500002;
static const int ACL_ERROR_RT_FAILURE = 500003;
static const int ACL_ERROR_DRV_FAILURE = 500004;
static const int ACL_ERROR_PROFILING_FAILURE = 500005;

// ---- Handles ----
// A handle is a number in the shape of a pointer and must not be dereferenced. One that was destroyed, belongs to
// another kind, or was never given out is recognised and refused with 107017 ACL_ERROR_RT_INVALID_HANDLE.

// Execution: where work is queued and what orders it.
typedef void* aclrtContext;
typedef void* aclrtStream;
typedef void* aclrtEvent;
typedef void* aclrtNotify;
typedef void* aclrtCntNotify;

// Captured and built models: jump targets, groups of tasks to update, single tasks.
typedef void* aclrtLabel;
typedef void* aclrtLabelList;
typedef void* aclrtTaskGrp;
typedef void* aclmdlRITask;

// Allocators that a program registers, and the blocks they give.
typedef void* aclrtAllocatorDesc;
typedef void* aclrtAllocator;
typedef void* aclrtAllocatorBlock;
typedef void* aclrtAllocatorAddr;

// A buffer of the shared-buffer queues.
typedef void* aclrtMbuf;

// An address and a size in bytes, handed to operators as one argument. It does not own the memory.
typedef struct aclDataBuffer aclDataBuffer;

// ---- Data types and layouts ----

// The bits of an IEEE half-precision number.
typedef uint16_t aclFloat16;

// What an element is. Kinds from ACL_HIFLOAT8 on exist only on the newest parts.
typedef enum {
  ACL_DT_UNDEFINED = -1,
  ACL_FLOAT = 0,
  ACL_FLOAT16 = 1,
  ACL_INT8 = 2,
  ACL_INT32 = 3,
  ACL_UINT8 = 4,
  ACL_INT16 = 6,
  ACL_UINT16 = 7,
  ACL_UINT32 = 8,
  ACL_INT64 = 9,
  ACL_UINT64 = 10,
  ACL_DOUBLE = 11,
  ACL_BOOL = 12,
  ACL_STRING = 13,
  ACL_COMPLEX64 = 16,
  ACL_COMPLEX128 = 17,
  ACL_BF16 = 27,
  ACL_INT4 = 29,
  ACL_UINT1 = 30,
  ACL_COMPLEX32 = 33,
  ACL_HIFLOAT8 = 34,
  ACL_FLOAT8_E5M2 = 35,
  ACL_FLOAT8_E4M3FN = 36,
  ACL_FLOAT8_E8M0 = 37,
  ACL_FLOAT6_E3M2 = 38,
  ACL_FLOAT6_E2M3 = 39,
  ACL_FLOAT4_E2M1 = 40,
  ACL_FLOAT4_E1M2 = 41,
} aclDataType;

// How the dimensions of a tensor lie in memory.
typedef enum {
  ACL_FORMAT_UNDEFINED = -1,
  ACL_FORMAT_NCHW = 0,
  ACL_FORMAT_NHWC = 1,
  ACL_FORMAT_ND = 2,
  ACL_FORMAT_NC1HWC0 = 3,
  ACL_FORMAT_FRACTAL_Z = 4,
  ACL_FORMAT_NC1HWC0_C04 = 12,
  ACL_FORMAT_HWCN = 16,
  ACL_FORMAT_NDHWC = 27,
  ACL_FORMAT_FRACTAL_NZ = 29,
  ACL_FORMAT_NCDHW = 30,
  ACL_FORMAT_NDC1HWC0 = 32,
  ACL_FRACTAL_Z_3D = 33,
  ACL_FORMAT_NC = 35,
  ACL_FORMAT_NCL = 47,
  ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
  ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
  ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
  ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
  ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,
} aclFormat;

// Where the memory of a tensor is.
typedef enum {
  ACL_MEMTYPE_DEVICE = 0,
  ACL_MEMTYPE_HOST = 1,
  ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2,  // host, and a change of the value needs no new compilation
} aclMemType;

// ---- Options and capabilities ----

// How urgent a message of the program's own log is.
typedef enum {
  ACL_DEBUG = 0,
  ACL_INFO = 1,
  ACL_WARNING = 2,
  ACL_ERROR = 3,
} aclLogLevel;

// Options of the process or of a context.
typedef enum {
  ACL_OPT_DETERMINISTIC = 0,        // the same inputs give the same bits: 0 to 3
  ACL_OPT_ENABLE_DEBUG_KERNEL = 1,  // kernels check their accesses: 0 or 1
  ACL_OPT_STRONG_CONSISTENCY ACL_DEPRECATED = 2,
  ACL_OPT_ENABLE_KERNEL_EARLY_START = 3,
} aclSysParamOpt;

// What a CANN installation can do.
typedef enum {
  ACL_CANN_ATTR_UNDEFINED = -1,
  ACL_CANN_ATTR_INF_NAN = 0,
  ACL_CANN_ATTR_BF16 = 1,
  ACL_CANN_ATTR_JIT_COMPILE = 2,
} aclCannAttr;

// Figures of a device.
typedef enum {
  ACL_DEVICE_INFO_UNDEFINED = -1,
  ACL_DEVICE_INFO_AI_CORE_NUM = 0,
  ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
  ACL_DEVICE_INFO_L2_SIZE = 2,  // bytes
} aclDeviceInfo;

// ---- Half precision ----

// Widens a half-precision number. Exponent 31 is read as one more power of two and not as infinity or NaN: 0x7C00
// gives 65536, 0xFC00 gives -65536, 0x7E00 gives 98304.
// Pure; thread-safe.
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);

// Narrows to half precision. What does not fit saturates: infinity and NaN become 65504, negative infinity -65504.
// Pure; thread-safe.
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);

// ---- Data buffers ----

// Makes a data buffer that names `size` bytes at `data`. Neither is checked, and the memory stays the caller's.
// Synchronous. Thread-safe. Returns NULL when host memory is exhausted.
ACL_FUNC_VISIBILITY aclDataBuffer* aclCreateDataBuffer(void* data, size_t size);

// Destroys the data buffer, not the memory it names.
// Synchronous. Thread-safe, as long as no other thread uses the same buffer.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `dataBuffer` is NULL
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer);

// Makes an existing data buffer name other memory: `size` bytes at `data`.
// Synchronous. Thread-safe, as long as no other thread uses the same buffer.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `dataBuffer` is NULL
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size);

// The address a data buffer names; NULL for a NULL buffer.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer);

// The number of bytes a data buffer names, cut to 32 bits; 0 for a NULL buffer.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY ACL_DEPRECATED_MESSAGE("use aclGetDataBufferSizeV2") uint32_t
    aclGetDataBufferSize(const aclDataBuffer* dataBuffer);

// The number of bytes a data buffer names; 0 for a NULL buffer.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer);

// The bytes that one element takes; 0 for ACL_DT_UNDEFINED, for ACL_STRING, for types of less than a byte, and for
// numbers that are no type.
// Pure; thread-safe.
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

// ---- Identification ----

// The name of the processor, such as "Ascend910B3"; that of device 0 where there are several. NULL when there is
// none.
// Synchronous. Thread-safe. The text belongs to the library and stays valid.
ACL_FUNC_VISIBILITY const char* aclrtGetSocName(void);

// The features that can be asked for with aclGetCannAttribute and that there are. The list belongs to the library and
// stays valid.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num);

// Whether there is a feature: 1 or 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL, or `cannAttr` is unknown
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value);

// A figure of a device.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL, or `deviceInfo` is unknown
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no such device
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value);

// ---- Log ----

// Writes a message of the program to the log. `func`, `file` and `line` say where it comes from; `fmt` and what follows
// are as for printf. What is longer than 1024 bytes is cut. ACL_APP_LOG fills in the place. Lines go to standard output
// with ASCEND_SLOG_PRINT_TO_STDOUT=1, else to a file of the process below the directory ASCEND_PROCESS_LOG_PATH, or log
// in ASCEND_WORK_PATH, and nowhere without any of them; those below the level ASCEND_GLOBAL_LOG_LEVEL (0 debug to 3
// error, 4 nothing; 3 unless set) are left out. ASCEND_MODULE_LOG_LEVEL=APP=2 is a level for the program's alone.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line,
                                   const char* fmt, ...);

// Writes a message of the program to the log, with the place of the call.
#define ACL_APP_LOG(level, ...) aclAppLog(level, __func__, __FILE__, __LINE__, __VA_ARGS__)

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // FOREBAY_ACL_ACL_BASE_RT_H_
