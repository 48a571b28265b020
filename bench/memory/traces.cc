#include "traces.h"

#include <algorithm>

namespace forebay::bench {

using runtime::TraceOperation;

TraceBuilder::TraceBuilder(std::string name, std::string note) {
  trace_.name = std::move(name);
  trace_.note = std::move(note) + "\n";
}

uint32_t TraceBuilder::Allocate(uint64_t bytes, uint32_t stream) {
  uint32_t id = next_id_;
  if (free_ids_.empty()) {
    ++next_id_;
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  trace_.events.push_back({TraceOperation::kAllocate, id, stream, bytes});
  return id;
}

void TraceBuilder::Free(uint32_t id, uint32_t stream) {
  trace_.events.push_back({TraceOperation::kFree, id, stream, 0});
  free_ids_.push_back(id);
}

void TraceBuilder::FreeAll(std::vector<uint32_t>& ids, uint32_t stream) {
  for (; !ids.empty(); ids.pop_back()) Free(ids.back(), stream);
}

void TraceBuilder::Wait(uint32_t from, uint32_t to) { trace_.events.push_back({TraceOperation::kWait, from, to, 0}); }

void TraceBuilder::Synchronise(uint32_t stream) {
  trace_.events.push_back({TraceOperation::kSynchronise, 0, stream, 0});
}

void TraceBuilder::Step() { trace_.events.push_back({TraceOperation::kStep, 0, 0, 0}); }

runtime::Trace TraceBuilder::Finish() && {
  runtime::CountTrace(&trace_);
  return std::move(trace_);
}

const std::vector<TraceSource>& TraceSources() {
  using enum TraceKind;
  static const std::vector<TraceSource> sources = {
      {"gpt2s_train", kPeriodic, true, Gpt2Training},
      {"bert_varlen", kModel, true, BertTraining},
      {"llama7b_recomp", kPeriodic, true, Llama7bRecompute},
      {"llama7b_zero", kPeriodic, true, Llama7bSharded},
      {"resnet50_train", kPeriodic, true, Resnet50Training},
      {"moe_train", kModel, true, MixtureTraining},
      {"llama7b_serve_contig", kModel, true, Llama7bServingContiguous},
      {"llama7b_serve_paged", kModel, true, Llama7bServingPaged},
      {"pipeline_1f1b", kPeriodic, false, PipelineTraining},
      {"offload_train", kPeriodic, false, OffloadTraining},
      {"adv_checker", kAdversarial, false, Checkerboard},
      {"adv_robson", kAdversarial, false, Robson},
      {"adv_pin", kAdversarial, false, Pins},
      {"adv_sawtooth", kAdversarial, false, Sawtooth},
      {"adv_streams", kAdversarial, false, StreamsInTurns},
  };
  return sources;
}

}  // namespace forebay::bench
