// The AscendCL runtime: devices, contexts, streams, events, memory, kernels, host functions and errors.
//
// What holds for every function here, unless its comment says otherwise:
// - Threads. Any function may be called by any thread at any time. Work for one stream may come from several threads
//   and is then queued in some order. No thread may destroy an object that another thread is still using.
// - Context. The calling thread's current context decides device and default stream. aclrtSetDevice or
//   aclrtSetCurrentContext sets it; a new thread has none. A stream is used while the context that owns it is current.
// - NULL as a stream means the default stream of the current context. It is a stream like any other: it does not wait
//   for the others, nor they for it.
// - Asynchronous calls return when the work is queued. What they return is about the arguments and the queuing; a
//   failure of the work itself appears at the next call that waits for it. A full queue makes the caller wait.
// - Submissions, that is calls that queue work, may return 107022 ACL_ERROR_RT_DEVICE_TASK_ABORT while the tasks of
//   the device are aborted, 107023 ACL_ERROR_RT_STREAM_ABORT while the stream is, the code of the first failure once
//   ACL_STOP_ON_FAILURE has stopped the context, and the code of the fault once the device is abnormal: 507010
//   ACL_ERROR_RT_LOST_HEARTBEAT, 507033 ACL_ERROR_RT_DEV_SETUP_ERROR, 507053 ACL_ERROR_RT_DEVICE_MEM_ERROR, 507054
//   ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR, 507899 ACL_ERROR_RT_DRV_INTERNAL_ERROR, 507901 ACL_ERROR_RT_SOCKET_CLOSE.
// - Waits, that is calls that block until work is done, may return all of that, and the code of the first task that
//   failed in what they wait for: 107019 ACL_ERROR_RT_WAIT_TIMEOUT, 207018 ACL_ERROR_RT_DEVICE_OOM, 507013
//   ACL_ERROR_RT_SYS_DMA, 507014 ACL_ERROR_RT_AICORE_TIMEOUT, 507015 ACL_ERROR_RT_AICORE_EXCEPTION, 507034
//   ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, 507035 ACL_ERROR_RT_VECTOR_CORE_EXCEPTION and their kin.
// - A call that fails leaves its output parameters as they were and sets the thread's last error (aclrtGetLastError).
//   500000 ACL_ERROR_INTERNAL_ERROR stands for what has no code of its own; aclGetRecentErrMsg explains every failure.
// - A function that the runtime calls back must not call the runtime. A call that would wait for the function itself is
//   refused with 107000 ACL_ERROR_RT_PARAM_INVALID.
#ifndef FOREBAY_ACL_ACL_RT_H_
#define FOREBAY_ACL_ACL_RT_H_

#include <stddef.h>
#include <stdint.h>

#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Constants ----

// The version of this interface.
#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 17
#define ACL_PATCH_VERSION 0

// What an event can do; combined with |. EXTERNAL and IPC stand alone.
#define ACL_EVENT_SYNC 0x00000001U                     // streams may wait for it
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U  // shows how far a stream has come
#define ACL_EVENT_TIME_LINE 0x00000008U                // keeps a time stamp
#define ACL_EVENT_DEVICE_USE_ONLY 0x00000010U          // not for calls of the host
#define ACL_EVENT_EXTERNAL 0x00000020U                 // links a captured graph with the outside
#define ACL_EVENT_IPC 0x00000040U                      // can be opened by another process
#define ACL_IPC_EVENT_HANDLE_SIZE 64U                  // bytes

// Whether one record or one wait of an event, captured into a graph, is meant for the outside of the graph.
#define ACL_EVENT_RECORD_DEFAULT 0x0U
#define ACL_EVENT_RECORD_EXTERNAL 0x01U
#define ACL_EVENT_WAIT_DEFAULT 0x0U
#define ACL_EVENT_WAIT_EXTERNAL 0x01U

// How a stream is made; combined with |.
#define ACL_STREAM_FAST_LAUNCH 0x00000001U      // takes its resources at once: slower to create, faster to use
#define ACL_STREAM_FAST_SYNC 0x00000002U        // waits by polling
#define ACL_STREAM_PERSISTENT 0x00000004U       // keeps its tasks until the model it is bound to runs
#define ACL_STREAM_HUGE 0x00000008U             // a deeper queue; no effect
#define ACL_STREAM_CPU_SCHEDULE 0x00000010U     // reserved
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U  // not for calls of the host

// What a failing task does to the work behind it.
#define ACL_CONTINUE_ON_FAILURE 0x00000000U  // later tasks run; the next wait reports the failure
#define ACL_STOP_ON_FAILURE 0x00000001U      // all streams of the context stop

// When a stream that waits for a value in memory goes on.
#define ACL_STREAM_WAIT_VALUE_GEQ 0x00000000U  // the difference is not negative, as a signed number
#define ACL_STREAM_WAIT_VALUE_EQ 0x00000001U   // both are equal
#define ACL_STREAM_WAIT_VALUE_AND 0x00000002U  // they have a bit in common
#define ACL_STREAM_WAIT_VALUE_NOR 0x00000003U  // some bit is clear in both

// Notifies, and how they are shared with other processes.
#define ACL_NOTIFY_DEFAULT 0x00000000U
#define ACL_NOTIFY_DEVICE_USE_ONLY 0x00000001U
#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x02UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x02UL

// Memory shared with other processes: whether a list of processes limits it, and whether other devices may use it.
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1UL
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

// The links over which shared memory can be reached.
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO 0
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS 1
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH 2
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 3
#define ACL_RT_MEM_LINK_IDX_0 0U
#define ACL_RT_MEM_LINK_IDX_1 1U

// How host memory is registered for devices.
#define ACL_HOST_REG_MAPPED 0x2UL
#define ACL_HOST_REG_IOMEMORY 0x4UL
#define ACL_HOST_REG_READONLY 0x8UL
#define ACL_HOST_REG_PINNED 0x10000000UL

// Managed memory, and the kinds of memory that a check can ask for.
#define ACL_RT_MEM_ATTACH_GLOBAL 0x01U
#define ACL_RT_MEM_TYPE_DEV 0x2U
#define ACL_RT_MEM_TYPE_DVPP 0x8U
#define ACL_RT_MEM_TYPE_RSVD 0x10U

// Lengths of lists: barriers of one wait, damaged ranges of memory.
#define ACL_RT_CMO_MAX_BARRIER_NUM 6U
#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 20U
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20
#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128
#define UCE_INFO_RESERVED_SIZE 14

// Answers about a device: whether a feature is there, how it is attached, what it is built into.
#define ACL_DEV_FEATURE_SUPPORT 0x00000001
#define ACL_DEV_FEATURE_NOT_SUPPORT 0x00000000
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB 2
#define ACL_DEVICE_FORM_FACTOR_POD 0
#define ACL_DEVICE_FORM_FACTOR_A_K 1
#define ACL_DEVICE_FORM_FACTOR_A_X 2
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD 3

// What lies between two devices; combined with |.
#define ACL_RT_DEVS_TOPOLOGY_HCCS 0x01ULL
#define ACL_RT_DEVS_TOPOLOGY_PIX 0x02ULL
#define ACL_RT_DEVS_TOPOLOGY_PIB 0x04ULL
#define ACL_RT_DEVS_TOPOLOGY_PHB 0x08ULL
#define ACL_RT_DEVS_TOPOLOGY_SYS 0x10ULL
#define ACL_RT_DEVS_TOPOLOGY_SIO 0x20ULL
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW 0x40ULL

// Which cores a kernel binary is for.
#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U

// How much of a model is printed as JSON.
#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0x0UL
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 0x1UL

// Lengths of version texts, in bytes.
#define ACL_PKG_VERSION_MAX_SIZE 128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

// ---- Types: handles ----

// A model, that is a graph of tasks captured or built to be executed again and again; the value a branch in it tests.
typedef void* aclmdlRI;
typedef void* aclmdlRICondHandle;

// Kernels: binaries of the older and of the present calls, a function, an argument list, one argument.
typedef void* aclrtBinary;
typedef void* aclrtBinHandle;
typedef void* aclrtFuncHandle;
typedef void* aclrtArgsHandle;
typedef void* aclrtParamHandle;

// Physical device memory without an address.
typedef void* aclrtDrvMemHandle;

// What is known of a failed task, or of a failed device. Valid during the callback that shows it.
typedef struct rtExceptionInfo rtExceptionInfo;
typedef struct rtExceptionInfo aclrtExceptionInfo;

// A division of the cores of a device.
typedef struct tagRtGroupInfo tagRtGroupInfo;
typedef struct tagRtGroupInfo aclrtGroupInfo;

// ---- Types: devices and process ----

// Where the program runs.
typedef enum aclrtRunMode {
  ACL_DEVICE = 0,  // on the processor's own CPU
  ACL_HOST = 1,    // on a host with devices attached
} aclrtRunMode;

// Which scheduler of a device is meant.
typedef enum aclrtTsId {
  ACL_TS_ID_AICORE = 0,
  ACL_TS_ID_AIVECTOR = 1,
  ACL_TS_ID_RESERVED = 2,
} aclrtTsId;

// Whether a device can be used.
typedef enum aclrtDeviceStatus {
  ACL_RT_DEVICE_STATUS_NORMAL = 0,
  ACL_RT_DEVICE_STATUS_ABNORMAL = 1,  // a fault ended its streams; it needs a reset
  ACL_RT_DEVICE_STATUS_END = 0xFFFF,
} aclrtDeviceStatus;

// Moments in the life of a device and of a stream at which a registered function is called.
typedef enum {
  ACL_RT_DEVICE_STATE_SET_PRE = 0,
  ACL_RT_DEVICE_STATE_SET_POST = 1,
  ACL_RT_DEVICE_STATE_RESET_PRE = 2,
  ACL_RT_DEVICE_STATE_RESET_POST = 3,
} aclrtDeviceState;
typedef enum {
  ACL_RT_STREAM_STATE_CREATE_POST = 1,
  ACL_RT_STREAM_STATE_DESTROY_PRE = 2,
} aclrtStreamState;

// What can be asked about a device. The figures of threads, blocks and grids are for SIMT kernels.
typedef enum {
  ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
  ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
  ACL_DEV_ATTR_WARP_SIZE = 202,
  ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
  ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE ACL_DEPRECATED = 204,  // older name of the next
  ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
  ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
  ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
  ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
  ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
  ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
  ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
  ACL_DEV_ATTR_SMP_ID = 401,
  ACL_DEV_ATTR_PHY_CHIP_ID = 402,
  ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,  // older spelling of the next
  ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
  ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
  ACL_DEV_ATTR_SUPER_POD_ID = 405,
  ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
  ACL_DEV_ATTR_MAINBOARD_ID = 407,
  ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
  ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
  ACL_DEV_ATTR_IS_VIRTUAL = 501,
  ACL_DEV_ATTR_NPU_ARCH = 601,
} aclrtDevAttr;

// Features that a device may lack.
typedef enum {
  ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
  ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21,
} aclrtDevFeatureType;

// Sizes in bytes that hold for all devices of the process.
typedef enum aclrtDeviceLimit {
  ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,
  ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
  ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
  ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
  ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4,
} aclrtDeviceLimit;

// Cores whose number a program can limit for itself.
typedef enum {
  ACL_RT_DEV_RES_CUBE_CORE = 0,
  ACL_RT_DEV_RES_VECTOR_CORE = 1,
} aclrtDevResLimitType;

// The engines inside a device.
typedef enum {
  ACL_RT_HAC_TYPE_STARS = 0,
  ACL_RT_HAC_TYPE_AICPU = 1,
  ACL_RT_HAC_TYPE_AIC = 2,
  ACL_RT_HAC_TYPE_AIV = 3,
  ACL_RT_HAC_TYPE_PCIEDMA = 4,
  ACL_RT_HAC_TYPE_RDMA = 5,
  ACL_RT_HAC_TYPE_SDMA = 6,
  ACL_RT_HAC_TYPE_DVPP = 7,
  ACL_RT_HAC_TYPE_UDMA = 8,
  ACL_RT_HAC_TYPE_CCU = 9,
} aclrtHacType;

// How busy a device is, in percent; -1 for what it does not have.
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;
typedef struct aclrtUtilizationInfo {
  int32_t cubeUtilization;
  int32_t vectorUtilization;
  int32_t aicpuUtilization;
  int32_t memoryUtilization;
  aclrtUtilizationExtendInfo* utilizationExtend;  // reserved
} aclrtUtilizationInfo;

// What is divided among groups of cores.
typedef enum aclrtGroupAttr {
  ACL_GROUP_AICORE_INT = 0,
  ACL_GROUP_AIV_INT = 1,
  ACL_GROUP_AIC_INT = 2,
  ACL_GROUP_SDMANUM_INT = 3,
  ACL_GROUP_ASQNUM_INT = 4,
  ACL_GROUP_GROUPID_INT = 5,
} aclrtGroupAttr;

// What an overflow in floating-point arithmetic gives.
typedef enum aclrtFloatOverflowMode {
  ACL_RT_OVERFLOW_MODE_SATURATION = 0,  // the largest finite number
  ACL_RT_OVERFLOW_MODE_INFNAN = 1,      // infinity or NaN
  ACL_RT_OVERFLOW_MODE_UNDEF = 2,
} aclrtFloatOverflowMode;

// A device's own identity.
typedef struct aclrtUuid {
  char bytes[16];
} aclrtUuid;

// Which atomic operations one side can perform in the memory of another, and on what.
typedef enum aclrtAtomicOperation {
  ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0,
  ACL_RT_ATOMIC_OPERATION_INTEGER_MIN = 1,
  ACL_RT_ATOMIC_OPERATION_INTEGER_MAX = 2,
  ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
  ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
  ACL_RT_ATOMIC_OPERATION_AND = 5,
  ACL_RT_ATOMIC_OPERATION_OR = 6,
  ACL_RT_ATOMIC_OPERATION_XOR = 7,
  ACL_RT_ATOMIC_OPERATION_EXCHANGE = 8,
  ACL_RT_ATOMIC_OPERATION_CAS = 9,
  ACL_RT_ATOMIC_OPERATION_FLOAT_ADD = 10,
  ACL_RT_ATOMIC_OPERATION_FLOAT_MIN = 11,
  ACL_RT_ATOMIC_OPERATION_FLOAT_MAX = 12,
  ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30,
  ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31,
  ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD = 40,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN = 41,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX = 42,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS = 43,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44,
} aclrtAtomicOperation;
typedef enum aclrtAtomicOperationCapability {
  ACL_RT_ATOMIC_CAPABILITY_SIGNED = 0x1,
  ACL_RT_ATOMIC_CAPABILITY_UNSIGNED = 0x2,
  ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 0x4,  // older spelling of the next
  ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 0x4,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR8 = 0x8,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR16 = 0x10,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR32 = 0x20,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR64 = 0x40,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR128 = 0x80,
  ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 0x100,
} aclrtAtomicOperationCapability;

// The parts that register for aclInit and aclFinalize, and the functions they register.
typedef enum aclRegisterCallbackType {
  ACL_REG_TYPE_ACL_MODEL = 0,
  ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
  ACL_REG_TYPE_ACL_OP_CBLAS = 2,
  ACL_REG_TYPE_ACL_OP_COMPILER = 3,
  ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
  ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
  ACL_REG_TYPE_ACL_DVPP = 6,
  ACL_REG_TYPE_ACL_RETR = 7,
  ACL_REG_TYPE_OTHER = 0xFFFF,
} aclRegisterCallbackType;
typedef int (*aclInitCallbackFunc)(const char* configStr, size_t len, void* userData);
typedef int (*aclFinalizeCallbackFunc)(void* userData);

// The packages of a CANN installation and their versions.
typedef enum aclCANNPackageName {
  ACL_PKG_NAME_CANN = 0,
  ACL_PKG_NAME_RUNTIME = 1,
  ACL_PKG_NAME_COMPILER = 2,
  ACL_PKG_NAME_HCCL = 3,
  ACL_PKG_NAME_TOOLKIT = 4,
  ACL_PKG_NAME_OPP = 5,
  ACL_PKG_NAME_OPP_KERNEL = 6,
  ACL_PKG_NAME_DRIVER = 7,
} aclCANNPackageName;
typedef struct aclCANNPackageVersion {
  char version[ACL_PKG_VERSION_MAX_SIZE];
  char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char reserved[128];
} aclCANNPackageVersion;

// Snapshots of a process: its state, the steps at which a registered function is called, and the options.
typedef enum aclrtProcessState {
  ACL_RT_PROCESS_STATE_RUNNING = 0,
  ACL_RT_PROCESS_STATE_LOCKED = 1,
} aclrtProcessState;
typedef enum {
  ACL_RT_SNAPSHOT_LOCK_PRE = 0,
  ACL_RT_SNAPSHOT_BACKUP_PRE = 1,
  ACL_RT_SNAPSHOT_BACKUP_POST = 2,
  ACL_RT_SNAPSHOT_RESTORE_PRE = 3,
  ACL_RT_SNAPSHOT_RESTORE_POST = 4,
  ACL_RT_SNAPSHOT_UNLOCK_POST = 5,
} aclrtSnapShotStage;
typedef struct aclrtSnapShotBackupArgs {
  uint32_t backupFlags;
  char reserved[60];
} aclrtSnapShotBackupArgs;
typedef struct aclrtSnapShotRestoreArgs {
  uint32_t restoreFlags;
  char reserved[60];
} aclrtSnapShotRestoreArgs;

// ---- Types: streams and callbacks ----

// Whether a stream is idle.
typedef enum aclrtStreamStatus {
  ACL_STREAM_STATUS_COMPLETE = 0,
  ACL_STREAM_STATUS_NOT_READY = 1,
  ACL_STREAM_STATUS_RESERVED = 0xFFFF,
} aclrtStreamStatus;

// Settings of a stream that is there.
typedef enum {
  ACL_STREAM_ATTR_FAILURE_MODE = 1,
  ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
  ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
  ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
  ACL_STREAM_ATTR_PRIORITY = 5,
} aclrtStreamAttr;
typedef union {
  uint64_t failureMode;        // ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE
  uint32_t overflowSwitch;     // 0 off, 1 on, for later tasks
  uint32_t userCustomTag;      // groups streams for overflow detection
  uint32_t cacheOpInfoSwitch;  // 0 off, 1 on, while capturing
  uint32_t streamPriority;     // 0 first to 7 last
  uint32_t reserve[4];
} aclrtStreamAttrValue;

// Settings of a stream to be made.
typedef enum {
  ACL_RT_STREAM_WORK_ADDR_PTR = 0,
  ACL_RT_STREAM_WORK_SIZE = 1,
  ACL_RT_STREAM_FLAG = 2,
  ACL_RT_STREAM_PRIORITY = 3,
} aclrtStreamConfigAttr;
typedef struct aclrtStreamConfigHandle {
  void* workptr;
  size_t workSize;
  size_t flag;        // ACL_STREAM_...
  uint32_t priority;  // 0 first to 7 last
} aclrtStreamConfigHandle;

// Whether later tasks of the stream wait for a callback.
typedef enum aclrtCallbackBlockType {
  ACL_CALLBACK_NO_BLOCK = 0,
  ACL_CALLBACK_BLOCK = 1,
} aclrtCallbackBlockType;

