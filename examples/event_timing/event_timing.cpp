// How long the stages of a stream take: events between them carry time stamps of the device.
#include <acl/acl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                  \
  do {                                                                               \
    const aclError code = (call);                                                    \
    if (code != ACL_SUCCESS) {                                                       \
      const char* text = aclGetRecentErrMsg();                                       \
      std::fprintf(stderr, "%s: %d %s\n", #call, code, text != nullptr ? text : ""); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

#define EXPECT(condition)                                              \
  do {                                                                 \
    if (!(condition)) {                                                \
      std::fprintf(stderr, "line %d: not %s\n", __LINE__, #condition); \
      std::exit(1);                                                    \
    }                                                                  \
  } while (false)

int main() {
  constexpr size_t kBytes = size_t{8} << 20;
  const char* const stages[] = {"host to device", "set half", "device to device", "device to host"};
  constexpr size_t kStages = sizeof stages / sizeof stages[0];

  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));
  void *host = nullptr, *first = nullptr, *second = nullptr;
  CHECK(aclrtMallocHost(&host, kBytes));
  CHECK(aclrtMalloc(&first, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&second, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  auto* bytes = static_cast<unsigned char*>(host);
  for (size_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<unsigned char>(i % 251);

  // One event before each stage and one behind the last. Time stamps are all that they are for.
  std::vector<aclrtEvent> events(kStages + 1);
  for (aclrtEvent& event : events) CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_TIME_LINE));
  uint64_t nothing = 0;
  EXPECT(aclrtEventGetTimestamp(events[0], &nothing) == ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);  // not recorded yet

  CHECK(aclrtRecordEvent(events[0], stream));
  CHECK(aclrtMemcpyAsync(first, kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(aclrtRecordEvent(events[1], stream));
  CHECK(aclrtMemsetAsync(first, kBytes, 7, kBytes / 2, stream));
  CHECK(aclrtRecordEvent(events[2], stream));
  CHECK(aclrtMemcpyAsync(second, kBytes, first, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  CHECK(aclrtRecordEvent(events[3], stream));
  CHECK(aclrtMemcpyAsync(host, kBytes, second, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  CHECK(aclrtRecordEvent(events[4], stream));
  CHECK(aclrtSynchronizeEvent(events[kStages]));

  float sum = 0;
  for (size_t i = 0; i < kStages; ++i) {
    float ms = -1;
    uint64_t before = 0, after = 0;
    CHECK(aclrtEventElapsedTime(&ms, events[i], events[i + 1]));
    CHECK(aclrtEventGetTimestamp(events[i], &before));
    CHECK(aclrtEventGetTimestamp(events[i + 1], &after));
    std::printf("%-16s %8.3f ms\n", stages[i], static_cast<double>(ms));
    EXPECT(ms >= 0 && after >= before);
    // The time stamps are whole microseconds.
    const double difference = static_cast<double>(after - before) / 1000 - static_cast<double>(ms);
    EXPECT(difference < 0.0021 && difference > -0.0021);
    sum += ms;
  }
  float total = 0;
  CHECK(aclrtEventElapsedTime(&total, events[0], events[kStages]));
  std::printf("%-16s %8.3f ms\n", "all", static_cast<double>(total));
  EXPECT(total > 0 && sum < total * 1.01F + 0.001F && sum > total * 0.99F - 0.001F);
  EXPECT(aclrtEventElapsedTime(&total, events[kStages], events[0]) == ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL);
  for (size_t i = 0; i < kBytes; ++i) EXPECT(bytes[i] == (i < kBytes / 2 ? 7 : i % 251));

  for (aclrtEvent event : events) CHECK(aclrtDestroyEvent(event));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtFree(first));
  CHECK(aclrtFree(second));
  CHECK(aclrtFreeHost(host));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
