// What a pool has to offer to be compared, be it ours, a model of another or a library.
#pragma once

#include <cstdint>
#include <string>

#include "memory/pool/trace.h"
#include "traces.h"

namespace forebay::bench {

class Pool {
 public:
  virtual ~Pool() = default;
  // The address; 0 when there is no memory.
  virtual uint64_t Allocate(uint64_t bytes, uint32_t stream) = 0;
  // False when it does not know the block.
  virtual bool Free(uint64_t address, uint32_t stream) = 0;
  virtual void Wait(uint32_t /*from*/, uint32_t /*to*/) {}
  virtual void Synchronise(uint32_t /*stream*/) {}
  virtual void EndStep() {}
  virtual uint64_t reserved() const = 0;
  virtual uint64_t peak_reserved() const = 0;
  virtual uint64_t upstream_calls() const = 0;
};

}  // namespace forebay::bench
