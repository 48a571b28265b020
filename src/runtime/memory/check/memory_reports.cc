#include "memory/check/memory_reports.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "forebay/base/never_destroyed.h"
#include "forebay/sip/device.h"
#include "memory/check/checked_blocks.h"

namespace forebay::runtime {
namespace {

constexpr std::size_t kMostReports = 1000;

std::atomic<MemoryReportSink> message_sink{nullptr};

std::atomic<int> failure_exit_code{0};

void Write(const std::string& line) {
  const std::string text = fmt::format("forebay memcheck: {}\n", line);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

void SetMemoryReportSink(MemoryReportSink sink) noexcept { message_sink.store(sink, std::memory_order_release); }

MemoryReports& MemoryReports::Get() {
  static base::NeverDestroyed<MemoryReports> reports;
  return *reports;
}

void MemoryReports::Add(MemoryReport report, Told told) {
  Write(report.text);
  if (const MemoryReportSink sink = message_sink.load(std::memory_order_acquire);
      sink != nullptr && told == Told::kAsMessage) {
    sink(report.text);
  }
  base::MutexLock lock(mutex_);
  if (failure_exit_code.load(std::memory_order_relaxed) != 0 && !ends_badly_) {
    ends_badly_ = true;
    std::atexit([] {
      std::fflush(nullptr);
      _exit(failure_exit_code.load(std::memory_order_relaxed));
    });
  }
  switch (report.fault) {
    case MemoryFault::kOutOfBounds: ++counts_.out_of_bounds; break;
    case MemoryFault::kUseAfterFree: ++counts_.uses_after_free; break;
    case MemoryFault::kDoubleFree: ++counts_.double_frees; break;
    case MemoryFault::kLeak:
      counts_.leaked_blocks += report.blocks;
      counts_.leaked_bytes += report.bytes;
      break;
  }
  if (reports_.size() < kMostReports) reports_.push_back(std::move(report));
}

void MemoryReports::AddPool(CheckedBlocks* pool, int exit_code) {
  failure_exit_code.store(exit_code, std::memory_order_relaxed);
  base::MutexLock lock(pools_mutex_);
  pools_.push_back(pool);
  base::MutexLock counts(mutex_);
  has_checked_ = true;
}

void MemoryReports::RemovePool(CheckedBlocks* pool) {
  base::MutexLock lock(pools_mutex_);
  std::erase(pools_, pool);
}

uint64_t MemoryReports::CheckNow() {
  std::vector<MemoryReport> found;
  {
    base::MutexLock lock(pools_mutex_);
    for (CheckedBlocks* pool : pools_) pool->Check(&found);
  }
  for (MemoryReport& report : found) Add(std::move(report), Told::kAsMessage);
  return found.size();
}

MemoryCheckStatistics MemoryReports::Statistics() {
  base::MutexLock lock(pools_mutex_);
  MemoryCheckStatistics now;
  {
    base::MutexLock counts(mutex_);
    now = counts_;
  }
  for (CheckedBlocks* pool : pools_) pool->CountInto(&now);
  return now;
}

std::vector<MemoryReport> MemoryReports::Reports() {
  base::MutexLock lock(mutex_);
  return reports_;
}

void MemoryReports::Clear() {
  base::MutexLock lock(mutex_);
  counts_ = {};
  reports_.clear();
}

void MemoryReports::WriteSummary() {
  MemoryCheckStatistics counts;
  {
    base::MutexLock lock(mutex_);
    if (!has_checked_) return;
    counts = counts_;
  }
  Write(fmt::format("{} errors (out of bounds {}, use after free {}, double free {}), {} bytes leaked in {} blocks",
                    counts.errors(), counts.out_of_bounds, counts.uses_after_free, counts.double_frees,
                    counts.leaked_bytes, counts.leaked_blocks));
}

std::string MemoryReports::FindDoubleFree(uint64_t address, const void* site) {
  std::optional<MemoryReport> report;
  {
    base::MutexLock lock(pools_mutex_);
    for (CheckedBlocks* pool : pools_) {
      if ((report = pool->FindDoubleFree(address, site))) break;
    }
  }
  if (!report) return {};
  const std::string text = report->text;
  Add(*std::move(report), Told::kByFailure);
  return text;
}

std::optional<MemoryReport> MemoryReports::Find(uint64_t address, uint64_t bytes) {
  base::MutexLock lock(pools_mutex_);
  for (CheckedBlocks* pool : pools_) {
    if (auto report = pool->FindFault(address, bytes)) return report;
  }
  return std::nullopt;
}

std::string MemoryReports::FindFault(const sip::FaultReport& fault) {
  std::optional<MemoryReport> report = fault.address != 0 ? Find(fault.address, 1) : std::nullopt;
  if (!report) return {};
  report->stream = fault.stream;
  report->task = fault.task;
  std::string text = report->text;
  report->text += fmt::format(", by task {} of stream {}", fault.task, fault.stream);
  Add(*std::move(report), Told::kByFailure);
  return text;
}

std::string MemoryReports::FindAccess(uint64_t address, uint64_t bytes) {
  std::optional<MemoryReport> report = Find(address, bytes);
  if (!report) return {};
  std::string text = report->text;
  Add(*std::move(report), Told::kByFailure);
  return text;
}

}  // namespace forebay::runtime

namespace forebay {

uint64_t MemoryCheck::CheckNow() { return runtime::MemoryReports::Get().CheckNow(); }
MemoryCheckStatistics MemoryCheck::Statistics() { return runtime::MemoryReports::Get().Statistics(); }
std::vector<MemoryReport> MemoryCheck::Reports() { return runtime::MemoryReports::Get().Reports(); }
void MemoryCheck::Clear() { runtime::MemoryReports::Get().Clear(); }

}  // namespace forebay
