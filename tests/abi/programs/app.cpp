// A program in C++ that leaves the end of everything to the end of the process.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "acl/acl.h"

namespace {

bool Ok(aclError code) {
  if (code == ACL_SUCCESS) return true;
  const char* text = aclGetRecentErrMsg();
  std::fprintf(stderr, "%d %s\n", code, text != nullptr ? text : "");
  return false;
}

}  // namespace

int main() {
  std::vector<uint32_t> words(100);
  std::iota(words.begin(), words.end(), 0U);
  const std::size_t bytes = words.size() * sizeof(uint32_t);
  void* first = nullptr;
  void* second = nullptr;
  if (!Ok(aclInit(nullptr)) || !Ok(aclrtSetDevice(0))) return 1;
  if (!Ok(aclrtMalloc(&first, bytes, ACL_MEM_MALLOC_HUGE_FIRST)) ||
      !Ok(aclrtMalloc(&second, bytes, ACL_MEM_MALLOC_HUGE_FIRST)))
    return 1;
  if (!Ok(aclrtMemcpy(first, bytes, words.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE))) return 1;
  if (!Ok(aclrtMemcpyAsync(second, bytes, first, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr))) return 1;
  if (!Ok(aclrtSynchronizeStream(nullptr))) return 1;
  words.assign(words.size(), 0);
  if (!Ok(aclrtMemcpy(words.data(), bytes, second, bytes, ACL_MEMCPY_DEVICE_TO_HOST))) return 1;
  std::printf("sum %u\n", std::accumulate(words.begin(), words.end(), 0U));
  return 0;
}
