// Checks what a pool hands out: no two live blocks overlap, and a stream gets memory only after whoever had it before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "memory/pool/ordering.h"
#include "memory/pool/page_source.h"

namespace forebay::bench {

class OrderCheck {
 public:
  // What was freed has passed `lag` operations later; 0: only when the host has waited for it.
  OrderCheck(uint32_t streams, uint64_t lag)
      : lag_(lag), now_(streams), known_(streams, std::vector<uint64_t>(streams)) {}

  void Allocate(uint64_t address, uint64_t bytes, uint32_t stream);
  void Free(uint64_t address, uint32_t stream);
  void Wait(uint32_t from, uint32_t to);
  // As if the stream waited for a moment of another: its n-th free.
  void WaitFor(uint32_t stream, const runtime::StreamMoment& moment);
  void Synchronise(uint32_t stream);
  // The host has seen that the moment passed.
  void NotePassed(const runtime::StreamMoment& moment);
  // The addresses end, and their memory goes elsewhere: nobody may still use it.
  void Leave(const runtime::AddressRange& range);
  // What was wrong first; empty when nothing was.
  const std::string& mistake() const { return mistake_; }

 private:
  // Who has the memory from an address on, or had it last.
  struct Piece {
    uint64_t end;
    bool is_live;
    uint32_t stream;  // of the free
    uint64_t entry;   // which of its frees
    uint64_t operation;
  };
  // `uncounted`: operations that have begun, and are not counted yet.
  bool HasPassed(const Piece& piece, uint64_t uncounted) const;
  bool IsOrdered(uint32_t stream, const Piece& piece) const;
  // Makes pieces begin and end at these addresses, and removes those between after `look` saw them.
  template <typename Look>
  void Cut(uint64_t begin, uint64_t end, const Look& look);
  void SplitAt(uint64_t address);
  void Complain(const char* what, uint64_t address, const Piece& piece);

  const uint64_t lag_;
  uint64_t operations_ = 0;
  std::map<uint64_t, Piece> pieces_;
  std::vector<uint64_t> now_;                 // frees of each stream
  std::vector<std::vector<uint64_t>> known_;  // of those, how many each other comes after
  std::vector<uint64_t> synchronised_ = std::vector<uint64_t>(now_.size());
  std::string mistake_;
};

}  // namespace forebay::bench
