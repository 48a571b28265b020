// Histories of memory pools: what programs of known shapes do with device memory. The same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/pool/trace.h"

namespace forebay::bench {

inline constexpr uint64_t kKiB = uint64_t{1} << 10;
inline constexpr uint64_t kMiB = uint64_t{1} << 20;

// Puts a trace together.
class TraceBuilder {
 public:
  TraceBuilder(std::string name, std::string note);
  // Returns the id of the block.
  uint32_t Allocate(uint64_t bytes, uint32_t stream = 0);
  void Free(uint32_t id, uint32_t stream = 0);
  void FreeAll(std::vector<uint32_t>& ids, uint32_t stream = 0);
  // A block that only one operation needs.
  void Workspace(uint64_t bytes, uint32_t stream = 0) { Free(Allocate(bytes, stream), stream); }
  // Stream `to` waits for what `from` has done so far.
  void Wait(uint32_t from, uint32_t to);
  void Synchronise(uint32_t stream);
  void Step();
  runtime::Trace Finish() &&;

 private:
  runtime::Trace trace_;
  std::vector<uint32_t> free_ids_;
  uint32_t next_id_ = 0;
};

// Random numbers that are the same everywhere.
class TraceRandom {
 public:
  explicit TraceRandom(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  uint64_t Below(uint64_t limit) { return Next() % limit; }
  // From 0 to below 1.
  double Part() { return static_cast<double>(Next() >> 11) / 9007199254740992.0; }

 private:
  uint64_t state_;
};

enum class TraceKind {
  kPeriodic,     // a training whose steps are all alike
  kModel,        // a training or serving whose steps differ
  kAdversarial,  // made to fragment
};

struct TraceSource {
  const char* name;
  TraceKind kind;
  bool of_the_eight;  // one of the model traces that goals of waste are averaged over
  runtime::Trace (*make)();
};

// Every trace that can be made.
const std::vector<TraceSource>& TraceSources();

runtime::Trace Gpt2Training();
runtime::Trace BertTraining();
runtime::Trace Llama7bRecompute();
runtime::Trace Llama7bSharded();
runtime::Trace Resnet50Training();
runtime::Trace MixtureTraining();
runtime::Trace Llama7bServingContiguous();
runtime::Trace Llama7bServingPaged();
runtime::Trace PipelineTraining();
runtime::Trace OffloadTraining();
runtime::Trace Checkerboard();
runtime::Trace Robson();
runtime::Trace Pins();
runtime::Trace Sawtooth();
runtime::Trace StreamsInTurns();

}  // namespace forebay::bench
