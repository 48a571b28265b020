// MemoryPool: a heap on pages of a device, and what is done when neither has anything left.
#include "forebay/memory_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "forebay/base/macros.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"
#include "memory/check/memory_reports.h"
#include "memory/memory_pool_impl.h"
#include "memory/pool/stream_order.h"
#include "memory/pool_history.h"
#include "memory/pool_picture.h"
#include "memory/pool_registry.h"
#include "memory/pool_reporting.h"
#include "memory/stream_dependency.h"

namespace forebay {
namespace {

Status Detached(Code code) {
  RETURN_IF_ERROR(runtime::CheckNotForked());
  return Status(code, "the pool's device was reset, and its memory went with it",
                "Set the device again and allocate anew");
}

}  // namespace

class MemoryPool::Impl {
 public:
  Impl(std::unique_ptr<runtime::PoolPages> pages, const runtime::Ordering& order, const MemoryPoolOptions& options,
       runtime::PoolTraits traits)
      : traits_(std::move(traits)),
        pages_(std::move(pages)),
        heap_(*pages_, order, HeapOptionsOf(options), PlanOptionsOf()),
        options_(options) {
    if (traits_.check) {
      checks_ = std::make_unique<runtime::CheckedBlocks>(*traits_.check, heap_.heap(), *pages_, order,
                                                         traits_.heap.alignment);
    }
    if (traits_.listens) traits_.device->pools().CountListener(1);
  }
  ~Impl() { Detach(/*is_reset=*/false); }

  // In a child that was forked off, too, the memory is the parent's alone.
  bool is_open() const noexcept { return !closed_.load(std::memory_order_acquire) && !IsParents(); }
  // Memory of the process itself goes on in a child.
  bool IsParents() const noexcept { return !traits_.belongs_to_process && !runtime::CheckNotForked().ok(); }
  bool has_handle() const noexcept { return traits_.has_handle; }
  runtime::DeviceState* device() const noexcept { return traits_.device; }
  std::optional<runtime::AddressRange> RangeAround(uint64_t address) { return pages_->RangeAround(address); }

  Result<void*> Alloc(std::size_t bytes, std::size_t reserved, const runtime::StreamReference* stream,
                      const void* site) {
    if (bytes == 0) return Status(Code::kParamInvalid, "0 bytes of memory were asked for", "Ask for at least 1 byte");
    if (!is_open()) return Detached(Code::kInvalidHandle);
    TakeBack();
    runtime::HeapRequest request;
    request.bytes = bytes;
    request.rounded_from = reserved;
    if (stream != nullptr) request.stream = (*stream)->slot();
    if (checks_) [[unlikely]]
      return AllocChecked(request, stream, site);
    ASSIGN_OR_RETURN(const runtime::HeapGrant grant, Obtain(request));
    RETURN_IF_ERROR(AwaitGrant(grant, stream));
    if (history_.is_on()) [[unlikely]]
      NoteAllocation(grant.address, bytes, request.stream);
    if (traits_.poison) [[unlikely]]
      Poison(grant.address, reserved, stream);
    return reinterpret_cast<void*>(grant.address);
  }

  Status Free(void* address, const void* site) {
    if (!is_open()) return Detached(Code::kMemoryFree);
    return FreeAt(address, {}, site);
  }
  Status FreeOn(void* address, const runtime::StreamReference& stream, const void* site) {
    if (!is_open()) return Detached(Code::kMemoryFree);
    runtime::StreamOrder& order = stream->device().stream_order();
    order.TakePart(stream->slot());
    const auto tail = stream->TailOf(stream.handle);
    if (!tail) return runtime::StaleStreamFailure();
    return FreeAt(address, {stream->slot(), *tail}, site);
  }

