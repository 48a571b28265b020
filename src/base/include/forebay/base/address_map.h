// Which bytes of which file lie at which addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace forebay::base {

class AddressMap {
 public:
  struct Piece {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t offset = 0;
    uint32_t file = 0;

    uint64_t end() const noexcept { return address + bytes; }
    bool operator==(const Piece&) const = default;
  };

  // In place of what is there.
  void Add(Piece piece) {
    Remove(piece.address, piece.bytes);
    bytes_ += piece.bytes;
    auto next = pieces_.lower_bound(piece.address);
    if (next != pieces_.begin() && Joins(*std::prev(next), piece)) {
      const auto previous = std::prev(next);
      piece = {previous->first, previous->second.bytes + piece.bytes, previous->second.offset, piece.file};
      pieces_.erase(previous);
    }
    if (next != pieces_.end() && Joins({piece.address, {piece.bytes, piece.offset, piece.file}}, PieceAt(next))) {
      piece.bytes += next->second.bytes;
      next = pieces_.erase(next);
    }
    pieces_.emplace_hint(next, piece.address, Place{piece.bytes, piece.offset, piece.file});
  }
  // Takes out what lies in [address, address + bytes).
  std::vector<Piece> Remove(uint64_t address, uint64_t bytes) {
    std::vector<Piece> removed = Find(address, bytes);
    for (const Piece& piece : removed) {
      const auto found = std::prev(pieces_.upper_bound(piece.address));
      const Piece whole = PieceAt(found);
      pieces_.erase(found);
      if (whole.address < piece.address)
        pieces_.emplace(whole.address, Place{piece.address - whole.address, whole.offset, whole.file});
      if (piece.end() < whole.end())
        pieces_.emplace(piece.end(), Place{whole.end() - piece.end(), piece.offset + piece.bytes, whole.file});
      bytes_ -= piece.bytes;
    }
    return removed;
  }
  // What lies in [address, address + bytes), by address.
  std::vector<Piece> Find(uint64_t address, uint64_t bytes) const {
    std::vector<Piece> found;
    for (auto at = FirstBehind(address); at != pieces_.end() && at->first < address + bytes; ++at) {
      const uint64_t begin = std::max(address, at->first);
      const uint64_t end = std::min(address + bytes, at->first + at->second.bytes);
      found.push_back({begin, end - begin, at->second.offset + (begin - at->first), at->second.file});
    }
    return found;
  }
  // Whether something lies at every address of [address, address + bytes).
  bool Covers(uint64_t address, uint64_t bytes) const {
    for (auto at = FirstBehind(address); at != pieces_.end() && at->first <= address; ++at) {
      const uint64_t rest = at->first + at->second.bytes - address;
      if (bytes <= rest) return true;
      address += rest;
      bytes -= rest;
    }
    return false;
  }
  // How many bytes lie at any address.
  uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Place {
    uint64_t bytes;
    uint64_t offset;
    uint32_t file;
  };
  using Pieces = std::map<uint64_t, Place>;  // by address

  static bool Joins(const Pieces::value_type& before, const Piece& piece) noexcept {
    return before.first + before.second.bytes == piece.address &&
           before.second.offset + before.second.bytes == piece.offset && before.second.file == piece.file;
  }
  static Piece PieceAt(Pieces::const_iterator at) noexcept {
    return {at->first, at->second.bytes, at->second.offset, at->second.file};
  }
  // The first piece that ends behind the address.
  Pieces::const_iterator FirstBehind(uint64_t address) const {
    const auto next = pieces_.upper_bound(address);
    if (next == pieces_.begin()) return next;
    const auto previous = std::prev(next);
    return address - previous->first < previous->second.bytes ? previous : next;
  }

  Pieces pieces_;
  uint64_t bytes_ = 0;
};

}  // namespace forebay::base
