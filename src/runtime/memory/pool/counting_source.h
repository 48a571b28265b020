// Pages that are numbers only: counts what a pool obtains, so that a history of terabytes can be replayed anywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

#include "memory/pool/page_source.h"

namespace forebay::runtime {

class CountingSource final : public PageSource {
 public:
  explicit CountingSource(uint64_t page_bytes = uint64_t{2} << 20) : page_bytes_(page_bytes) {}

  uint64_t page_bytes() const noexcept override { return page_bytes_; }
  Result<AddressRange> Obtain(uint64_t bytes, uint64_t after) override {
    const AddressRange range = Place(bytes, after);
    Count(bytes);
    return range;
  }
  void Return(const AddressRange& range) override {
    if (on_leave) on_leave(range);
    ++calls_;
    reserved_ -= range.bytes;
    // The addresses at the end are free again.
    if (range.address + range.bytes == frontier_) frontier_ = range.address;
  }
  Result<AddressRange> Rearrange(std::span<const AddressRange> from, uint64_t fresh_bytes, uint64_t after) override {
    uint64_t bytes = fresh_bytes;
    for (const AddressRange& range : from) {
      if (on_leave) on_leave(range);
      bytes += range.bytes;
      ++mappings_;
    }
    Count(fresh_bytes);
    return Place(bytes, after);
  }
  std::byte* HostView(uint64_t /*address*/, uint64_t /*bytes*/) override { return nullptr; }

  uint64_t reserved() const { return reserved_; }
  uint64_t peak() const { return peak_; }
  uint64_t calls() const { return calls_; }
  // Ranges that were moved by Rearrange.
  uint64_t mappings() const { return mappings_; }
  void ResetPeak() { peak_ = reserved_; }

  // Called before addresses end.
  std::function<void(const AddressRange&)> on_leave;

 private:
  AddressRange Place(uint64_t bytes, uint64_t after) {
    if (after != frontier_) frontier_ += page_bytes_;  // what is not asked to be one is not one by chance
    const AddressRange range{frontier_, bytes};
    frontier_ += bytes;
    return range;
  }
  void Count(uint64_t fresh_bytes) {
    ++calls_;
    reserved_ += fresh_bytes;
    peak_ = std::max(peak_, reserved_);
  }

  const uint64_t page_bytes_;
  uint64_t frontier_ = uint64_t{1} << 40;
  uint64_t reserved_ = 0;
  uint64_t peak_ = 0;
  uint64_t calls_ = 0;
  uint64_t mappings_ = 0;
};

}  // namespace forebay::runtime
