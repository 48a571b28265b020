// How sip classifies what the hardware reports: which code, how severe, and in what words.
#include <fmt/format.h>

#include <cstring>

#include "forebay/sip/device.h"

namespace forebay::sip {
namespace {

using types::FaultCause;

struct FaultRow {
  FaultCause cause;
  Severity severity;
  Code code;
  std::string_view what;
  std::string_view advice;
};

constexpr FaultRow kFaults[] = {
    {FaultCause::kBadAddress, Severity::kOperator, Code::kAicoreException,
     "the kernel accessed an address that is not mapped on the device",
     "Check the kernel's pointers: a null pointer, a host pointer, freed memory, or an index out of range"},
    {FaultCause::kIllegalInstruction, Severity::kOperator, Code::kAicoreException,
     "the kernel executed a trap or an illegal instruction",
     "Look for asm(\"trap\"), a failed check, or a jump through a bad pointer in the kernel"},
    {FaultCause::kArithmetic, Severity::kOperator, Code::kAicoreException,
     "the kernel divided an integer by zero, or the quotient did not fit",
     "Check the divisors, often a tile size or a length of 0"},
    {FaultCause::kForbidden, Severity::kOperator, Code::kAicoreException,
     "the kernel executed a privileged instruction, or used an address that is none (its upper bits are not all equal)",
     "Check the kernel's pointers for values that were overwritten, and its assembly"},
    {FaultCause::kMisaligned, Severity::kOperator, Code::kAicoreException,
     "the kernel accessed an address that is not aligned, after it had turned alignment checks on",
     "Align the access, or leave the processor's alignment checks off"},
    {FaultCause::kFloatingPoint, Severity::kOperator, Code::kAicoreException,
     "the kernel caused a floating-point exception that it had turned on",
     "Check the operands, or leave floating-point exceptions off"},
    {FaultCause::kNoStack, Severity::kOperator, Code::kMemoryAllocation,
     "the device has no addresses left for the stack of a block",
     "Raise ulimit -v or the cgroup's memory, or lower block_stack or the number of blocks that meet in SyncAll"},
    {FaultCause::kStackOverflow, Severity::kOperator, Code::kAicoreException, "the kernel overflowed its stack",
     "Keep large arrays in device memory, bound the recursion, or raise block_stack"},
    {FaultCause::kAbort, Severity::kOperator, Code::kAicoreException, "the kernel aborted",
     "See the message of the kernel's own check"},
    {FaultCause::kExit, Severity::kOperator, Code::kAicoreException, "the kernel called exit",
     "A kernel ends by returning"},
    {FaultCause::kTimeout, Severity::kOperator, Code::kAicoreTimeout,
     "the kernel ran longer than its time-out and was stopped",
     "Look for an endless loop or a wait for another kernel; raise the time-out with aclrtSetOpExecuteTimeOut"},
    {FaultCause::kWaitTimeout, Severity::kOperator, Code::kWaitTimeout,
     "the wait for an event or notify took longer than its time-out",
     "Check that it is recorded, and what the stream that records it waits for"},
    {FaultCause::kDependency, Severity::kOperator, Code::kDependencyFailed,
     "what the stream waited for was recorded by a stream that had stopped",
     "See the cause below; recover or destroy both streams"},
    {FaultCause::kCopyAddress, Severity::kOperator, Code::kSystemDma,
     "a copy, or a value to write or wait for, has an address that is not mapped on the device",
     "Check that the memory was not freed before the task ran"},
    {FaultCause::kBadCommand, Severity::kOperator, Code::kInternal, "the scheduler could not decode a task",
     "Please report this"},
    {FaultCause::kSyncAll, Severity::kOperator, Code::kAicoreException,
     "the blocks of the kernel cannot meet in SyncAll",
     "Every block must call SyncAll equally often, and at most as many blocks as there are cores may"},
    {FaultCause::kUnknownKernel, Severity::kOperator, Code::kInvalidDeviceFunction,
     "the kernel is not loaded on the device", "Keep the kernel binary loaded until its launches have run"},
    {FaultCause::kBadParameter, Severity::kOperator, Code::kAicpuException,
     "a task read a parameter from device memory that it cannot use", "Check what is there when the task runs"},
    // What hardware reports of the processors of its cores.
    {FaultCause::kException, Severity::kOperator, Code::kAicoreException, "the kernel faulted",
     "Check the kernel's addresses, divisors and instructions"},
    {FaultCause::kTrap, Severity::kOperator, Code::kAicoreTrap, "the kernel ended itself with a trap",
     "Look for the check in the kernel that traps"},
    {FaultCause::kReadOverflow, Severity::kOperator, Code::kAicoreTrapReadOverflow, "the kernel read outside its data",
     "Check the lengths and offsets of what the kernel reads"},
    {FaultCause::kWriteOverflow, Severity::kOperator, Code::kAicoreTrapWriteOverflow,
     "the kernel wrote outside its data", "Check the lengths and offsets of what the kernel writes"},
    {FaultCause::kAicpuException, Severity::kOperator, Code::kAicpuException, "a kernel of the device's CPU faulted",
     "Check the arguments of the operator"},
    {FaultCause::kAicpuTimeout, Severity::kOperator, Code::kAicpuTimeout,
     "a kernel of the device's CPU ran longer than its time-out and was stopped",
     "Raise the time-out with aclrtSetOpExecuteTimeOut, or look for what it waits for"},
    {FaultCause::kAicpuDump, Severity::kOperator, Code::kAicpuDataDumpResponse,
     "the device's CPU did not answer a dump as it should", "Switch the dump off, and run it again"},
    {FaultCause::kAicpuModel, Severity::kOperator, Code::kAicpuModelResponse,
     "the device's CPU did not answer for a model as it should", "Load the model again"},
    {FaultCause::kAicpuLoad, Severity::kOperator, Code::kAicpuInfoLoadResponse,
     "the device's CPU did not answer the loading of kernels as it should", "Load the kernels again"},
    {FaultCause::kAicpuInternal, Severity::kOperator, Code::kAicpuInternal, "the device's CPU has an error inside",
     "Submit the work again; reset the device when it fails again"},
    {FaultCause::kDmaError, Severity::kOperator, Code::kSystemDma, "the copy engine could not move the data",
     "Submit the copy again"},
    {FaultCause::kFftsTimeout, Severity::kOperator, Code::kFftsPlusTimeout,
     "a group of subtasks ran longer than its time-out and was stopped", "Raise the time-out, or use smaller groups"},
    {FaultCause::kFftsException, Severity::kOperator, Code::kFftsPlusException, "a group of subtasks faulted",
     "Check the kernels of the group one by one"},
    {FaultCause::kFftsTrap, Severity::kOperator, Code::kFftsPlusTrap, "a group of subtasks ended itself with a trap",
     "Look for the check in the kernels of the group that traps"},
    {FaultCause::kCcuTimeout, Severity::kOperator, Code::kCcuTimeout,
     "a task of the communication engine ran longer than its time-out and was stopped",
     "Check that all ranks take part"},
    {FaultCause::kCcuException, Severity::kOperator, Code::kCcuException, "a task of the communication engine faulted",
     "Check the addresses and lengths that all ranks gave"},
    {FaultCause::kSchedulerError, Severity::kOperator, Code::kSchedulerError,
     "the scheduler could not carry out the task", "Submit the work again; reset the device when it fails again"},
    {FaultCause::kUnknownTask, Severity::kOperator, Code::kTaskTypeNotSupport,
     "the device does not know tasks of this kind", "Use a library and firmware of the same version"},
    {FaultCause::kDeviceOom, Severity::kOperator, Code::kDeviceOutOfMemory,
     "memory on the device ran out while the task ran", "Free memory, and submit the work again"},
    {FaultCause::kModelExecute, Severity::kOperator, Code::kModelExecute, "a task of a model failed",
     "Run the model again; load it again when it fails again"},
    {FaultCause::kModelAbort, Severity::kOperator, Code::kModelAbortNormal, "the model was aborted while it ran",
     "Run the model again"},
    {FaultCause::kEndOfSequence, Severity::kNotice, Code::kEndOfSequence, "the data came to its end",
     "This is no fault: stop feeding"},
    // Of the device as a whole.
    {FaultCause::kMemoryUce, Severity::kRepairable, Code::kDeviceMemoryError,
     "memory of the device has an error that cannot be corrected",
     "Call aclrtGetErrorVerbose, aclrtDeviceTaskAbort and aclrtRepairError, then submit the work again; or reset the "
     "device"},
    {FaultCause::kEcc, Severity::kDevice, Code::kHbmMultiBitEcc,
     "several bits of the device's memory are wrong at one place",
     "Reset the device; replace it when that happens again"},
    {FaultCause::kSuspectMemory, Severity::kRepairable, Code::kSuspectDeviceMemory,
     "memory of the device may be at fault", "Call aclrtDeviceTaskAbort and aclrtRepairError, or reset the device"},
    {FaultCause::kSuspectRemote, Severity::kRepairable, Code::kSuspectRemote,
     "memory of another device, which this one used, may be at fault",
     "Check the other devices; call aclrtDeviceTaskAbort and aclrtRepairError, and submit the work again"},
    {FaultCause::kLinkError, Severity::kRepairable, Code::kLinkError, "a link between devices failed",
     "Call aclrtDeviceTaskAbort and aclrtRepairError, and submit the work again; or reset the device"},
    {FaultCause::kL3Port, Severity::kRepairable, Code::kL3PortError, "a port between servers failed",
     "Check the network; call aclrtDeviceTaskAbort and aclrtRepairError, and submit the work again"},
    {FaultCause::kOverheat, Severity::kDevice, Code::kDriverInternal, "the device is too hot and has stopped",
     "Let it cool down, check its cooling, then reset it and set it again"},
    {FaultCause::kPowerFailure, Severity::kDevice, Code::kDriverInternal, "the device's supply of power failed",
     "Check the supply, then reset the device and set it again"},
    {FaultCause::kHeartbeat, Severity::kDevice, Code::kLostHeartbeat, "the device's scheduler gives no sign of life",
     "Reset the device and set it again"},
    {FaultCause::kLinkLost, Severity::kDevice, Code::kSocketClose, "the link to the device is lost",
     "Reset the device and set it again"},
    {FaultCause::kHungScheduler, Severity::kDevice, Code::kLostHeartbeat, "the device's scheduler hangs",
     "Reset the device and set it again"},
    {FaultCause::kPowerDown, Severity::kDevice, Code::kLostHeartbeat, "the device process is gone",
     "Reset the device and set it again"},
};

// Kernels of vector cores have codes of their own.
Code CodeOnVectorCore(Code code) noexcept {
  if (code == Code::kAicoreException) return Code::kVectorCoreException;
  if (code == Code::kAicoreTimeout) return Code::kVectorCoreTimeout;
  if (code == Code::kAicoreTrap) return Code::kVectorCoreTrap;
  if (code == Code::kAicoreTrapReadOverflow) return Code::kVectorCoreTrapReadOverflow;
  if (code == Code::kAicoreTrapWriteOverflow) return Code::kVectorCoreTrapWriteOverflow;
  return code;
}

}  // namespace

FaultReport Classify(const types::InterruptRecord& record) {
  // A cause that is not in the table was not written by our firmware: the registers have been overwritten.
  static constexpr FaultRow kUnknown = {FaultCause::kNone, Severity::kDevice, Code::kDriverInternal,
                                        "the device reported a failure that does not exist",
                                        "Reset the device and set it again"};
  const FaultRow* row = &kUnknown;
  for (const FaultRow& candidate : kFaults) {
    if (candidate.cause == record.cause) row = &candidate;
  }
  FaultReport report;
  report.severity = row->severity;
  report.code = record.on_vector_core != 0 ? CodeOnVectorCore(row->code) : row->code;
  report.message = row->what;
  report.advice = row->advice;
  report.stream = record.stream;
  report.task = record.task;
  report.entry = record.entry;
  report.block = record.block;
  report.image = record.image;
  report.function = record.function;
  report.from_dependency = record.cause == FaultCause::kDependency;
  report.other_stream = record.other_stream;
  report.other_task = record.other_task;
  if (IsDeviceFailure(report.severity)) report.address = record.address;
  report.from_kernel = record.block >= 0;
  if (record.cause == FaultCause::kBadAddress || record.cause == FaultCause::kCopyAddress ||
      record.cause == FaultCause::kStackOverflow) {
    report.message += fmt::format(": address {:#x}", record.address);
    if (record.cause != FaultCause::kStackOverflow) report.address = record.address;
  }
  if (record.cause == FaultCause::kWaitTimeout) {
    report.message += fmt::format(": register {}, {} ms", record.address, record.elapsed_ms);
  }
  if (record.instruction != 0) report.message += fmt::format(", instruction at image offset {:#x}", record.instruction);
  const std::string_view text(record.text, strnlen(record.text, sizeof record.text));
  if (!text.empty()) report.message += fmt::format(": {}", text);
  return report;
}

}  // namespace forebay::sip