  uint64_t Trim(uint64_t keep_bytes) {
    if (!is_open()) return 0;
    Reclaim();
    if (checks_) checks_->EndRests(/*pending_too=*/false);
    return heap_.Trim(keep_bytes);
  }
  void NoteHostWait() {
    if (!is_open() || !traits_.listens) return;
    TakeBack();
    heap_.NoteHostWait();
    heap_.ReleaseAboveThreshold();
  }
  void NoteOrder(uint32_t from, uint32_t to) {
    if (from == runtime::kNoStream) {
      history_.NoteSynchronised(to);
    } else {
      history_.NoteWait(from, to);
    }
  }
  void MarkStep() {
    if (!is_open()) return;
    history_.NoteStep();
    heap_.MarkStep();
  }
  void StartHistory() {
    if (!history_.is_on() && traits_.device != nullptr) traits_.device->pools().CountHistory(1);
    history_.Start();
  }
  std::string TakeHistory() {
    if (history_.is_on() && traits_.device != nullptr) traits_.device->pools().CountHistory(-1);
    return history_.Take();
  }
  std::string HistoryPicture() { return history_.Picture("Memory pool"); }
  runtime::Snapshot TakeSnapshot() {
    if (!is_open()) return {};
    Reclaim();
    return runtime::SnapshotOf(heap_.Blocks());
  }

  void Detach(bool is_reset) {
    if (closed_.exchange(true, std::memory_order_acq_rel) || IsParents()) return;
    if (checks_) {
      TakeBack();
      checks_->Finish(/*report_leaks=*/is_reset);
    }
    if (traits_.listens) traits_.device->pools().CountListener(-1);
    pages_->Detach();
  }

  MemoryPoolStatistics statistics() {
    if (!is_open()) return {};
    Reclaim();
    runtime::HeapStatistics now = heap_.statistics();
    if (checks_) checks_->Correct(&now);
    return runtime::ShowStatistics(now);
  }
  void ResetPeak(uint64_t MemoryPoolStatistics::* peak) {
    if (const auto level = runtime::LevelOf(peak)) heap_.heap().ResetPeak(level);
  }
  uint64_t free_bytes() {
    const runtime::HeapStatistics now = heap_.statistics();
    return now.reserved.now - now.used.now + (checks_ ? checks_->resting_bytes() : 0);
  }
  std::optional<runtime::BlockInfo> BlockAt(uint64_t address) {
    if (!is_open()) return std::nullopt;
    if (checks_) return checks_->Find(address);
    auto block = heap_.Find(address);
    return block && block->is_live ? block : std::nullopt;
  }

