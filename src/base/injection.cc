#include "forebay/base/injection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"

namespace forebay::base {
namespace {

// Which keys a fault can have, by where it happens.
enum KeyGroup : uint32_t {
  kAlways = 1,    // nth, count, p, seed
  kOfDevice = 2,  // device
  kOfTask = 4,    // stream, task, after
  kOfKernel = 8,  // kernel
  kOfCall = 16,   // call
  kOwn = 32,      // those of one kind
};

constexpr uint32_t GroupsOf(InjectionPlace place) noexcept {
  switch (place) {
    case InjectionPlace::kCall: return kAlways | kOfCall;
    case InjectionPlace::kMemory: return kAlways | kOfCall | kOfDevice;
    case InjectionPlace::kStart:
    case InjectionPlace::kRequest: return kAlways | kOfDevice;
    case InjectionPlace::kKernel:
    case InjectionPlace::kTask:
    case InjectionPlace::kDevice: return kAlways | kOfDevice | kOfTask | kOfKernel;
    case InjectionPlace::kCopy:
    case InjectionPlace::kWait:
    case InjectionPlace::kDoorbell: return kAlways | kOfDevice | kOfTask;
  }
  return kAlways;
}

struct Unit {
  std::string_view name;
  uint64_t factor;
};
constexpr Unit kSizes[] = {{"", 1}, {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
constexpr Unit kTimes[] = {{"us", 1}, {"ms", 1000}, {"s", 1'000'000}};
constexpr Unit kNumbers[] = {{"", 1}};

template <std::size_t kCount>
std::optional<uint64_t> ReadNumber(std::string_view value, const Unit (&units)[kCount]) {
  uint64_t number = 0;
  const bool is_hexadecimal = value.starts_with("0x");
  if (is_hexadecimal) value.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number, is_hexadecimal ? 16 : 10);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest = value.substr(static_cast<std::size_t>(end - value.data()));
  for (const Unit& unit : units) {
    uint64_t result = 0;
    if (rest == unit.name && !__builtin_mul_overflow(number, unit.factor, &result) && result <= INT64_MAX)
      return result;
  }
  return std::nullopt;
}

std::optional<double> ReadProbability(std::string_view value) {
  // Not by strtod, which reads another decimal point in another locale.
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !(number >= 0 && number <= 1)) return std::nullopt;
  return number;
}

// A key: who may have it, how its value is read into an injection, and what it looks like.
struct Key {
  std::string_view name;
  uint32_t group;
  bool (*read)(std::string_view value, Injection* injection);
  std::string_view expected;
  InjectionKind only_of = InjectionKind::kApiError;  // of kOwn
};

template <auto kField, const auto& kUnits>
bool ReadInto(std::string_view value, Injection* injection) {
  using Field = std::remove_reference_t<decltype(injection->*kField)>;
  const auto number = ReadNumber(value, kUnits);
  if (!number || *number > static_cast<uint64_t>(std::numeric_limits<Field>::max())) return false;
  injection->*kField = static_cast<Field>(*number);
  return true;
}
template <auto kField>
bool ReadName(std::string_view value, Injection* injection) {
  injection->*kField = value;
  return !value.empty() && value.size() < 64;
}
template <auto kField, const auto& kUnits>
bool ReadPositive(std::string_view value, Injection* injection) {
  return ReadInto<kField, kUnits>(value, injection) && injection->*kField > 0;
}

constexpr std::string_view kWhole = "a whole number";
const Key kKeys[] = {
    {"nth", kAlways, &ReadPositive<&Injection::nth, kNumbers>, "a whole number from 1"},
    {"count", kAlways, &ReadPositive<&Injection::count, kNumbers>, "a whole number from 1"},
    {"p", kAlways,
     [](std::string_view value, Injection* injection) {
       const auto probability = ReadProbability(value);
       if (probability) injection->probability = *probability;
       return probability.has_value();
     },
     "a probability from 0 to 1"},
    {"seed", kAlways, &ReadInto<&Injection::seed, kNumbers>, kWhole},
    {"device", kOfDevice, &ReadInto<&Injection::device, kNumbers>, "the id of a device"},
    {"stream", kOfTask, &ReadInto<&Injection::stream, kNumbers>, "the id of a stream"},
    {"task", kOfTask, &ReadInto<&Injection::task, kNumbers>, "the number of a task on its stream, from 0"},
    {"after", kOfTask, &ReadInto<&Injection::after_us, kTimes>, "a time with its unit: us, ms or s"},
    {"kernel", kOfKernel, &ReadName<&Injection::kernel>, "the name of a kernel, of at most 63 bytes"},
    {"call", kOfCall, &ReadName<&Injection::call>, "the name of a function"},
    {"code", kOwn, &ReadPositive<&Injection::code, kNumbers>, "the number of a code", InjectionKind::kApiError},
    {"above", kOwn, &ReadPositive<&Injection::above, kSizes>, "a size, such as 64MiB", InjectionKind::kOom},
    {"factor", kOwn, &ReadPositive<&Injection::factor, kNumbers>, "a whole number from 1", InjectionKind::kSlow},
    {"address", kOwn, &ReadInto<&Injection::address, kNumbers>, "a device address", InjectionKind::kMemoryUce},
    {"address", kOwn, &ReadInto<&Injection::address, kNumbers>, "a device address", InjectionKind::kEcc},
    {"address", kOwn, &ReadInto<&Injection::address, kNumbers>, "a device address", InjectionKind::kSuspectMemory},
};

bool CanHave(const InjectionRow& row, const Key& key) {
  return key.group == kOwn ? key.only_of == row.kind : (GroupsOf(row.place) & key.group) != 0;
}

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// Takes what comes before the separator off the text.
std::string_view Next(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return Trim(part);
}

Status Unreadable(std::string_view injection, std::string what, std::string expected) {
  return Status(Code::kInvalidParam, fmt::format("the injection \"{}\": {}", injection, what),
                fmt::format("{}; docs/injection.md lists all", expected));
}

Status ReadKey(const InjectionRow& row, std::string_view pair, std::vector<std::string_view>* seen,
               Injection* injection) {
  std::string_view value = pair;
  const std::string_view name = Next(value, '=');
  if (std::find(seen->begin(), seen->end(), name) != seen->end())
    return Unreadable(injection->text, fmt::format("it has \"{}\" twice", name), "Give each key once");
  seen->push_back(name);
  std::string possible;
  for (const Key& key : kKeys) {
    if (!CanHave(row, key)) continue;
    if (key.name == name) {
      if (key.read(Trim(value), injection)) return {};
      return Unreadable(injection->text, fmt::format("{} has the value \"{}\"", name, Trim(value)),
                        fmt::format("Expected {}", key.expected));
    }
    possible += fmt::format("{}{}", possible.empty() ? "" : ", ", key.name);
  }
  return Unreadable(injection->text, fmt::format("{} has no \"{}\"", row.name, name),
                    fmt::format("It can have {}", possible));
}

Status CheckWhole(const Injection& injection) {
  if (injection.kind == InjectionKind::kApiError) {
    if (injection.call.empty()) return Unreadable(injection.text, "it names no call", "Add call=, a function's name");
    if (injection.code == 0) return Unreadable(injection.text, "it names no code", "Add code=, what the call returns");
    if (CodeName(static_cast<Code>(injection.code)) == CodeName(static_cast<Code>(-1)))
      return Unreadable(injection.text, fmt::format("there is no code {}", injection.code), "Use an AscendCL code");
  }
  if (injection.kind == InjectionKind::kOom && injection.call.empty() == (injection.above == 0)) {
    return Unreadable(injection.text, "it needs either a call or a size", "Add call=, a function's name, or above=");
  }
  return {};
}

Result<Injection> ParseOne(std::string_view text) {
  Injection injection;
  injection.text = text;
  std::string_view rest = text;
  const std::string_view name = Next(rest, '@');
  const InjectionRow* row = nullptr;
  std::string names;
  for (const InjectionRow& candidate : InjectionTable()) {
    if (candidate.name == name) row = &candidate;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", candidate.name);
  }
  if (row == nullptr)
    return Unreadable(text, fmt::format("there is no \"{}\"", name), fmt::format("Use one of {}", names));
  injection.kind = row->kind;
  std::vector<std::string_view> seen;
  while (!Trim(rest).empty()) RETURN_IF_ERROR(ReadKey(*row, Next(rest, ','), &seen, &injection));
  RETURN_IF_ERROR(CheckWhole(injection));
  // A device fails once, or it would again as soon as it has been reset.
  const bool once = injection.nth != 0 || row->place == InjectionPlace::kDevice || row->place == InjectionPlace::kStart;
  if (injection.count == 0 && once) injection.count = 1;
  return injection;
}

}  // namespace

const std::vector<InjectionRow>& InjectionTable() {
  static NeverDestroyed<std::vector<InjectionRow>> table(std::vector<InjectionRow>{
#define FOREBAY_INJECTION(enumerator, name, place, code, meaning) \
  {InjectionKind::enumerator, name, InjectionPlace::place, Code::code, meaning},
#include "forebay/base/injections.def"
#undef FOREBAY_INJECTION
  });
  return *table;
}

const InjectionRow& RowOf(InjectionKind kind) noexcept { return InjectionTable()[static_cast<std::size_t>(kind)]; }

std::vector<std::string_view> InjectionKeys(InjectionKind kind) {
  std::vector<std::string_view> keys;
  for (const Key& key : kKeys) {
    if (CanHave(RowOf(kind), key)) keys.push_back(key.name);
  }
  return keys;
}

Result<std::vector<Injection>> ParseInjections(std::string_view text) {
  std::vector<Injection> injections;
  while (!text.empty()) {
    const std::string_view one = Next(text, ';');
    if (one.empty()) continue;
    ASSIGN_OR_RETURN(injections.emplace_back(), ParseOne(one));
  }
  return injections;
}

bool InjectionChance::Holds(uint64_t match) const noexcept {
  if (nth != 0 && match != nth) return false;
  if (probability >= 1) return true;
  // splitmix64
  uint64_t mixed = seed + match * 0x9E3779B97F4A7C15ULL;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
  mixed ^= mixed >> 31;
  return static_cast<double>(mixed >> 11) < probability * 9007199254740992.0;
}

bool ArmedInjection::Match() noexcept {
  const InjectionChance chance{injection.nth, injection.probability, injection.seed};
  if (!chance.Holds(matched.fetch_add(1, std::memory_order_relaxed) + 1)) return false;
  if (injection.count == 0) {
    happened.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  uint64_t before = happened.load(std::memory_order_relaxed);
  while (before < injection.count) {
    if (happened.compare_exchange_weak(before, before + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

bool ArmedInjection::IsLeft() const noexcept {
  return injection.count == 0 || happened.load(std::memory_order_relaxed) < injection.count;
}

InjectionRegistry& InjectionRegistry::Get() {
  static NeverDestroyed<InjectionRegistry> registry;
  return *registry;
}

void InjectionRegistry::AddLocked(const std::vector<Injection>& injections, bool configured) {
  for (const Injection& injection : injections)
    armed_.push_back(std::make_shared<ArmedInjection>(injection, next_id_++, configured));
  is_empty_.store(armed_.empty(), std::memory_order_release);
}

void InjectionRegistry::Configure(const std::vector<Injection>& injections) {
  MutexLock lock(mutex_);
  std::erase_if(armed_, [](const auto& armed) { return armed->from_configuration; });
  AddLocked(injections, /*configured=*/true);
}

uint64_t InjectionRegistry::Add(const std::vector<Injection>& injections) {
  MutexLock lock(mutex_);
  const uint64_t first = next_id_;
  AddLocked(injections, /*configured=*/false);
  return first;
}

void InjectionRegistry::Remove(uint64_t first, std::size_t count) {
  MutexLock lock(mutex_);
  std::erase_if(armed_, [&](const auto& armed) { return armed->id - first < count; });
  is_empty_.store(armed_.empty(), std::memory_order_release);
}

void InjectionRegistry::Clear() {
  MutexLock lock(mutex_);
  armed_.clear();
  is_empty_.store(true, std::memory_order_release);
}

ArmedInjections InjectionRegistry::All() const {
  MutexLock lock(mutex_);
  return armed_;
}

ArmedInjections InjectionRegistry::Of(InjectionPlace place, int32_t device) const {
  ArmedInjections found = All();
  std::erase_if(found, [&](const auto& armed) {
    return RowOf(armed->injection.kind).place != place ||
           (device >= 0 && armed->injection.device >= 0 && armed->injection.device != device);
  });
  return found;
}

}  // namespace forebay::base
