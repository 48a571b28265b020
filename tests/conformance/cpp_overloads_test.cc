// The overloads for C++: what they forward does what the C function does, and each of them compiles.
#include "acl/acl_rt_api.h"
#include "conformance/support.h"

namespace conformance {
namespace {

class CppOverloads : public WithDevice {};

TEST_F(CppOverloads, TypedMemoryIsAllocatedAndCopied) {
  const float source[] = {1.5F, -2.0F, 3.25F, 0.0F};
  float* device = nullptr;
  float* host = nullptr;
  ASSERT_OK(aclrtMalloc(&device, sizeof source));
  ASSERT_OK(aclrtMallocHost(&host, sizeof source));
  ASSERT_OK(aclrtMemcpy(device, sizeof source, source, sizeof source, ACL_MEMCPY_HOST_TO_DEVICE));
  ASSERT_OK(aclrtMemcpyAsync(host, sizeof source, device, sizeof source, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  ASSERT_OK(aclrtSynchronizeStream(nullptr, 60000));
  EXPECT_EQ(0, std::memcmp(host, source, sizeof source));
  EXPECT_OK(aclrtFreeHost(host));
  EXPECT_OK(aclrtFree(device));
}

TEST_F(CppOverloads, MallocTakesAPolicy) {
  int* normal = nullptr;
  ASSERT_OK(aclrtMalloc(&normal, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
  EXPECT_OK(aclrtFree(normal));
}

TEST_F(CppOverloads, FailuresOfTheCFunctionComeBack) {
  int* nothing = Untouched<int*>();
  EXPECT_NE(ACL_SUCCESS, aclrtMalloc(&nothing, 0));
  EXPECT_NE(ACL_SUCCESS, aclrtMallocHost(&nothing, 0));
  EXPECT_TRUE(IsUntouched(nothing));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(nullptr, 0));
}

TEST_F(CppOverloads, StreamsHaveAPriorityAndFlags) {
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream, 5, ACL_STREAM_FAST_SYNC));
  uint32_t priority = 0;
  uint32_t flags = 0;
  EXPECT_OK(aclrtStreamGetPriority(stream, &priority));
  EXPECT_OK(aclrtStreamGetFlags(stream, &flags));
  EXPECT_EQ(5U, priority);
  EXPECT_EQ(ACL_STREAM_FAST_SYNC, flags);
  EXPECT_OK(aclrtDestroyStream(stream));
}

TEST_F(CppOverloads, WaitsAreOverWhenTheirTimeIs) {
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream, 0, 0));
  ASSERT_OK(aclrtCreateEvent(&event, ACL_EVENT_SYNC));
  Gate gate;
  ASSERT_OK(gate.Close(stream));
  ASSERT_OK(aclrtRecordEvent(event, stream));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStream(stream, 1));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDevice(1));
  EXPECT_CODE(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEvent(event, 1));
  EXPECT_OK(aclrtStreamWaitEvent(nullptr, event, 60));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeEvent(event, 60000));
  EXPECT_OK(aclrtSynchronizeStream(stream, -1));
  EXPECT_OK(aclrtSynchronizeDevice(60000));
  EXPECT_OK(aclrtDestroyEvent(event));
  EXPECT_OK(aclrtDestroyStream(stream));
}

// Never called: it instantiates each of the others, as programs write them.
[[maybe_unused]] void Compile(aclrtStream stream, aclrtMallocConfig* config, aclrtPtrAttributes* attributes,
                              aclrtMemcpyBatchAttr attribute, aclrtMemManagedLocation location) {
  static const int variable[4] = {};
  double* a = nullptr;
  float* b = nullptr;
  const char* text = nullptr;
  void* address = nullptr;
  size_t size = 0;
  uint64_t actual = 0;
  static_cast<void>(aclrtSetOpExecuteTimeOut(1000, &actual));
  const double** ranges = nullptr;
  static_cast<void>(aclrtMalloc(&a, 8, config));
  static_cast<void>(aclrtMalloc(&a, 8, ACL_MEM_MALLOC_HUGE_ONLY, config));
  static_cast<void>(aclrtMallocHost(&a, 8, config));
  static_cast<void>(aclrtMemAllocManaged(&a, 8));
  static_cast<void>(aclrtMemAllocManaged(&a, 8, 1));
  static_cast<void>(aclrtPointerGetAttributes(text, attributes));
  static_cast<void>(aclrtHostRegister(a, 8, ACL_HOST_REGISTER_MAPPED, &a));
  static_cast<void>(aclrtHostRegister(a, 8, uint32_t{ACL_HOST_REG_MAPPED}));
  static_cast<void>(aclrtHostGetDevicePointer(a, &a, 0));
  static_cast<void>(aclrtHostUnregister(a));
  static_cast<void>(aclrtMemcpy2d(a, 8, b, 8, 8, 1, ACL_MEMCPY_HOST_TO_DEVICE));
  static_cast<void>(aclrtMemcpy2dAsync(a, 8, text, 8, 8, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  static_cast<void>(aclrtMemcpyBatch(&a, &size, &text, &size, 1, attribute));
  static_cast<void>(aclrtMemcpyBatch(&a, &size, &b, &size, 1, attribute, &size));
  static_cast<void>(aclrtMemcpyBatch(&a, &size, &b, &size, 1, &attribute, &size, 1));
  static_cast<void>(aclrtMemcpyBatch(&a, &size, &b, &size, 1, &attribute, &size, 1, &size));
  static_cast<void>(aclrtMemcpyBatchAsync(&a, &size, &b, &size, 1, attribute, stream));
  static_cast<void>(aclrtMemcpyBatchAsync(&a, &size, &b, &size, 1, attribute, &size, stream));
  static_cast<void>(aclrtMemcpyBatchAsync(&a, &size, &b, &size, 1, &attribute, &size, 1, stream));
  static_cast<void>(aclrtMemcpyBatchAsync(&a, &size, &b, &size, 1, &attribute, &size, 1, &size, stream));
  static_cast<void>(aclrtMemManagedPrefetchAsync(a, 8, location, 0, stream));
  static_cast<void>(aclrtMemManagedPrefetchBatchAsync(ranges, &size, 1, location, 0, stream));
  static_cast<void>(aclrtMemManagedPrefetchBatchAsync(ranges, &size, 1, &location, &size, 1, 0, stream));
  static_cast<void>(aclrtGetSymbolAddress(variable, &address));
  static_cast<void>(aclrtGetSymbolSize(variable, &size));
  static_cast<void>(aclrtMemcpyFromSymbol(a, 8, variable, 8, 0, ACL_MEMCPY_DEVICE_TO_HOST));
  static_cast<void>(aclrtMemcpyFromSymbolAsync(a, 8, variable, 8, 0, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  static_cast<void>(aclrtMemcpyToSymbol(variable, text, 8, 0, ACL_MEMCPY_HOST_TO_DEVICE));
  static_cast<void>(aclrtMemcpyToSymbolAsync(variable, text, 8, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream));
}

}  // namespace
}  // namespace conformance