  MemoryPoolOptions options() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return options_;
  }
  Status SetOptions(const MemoryPoolOptions& options) EXCLUDES(mutex_) {
    if (!is_open()) return Detached(Code::kInvalidHandle);
    base::MutexLock lock(mutex_);
    const MemoryPoolOptions before = options_;
    options_ = options;
    options_.initial_bytes = before.initial_bytes;
    options_.maximum_bytes = before.maximum_bytes;
    heap_.heap().SetReusePolicy({options_.follow_events, options_.opportunistic, options_.insert_waits});
    heap_.heap().SetReleaseThreshold(options_.release_threshold);
    return {};
  }
  void AddCallback(std::function<bool(std::size_t)> callback) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    callbacks_.push_back(std::move(callback));
  }
  Status Grow(uint64_t bytes) { return heap_.heap().Reserve(bytes); }

  const std::shared_ptr<runtime::ReturnedBlocks>& returned() const noexcept { return returned_; }

 private:
  runtime::HeapOptions HeapOptionsOf(const MemoryPoolOptions& options) {
    runtime::HeapOptions heap = traits_.heap;
    if (options.maximum_bytes != 0) heap.maximum_bytes = options.maximum_bytes;
    heap.release_threshold = options.release_threshold;
    heap.follow_events = options.follow_events;
    heap.opportunistic = options.opportunistic;
    heap.insert_waits = options.insert_waits;
    heap.advice = fmt::format("Free memory that is no longer used, or raise {}", traits_.parameter);
    // Operators that have run may still hold blocks; the device is asked only after those are back.
    heap.before_growth = [this] { Reclaim(); };
    heap.wait = [this](const runtime::StreamMoment& moment) {
      // Where it must not wait, the pool takes other memory for a while.
      return MayWait() && WaitFor(moment, base::Deadline::AfterNanoseconds(kPatienceToSaveNanoseconds));
    };
    return heap;
  }
  runtime::PlanOptions PlanOptionsOf() {
    runtime::PlanOptions plan;
    plan.enabled = traits_.plan && !traits_.check;
    return plan;
  }
  void NoteAllocation(uint64_t address, uint64_t bytes, uint32_t stream) {
    const runtime::HeapStatistics now = heap_.statistics();
    history_.NoteAllocation(address, bytes, stream, {now.reserved.now, now.active.now, now.used.now});
  }
  // Blocks whose last tensor is gone.
  void TakeBack() {
    returned_->TakeAll([this](void* address) { ReleaseAt(reinterpret_cast<uint64_t>(address), {}, nullptr); });
  }
  void Reclaim() {
    if (traits_.reclaim) traits_.reclaim();
    TakeBack();
  }

  runtime::FreeResult ReleaseAt(uint64_t address, const runtime::StreamMoment& moment, const void* site) {
    if (checks_) [[unlikely]]
      return checks_->Free(address, moment, site);
    return heap_.Free(address, moment);
  }
  Status FreeAt(void* address, const runtime::StreamMoment& moment, const void* site) {
    const auto at = reinterpret_cast<uint64_t>(address);
    if (history_.is_on()) [[unlikely]]
      history_.NoteFree(at, moment.slot);
    const runtime::FreeResult freed = ReleaseAt(at, moment, site);
    if (freed.outcome == runtime::Freed::kOk) [[likely]]
      return {};
    if (checks_) {
      if (std::string text = runtime::MemoryReports::Get().FindDoubleFree(at, site); !text.empty())
        return Status(Code::kMemoryFree, std::move(text), "Free a block once");
    }
    return runtime::ExplainFree(address, freed);
  }

  Result<void*> AllocChecked(runtime::HeapRequest request, const runtime::StreamReference* stream, const void* site) {
    const uint64_t reserved = request.rounded_from;
    runtime::CheckedBlocks::Plan plan = checks_->MakePlan(request.bytes, reserved);
    const bool is_simple = plan.own == 0;
    request.rounded_from = plan.room;
    auto grant = is_simple ? Obtain(request) : heap_.Allocate(request);
    if (!grant.ok() && !is_simple) {
      // Room around a block is not worth a wait.
      checks_->Simplify(&plan, reserved);
      request.rounded_from = plan.room;
      grant = Obtain(request);
    }
    if (!grant.ok()) return grant.status();
    RETURN_IF_ERROR(AwaitGrant(*grant, stream));
    const uint64_t address = checks_->AddressIn(plan, grant->address);
    if (traits_.poison) Poison(address, request.bytes, stream);
    checks_->Enter(plan, grant->address, site);
    return reinterpret_cast<void*>(address);
  }
  // What has to come before the stream uses what it was given; given back when that fails.
  Status AwaitGrant(const runtime::HeapGrant& grant, const runtime::StreamReference* stream) {
    if (grant.wait_for.slot == runtime::kNoStream) [[likely]]
      return {};
    Status waits = runtime::WaitForMoment(*stream, grant.wait_for);
    if (!waits.ok()) heap_.Free(grant.address, grant.wait_for);
    return waits;
  }

  // From the heap; when it has nothing left, after one thing after another has been tried.
  Result<runtime::HeapGrant> Obtain(const runtime::HeapRequest& request) {
    auto grant = heap_.Allocate(request);
    if (grant.ok()) [[likely]]
      return grant;
    if (!is_open()) return Detached(Code::kInvalidHandle);
    if (grant.status().code() != Code::kMemoryAllocation) return grant;
    const auto helped = [&](bool may_have) {
      if (may_have) grant = heap_.Allocate(request);
      return grant.ok();
    };
    if (helped(checks_ && checks_->EndRests(/*pending_too=*/true)) || traits_.device == nullptr) return grant;
    if (helped(traits_.device->pools().Trim() > 0)) return grant;
    const bool has_waited = WaitForPending();
    if (has_waited) traits_.device->pools().Trim();
    if (helped(has_waited)) return grant;
    std::vector<std::function<bool(std::size_t)>> callbacks;
    {
      base::MutexLock lock(mutex_);
      callbacks.assign(callbacks_.rbegin(), callbacks_.rend());
    }
    for (const auto& callback : callbacks) {
      for (int turn = 0; turn < kMostTurns && callback(request.bytes); ++turn) {
        if (helped(true)) return grant;
      }
    }
    return grant;
  }
  // What the thread runs may be what it would wait for.
  static bool MayWait() {
    return runtime::CheckNotInHostFunction("waits for memory").ok() &&
           runtime::CheckNotNotified(runtime::Notification::kFailure, "waits for memory").ok();
  }
  // Waits until streams have reached what they released, where this thread may wait. False when there is nothing.
  bool WaitForPending() {
    if (!MayWait()) return false;
    bool waited = false;
    const auto deadline = base::Deadline::AfterNanoseconds(kPatienceNanoseconds);
    for (const runtime::StreamMoment& moment : heap_.PendingMoments()) {
      if (!WaitFor(moment, deadline)) break;
      waited = true;
    }
    return waited;
  }
  bool WaitFor(const runtime::StreamMoment& moment, const base::Deadline& deadline) {
    const std::shared_ptr<sip::Device> device = traits_.device != nullptr ? traits_.device->sip() : nullptr;
    if (!device || device->WaitDone(moment.slot, moment.entry, deadline) != sip::WaitResult::kDone) return false;
    traits_.device->stream_order().NoteSynchronised(moment);
    return true;
  }

  void Poison(uint64_t address, uint64_t bytes, const runtime::StreamReference* stream) {
    // The stream that the block comes from may still use it.
    if (stream != nullptr) return;
    if (std::byte* view = pages_->HostView(address, bytes)) std::memset(view, 0xA5, bytes);
  }

  // How often a callback may say that it has freed something, when that was not enough.
  static constexpr int kMostTurns = 64;
  // How long an allocation waits for memory that streams are about to release.
  static constexpr int64_t kPatienceNanoseconds = 10'000'000'000;
  // And how long for a stream, when it could do with more memory instead.
  static constexpr int64_t kPatienceToSaveNanoseconds = 1'000'000'000;

  const runtime::PoolTraits traits_;
  const std::unique_ptr<runtime::PoolPages> pages_;
  runtime::PlannedHeap heap_;
  runtime::PoolHistory history_;
  std::unique_ptr<runtime::CheckedBlocks> checks_;  // null: the checking mode is off
  const std::shared_ptr<runtime::ReturnedBlocks> returned_ = std::make_shared<runtime::ReturnedBlocks>();
  std::atomic<bool> closed_{false};
  base::Mutex mutex_;
  MemoryPoolOptions options_ GUARDED_BY(mutex_);
  std::vector<std::function<bool(std::size_t)>> callbacks_ GUARDED_BY(mutex_);
};