// Functions the runtime calls: from a stream, on a change of a device or a stream, around an abort or a snapshot.
typedef enum {
  ACL_RT_DEVICE_TASK_ABORT_PRE = 0,
  ACL_RT_DEVICE_TASK_ABORT_POST = 1,
} aclrtDeviceTaskAbortStage;
typedef void (*aclrtCallback)(void* userData);
typedef void (*aclrtHostFunc)(void* args);
typedef void (*aclrtDeviceStateCallback)(int32_t deviceId, aclrtDeviceState state, void* args);
typedef void (*aclrtStreamStateCallback)(aclrtStream stm, aclrtStreamState state, void* args);
typedef int (*aclrtDeviceTaskAbortCallback)(int32_t deviceId, aclrtDeviceTaskAbortStage stage, uint32_t timeout,
                                            void* args);
typedef unsigned int (*aclrtSnapShotCallBack)(int32_t deviceId, void* args);

// ---- Types: events and notifies ----

// The three questions about an event, and beware: the first and the third call completion 0, the second calls it 1.
typedef enum aclrtEventStatus {
  ACL_EVENT_STATUS_COMPLETE = 0,
  ACL_EVENT_STATUS_NOT_READY = 1,
  ACL_EVENT_STATUS_RESERVED = 2,
} aclrtEventStatus;
typedef enum aclrtEventRecordedStatus {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,  // not recorded, not reached, or failed
  ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;
typedef enum aclrtEventWaitStatus {
  ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
  ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
  ACL_EVENT_WAIT_STATUS_RESERVED = 0xFFFF,
} aclrtEventWaitStatus;

// What another process needs to open an event.
typedef struct aclrtIpcEventHandle {
  char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

// Counting notifies: how a record changes the count, and what a wait compares it with.
typedef enum {
  ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
  ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
  ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,
  ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4,
} aclrtCntNotifyRecordMode;
typedef struct {
  aclrtCntNotifyRecordMode mode;
  uint32_t value;
} aclrtCntNotifyRecordInfo;
typedef enum {
  ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4,  // all bits of the value are set in the count
} aclrtCntNotifyWaitMode;
typedef struct {
  aclrtCntNotifyWaitMode mode;
  uint32_t value;
  uint32_t timeout;  // seconds, 0 for ever
  uint8_t isClear;   // 1 sets the count to 0 after the wait
  uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

// ---- Types: memory ----

// Which memory a copy goes from and to.
typedef enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST = 0,
  ACL_MEMCPY_HOST_TO_DEVICE = 1,
  ACL_MEMCPY_DEVICE_TO_HOST = 2,
  ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
  ACL_MEMCPY_DEFAULT = 4,                // as the two addresses say
  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,  // the source may be reused as soon as the call returns
  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
  ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,
} aclrtMemcpyKind;

// Page sizes to allocate with: normal pages of 4 KiB, huge ones of 2 MiB or 1 GiB; P2P is for use by other devices. The
// last three are not policies of their own but are added to one with |, where a call takes more than one item.
typedef enum aclrtMemMallocPolicy {
  ACL_MEM_MALLOC_HUGE_FIRST = 0,  // above 1 MiB huge pages, normal ones if there are none
  ACL_MEM_MALLOC_HUGE_ONLY = 1,   // huge pages or failure
  ACL_MEM_MALLOC_NORMAL_ONLY = 2,
  ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
  ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
  ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
  ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
  ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
  ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x100,
  ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
  ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000,
} aclrtMemMallocPolicy;

// More about an allocation: for which part of the program, on which device, at which kind of address.
typedef enum {
  ACL_RT_MEM_ATTR_RSV = 0,
  ACL_RT_MEM_ATTR_MODULE_ID = 1,
  ACL_RT_MEM_ATTR_DEVICE_ID = 2,
  ACL_RT_MEM_ATTR_VA_FLAG = 3,
} aclrtMallocAttrType;
typedef union {
  uint16_t moduleId;
  uint32_t deviceId;
  uint32_t vaFlag;
  uint8_t rsv[8];
} aclrtMallocAttrValue;
typedef struct {
  aclrtMallocAttrType attr;
  aclrtMallocAttrValue value;
} aclrtMallocAttribute;
typedef struct {
  aclrtMallocAttribute* attrs;
  size_t numAttrs;
} aclrtMallocConfig;

// Kinds of device memory, to ask how much there is and to allocate physical memory of.
typedef enum aclrtMemAttr {
  ACL_DDR_MEM = 0,
  ACL_HBM_MEM = 1,
  ACL_DDR_MEM_HUGE = 2,
  ACL_DDR_MEM_NORMAL = 3,
  ACL_HBM_MEM_HUGE = 4,
  ACL_HBM_MEM_NORMAL = 5,
  ACL_DDR_MEM_P2P_HUGE = 6,
  ACL_DDR_MEM_P2P_NORMAL = 7,
  ACL_HBM_MEM_P2P_HUGE = 8,
  ACL_HBM_MEM_P2P_NORMAL = 9,
  ACL_HBM_MEM_HUGE1G = 10,
  ACL_HBM_MEM_P2P_HUGE1G = 11,
  ACL_MEM_NORMAL = 12,
  ACL_MEM_HUGE = 13,
  ACL_MEM_HUGE1G = 14,
  ACL_MEM_P2P_NORMAL = 15,
  ACL_MEM_P2P_HUGE = 16,
  ACL_MEM_P2P_HUGE1G = 17,
} aclrtMemAttr;

// The same kinds taken apart into page size and place.
enum aclrtMemPgType {
  NORMAL_PAGE_TYPE = 0,
  HUGE_PAGE_TYPE = 1,
  HUGE1G_PAGE_TYPE = 2,
};
enum aclrtMemType {
  HBM_TYPE = 0,
  DDR_TYPE = 1,
  P2P_HBM_TYPE = 2,
  P2P_DDR_TYPE = 3,
};
struct MemAttrMapping {
  uint32_t pgType;
  uint32_t memType;
  bool isHostAlloc;
  aclrtMemAttr memAttr;
};

// Where an address lies.
typedef enum aclrtMemLocationType {
  ACL_MEM_LOCATION_TYPE_HOST = 0,
  ACL_MEM_LOCATION_TYPE_DEVICE = 1,
  ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
  ACL_MEM_LOCATION_TYPE_MANAGED = 3,
  ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
} aclrtMemLocationType;
typedef struct aclrtMemLocation {
  uint32_t id;  // of the device or NUMA node
  aclrtMemLocationType type;
} aclrtMemLocation;
typedef struct aclrtPtrAttributes {
  aclrtMemLocation location;
  uint32_t pageSize;  // bytes
  uint32_t rsv[4];
} aclrtPtrAttributes;

// What one part of the program has allocated, in bytes.
typedef struct aclrtMemUsageInfo {
  char name[32];
  uint64_t curMemSize;
  uint64_t memPeakSize;
  size_t reserved[8];
} aclrtMemUsageInfo;

// Host memory that devices use.
typedef enum {
  ACL_HOST_REGISTER_MAPPED = 0,
  ACL_HOST_REGISTER_IOMEMORY = 4,
  ACL_HOST_REGISTER_READONLY = 8,
} aclrtHostRegisterType;
typedef enum {
  ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
  ACL_RT_HOST_MEM_MAP_SUPPORTED = 1,
} aclrtHostMemMapCapability;

// Physical memory, and who may use the addresses it is mapped at.
typedef enum aclrtMemAllocationType {
  ACL_MEM_ALLOCATION_TYPE_PINNED = 0,
} aclrtMemAllocationType;
typedef enum aclrtMemHandleType {
  ACL_MEM_HANDLE_TYPE_NONE = 0,
  ACL_MEM_HANDLE_TYPE_POSIX = 2,
} aclrtMemHandleType;
typedef enum aclrtMemGranularityOptions {
  ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
  ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF,
} aclrtMemGranularityOptions;
typedef struct aclrtPhysicalMemProp {
  aclrtMemHandleType handleType;
  aclrtMemAllocationType allocationType;
  aclrtMemAttr memAttr;
  aclrtMemLocation location;
  uint64_t reserve;
} aclrtPhysicalMemProp;
typedef enum {
  ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,
  ACL_RT_MEM_ACCESS_FLAGS_READ = 1,
  ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3,
} aclrtMemAccessFlags;
typedef struct {
  aclrtMemAccessFlags flags;
  aclrtMemLocation location;
  uint8_t rsv[12];
} aclrtMemAccessDesc;

// Memory shared between processes, servers and devices.
typedef enum aclrtMemSharedHandleType {
  ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
  ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2,
} aclrtMemSharedHandleType;
typedef struct aclrtMemFabricHandle {
  uint8_t data[128];
} aclrtMemFabricHandle;
typedef struct {
  uint32_t sdid;
  int32_t* pid;
  size_t num;
} aclrtServerPid;
typedef enum {
  ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0,
} aclrtIpcMemAttrType;
typedef enum {
  ACL_RT_MEM_ACCESS_LINK_SIO = 0,
  ACL_RT_MEM_ACCESS_LINK_HCCS = 1,
  ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,
  ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3,
} aclrtMemLinkType;

// Managed memory, which moves to where it is used: advice, places, and what can be asked.
typedef enum aclrtMemManagedAdviseType {
  ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,
  ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,
  ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
  ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
  ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
  ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5,
} aclrtMemManagedAdviseType;
typedef enum aclrtMemManagedLocationType {
  ACL_MEM_LOCATIONTYPE_INVALID = 0,
  ACL_MEM_LOCATIONTYPE_DEVICE = 1,
  ACL_MEM_LOCATIONTYPE_HOST = 2,
  ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,
  ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4,
} aclrtMemManagedLocationType;
typedef struct aclrtMemManagedLocation {
  aclrtMemManagedLocationType type;
  int32_t id;
} aclrtMemManagedLocation;
typedef enum aclrtMemManagedRangeAttribute {
  ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
  ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
} aclrtMemManagedRangeAttribute;

// Where one part of a batch of copies goes from and to.
typedef struct {
  aclrtMemLocation dstLoc;
  aclrtMemLocation srcLoc;
  uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

// Work on the caches of the device, and barriers for it.
typedef enum aclrtCmoType {
  ACL_RT_CMO_TYPE_PREFETCH = 0,
  ACL_RT_CMO_TYPE_WRITEBACK = 1,
  ACL_RT_CMO_TYPE_INVALID = 2,
  ACL_RT_CMO_TYPE_FLUSH = 3,
} aclrtCmoType;
typedef struct {
  aclrtCmoType cmoType;
  uint32_t barrierId;
} aclrtBarrierCmoInfo;
typedef struct {
  size_t barrierNum;
  aclrtBarrierCmoInfo cmoInfo[ACL_RT_CMO_MAX_BARRIER_NUM];
} aclrtBarrierTaskInfo;

// What a reduction in memory computes.
typedef enum {
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13,
} aclrtReduceKind;

// ---- Types: kernels ----

// How a binary is loaded.
typedef enum aclrtBinaryLoadOptionType {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,  // older name of the next
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
} aclrtBinaryLoadOptionType;
typedef union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad;    // 1 copies it to the device at the first use
  uint32_t magic;         // ACL_RT_BINARY_MAGIC_...
  int32_t cpuKernelMode;  // 0 to 2
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;
typedef struct {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;
typedef struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption* options;
  size_t numOpt;
} aclrtBinaryLoadOptions;

// What can be asked about a kernel function.
typedef enum {
  ACL_FUNC_ATTR_KERNEL_TYPE = 1,
  ACL_FUNC_ATTR_KERNEL_RATIO = 2,
  ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3,
} aclrtFuncAttribute;
typedef enum {
  ACL_KERNEL_TYPE_AICORE = 0,
  ACL_KERNEL_TYPE_CUBE = 1,
  ACL_KERNEL_TYPE_VECTOR = 2,
  ACL_KERNEL_TYPE_MIX = 3,
  ACL_KERNEL_TYPE_AICPU = 100,
} aclrtKernelType;

// The shape of a SIMT grid or block.
typedef struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
} dim3;

// How one launch differs from the usual one.
typedef enum {
  ACL_RT_ENGINE_TYPE_AIC = 0,
  ACL_RT_ENGINE_TYPE_AIV = 1,
} aclrtEngineType;
typedef enum aclrtLaunchKernelAttrId {
  ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
  ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE ACL_DEPRECATED = 2,  // older name of the next
  ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
  ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,  // not together with TIMEOUT_US
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9,
} aclrtLaunchKernelAttrId;
typedef struct {
  uint32_t timeoutLow;
  uint32_t timeoutHigh;
} aclrtTimeoutUs;
typedef union aclrtLaunchKernelAttrValue {
  uint8_t schemMode;         // 0 starts when one core is free, 1 when cores for all blocks are
  uint32_t localMemorySize;  // older name of the next
  uint32_t dynUBufSize;      // bytes
  aclrtEngineType engineType;
  uint32_t blockDimOffset;
  uint8_t isBlockTaskPrefetch;
  uint8_t isDataDump;
  uint16_t timeout;          // seconds, 0 for ever
  aclrtTimeoutUs timeoutUs;  // microseconds, 0 for ever
  uint8_t enableProfiling;
  uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;
typedef struct aclrtLaunchKernelAttr {
  aclrtLaunchKernelAttrId id;
  aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;
typedef struct aclrtLaunchKernelCfg {
  aclrtLaunchKernelAttr* attrs;
  size_t numAttrs;
} aclrtLaunchKernelCfg;

// An argument that points to data within the same argument buffer; both offsets are bytes from its start.
typedef struct {
  uint32_t addrOffset;  // where the pointer is
  uint32_t dataOffset;  // where the data it points to begins
} aclrtPlaceHolderInfo;

// Random numbers as a task. A parameter is a value, or the device address of one.
typedef enum {
  ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3,
} aclrtRandomNumFuncType;
typedef struct {
  uint8_t isAddr;
  uint8_t valueOrAddr[8];
  uint8_t size;
  uint8_t rsv[6];
} aclrtRandomParaInfo;
typedef struct {
  aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;
typedef struct {
  aclrtRandomParaInfo min;
  aclrtRandomParaInfo max;
} aclrtUniformDisInfo;
typedef struct {
  aclrtRandomParaInfo mean;
  aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;
typedef struct {
  aclrtRandomNumFuncType funcType;
  union {
    aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
    aclrtUniformDisInfo uniformDisInfo;
    aclrtNormalDisInfo normalDisInfo;
  } paramInfo;
} aclrtRandomNumFuncParaInfo;
typedef struct {
  aclDataType dataType;
  aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
  void* randomParaAddr;
  void* randomResultAddr;
  void* randomCounterAddr;
  aclrtRandomParaInfo randomSeed;
  aclrtRandomParaInfo randomNum;
  uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

// Changes to a task that was submitted.
typedef enum {
  ACL_RT_UPDATE_RANDOM_TASK = 1,
  ACL_RT_UPDATE_AIC_AIV_TASK = 2,
} aclrtUpdateTaskAttrId;
typedef struct {
  void* srcAddr;
  size_t size;
  uint32_t rsv[4];
} aclrtRandomTaskUpdateAttr;
typedef struct {
  void* binHandle;
  void* funcEntryAddr;
  void* blockDimAddr;
  uint32_t rsv[4];
} aclrtAicAivTaskUpdateAttr;
typedef union {
  aclrtRandomTaskUpdateAttr randomTaskAttr;
  aclrtAicAivTaskUpdateAttr aicAivTaskAttr;
} aclrtUpdateTaskAttrVal;
typedef struct {
  aclrtUpdateTaskAttrId id;
  aclrtUpdateTaskAttrVal val;
} aclrtTaskUpdateInfo;

// ---- Types: models ----

// Comparisons that choose the stream to go on with.
typedef enum {
  ACL_RT_EQUAL = 0,
  ACL_RT_NOT_EQUAL = 1,
  ACL_RT_GREATER = 2,
  ACL_RT_GREATER_OR_EQUAL = 3,
  ACL_RT_LESS = 4,
  ACL_RT_LESS_OR_EQUAL = 5,
} aclrtCondition;
typedef enum {
  ACL_RT_SWITCH_INT32 = 0,
  ACL_RT_SWITCH_INT64 = 1,
} aclrtCompareDataType;

// Which calls of the program a capture refuses, and how a capture stands.
typedef enum {
  ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,        // unsafe calls of any thread
  ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,  // unsafe calls of the capturing thread
  ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,       // none
} aclmdlRICaptureMode;
typedef enum {
  ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
  ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
  ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
} aclmdlRICaptureStatus;

// Branches and loops.
typedef enum {
  ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1,
} aclmdlRICondHandleFlag;
typedef enum {
  ACL_MODEL_RI_COND_TYPE_IF = 0,
  ACL_MODEL_RI_COND_TYPE_WHILE = 1,
  ACL_MODEL_RI_COND_TYPE_SWITCH = 2,
} aclmdlRICondTaskType;
typedef struct tagAclmdlRICondTaskParams {
  aclmdlRICondHandle handle;
  aclmdlRICondTaskType type;
  uint32_t size;
  aclmdlRI* modelRIArray;
} aclmdlRICondTaskParams;

// The tasks of a model, and the parameters of each kind.
typedef enum aclmdlRITaskType {
  ACL_MODEL_RI_TASK_DEFAULT = 0,
  ACL_MODEL_RI_TASK_KERNEL = 1,
  ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
  ACL_MODEL_RI_TASK_EVENT_WAIT = 3,
  ACL_MODEL_RI_TASK_EVENT_RESET = 4,
  ACL_MODEL_RI_TASK_VALUE_WRITE = 5,
  ACL_MODEL_RI_TASK_VALUE_WAIT = 6,
} aclmdlRITaskType;
typedef struct aclmdlRIKernelTaskParams {
  aclrtFuncHandle funcHandle;
  aclrtLaunchKernelCfg* cfg;
  void* args;
  uint32_t isHostArgs;
  size_t argsSize;
  uint32_t numBlocks;
  uint32_t rsv[10];
} aclmdlRIKernelTaskParams;
typedef struct aclmdlRIEventRecordTaskParams {
  aclrtEvent event;
  uint32_t eventFlag;
  uint32_t recordFlag;
} aclmdlRIEventRecordTaskParams;
typedef struct aclmdlRIEventWaitTaskParams {
  aclrtEvent event;
  uint32_t eventFlag;
  uint32_t waitFlag;
} aclmdlRIEventWaitTaskParams;
typedef struct aclmdlRIEventResetTaskParams {
  aclrtEvent event;
  uint32_t eventFlag;
  uint32_t resetFlag;
} aclmdlRIEventResetTaskParams;
typedef struct aclmdlRIValueWriteTaskParams {
  void* devAddr;
  uint64_t value;
} aclmdlRIValueWriteTaskParams;
typedef struct aclmdlRIValueWaitTaskParams {
  void* devAddr;
  uint64_t value;
  uint32_t flag;
} aclmdlRIValueWaitTaskParams;
typedef struct aclmdlRITaskParams {
  aclmdlRITaskType type;
  uint32_t rsv0[3];
  aclrtTaskGrp taskGrp;
  void* opInfoPtr;
  size_t opInfoSize;
  uint8_t rsv1[32];
  union {
    uint8_t rsv2[128];
    struct aclmdlRIKernelTaskParams kernelTaskParams;
    struct aclmdlRIEventRecordTaskParams eventRecordTaskParams;
    struct aclmdlRIEventWaitTaskParams eventWaitTaskParams;
    struct aclmdlRIEventResetTaskParams eventResetTaskParams;
    struct aclmdlRIValueWriteTaskParams valueWriteTaskParams;
    struct aclmdlRIValueWaitTaskParams valueWaitTaskParams;
  };
} aclmdlRITaskParams;

// ---- Types: errors ----

// Whose last error is meant.
typedef enum aclrtLastErrLevel {
  ACL_RT_THREAD_LEVEL = 0,
} aclrtLastErrLevel;

// What broke, as far as the device knows, and the ranges of memory that were hit.
typedef enum {
  ACL_RT_NO_ERROR = 0,
  ACL_RT_ERROR_MEMORY = 1,
  ACL_RT_ERROR_L2 = 2,
  ACL_RT_ERROR_AICORE = 3,
  ACL_RT_ERROR_LINK = 4,
  ACL_RT_ERROR_L3_PORT = 5,
  ACL_RT_ERROR_OTHERS = 0xFFFF,
} aclrtErrorType;
typedef enum aclrtAicoreErrorType {
  ACL_RT_AICORE_ERROR_UNKNOWN = 0,
  ACL_RT_AICORE_ERROR_SW = 1,
  ACL_RT_AICORE_ERROR_HW_LOCAL = 2,
} aclrtAicoreErrorType;
typedef struct aclrtMemUceInfo {
  void* addr;
  size_t len;  // bytes
  size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;
typedef struct {
  size_t arraySize;
  aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;
typedef union aclrtErrorInfoDetail {
  aclrtMemUceInfoArray uceInfo;
  aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;
typedef struct aclrtErrorInfo {
  uint8_t tryRepair;
  uint8_t hasDetail;
  uint8_t reserved[2];
  aclrtErrorType errorType;
  aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

// Functions called when a task fails; they may run in several threads at once.
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo* exceptionInfo);
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo* exceptionInfo, void* userData);

// ---- Start and end ----

// Starts AscendCL in this process, with the JSON file at `configPath`; NULL, or a file that holds {}, means the
// defaults. Calls are counted, and only the first one's configuration takes effect. What it configures and is not built
// is told by aclGetRecentErrMsg and in the log. What a registered callback returns other than 0 is returned.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a value in the file is out of its range, it nests more than 10 deep, or it
//     differs from the one in effect
//   100002 ACL_ERROR_REPEAT_INITIALIZE: it was started before and is counted once more; programs may ignore this
//   100003 ACL_ERROR_INVALID_FILE: the file is missing, cannot be read or is no regular file, or its
//     acl_graph.event_mode is not 0 or 1
//   100005 ACL_ERROR_INVALID_FILE_SIZE: the file has more than 10 MiB
//   100006 ACL_ERROR_PARSE_FILE: the file is not well-formed JSON
//   100009 ACL_ERROR_INVALID_DUMP_CONFIG: its object "dump" is wrong
//   100010 ACL_ERROR_INVALID_PROFILING_CONFIG: its object "profiler" is wrong
//   107000 ACL_ERROR_RT_PARAM_INVALID: in a callback or host function
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: the default device it names does not exist
//   148048 ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG: max_opqueue_num is not a number
//   500001 ACL_ERROR_FAILURE: the default device it names is not a number from 0
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);

// Ends AscendCL, however often it was started. aclInit may start it again, with another configuration. What a
// registered callback returns other than 0 is returned, and AscendCL has ended all the same.
// Synchronous. Thread-safe. Not for use in destructors of static objects.
// Returns 0 ACL_SUCCESS, or
//   100037 ACL_ERROR_REPEAT_FINALIZE: it is not started
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

// Takes one start back, and ends AscendCL with the last one. `refCount`, which may be NULL, receives how many are
// left.
// Synchronous. Thread-safe. Not for use in destructors of static objects.
// Returns 0 ACL_SUCCESS, or
//   100037 ACL_ERROR_REPEAT_FINALIZE: it is not started; `*refCount` is then 0
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);

// The version of this interface, as in ACL_MAJOR_VERSION and its two fellows.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL
ACL_FUNC_VISIBILITY ACL_DEPRECATED aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion,
                                                            int32_t* patchVersion);

// Where the program runs; always ACL_HOST here.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `runMode` is NULL
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode* runMode);

// The version of a package of CANN: the release whose interface these headers describe. Here are ACL_PKG_NAME_CANN,
// ACL_PKG_NAME_RUNTIME and ACL_PKG_NAME_DRIVER.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `version` is NULL, or there is no such package
//   100003 ACL_ERROR_INVALID_FILE: the package is not here
ACL_FUNC_VISIBILITY ACL_DEPRECATED aclError aclsysGetCANNVersion(aclCANNPackageName name,
                                                                 aclCANNPackageVersion* version);

// The version of the package named `pkgName` (cann, runtime or driver) as a text such as "9.0.0". `versionStr` has room
// for ACL_PKG_VERSION_MAX_SIZE bytes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   100003 ACL_ERROR_INVALID_FILE: the package is not here
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char* pkgName, char* versionStr);

// The version of the package named `pkgName` (cann, runtime or driver) as a number that grows with it: 10 000 000 for
// each step of the first part, 100 000 of the second and 1000 of the third.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   100003 ACL_ERROR_INVALID_FILE: the package is not here
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum);

// Has aclInit call `cbFunc` with the text of the configuration file ("{}" without one), its bytes, and `userData`, in
// the order of registration; when AscendCL is started already, this function calls it. What it returns other than 0 is
// the code of aclInit, which then starts nothing, or of this function, which then registers nothing. It may use
// devices, but neither start nor end AscendCL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, what the function returns, or
//   100000 ACL_ERROR_INVALID_PARAM: there is no such type, `cbFunc` is NULL, or it is registered for the type already
//   107000 ACL_ERROR_RT_PARAM_INVALID: in a callback or host function
ACL_FUNC_VISIBILITY aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
                                                     void* userData);

// Takes back what aclInitCallbackRegister registered with this type and function.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: there is no such type, `cbFunc` is NULL, or it is not registered for the type
//   107000 ACL_ERROR_RT_PARAM_INVALID: in a callback or host function
ACL_FUNC_VISIBILITY aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);

// Has the end of AscendCL call `cbFunc` with `userData` before the devices are reset, the function registered last
// first. What it returns other than 0 is the code of aclFinalize or aclFinalizeReference; the first such code counts,
// and AscendCL ends all the same.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: there is no such type, `cbFunc` is NULL, or it is registered for the type already
//   107000 ACL_ERROR_RT_PARAM_INVALID: in a callback or host function
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                                         void* userData);

