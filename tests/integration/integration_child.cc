// The program that some integration tests run as a child, because they look at a process as a whole:
//   integration_child print KERNEL BLOCKS [ARGUMENT...]   runs a printing kernel and synchronises
//   integration_child flood                               prints more than the ring holds, and stops itself meanwhile
//   integration_child chain                               queues a chain over eight streams and stops itself
//   integration_child held                                waits for a kernel that waits for another process
//   integration_child order                               prints the order in which independent kernels ran
//   integration_child plain                               a program without any synchronise; prints what it computed
#include <csignal>
#include <cstdio>
#include <cstring>

#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

int Print(int count, char** words) {
  const std::string name = words[2];
  const Kernels kernels(name == "print_long" || name == "print_line_of" ? "integration_kernels" : "basic_kernels");
  std::vector<uint32_t> values;
  for (int i = 4; i < count; ++i) values.push_back(static_cast<uint32_t>(std::stoul(words[i])));
  std::vector<void*> arguments;
  for (uint32_t& value : values) arguments.push_back(&value);
  const StreamHandle stream = Must(CreateStream());
  if (!IsOk(LaunchKernel(kernels[name], stream, arguments.data(), static_cast<int32_t>(arguments.size()),
                         static_cast<uint32_t>(std::stoul(words[3]))))) {
    return 1;
  }
  if (!IsOk(SynchronizeStream(stream))) return 1;
  std::printf("\nsynchronised\n");
  return 0;
}

int Flood() {
  const Kernels kernels("integration_kernels");
  const StreamHandle stream = Must(CreateStream());
  if (!IsOk(Launch(kernels["print_long"], stream, 1, uint32_t{4000}, uint32_t{1000}))) return 1;
  raise(SIGSTOP);
  return IsOk(SynchronizeStream(stream)) ? 0 : 1;
}

// The chain begins with a kernel that waits until another process writes 1 into a word of device memory, and ends with
// one that writes 9 into the next.
int Chain() {
  const Kernels kernels("basic_kernels");
  const auto pool = Must(MemoryPool::OfCurrentDevice());
  void* const words = Must(pool->Alloc(4096));
  const std::vector<uint32_t> zeros(1024, 0);
  if (!IsOk(Copy(words, zeros.data(), 4096))) return 1;
  auto* const counter = static_cast<std::byte*>(words) + 8;
  EventHandle last = nullptr;
  for (uint32_t i = 0; i < 8; ++i) {
    const StreamHandle stream = Must(CreateStream());
    if (last != nullptr && !IsOk(StreamWaitEvent(stream, last))) return 1;
    if (i == 0 && !IsOk(Launch(kernels["wait_flag"], stream, 1, words, uint32_t{1}))) return 1;
    for (int n = 0; n < 100; ++n) {
      if (!IsOk(Launch(kernels["add_one"], stream, 1, static_cast<void*>(counter), uint32_t{1}))) return 1;
    }
    if (i == 7 && !IsOk(Launch(kernels["set_flag"], stream, 1, static_cast<void*>(static_cast<std::byte*>(words) + 4),
                               uint32_t{9})))
      return 1;
    last = Must(CreateEvent());
    if (!IsOk(RecordEvent(last, stream))) return 1;
  }
  std::printf("%p\n", words);
  std::fflush(stdout);
  raise(SIGSTOP);
  // No call has waited for anything.
  const bool complete = Must(IsEventComplete(last));
  uint32_t count = 0;
  if (!IsOk(Copy(&count, counter, sizeof count))) return 1;
  std::printf("%s %u\n", complete ? "complete" : "pending", count);
  return 0;
}

int Held() {
  const Kernels kernels("basic_kernels");
  const auto pool = Must(MemoryPool::OfCurrentDevice());
  void* const flag = Must(pool->Alloc(4));
  const uint32_t zero = 0;
  const StreamHandle stream = Must(CreateStream());
  if (!IsOk(Copy(flag, &zero, sizeof zero)) || !IsOk(Launch(kernels["wait_flag"], stream, 1, flag, uint32_t{1})))
    return 1;
  std::printf("%p\n", flag);
  std::fflush(stdout);
  raise(SIGSTOP);
  const Status synchronised = SynchronizeStream(stream);
  std::printf("%s\n", synchronised.ToString().c_str());
  return synchronised.ok() ? 0 : 1;
}

int Order() {
  const Kernels kernels("basic_kernels");
  const auto pool = Must(MemoryPool::OfCurrentDevice());
  std::vector<uint32_t> log(101, 0);
  void* const device_log = Must(pool->Alloc(404));
  if (!IsOk(Copy(device_log, log.data(), 404))) return 1;
  std::vector<StreamHandle> streams;
  for (int i = 0; i < 5; ++i) streams.push_back(Must(CreateStream()));
  const KernelHandle append = kernels["append"];
  for (uint32_t i = 0; i < 100; ++i) {
    if (!IsOk(Launch(append, streams[i % 5], 1, device_log, i))) return 1;
  }
  if (!IsOk(SynchronizeDevice()) || !IsOk(Copy(log.data(), device_log, 404))) return 1;
  for (uint32_t i = 1; i <= 100; ++i) std::printf("%u ", log[i]);
  std::printf("\n");
  return 0;
}

int Plain() {
  const Kernels kernels("basic_kernels");
  const auto pool = Must(MemoryPool::OfCurrentDevice());
  uint32_t value = 0;
  void* const word = Must(pool->Alloc(4));
  if (!IsOk(Copy(word, &value, 4))) return 1;
  const StreamHandle stream = Must(CreateStream());
  for (int i = 0; i < 10; ++i) {
    if (!IsOk(Launch(kernels["spin_ticks"], stream, 1, uint64_t{1'000'000}))) return 1;
    if (!IsOk(Launch(kernels["add_one"], stream, 1, word, uint32_t{1}))) return 1;
  }
  if (!IsOk(Copy(&value, word, 4))) return 1;
  std::printf("%u\n", value);
  return 0;
}

int Run(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (!IsOk(SetDevice(0))) return 1;
  const int result = what == "print" && count > 3 ? Print(count, words)
                     : what == "flood"            ? Flood()
                     : what == "chain"            ? Chain()
                     : what == "held"             ? Held()
                     : what == "order"            ? Order()
                     : what == "plain"            ? Plain()
                                                  : 2;
  if (!IsOk(ResetDevice(0))) return 1;
  return result;
}

}  // namespace
}  // namespace forebay::testing

int main(int count, char** words) { return forebay::testing::Run(count, words); }
