// Our own short models of published behaviour, to compare with. None is the original.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "pool.h"

namespace forebay::bench {

// Addresses without memory: what a model gets from its driver.
class ModelDriver {
 public:
  uint64_t Obtain(uint64_t bytes) {
    ++calls_;
    reserved_ += bytes;
    peak_ = std::max(peak_, reserved_);
    const uint64_t address = next_;
    next_ += (bytes + 6 * kMiB - 1) & ~(2 * kMiB - 1);
    return address;
  }
  uint64_t reserved() const { return reserved_; }
  uint64_t peak() const { return peak_; }
  uint64_t calls() const { return calls_; }

 private:
  uint64_t next_ = uint64_t{1} << 40;
  uint64_t reserved_ = 0;
  uint64_t peak_ = 0;
  uint64_t calls_ = 0;
};

// The pool printed in docs/article.md: a vector of blocks, first fit, never split, never joined.
class ArticlePool final : public Pool {
 public:
  uint64_t Allocate(uint64_t bytes, uint32_t stream) override;
  bool Free(uint64_t address, uint32_t stream) override;
  uint64_t reserved() const override { return driver_.reserved(); }
  uint64_t peak_reserved() const override { return driver_.peak(); }
  uint64_t upstream_calls() const override { return driver_.calls(); }
  // A live block without the search, which would take hours for a million.
  uint64_t Append(uint64_t bytes);

 private:
  struct Block {
    uint64_t address;
    uint64_t bytes;
    bool is_free;
  };
  std::vector<Block> blocks_;
  ModelDriver driver_;
};

// What the models below keep of a block.
struct ModelBlock {
  uint64_t address = 0;
  uint64_t bytes = 0;
  ModelBlock* left = nullptr;  // its neighbours
  ModelBlock* right = nullptr;
  bool is_live = false;
  bool is_small = false;
  uint32_t stream = 0;
  uint64_t sequence = 0;
};

// Owns blocks and gives used ones out again.
class ModelBlocks {
 public:
  ModelBlock* Make(const ModelBlock& block);
  void Drop(ModelBlock* block) { spare_.push_back(block); }
  // Cuts the part beyond `bytes` off, which is returned.
  ModelBlock* Split(ModelBlock* block, uint64_t bytes);
  // Takes what follows the block into it.
  void JoinRight(ModelBlock* block);

 private:
  std::deque<ModelBlock> blocks_;
  std::vector<ModelBlock*> spare_;
};

struct BySize {
  bool operator()(const ModelBlock* a, const ModelBlock* b) const {
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->address < b->address;
  }
};
struct ByStreamAndSize {
  bool operator()(const ModelBlock* a, const ModelBlock* b) const {
    return a->stream != b->stream ? a->stream < b->stream : BySize()(a, b);
  }
};

// As frameworks cache device memory: two sizes of segments, a free list for each stream, best fit, and blocks freed on
// another stream wait until the host has seen its event.
class FrameworkModel final : public Pool {
 public:
  uint64_t Allocate(uint64_t bytes, uint32_t stream) override;
  bool Free(uint64_t address, uint32_t stream) override;
  void Synchronise(uint32_t stream) override;
  uint64_t reserved() const override { return driver_.reserved(); }
  uint64_t peak_reserved() const override { return driver_.peak(); }
  uint64_t upstream_calls() const override { return driver_.calls(); }

 private:
  static constexpr uint64_t kOperationsUntilSeen = 200;
  struct Waiting {
    uint64_t until;
    ModelBlock* block;
  };
  void Insert(ModelBlock* block);

  std::array<std::set<ModelBlock*, ByStreamAndSize>, 2> free_;  // [is_small]
  std::unordered_map<uint64_t, ModelBlock*> live_;
  std::deque<Waiting> waiting_;
  uint64_t operations_ = 0;
  ModelBlocks blocks_;
  ModelDriver driver_;
};

// A stream-ordered pool that walks ordered sets from one end: one reserved range, units of 2 MiB, dependencies copied
// for each search beyond the own stream.
class LinearStreamModel final : public Pool {
 public:
  LinearStreamModel();
  uint64_t Allocate(uint64_t bytes, uint32_t stream) override;
  bool Free(uint64_t address, uint32_t stream) override;
  void Wait(uint32_t from, uint32_t to) override;
  uint64_t reserved() const override { return peak_; }
  uint64_t peak_reserved() const override { return peak_; }
  uint64_t upstream_calls() const override { return 0; }

 private:
  static constexpr uint64_t kUnit = 2 * kMiB;
  ModelBlock* FindCached(uint64_t bytes, uint32_t stream);

  ModelBlocks blocks_;
  std::set<ModelBlock*, BySize> cached_;
  ModelBlock* untouched_ = nullptr;  // the rest of the range
  std::unordered_map<uint64_t, ModelBlock*> live_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> dependencies_;
  std::unordered_map<uint32_t, uint64_t> sequence_;
  uint64_t peak_ = 0;
};

// Exact best fit over one range that grows, streams ignored: the yardstick for waste.
class BestFit final : public Pool {
 public:
  uint64_t Allocate(uint64_t bytes, uint32_t stream) override;
  bool Free(uint64_t address, uint32_t stream) override;
  uint64_t reserved() const override { return end_ - kStart; }
  uint64_t peak_reserved() const override { return end_ - kStart; }
  uint64_t upstream_calls() const override { return calls_; }

 private:
  static constexpr uint64_t kStart = uint64_t{1} << 40;
  ModelBlock* Grow(uint64_t bytes);

  ModelBlocks blocks_;
  std::set<ModelBlock*, BySize> free_;
  std::unordered_map<uint64_t, ModelBlock*> live_;
  ModelBlock* last_ = nullptr;
  uint64_t end_ = kStart;
  uint64_t calls_ = 0;
};

}  // namespace forebay::bench