// Takes back what aclFinalizeCallbackRegister registered with this type and function.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: there is no such type, `cbFunc` is NULL, or it is not registered for the type
//   107000 ACL_ERROR_RT_PARAM_INVALID: in a callback or host function
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                                           aclFinalizeCallbackFunc cbFunc);

// Whether the configured part runs operators that were compiled for the one named `socVersion`: `*canCompatible` is 1
// when both are of one architecture, such as Ascend910B1 and Ascend910B3, else 0, also for a name that is not known.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL
ACL_FUNC_VISIBILITY aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible);

// ---- Devices ----

// How many devices this process can see.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `count` is NULL
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t* count);

// Makes a device, from 0 to count - 1, the calling thread's, and its default context the current one, and counts a
// use of it. The first use in a process starts the device and makes its default context, which all threads share.
// Synchronous. Thread-safe; only the calling thread changes its device.
// Returns 0 ACL_SUCCESS, or
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
//   207004 ACL_ERROR_RT_NO_DEVICE: the device cannot be used
//   507033 ACL_ERROR_RT_DEV_SETUP_ERROR: the device could not be started
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

// Takes one use of a device back. With the last one its default context and the streams in that end, its memory is
// freed, and the device stops. What the program made itself should be destroyed before: events and streams, then
// contexts.
// Synchronous: the last use waits for the work of the default context. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id, or it is not in use
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

// As aclrtResetDevice, but ends all uses at once. This also brings an abnormal device back.
// Synchronous: waits for the work of the default context, unless the device is abnormal. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id, or it is not in use
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

// The calling thread's device.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `deviceId` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no device
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t* deviceId);

// Waits until every stream of the current context is idle, persistent and device-only ones excepted.
// Synchronous; a wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107027 ACL_ERROR_RT_STREAM_CAPTURED: one of the streams is being captured
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

// As aclrtSynchronizeDevice, for at most `timeout` milliseconds; -1 is for ever. The work goes on after the time is
// over.
// Synchronous; a wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `timeout` is 0 or below -1
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107027 ACL_ERROR_RT_STREAM_CAPTURED: one of the streams is being captured
//   507046 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: the time is over
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

// Whether a device works or a fault has made it abnormal.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `deviceStatus` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus);

// The last and the first priority of a stream, 7 and 0: the smaller number goes first.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority);

// Chooses the scheduler that serves the calling thread's work. No part has one of its own for vector cores, so that the
// choice changes nothing.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `tsId` is neither ACL_TS_ID_AICORE nor ACL_TS_ID_AIVECTOR
ACL_FUNC_VISIBILITY aclError aclrtSetTsDevice(aclrtTsId tsId);

// How much of the time since the last question, or since the device was set, it has worked on tasks, in percent. One
// kind of core runs all kernels, so the figures for cube and vector cores are the same; that of memory is always -1. 0
// for a device that is not set.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `utilizationInfo` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo);

// Chooses the group of cores that later work of the thread's current context runs on. Only on parts whose control CPU
// runs the program.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107014 ACL_ERROR_RT_GROUP_NOT_CREATE: there is no such group
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the device has no groups
ACL_FUNC_VISIBILITY aclError aclrtSetGroup(int32_t groupId);

// The number of groups the cores of the device are divided into.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `count` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the device has no groups
ACL_FUNC_VISIBILITY aclError aclrtGetGroupCount(uint32_t* count);

// Makes room for what aclrtGetAllGroupInfo tells. Returns NULL when the device has no groups.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY aclrtGroupInfo* aclrtCreateGroupInfo(void);

// Destroys what aclrtCreateGroupInfo made.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `groupInfo` is NULL
ACL_FUNC_VISIBILITY aclError aclrtDestroyGroupInfo(aclrtGroupInfo* groupInfo);

// Reads what is known of all groups.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `groupInfo` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the device has no groups
ACL_FUNC_VISIBILITY aclError aclrtGetAllGroupInfo(aclrtGroupInfo* groupInfo);

// Writes one attribute of one group, an int, to `attrValue`, of `valueLen` bytes, and how many it took. `groupIndex`
// counts from 0; -1 stands for the whole device.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `attr` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: `valueLen` is too small
//   107014 ACL_ERROR_RT_GROUP_NOT_CREATE: there is no such group
ACL_FUNC_VISIBILITY aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo* groupInfo, int32_t groupIndex,
                                                     aclrtGroupAttr attr, void* attrValue, size_t valueLen,
                                                     size_t* paramRetSize);

// Whether one device can reach the memory of another: 1 or 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `canAccessPeer` is NULL, or the devices are the same
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId);

// Lets the current device reach the memory of another, in this direction only and for all contexts of the device. It
// may be enabled already. The reset of the current device ends it. `flags` is reserved: 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `peerDeviceId` is the current device
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   200006 ACL_ERROR_FEATURE_UNSUPPORTED: `flags` is not 0
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part has no such access
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

// Takes back what aclrtDeviceEnablePeerAccess gave.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `peerDeviceId` is the current device
//   107000 ACL_ERROR_RT_PARAM_INVALID: the access is not enabled
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

// A figure of a device, which need not be set. The figures for SIMT kernels are 0 on parts without them.
// ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE is in bytes, as ACL_DEV_ATTR_L2_CACHE_SIZE.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no attribute `attr`
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part does not have what is asked for, such as a place in a super pod
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value);

// Whether a device has a feature: 1 or 0. It has neither of the two that can be asked for.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no feature `devFeatureType`
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType,
                                                      int32_t* value);

// The identity of a device: the same in every process of a machine, and another one for each device of each machine.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `uuid` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid);

// Sets a limit for all devices, in bytes. It takes effect when a device is set that is not in use. What kernels print
// waits for room, so that the sizes of print buffers change nothing.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: there is no limit `limit`, or `value` has more than 32 bits
//   107000 ACL_ERROR_RT_PARAM_INVALID: `value` is out of range, or both stacks of SIMT kernels would be 0
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part has no such limit
ACL_FUNC_VISIBILITY aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value);

// The limit that was set last, or the default, in bytes, whether it is in effect yet or not.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL, or there is no limit `limit`
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part has no such limit
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value);

// The address of a device on the PCI bus, as text of the form dddd:bb:dd.f. `len` is the size of the buffer, at least
// 13.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `pciBusId` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `len` is too small
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part is not on the PCI bus
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len);

// The device at an address on the PCI bus, in the form that aclrtDeviceGetPCIBusId gives; the case of letters does not
// matter.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `pciBusId` does not have the form
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device that the process sees at that address
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part is not on the PCI bus
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId);

// Which of `count` operations a device performs atomically in host memory, as bits of aclrtAtomicOperationCapability.
// Only plain copies reach host memory, so that all are 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `count` is 0, or one of `operations` is none
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t* capabilities,
                                                                  const aclrtAtomicOperation* operations,
                                                                  const uint32_t count, int32_t deviceId);

// As aclrtDeviceGetHostAtomicCapabilities, for the memory of another device. Only plain copies reach it, so that all
// are 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `count` is 0, or one of `operations` is none
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t* capabilities,
                                                                 const aclrtAtomicOperation* operations,
                                                                 const uint32_t count, int32_t srcDeviceId,
                                                                 int32_t dstDeviceId);

// How many cores of a kind the process wants to use on a device: what was set, else all that the hardware has. Launches
// are not cut to it; who launches asks for it and chooses the number of blocks.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no kind `type`
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value);

// Sets how many cores of a kind the process wants to use on a device, from 1 to what the hardware has.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no kind `type`, or `value` is out of range
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);

// Goes back to all cores of the hardware, for both kinds.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

// How many cores of a kind work on a stream wants to use: what was set for it, else for its device. NULL is the default
// stream.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no kind `type`
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream is of another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or never was one
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value);

// Sets how many cores of a kind work on a stream wants to use, from 1 to what the hardware has. NULL is the default
// stream.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no kind `type`, or `value` is out of range
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream is of another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or never was one
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);

// Goes back to the limits of the device, for both kinds. NULL is the default stream.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream is of another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or never was one
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

// Makes the limits of a stream those that aclrtGetResInCurrentThread gives in the calling thread, until it unuses them,
// uses those of another stream, or the stream is destroyed. NULL is the default stream.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream is of another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or never was one
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

// Ends aclrtUseStreamResInCurrentThread.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: the thread does not use the limits of this stream
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream is of another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or never was one
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

// How many cores of a kind the calling thread should use: what was set for the stream whose limits it uses, else for
// the current device, else all that the hardware has.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no kind `type`
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value);

// How two devices are connected, as one of ACL_RT_DEVS_TOPOLOGY_*.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the devices are the same
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part is a single device
ACL_FUNC_VISIBILITY aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value);

// The number of a device in the system by the number that the process uses. They differ when ASCEND_RT_VISIBLE_DEVICES
// chooses devices.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `logicDevId` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId);

// The inverse of aclrtGetLogicDevIdByUserDevId.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `userDevid` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device that the process sees with that id
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid);

// The number that the process uses by the physical one. The name is a known mistake; aclrtGetUserDevIdByPhyDevId does
// the same.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `logicDevId` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device that the process sees with that id
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId);

// The physical number of a device by the number that the process uses. The name is a known mistake;
// aclrtGetPhyDevIdByUserDevId does the same.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `phyDevId` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId);

// The number that the process uses by the physical one.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `userDevId` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device that the process sees with that id
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId);

// The physical number of a device by the number that the process uses.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `phyDevId` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId);

// Whether access from one device to the memory of another is enabled: 1 or 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `status` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no device with one of the ids
ACL_FUNC_VISIBILITY aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status);

// ---- Contexts ----

// Makes a context on a device, with a default stream of its own, and makes it current for the calling thread.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `context` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
//   207004 ACL_ERROR_RT_NO_DEVICE: the device cannot be used
//   207005 ACL_ERROR_RT_RESOURCE_ALLOC_FAIL: the device has no stream left
//   507033 ACL_ERROR_RT_DEV_SETUP_ERROR: the device could not be started
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);

// Destroys a context made by aclrtCreateContext, with its streams. Threads in which it is current get 107002 from
// then on.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: the context is NULL or the default context of a device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed before, or is no context
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

// Makes a context current for the calling thread, and its device the thread's device.
// Synchronous. Thread-safe; only the calling thread changes.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `context` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the device of the context was reset
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no context
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

// The context set last, or the default context of the thread's device.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `context` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext* context);

// The default stream of the current context, the one that NULL stands for. It cannot be destroyed.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `stream` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream);

// Whether the default context of a device is there: `*active` is 1 or 0. `flags` is reserved and must be NULL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `flags` is not NULL, or `active` is
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active);

// The option as it was set in the calling thread's context.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no such option
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the calling thread has no context
//   107021 ACL_ERROR_RT_SYSPARAMOPT_NOT_SET: it was never set in this context
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

// Sets an option of the calling thread's context, for the libraries that make operators: 0 to 3 for
// ACL_OPT_DETERMINISTIC, 0 or 1 for the others. The last call counts; kernels here do not depend on it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no such option, or the value is out of its range
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the calling thread has no context
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);

// The option as it was set for the process; 0 when it never was.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no such option
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

// As aclrtCtxSetSysParamOpt, for the process. Neither changes what the other has set.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no such option, or the value is out of its range
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

// ---- Streams ----

// Makes a stream in the current context, of priority 0 and without flags. Its resources are taken at its first use.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `stream` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207005 ACL_ERROR_RT_RESOURCE_ALLOC_FAIL: the device has no stream left
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream* stream);

// Makes a stream in the current context. `priority` runs from 0, first, to 7, last; greater numbers count as 7. It
// decides which waiting task starts next, and stops none that runs. `flag` is a combination of ACL_STREAM_...;
// unknown bits have no effect.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `stream` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the flags exclude each other
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207005 ACL_ERROR_RT_RESOURCE_ALLOC_FAIL: the device has no stream left
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);

// Destroys a stream when everything queued on it has run.
// Synchronous: waits for the work of the stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: the stream is NULL or a default stream
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: it belongs to another context
//   107005 ACL_ERROR_RT_STREAM_MODEL: it is bound to a model
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed before, or is no stream
//   107027 ACL_ERROR_RT_STREAM_CAPTURED: it is being captured
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

// Destroys a stream at once. What is queued on it is dropped, and a kernel that runs is stopped; a warning in the log
// says how much it was.
// Synchronous; waits for nothing but a host function that is running. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: the stream is NULL or a default stream
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: it belongs to another context
//   107005 ACL_ERROR_RT_STREAM_MODEL: it is bound to a model
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed before, or is no stream
//   107027 ACL_ERROR_RT_STREAM_CAPTURED: it is being captured
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

// Waits until all that was queued on the stream has run, and returns the first failure in it. Reporting a failure
// clears it, except after ACL_STOP_ON_FAILURE. Returns at once for persistent and device-only streams.
// Synchronous; a wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   107023 ACL_ERROR_RT_STREAM_ABORT: it was aborted meanwhile
//   107027 ACL_ERROR_RT_STREAM_CAPTURED: it is being captured, and the capture is now invalid
//   507005 ACL_ERROR_RT_END_OF_SEQUENCE: the data a task was reading came to its end, which is no fault
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

