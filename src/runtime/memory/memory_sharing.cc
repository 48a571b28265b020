#include "memory/memory_sharing.h"

namespace forebay::runtime {

void EndSharingOf(uint64_t, Physical physical) {
  if (!physical.imported()) physical.sip->GivePhysical(physical.extents);
}

void GiveBackWhatOthersLeft() {}

}  // namespace forebay::runtime
