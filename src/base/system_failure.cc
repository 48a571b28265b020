#include "forebay/base/system_failure.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace forebay::base {
namespace {

struct LimitRow {
  int error;
  decltype(RLIMIT_AS) limit;
  std::string_view unit;
  std::string_view name;
  std::string_view advice;
};

constexpr LimitRow kLimits[] = {
    {EMFILE, RLIMIT_NOFILE, "open files", "RLIMIT_NOFILE", "Raise ulimit -n, or close files that are no longer used"},
    {ENOMEM, RLIMIT_AS, "bytes of addresses", "RLIMIT_AS",
     "Raise ulimit -v or the cgroup's memory, or lower device_memory and pinned_memory"},
    {EAGAIN, RLIMIT_NPROC, "processes and threads of this user", "RLIMIT_NPROC",
     "Raise ulimit -u, or pids.max of the cgroup, or end some"},
    {EFBIG, RLIMIT_FSIZE, "bytes in a file", "RLIMIT_FSIZE",
     "Raise ulimit -f, or lower device_memory and pinned_memory"},
};

}  // namespace

Status SystemFailure(Code code, std::string_view what, int error, std::string advice) {
  std::string text = fmt::format("{}: {}", what, std::generic_category().message(error));
  for (const LimitRow& row : kLimits) {
    if (row.error != error) continue;
    rlimit limit{};
    getrlimit(row.limit, &limit);
    if (limit.rlim_cur == RLIM_INFINITY) {
      text += fmt::format(" (no limit {} is set)", row.name);
    } else {
      text += fmt::format(" (at most {} {}, {})", limit.rlim_cur, row.unit, row.name);
    }
    advice = row.advice;
  }
  return Status(code, std::move(text), std::move(advice));
}

}  // namespace forebay::base