// As aclrtSynchronizeStream, for at most `timeout` milliseconds; -1 is for ever. The work goes on after the time is
// over.
// Synchronous; a wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `timeout` is 0 or below -1
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   107023 ACL_ERROR_RT_STREAM_ABORT: it was aborted meanwhile
//   107027 ACL_ERROR_RT_STREAM_CAPTURED: it is being captured, and the capture is now invalid
//   507005 ACL_ERROR_RT_END_OF_SEQUENCE: the data a task was reading came to its end, which is no fault
//   507046 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: the time is over
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

// Whether the stream is idle. After a failure in it, returns the code of that failure. Says nothing useful about
// persistent and device-only streams.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `status` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   107027 ACL_ERROR_RT_STREAM_CAPTURED: it is being captured, and the capture is now invalid
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);

// The number of a stream, as error messages give it; that of the default stream for NULL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `streamId` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId);

// The priority of a stream, from 0, first, to 7, last.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `priority` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority);

// The flags a stream was made with.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `flags` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags);

// What happens when a task fails: ACL_CONTINUE_ON_FAILURE, as in a new stream, or ACL_STOP_ON_FAILURE, which switches
// the whole context of the stream. Once per stream, also after work was queued on it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `mode` is neither of the two, or the mode of this stream was set before
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

// How many more streams can be made on the thread's device.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `streamCount` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t* streamCount);

// Stops the running task of a stream and drops the queued ones. The stream can be used again afterwards. Streams that
// wait for events recorded behind the abort have to be aborted as well. Threads that wait for the stream get 107023.
// Synchronous: returns when the stream is empty. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107005 ACL_ERROR_RT_STREAM_MODEL: it is bound to a model
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

// The number of the last task that the calling thread queued on a stream it made; 16 bits, then from 0 again.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `taskId` is NULL, or the thread has queued none
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t* taskId);

// Makes a description of a stream to be made: no flags, priority 0. aclrtDestroyStreamConfigHandle frees it.
// Synchronous. Thread-safe.
// Returns the description, or NULL when host memory is exhausted.
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void);

// Frees a description of a stream. Streams made with it stay.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `handle` is NULL
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle);

// Sets one option of a description: ACL_RT_STREAM_FLAG (size_t, ACL_STREAM_...), ACL_RT_STREAM_PRIORITY (uint32_t, 0
// the highest to 7), ACL_RT_STREAM_WORK_ADDR_PTR (void*) and ACL_RT_STREAM_WORK_SIZE (size_t), which are kept and have
// no effect. `valueSize` is the size of the value in bytes.
// Synchronous. Two threads may not change one description at the same time.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `handle` or `attrValue` is NULL, there is no such option, the size is not that
//     of the option, or the priority is above 7
ACL_FUNC_VISIBILITY aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr,
                                                     const void* attrValue, size_t valueSize);

// Makes a stream as described, in the current context. See aclrtCreateStreamWithConfig.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `stream` or `handle` is NULL, or the flags exclude each other
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207005 ACL_ERROR_RT_RESOURCE_ALLOC_FAIL: the device has no stream left
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle);

// Changes a stream: ACL_STREAM_ATTR_FAILURE_MODE as aclrtSetStreamFailureMode does;
// ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK (0 or 1) as aclrtSetStreamOverflowSwitch does; ACL_STREAM_ATTR_USER_CUSTOM_TAG,
// the group of streams that share an overflow status (0: the one of all streams without a tag);
// ACL_STREAM_ATTR_CACHE_OP_INFO (0 or 1), for captures; ACL_STREAM_ATTR_PRIORITY (0 the highest to 7), from the next
// task on. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no such attribute, the value is out of range, or the failure mode was
//     set before
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no memory for the overflow status
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue* value);

// Reads what aclrtSetStreamAttribute sets.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `value` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no such attribute
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue* value);

// Ends the running task of a stream and keeps the queued ones from running. Nothing is dropped: aclrtStreamAbort does
// that, and makes the stream usable again; aclrtDestroyStream and aclrtDestroyStreamForce end it. Until then
// submissions and waits that begin are refused with 107023; threads that wait already go on waiting. Synchronous:
// returns when no task of the stream runs. Thread-safe. Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `stream` is NULL or a default stream
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtStreamStop(aclrtStream stream);

// ---- Events ----

// Makes an event of the default kind, in the current context: streams can wait for it and it keeps a time stamp. The
// device gives it a number when it is recorded. It may be recorded again.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207007 ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent* event);

// Makes an event of the flagged kind, in the current context. `flag` is a combination of ACL_EVENT_..., without
// ACL_EVENT_IPC; ACL_EVENT_EXTERNAL stands alone. The event takes its number at once. With ACL_EVENT_SYNC or
// ACL_EVENT_EXTERNAL streams may wait for it, also before it is recorded, and it needs aclrtResetEvent before it is
// used for synchronisation again. With ACL_EVENT_DEVICE_USE_ONLY the host neither asks nor waits for it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL, or `flag` is 0, has unknown bits, or bits that exclude each
//     other
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the device does not know a flag
//   207007 ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);

// Makes an event of the extended kind, the one to prefer, in the current context. `flag` is a combination of
// ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS and ACL_EVENT_TIME_LINE, or ACL_EVENT_IPC alone. Each record
// replaces the one before, and before the first one the event counts as complete. Not for aclrtResetEvent and
// aclrtQueryEvent.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL, or `flag` is 0, has unknown bits, or bits that exclude each
//     other
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the device does not know a flag
//   207007 ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);

// Destroys an event. What it holds on the device is given back when the event is complete.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed before, or is no event
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

// Queues a task that completes the event when all that was queued on the stream before has run. A wait that is
// already queued keeps the record it was queued after.
// Asynchronous; a submission. May block until the device has a number for the event. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the event to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event or the stream was destroyed, or is none
//   207007 ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

// Makes the later tasks of a stream wait until the event is complete. No host thread takes part. Does nothing when
// the event is complete already. Before the first record: an extended event counts as complete, a flagged one makes
// the stream wait for the record, one of the default kind is refused. The time-out is the one of
// aclrtSetOpWaitTimeout.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL, lacks ACL_EVENT_SYNC, or is of the default kind and was never
//     recorded
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the event to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event or the stream was destroyed, or is none
//   107024 ACL_ERROR_RT_CAPTURE_DEPENDENCY: the stream is being captured, and the event was not recorded in the same
//     capture
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

// As aclrtStreamWaitEvent, for at most `timeout` seconds of waiting on the device; 0 is for ever. When the time is
// over the wait counts as a failed task, and the next wait for the stream returns 107019 ACL_ERROR_RT_WAIT_TIMEOUT.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `timeout` is negative, or `event` is NULL, lacks ACL_EVENT_SYNC, or is of the
//     default kind and was never recorded
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the event to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event or the stream was destroyed, or is none
//   107024 ACL_ERROR_RT_CAPTURE_DEPENDENCY: the stream is being captured, and the event was not recorded in the same
//     capture
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);

// How many seconds a stream may wait for an event in later aclrtStreamWaitEvent calls; 0, as at the start, is for
// ever.
// Synchronous. Thread-safe; holds for the whole process, and the last call decides.
// Returns 0 ACL_SUCCESS, or
//   100001 ACL_ERROR_UNINITIALIZE: aclInit was not called
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

// Queues a task that makes an event incomplete again, whatever has completed it by the time the task runs. Only for
// events of aclrtCreateEventWithFlag with ACL_EVENT_SYNC or ACL_EVENT_EXTERNAL. A wait that runs after the task is for
// the next record, also when it was queued before; so with several waiting streams, order the reset after all of them.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL or of another kind
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the event to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event or the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

// Whether a recorded event is complete. Beware: ACL_EVENT_STATUS_COMPLETE is 0 here, and the same word is 1 in
// aclrtQueryEventStatus. Not for extended events.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL, or the event is an extended one or has
//     ACL_EVENT_DEVICE_USE_ONLY
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event was destroyed, or is none
ACL_FUNC_VISIBILITY ACL_DEPRECATED_MESSAGE("use aclrtQueryEventStatus") aclError
    aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);

// Whether an event is complete. Before the first record an extended event is, every other one is not.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `status` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL or has ACL_EVENT_DEVICE_USE_ONLY
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status);

// Waits until an event is complete. Returns at once for one that was not recorded. Any context may be current.
// Synchronous; a wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL or has ACL_EVENT_DEVICE_USE_ONLY
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event was destroyed, or is none
//   107023 ACL_ERROR_RT_STREAM_ABORT: the stream it was recorded on was aborted
//   507006 ACL_ERROR_RT_EVENT_NOT_COMPLETE: a stream it depends on had stopped
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

// As aclrtSynchronizeEvent, for at most `timeout` milliseconds; -1 is for ever.
// Synchronous; a wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL or has ACL_EVENT_DEVICE_USE_ONLY, or `timeout` is 0 or
//     below -1
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event was destroyed, or is none
//   107023 ACL_ERROR_RT_STREAM_ABORT: the stream it was recorded on was aborted
//   507006 ACL_ERROR_RT_EVENT_NOT_COMPLETE: a stream it depends on had stopped
//   507047 ACL_ERROR_RT_EVENT_SYNC_TIMEOUT: the time is over
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

// The time between two completed events of the default kind or with ACL_EVENT_TIME_LINE, in milliseconds.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: one of them has ACL_EVENT_DEVICE_USE_ONLY
//   107006 ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID: one of them is not complete or has no time stamp
//   107007 ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL: the end completed before the start
//   107017 ACL_ERROR_RT_INVALID_HANDLE: one of them was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent);

// When an event completed, in microseconds since the device started.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: it has ACL_EVENT_DEVICE_USE_ONLY
//   107006 ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID: it is not complete or has no time stamp
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp);

// The number of an event, which no other event of the process has had. Not for events with ACL_EVENT_IPC.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the event is of the IPC kind
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId);

// As aclrtRecordEvent, with a flag that says how the record belongs to a capture: ACL_EVENT_RECORD_DEFAULT as usual;
// ACL_EVENT_RECORD_EXTERNAL, only on a captured stream and for an event of aclrtCreateEventExWithFlag with
// ACL_EVENT_SYNC, tells those outside of the capture. The first such call for an event, even one that fails, decides
// which of the two it has from then on.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL or not made for the flag, `flag` is unknown, or another one than
//     in the first call
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the event to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event or the stream was destroyed, or is none
//   107029 ACL_ERROR_RT_STREAM_NOT_CAPTURED: the external flag on a stream that is not being captured
//   207007 ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);

// Whether all waits of streams for an event have ended; also when there were none. Not for extended events.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `status` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL, an extended one, or has ACL_EVENT_DEVICE_USE_ONLY
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status);

// As aclrtStreamWaitEvent, for at most `timeout` seconds, 0 being for ever, and with a flag that says how the wait
// belongs to a capture: ACL_EVENT_WAIT_DEFAULT as usual; ACL_EVENT_WAIT_EXTERNAL, only on a captured stream, without a
// time-out, and for an event of aclrtCreateEventExWithFlag with ACL_EVENT_SYNC, waits for what is outside of it.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `event` is NULL, lacks ACL_EVENT_SYNC, or is of the default kind and was never
//     recorded; `flag` is unknown; or the event or the time-out does not fit the external flag
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the event to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the event or the stream was destroyed, or is none
//   107029 ACL_ERROR_RT_STREAM_NOT_CAPTURED: the external flag on a stream that is not being captured
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout,
                                                          uint32_t flag);

// How many more events the device of the current context can have, over all contexts.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `eventCount` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t* eventCount);

// ---- Memory ----

// Allocates `size` bytes, not cleared, on the thread's device, at an address that is a multiple of 64; 32 bytes more
// than asked for are accounted, in multiples of 32. `policy` is a single one; with huge pages whole ones of 2 MiB or
// 1 GiB are accounted, with those of 1 GiB without the 32 bytes. A number that is no policy means huge pages first from
// 2 MiB on, and normal ones below. The host cannot use the address. The memory belongs to the process, not to the
// context, and is freed by aclrtFree or with the reset of the device.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `devPtr` is NULL or `size` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `policy` is more than one
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no such memory left; the message says who holds it
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

// As aclrtMalloc, without the 32 bytes more.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `devPtr` is NULL or `size` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `policy` is more than one
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no such memory left; the message says who holds it
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

// Frees device memory at once; the caller sees to it that no task uses it any more.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `devPtr` is NULL
//   207002 ACL_ERROR_RT_MEMORY_FREE: nothing is allocated at that address, or it was freed before
ACL_FUNC_VISIBILITY aclError aclrtFree(void* devPtr);

// Allocates `size` bytes of pinned host memory, not cleared, at an address that is a multiple of 64. Copies from and
// to it are truly asynchronous on the thread's device. It is freed by aclrtFreeHost or with the reset of the device;
// then its addresses must not be touched any more.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `hostPtr` is NULL or `size` is 0
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the host has no such memory left
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void** hostPtr, size_t size);

// Frees memory of aclrtMallocHost at once; the caller sees to it that no task uses it any more.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `hostPtr` is NULL
//   207002 ACL_ERROR_RT_MEMORY_FREE: nothing is allocated at that address, or it was freed before
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void* hostPtr);

// Free and total bytes of a kind of memory on the thread's device, in whole huge pages where that is the kind; both 0
// for a kind that does not exist. All kinds are the same memory.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total);

// Copies `count` bytes; `destMax` is the room at `dst`. The addresses decide the direction, not `kind`. A copy of 0
// bytes succeeds, whatever the other arguments are. Between two devices it needs access between them.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an address is NULL, or `count` exceeds `destMax`
//   107000 ACL_ERROR_RT_PARAM_INVALID: an address is device memory that is not allocated all through (what the runtime
//     keeps for later allocations counts as allocated), or neither of two devices has access to the other
//     (aclrtDeviceEnablePeerAccess)
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107030 ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT: a stream is being captured, in a mode that refuses this
//   507013 ACL_ERROR_RT_SYS_DMA: not all bytes at an address of the host can be read, or written
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                                         aclrtMemcpyKind kind);

// Queues a copy of `count` bytes; `destMax` is the room at `dst`. A copy of 0 bytes succeeds, whatever the other
// arguments are. Memory that has gone when the copy's turn comes gives 507013 ACL_ERROR_RT_SYS_DMA at the next wait.
// With DEFAULT the addresses decide the direction. INNER_DEVICE_TO_DEVICE stays within one device; the other kinds
// between devices may cross to another, which needs access between them. With HOST_TO_BUF_TO_DEVICE the source may be
// changed when the call returns. Asynchronous for pinned host memory and between devices; with pageable host memory it
// returns when the copy is done, except with HOST_TO_BUF_TO_DEVICE. A submission. Thread-safe. Returns 0 ACL_SUCCESS,
// or
//   100000 ACL_ERROR_INVALID_PARAM: `count` exceeds `destMax`
//   107000 ACL_ERROR_RT_PARAM_INVALID: an address is NULL, does not fit `kind`, or is device memory that is not
//     allocated all through, or neither of two devices has access to the other
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   107041 ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC: it is being captured, and the host memory is pageable
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: both addresses are on the host
//   507013 ACL_ERROR_RT_SYS_DMA: not all bytes at an address of the host can be read, or written
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                                              aclrtMemcpyKind kind, aclrtStream stream);

// Fills `count` bytes, on device or host, with the low byte of `value`; `maxCount` is the room. 0 bytes succeed
// always.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `count` exceeds `maxCount`
//   107000 ACL_ERROR_RT_PARAM_INVALID: `devPtr` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107030 ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT: a stream is being captured, in a mode that refuses this
//   507013 ACL_ERROR_RT_SYS_DMA: the address cannot be written
ACL_FUNC_VISIBILITY aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count);

// Queues what aclrtMemset does.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `count` exceeds `maxCount`
//   107000 ACL_ERROR_RT_PARAM_INVALID: `devPtr` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                                              aclrtStream stream);

// As aclrtMalloc, for memory that the host reads through its cache. Host and device see each other's writes without
// aclrtMemFlush and aclrtMemInvalidate.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `devPtr` is NULL or `size` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `policy` is more than one
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no such memory left; the message says who holds it
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

// As aclrtMalloc, with a policy to which one band width and ACL_MEM_ACCESS_USER_SPACE_READONLY may be added by |. `cfg`
// may be NULL, and says otherwise for which module (33, the application, by default; see aclrtGetMemUsageInfo) and on
// which device, which must be the current one, the memory is.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `devPtr` is NULL or `size` is 0, or `cfg` has attributes, but no array
//   107000 ACL_ERROR_RT_PARAM_INVALID: two band widths, or an attribute that does not exist, is for host memory or
//   names
//     another device
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no such memory left; the message says who holds it
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig* cfg);

// As aclrtMallocWithCfg, for memory that the device's scheduler reads: all device memory is.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `devPtr` is NULL or `size` is 0, or `cfg` has attributes, but no array
//   107000 ACL_ERROR_RT_PARAM_INVALID: two band widths, or an attribute that does not exist, is for host memory or
//   names
//     another device
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no such memory left; the message says who holds it
ACL_FUNC_VISIBILITY aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                                         aclrtMallocConfig* cfg);

// As aclrtMallocHost. `cfg` may be NULL; its attribute VA_FLAG with 1 asks for memory that aclrtHostRegister gives to
// kernels at the same address, which takes whole units of 64 KiB.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `ptr` is NULL or `size` is 0, or `cfg` has attributes, but no array
//   107000 ACL_ERROR_RT_PARAM_INVALID: an attribute does not exist, or has a value that it cannot have
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the host has no such memory left
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg);

// Where an address lies, and the pages of its memory: DEVICE with the device's id in memory of aclrtMalloc and its
// kind, HOST in memory of aclrtMallocHost, else UNREGISTERED, which memory of aclrtHostRegister is, too.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes);

// As aclrtFree, after all that is queued on the device has run.
// Synchronous; waits for all streams of the device, whose failures are told where they are synchronised. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `devPtr` is NULL, or a host function calls it
//   207002 ACL_ERROR_RT_MEMORY_FREE: nothing is allocated at that address, or it was freed before
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void* devPtr);

// As aclrtFreeHost, after all that is queued on the device has run.
// Synchronous; waits for all streams of the device, whose failures are told where they are synchronised. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `hostPtr` is NULL, or a host function calls it
//   207002 ACL_ERROR_RT_MEMORY_FREE: nothing is allocated at that address, or it was freed before
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void* hostPtr);

// How much device memory the modules of the program have, and had at most: at most `inputNum` entries, those with the
// most first; `outputNum` receives how many. "APP" is the application, "MODULE_n" what an attribute called n.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL or `inputNum` is 0
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no such device
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum,
                                                  size_t* outputNum);

// `checkResult` receives 1 when each of the `size` addresses lies in allocated memory of a type of `memType`, a sum of
// ACL_RT_MEM_TYPE values, and 0 when one does not. All device memory has the type DEV.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL, `size` or `memType` is 0, `memType` has unknown bits, or
//     `reserve` is not 0
ACL_FUNC_VISIBILITY aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType, uint32_t* checkResult,
                                               uint32_t reserve);

// ---- Kernels ----