MemoryPool::MemoryPool(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MemoryPool::~MemoryPool() = default;

Result<std::shared_ptr<MemoryPool>> MemoryPool::Create(const MemoryPoolOptions& options) {
  ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
  return runtime::MakeApplicationPool(context->device(), options, /*has_handle=*/false);
}
Result<std::shared_ptr<MemoryPool>> MemoryPool::Create(uint64_t initial_bytes) {
  MemoryPoolOptions options;
  options.initial_bytes = initial_bytes;
  return Create(options);
}

Result<std::shared_ptr<MemoryPool>> MemoryPool::OfCurrentDevice() {
  ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
  std::shared_ptr<MemoryPool> pool = context->device().memory_pool();
  if (!pool) return Status(Code::kContextNull, "the device is off", "Set the device first");
  return pool;
}

Result<void*> MemoryPool::Alloc(std::size_t bytes) {
  return impl_->Alloc(bytes, bytes, nullptr, __builtin_return_address(0));
}
Result<void*> MemoryPool::Alloc(std::size_t bytes, StreamHandle stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference,
                   runtime::ResolveStream(reinterpret_cast<uint64_t>(stream)));
  return runtime::AllocateOnStream(*this, bytes, reference, __builtin_return_address(0));
}
Status MemoryPool::Free(void* address) { return impl_->Free(address, __builtin_return_address(0)); }
Status MemoryPool::Free(void* address, StreamHandle stream) {
  ASSIGN_OR_RETURN(const runtime::StreamReference reference,
                   runtime::ResolveStream(reinterpret_cast<uint64_t>(stream)));
  return runtime::FreeOnStream(*this, address, reference, __builtin_return_address(0));
}
void MemoryPool::Trim(uint64_t keep_bytes) { impl_->Trim(keep_bytes); }
MemoryPoolStatistics MemoryPool::statistics() const { return impl_->statistics(); }
void MemoryPool::ResetPeak(uint64_t MemoryPoolStatistics::* peak) { impl_->ResetPeak(peak); }
MemoryPoolOptions MemoryPool::options() const { return impl_->options(); }
Status MemoryPool::SetOptions(const MemoryPoolOptions& options) { return impl_->SetOptions(options); }
void MemoryPool::MarkStep() { impl_->MarkStep(); }
void MemoryPool::StartHistory() { impl_->StartHistory(); }
std::string MemoryPool::TakeHistory() { return impl_->TakeHistory(); }
std::string MemoryPool::HistorySvg() const { return impl_->HistoryPicture(); }
std::string MemoryPool::SnapshotJson() const { return runtime::SnapshotJson(impl_->TakeSnapshot()); }
std::string MemoryPool::SnapshotSvg() const { return runtime::SnapshotSvg(impl_->TakeSnapshot()); }
void MemoryPool::AddOutOfMemoryCallback(std::function<bool(std::size_t)> callback) {
  impl_->AddCallback(std::move(callback));
}

}  // namespace forebay

