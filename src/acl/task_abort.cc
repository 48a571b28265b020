// Aborting the tasks of a device, and repairing it.
#include <fmt/format.h>

#include <algorithm>

#include "acl/acl_rt.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/state_callbacks.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

constexpr uint32_t kLongestAbortMs = 36 * 60 * 1000;
constexpr std::size_t kMostRanges = 128;

aclrtErrorType TypeOf(Code code) {
  switch (code) {
    case Code::kDeviceMemoryError:
    case Code::kSuspectDeviceMemory:
    case Code::kHbmMultiBitEcc: return ACL_RT_ERROR_MEMORY;
    case Code::kLinkError: return ACL_RT_ERROR_LINK;
    case Code::kL3PortError: return ACL_RT_ERROR_L3_PORT;
    default: return ACL_RT_ERROR_OTHERS;
  }
}

Status CheckRanges(const aclrtMemUceInfo* ranges, std::size_t count) {
  if (ranges == nullptr) return NullArgument("memUceInfoArray");
  if (count == 0 || count > kMostRanges) {
    return Status(Code::kInvalidParam, fmt::format("arraySize is {}", count), "Pass an array of 1 to 128 elements");
  }
  return {};
}

// Fills in as many as there is room for; returns how many.
std::size_t Fill(const std::vector<runtime::DeviceState::BadPage>& pages, aclrtMemUceInfo* ranges, std::size_t room) {
  const std::size_t count = std::min(pages.size(), room);
  for (std::size_t i = 0; i < count; ++i) {
    ranges[i] = {};
    ranges[i].addr = reinterpret_cast<void*>(pages[i].address);
    ranges[i].len = pages[i].bytes;
  }
  return count;
}

}  // namespace

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout) {
  return Guard("aclrtDeviceTaskAbort", [&]() -> Status {
    if (timeout > kLongestAbortMs) {
      return Status(Code::kParamInvalid, fmt::format("timeout is {} ms", timeout),
                    fmt::format("Use at most {} ms, or 0 for no limit", kLongestAbortMs));
    }
    ASSIGN_OR_RETURN(runtime::DeviceState * device, runtime::FindDevice(deviceId));
    return device->AbortTasks(timeout);
  });
}

aclError aclrtSetDeviceTaskAbortCallback(const char* regName, aclrtDeviceTaskAbortCallback callback, void* args) {
  return Guard("aclrtSetDeviceTaskAbortCallback", [&]() -> Status {
    if (regName == nullptr || *regName == 0) return NullArgument("regName");
    if (callback == nullptr) return runtime::RegisterTaskAbortCallback(regName, nullptr);
    return runtime::RegisterTaskAbortCallback(regName, [=](int32_t device, runtime::TaskAbortStage stage,
                                                           uint32_t limit_ms) {
      callback(device,
               stage == runtime::TaskAbortStage::kBegins ? ACL_RT_DEVICE_TASK_ABORT_PRE : ACL_RT_DEVICE_TASK_ABORT_POST,
               limit_ms, args);
    });
  });
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo) {
  return Guard("aclrtGetErrorVerbose", [&]() -> Status {
    if (errorInfo == nullptr) return NullArgument("errorInfo");
    ASSIGN_OR_RETURN(const runtime::DeviceState* device, runtime::FindDevice(deviceId));
    *errorInfo = {};
    const runtime::DeviceState::Trouble trouble = device->trouble();
    if (!trouble.failure.ok()) {
      errorInfo->errorType = TypeOf(trouble.failure.code());
      errorInfo->tryRepair = trouble.can_be_repaired ? 1 : 0;
      errorInfo->hasDetail = trouble.bad_pages.empty() ? 0 : 1;
      auto& ranges = errorInfo->detail.uceInfo;
      if (!trouble.bad_pages.empty())
        ranges.arraySize = Fill(trouble.bad_pages, ranges.memUceInfoArray, ACL_RT_MEM_UCE_INFO_MAX_NUM);
    } else if (device->kernel_has_failed()) {
      errorInfo->errorType = ACL_RT_ERROR_AICORE;
      errorInfo->hasDetail = 1;
      errorInfo->detail.aicoreErrType = ACL_RT_AICORE_ERROR_SW;
    }
    return {};
  });
}

aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize, size_t* retSize) {
  return Guard("aclrtGetMemUceInfo", [&]() -> Status {
    if (retSize == nullptr) return NullArgument("retSize");
    RETURN_IF_ERROR(CheckRanges(memUceInfoArray, arraySize));
    ASSIGN_OR_RETURN(const runtime::DeviceState* device, runtime::FindDevice(deviceId));
    const std::vector<runtime::DeviceState::BadPage> pages = device->trouble().bad_pages;
    Fill(pages, memUceInfoArray, arraySize);
    *retSize = pages.size();
    return {};
  });
}

aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize) {
  return Guard("aclrtMemUceRepair", [&]() -> Status {
    RETURN_IF_ERROR(CheckRanges(memUceInfoArray, arraySize));
    ASSIGN_OR_RETURN(runtime::DeviceState * device, runtime::FindDevice(deviceId));
    const std::vector<runtime::DeviceState::BadPage> pages = device->trouble().bad_pages;
    std::vector<runtime::DeviceState::BadPage> wanted;
    for (std::size_t i = 0; i < arraySize; ++i) {
      const auto address = reinterpret_cast<uint64_t>(memUceInfoArray[i].addr);
      const auto found = std::find_if(pages.begin(), pages.end(), [&](const auto& page) {
        return address >= page.address && address - page.address < page.bytes;
      });
      if (found == pages.end()) {
        return Status(
            Code::kParamInvalid,
            fmt::format("memUceInfoArray[{}].addr is {:#x}, where no memory of device {} is bad", i, address, deviceId),
            "Pass what aclrtGetMemUceInfo gave");
      }
      wanted.push_back(*found);
    }
    return device->Repair(wanted);
  });
}

aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo) {
  return Guard("aclrtRepairError", [&]() -> Status {
    if (errorInfo == nullptr) return NullArgument("errorInfo");
    ASSIGN_OR_RETURN(runtime::DeviceState * device, runtime::FindDevice(deviceId));
    return device->Repair(device->trouble().bad_pages);
  });
}