// Loads a kernel binary from the file at an absolute path. `options` may be NULL. LAZY_LOAD reads and checks the file,
// and copies it to the device when a function or variable is asked for. MAGIC says which cores the kernels are for
// whose source names none. CPU_KERNEL_MODE is checked and has no effect on kernels for the AI cores. Synchronous.
// Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `binPath` or `binHandle` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the file is no kernel binary for this runtime, or an option is out of its
//     range
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: device memory is exhausted
//   107009 ACL_ERROR_RT_FILE_OPEN: the file is missing or cannot be read
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options,
                                                     aclrtBinHandle* binHandle);

// Loads a kernel binary of `length` bytes from memory, for the thread's device only. `options` may be NULL.
// Synchronous; `data` may be reused on return. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `data` or `binHandle` is NULL, or `length` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: the data is no kernel binary for this runtime, or an option is out of its
//     range
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(const void* data, size_t length,
                                                     const aclrtBinaryLoadOptions* options, aclrtBinHandle* binHandle);

// Unloads a kernel binary and its functions, in the context that loaded it. Their handles are refused from then on.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `binHandle` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: another context loaded it
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was unloaded before, or is no binary
ACL_FUNC_VISIBILITY aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

// Finds a kernel function by name.
// Synchronous; the first call may copy the binary to the device. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `binHandle`, `kernelName` or `funcHandle` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the binary was unloaded, or is none
//   507027 ACL_ERROR_RT_KERNEL_LOOKUP: it has no function of that name
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName,
                                                    aclrtFuncHandle* funcHandle);

// Writes the name of a kernel function and a zero behind it to `name`, which has room for `maxLen` bytes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `funcHandle` or `name` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `maxLen` is too small
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the binary of the function was unloaded, or it is no function
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char* name);

// Queues a kernel of 1 to 65535 blocks, whose `argsSize` bytes of arguments are at the device address `argsData`. A
// kernel that fails or runs too long gives its code, such as 507014 ACL_ERROR_RT_AICORE_TIMEOUT, at the next wait.
// Asynchronous; a submission. `argsData` is read when the kernel runs. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `funcHandle` or `argsData` is NULL, or `numBlocks` or `argsSize` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `numBlocks` is above 65535, or `argsSize` does not fit the kernel
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function or the stream is stale, or is none
//   107044 ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: the function was loaded on another device
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData,
                                               size_t argsSize, aclrtStream stream);

// As aclrtLaunchKernel, with a finalised argument list. `reserve` must be NULL. `cfg` may be NULL. Of its attributes
// - SCHEM_MODE 1 runs all blocks at once, and is refused when the device has fewer cores than blocks;
// - ENGINE_TYPE and BLOCKDIM_OFFSET say, on Ascend310P3, which cores run the blocks, which decides the code of a
// failure,
//   and the index of the first; other parts do not look at them;
// - TIMEOUT or TIMEOUT_US, one of them, precedes aclrtSetOpExecuteTimeOut, and is rounded as that is;
// - DYN_UBUF_SIZE, BLOCK_TASK_PREFETCH, DATA_DUMP and ENABLE_PROFILING are checked and have no effect.
// Asynchronous; a submission. The arguments are copied by the call. Thread-safe, as long as no other thread changes
// the same argument list.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `funcHandle` or `argsHandle` is NULL, or `numBlocks` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `numBlocks` is above 65535, an attribute is out of its range, the list is not
//     finalised or was made for another function, or `reserve` is not NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function, the list or the stream is stale, or is none
//   107044 ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: the function was loaded on another device
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                         aclrtStream stream, aclrtLaunchKernelCfg* cfg,
                                                         aclrtArgsHandle argsHandle, void* reserve);

// As aclrtLaunchKernel, with `argsSize` bytes of arguments at the host address `hostArgs`. Each of the
// `placeHolderNum` place holders makes a pointer in them point to data in the same bytes. `cfg` may be NULL, and
// `placeHolderArray` where there are none.
// Asynchronous; a submission. The arguments are copied by the call. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `funcHandle` or `hostArgs` is NULL, or `numBlocks` or `argsSize` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `numBlocks` is above 65535, an attribute or an offset is out of its range, or
//     `argsSize` does not fit the kernel
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function or the stream is stale, or is none
//   107044 ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: the function was loaded on another device
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                           aclrtStream stream, aclrtLaunchKernelCfg* cfg,
                                                           void* hostArgs, size_t argsSize,
                                                           aclrtPlaceHolderInfo* placeHolderArray,
                                                           size_t placeHolderNum);

// Begins an argument list for a kernel function. It may hold 128 arguments and may be launched many times. It lasts
// until the kernel's binary is unloaded, as no function destroys one: a program that begins a list for each launch
// needs more and more memory. Such a program uses aclrtKernelArgsInitByUserMem, where a list ends when the next one
// begins at the same `argsHandle`. A process may have 16777216 lists.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function is stale, or is none
//   200000 ACL_ERROR_BAD_ALLOC: there are as many lists as there may be
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle);

// Appends an argument of `paramSize` bytes, in the order of the kernel's declaration. `paramHandle` receives a handle
// to change it later.
// Synchronous; `param` may be reused on return. One thread at a time per list.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL or `paramSize` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: the list is full, or the size is not that of the kernel's parameter
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the list is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize,
                                                   aclrtParamHandle* paramHandle);

// Appends an argument that will point to data kept in the list itself; aclrtKernelArgsGetPlaceHolderBuffer says
// where.
// Synchronous. One thread at a time per list.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the list is full, or the size is not that of the kernel's parameter
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the list is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                                              aclrtParamHandle* paramHandle);

// The host address of the `dataSize` bytes that a place holder points to; the caller fills them. Best below 2 KB, and
// only after all arguments were appended.
// Synchronous. One thread at a time per list.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL or `dataSize` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: the argument is no place holder
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the list or the argument is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                                                 aclrtParamHandle paramHandle, size_t dataSize,
                                                                 void** bufferAddr);

// Gives an argument that was appended a new value. Launches before keep the old one.
// Synchronous; `param` may be reused on return. One thread at a time per list.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL or `paramSize` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `paramSize` differs from the size appended
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the list or the argument is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
                                                       void* param, size_t paramSize);

// Declares an argument list complete, so that it can be launched. It may be updated and finalised again.
// Synchronous. One thread at a time per list.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `argsHandle` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: an argument of the kernel has not been appended
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the list is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

// How many seconds a kernel may run, in later launches; 0 is the longest time there is. The device measures in
// intervals, to which the time is rounded up, and knows at most 254 of them. A kernel that exceeds it gives 507014
// ACL_ERROR_RT_AICORE_TIMEOUT or 507034 ACL_ERROR_RT_VECTOR_CORE_TIMEOUT at the next wait.
// Synchronous. Thread-safe; holds for the whole process, and the last call decides.
// Returns 0 ACL_SUCCESS.
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

// As aclrtSetOpExecuteTimeOut, in milliseconds.
// Synchronous. Thread-safe; holds for the whole process, and the last call decides.
// Returns 0 ACL_SUCCESS.
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

// Keeps a copy of a kernel binary of `dataLen` bytes, for aclrtBinaryLoad. Returns NULL when `data` is NULL, `dataLen`
// is 0 or memory is exhausted; aclrtGetLastError tells which. Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen);

// Lets go of what aclrtCreateBinary kept. What was loaded from it stays.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `binary` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed before, or is none
ACL_FUNC_VISIBILITY aclError aclrtDestroyBinary(aclrtBinary binary);

// Loads a kept kernel binary onto the thread's device, as aclrtBinaryLoadFromData does; aclrtBinaryUnLoad ends it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL, or the data is no kernel binary for this runtime
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the binary was destroyed, or is none
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: device memory is exhausted
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* binHandle);

// Where the image of a loaded binary lies in device memory, and its size in bytes. NULL and 0 as long as a binary that
// is loaded lazily is not on the device yet. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the binary was unloaded, or is none
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void** binAddr, size_t* binSize);

// Finds a kernel function by its key: the number behind the last underscore of its name, by which the variants of one
// kernel are told apart, or a name that is just the number.
// Synchronous; the first call may copy the binary to the device. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the binary was unloaded, or is none
//   507027 ACL_ERROR_RT_KERNEL_LOOKUP: it has no function of that key, or more than one
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry,
                                                           aclrtFuncHandle* funcHandle);

// The device address and the size in bytes of a global variable of a loaded binary; each pointer may be NULL, not both.
// Kernels and copies see the same variable. A variable in a namespace has the name that the compiler gave it.
// Synchronous; the first call may copy the binary to the device. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `binHandle` or `name` is NULL, or both of the others are
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the binary was unloaded, or is none
//   107042 ACL_ERROR_RT_SYMBOL_NOT_FOUND: it has no variable of that name that can be written
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char* name, void** dptr,
                                                  size_t* size);

// The function, on the thread's device, of a kernel of the program itself, by the address that stands for the kernel.
// Its binary is loaded with the first call for a device. After a reset the function has to be asked for again.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107044 ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: the address stands for no kernel
ACL_FUNC_VISIBILITY aclError aclrtGetFuncBySymbol(const void* symbol, aclrtFuncHandle* funcHandle);

// Where a kernel function begins in device memory. `aicAddr` is for the AI or cube cores and NULL for a function of the
// vector cores; `aivAddr` is for the vector cores and NULL for one that does not run there.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void** aicAddr, void** aivAddr);

// How many bytes of code the entry of a kernel function has, for the AI or cube cores and for the vector cores; 0 where
// it does not run. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t* aicSize, size_t* aivSize);

// How many bytes aclrtKernelArgsInitByUserMem needs at `argsHandle`.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t* memSize);

// How many bytes aclrtKernelArgsInitByUserMem needs at `userHostMem` for arguments, with the data of place holders, of
// `userArgsSize` bytes. That is the sum of their sizes, each rounded up to 8.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `userArgsSize` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `userArgsSize` is above 65536
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize,
                                                       size_t* actualArgsSize);

// As aclrtKernelArgsInit, in the caller's memory: the address `argsHandle` becomes the handle of the list, and the
// arguments are kept in the `actualArgsSize` bytes at `userHostMem`. Both stay allocated as long as the list is used.
// The same memory may begin another list, which ends the one before. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS,
// or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `actualArgsSize` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `actualArgsSize` is less than the kernel's arguments take
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle,
                                                          void* userHostMem, size_t actualArgsSize);

// Makes a function of a binary of CPU kernels a kernel function. Forebay loads no such binaries, so that every binary
// is refused. Synchronous. Thread-safe. Returns
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the binary holds no CPU kernels
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the binary was unloaded, or is none
ACL_FUNC_VISIBILITY aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char* funcName,
                                                  const char* kernelName, aclrtFuncHandle* funcHandle);

// As aclrtLaunchKernel, with a configuration, which may be NULL.
// Asynchronous; a submission. `argsData` is read when the kernel runs. Thread-safe.
// Returns what aclrtLaunchKernel does, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: also for an attribute that is out of its range
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData,
                                                 size_t argsSize, aclrtLaunchKernelCfg* cfg, aclrtStream stream);

// As aclrtLaunchKernel, with a pointer to the value of each parameter, in the order of the kernel's declaration. `func`
// is a function handle, or the address that stands for a kernel of the program. `cfg` may be NULL. Asynchronous; a
// submission. The values are copied by the call. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `func` or `args` is NULL, or `numBlocks` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `numBlocks` is above 65535, an attribute is out of its range, or a pointer in
//     `args` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function or the stream is stale, or is none
//   107044 ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: the function was loaded on another device
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithArgsArray(void* func, uint32_t numBlocks, aclrtStream stream,
                                                            aclrtLaunchKernelCfg* cfg, void** args);

// Queues a kernel whose blocks have threads, with a pointer to the value of each parameter. No part that can be chosen
// runs such kernels. Returns
//   100000 ACL_ERROR_INVALID_PARAM: `func` or `args` is NULL
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part runs no kernels of this kind
ACL_FUNC_VISIBILITY aclError aclrtLaunchSIMTKernelWithArgsArray(void* func, dim3 gridDim, dim3 blockDim,
                                                                size_t dynUbufSize, aclrtStream stream,
                                                                aclrtLaunchKernelCfg* cfg, void** args);

// As aclrtLaunchSIMTKernelWithArgsArray, with the arguments of aclrtLaunchKernelWithHostArgs.
// Returns
//   100000 ACL_ERROR_INVALID_PARAM: `func` or `hostArgs` is NULL
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part runs no kernels of this kind
ACL_FUNC_VISIBILITY aclError aclrtLaunchSIMTKernelWithHostArgs(void* func, dim3 gridDim, dim3 blockDim,
                                                               size_t dynUbufSize, aclrtStream stream,
                                                               aclrtLaunchKernelCfg* cfg, void* hostArgs,
                                                               size_t argsSize, aclrtPlaceHolderInfo* placeHolderArray,
                                                               size_t placeHolderNum);

// The device address through which the cores of the thread's device meet: 16 KiB that begin as zeros, the same until
// the device is reset, for a kernel that takes the address as an argument. Synchronous. Thread-safe. Returns 0
// ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `addr` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: device memory is exhausted
ACL_FUNC_VISIBILITY aclError aclrtGetHardwareSyncAddr(void** addr);

// An attribute of a kernel function. ACL_FUNC_ATTR_KERNEL_TYPE gives an aclrtKernelType: AICORE when the source names
// no kind of core and loading no magic. ACL_FUNC_ATTR_KERNEL_RATIO gives, for a kernel of both kinds, the number of
// cube cores in bits 16 to 31 and that of vector cores in bits 0 to 15, and 0 for others.
// ACL_FUNC_ATTR_KERNEL_SCHED_MODE gives 0: each launch chooses. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no such attribute
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType,
                                                       int64_t* attrValue);

// The loaded binary that a kernel function belongs to.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle* binHandle);

// How many parameters a kernel function has. `func` is a handle, or the address that stands for a kernel of the
// program. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107044 ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetParamCount(const void* func, size_t* paramCount);

// Where a parameter lies in the arguments of a kernel function, and its size, in bytes; each pointer may be NULL, not
// both. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `func` is NULL, or both outputs are
//   107000 ACL_ERROR_RT_PARAM_INVALID: it has no parameter `paramIndex`
//   107044 ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset,
                                                       size_t* paramSize);

// How many bytes of the unified buffer a launch may give each block of a kernel whose blocks have threads; 0 for all
// others. `flags` must be 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `flags` is not 0
//   107044 ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: the function is stale, or is none
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetAvailDynUbufPerBlock(void* func, uint32_t flags, size_t* dynamicUbufSize);

// ---- Host functions ----

// Queues a function of the program: a thread of the runtime calls `fn` with `args` when all that was queued on the
// stream before has run, and later tasks of the stream wait until it returns. It must not call the runtime: a
// wait for its own stream is refused with 107000 ACL_ERROR_RT_PARAM_INVALID. It is not called once
// ACL_STOP_ON_FAILURE has stopped the context.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `fn` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args);

// Names the thread that runs the callbacks of a stream (aclrtLaunchCallback). `threadId` is what pthread_self returns
// in that thread. A thread may serve several streams of one device; a stream has one thread; at most 1024 threads
// serve. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the calling thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107011 ACL_ERROR_RT_STREAM_SUBSCRIBE: the stream has a thread
//   107012 ACL_ERROR_RT_THREAD_SUBSCRIBE: the thread serves another device, or 1024 threads serve
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

// Queues a callback: when all that was queued on the stream before has run, the thread that serves the stream calls
// `fn` with `userData` from inside aclrtProcessReport. With ACL_CALLBACK_BLOCK later tasks of the stream wait until it
// returns, with ACL_CALLBACK_NO_BLOCK they do not. It must not call the runtime: a blocking one that waits for its own
// stream is refused with 107000. It is not called once ACL_STOP_ON_FAILURE has stopped the context, nor when the stream
// is aborted, destroyed by force or unsubscribed before it begins. Asynchronous; a submission. Thread-safe. Returns 0
// ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: there is no such block type
//   107000 ACL_ERROR_RT_PARAM_INVALID: `fn` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107015 ACL_ERROR_RT_STREAM_NO_CB_REG: no thread serves the stream
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                                                 aclrtStream stream);

// Waits for a callback of the streams that the calling thread serves, and runs it. `timeout` is in milliseconds, -1
// waits for ever. To be called in a loop. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `timeout` is 0 or below -1
//   107012 ACL_ERROR_RT_THREAD_SUBSCRIBE: the thread serves no stream, or no longer does
//   507012 ACL_ERROR_RT_REPORT_TIMEOUT: no callback came in time
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

// Ends what aclrtSubscribeReport began. Callbacks that have not begun are dropped, and their stream goes on.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the calling thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107011 ACL_ERROR_RT_STREAM_SUBSCRIBE: the thread does not serve this stream
//   107012 ACL_ERROR_RT_THREAD_SUBSCRIBE: the thread serves no stream
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

// Makes the thread of this number the one that runs the host functions of the stream. Only on IPV350.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107011 ACL_ERROR_RT_STREAM_SUBSCRIBE: the stream is subscribed to
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the processor is another
ACL_FUNC_VISIBILITY aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

// Runs the host functions that are waiting for the calling thread; where there are none, waits for one for at most
// `timeout` milliseconds, -1 for ever. Only on IPV350.
// Synchronous: runs the functions. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `timeout` is 0 or below -1
//   107012 ACL_ERROR_RT_THREAD_SUBSCRIBE: the thread is not subscribed
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the processor is another
//   507012 ACL_ERROR_RT_REPORT_TIMEOUT: the time is over
ACL_FUNC_VISIBILITY aclError aclrtProcessHostFunc(int32_t timeout);

// Ends what aclrtSubscribeHostFunc began. Only on IPV350.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107011 ACL_ERROR_RT_STREAM_SUBSCRIBE: the stream is not subscribed to
//   107012 ACL_ERROR_RT_THREAD_SUBSCRIBE: the thread is not subscribed
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the processor is another
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

// Has `callback` called with `args` under the name `regName` after a stream was made and before one is destroyed,
// default streams included, in the thread that does it; NULL takes the callback of the name back. It runs in the
// stream's context, and may not set or reset devices.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `regName` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name is empty, has a callback already, or has none to take back
ACL_FUNC_VISIBILITY aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback,
                                                         void* args);

// Has `callback` called with `args` under the name `regName` before and after a device starts, which is when it is set
// for the first time, and before and after it ends, which is with its last reset, in the thread that does it; NULL
// takes the callback of the name back. It may not set or reset devices. A start that fails has no second call.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `regName` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name is empty, has a callback already, or has none to take back
ACL_FUNC_VISIBILITY aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback,
                                                         void* args);

// ---- Errors ----

// The code of the newest call that failed in the calling thread, or 0 if none did; sets it back to 0. A call that
// succeeds does not clear it. `level` is ACL_RT_THREAD_LEVEL; any other gives 100000 ACL_ERROR_INVALID_PARAM.
// Synchronous. Thread-safe; each thread has its own.
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

// As aclrtGetLastError, but leaves the code as it is.
// Synchronous. Thread-safe; each thread has its own.
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

// The messages of what went wrong since the last call, the newest first, in the calling thread or, with
// "err_msg_mode" 1 in the configuration, in the process. The call clears them. NULL when there are none.
// Synchronous. Thread-safe. The text stays valid until the next call of this function.
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

// The older form of aclrtExceptionInfoCallbackRegister: one function, the last one set, beside the registered ones;
// NULL takes it back.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS.
ACL_FUNC_VISIBILITY ACL_DEPRECATED aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

