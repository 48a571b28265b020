// The profiler: what the program and its devices did and when, written to files or sent to the program.
// The order is aclprofInit, aclprofCreateConfig, aclprofStart, the work, aclprofStop, aclprofDestroyConfig,
// aclprofFinalize.
#ifndef FOREBAY_ACL_ACL_PROF_H_
#define FOREBAY_ACL_ACL_PROF_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// Marks functions of this header, as programs spell it.
#define MSVP_PROF_API __attribute__((visibility("default")))

// What is collected; combined with |.
#define ACL_PROF_ACL_API 0x0001ULL            // calls of AscendCL
#define ACL_PROF_TASK_TIME 0x0002ULL          // times of tasks
#define ACL_PROF_AICORE_METRICS 0x0004ULL     // counters of the cores
#define ACL_PROF_AICPU 0x0008ULL              // tasks on the CPUs of the device
#define ACL_PROF_L2CACHE 0x0010ULL            // hits and misses
#define ACL_PROF_HCCL_TRACE 0x0020ULL         // collective communication
#define ACL_PROF_TRAINING_TRACE 0x0040ULL     // iterations of training
#define ACL_PROF_MSPROFTX 0x0080ULL           // marks of the program
#define ACL_PROF_RUNTIME_API 0x0100ULL        // calls inside the runtime
#define ACL_PROF_GE_API_L0 0x0200ULL          // calls of the graph engine, the few
#define ACL_PROF_TASK_TIME_L0 0x0800ULL       // times of tasks without names of operators
#define ACL_PROF_TASK_MEMORY 0x1000ULL        // memory of operators
#define ACL_PROF_TASK_TIME_L2 0x2000ULL       // times of tasks with more about operators
#define ACL_PROF_OP_ATTR 0x4000ULL            // attributes of operators
#define ACL_PROF_TASK_TIME_L3 0x8000ULL       // times of tasks with all about operators
#define ACL_PROF_GE_API_L1 0x01000000ULL      // calls of the graph engine, the many
#define ACL_PROF_API_STATS 0x400000000ULL     // sums over calls
#define ACL_PROF_AICORE_SHAPE 0x800000000ULL  // shapes of operators on the cores

// Lengths: of names and types of operators in bytes with their end, of shapes in dimensions.
#define ACL_PROF_MAX_OP_NAME_LEN 257
#define ACL_PROF_MAX_OP_TYPE_LEN 65
#define ACL_PROF_TENSOR_DATA_SHAPE_LEN 8

// Says that the header has aclprofTensorInfo, and which version of aclprofEventAttributes it is.
#define ACL_PROF_TENSOR_INFO_DEFINED
#define ACL_PROF_EVENT_ATTR_VERSION 1

// What is counted on the cores.
typedef enum {
  ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
  ACL_AICORE_PIPE_UTILIZATION = 1,
  ACL_AICORE_MEMORY_BANDWIDTH = 2,
  ACL_AICORE_L0B_AND_WIDTH = 3,
  ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
  ACL_AICORE_MEMORY_UB = 5,
  ACL_AICORE_L2_CACHE = 6,
  ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
  ACL_AICORE_MEMORY_ACCESS = 8,
  ACL_AICORE_NONE = 255,
} aclprofAicoreMetrics;

// The two marks of a step.
typedef enum {
  ACL_STEP_START = 0,
  ACL_STEP_END = 1,
} aclprofStepTag;

// What a description in a subscription is about, and its attributes.
typedef enum {
  ACL_SUBSCRIBE_OP = 0,
  ACL_SUBSCRIBE_SUBGRAPH = 1,
  ACL_SUBSCRIBE_OP_THREAD = 2,
  ACL_SUBSCRIBE_NONE = 255,
} aclprofSubscribeOpFlag;
typedef enum {
  ACL_SUBSCRIBE_ATTRI_THREADID = 0,
  ACL_SUBSCRIBE_ATTRI_NONE = 1,
} aclprofSubscribeOpAttri;

// Options of aclprofSetConfig.
typedef enum {
  ACL_PROF_ARGS_MIN = 0,
  ACL_PROF_STORAGE_LIMIT = 1,
  ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
  ACL_PROF_LLC_MODE = 4,
  ACL_PROF_SYS_IO_FREQ = 5,
  ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
  ACL_PROF_DVPP_FREQ = 7,
  ACL_PROF_HOST_SYS = 8,
  ACL_PROF_HOST_SYS_USAGE = 9,
  ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
  ACL_PROF_LOW_POWER_FREQ = 11,
  ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
  ACL_PROF_SYS_CPU_FREQ = 13,
  ACL_PROF_OPTYPE = 14,
  ACL_PROF_NTS_METRICS = 15,
  ACL_PROF_PATH = 16,
  ACL_PROF_ARGS_MAX = 17,
} aclprofConfigType;

