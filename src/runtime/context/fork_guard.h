// What a fork leaves behind: the child has none of the threads and must not touch the parent's devices.
#pragma once

namespace forebay::runtime {

// From now on a forked child is told so.
void NoteDeviceUse() noexcept;

}  // namespace forebay::runtime
