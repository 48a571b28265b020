// The pages of each kind of memory.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>

#include "acl/acl.h"
#include "forebay/runtime/allocation.h"

namespace forebay::acl {

// By aclrtMemAttr. One memory stands behind all kinds. Empty for a kind that is none.
inline std::optional<uint64_t> PageBytesOf(aclrtMemAttr attribute) noexcept {
  using runtime::kGiantPage;
  using runtime::kHugePage;
  using runtime::kNormalPage;
  constexpr uint64_t kPageBytes[] = {
      kNormalPage, kNormalPage, kHugePage,   kNormalPage, kHugePage,  kNormalPage,  // DDR and HBM
      kHugePage,   kNormalPage, kHugePage,   kNormalPage,                           // for other devices
      kGiantPage,  kGiantPage,  kNormalPage, kHugePage,   kGiantPage,               // 1 GiB; any place
      kNormalPage, kHugePage,   kGiantPage,                                         // any place, for other devices
  };
  static_assert(std::size(kPageBytes) == ACL_MEM_P2P_HUGE1G + 1);
  if (attribute < 0 || static_cast<std::size_t>(attribute) >= std::size(kPageBytes)) return std::nullopt;
  return kPageBytes[attribute];
}

}  // namespace forebay::acl