// Configurations and records; opaque.
typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofStopConfig aclprofStopConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;
typedef struct aclprofStepInfo aclprofStepInfo;

// An operator and its tensors, for aclprofRangePushEx. Names are numbers of aclprofStr2Id.
typedef struct aclprofTensor {
  uint32_t type;  // 0 input, 1 output
  uint32_t format;
  uint32_t dataType;
  uint32_t shapeDim;  // dimensions in shape
  uint32_t shape[ACL_PROF_TENSOR_DATA_SHAPE_LEN];
} aclprofTensor;
typedef struct aclprofTensorInfo {
  uint64_t opNameId;
  uint64_t opTypeId;
  uint32_t resv;
  uint32_t tensorNum;
  uint32_t kernelType;
  uint32_t blockNums;
  aclrtStream stream;
  aclprofTensor* tensors;
} aclprofTensorInfo;

// What a range is described with.
typedef enum {
  ACL_PROF_MESSAGE_TYPE_TENSOR_INFO = 0,
} aclprofMessageType;
typedef struct aclprofEventAttributes {
  uint16_t version;      // ACL_PROF_EVENT_ATTR_VERSION
  uint16_t size;         // of this structure, in bytes
  uint32_t messageType;  // aclprofMessageType: which member of message is set
  union Message {
    aclprofTensorInfo* tensorInfo;
  } message;
} aclprofEventAttributes;

// ---- A run of the profiler ----

// Prepares the profiler and names the directory its files go to. `length` is that of the path without its end, in
// bytes. Once, after aclInit and before the first model is loaded; not where the configuration given to aclInit turns
// the profiler on.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: the path is NULL, `length` is 0 or not its length, or the directory cannot be
//     written to
//   100042 ACL_ERROR_PROF_ALREADY_RUN: the configuration of aclInit has turned the profiler on, or it has been prepared
//     before
//   148047 ACL_ERROR_PROF_API_CONFLICT: models are subscribed to
ACL_FUNC_VISIBILITY aclError aclprofInit(const char* profilerResultPath, size_t length);

// Ends the profiler after the last aclprofStop and completes its files.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100042 ACL_ERROR_PROF_ALREADY_RUN: the configuration of aclInit has turned the profiler on
//   100043 ACL_ERROR_PROF_NOT_RUN: it has not been prepared
//   148047 ACL_ERROR_PROF_API_CONFLICT: models are subscribed to
ACL_FUNC_VISIBILITY aclError aclprofFinalize(void);

// Starts to collect what the configuration says, on its devices.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `profilerConfig` is NULL
//   100042 ACL_ERROR_PROF_ALREADY_RUN: the configuration of aclInit has turned the profiler on, or one of the devices
//     is being profiled
//   100043 ACL_ERROR_PROF_NOT_RUN: the profiler has not been prepared
//   148047 ACL_ERROR_PROF_API_CONFLICT: models are subscribed to
//   200007 ACL_ERROR_PROF_MODULES_UNSUPPORTED: the configuration asks for what does not exist
ACL_FUNC_VISIBILITY aclError aclprofStart(const aclprofConfig* profilerConfig);

// Makes a configuration for `deviceNums` devices. `dataTypeConfig` is a combination of ACL_PROF_...; `aicoreMetrics`
// says what is counted on the cores where it includes ACL_PROF_AICORE_METRICS. `aicoreEvents` is NULL. Returns NULL
// where an argument is wrong.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums,
                                                       aclprofAicoreMetrics aicoreMetrics,
                                                       const aclprofAicoreEvents* aicoreEvents,
                                                       uint64_t dataTypeConfig);

// Destroys a configuration, after the profiler has been stopped with it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `profilerConfig` is NULL
ACL_FUNC_VISIBILITY aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig);

// Stops what aclprofStart started with the same configuration.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `profilerConfig` is NULL
//   100042 ACL_ERROR_PROF_ALREADY_RUN: the configuration of aclInit has turned the profiler on
//   100043 ACL_ERROR_PROF_NOT_RUN: nothing was started with this configuration
ACL_FUNC_VISIBILITY aclError aclprofStop(const aclprofConfig* profilerConfig);