// Has `callback` called for every task that fails, and once for a device that fails, before a synchronise returns the
// failure. Several functions may be registered; one that is already is not added again. Functions run in whichever
// thread hears of the failure, in the context of the stream. They may copy memory and ask for what is below; what they
// do with streams, events and devices is refused with 107000.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `callback` is NULL
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

// Takes a function back; one that is not registered changes nothing. Calls that are under way are not waited for.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `callback` is NULL
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

// The number of the task that failed on its stream. 0xFFFFFFFF when the device as a whole has failed, and for NULL,
// which becomes the thread's last error 100000 ACL_ERROR_INVALID_PARAM.
// Synchronous. In an exception callback only.
ACL_FUNC_VISIBILITY uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info);

// As aclrtGetTaskIdFromExceptionInfo: the number of the stream, as aclrtStreamGetId gives it.
ACL_FUNC_VISIBILITY uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info);

// As aclrtGetTaskIdFromExceptionInfo: the system's number of the thread that submitted the task; 0 when so many tasks
// came after it that this is no longer known.
ACL_FUNC_VISIBILITY uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info);

// As aclrtGetTaskIdFromExceptionInfo: the device.
ACL_FUNC_VISIBILITY uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info);

// As aclrtGetTaskIdFromExceptionInfo: the code of the failure, such as 507015.
ACL_FUNC_VISIBILITY uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info);

// The arguments of the kernel that failed, in device memory that is valid while the callback runs: `*devArgsLen` bytes
// at `*devArgsPtr`.
// Synchronous. In an exception callback only.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: what failed is not a kernel
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: no device memory is left for them
//   507026 ACL_ERROR_RT_RINGBUFFER_NO_DATA: so many tasks came after it that they are no longer known
ACL_FUNC_VISIBILITY aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info, void** devArgsPtr,
                                                           uint32_t* devArgsLen);

// The kernel that failed.
// Synchronous. In an exception callback only.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: what failed is not a kernel, or its binary was unloaded
ACL_FUNC_VISIBILITY aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info, aclrtFuncHandle* func);

// As aclrtExceptionInfoCallbackRegister, for kernels of this binary only and with `userData`. The last call counts,
// until the binary is unloaded.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `binHandle` or `callback` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the binary was unloaded, or never was one
ACL_FUNC_VISIBILITY aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
                                                             aclrtOpExceptionCallback callback, void* userData);

// The ranges of device memory that an uncorrectable error has hit: at most `arraySize` of them, and how many there
// were. After aclrtDeviceTaskAbort, before aclrtMemUceRepair.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `arraySize` is 0 or above 128
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no such device
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize,
                                                size_t* retSize);

// Stops what runs on a device and drops what is queued there, in every context. `timeout` is in milliseconds, at most
// 36 minutes; 0 is for ever. Functions of aclrtSetDeviceTaskAbortCallback are called before and after. Other calls
// about the device answer 107022 meanwhile, and so do those that were waiting.
// Synchronous: waits until the device is idle. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `timeout` is above 36 minutes, or a callback or host function calls it
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no such device
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the device is not set
//   107035 ACL_ERROR_RT_TASK_ABORT_STOP: the tasks are aborted, but no time was left for the functions called after
//   that 207020 ACL_ERROR_RT_TIMEOUT: the time is over. What could be stopped is; the other streams answer 107023 until
//   an
//     abort succeeds. Nothing was done when all of it passed behind another abort or a repair
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

// Repairs the ranges that aclrtGetMemUceInfo gave. What was in them is lost: they read as zero. The device takes tasks
// again.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `memUceInfoArray` is NULL, or `arraySize` is 0 or above 128
//   107000 ACL_ERROR_RT_PARAM_INVALID: a range is not bad, or the tasks have not been aborted
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no such device
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: only a reset helps
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: no device memory is left to take the place of what is bad
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize);

// Has `callback` called when the tasks of a device are aborted, with the stage, and with the milliseconds it may take.
// `regName` names the registration; NULL as `callback` ends it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `regName` is NULL or empty
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name is registered, or the one to end is not
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceTaskAbortCallback(const char* regName, aclrtDeviceTaskAbortCallback callback,
                                                             void* args);

// What has gone wrong on the device since it was set or repaired: ACL_RT_ERROR_MEMORY, ACL_RT_ERROR_LINK,
// ACL_RT_ERROR_L3_PORT or ACL_RT_ERROR_OTHERS when it has failed as a whole, ACL_RT_ERROR_AICORE when a kernel has,
// else ACL_RT_NO_ERROR. `tryRepair` is 1 where aclrtDeviceTaskAbort and aclrtRepairError help, and 0 where only a reset
// does. `detail.uceInfo` has the first 20 bad ranges of memory. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `errorInfo` is NULL
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no device with that id
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo);

// Repairs what aclrtGetErrorVerbose found, where it says that a repair may help. After aclrtDeviceTaskAbort. Bad memory
// reads as zero then, and the device takes tasks again. Does nothing when nothing is wrong.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `errorInfo` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the tasks have not been aborted
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no such device
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the device is not set
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this kind of error cannot be repaired
ACL_FUNC_VISIBILITY aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo);

// ---- Managed memory ----

// One attribute of a range of managed memory, written to `data` of `dataSize` bytes as int32_t; where pages differ, -2.
// A place is the number of a device, -1 for the host, -2 for none; ACCESSED_BY fills `data` with the devices and then
// -2.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, a size is 0, or `attribute` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: the range is not managed, or `dataSize` is no multiple of 4
ACL_FUNC_VISIBILITY aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void* ptr,
                                                    size_t size, void* data, size_t dataSize);

// As aclrtMemManagedGetAttr for several attributes, each with its own `data` and size.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, a size or `numAttributes` is 0, or an attribute is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: the range is not managed, or a size is no multiple of 4
ACL_FUNC_VISIBILITY aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes, size_t numAttributes,
                                                     const void* ptr, size_t size, void** data, size_t* dataSizes);

// Takes managed memory: `size` bytes, rounded up to 2 MiB, at one address for the host and all devices, all zero. It is
// memory of the current device, with whose reset it ends. `flag` is ACL_RT_MEM_ATTACH_GLOBAL. aclrtFree releases it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `ptr` is NULL, `size` is 0, or `flag` is another
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: memory is exhausted
ACL_FUNC_VISIBILITY aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag);

// Says how a range of managed memory will be used. It is kept for each page and can be asked for; nothing moves.
// Address and size are multiples of 2 MiB. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `ptr` is NULL, `size` is 0, or `advise` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: the range is not managed, or the place is none
ACL_FUNC_VISIBILITY aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size,
                                                   aclrtMemManagedAdviseType advise, aclrtMemManagedLocation location);

// Asks to have a range of managed memory at a place when the stream has come to it. All places reach it alike, so that
// nothing moves; the place is kept and can be asked for. `flags` is 0.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `ptr` is NULL, `size` is 0, or `flags` is not 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: the range is not managed, or the place is none
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size,
                                                          aclrtMemManagedLocation location, uint32_t flags,
                                                          aclrtStream stream);

// As aclrtMemManagedPrefetchAsync for several ranges. Place k is for the ranges from `prefetchLocIdxs[k]` to the next
// one; the first is 0, and they ascend. `flags` is 0. Asynchronous; a submission. Thread-safe. Returns 0 ACL_SUCCESS,
// or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, a count is 0, or `flags` is not 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: a range is not managed, a place is none, or the indexes do not ascend from 0
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchBatchAsync(const void** ptrs, size_t* sizes, size_t count,
                                                               aclrtMemManagedLocation* prefetchLocs,
                                                               size_t* prefetchLocIdxs, size_t numPrefetchLocs,
                                                               uint64_t flags, aclrtStream stream);

// ---- Host memory for devices ----

// Makes [ptr, ptr + size) of the program's own memory pinned on the thread's device and usable by kernels, which find
// it at `devPtr`; copies take `ptr`. `ptr` is a multiple of 4096, and whole pages are registered. Private memory is
// moved for it behind the same addresses: nobody else may write into its pages, also behind its end, during the call.
// A registration ends by aclrtHostUnregister or with the reset of the device, and the memory keeps what it holds.
// Memory of aclrtMallocHost is taken as it is, and its registration ends when it is freed.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL, `size` is 0, `ptr` is not aligned, `type` does not exist, or
//     the memory is no private memory that can be read and written
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: `type` is IOMEMORY or READONLY
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no such amount of pinned memory left
//   507910 ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED: some of it is registered
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr);

// As aclrtHostRegister. `flag` is ACL_HOST_REG_MAPPED, ACL_HOST_REG_PINNED, which only pageable memory can have, or
// both; what is not mapped has no address for kernels.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `ptr` is NULL or not aligned, `size` is 0, `flag` is 0 or has unknown bits, the
//     memory is no private memory that can be read and written, or is to be pinned and is so already
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: `flag` asks for IOMEMORY or READONLY
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no such amount of pinned memory left
//   507910 ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED: some of it is registered
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag);

// Where kernels find an address of registered memory, which may lie inside. `flag` is 0. Copies do not take `pDevice`.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: a pointer is NULL, `flag` is not 0, or the memory is registered, but not mapped
//   507911 ACL_ERROR_HOST_MEMORY_NOT_REGISTERED: the address is not registered
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag);

// Ends the registration that begins at `ptr`; the caller sees to it that no task uses the memory any more, and that
// nobody writes into its pages during the call.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `ptr` is NULL
//   507911 ACL_ERROR_HOST_MEMORY_NOT_REGISTERED: no registration begins there
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void* ptr);

// Whether an engine of the device can use mapped host memory: the cores can, others not.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `capabilities` is NULL, or there is no such engine
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no such device
ACL_FUNC_VISIBILITY aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
                                                         aclrtHostMemMapCapability* capabilities);

// ---- Caches ----

// Writes back what a cache of the host holds of device memory, so that the device sees it. Caches are
// coherent, so that there is nothing to do; the range is checked.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `devPtr` is NULL, `size` is 0, or the range is not allocated device memory
ACL_FUNC_VISIBILITY aclError aclrtMemFlush(void* devPtr, size_t size);

// Drops what a cache of the host holds of device memory, so that the host sees what the device wrote. Caches are
// coherent, so that there is nothing to do; the range is checked.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `devPtr` is NULL, `size` is 0, or the range is not allocated device memory
ACL_FUNC_VISIBILITY aclError aclrtMemInvalidate(void* devPtr, size_t size);

// Works on the cache for a range of device memory when the stream comes to it. `cmoType` is ACL_RT_CMO_TYPE_PREFETCH.
// It changes how fast memory is, never what is in it.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `src` is NULL or `size` is 0
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: another kind of work
ACL_FUNC_VISIBILITY aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType, aclrtStream stream);

// As aclrtCmoAsync in a stream bound to a model. `barrierId` is above 0 for ACL_RT_CMO_TYPE_INVALID, for
// aclrtCmoWaitBarrier to name, and 0 for the others.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `src` is NULL or `size` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `barrierId` does not fit `cmoType`
//   107005 ACL_ERROR_RT_STREAM_MODEL: the stream is not bound to a model
ACL_FUNC_VISIBILITY aclError aclrtCmoAsyncWithBarrier(void* src, size_t size, aclrtCmoType cmoType, uint32_t barrierId,
                                                      aclrtStream stream);

// Has the stream wait for the barriers named, at most 6. `flag` is 0.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `taskInfo` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: it names none or more than 6, or `flag` is not 0
//   107005 ACL_ERROR_RT_STREAM_MODEL: the stream is not bound to a model
ACL_FUNC_VISIBILITY aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo* taskInfo, aclrtStream stream, uint32_t flag);

// The bytes of device memory that a description of work on the cache takes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `size` is NULL
ACL_FUNC_VISIBILITY aclError aclrtCmoGetDescSize(size_t* size);

// Writes a description of a range to device memory at `cmoDesc`, for aclrtCmoAsyncWithDesc.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL or `size` is 0
ACL_FUNC_VISIBILITY aclError aclrtCmoSetDesc(void* cmoDesc, void* src, size_t size);

// As aclrtCmoAsync for the range that the description names when the stream comes to it. `reserve` is NULL.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `cmoDesc` is NULL
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: another kind of work
ACL_FUNC_VISIBILITY aclError aclrtCmoAsyncWithDesc(void* cmoDesc, aclrtCmoType cmoType, aclrtStream stream,
                                                   const void* reserve);

// Empties the device's cache, which is coherent, so that there is nothing to do. `rsv` is NULL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `rsv` is not NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtDeviceL2CacheFlush(void* rsv);

// ---- Copies ----

// Writes the word `value` to `N` words of 4 bytes, on device or host; `memSize` is the room in bytes. 0 words succeed
// always.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `ptr` is NULL, or the words do not fit into `memSize`
//   107000 ACL_ERROR_RT_PARAM_INVALID: it is device memory that is not allocated all through
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   507013 ACL_ERROR_RT_SYS_DMA: the address cannot be written
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N);

// Queues what aclrtMemsetD32 does.
// Asynchronous for device memory; host memory is written when the stream has come to this point, before the call
// returns. A submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `ptr` is NULL, or the words do not fit into `memSize`
//   107000 ACL_ERROR_RT_PARAM_INVALID: it is device memory that is not allocated all through
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   507013 ACL_ERROR_RT_SYS_DMA: the address cannot be written
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N,
                                                 aclrtStream stream);

// Does what aclrtMemcpyAsync does. Deprecated: use that.
// Returns what aclrtMemcpyAsync does.
ACL_FUNC_VISIBILITY ACL_DEPRECATED aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src,
                                                                          size_t count, aclrtMemcpyKind kind,
                                                                          aclrtStream stream);

// Copies `height` rows of `width` bytes each between host and device. `dpitch` and `spitch` are the bytes from the
// beginning of one row to that of the next, at least `width`. The bytes between the rows are left alone. `kind` is
// HOST_TO_DEVICE or DEVICE_TO_HOST. 0 rows, or rows of 0 bytes, succeed always.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an address is NULL, `kind` is another one, or `width` exceeds a pitch
//   107000 ACL_ERROR_RT_PARAM_INVALID: an address does not fit `kind`, or is device memory that is not allocated all
//     through
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   507013 ACL_ERROR_RT_SYS_DMA: an address cannot be read or written
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                           size_t height, aclrtMemcpyKind kind);

// Queues what aclrtMemcpy2d does. `kind` may be DEVICE_TO_DEVICE, too. At most 5 242 880 rows of 5 000 000 bytes.
// Asynchronous for pinned host memory and within devices; with pageable host memory it returns when the copy is done.
// A submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an address is NULL, `kind` is another one, `width` exceeds a pitch, or the rows are
//     too many or too long
//   107000 ACL_ERROR_RT_PARAM_INVALID: an address does not fit `kind`, or is device memory that is not allocated all
//     through
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   507013 ACL_ERROR_RT_SYS_DMA: a host address cannot be read or written
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                                size_t height, aclrtMemcpyKind kind, aclrtStream stream);

// Bytes of device memory that a descriptor of aclrtSetMemcpyDesc takes. `kind` is INNER_DEVICE_TO_DEVICE.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `descSize` is NULL, or `kind` is another one
ACL_FUNC_VISIBILITY aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize);

// Writes into device memory at `desc`, of the size that aclrtGetMemcpyDescSize gives, what a later
// aclrtMemcpyAsyncWithDesc copies: `count` bytes from `srcAddr` to `dstAddr`, both on the same device. `kind` is
// INNER_DEVICE_TO_DEVICE, `config` is NULL.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an address is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `desc` is not device memory; `kind` or `config` is another one; `count` is 0
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr, void* dstAddr,
                                                size_t count, void* config);

// Queues a copy of `count` bytes between addresses that the device reads when the task runs: from the address that lies
// at `src`, plus `srcDataOffset` bytes, to the one at `dst`, plus `dstDataOffset`. `dst` and `src` are addresses in
// memory of the stream's device, and so is what lies there. `destMax` is the room at the destination. `kind` is
// INNER_DEVICE_TO_DEVICE. 0 bytes succeed always. Bytes that cannot be reached give 507013 ACL_ERROR_RT_SYS_DMA at the
// next wait.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `count` exceeds `destMax`
//   107000 ACL_ERROR_RT_PARAM_INVALID: `dst` or `src` is NULL or not memory of the stream's device, or `kind` is
//     another one
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset,
                                                        const void** src, size_t count, size_t srcDataOffset,
                                                        aclrtMemcpyKind kind, aclrtStream stream);

// Queues the copy that a descriptor of aclrtSetMemcpyDesc describes. The device reads the descriptor when the task
// runs. `kind` is INNER_DEVICE_TO_DEVICE. Bytes that cannot be reached give 507013 ACL_ERROR_RT_SYS_DMA at the next
// wait, a descriptor that is all zero 507018 ACL_ERROR_RT_AICPU_EXCEPTION.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `desc` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `desc` is not memory of the stream's device, or `kind` is another one
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream);

// Queues dst = dst `kind` src, element by element, over `count` bytes, a multiple of the element's size. Sums of
// integers wrap around; EQUAL gives 1 or 0; a NaN wins MAX and MIN. `type` is int8, int16, int32, fp16, fp32 or bf16.
// Both addresses lie in memory of the stream's device. `reserve` is NULL. 0 bytes change nothing. Bytes that cannot be
// reached give 507013 ACL_ERROR_RT_SYS_DMA at the next wait.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an address is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: an address is not memory of the stream's device; `count` is no multiple; there
//     is no such `kind`; `reserve` is not NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the type is another one
ACL_FUNC_VISIBILITY aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count, aclrtReduceKind kind,
                                              aclDataType type, aclrtStream stream, void* reserve);

// Copies a batch between host and device: sizes[i] bytes from srcs[i] to dsts[i], which has room for destMaxs[i], in
// any order. attrs[k] says where the addresses lie of the copies from attrsIndexes[k] to the one before
// attrsIndexes[k + 1]. All copies go from host to device, or all from device to host. Nothing is copied when one is
// refused; `failIndex`, which may be NULL, says which, and is SIZE_MAX otherwise.
// Synchronous; waits for no stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an array, or an address of a copy with bytes, is NULL; or a size exceeds its
//     destMax
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no copy or no attribute, or there are more attributes than copies; the
//     indexes do not begin with 0, grow and stay below numBatches; an address does not lie where its attribute says, or
//     is device memory that is not allocated all through; or the copies do not all go in one direction
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: an attribute is of another direction
//   507013 ACL_ERROR_RT_SYS_DMA: a host address cannot be read or written
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                              size_t numBatches, aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                              size_t numAttrs, size_t* failIndex);

// Does what aclrtMemcpyBatch does.
// Returns what aclrtMemcpyBatch does.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                                size_t numBatches, aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                                size_t numAttrs);

// Queues what aclrtMemcpyBatch does. Refusals leave the queue as it was.
// Asynchronous for pinned host memory; with pageable host memory it returns when that is copied. A submission of one
// task for each copy. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an array, or an address of a copy with bytes, is NULL; or a size exceeds its
//     destMax
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no copy or no attribute, or there are more attributes than copies; the
//     indexes do not begin with 0, grow and stay below numBatches; an address does not lie where its attribute says, or
//     is device memory that is not allocated all through; or the copies do not all go in one direction
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: an attribute is of another direction
//   507013 ACL_ERROR_RT_SYS_DMA: a host address cannot be read or written
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                                   size_t numBatches, aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                                   size_t numAttrs, size_t* failIndex, aclrtStream stream);

