// What pools are timed with. Times are those of the calling thread's processor: the machine is shared.
#pragma once

#include <time.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "forebay_pool.h"
#include "memory/pool/trace.h"
#include "traces.h"

namespace forebay::bench {

inline double ThreadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Sizes from 512 B to 12 KiB, small ones more often.
inline uint64_t SmallSize(TraceRandom& random) {
  const uint64_t bits = random.Next();
  const uint64_t power = uint64_t{512} << std::countr_zero((bits >> 8) | 16);
  return (bits & 1) != 0 && power > 512 ? power + power / 2 : power;
}

// Our heap where nobody orders anything by streams, as aclrtMalloc and aclrtFree use it.
class HostOrderedHeap {
 public:
  uint64_t Allocate(uint64_t bytes, uint32_t /*stream*/) {
    const auto grant = heap_.Allocate({bytes, bytes, runtime::kNoStream});
    return grant.ok() ? grant->address : 0;
  }
  bool Free(uint64_t address, uint32_t /*stream*/) { return heap_.Free(address).outcome == runtime::Freed::kOk; }
  runtime::Heap& heap() { return heap_; }

 private:
  runtime::CountingSource source_;
  runtime::StreamOrder order_{[](uint32_t) { return uint64_t{0}; }};
  runtime::Heap heap_{source_, order_, {}};
};

// Blocks of which one at random is replaced by another, again and again.
template <typename P>
class Replacement {
 public:
  template <typename Fill>
  Replacement(P& pool, std::size_t live, const Fill& fill) : pool_(pool), addresses_(live) {
    for (uint64_t& address : addresses_) address = fill(SmallSize(random_));
  }
  Replacement(P& pool, std::size_t live)
      : Replacement(pool, live, [&](uint64_t bytes) { return pool.Allocate(bytes, 0); }) {}
  // Nanoseconds for a free and an allocation.
  double Round(uint64_t count) {
    const double begin = ThreadNs();
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t& address = addresses_[random_.Below(addresses_.size())];
      pool_.Free(address, 0);
      address = pool_.Allocate(SmallSize(random_), 0);
    }
    return (ThreadNs() - begin) / static_cast<double>(count);
  }
  void FreeAll() {
    for (const uint64_t address : addresses_) pool_.Free(address, 0);
  }

 private:
  P& pool_;
  TraceRandom random_{1};
  std::vector<uint64_t> addresses_;
};

// One block that comes and goes beside many free ones.
template <typename P>
class Holes {
 public:
  Holes(P& pool, std::size_t holes, uint64_t hole_bytes, uint64_t request) : pool_(pool), request_(request) {
    std::vector<uint64_t> addresses(2 * holes);
    for (uint64_t& address : addresses) address = pool.Allocate(hole_bytes, 0);
    for (std::size_t i = 0; i < addresses.size(); i += 2) pool.Free(addresses[i], 0);
  }
  double Round(uint64_t count) {
    const double begin = ThreadNs();
    for (uint64_t i = 0; i < count; ++i) pool_.Free(pool_.Allocate(request_, 0), 0);
    return (ThreadNs() - begin) / static_cast<double>(count);
  }

 private:
  P& pool_;
  const uint64_t request_;
};

// A whole trace; afterwards everything is freed, so that it can be replayed again.
template <typename P>
class TraceRounds {
 public:
  TraceRounds(P& pool, const runtime::Trace& trace) : pool_(pool), trace_(trace), addresses_(trace.ids) {}

  // Nanoseconds for an allocation and a free, with what events and synchronisations cost.
  double Round(uint64_t /*count*/) {
    uint64_t operations = 0;
    const double begin = ThreadNs();
    for (const runtime::TraceEvent& event : trace_.events) {
      switch (event.operation) {
        case runtime::TraceOperation::kAllocate:
          addresses_[event.id] = pool_.Allocate(event.bytes, event.stream);
          ++operations;
          break;
        case runtime::TraceOperation::kFree:
          pool_.Free(addresses_[event.id], event.stream);
          addresses_[event.id] = 0;
          ++operations;
          break;
        case runtime::TraceOperation::kWait:
          if constexpr (requires { pool_.Wait(0, 0); }) pool_.Wait(event.id, event.stream);
          break;
        case runtime::TraceOperation::kSynchronise:
          if constexpr (requires { pool_.Synchronise(0); }) pool_.Synchronise(event.stream);
          break;
        case runtime::TraceOperation::kStep: break;
      }
    }
    const double ns = (ThreadNs() - begin) * 2 / static_cast<double>(operations);
    for (uint64_t& address : addresses_) {
      if (address != 0) pool_.Free(address, 0);
      address = 0;
    }
    return ns;
  }

 private:
  P& pool_;
  const runtime::Trace& trace_;
  std::vector<uint64_t> addresses_;
};

// The median of what two take, and of the ratio in each round.
struct Compared {
  double ours = 0;
  double other = 0;
  double ratio = 0;
};

inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Rounds in turns, each of about `ms`; how often is found out first.
template <typename Ours, typename Other>
Compared Compare(Ours& ours, Other& other, int rounds, double ms) {
  const auto count = [&](auto& one) {
    const double ns = one.Round(16);
    return std::clamp<uint64_t>(static_cast<uint64_t>(ms * 1e6 / std::max(ns, 1.0)), 4, 2'000'000);
  };
  const uint64_t our_count = count(ours);
  const uint64_t other_count = count(other);
  ours.Round(our_count);
  other.Round(std::min<uint64_t>(other_count, 1000));
  std::vector<double> our_ns, other_ns, ratios;
  for (int round = 0; round < rounds; ++round) {
    our_ns.push_back(ours.Round(our_count));
    other_ns.push_back(other.Round(other_count));
    ratios.push_back(our_ns.back() / other_ns.back());
  }
  return {Median(our_ns), Median(other_ns), Median(ratios)};
}

}  // namespace forebay::bench
