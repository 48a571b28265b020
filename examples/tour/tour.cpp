// A tour of Forebay: two streams, an event that nobody wrote, memory that goes back by itself, and a kernel that fails.
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "forebay/forebay.h"

using namespace forebay;

// Ends the program with the whole story of a failure.
void Check(const Status& status) {
  if (!status.ok()) std::exit((std::printf("%s\n", status.ToString().c_str()), 1));
}
template <typename T>
T Check(Result<T> result) {
  Check(result.status());
  return *std::move(result);
}

int main(int, char** arguments) {
  const Device device = Check(Device::Open(0));  // finds the device, loads its firmware, makes its memory pool
  const std::string here(arguments[0]);
  const auto binary = Check(LoadKernelBinary(here.substr(0, here.rfind('/') + 1) + "tour_kernels.o"));
  const auto scale = Check(GetKernel(binary, "scale")), broken = Check(GetKernel(binary, "broken"));
  const auto pool = Check(device.memory_pool());
  const StreamHandle first = Check(CreateStream(0)), second = Check(CreateStream(0));

  // Tensors describe memory of the pool; they do not own it. Each is counted once here.
  const uint32_t n = 1000;
  std::vector<float> ones(n, 1.0F), result(n);
  RuntimeTensor x = Check(RuntimeTensor::FromPool(*pool, {n}, DataType::kFloat));
  RuntimeTensor y = Check(RuntimeTensor::FromPool(*pool, {n}, DataType::kFloat));
  RuntimeTensor z = Check(RuntimeTensor::FromPool(*pool, {n}, DataType::kFloat));
  Check(Copy(x.address(), ones.data(), x.bytes()));

  // The first stream is held up, so that what is queued can be seen.
  std::promise<void> go;
  Check(LaunchHostFunction(first, [&go] { go.get_future().wait(); }));
  Check(LaunchOperator({scale, {x}, {y}, {2.0F, n}, 4}, first));   // y = 2 x
  Check(LaunchOperator({scale, {y}, {z}, {5.0F, n}, 4}, second));  // z = 5 y: the runtime inserts the wait for y
  std::printf("first stream:\n%s", Check(TaskQueue::Of(first)).ToString().c_str());
  std::printf("second stream:\n%s", Check(TaskQueue::Of(second)).ToString().c_str());

  std::printf("y is shared by %ld: this program and two operators\n", y.use_count());
  y = RuntimeTensor();  // the operators keep its block until they have run
  std::printf("blocks in use: %llu\n", static_cast<unsigned long long>(pool->statistics().live_blocks));
  go.set_value();
  Check(SynchronizeStream(second));
  Check(Copy(result.data(), z.address(), z.bytes()));
  std::printf("z[0] = %g; blocks in use: %llu\n", result[0],
              static_cast<unsigned long long>(pool->statistics().live_blocks));

  // A kernel fails on the first stream. Nothing is checked until the end, and the second stream goes on.
  Check(LaunchOperator({broken, {}, {x}, {}, 1}, first));
  Check(LaunchOperator({scale, {z}, {z}, {0.5F, n}, 4}, second));
  Check(SynchronizeStream(second));
  SynchronizeStream(first).IgnoreError();
  std::printf("second stream: %s\nfirst stream: %s\n", QueryStreamStatus(second).ToString().c_str(),
              QueryStreamStatus(first).ToString().c_str());
  Check(RecoverStream(first));
}
