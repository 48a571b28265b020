#include "peers.h"

#include <iterator>

namespace forebay::bench {
namespace {

uint64_t RoundUp(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

ModelBlock* TakeLive(std::unordered_map<uint64_t, ModelBlock*>& live, uint64_t address) {
  const auto at = live.find(address);
  if (at == live.end()) return nullptr;
  ModelBlock* block = at->second;
  live.erase(at);
  return block;
}

}  // namespace

// ---- ArticlePool ----

uint64_t ArticlePool::Allocate(uint64_t bytes, uint32_t /*stream*/) {
  for (Block& block : blocks_) {
    if (!block.is_free || block.bytes < bytes) continue;
    block.is_free = false;
    return block.address;
  }
  return Append(bytes);
}

uint64_t ArticlePool::Append(uint64_t bytes) {
  blocks_.push_back({driver_.Obtain(bytes), bytes, false});
  return blocks_.back().address;
}

bool ArticlePool::Free(uint64_t address, uint32_t /*stream*/) {
  for (Block& block : blocks_) {
    if (block.address != address) continue;
    block.is_free = true;
    return true;
  }
  return false;
}

// ---- ModelBlocks ----

ModelBlock* ModelBlocks::Make(const ModelBlock& block) {
  if (spare_.empty()) return &blocks_.emplace_back(block);
  ModelBlock* made = spare_.back();
  spare_.pop_back();
  *made = block;
  return made;
}

ModelBlock* ModelBlocks::Split(ModelBlock* block, uint64_t bytes) {
  ModelBlock rest = *block;
  rest.address += bytes;
  rest.bytes -= bytes;
  rest.left = block;
  rest.is_live = false;
  ModelBlock* made = Make(rest);
  if (made->right != nullptr) made->right->left = made;
  block->right = made;
  block->bytes = bytes;
  return made;
}

void ModelBlocks::JoinRight(ModelBlock* block) {
  ModelBlock* right = block->right;
  block->bytes += right->bytes;
  block->right = right->right;
  if (block->right != nullptr) block->right->left = block;
  Drop(right);
}

// ---- FrameworkModel ----

uint64_t FrameworkModel::Allocate(uint64_t bytes, uint32_t stream) {
  ++operations_;
  for (; !waiting_.empty() && waiting_.front().until < operations_; waiting_.pop_front())
    Insert(waiting_.front().block);
  bytes = RoundUp(std::max<uint64_t>(bytes, 1), 512);
  const bool is_small = bytes <= kMiB;
  auto& free = free_[is_small];
  ModelBlock key;
  key.bytes = bytes;
  key.stream = stream;
  const auto at = free.lower_bound(&key);
  ModelBlock* block = nullptr;
  if (at != free.end() && (*at)->stream == stream) {
    block = *at;
    free.erase(at);
  } else {
    const uint64_t segment = is_small ? 2 * kMiB : bytes < 10 * kMiB ? 20 * kMiB : RoundUp(bytes, 2 * kMiB);
    ModelBlock made;
    made.address = driver_.Obtain(segment);
    made.bytes = segment;
    made.stream = stream;
    made.is_small = is_small;
    block = blocks_.Make(made);
  }
  const uint64_t rest = block->bytes - bytes;
  if (is_small ? rest >= 512 : rest > kMiB) free.insert(blocks_.Split(block, bytes));
  block->is_live = true;
  live_[block->address] = block;
  return block->address;
}

void FrameworkModel::Insert(ModelBlock* block) {
  auto& free = free_[block->is_small];
  block->is_live = false;
  if (ModelBlock* left = block->left; left != nullptr && !left->is_live) {
    free.erase(left);
    blocks_.JoinRight(left);
    block = left;
  }
  if (ModelBlock* right = block->right; right != nullptr && !right->is_live) {
    free.erase(right);
    blocks_.JoinRight(block);
  }
  free.insert(block);
}

bool FrameworkModel::Free(uint64_t address, uint32_t stream) {
  ++operations_;
  ModelBlock* block = TakeLive(live_, address);
  if (block == nullptr) return false;
  if (block->stream != stream) {
    waiting_.push_back({operations_ + kOperationsUntilSeen, block});
  } else {
    Insert(block);
  }
  return true;
}

void FrameworkModel::Synchronise(uint32_t /*stream*/) {
  for (; !waiting_.empty(); waiting_.pop_front()) Insert(waiting_.front().block);
}

// ---- LinearStreamModel ----

LinearStreamModel::LinearStreamModel() {
  ModelBlock range;
  range.address = uint64_t{1} << 40;
  range.bytes = uint64_t{1} << 44;
  untouched_ = blocks_.Make(range);
  untouched_->is_live = true;  // never joined with what is cached
}

ModelBlock* LinearStreamModel::FindCached(uint64_t bytes, uint32_t stream) {
  // The algorithm, not the member function: on a set it takes a step for each element.
  const auto first = [&] {
    return std::lower_bound(cached_.begin(), cached_.end(), bytes,
                            [](const ModelBlock* block, uint64_t wanted) { return block->bytes < wanted; });
  };
  for (auto at = first(); at != cached_.end(); ++at) {
    if ((*at)->stream == stream) return *at;
  }
  const auto dependencies = dependencies_;
  for (auto at = first(); at != cached_.end(); ++at) {
    const auto known = dependencies.find({stream, (*at)->stream});
    if (known != dependencies.end() && known->second >= (*at)->sequence) return *at;
  }
  return nullptr;
}

uint64_t LinearStreamModel::Allocate(uint64_t bytes, uint32_t stream) {
  bytes = RoundUp(std::max<uint64_t>(bytes, 1), kUnit);
  ModelBlock* block = FindCached(bytes, stream);
  if (block != nullptr) {
    cached_.erase(block);
    if (block->bytes > bytes) cached_.insert(blocks_.Split(block, bytes));
  } else {
    block = untouched_;
    untouched_ = blocks_.Split(block, bytes);
    untouched_->is_live = true;
    peak_ += bytes;
  }
  block->is_live = true;
  block->stream = stream;
  live_[block->address] = block;
  return block->address;
}

bool LinearStreamModel::Free(uint64_t address, uint32_t stream) {
  ModelBlock* block = TakeLive(live_, address);
  if (block == nullptr) return false;
  block->is_live = false;
  block->stream = stream;
  block->sequence = ++sequence_[stream];
  const auto joins = [&](const ModelBlock* other) {
    return other != nullptr && !other->is_live && other->stream == stream;
  };
  if (ModelBlock* left = block->left; joins(left)) {
    cached_.erase(left);
    left->sequence = block->sequence;
    blocks_.JoinRight(left);
    block = left;
  }
  if (joins(block->right)) {
    cached_.erase(block->right);
    blocks_.JoinRight(block);
  }
  cached_.insert(block);
  return true;
}

void LinearStreamModel::Wait(uint32_t from, uint32_t to) { dependencies_[{to, from}] = sequence_[from]; }

// ---- BestFit ----

ModelBlock* BestFit::Grow(uint64_t bytes) {
  ++calls_;
  uint64_t missing = bytes;
  ModelBlock* block = last_;
  if (block != nullptr && !block->is_live) {
    free_.erase(block);
    missing -= block->bytes;
  } else {
    ModelBlock made;
    made.address = end_;
    made.left = last_;
    block = blocks_.Make(made);
    if (last_ != nullptr) last_->right = block;
    last_ = block;
  }
  missing = RoundUp(missing, 2 * kMiB);
  block->bytes += missing;
  end_ += missing;
  return block;
}

uint64_t BestFit::Allocate(uint64_t bytes, uint32_t /*stream*/) {
  bytes = RoundUp(std::max<uint64_t>(bytes, 1), 512);
  ModelBlock key;
  key.bytes = bytes;
  const auto at = free_.lower_bound(&key);
  ModelBlock* block = nullptr;
  if (at != free_.end()) {
    block = *at;
    free_.erase(at);
  } else {
    block = Grow(bytes);
  }
  if (block->bytes > bytes) {
    ModelBlock* rest = blocks_.Split(block, bytes);
    if (block == last_) last_ = rest;
    free_.insert(rest);
  }
  block->is_live = true;
  live_[block->address] = block;
  return block->address;
}

bool BestFit::Free(uint64_t address, uint32_t /*stream*/) {
  ModelBlock* block = TakeLive(live_, address);
  if (block == nullptr) return false;
  block->is_live = false;
  if (ModelBlock* left = block->left; left != nullptr && !left->is_live) {
    free_.erase(left);
    if (block == last_) last_ = left;
    blocks_.JoinRight(left);
    block = left;
  }
  if (ModelBlock* right = block->right; right != nullptr && !right->is_live) {
    free_.erase(right);
    if (right == last_) last_ = block;
    blocks_.JoinRight(block);
  }
  free_.insert(block);
  return true;
}

}  // namespace forebay::bench
