// A program that opens a device, does what it is told in lines, and answers each with a line.
//
//   npu_smi_child DEVICE       with TEST_KERNEL_basic_kernels in the environment
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "acl/acl.h"

namespace {

void Check(aclError code, const char* call) {
  if (code == ACL_SUCCESS) return;
  const char* text = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s: %d %s\n", call, code, text != nullptr ? text : "");
  std::exit(1);
}
#define CHECK(call) Check(call, #call)

constexpr size_t kMemory = size_t{128} << 20;

}  // namespace

int main(int, char** arguments) {
  const int device = std::atoi(arguments[1]);
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(device));
  void* memory = nullptr;
  void* flag = nullptr;
  aclrtStream stream = nullptr;
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle wait_flag = nullptr;
  CHECK(aclrtMalloc(&flag, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclrtBinaryLoadFromFile(std::getenv("TEST_KERNEL_basic_kernels"), nullptr, &binary));
  CHECK(aclrtBinaryGetFunction(binary, "wait_flag", &wait_flag));
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "allocate") {
      CHECK(aclrtMalloc(&memory, kMemory, ACL_MEM_MALLOC_HUGE_FIRST));
    } else if (line == "busy") {
      struct {
        void* flag;
        uint32_t value;
      } launch = {flag, 0x01010101};
      CHECK(aclrtMemset(flag, 64, 0, 64));
      CHECK(aclrtLaunchKernelWithHostArgs(wait_flag, 1, stream, nullptr, &launch, 12, nullptr, 0));
    } else if (line == "idle") {
      CHECK(aclrtMemset(flag, 64, 1, 64));
      CHECK(aclrtSynchronizeStream(stream));
    } else if (line == "fork") {
      const pid_t process = fork();
      if (process == 0) {
        for (;;) pause();
      }
      std::cout << process << std::endl;
    } else if (line == "reset") {
      CHECK(aclrtBinaryUnLoad(binary));
      CHECK(aclrtResetDeviceForce(device));
    } else {
      return 2;
    }
    std::cout << line << std::endl;
  }
  return 0;
}