// Sets one more option of the profiler, before aclprofStart. `config` is the value as text, `configLength` its length
// in bytes. Rates are in Hz, ACL_PROF_STORAGE_LIMIT in MB as "200MB".
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `config` is NULL, its length is wrong, or it is no value of this option
//   100042 ACL_ERROR_PROF_ALREADY_RUN: the configuration of aclInit has turned the profiler on
ACL_FUNC_VISIBILITY aclError aclprofSetConfig(aclprofConfigType configType, const char* config, size_t configLength);

// ---- Subscriptions of models ----

// Sends the times of the operators of a model to the pipe of the subscription, whenever the model runs.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `profSubscribeConfig` is NULL, or the model is unknown
//   148046 ACL_ERROR_PROF_REPEAT_SUBSCRIBE: the model is subscribed to
//   148047 ACL_ERROR_PROF_API_CONFLICT: the profiler has been prepared with aclprofInit or in the configuration of
//     aclInit
ACL_FUNC_VISIBILITY aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig* profSubscribeConfig);

// Ends a subscription. Descriptions that were not yet sent are sent first.
// Synchronous: waits for those descriptions to be read. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: the model is unknown, or is not subscribed to
//   148047 ACL_ERROR_PROF_API_CONFLICT: the profiler has been prepared with aclprofInit or in the configuration of
//     aclInit
ACL_FUNC_VISIBILITY aclError aclprofModelUnSubscribe(uint32_t modelId);

// Makes a subscription. `timeInfoSwitch` is 1 to get times, `aicoreMetrics` what is counted on the cores, `fd` points
// to the writing end of a pipe. Returns NULL where an argument is wrong.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY aclprofSubscribeConfig* aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
                                                                         aclprofAicoreMetrics aicoreMetrics, void* fd);

// Destroys a subscription, after all that used it have ended.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `profSubscribeConfig` is NULL
ACL_FUNC_VISIBILITY aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig* profSubscribeConfig);

// What the reading end of the pipe gives: `opInfo` is a buffer of `opInfoLen` bytes read from it, `index` the position
// of an operator in that buffer.

// The bytes that the description of one operator takes. Read a multiple of it from the pipe.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `opDescSize` is NULL
ACL_FUNC_VISIBILITY aclError aclprofGetOpDescSize(size_t* opDescSize);

// The number of operators in a buffer.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `opInfoLen` is no multiple of the size of a description
ACL_FUNC_VISIBILITY aclError aclprofGetOpNum(const void* opInfo, size_t opInfoLen, uint32_t* opNumber);

// The bytes that the type of an operator takes, its end included.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or the buffer has no operator `index`
ACL_FUNC_VISIBILITY aclError aclprofGetOpTypeLen(const void* opInfo, size_t opInfoLen, uint32_t index,
                                                 size_t* opTypeLen);

// The type of an operator, as text that ends with 0. `opTypeLen` is the size of `opType` in bytes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, the buffer has no operator `index`, or `opType` is too small
ACL_FUNC_VISIBILITY aclError aclprofGetOpType(const void* opInfo, size_t opInfoLen, uint32_t index, char* opType,
                                              size_t opTypeLen);

// The bytes that the name of an operator takes, its end included.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or the buffer has no operator `index`
ACL_FUNC_VISIBILITY aclError aclprofGetOpNameLen(const void* opInfo, size_t opInfoLen, uint32_t index,
                                                 size_t* opNameLen);

// The name of an operator, as text that ends with 0. `opNameLen` is the size of `opName` in bytes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, the buffer has no operator `index`, or `opName` is too small
ACL_FUNC_VISIBILITY aclError aclprofGetOpName(const void* opInfo, size_t opInfoLen, uint32_t index, char* opName,
                                              size_t opNameLen);

// When an operator began, in nanoseconds; 0 where the buffer has no operator `index`.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY uint64_t aclprofGetOpStart(const void* opInfo, size_t opInfoLen, uint32_t index);

// When an operator ended, in nanoseconds; 0 where the buffer has no operator `index`.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY uint64_t aclprofGetOpEnd(const void* opInfo, size_t opInfoLen, uint32_t index);

// How long an operator ran, in nanoseconds; 0 where the buffer has no operator `index`.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY uint64_t aclprofGetOpDuration(const void* opInfo, size_t opInfoLen, uint32_t index);

