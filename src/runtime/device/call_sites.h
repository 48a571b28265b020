// Where in the program what it holds comes from, for the one who has run out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace forebay::runtime {

// A call by its return address: "model.so+0x1234 (Load)". Module and offset are what addr2line takes.
std::string DescribeSite(const void* site);

// What calls hold.
class SiteTally {
 public:
  struct Holder {
    const void* site = nullptr;
    uint64_t count = 0;
    uint64_t bytes = 0;
  };
  void Add(const void* site, uint64_t bytes = 0);
  std::size_t size() const noexcept { return by_site_.size(); }
  // Who holds the most bytes first, or the largest number; at most `most`.
  std::vector<Holder> Top(std::size_t most) const;

 private:
  std::map<const void*, Holder> by_site_;
};

}  // namespace forebay::runtime
