#include "order_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace forebay::bench {

bool OrderCheck::HasPassed(const Piece& piece, uint64_t uncounted) const {
  return piece.entry <= synchronised_[piece.stream] || (lag_ > 0 && piece.operation + lag_ <= operations_ + uncounted);
}

bool OrderCheck::IsOrdered(uint32_t stream, const Piece& piece) const {
  return piece.stream == stream || HasPassed(piece, 0) || piece.entry <= known_[stream][piece.stream];
}

void OrderCheck::Complain(const char* what, uint64_t address, const Piece& piece) {
  if (!mistake_.empty()) return;
  mistake_ = fmt::format("{} at {:#x}: {} by stream {}, free {}", what, address, piece.is_live ? "live" : "freed",
                         piece.stream, piece.entry);
}

void OrderCheck::SplitAt(uint64_t address) {
  auto at = pieces_.upper_bound(address);
  if (at == pieces_.begin()) return;
  --at;
  if (at->first == address || at->second.end <= address) return;
  pieces_.emplace(address, at->second);
  at->second.end = address;
}

template <typename Look>
void OrderCheck::Cut(uint64_t begin, uint64_t end, const Look& look) {
  SplitAt(begin);
  SplitAt(end);
  const auto first = pieces_.lower_bound(begin);
  const auto last = pieces_.lower_bound(end);
  for (auto at = first; at != last; ++at) look(at->first, at->second);
  pieces_.erase(first, last);
}

void OrderCheck::Allocate(uint64_t address, uint64_t bytes, uint32_t stream) {
  ++operations_;
  const uint64_t end = address + std::max<uint64_t>(bytes, 1);
  Cut(address, end, [&](uint64_t at, const Piece& piece) {
    if (piece.is_live) Complain("a block overlaps another", at, piece);
    if (!piece.is_live && !IsOrdered(stream, piece)) Complain("memory is handed out too early", at, piece);
  });
  pieces_[address] = {end, true, stream, 0, operations_};
}

void OrderCheck::Free(uint64_t address, uint32_t stream) {
  const auto at = pieces_.find(address);
  if (at == pieces_.end() || !at->second.is_live) return;
  at->second = {at->second.end, false, stream, ++now_[stream], ++operations_};
}

void OrderCheck::Wait(uint32_t from, uint32_t to) {
  for (uint32_t other = 0; other < now_.size(); ++other)
    known_[to][other] = std::max(known_[to][other], known_[from][other]);
  known_[to][from] = now_[from];
}

void OrderCheck::WaitFor(uint32_t stream, const runtime::StreamMoment& moment) {
  known_[stream][moment.slot] = std::max(known_[stream][moment.slot], moment.entry);
}

void OrderCheck::Synchronise(uint32_t stream) {
  synchronised_[stream] = now_[stream];
  for (std::vector<uint64_t>& row : known_) row[stream] = now_[stream];
  // Whatever that stream had waited for is over too.
  for (uint32_t other = 0; other < now_.size(); ++other) {
    synchronised_[other] = std::max(synchronised_[other], known_[stream][other]);
    for (std::vector<uint64_t>& row : known_) row[other] = std::max(row[other], known_[stream][other]);
  }
}

void OrderCheck::NotePassed(const runtime::StreamMoment& moment) {
  synchronised_[moment.slot] = std::max(synchronised_[moment.slot], moment.entry);
}

void OrderCheck::Leave(const runtime::AddressRange& range) {
  Cut(range.address, range.address + range.bytes, [&](uint64_t at, const Piece& piece) {
    if (piece.is_live || !HasPassed(piece, 1)) Complain("pages leave too early", at, piece);
  });
}

}  // namespace forebay::bench