// Does what aclrtMemcpyBatchAsync does.
// Returns what aclrtMemcpyBatchAsync does.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                                     size_t numBatches, aclrtMemcpyBatchAttr* attrs,
                                                     size_t* attrsIndexes, size_t numAttrs, aclrtStream stream);

// Queues a task that writes `randomNum` random numbers of `dataType` to `randomResultAddr`. Uniform ones are at least
// `min` and below `max`; normal ones have `mean` and `stddev`; truncated normal ones lie within two `stddev`. A dropout
// mask has `randomNum` bits, lowest bit of a byte first, of which the share `dropoutRation` is 0. Uniform numbers are
// int32, uint32, int64, uint64, bf16, fp16 or fp32; the others, and the parameters of a mask, bf16, fp16 or fp32.
//
// A parameter is a value, of the size of `dataType`, or the device address of one. `randomSeed` and `randomNum` are
// integers of 8 bytes, or of 4 when they are values. The numbers depend on `randomSeed` and the 16 bytes at
// `randomCounterAddr` alone, lowest byte first, which the task reads and does not change: Philox 4x32-10 gives four
// words for each value of the counter; each number takes one (64-bit integers two), so that a counter that is moved on
// by randomNum / 4, rounded up, goes on with new ones. All addresses lie in memory of the stream's device. The
// parameters travel with the task, so `randomParaAddr` is not used; `reserve` is NULL.
//
// Parameters that the task cannot use (min above max, a share above 1) give 507018 ACL_ERROR_RT_AICPU_EXCEPTION at the
// next wait, bytes that cannot be reached 507013 ACL_ERROR_RT_SYS_DMA.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `taskInfo` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no such distribution of such a type; a parameter has the wrong size; an
//     address is NULL or not memory of the stream's device; `reserve` is not NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo, const aclrtStream stream,
                                                 void* reserve);

// ---- Variables of kernels ----

// The device address of a variable of a kernel binary that is part of the program. `symbol` is the address of the
// variable in the program.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107043 ACL_ERROR_RT_INVALID_SYMBOL: it is the address of no such variable
ACL_FUNC_VISIBILITY aclError aclrtGetSymbolAddress(const void* symbol, void** devPtr);

// The bytes of a variable of a kernel binary that is part of the program.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107043 ACL_ERROR_RT_INVALID_SYMBOL: `symbol` is the address of no such variable
ACL_FUNC_VISIBILITY aclError aclrtGetSymbolSize(const void* symbol, size_t* size);

// Copies `count` bytes from a variable, from `offset` on, to the host. `kind` is ACL_MEMCPY_DEVICE_TO_HOST or
// ACL_MEMCPY_DEFAULT.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `count` is above `dstMax`
//   107000 ACL_ERROR_RT_PARAM_INVALID: the variable ends before that, or another `kind`
//   107043 ACL_ERROR_RT_INVALID_SYMBOL: `symbol` is the address of no such variable
ACL_FUNC_VISIBILITY aclError aclrtMemcpyFromSymbol(void* dst, size_t dstMax, const void* symbol, size_t count,
                                                   size_t offset, aclrtMemcpyKind kind);

// As aclrtMemcpyFromSymbol, when the stream comes to it.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `count` is above `dstMax`
//   107000 ACL_ERROR_RT_PARAM_INVALID: the variable ends before that, or another `kind`
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107043 ACL_ERROR_RT_INVALID_SYMBOL: `symbol` is the address of no such variable
ACL_FUNC_VISIBILITY aclError aclrtMemcpyFromSymbolAsync(void* dst, size_t dstMax, const void* symbol, size_t count,
                                                        size_t offset, aclrtMemcpyKind kind, aclrtStream stream);

// Copies `count` bytes from the host to a variable, from `offset` on. `kind` is ACL_MEMCPY_HOST_TO_DEVICE or
// ACL_MEMCPY_DEFAULT.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the variable ends before that, or another `kind`
//   107043 ACL_ERROR_RT_INVALID_SYMBOL: `symbol` is the address of no such variable
ACL_FUNC_VISIBILITY aclError aclrtMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                                                 aclrtMemcpyKind kind);

// As aclrtMemcpyToSymbol, when the stream comes to it.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the variable ends before that, or another `kind`
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107043 ACL_ERROR_RT_INVALID_SYMBOL: `symbol` is the address of no such variable
ACL_FUNC_VISIBILITY aclError aclrtMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                                      aclrtMemcpyKind kind, aclrtStream stream);

// ---- Virtual memory ----

// Reserves `size` bytes of addresses, without memory. `alignment` and `flags` are 0. `expectPtr` is NULL, or where the
// range begins, between 16 and 24 TiB and aligned to pages. With the reset of the current device the reservation ends.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `virPtr` is NULL, `size` is 0, or `alignment` or `flags` is not 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `expectPtr` is not aligned, or outside of that
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: no such range is free
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                                    uint64_t flags);

// Gives back addresses that aclrtReserveMemAddress reserved, after all memory in them has been unmapped.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `virPtr` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: they were not reserved, or memory is mapped there
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void* virPtr);

// Takes physical memory of a device that is set, without an address, in whole pages of its kind. `size` should be a
// multiple of the granularity. `flags` is 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, `size` is 0, or `flags` is not 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: a property has a value it cannot have
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: memory is exhausted
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                                                 const aclrtPhysicalMemProp* prop, uint64_t flags);

// Gives physical memory back. Where it is mapped, that happens when it is unmapped.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `handle` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was given back before, or is none
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

// Maps physical memory at reserved addresses and lets its own device use them. `virPtr` may lie within the range;
// `size` is that of the memory; `offset` and `flags` are 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `offset` or `flags` is not 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: the addresses are not reserved or are in use, the size is another, or the range
//     has memory of another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the memory was given back, or is none
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                                         uint64_t flags);

// Ends what aclrtMapMem or aclrtMemMapNoAccess began.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `virPtr` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: nothing is mapped there
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void* virPtr);

// As aclrtMapMem, but nobody may use the addresses before aclrtMemSetAccess.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `offset` or `flags` is not 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: the addresses are not reserved or are in use, the size is another, or the range
//     has memory of another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the memory was given back, or is none
ACL_FUNC_VISIBILITY aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                                                 uint64_t flags);

// The unit, in bytes, in which physical memory with these properties is taken: the smallest, or the one that is fast.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `option` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: a property has a value it cannot have
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,
                                                              aclrtMemGranularityOptions option, size_t* granularity);

// Says who may use mapped addresses. `virPtr` and `size` are those of the mapping; each of the `count` entries names
// the host or a device and gives it ACL_RT_MEM_ACCESS_FLAGS_READWRITE.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `size` or `count` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: nothing is mapped there, the size is another, or an entry asks for what cannot
//     be
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count);

// What the host or a device may do at a mapped address, as aclrtMemAccessFlags.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: nothing is mapped there, or there is no such place
ACL_FUNC_VISIBILITY aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag);

// The physical memory that is mapped at an address, with one more reference: it takes one more aclrtFreePhysical.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: nothing is mapped there
ACL_FUNC_VISIBILITY aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle);

// The properties that physical memory was taken with.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was given back, or is none
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
                                                                       aclrtPhysicalMemProp* prop);

// As aclrtReserveMemAddress, for memory that is not used for the collective communication of a cluster: whole GiB,
// between 64 and 80 TiB.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `virPtr` is NULL, `size` is 0, or `alignment` or `flags` is not 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `expectPtr` is not aligned, or outside of that
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: no such range is free
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size, size_t alignment,
                                                              void* expectPtr, uint64_t flags);

// Where the allocation begins that an address lies in, and how many bytes were asked for. One output may be NULL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `ptr` or both outputs are NULL, or nothing is allocated at `ptr`
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize);

// Lets another device of the same process use a range of device memory where it is, until it is freed or one of the two
// devices is reset. Peer access is enabled before. `flags` is 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `devPtr` is NULL, `size` is 0, or `flags` is not 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: it is no device memory, or peer access is not enabled
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no such device
ACL_FUNC_VISIBILITY aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId, uint64_t flags);

// Maps the memory behind `virPtrSrc` once more, at `virPtrDst`, so that it is reached over the link of that number.
// There is one link, 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL or `size` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: `virPtrSrc` is not mapped, `virPtrDst` is not reserved, or there is no such link
ACL_FUNC_VISIBILITY aclError aclrtMemMapSelectedLink(void* virPtrDst, size_t size, void* virPtrSrc, uint32_t linkIdx);

// Advises which link memory is to be reached over, before it is mapped.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `handle` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the link is unknown
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the memory was given back, or is none
ACL_FUNC_VISIBILITY aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle, aclrtMemLinkType adviceLink);

// ---- Time-outs ----

// As aclrtSetOpExecuteTimeOut, in microseconds. `actualTimeout` receives what the time became; UINT64_MAX: kernels may
// run for ever, which is what 0 asks for where an interval has less than 100000 microseconds.
// Synchronous. Thread-safe; holds for the whole process, and the last call decides.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `actualTimeout` is NULL
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout);

// How many microseconds an interval has, of which every time-out of kernels is a multiple.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `interval` is NULL
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t* interval);

// How many milliseconds a kernel may run, rounded up: what was set last became that, or 1091000 when nothing was set.
// UINT32_MAX: for ever.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `timeoutMs` is NULL
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs);

// ---- Overflow and saturation ----

// Whether kernels that are queued on the stream from now on note that an operation gave infinity or no number: 0, as in
// a new stream, or 1. The note is made in the overflow status (aclrtGetOverflowStatus).
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `flag` is neither 0 nor 1
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no memory for the status
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);

// Reads what aclrtSetStreamOverflowSwitch sets.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `flag` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag);

// How kernels treat results out of range: ACL_RT_OVERFLOW_MODE_SATURATION or ACL_RT_OVERFLOW_MODE_INFNAN, for streams
// of the thread's device that are made from now on. Kernels here compute as the host does, with infinities; the mode is
// checked, kept and reported.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `mode` is neither of the two
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the part does not have this mode
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

// Reads what aclrtSetDeviceSatMode sets.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `mode` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode);

// Queues a copy of the overflow status to `outputAddr`, 64 bytes of device memory. The first 64-bit word is 0 as long
// as no kernel of a stream whose overflow switch is on gave infinity or no number since the last reset. The status is
// the one of all streams of the device, or of those with the tag of `stream`. Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `outputAddr` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: it is not device memory, or `outputSize` is not 64
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no memory for the status
ACL_FUNC_VISIBILITY aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream);

// Queues a task that sets the overflow status of the stream back to 0.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no stream
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no memory for the status
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

// The device address of the overflow status that streams without a tag share, for kernels that set it themselves.
// Synchronous. Thread-safe. Valid until the device is reset.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `overflowAddr` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no memory for the status
ACL_FUNC_VISIBILITY aclError aclrtCtxGetFloatOverflowAddr(void** overflowAddr);

// An older name of aclrtGetOverflowStatus.
ACL_FUNC_VISIBILITY aclError aclrtGetFloatOverflowStatus(void* outputAddr, uint64_t outputSize, aclrtStream stream);

// An older name of aclrtResetOverflowStatus.
ACL_FUNC_VISIBILITY aclError aclrtResetFloatOverflowStatus(aclrtStream stream);

// An older name of aclrtGetOverflowStatus. `checkMode` is 0; any other gives 107000.
ACL_FUNC_VISIBILITY aclError aclrtNpuGetFloatOverFlowStatus(void* outputAddr, uint64_t outputSize, uint32_t checkMode,
                                                            aclrtStream stream);

// An older name of aclrtResetOverflowStatus. `checkMode` is 0; any other gives 107000.
ACL_FUNC_VISIBILITY aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream);

// ---- Sharing between processes ----

// Makes a number under which another process can import physical memory. `handleType` is ACL_MEM_HANDLE_TYPE_NONE. Only
// the processes of aclrtMemSetPidToShareableHandle may, unless `flags` is
// ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION. Memory is exported once, and lives until all processes have given it
// back.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `flags` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: it was exported before
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the memory was given back, or is none
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                                             uint64_t flags, uint64_t* shareableHandle);

// As aclrtMemExportToShareableHandle; `shareableHandle` points to a uint64_t, or to an aclrtMemFabricHandle. There are
// no other servers that could import that. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `flags` or `shareType` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: it was exported before
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the memory was given back, or is none
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: there is no fabric
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
                                                               aclrtMemSharedHandleType shareType,
                                                               void* shareableHandle);

// Imports physical memory that another process has exported, for a device of this one.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `handle` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the number is unknown, the same process exported it, or the device is off
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: there is no such device
//   207006 ACL_ERROR_RT_NO_PERMISSION: the process is not among those that may
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                                               aclrtDrvMemHandle* handle);

// As aclrtMemImportFromShareableHandle for either kind of export and the current device. `flags` is 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, `flags` is not 0, or `shareType` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: the handle is unknown, or the same process exported it
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: there is no fabric
//   207006 ACL_ERROR_RT_NO_PERMISSION: the process is not among those that may
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle,
                                                                 aclrtMemSharedHandleType shareType, uint64_t flags,
                                                                 aclrtDrvMemHandle* handle);

// Allows processes to import; their numbers are those of aclrtDeviceGetBareTgid.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `pid` is NULL or `pidNum` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: nothing was exported under this number
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum);

// As aclrtMemSetPidToShareableHandle for either kind of export.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, `pidNum` is 0, or `shareType` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: nothing was exported under this handle
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle,
                                                               aclrtMemSharedHandleType shareType, int32_t* pid,
                                                               size_t pidNum);

// The number of this process as the device knows it, for the lists of who may import.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `pid` is NULL
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t* pid);

// Makes a name under which another process can use device memory. `devPtr` begins a page of 4 KiB, 2 MiB or 1 GiB;
// `len`, the size of `key`, is at least 65 bytes. Only the processes of aclrtIpcMemSetImportPid may, unless `flags` is
// ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, `size` is 0, or `flags` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: it is no device memory, does not begin a page, or `len` is too small
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the device cannot share memory
ACL_FUNC_VISIBILITY aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t flags);

// Ends the use of shared memory: in those that imported it first, and last in the one that exported it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `key` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name is unknown
ACL_FUNC_VISIBILITY aclError aclrtIpcMemClose(const char* key);

// Where this process finds memory that another has exported. `flags` may be
// ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS, for memory of another device.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `flags` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name is unknown, the same process exported it or has imported it already, or
//     it is memory of another device
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207006 ACL_ERROR_RT_NO_PERMISSION: the process is not among those that may
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags);

// Allows processes to import; their numbers are those of aclrtDeviceGetBareTgid.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL or `num` is 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name is unknown
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num);

// Sets an attribute of shared memory: over which link it is reached. There is one way to memory, so that nothing
// follows. Synchronous. Thread-safe. Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `key` is NULL, or `type` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name or the link is unknown
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type, uint64_t attr);

// Allows processes of other servers to import.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL or `num` is 0
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the servers are not joined
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportPidInterServer(const char* key, aclrtServerPid* serverPids, size_t num);

// Makes a name under which another process can use a notify. `len`, the size of `key`, is at least 65 bytes. Only the
// processes of aclrtNotifySetImportPid may, unless `flags` is ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `flags` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: `len` is too small
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the notify was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len, uint64_t flags);

// Opens a notify of another process. It can be recorded here; only the device of its maker can wait for it. Each
// process destroys its own. `flags` may be ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `flags` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name is unknown, or the process may not
ACL_FUNC_VISIBILITY aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags);

// Allows processes to import; their numbers are those of aclrtDeviceGetBareTgid.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL or `num` is 0
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the notify was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num);

// Allows processes of other servers to import.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL or `num` is 0
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the servers are not joined
ACL_FUNC_VISIBILITY aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify, aclrtServerPid* serverPids,
                                                                size_t num);

// What another process needs to open an event, which was made with ACL_EVENT_IPC. The event stays until it has been
// opened.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the event is of another kind
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle);

// Opens an event of another process. It can be waited for, asked about and destroyed here.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `event` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the handle names no event, or the same process made it
ACL_FUNC_VISIBILITY aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event);

// ---- Models ----

// The parameters of a task of a model.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107040 ACL_ERROR_RT_MODEL_UPDATE_FAILED: the task is of a kind without parameters, or its capture has not ended
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams* params);

// Sets the parameters of a task; they hold from the next aclmdlRIUpdate on.
// Synchronous. Thread-safe, but for one model by one thread at a time.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107040 ACL_ERROR_RT_MODEL_UPDATE_FAILED: the parameters are not for this task, or the model is running or its
//     capture has not ended
ACL_FUNC_VISIBILITY aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams* params);

// One attribute that a kernel of a model was launched with.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `attrId` is unknown
//   107040 ACL_ERROR_RT_MODEL_UPDATE_FAILED: the task is no kernel
ACL_FUNC_VISIBILITY aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task, aclrtLaunchKernelAttrId attrId,
                                                            aclrtLaunchKernelAttrValue* attrValue);

// Brings the changes of aclmdlRITaskSetParams and aclmdlRITaskDisable into a model.
// Synchronous. Thread-safe, but for one model by one thread at a time.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL
//   107040 ACL_ERROR_RT_MODEL_UPDATE_FAILED: the model is running, or its capture has not ended
ACL_FUNC_VISIBILITY aclError aclmdlRIUpdate(aclmdlRI modelRI);

// Leaves a task out from the next aclmdlRIUpdate on.
// Synchronous. Thread-safe, but for one model by one thread at a time.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `task` is NULL
//   107040 ACL_ERROR_RT_MODEL_UPDATE_FAILED: the model is running, or its capture has not ended
ACL_FUNC_VISIBILITY aclError aclmdlRITaskDisable(aclmdlRITask task);

// From now on, what is queued on the stream is not executed but recorded into a model. Streams that wait for an event
// recorded there join. `mode` says which calls of the program are refused meanwhile. What the model uses has to stay
// until it is destroyed.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `mode` is unknown
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is none
//   107027 ACL_ERROR_RT_STREAM_CAPTURED: it is being captured
//   107031 ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT: it is a default stream
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

// How the capture of a stream stands, and, where there is one, its model.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                                    aclmdlRI* modelRI);

// Ends a capture and gives its model. The stream is out of capture afterwards, even when the call fails. Every stream
// that joined must have been joined back by an event.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL, where the model is not part of another
//   107024 ACL_ERROR_RT_CAPTURE_DEPENDENCY: a wait has no record
//   107025 ACL_ERROR_RT_STREAM_UNJOINED: a stream was not joined back, or has work after that
//   107029 ACL_ERROR_RT_STREAM_NOT_CAPTURED: the stream is not being captured
//   107033 ACL_ERROR_STREAM_TASK_GROUP_STATUS: a task group is open
//   107036 ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED: another stream began the capture
//   107038 ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD: another thread began it, and its mode is not
//     ACL_MODEL_RI_CAPTURE_MODE_RELAXED
//   107045 ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING: a branch is being captured, or has not been
//   207009 ACL_ERROR_RT_NO_NOTIFY_RESOURCE: the device has no notify left
//   507903 ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED: the capture has become invalid
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI);

