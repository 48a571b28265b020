#include "diagnosis/submit_sites.h"

#include <fmt/format.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <map>
#include <utility>

#include "diagnosis/symbols.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/per_thread.h"
#include "forebay/runtime/thread_state.h"

namespace forebay::runtime {
namespace {

constexpr uint32_t kIsSite = 1u << 31;

struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool Holds(uintptr_t address) const noexcept { return address >= begin && address < end; }
};

// Where this library is. Empty when it is a part of the program itself, whose frames are all of interest.
Range FindOwnCode() {
  struct Search {
    uintptr_t address;
    Range found;
  } search{reinterpret_cast<uintptr_t>(&FindOwnCode), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        Search& wanted = *static_cast<Search*>(into);
        Range range{~uintptr_t{0}, 0};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          range.begin = std::min<uintptr_t>(range.begin, info->dlpi_addr + header.p_vaddr);
          range.end = std::max<uintptr_t>(range.end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
        }
        if (!range.Holds(wanted.address)) return 0;
        if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0') wanted.found = range;
        return 1;
      },
      &search);
  return search.found;
}

struct Walk {
  const Range& own;
  std::size_t most;
  std::vector<uintptr_t>& stack;
  bool has_left = false;  // the library
};

// Of the library's own frames only the outermost stays, which is the function that the program called.
_Unwind_Reason_Code VisitFrame(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  int is_exact = 0;
  uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
  if (address == 0) return _URC_END_OF_STACK;
  // A return address may lie behind the last instruction of its function.
  if (is_exact == 0) --address;
  if (!walk.has_left && walk.own.Holds(address)) {
    walk.stack.assign(1, address);
    return _URC_NO_REASON;
  }
  walk.has_left = true;
  walk.stack.push_back(address);
  return walk.stack.size() > walk.most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

class SubmitSites {
 public:
  static SubmitSites& Get() {
    static base::NeverDestroyed<SubmitSites> sites;
    return *sites;
  }

  void Configure(std::size_t frames) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    frames_ = frames;
    if (frames == 0) return;
    for (ThreadState* thread : threads_) thread->submitter.store(0, std::memory_order_relaxed);
  }

  uint32_t Ask(ThreadState& thread) EXCLUDES(mutex_) {
    const auto id = static_cast<uint32_t>(gettid());
    std::size_t frames = 0;
    {
      base::MutexLock lock(mutex_);
      if (frames_ == 0) {
        if (std::find(threads_.begin(), threads_.end(), &thread) == threads_.end()) threads_.push_back(&thread);
        thread.submitter.store(id, std::memory_order_relaxed);
        return id;
      }
      frames = frames_;
    }
    std::vector<uintptr_t> stack;
    stack.reserve(frames + 1);
    Walk walk{own_, frames, stack};
    _Unwind_Backtrace(&VisitFrame, &walk);
    base::MutexLock lock(mutex_);
    const auto found = numbers_.find({id, stack});
    if (found != numbers_.end()) return found->second | kIsSite;
    // More places than that are not told apart from none.
    if (rows_.size() == kMostSites) return id;
    const auto number = static_cast<uint32_t>(rows_.size());
    rows_.push_back(&numbers_.emplace(std::pair(id, std::move(stack)), number).first->first);
    return number | kIsSite;
  }

  void Forget(ThreadState& thread) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    std::erase(threads_, &thread);
  }

  // The thread, and the addresses of its stack.
  std::pair<uint32_t, std::vector<uintptr_t>> Find(uint32_t submitter) EXCLUDES(mutex_) {
    if ((submitter & kIsSite) == 0) return {submitter, {}};
    base::MutexLock lock(mutex_);
    const uint32_t number = submitter & ~kIsSite;
    return number < rows_.size() ? *rows_[number] : Row{};
  }

 private:
  using Row = std::pair<uint32_t, std::vector<uintptr_t>>;

  const Range own_ = FindOwnCode();
  base::Mutex mutex_;
  std::size_t frames_ GUARDED_BY(mutex_) = 0;
  std::vector<ThreadState*> threads_ GUARDED_BY(mutex_);  // those that keep their number
  std::map<Row, uint32_t> numbers_ GUARDED_BY(mutex_);
  std::vector<const Row*> rows_ GUARDED_BY(mutex_);
};

// Takes the thread off the list when it ends.
struct ListedThread {
  ~ListedThread() { SubmitSites::Get().Forget(CurrentThread()); }
};

}  // namespace

uint32_t AskSubmitter() noexcept {
  try {
    static base::NeverDestroyed<base::PerThread<ListedThread>> listed;
    if (listed->Get() != nullptr) return SubmitSites::Get().Ask(CurrentThread());
  } catch (...) {  // NOLINT(bugprone-empty-catch): without memory there is no site
  }
  return static_cast<uint32_t>(gettid());
}

void ConfigureSubmitSites(int64_t frames) { SubmitSites::Get().Configure(static_cast<std::size_t>(frames)); }

uint32_t SubmitterThread(uint32_t submitter) { return SubmitSites::Get().Find(submitter).first; }

std::vector<std::string> SubmitStack(uint32_t submitter) {
  std::vector<std::string> stack;
  for (const uintptr_t address : SubmitSites::Get().Find(submitter).second)
    stack.push_back(DescribeCode(reinterpret_cast<const void*>(address)));
  return stack;
}

std::string WithSubmitSite(uint32_t submitter) {
  const std::vector<uintptr_t> stack = SubmitSites::Get().Find(submitter).second;
  if (stack.empty()) return {};
  // The line of the program that called; the function that it called is known from the task.
  const uintptr_t site = stack[std::min<std::size_t>(1, stack.size() - 1)];
  return fmt::format(" (submitted at {})", DescribeCode(reinterpret_cast<const void*>(site)));
}

}  // namespace forebay::runtime
