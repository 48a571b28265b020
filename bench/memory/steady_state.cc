#include "steady_state.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "forebay_pool.h"
#include "speed_cases.h"

namespace {
uint64_t allocations = 0;
}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

namespace forebay::bench {
namespace {

struct Report {
  uint64_t upstream_calls;
  uint64_t allocations;
};

// Where the last step begins and ends.
std::pair<std::size_t, std::size_t> LastStep(const runtime::Trace& trace) {
  std::size_t begin = 0;
  std::size_t end = trace.events.size();
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].operation != runtime::TraceOperation::kStep) continue;
    begin = end == trace.events.size() ? 0 : end;
    end = i + 1;
  }
  return {begin, end};
}

void RunEvents(const runtime::Trace& trace, std::size_t begin, std::size_t end, ForebayPool& pool,
               std::vector<uint64_t>& addresses) {
  for (std::size_t i = begin; i < end; ++i) {
    const runtime::TraceEvent& event = trace.events[i];
    switch (event.operation) {
      case runtime::TraceOperation::kAllocate: addresses[event.id] = pool.Allocate(event.bytes, event.stream); break;
      case runtime::TraceOperation::kFree: pool.Free(addresses[event.id], event.stream); break;
      case runtime::TraceOperation::kWait: pool.Wait(event.id, event.stream); break;
      case runtime::TraceOperation::kSynchronise: pool.Synchronise(event.stream); break;
      case runtime::TraceOperation::kStep: pool.EndStep(); break;
    }
  }
}

// In a process of its own: the system kills it for any call but write and exit.
[[noreturn]] void ObserveInChild(const runtime::Trace& trace, bool planned, int report) {
  ForebayOptions options;
  options.plan.enabled = planned;
  ForebayPool pool(options);
  std::vector<uint64_t> addresses(trace.ids);
  const auto [begin, end] = LastStep(trace);
  RunEvents(trace, 0, begin, pool, addresses);
  const uint64_t calls = pool.upstream_calls();
  const uint64_t before = allocations;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  RunEvents(trace, begin, end, pool, addresses);
  const Report result{pool.upstream_calls() - calls, allocations - before};
  if (write(report, &result, sizeof result) < 0) syscall(SYS_exit, 1);
  syscall(SYS_exit, 0);
  std::abort();
}

long ResidentBytes() {
  long total = 0;
  long resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace

SteadyState ObserveLastStep(const runtime::Trace& trace, bool planned) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) ObserveInChild(trace, planned, ends[1]);
  if (child < 0) {
    std::perror("a process to observe cannot be made");
    std::exit(1);
  }
  close(ends[1]);
  Report report{};
  const bool whole = read(ends[0], &report, sizeof report) == static_cast<ssize_t>(sizeof report);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  SteadyState state;
  state.system_calls = !whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  state.upstream_calls = report.upstream_calls;
  state.allocations = report.allocations;
  return state;
}

double BookkeepingPerBlock(std::size_t blocks, uint64_t bytes) {
  HostOrderedHeap heap;
  heap.Free(heap.Allocate(bytes, 0), 0);
  const long before = ResidentBytes();
  // The addresses are not kept: that would count too.
  for (std::size_t i = 0; i < blocks; ++i) heap.Allocate(bytes, 0);
  return static_cast<double>(ResidentBytes() - before) / static_cast<double>(blocks);
}

}  // namespace forebay::bench
