// Faults on demand: which are armed, and when they happen.
//
//   kind@key=value,key=value;kind@...      for example  aicore_exception@stream=3,task=5;oom@call=aclrtMalloc,nth=10
//
// injections.def is the table of kinds; docs/injection.md describes the keys.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/status.h"

namespace forebay::base {

enum class InjectionKind : uint32_t {
#define FOREBAY_INJECTION(enumerator, name, place, code, meaning) enumerator,
#include "forebay/base/injections.def"
#undef FOREBAY_INJECTION
};

// Where a kind of fault happens, which decides what it can be tied to.
enum class InjectionPlace : uint8_t {
  kCall,      // a function of the interface
  kMemory,    // such a function, or what a device hands out
  kStart,     // a device that is set
  kRequest,   // what the driver asks of the device
  kKernel,    // a task of these kinds, when the device comes to it
  kCopy,      //
  kWait,      //
  kTask,      // a task of any kind
  kDoorbell,  // news of work
  kDevice,    // the device as a whole, after a time or at a task
};
constexpr bool HappensOnDevice(InjectionPlace place) noexcept { return place >= InjectionPlace::kKernel; }

struct InjectionRow {
  InjectionKind kind;
  std::string_view name;
  InjectionPlace place;
  Code code;
  std::string_view meaning;
};
const std::vector<InjectionRow>& InjectionTable();
const InjectionRow& RowOf(InjectionKind kind) noexcept;
// The names of the keys that a kind can have.
std::vector<std::string_view> InjectionKeys(InjectionKind kind);

// One fault, as it was asked for. What was not given matches everything.
struct Injection {
  InjectionKind kind = InjectionKind::kApiError;
  std::string text;       // as it was written
  int32_t device = -1;    // device id
  int32_t stream = -1;    // stream id
  int64_t task = -1;      // number of the task on its stream, from 0
  std::string kernel;     // name of the kernel
  std::string call;       // name of the function
  uint64_t nth = 0;       // only the n-th match, from 1
  uint64_t count = 0;     // at most so often; 0: no limit
  int64_t after_us = -1;  // not before so long after it was armed, or the device started; -1: at once
  double probability = 1;
  uint64_t seed = 0;
  uint64_t factor = 2;   // of kSlow
  uint64_t address = 0;  // of faults of memory; 0: the first that the device handed out
  uint64_t above = 0;    // of kOom: bytes
  int32_t code = 0;      // of kApiError

  bool operator==(const Injection&) const = default;
};

// Every injection of the text. kInvalidParam names what cannot be read, and what can.
Result<std::vector<Injection>> ParseInjections(std::string_view text);

// Whether the `match`-th match (from 1) of something tied to these happens. The same seed always says the same.
struct InjectionChance {
  uint64_t nth = 0;
  double probability = 1;
  uint64_t seed = 0;
  bool Holds(uint64_t match) const noexcept;
};

// An injection that is armed. The counters are those of the host; what happens on a device is counted by the device,
// and added when it is switched off.
struct ArmedInjection {
  explicit ArmedInjection(Injection armed, uint64_t its_id, bool configured)
      : injection(std::move(armed)), id(its_id), from_configuration(configured) {}
  const Injection injection;
  const uint64_t id;
  const bool from_configuration;
  std::atomic<uint64_t> matched{0}, happened{0};
  // For what happens on the host: counts a match. True: it happens now.
  bool Match() noexcept;
  // Whether it may happen again.
  bool IsLeft() const noexcept;
};
using ArmedInjections = std::vector<std::shared_ptr<ArmedInjection>>;

// What is armed in this process. Thread safety: all functions may be called from any thread.
class InjectionRegistry {
 public:
  static InjectionRegistry& Get();
  // In place of what an earlier configuration armed.
  void Configure(const std::vector<Injection>& injections) EXCLUDES(mutex_);
  // Returns the id of the first one; those of the others follow.
  uint64_t Add(const std::vector<Injection>& injections) EXCLUDES(mutex_);
  void Remove(uint64_t first, std::size_t count) EXCLUDES(mutex_);
  void Clear() EXCLUDES(mutex_);
  ArmedInjections All() const EXCLUDES(mutex_);
  // Of a place, and for a device (-1: any).
  ArmedInjections Of(InjectionPlace place, int32_t device = -1) const EXCLUDES(mutex_);
  // False costs a load.
  bool IsEmpty() const noexcept { return is_empty_.load(std::memory_order_acquire); }

 private:
  void AddLocked(const std::vector<Injection>& injections, bool configured) REQUIRES(mutex_);
  mutable Mutex mutex_;
  ArmedInjections armed_ GUARDED_BY(mutex_);
  uint64_t next_id_ GUARDED_BY(mutex_) = 1;
  std::atomic<bool> is_empty_{true};
};

}  // namespace forebay::base