namespace forebay::runtime {
namespace {

Status CheckStreamDevice(const DeviceState* device, const StreamReference& stream) {
  if (device == nullptr || &stream->device() == device) return {};
  return Status(
      Code::kStreamContext,
      fmt::format("a pool of device {} is used on a stream of device {}", device->id(), stream->device().id()),
      "Use a stream of the pool's device");
}

}  // namespace

std::shared_ptr<MemoryPool> MakePool(std::unique_ptr<PoolPages> pages, const Ordering& order,
                                     const MemoryPoolOptions& options, PoolTraits traits) {
  return std::make_shared<MemoryPool>(
      std::make_unique<MemoryPool::Impl>(std::move(pages), order, options, std::move(traits)));
}

void AbandonApplicationPool(const std::shared_ptr<MemoryPool>& pool) { pool->impl().device()->pools().Abandon(pool); }

void DetachPool(MemoryPool& pool) { pool.impl().Detach(/*is_reset=*/true); }
bool IsOpen(MemoryPool& pool) noexcept { return pool.impl().is_open(); }
bool HasHandle(MemoryPool& pool) noexcept { return pool.impl().has_handle(); }
Result<void*> AllocateFor(MemoryPool& pool, std::size_t bytes, const void* site) {
  return pool.impl().Alloc(bytes, bytes, nullptr, site);
}
Result<void*> AllocateReserving(MemoryPool& pool, std::size_t bytes, std::size_t reserved_bytes, const void* site) {
  return pool.impl().Alloc(bytes, reserved_bytes, nullptr, site);
}
Result<void*> AllocateOnStream(MemoryPool& pool, std::size_t bytes, const StreamReference& stream, const void* site) {
  RETURN_IF_ERROR(CheckStreamDevice(pool.impl().device(), stream));
  return pool.impl().Alloc(bytes, bytes, &stream, site);
}
Status FreeFor(MemoryPool& pool, void* address, const void* site) { return pool.impl().Free(address, site); }
Status FreeOnStream(MemoryPool& pool, void* address, const StreamReference& stream, const void* site) {
  RETURN_IF_ERROR(CheckStreamDevice(pool.impl().device(), stream));
  return pool.impl().FreeOn(address, stream, site);
}
std::shared_ptr<ReturnedBlocks> ReturnedBlocksOf(MemoryPool& pool) { return pool.impl().returned(); }
Status GrowPool(MemoryPool& pool, uint64_t bytes) { return pool.impl().Grow(bytes); }
uint64_t PoolFreeBytes(MemoryPool& pool) { return pool.impl().free_bytes(); }
std::optional<BlockInfo> BlockAt(MemoryPool& pool, uint64_t address) { return pool.impl().BlockAt(address); }
std::optional<AddressRange> AddressesAround(MemoryPool& pool, uint64_t address) {
  return pool.impl().RangeAround(address);
}
void NoteHostWait(MemoryPool& pool) { pool.impl().NoteHostWait(); }
void NoteOrder(MemoryPool& pool, uint32_t from, uint32_t to) { pool.impl().NoteOrder(from, to); }
uint64_t TrimPool(MemoryPool& pool, uint64_t keep_bytes) { return pool.impl().Trim(keep_bytes); }

}  // namespace forebay::runtime
