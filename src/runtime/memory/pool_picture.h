// The blocks of a pool with those who hold them.
#pragma once

#include <vector>

#include "memory/pool/heap.h"
#include "memory/pool/snapshot.h"

namespace forebay::runtime {

// `blocks` in the order of addresses. Who allocated one is known of aclrtMalloc; of others the stream is.
Snapshot SnapshotOf(const std::vector<BlockInfo>& blocks);

}  // namespace forebay::runtime
