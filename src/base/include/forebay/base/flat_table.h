// A table from numbers, addresses mostly, to small values, in one flat array: no allocation per entry, and one or two
// cache lines per look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace forebay::base {

// Open addressing with linear probing; an erased entry is closed by moving later ones back, so nothing is left behind
// that a search has to step over. Grows when it is 7/8 full and never shrinks. The key 0 means "none".
// Thread safety: none.
template <typename Value>
class FlatTable {
 public:
  std::size_t size() const noexcept { return size_; }

  Value* Find(uint64_t key) noexcept {
    if (size_ == 0) return nullptr;
    for (std::size_t at = Home(key);; at = Next(at)) {
      if (entries_[at].first == key) return &entries_[at].second;
      if (entries_[at].first == 0) return nullptr;
    }
  }
  // Replaces what the key stood for.
  void Insert(uint64_t key, Value value) {
    if ((size_ + 1) * 8 > entries_.size() * 7) Grow();
    std::size_t at = Home(key);
    while (entries_[at].first != 0 && entries_[at].first != key) at = Next(at);
    if (entries_[at].first == 0) ++size_;
    entries_[at] = {key, std::move(value)};
  }
  bool Erase(uint64_t key) noexcept {
    Value* found = Find(key);
    if (found == nullptr) return false;
    std::size_t hole = 0;
    for (hole = Home(key); entries_[hole].first != key;) hole = Next(hole);
    for (std::size_t at = Next(hole); entries_[at].first != 0; at = Next(at)) {
      // An entry may move back as far as its home.
      const std::size_t home = Home(entries_[at].first);
      if (((at - home) & Mask()) < ((at - hole) & Mask())) continue;
      entries_[hole] = std::move(entries_[at]);
      hole = at;
    }
    entries_[hole] = {};
    --size_;
    return true;
  }
  template <typename Visit>
  void ForEach(Visit visit) {
    for (auto& [key, value] : entries_) {
      if (key != 0) visit(key, value);
    }
  }
  template <typename Condition>
  void EraseIf(Condition condition) {
    std::vector<std::pair<uint64_t, Value>> entries(entries_.size());
    entries.swap(entries_);
    size_ = 0;
    for (auto& [key, value] : entries) {
      if (key != 0 && !condition(value)) Insert(key, std::move(value));
    }
  }

 private:
  std::size_t Mask() const noexcept { return entries_.size() - 1; }
  std::size_t Next(std::size_t at) const noexcept { return (at + 1) & Mask(); }
  // Addresses differ in their middle bits; the multiplication spreads them, and its upper half is the best mixed.
  std::size_t Home(uint64_t key) const noexcept {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & Mask();
  }
  void Grow() {
    std::vector<std::pair<uint64_t, Value>> entries(entries_.empty() ? 64 : entries_.size() * 2);
    entries.swap(entries_);
    size_ = 0;
    for (auto& [key, value] : entries) {
      if (key != 0) Insert(key, std::move(value));
    }
  }

  std::vector<std::pair<uint64_t, Value>> entries_;
  std::size_t size_ = 0;
};

}  // namespace forebay::base
