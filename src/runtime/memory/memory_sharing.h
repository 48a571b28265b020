// Memory that other processes use too.
#pragma once

#include <string>

#include "forebay/runtime/memory_sharing.h"
#include "memory/virtual_memory.h"

namespace forebay::runtime {

// Nothing in this process holds the memory any more. It is given back, unless others still use it.
void EndSharingOf(Physical physical, bool device_ends);
// Memory that was only kept for other processes, and that these have given back.
void GiveBackWhatOthersLeft();
// The device is being switched off: what was exported of it, and imported for it, ends. Processes that have imported
// memory of it keep that.
void EndSharingOfDevice(const std::shared_ptr<sip::Device>& sip);
// The key under which allocated memory is offered to other processes; empty when it is not.
std::string KeyOfExported(uint64_t address);
// What was imported at an address, as allocations are told of.
std::optional<Allocation> FindImported(uint64_t address);

}  // namespace forebay::runtime