// The model an operator belongs to; 0 where the buffer has no operator `index`.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY size_t aclprofGetModelId(const void* opInfo, size_t opInfoLen, uint32_t index);

// What a description is about; ACL_SUBSCRIBE_NONE where the buffer has no operator `index`.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY aclprofSubscribeOpFlag aclprofGetOpFlag(const void* opInfo, size_t opInfoLen, uint32_t index);

// One attribute of an operator, as text; NULL where there is none. The text is part of the buffer.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY const char* aclprofGetOpAttriValue(const void* opInfo, size_t opInfoLen, uint32_t index,
                                                       aclprofSubscribeOpAttri attri);

// ---- Steps ----

// Marks the beginning or the end of a step of the program in a stream, with the time at which the stream comes to it.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `stepInfo` is NULL, `tag` is unknown, or the marks of the step are out of order
ACL_FUNC_VISIBILITY aclError aclprofGetStepTimestamp(aclprofStepInfo* stepInfo, aclprofStepTag tag, aclrtStream stream);

// Makes the record of a step. Returns NULL when host memory is exhausted.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY aclprofStepInfo* aclprofCreateStepInfo(void);

// Destroys the record of a step; nothing happens for NULL.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY void aclprofDestroyStepInfo(aclprofStepInfo* stepinfo);

// ---- Marks of the program ----

// A stamp carries a text and times; one is used for one mark or range at a time. They are collected while the profiler
// runs with ACL_PROF_MSPROFTX.

// Makes a stamp. Returns NULL when the profiler does not collect stamps, or host memory is exhausted.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY void* aclprofCreateStamp(void);

// Destroys a stamp; nothing happens for NULL.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY void aclprofDestroyStamp(void* stamp);

// Begins a range that ends at the next aclprofPop of the same thread. Ranges may be nested.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `stamp` is NULL
//   100043 ACL_ERROR_PROF_NOT_RUN: the profiler does not collect stamps
ACL_FUNC_VISIBILITY aclError aclprofPush(void* stamp);

// Ends the range the thread began last.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100043 ACL_ERROR_PROF_NOT_RUN: the profiler does not collect stamps, or the thread has no open range
ACL_FUNC_VISIBILITY aclError aclprofPop(void);

// Begins a range that any thread may end, and gives it a number. Ranges may overlap.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   100043 ACL_ERROR_PROF_NOT_RUN: the profiler does not collect stamps
ACL_FUNC_VISIBILITY aclError aclprofRangeStart(void* stamp, uint32_t* rangeId);

// Ends the range of this number.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: no open range has it
//   100043 ACL_ERROR_PROF_NOT_RUN: the profiler does not collect stamps
ACL_FUNC_VISIBILITY aclError aclprofRangeStop(uint32_t rangeId);

// Gives a stamp its text, of `msgLen` bytes; what is longer than 127 bytes is cut.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `stamp` or `msg` is NULL, or `msgLen` is 0
ACL_FUNC_VISIBILITY aclError aclprofSetStampTraceMessage(void* stamp, const char* msg, uint32_t msgLen);

// Marks this moment with the stamp.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `stamp` is NULL
//   100043 ACL_ERROR_PROF_NOT_RUN: the profiler does not collect stamps
ACL_FUNC_VISIBILITY aclError aclprofMark(void* stamp);

// Marks this moment and the moment the stream comes to it, with a text of `msgLen` bytes.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `msg` is NULL, `msgLen` is 0 or above 127
//   100043 ACL_ERROR_PROF_NOT_RUN: the profiler does not collect stamps
ACL_FUNC_VISIBILITY aclError aclprofMarkEx(const char* msg, size_t msgLen, aclrtStream stream);

// A number that stands for a text in what the profiler collects. The same text gives the same number. Returns
// UINT64_MAX for NULL or when the profiler does not run.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY uint64_t aclprofStr2Id(const char* message);

// Begins a range with a description of an operator and its tensors; it ends at the next aclprofRangePop of the same
// thread.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `attr` is NULL, or its version, size or kind of message is unknown
//   100043 ACL_ERROR_PROF_NOT_RUN: the profiler does not run
ACL_FUNC_VISIBILITY aclError aclprofRangePushEx(aclprofEventAttributes* attr);

// Ends the range the thread began last with aclprofRangePushEx.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100043 ACL_ERROR_PROF_NOT_RUN: the profiler does not run, or the thread has no open range
ACL_FUNC_VISIBILITY aclError aclprofRangePop(void);
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // FOREBAY_ACL_ACL_PROF_H_