// Writes the tasks of a model to standard output.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL
ACL_FUNC_VISIBILITY ACL_DEPRECATED aclError aclmdlRIDebugPrint(aclmdlRI modelRI);

// Writes the tasks of a model as JSON to the file `path`, which exists. `flags` is ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY
// or ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `flags` is unknown
//   100004 ACL_ERROR_WRITE_FILE: the file cannot be written
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags);

// Makes `*mode` the mode of the calling thread, at first ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, and writes the one it had
// there. A more relaxed mode allows calls that a capture would refuse.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `mode` is NULL or points to no mode
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode);

// Executes a model when the stream comes to it. Executions of one model run one after another.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107026 ACL_ERROR_RT_MODEL_CAPTURED: the capture of the model has not ended
//   207005 ACL_ERROR_RT_RESOURCE_ALLOC_FAIL: the device has no stream left
//   207009 ACL_ERROR_RT_NO_NOTIFY_RESOURCE: the device has no notify left
//   507011 ACL_ERROR_RT_MODEL_EXECUTE: the model is not ready
ACL_FUNC_VISIBILITY aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

// Executes a model and waits for its end, at most `timeout` milliseconds; -1 is for ever.
// Synchronous; a wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `timeout` is 0 or below -1
//   107026 ACL_ERROR_RT_MODEL_CAPTURED: the capture of the model has not ended
//   507011 ACL_ERROR_RT_MODEL_EXECUTE: the model is not ready, or failed
//   507046 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: the time is over
ACL_FUNC_VISIBILITY aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

// Destroys a model.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: it came from a capture that failed, or is part of another model
//   107037 ACL_ERROR_RT_MODEL_RUNNING: it is running
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

// What is captured from now on in the stream is a group, which can be updated later. Launches of single operators only.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107029 ACL_ERROR_RT_STREAM_NOT_CAPTURED: the stream is not being captured
//   107033 ACL_ERROR_STREAM_TASK_GROUP_STATUS: a group or an update is open
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);

// Ends a group and gives its handle; NULL when something in it failed, and the code of that.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `handle` is NULL
//   107033 ACL_ERROR_STREAM_TASK_GROUP_STATUS: no group is open
//   507903 ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED: the capture has become invalid
//   507009 ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT: something other than the launch of an operator was in it
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle);

// From now on, what is queued on the stream is not executed but replaces the tasks of a group, one by one, with the
// same number and kinds.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `handle` is NULL
//   107033 ACL_ERROR_STREAM_TASK_GROUP_STATUS: the group is being updated, or something is open in the stream
//   207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT: tasks cannot be updated here
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);

// Ends an update. It takes effect when the stream comes to it.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107033 ACL_ERROR_STREAM_TASK_GROUP_STATUS: no update is open
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

// Begins to build a model of streams and what is queued on them. `flag` is 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL or `flag` is not 0
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207010 ACL_ERROR_RT_NO_MODEL_RESOURCE: the device has no room for another model
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildBegin(aclmdlRI* modelRI, uint32_t flag);

// Binds a stream made with ACL_STREAM_PERSISTENT to a model. `flag` says whether it starts with the model or is started
// by aclrtActiveStream.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `flag` is unknown
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: model and stream belong to different contexts
//   107005 ACL_ERROR_RT_STREAM_MODEL: the stream is bound, or not persistent
ACL_FUNC_VISIBILITY aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag);

// Says that what has been queued on the stream is all: the model ends there.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107005 ACL_ERROR_RT_STREAM_MODEL: the stream is not bound to this model
ACL_FUNC_VISIBILITY aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream);

// Ends the building of a model, which can be executed now. No more can be queued on its streams. `reserve` is NULL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `reserve` is not NULL, or it was ended before
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void* reserve);

// Takes a stream out of a model that is not running.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107005 ACL_ERROR_RT_STREAM_MODEL: it is not bound to this model, or the model is running
ACL_FUNC_VISIBILITY aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream);

// Names a model, with at most 512 bytes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name is too long
ACL_FUNC_VISIBILITY aclError aclmdlRISetName(aclmdlRI modelRI, const char* name);

// The name of a model; `maxLen` is the size of `name` in bytes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the name does not fit
ACL_FUNC_VISIBILITY aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name);

// The number of a model in its process.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId);

// Has `func` called with `userData` when the model is destroyed. Several functions can be registered.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` or `func` is NULL
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void* userData);

// Ends what aclmdlRIDestroyRegisterCallback began.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the function is not registered
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func);

// The streams of a model. With NULL as `streams`, how many there are; then as many as `*numStreams` has room for, and
// how many it were.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` or `numStreams` is NULL
//   107039 ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY: there are more
ACL_FUNC_VISIBILITY aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream* streams, uint32_t* numStreams);

// The tasks of a stream of a model. With NULL as `tasks`, how many there are; then as many as `*numTasks` has room for,
// and how many it were.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `numTasks` is NULL
//   107039 ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY: there are more
ACL_FUNC_VISIBILITY aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask* tasks, uint32_t* numTasks);

// The kind of a task.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType* type);

// The position of a task in its stream.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t* id);

// Changes a task of a built model, with numbers that are in device memory when `execStream` comes to it. `taskStream`
// is bound to the model; `taskId` is the task's.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `info` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: there is no such task, or it is of another kind
//   107005 ACL_ERROR_RT_STREAM_MODEL: `taskStream` is not bound to a model
ACL_FUNC_VISIBILITY aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId, aclrtTaskUpdateInfo* info,
                                                  aclrtStream execStream);

// Stops a model that is running; it can be executed again. Not for models that were captured.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: it was captured
ACL_FUNC_VISIBILITY aclError aclmdlRIAbort(aclmdlRI modelRI);

// Makes the value that branches of a model depend on. The model is being captured. `flag` is
// ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT to begin each execution with `defaultLaunchValue`, or 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL, or `flag` is unknown
//   107029 ACL_ERROR_RT_STREAM_NOT_CAPTURED: the model is not being captured
ACL_FUNC_VISIBILITY aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue,
                                                      aclmdlRICondHandleFlag flag, aclmdlRICondHandle* handle);

// The address of the value in device memory, for kernels to write; 8 bytes, which belong to the model.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t** ptr);

// Adds a branch or a loop to a capture, and gives an empty model for each of its parts: for IF one or two, chosen by
// not 0 and 0; for WHILE one, repeated while not 0; for SWITCH any number, chosen by the value.
// aclmdlRICaptureToModelRIBegin fills them. `flags` is 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: the array is NULL, or `flags` is not 0
//   107000 ACL_ERROR_RT_PARAM_INVALID: the kind is unknown or has another number of parts
//   107029 ACL_ERROR_RT_STREAM_NOT_CAPTURED: the stream is not being captured
ACL_FUNC_VISIBILITY aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags);

// As aclmdlRICaptureBegin, into one of the models that aclmdlRIAddCondTask gave.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `modelRI` is NULL, or `mode` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: it is no such model, or it has been captured
//   107027 ACL_ERROR_RT_STREAM_CAPTURED: the stream is being captured
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
                                                           aclmdlRICaptureMode mode);

// Removes what is queued on a persistent stream that is not bound to a model, or whose model does not run.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107005 ACL_ERROR_RT_STREAM_MODEL: the stream is not persistent, or its model is running
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtPersistentTaskClean(aclrtStream stream);

// ---- Memory that streams wait for ----

// Queues a task that writes a word of 64 bits to device memory, in one piece. `devAddr` is a multiple of 8; `flag` is
// 0.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `devAddr` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `devAddr` is not memory of the stream's device, or `flag` is not 0
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107008 ACL_ERROR_RT_ADDR_UNALIGNED: `devAddr` is not a multiple of 8
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

// Makes the later tasks of a stream wait for a word of 64 bits in device memory, whoever writes it: a stream, a kernel
// or a copy. `devAddr` is a multiple of 8. `flag` says when the wait ends: 0, the word minus `value` is not negative as
// a signed number, so that a count may wrap; 1, they are equal; 2, some bit is set in both; 3, some bit is set in
// neither. There is no time-out.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `devAddr` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `devAddr` is not memory of the stream's device, or `flag` is unknown
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107008 ACL_ERROR_RT_ADDR_UNALIGNED: `devAddr` is not a multiple of 8
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

// ---- Notifies ----

// Makes a notify on the current device: one stream records it, another waits for it. `flag` is ACL_NOTIFY_DEFAULT or
// ACL_NOTIFY_DEVICE_USE_ONLY.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `notify` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `flag` is unknown
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207009 ACL_ERROR_RT_NO_NOTIFY_RESOURCE: the device has no notify left
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag);

// Destroys a notify. What it holds on the device is given back when the tasks queued for it have run.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `notify` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed before, or is no notify
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

// Makes a counted notify on the current device: a count of 32 bits, at 0, that streams change and wait for. `flag` is
// 0. Both kinds of notifies share the device's limit.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `cntNotify` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `flag` is not 0
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   207009 ACL_ERROR_RT_NO_NOTIFY_RESOURCE: the device has no notify left
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag);

// Destroys a counted notify. What it holds on the device is given back when the tasks queued for it have run.
// Synchronous; does not wait. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `cntNotify` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed before, or is no counted notify
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

// Queues a task that sets a notify. It releases one wait: the one that has lasted longest, or else the next. Setting it
// twice while nobody waits is as setting it once.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `notify` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the notify to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the notify or the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

// Makes the later tasks of a stream wait until the notify is set, and clears it. The wait may be queued before the
// record. It lasts at most `timeout` seconds; 0 is for ever. When the time is over the wait counts as a failed task,
// and the next wait for the stream returns 107019 ACL_ERROR_RT_WAIT_TIMEOUT. When the stream that recorded had stopped,
// it returns 507006 ACL_ERROR_RT_EVENT_NOT_COMPLETE.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `notify` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the notify to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the notify or the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

// The number of a notify among those of its device, from 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no notify
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId);

// Clears `num` notifies at once, whatever is queued for them; at least one. When one of them is none, no one is
// cleared.
// Synchronous; does not wait for any stream. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `notifies` or one of them is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `num` is 0
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: one was destroyed, or is no notify
ACL_FUNC_VISIBILITY aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num);

// Queues a task that changes the count: sets it, adds to it modulo 2^32, or combines it with the bits of the value.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `cntNotify` or `info` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the mode is unknown
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the notify to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the notify or the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                                                  aclrtCntNotifyRecordInfo* info);

// Makes the later tasks of a stream wait until the count compares with the value as the mode says, and sets the count
// to 0 then when `isClear` is not 0. It lasts at most `timeout` seconds; 0 is for ever. How it fails is as with
// aclrtWaitAndResetNotify.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `cntNotify` or `info` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the mode is unknown
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the notify to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the notify or the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
                                                           aclrtCntNotifyWaitInfo* info);

// Queues a task that sets the count to 0.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `cntNotify` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context, or the notify to another device
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the notify or the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);

// The number of a counted notify among the notifies of its device, from 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no counted notify
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId);

// ---- Labels and control flow ----

// Makes a label, a place for streams of a model to jump to. A process has at most 65535.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `label` is NULL
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   507000 ACL_ERROR_RT_INTERNAL_ERROR: there are too many
ACL_FUNC_VISIBILITY aclError aclrtCreateLabel(aclrtLabel* label);

// Puts a label at the end of what is queued on a stream bound to a model. Each label is put once.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: it was put before
//   107005 ACL_ERROR_RT_STREAM_MODEL: the stream is not bound to a model
//   507031 ACL_ERROR_RT_LABEL_CONTEXT: the label belongs to another context
ACL_FUNC_VISIBILITY aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);

// Destroys a label, after the models that use it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `label` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed before, or is none
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabel(aclrtLabel label);

// Makes a list of 1 to 65535 labels for aclrtSwitchLabelByIndex.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `num` is none of these
//   107017 ACL_ERROR_RT_INVALID_HANDLE: one of the labels was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num, aclrtLabelList* labelList);

// Destroys a list of labels, not the labels.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `labelList` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed before, or is none
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabelList(aclrtLabelList labelList);

// Jumps to the label whose position is in device memory at `ptr`, a uint32_t, when the stream comes to it; numbers
// beyond the end mean the last. `maxValue` is the number of labels. A jump back makes a loop.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: a pointer is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `maxValue` is another number
//   107005 ACL_ERROR_RT_STREAM_MODEL: the stream is not bound to a model
ACL_FUNC_VISIBILITY aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue, aclrtLabelList labelList,
                                                     aclrtStream stream);

// Starts `activeStream` when `stream` comes to it; both then run side by side. Both are bound to a model.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107005 ACL_ERROR_RT_STREAM_MODEL: one of the streams is not bound to a model
ACL_FUNC_VISIBILITY aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);

// Compares two numbers in device memory when the stream comes to it. If the condition holds, `trueStream` goes on in
// its place and the stream ends; otherwise the stream goes on. `falseStream` is NULL.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument other than `falseStream` is NULL, or `condition` or `dataType` is
//     unknown
//   107005 ACL_ERROR_RT_STREAM_MODEL: one of the streams is not bound to a model
ACL_FUNC_VISIBILITY aclError aclrtSwitchStream(void* leftValue, aclrtCondition cond, void* rightValue,
                                               aclrtCompareDataType dataType, aclrtStream trueStream,
                                               aclrtStream falseStream, aclrtStream stream);

// ---- Shared buffers ----

// The buffer at a position of a chain, from 0. It stays the chain's.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or the chain has no buffer `index`
ACL_FUNC_VISIBILITY aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf* buf);

// The number of buffers in a chain.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t* num);

// Adds a buffer to the end of a chain, which then owns it. A chain has at most 128.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the chain is full, or `buf` belongs to one
ACL_FUNC_VISIBILITY aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf);

// A second reference to the data of a buffer. Both are given back.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf* newBuf);

// Reads `size` of the 96 bytes that a buffer keeps for the program, from `offset`.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `offset` and `size` together are above 96
ACL_FUNC_VISIBILITY aclError aclrtGetBufUserData(const aclrtMbuf buf, void* dataPtr, size_t size, size_t offset);

// Writes `size` of the 96 bytes that a buffer keeps for the program, from `offset`.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `offset` and `size` together are above 96
ACL_FUNC_VISIBILITY aclError aclrtSetBufUserData(aclrtMbuf buf, const void* dataPtr, size_t size, size_t offset);

// The address and the size in bytes of the data of a buffer.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError aclrtGetBufData(const aclrtMbuf buf, void** dataPtr, size_t* size);

// How many bytes of a buffer are in use.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t* len);

// Says how many bytes of a buffer are in use; at first 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `buf` is NULL, or `len` is above its size
ACL_FUNC_VISIBILITY aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);

// Gives a buffer and its chain back. The data stays while another reference to it is there.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `buf` is NULL
ACL_FUNC_VISIBILITY aclError aclrtFreeBuf(aclrtMbuf buf);

// Takes a buffer of `size` bytes, below 4 GiB.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `buf` is NULL, or `size` is 0 or too large
//   200000 ACL_ERROR_BAD_ALLOC: there is no memory left
ACL_FUNC_VISIBILITY aclError aclrtAllocBuf(aclrtMbuf* buf, size_t size);

// ---- Dumps ----

// Prepares dumps of models and operators, after aclInit; not where the configuration given to aclInit turns them on.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100001 ACL_ERROR_UNINITIALIZE: aclInit has not been called
//   100044 ACL_ERROR_DUMP_ALREADY_RUN: the configuration of aclInit has turned dumps on, or they have been prepared
//     before
ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);

// Turns dumps on as the JSON file at `dumpCfgPath` says, for what is loaded afterwards. The last call holds.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `dumpCfgPath` is NULL
//   100003 ACL_ERROR_INVALID_FILE: there is no such file
//   100006 ACL_ERROR_PARSE_FILE: it is no JSON
//   100009 ACL_ERROR_INVALID_DUMP_CONFIG: it asks for what cannot be
//   100045 ACL_ERROR_DUMP_NOT_RUN: dumps have not been prepared
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char* dumpCfgPath);

// Ends what aclmdlInitDump prepared.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100045 ACL_ERROR_DUMP_NOT_RUN: dumps have not been prepared
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

// ---- Traces ----

// Writes a mark of at most 18 bytes, filled up with 0, to what the profiler collects, when the stream comes to it.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `userdata` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `length` is 0 or above 18
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
ACL_FUNC_VISIBILITY aclError aclrtProfTrace(void* userdata, int32_t length, aclrtStream stream);

// Keeps a description of the operator that the thread queued last, of 1 to 65536 bytes, with the task. While a capture
// is going on, in a stream whose ACL_STREAM_ATTR_CACHE_OP_INFO is on.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `infoPtr` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `infoSize` is none of these, or nothing is being captured
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr, const size_t infoSize);

// Keeps more about the operator that the thread queued last, as JSON text of 1 to 4096 bytes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `extendInfoPtr` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `infoSize` is none of these, or nothing is being captured
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskExtendInfo(const char* const extendInfoPtr, const size_t infoSize);

// ---- Snapshots ----

// Locks the process, before a snapshot: calls that change something wait until it is unlocked. `pid` is that of the
// process itself, `reserve` is NULL.
// Synchronous: waits for the work on all devices. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `pid` is another, or `reserve` is not NULL
//   507905 ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT: the work did not end in time
//   507906 ACL_ERROR_SNAPSHOT_LOCK_FAILED: the process is locked
//   507912 ACL_ERROR_SNAPSHOT_CALLBACK_FAILED: a registered function failed
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessLock(int pid, void* reserve);

// Unlocks the process. `pid` is that of the process itself, `reserve` is NULL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `pid` is another, or `reserve` is not NULL
//   507907 ACL_ERROR_SNAPSHOT_UNLOCK_FAILED: the process is not locked
//   507912 ACL_ERROR_SNAPSHOT_CALLBACK_FAILED: a registered function failed
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessUnlock(int pid, void* reserve);

// Saves the state of the devices of a locked process in host memory. It can be repeated; the last one holds. `pid` is
// that of the process itself, `args` is NULL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `pid` is another, or `args` is not NULL
//   507908 ACL_ERROR_SNAPSHOT_BACKUP_FAILED: the process is not locked
//   507912 ACL_ERROR_SNAPSHOT_CALLBACK_FAILED: a registered function failed
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs* args);

// Brings the devices back to the state that was saved: streams, events, notifies, kernels and models are made again,
// and memory has its content. The process is locked afterwards. `pid` is that of the process itself, `args` is NULL.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   107000 ACL_ERROR_RT_PARAM_INVALID: `pid` is another, or `args` is not NULL
//   507909 ACL_ERROR_SNAPSHOT_RESTORE_FAILED: nothing was saved, or the device is another
//   507912 ACL_ERROR_SNAPSHOT_CALLBACK_FAILED: a registered function failed
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs* args);

// Has `callback` called at a step of a snapshot, once for each device. It returns 0 when the snapshot may go on.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `callback` is NULL, or `stage` is unknown
//   507913 ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED: it is registered for this step
ACL_FUNC_VISIBILITY aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback,
                                                           void* args);

// Ends what aclrtSnapShotCallbackRegister began.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `callback` is NULL, or `stage` is unknown
//   507913 ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED: it is not registered for this step
ACL_FUNC_VISIBILITY aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // FOREBAY_ACL_ACL_RT_H_
