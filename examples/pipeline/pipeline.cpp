// A pipeline: two threads fill pinned buffers and send them to the device, each through a stream of its own; a third
// stream adds what both sent, brings the sum back, and a callback hands each batch to the thread that checks it.
#include <acl/acl.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <thread>

#define CHECK(call)                                                                  \
  do {                                                                               \
    const aclError code = (call);                                                    \
    if (code != ACL_SUCCESS) {                                                       \
      const char* text = aclGetRecentErrMsg();                                       \
      std::fprintf(stderr, "%s: %d %s\n", #call, code, text != nullptr ? text : ""); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

constexpr uint32_t kBatches = 16;
constexpr uint32_t kCount = 64 * 1024;
constexpr size_t kBytes = kCount * sizeof(uint32_t);

struct Producer {
  aclrtStream stream = nullptr;
  uint32_t* pinned[kBatches] = {};
  void* memory[kBatches] = {};
  aclrtEvent sent[kBatches] = {};
  std::promise<void> ready[kBatches];
};

struct Batch {
  uint32_t number = 0;
  uint32_t* result = nullptr;  // pinned
};

static std::atomic<uint32_t> checked{0}, wrong{0};

// Numbers that tell producers, batches and places apart.
static uint32_t ValueOf(uint32_t producer, uint32_t batch, uint32_t i) { return i * (producer + 2) + batch * 1000; }

static void Produce(Producer* self, uint32_t producer) {
  CHECK(aclrtSetDevice(0));
  for (uint32_t batch = 0; batch < kBatches; ++batch) {
    for (uint32_t i = 0; i < kCount; ++i) self->pinned[batch][i] = ValueOf(producer, batch, i);
    CHECK(aclrtMemcpyAsync(self->memory[batch], kBytes, self->pinned[batch], kBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           self->stream));
    CHECK(aclrtRecordEvent(self->sent[batch], self->stream));
    self->ready[batch].set_value();
  }
  CHECK(aclrtSynchronizeStream(self->stream));
}

// Runs in the report thread.
static void CheckBatch(void* argument) {
  const auto* batch = static_cast<const Batch*>(argument);
  for (uint32_t i = 0; i < kCount; ++i) {
    if (batch->result[i] != ValueOf(0, batch->number, i) + ValueOf(1, batch->number, i)) ++wrong;
  }
  ++checked;
}

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  const auto kernels = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "pipeline_kernels.o";
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle add = nullptr;
  CHECK(aclrtBinaryLoadFromFile(kernels.c_str(), nullptr, &binary));
  CHECK(aclrtBinaryGetFunction(binary, "add", &add));

  static Producer producers[2];
  for (Producer& producer : producers) {
    CHECK(aclrtCreateStream(&producer.stream));
    for (uint32_t batch = 0; batch < kBatches; ++batch) {
      CHECK(aclrtMallocHost(reinterpret_cast<void**>(&producer.pinned[batch]), kBytes));
      CHECK(aclrtMalloc(&producer.memory[batch], kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
      CHECK(aclrtCreateEvent(&producer.sent[batch]));
    }
  }
  static Batch batches[kBatches];
  aclrtStream consumer = nullptr;
  CHECK(aclrtCreateStream(&consumer));

  // Serves the callbacks until all batches have been checked.
  std::promise<uint64_t> reporter_id;
  std::thread reporter([&reporter_id] {
    CHECK(aclrtSetDevice(0));
    reporter_id.set_value(static_cast<uint64_t>(pthread_self()));
    while (checked < kBatches) aclrtProcessReport(100);
  });
  const uint64_t reporter_thread = reporter_id.get_future().get();
  CHECK(aclrtSubscribeReport(reporter_thread, consumer));

  std::thread first(Produce, &producers[0], 0), second(Produce, &producers[1], 1);
  for (uint32_t batch = 0; batch < kBatches; ++batch) {
    void* sum = producers[0].memory[batch];
    struct {
      void* sum;
      void* other;
      uint64_t count;
    } arguments = {sum, producers[1].memory[batch], kCount};
    for (Producer& producer : producers) {
      producer.ready[batch].get_future().wait();  // an event can be waited for once its record is queued
      CHECK(aclrtStreamWaitEvent(consumer, producer.sent[batch]));
    }
    CHECK(aclrtLaunchKernelWithHostArgs(add, 4, consumer, nullptr, &arguments, sizeof arguments, nullptr, 0));
    batches[batch].number = batch;
    CHECK(aclrtMallocHost(reinterpret_cast<void**>(&batches[batch].result), kBytes));
    CHECK(aclrtMemcpyAsync(batches[batch].result, kBytes, sum, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
    CHECK(aclrtLaunchCallback(CheckBatch, &batches[batch], ACL_CALLBACK_NO_BLOCK, consumer));
  }
  first.join();
  second.join();
  reporter.join();
  CHECK(aclrtSynchronizeStream(consumer));
  CHECK(aclrtUnSubscribeReport(reporter_thread, consumer));

  CHECK(aclrtDestroyStream(consumer));
  for (Producer& producer : producers) CHECK(aclrtDestroyStream(producer.stream));
  CHECK(aclrtBinaryUnLoad(binary));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  std::printf("%u batches checked, %u numbers wrong\n", checked.load(), wrong.load());
  return wrong == 0 ? 0 : 1;
}
