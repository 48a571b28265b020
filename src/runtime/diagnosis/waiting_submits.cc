#include "diagnosis/waiting_submits.h"

#include <unistd.h>

#include <algorithm>

#include "forebay/base/clock.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"

namespace forebay::runtime {
namespace {

struct List {
  base::Mutex mutex;
  std::vector<const WaitingSubmit::Row*> rows GUARDED_BY(mutex);
};

List& Waiting() {
  static base::NeverDestroyed<List> list;
  return *list;
}

}  // namespace

WaitingSubmit::WaitingSubmit(const Stream& stream, uint32_t entries)
    : row_{&stream, entries, static_cast<uint32_t>(gettid()), base::NowNanoseconds()} {
  base::MutexLock lock(Waiting().mutex);
  Waiting().rows.push_back(&row_);
}

WaitingSubmit::~WaitingSubmit() {
  base::MutexLock lock(Waiting().mutex);
  std::erase(Waiting().rows, &row_);
}

std::vector<WaitingSubmit::Row> WaitingSubmit::All() {
  base::MutexLock lock(Waiting().mutex);
  std::vector<Row> rows;
  for (const Row* row : Waiting().rows) rows.push_back(*row);
  return rows;
}

}  // namespace forebay::runtime
