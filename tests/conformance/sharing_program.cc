// Another process to share memory with. It obeys one command after the other from its standard input, and answers each
// with a line: the code of the call that the command is about, or what it asks for.
#include <cstdint>
#include <iostream>
#include <string>

#include "acl/acl.h"

namespace {

constexpr std::size_t kBytes = std::size_t{2} << 20;

struct Sharer {
  aclrtDrvMemHandle handle = nullptr;
  std::string key;
  void* address = nullptr;

  aclError Map() {
    aclError code = aclrtReserveMemAddress(&address, kBytes, 0, nullptr, 0);
    if (code == ACL_SUCCESS) code = aclrtMapMem(address, kBytes, 0, handle, 0);
    return code;
  }
  aclError ReleasePhysical() {
    aclError code = aclrtUnmapMem(address);
    if (code == ACL_SUCCESS) code = aclrtReleaseMemAddress(address);
    if (code == ACL_SUCCESS) code = aclrtFreePhysical(handle);
    return code;
  }
  std::string ExportPhysical() {
    aclrtPhysicalMemProp properties{};
    properties.memAttr = ACL_HBM_MEM_HUGE;
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    uint64_t number = 0;
    if (aclrtMallocPhysical(&handle, kBytes, &properties, 0) != ACL_SUCCESS || Map() != ACL_SUCCESS ||
        aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
                                        &number) != ACL_SUCCESS) {
      return "failed";
    }
    return std::to_string(number);
  }
  std::string ExportMemory() {
    char name[65];
    if (aclrtMalloc(&address, kBytes, ACL_MEM_MALLOC_HUGE_ONLY) != ACL_SUCCESS ||
        aclrtIpcMemGetExportKey(address, kBytes, name, sizeof name, 1) != ACL_SUCCESS) {
      return "failed";
    }
    return name;
  }
};

}  // namespace

int main() {
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) return 1;
  Sharer sharer;
  std::string command;
  while (std::cin >> command) {
    uint64_t number = 0;
    if (command == "process") {
      int32_t process = 0;
      aclrtDeviceGetBareTgid(&process);
      std::cout << process << std::endl;
    } else if (command == "import-physical") {
      std::cin >> number;
      aclError code = aclrtMemImportFromShareableHandle(number, 0, &sharer.handle);
      if (code == ACL_SUCCESS) code = sharer.Map();
      std::cout << code << std::endl;
    } else if (command == "import-fabric") {
      aclrtMemFabricHandle fabric;
      for (uint8_t& byte : fabric.data) {
        std::cin >> number;
        byte = static_cast<uint8_t>(number);
      }
      aclError code = aclrtMemImportFromShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &sharer.handle);
      if (code == ACL_SUCCESS) code = sharer.Map();
      std::cout << code << std::endl;
    } else if (command == "import-memory") {
      std::cin >> sharer.key >> number;
      std::cout << aclrtIpcMemImportByKey(&sharer.address, sharer.key.c_str(), number) << std::endl;
    } else if (command == "device") {
      std::cin >> number;
      std::cout << aclrtSetDevice(static_cast<int32_t>(number)) << std::endl;
    } else if (command == "read") {
      uint32_t value = 0;
      std::cout << (aclrtMemcpy(&value, 4, sharer.address, 4, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
                        ? std::to_string(value)
                        : "failed")
                << std::endl;
    } else if (command == "write") {
      std::cin >> number;
      std::cout << aclrtMemsetD32(sharer.address, kBytes, static_cast<uint32_t>(number), kBytes / 4) << std::endl;
    } else if (command == "export-physical") {
      std::cout << sharer.ExportPhysical() << std::endl;
    } else if (command == "export-memory") {
      std::cout << sharer.ExportMemory() << std::endl;
    } else if (command == "release-physical") {
      std::cout << sharer.ReleasePhysical() << std::endl;
    } else if (command == "close") {
      std::cout << aclrtIpcMemClose(sharer.key.c_str()) << std::endl;
    }
  }
  return aclFinalize() == ACL_SUCCESS ? 0 : 1;
}
