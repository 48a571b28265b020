// Memory that several processes use.
#include "forebay/runtime/memory_sharing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "guard.h"

using namespace forebay;           // NOLINT(google-build-using-namespace)
using namespace forebay::acl;      // NOLINT(google-build-using-namespace)
using namespace forebay::runtime;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t kKeyBytes = 65;

// What an aclrtMemFabricHandle holds.
struct Fabric {
  char mark[16];
  uint64_t number;
};
constexpr char kMark[sizeof Fabric::mark] = "forebay fabric";

Status UnknownFlags(uint64_t flags, std::string_view family) {
  return Status(Code::kInvalidParam, fmt::format("the flags are {:#x}", flags), fmt::format("See {}", family));
}

Status CheckProcesses(const int32_t* processes, std::size_t count) {
  if (processes == nullptr) return NullArgument("pid");
  if (count == 0) return Status(Code::kInvalidParam, "the number of processes is 0", "Name at least one");
  return {};
}
std::vector<int32_t> List(const int32_t* processes, std::size_t count) { return {processes, processes + count}; }

Status CheckShareType(aclrtMemSharedHandleType type) {
  if (type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT) return {};
  if (type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) return RequireFeature(base::SocFeature::kFabricHandle);
  return Status(Code::kInvalidParam, fmt::format("there is no type of handle {}", static_cast<int>(type)),
                "See aclrtMemSharedHandleType");
}

Result<uint64_t> NumberIn(const void* handle, aclrtMemSharedHandleType type) {
  if (handle == nullptr) return NullArgument("shareableHandle");
  RETURN_IF_ERROR(CheckShareType(type));
  uint64_t number = 0;
  if (type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT) {
    std::memcpy(&number, handle, sizeof number);
    return number;
  }
  Fabric fabric;
  std::memcpy(&fabric, handle, sizeof fabric);
  if (std::memcmp(fabric.mark, kMark, sizeof kMark) == 0) return fabric.number;
  return Status(Code::kParamInvalid, "the fabric handle was not made by aclrtMemExportToShareableHandleV2",
                "Pass all 128 bytes on as they are");
}

Result<uint64_t> Export(aclrtDrvMemHandle handle, uint64_t flags) {
  if (handle == nullptr) return NullArgument("handle");
  if (flags > ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION) return UnknownFlags(flags, "ACL_RT_VMM_EXPORT_FLAG_*");
  return ExportPhysical(ToHandle(handle), flags == ACL_RT_VMM_EXPORT_FLAG_DEFAULT);
}

Status Import(uint64_t number, int32_t device, aclrtDrvMemHandle* handle) {
  ASSIGN_OR_RETURN(const uint64_t imported, ImportPhysical(number, device));
  *handle = FromHandle(imported);
  return {};
}

}  // namespace

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags,
                                         uint64_t* shareableHandle) {
  return Guard("aclrtMemExportToShareableHandle", [&]() -> Status {
    if (shareableHandle == nullptr) return NullArgument("shareableHandle");
    if (handleType != ACL_MEM_HANDLE_TYPE_NONE) {
      return Status(Code::kInvalidParam, fmt::format("handleType is {}", static_cast<int>(handleType)),
                    "It is ACL_MEM_HANDLE_TYPE_NONE");
    }
    ASSIGN_OR_RETURN(*shareableHandle, Export(handle, flags));
    return {};
  });
}

aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType shareType,
                                           void* shareableHandle) {
  return Guard("aclrtMemExportToShareableHandleV2", [&]() -> Status {
    if (shareableHandle == nullptr) return NullArgument("shareableHandle");
    RETURN_IF_ERROR(CheckShareType(shareType));
    ASSIGN_OR_RETURN(const uint64_t number, Export(handle, flags));
    if (shareType == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT) {
      std::memcpy(shareableHandle, &number, sizeof number);
      return {};
    }
    Fabric fabric{};
    std::memcpy(fabric.mark, kMark, sizeof kMark);
    fabric.number = number;
    std::memset(shareableHandle, 0, sizeof(aclrtMemFabricHandle));
    std::memcpy(shareableHandle, &fabric, sizeof fabric);
    return {};
  });
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle* handle) {
  return Guard("aclrtMemImportFromShareableHandle", [&]() -> Status {
    if (handle == nullptr) return NullArgument("handle");
    return Import(shareableHandle, deviceId, handle);
  });
}

aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags,
                                             aclrtDrvMemHandle* handle) {
  return Guard("aclrtMemImportFromShareableHandleV2", [&]() -> Status {
    if (handle == nullptr) return NullArgument("handle");
    if (flags != 0) return UnknownFlags(flags, "the documentation: it is 0");
    ASSIGN_OR_RETURN(const uint64_t number, NumberIn(shareableHandle, shareType));
    ASSIGN_OR_RETURN(const Context* context, CurrentContext());
    return Import(number, context->device().id(), handle);
  });
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum) {
  return Guard("aclrtMemSetPidToShareableHandle", [&]() -> Status {
    RETURN_IF_ERROR(CheckProcesses(pid, pidNum));
    return AllowPhysicalImport(shareableHandle, List(pid, pidNum));
  });
}

aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType, int32_t* pid,
                                           size_t pidNum) {
  return Guard("aclrtMemSetPidToShareableHandleV2", [&]() -> Status {
    RETURN_IF_ERROR(CheckProcesses(pid, pidNum));
    ASSIGN_OR_RETURN(const uint64_t number, NumberIn(shareableHandle, shareType));
    return AllowPhysicalImport(number, List(pid, pidNum));
  });
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  return Guard("aclrtDeviceGetBareTgid", [&]() -> Status {
    if (pid == nullptr) return NullArgument("pid");
    *pid = getpid();
    return {};
  });
}

aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t flags) {
  return Guard("aclrtIpcMemGetExportKey", [&]() -> Status {
    if (devPtr == nullptr) return NullArgument("devPtr");
    if (key == nullptr) return NullArgument("key");
    if (size == 0) return Status(Code::kInvalidParam, "argument size is 0", "Share at least 1 byte");
    if (flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
      return UnknownFlags(flags, "ACL_RT_IPC_MEM_EXPORT_FLAG_*");
    if (len < kKeyBytes) {
      return Status(Code::kParamInvalid, fmt::format("the key has room for {} bytes", len),
                    fmt::format("Make room for {}", kKeyBytes));
    }
    ASSIGN_OR_RETURN(const std::string name, ExportMemory(devPtr, size, flags == ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT));
    std::memcpy(key, name.c_str(), name.size() + 1);
    return {};
  });
}

aclError aclrtIpcMemClose(const char* key) {
  return Guard("aclrtIpcMemClose", [&]() -> Status {
    if (key == nullptr) return NullArgument("key");
    return CloseMemory(key);
  });
}

aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags) {
  return Guard("aclrtIpcMemImportByKey", [&]() -> Status {
    if (devPtr == nullptr) return NullArgument("devPtr");
    if (key == nullptr) return NullArgument("key");
    if (flags > ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
      return UnknownFlags(flags, "ACL_RT_IPC_MEM_IMPORT_FLAG_*");
    ASSIGN_OR_RETURN(*devPtr, ImportMemory(key, flags == ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
    return {};
  });
}

aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num) {
  return Guard("aclrtIpcMemSetImportPid", [&]() -> Status {
    if (key == nullptr) return NullArgument("key");
    RETURN_IF_ERROR(CheckProcesses(pid, num));
    return AllowMemoryImport(key, List(pid, num));
  });
}

aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type, uint64_t attr) {
  return Guard("aclrtIpcMemSetAttr", [&]() -> Status {
    if (key == nullptr) return NullArgument("key");
    if (type != ACL_RT_IPC_MEM_ATTR_ACCESS_LINK) {
      return Status(Code::kInvalidParam, fmt::format("there is no attribute {}", static_cast<int>(type)),
                    "See aclrtIpcMemAttrType");
    }
    if (attr > ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH) {
      return Status(Code::kParamInvalid, fmt::format("there is no link {}", attr),
                    "See ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_*");
    }
    // All memory is reached in one way.
    return CheckSharedMemory(key);
  });
}

aclError aclrtIpcMemImportPidInterServer(const char* key, aclrtServerPid* serverPids, size_t num) {
  return Guard("aclrtIpcMemImportPidInterServer", [&]() -> Status {
    if (key == nullptr) return NullArgument("key");
    if (serverPids == nullptr) return NullArgument("serverPids");
    if (num == 0) return Status(Code::kInvalidParam, "argument num is 0", "Name at least one server");
    return Status(Code::kFeatureNotSupport, "this server is joined with no other",
                  "Allow processes of this server with aclrtIpcMemSetImportPid");
  });
}
