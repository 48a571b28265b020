#include "memory/pool/thread_cache.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/per_thread.h"

namespace forebay::runtime {

constinit thread_local RecentCache recent_caches[kRecentCaches] __attribute__((tls_model("initial-exec")));

// The owners that there are. A thread that ends, and a fork, go through them under the lock, which comes before all
// locks of an owner.
struct ThreadCaches {
  base::Mutex lock;
  std::vector<ThreadCacheOwner*> owners GUARDED_BY(lock);

  static ThreadCaches& Get() {
    static base::NeverDestroyed<ThreadCaches> caches;
    return *caches;
  }
  static void BeforeFork() NO_THREAD_SAFETY_ANALYSIS {
    Get().lock.Lock();
    for (ThreadCacheOwner* owner : Get().owners) owner->LockForFork();
  }
  static void AfterFork() NO_THREAD_SAFETY_ANALYSIS {
    for (ThreadCacheOwner* owner : Get().owners) owner->UnlockAfterFork();
    Get().lock.Unlock();
  }
  // Drops the caches of owners that are gone.
  static void Forget(std::vector<RecentCache>& caches) {
    ThreadCaches& all = Get();
    base::MutexLock hold(all.lock);
    std::erase_if(caches, [&](const RecentCache& each) NO_THREAD_SAFETY_ANALYSIS {
      return std::none_of(all.owners.begin(), all.owners.end(),
                          [&](const ThreadCacheOwner* owner) { return owner->number() == each.owner; });
    });
  }
  static void Retire(const std::vector<RecentCache>& caches) {
    ThreadCaches& all = Get();
    base::MutexLock hold(all.lock);
    for (const RecentCache& each : caches) {
      for (ThreadCacheOwner* owner : all.owners) {
        if (owner->number() == each.owner) owner->RetireCache(each.cache);
      }
    }
  }
};

namespace {

// All caches of a thread.
struct OfThread {
  std::vector<RecentCache> caches;

  ~OfThread() {
    std::fill(std::begin(recent_caches), std::end(recent_caches), RecentCache{});
    ThreadCaches::Retire(caches);
  }
};

// Null while the thread is ending.
OfThread* CachesOfThread() {
  static base::NeverDestroyed<base::PerThread<OfThread>> of_threads;
  return of_threads->Get();
}

std::atomic<uint64_t> last_number{0};

}  // namespace

ThreadCacheOwner::ThreadCacheOwner() : number_(last_number.fetch_add(1, std::memory_order_relaxed) + 1) {}
ThreadCacheOwner::~ThreadCacheOwner() = default;

void ThreadCacheOwner::Enter() {
  static std::once_flag once;
  std::call_once(once,
                 [] { pthread_atfork(&ThreadCaches::BeforeFork, &ThreadCaches::AfterFork, &ThreadCaches::AfterFork); });
  ThreadCaches& all = ThreadCaches::Get();
  base::MutexLock hold(all.lock);
  all.owners.push_back(this);
}

void ThreadCacheOwner::Leave() noexcept {
  ThreadCaches& all = ThreadCaches::Get();
  base::MutexLock hold(all.lock);
  std::erase(all.owners, this);
}

ThreadCache* ThreadCacheOwner::FindCache() {
  OfThread* of_thread = CachesOfThread();
  if (of_thread == nullptr) return nullptr;
  RecentCache& recent = recent_caches[number_ % kRecentCaches];
  for (const RecentCache& each : of_thread->caches) {
    if (each.owner == number_) return (recent = each).cache;
  }
  if (of_thread->caches.size() >= kRecentCaches) ThreadCaches::Forget(of_thread->caches);
  ThreadCache* cache = MakeCache();
  if (cache == nullptr) return nullptr;
  of_thread->caches.push_back({number_, cache});
  return (recent = of_thread->caches.back()).cache;
}

}  // namespace forebay::runtime
