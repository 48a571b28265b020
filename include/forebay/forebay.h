// The C++ interface of Forebay, a runtime for neural processors.
//
// Streams run tasks in order and independently of each other; events order them on the device. Operators take and give
// RuntimeTensors, whose memory returns to its MemoryPool by itself. A failure is kept where it happened, first cause
// first.
#pragma once

#include "forebay/device.h"           // IWYU pragma: export
#include "forebay/event.h"            // IWYU pragma: export
#include "forebay/fault_injection.h"  // IWYU pragma: export
#include "forebay/host_memory.h"      // IWYU pragma: export
#include "forebay/launch.h"           // IWYU pragma: export
#include "forebay/memory_check.h"     // IWYU pragma: export
#include "forebay/memory_pool.h"      // IWYU pragma: export
#include "forebay/runtime.h"          // IWYU pragma: export
#include "forebay/shape.h"            // IWYU pragma: export
#include "forebay/status.h"           // IWYU pragma: export
#include "forebay/stream.h"           // IWYU pragma: export
#include "forebay/task_queue.h"       // IWYU pragma: export
#include "forebay/tensor.h"           // IWYU pragma: export
#include "forebay/types.h"            // IWYU pragma: export
