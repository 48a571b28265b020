// A program in C that uses a device and nothing of Forebay's own.
#include <stdint.h>
#include <stdio.h>

#include "acl/acl.h"

#define CHECK(call)                                                          \
  do {                                                                       \
    const aclError code = (call);                                            \
    if (code != ACL_SUCCESS) {                                               \
      const char* text = aclGetRecentErrMsg();                               \
      fprintf(stderr, "%s: %d %s\n", #call, code, text != NULL ? text : ""); \
      return 1;                                                              \
    }                                                                        \
  } while (0)

static void AddUp(void* words) {
  uint32_t* word = words;
  uint32_t sum = 0;
  for (int i = 0; i < 100; ++i) sum += word[i];
  word[0] = sum;
}

int main(void) {
  void* device = NULL;
  void* host = NULL;
  aclrtStream stream = NULL;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclrtMalloc(&device, 400, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMallocHost(&host, 400));
  for (uint32_t i = 0; i < 100; ++i) ((uint32_t*)host)[i] = i;
  CHECK(aclrtMemcpyAsync(device, 400, host, 400, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(aclrtMemsetAsync(host, 400, 0, 400, stream));
  CHECK(aclrtMemcpyAsync(host, 400, device, 400, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  CHECK(aclrtLaunchHostFunc(stream, AddUp, host));
  CHECK(aclrtSynchronizeStream(stream));
  printf("sum %u\n", ((uint32_t*)host)[0]);
  CHECK(aclrtFree(device));
  CHECK(aclrtFreeHost(host));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
