#include "replay.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "forebay_pool.h"
#include "order_check.h"

namespace forebay::bench {

Replayed Replay(const runtime::Trace& trace, Pool& pool, bool check) {
  Replayed result;
  std::vector<uint64_t> addresses(trace.ids);
  std::optional<OrderCheck> order;
  auto* forebay = dynamic_cast<ForebayPool*>(&pool);
  runtime::ReplayedHeap* ours = forebay == nullptr ? nullptr : &forebay->replayed();
  // Of what the host orders there is no model here.
  for (const runtime::TraceEvent& event : trace.events) check = check && event.stream != runtime::kNoStream;
  if (check) order.emplace(std::max(trace.streams, 1U), ours != nullptr ? ours->lag() : kUsualLag);
  if (check && ours != nullptr) {
    ours->source().on_leave = [&](const runtime::AddressRange& range) { order->Leave(range); };
    ours->on_wait = [&](const runtime::StreamMoment& moment) { order->NotePassed(moment); };
  }
  uint64_t calls = 0;
  constexpr int kSettlingSteps = 2;
  uint64_t settled_calls = 0;
  uint64_t step_reserved = 0;
  int steps = 0;
  for (const runtime::TraceEvent& event : trace.events) {
    switch (event.operation) {
      case runtime::TraceOperation::kAllocate: {
        const uint64_t address = pool.Allocate(event.bytes, event.stream);
        addresses[event.id] = address;
        if (address == 0 && result.mistake.empty()) result.mistake = "an allocation failed";
        step_reserved = std::max(step_reserved, pool.reserved());
        if (steps >= kSettlingSteps) result.settled_reserved = std::max(result.settled_reserved, pool.reserved());
        if (!order) break;
        if (ours != nullptr && ours->wait_for().slot != runtime::kNoStream)
          order->WaitFor(event.stream, ours->wait_for());
        order->Allocate(address, event.bytes, event.stream);
        break;
      }
      case runtime::TraceOperation::kFree:
        // Before the pool, which may give the pages away at once.
        if (order) order->Free(addresses[event.id], event.stream);
        if (!pool.Free(addresses[event.id], event.stream) && result.mistake.empty())
          result.mistake = "a free was refused";
        break;
      case runtime::TraceOperation::kWait:
        pool.Wait(event.id, event.stream);
        if (order) order->Wait(event.id, event.stream);
        break;
      case runtime::TraceOperation::kSynchronise:
        if (order) order->Synchronise(event.stream);
        pool.Synchronise(event.stream);
        break;
      case runtime::TraceOperation::kStep:
        pool.EndStep();
        result.last_step_calls = pool.upstream_calls() - calls;
        calls = pool.upstream_calls();
        result.last_step_reserved = std::exchange(step_reserved, 0);
        if (++steps == kSettlingSteps) settled_calls = calls;
        break;
    }
  }
  result.settled_calls = calls - settled_calls;
  if (order && result.mistake.empty()) result.mistake = order->mistake();
  if (ours != nullptr) ours->source().on_leave = nullptr;
  if (ours != nullptr) ours->on_wait = nullptr;
  result.peak_reserved = pool.peak_reserved();
  result.upstream_calls = pool.upstream_calls();
  return result;
}

}  // namespace forebay::bench
