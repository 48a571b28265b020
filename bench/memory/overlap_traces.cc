// Training where several streams hold memory at once: a pipeline of devices, and activations that wait on the host.
#include <algorithm>
#include <deque>
#include <optional>

#include "traces.h"

namespace forebay::bench {
namespace {

constexpr uint64_t kHalf = 2;
constexpr uint64_t kSingle = 4;
constexpr uint32_t kCompute = 0;

// A layer of Llama 7B on one of two devices of a tensor, with flash attention.
struct Layer {
  static constexpr uint64_t kWidth = 4096, kFeedForward = 11008, kHeads = 32, kParallel = 2;
  static constexpr uint64_t kWeights = (kWidth * kWidth * 4 + kWidth * kFeedForward * 3) / kParallel;
  explicit Layer(uint64_t row_count) : rows(row_count), activation(row_count * kWidth * kHalf) {}

  const uint64_t rows;
  const uint64_t activation;

  // Reads `input` and gives what the next layer reads; what the gradients need goes to `saved`.
  uint32_t Forward(TraceBuilder& trace, std::vector<uint32_t>& saved) const {
    const auto save = [&](uint64_t bytes) { saved.push_back(trace.Allocate(bytes)); };
    save(rows * kSingle);                       // norm
    save(activation);                           // normed
    save(activation * 3 / kParallel);           // query, key, value
    trace.Workspace(activation / kParallel);    // turned positions
    save(rows * kHeads / kParallel * kSingle);  // attention
    save(activation / kParallel);               // mixed
    const uint32_t projected = trace.Allocate(activation);
    save(activation);  // residual
    trace.Free(projected);
    save(rows * kSingle);                               // norm
    save(activation);                                   // normed
    save(rows * kFeedForward * 2 * kHalf / kParallel);  // with its gate
    save(rows * kFeedForward * kHalf / kParallel);      // activated
    const uint32_t contracted = trace.Allocate(activation);
    const uint32_t output = trace.Allocate(activation);
    trace.Free(contracted);
    return output;
  }

  // Returns the gradient of the input. The gradients of weights are added to what is there.
  uint32_t Backward(TraceBuilder& trace, uint32_t gradient, std::vector<uint32_t>& saved) const {
    const uint32_t hidden = trace.Allocate(rows * kFeedForward * 2 * kHalf / kParallel);
    trace.Workspace(kWidth * kFeedForward * kHalf / kParallel);
    const uint32_t middle = trace.Allocate(activation);
    trace.Workspace(kWidth * kFeedForward * 2 * kHalf / kParallel);
    trace.Free(hidden);
    const uint32_t query_key_value = trace.Allocate(activation * 3 / kParallel);
    trace.Workspace(activation / kParallel);
    trace.Workspace(kWidth * kWidth * 3 * kHalf / kParallel);
    const uint32_t next = trace.Allocate(activation);
    for (const uint32_t id : {query_key_value, middle, gradient}) trace.Free(id);
    trace.FreeAll(saved);
    return next;
  }
};

void Optimize(TraceBuilder& trace, uint64_t layers, bool is_first) {
  for (uint64_t layer = 0; layer < layers; ++layer) {
    for (int state = 0; is_first && state < 3; ++state) trace.Allocate(Layer::kWeights / 8 * kSingle);
    trace.Workspace(Layer::kWeights / 8 * kSingle);
  }
}

// One device of a pipeline in which each has several parts of the model, by the interleaved schedule "one forward, one
// backward".
class Pipeline {
 public:
  explicit Pipeline(TraceBuilder& trace) : trace_(trace) {
    for (uint64_t layer = 0; layer < kParts * kLayers; ++layer) {
      trace_.Allocate(Layer::kWeights * kHalf);
      trace_.Allocate(Layer::kWeights * kHalf);  // gradients
    }
  }

  void Step(bool is_first) {
    constexpr std::size_t kUnits = kParts * kMicroBatches;
    constexpr std::size_t kWarmUp = (kDevices - kDevice - 1) * 2 + (kParts - 1) * kDevices;
    for (std::size_t unit = 0; unit < kWarmUp; ++unit) Forward(unit);
    for (std::size_t unit = kWarmUp; unit < kUnits; ++unit) {
      Forward(unit);
      Backward(unit - kWarmUp);
    }
    for (std::size_t unit = kUnits - kWarmUp; unit < kUnits; ++unit) Backward(unit);
    for (const uint32_t stream : {kCompute, kReceive, kSend}) trace_.Synchronise(stream);
    Optimize(trace_, kParts * kLayers, is_first);
    trace_.Step();
  }

 private:
  static constexpr uint32_t kReceive = 1, kSend = 2;
  static constexpr std::size_t kDevices = 4, kDevice = 1, kParts = 2, kLayers = 4, kMicroBatches = 16;

  struct Unit {
    uint32_t input = 0;
    std::vector<std::vector<uint32_t>> saved;
  };

  // Which part and micro-batch a unit of the schedule is; backward the last part comes first.
  static std::size_t Index(std::size_t unit, bool is_backward) {
    const std::size_t within = unit % (kDevices * kParts);
    const std::size_t part = is_backward ? kParts - 1 - within / kDevices : within / kDevices;
    const std::size_t batch = unit / (kDevices * kParts) * kDevices + within % kDevices;
    return part * kMicroBatches + batch;
  }

  uint32_t Receive() {
    const uint32_t id = trace_.Allocate(layer_.activation, kReceive);
    trace_.Wait(kReceive, kCompute);
    return id;
  }

  // The block is free once it is sent.
  void Send(uint32_t id) {
    trace_.Wait(kCompute, kSend);
    trace_.Free(id, kSend);
  }

  void Forward(std::size_t number) {
    Unit& unit = units_[Index(number, false)];
    unit.input = Receive();
    std::optional<uint32_t> flowing;
    for (std::size_t i = 0; i < kLayers; ++i) {
      const uint32_t next = layer_.Forward(trace_, unit.saved.emplace_back());
      if (flowing) unit.saved.back().push_back(*flowing);
      flowing = next;
    }
    Send(*flowing);
  }

  void Backward(std::size_t number) {
    Unit& unit = units_[Index(number, true)];
    uint32_t gradient = Receive();
    trace_.Workspace(layer_.activation);
    for (; !unit.saved.empty(); unit.saved.pop_back()) {
      // The received gradient goes back in the order of the stream that it came on.
      if (unit.saved.size() == kLayers) {
        const uint32_t copy = trace_.Allocate(layer_.activation);
        trace_.Wait(kCompute, kReceive);
        trace_.Free(gradient, kReceive);
        gradient = copy;
      }
      gradient = layer_.Backward(trace_, gradient, unit.saved.back());
    }
    trace_.Wait(kCompute, kReceive);
    trace_.Free(unit.input, kReceive);
    Send(gradient);
  }

  TraceBuilder& trace_;
  const Layer layer_{2048};
  std::vector<Unit> units_{kParts * kMicroBatches};
};

// A training whose activations are copied to the host after each layer and come back before their gradients.
class Offload {
 public:
  explicit Offload(TraceBuilder& trace) : trace_(trace) {
    for (uint64_t layer = 0; layer < kLayers; ++layer) {
      trace_.Allocate(Layer::kWeights * kHalf);
      trace_.Allocate(Layer::kWeights * kHalf);
    }
  }

  void Step(bool is_first) {
    uint32_t flowing = trace_.Allocate(layer_.activation);
    for (uint64_t i = 0; i < kLayers; ++i) {
      std::vector<uint32_t> saved = {flowing};
      flowing = layer_.Forward(trace_, saved);
      CopyOut(std::move(saved));
    }
    while (!leaving_.empty()) FinishCopy();
    const uint64_t logits = layer_.rows * 32000 / 2;
    const uint32_t widened = trace_.Allocate(logits * kSingle);
    Prefetch();
    const uint32_t logit_gradient = trace_.Allocate(logits * kHalf);
    trace_.Free(widened);
    uint32_t gradient = trace_.Allocate(layer_.activation);
    trace_.Free(logit_gradient);
    trace_.Free(flowing);
    for (uint64_t i = kLayers; i-- > 0;) {
      trace_.Wait(kCopyIn, kCompute);
      std::vector<uint32_t> saved = std::move(returned_);
      if (i > 0) Prefetch();
      gradient = layer_.Backward(trace_, gradient, saved);
    }
    trace_.Free(gradient);
    for (const uint32_t stream : {kCompute, kCopyOut, kCopyIn}) trace_.Synchronise(stream);
    Optimize(trace_, kLayers, is_first);
    trace_.Step();
  }

 private:
  static constexpr uint32_t kCopyOut = 1, kCopyIn = 2;
  static constexpr uint64_t kLayers = 16;
  static constexpr std::size_t kMostLeaving = 2;

  // The blocks are free once they are on the host; only so many layers may be on their way.
  void CopyOut(std::vector<uint32_t> saved) {
    trace_.Wait(kCompute, kCopyOut);
    leaving_.push_back(std::move(saved));
    if (leaving_.size() > kMostLeaving) FinishCopy();
  }

  void FinishCopy() {
    trace_.FreeAll(leaving_.front(), kCopyOut);
    leaving_.pop_front();
    trace_.Wait(kCopyOut, kCompute);
  }

  // Room for what a layer saved, in the order of the stream that copies it back.
  void Prefetch() {
    trace_.Wait(kCompute, kCopyIn);
    for (const uint64_t bytes : kept_) returned_.push_back(trace_.Allocate(bytes, kCopyIn));
  }

  TraceBuilder& trace_;
  const Layer layer_{4 * 2048};
  const std::vector<uint64_t> kept_ = {layer_.activation,
                                       layer_.rows* kSingle,
                                       layer_.activation,
                                       layer_.activation * 3 / 2,
                                       layer_.rows * 16 * kSingle,
                                       layer_.activation / 2,
                                       layer_.activation,
                                       layer_.rows* kSingle,
                                       layer_.activation,
                                       layer_.rows* Layer::kFeedForward* kHalf,
                                       layer_.rows* Layer::kFeedForward};
  std::deque<std::vector<uint32_t>> leaving_;
  std::vector<uint32_t> returned_;
};

template <typename Program>
runtime::Trace SixSteps(const char* name, const char* note) {
  TraceBuilder trace(name, note);
  Program program(trace);
  for (int step = 0; step < 6; ++step) program.Step(step == 0);
  return std::move(trace).Finish();
}

}  // namespace

runtime::Trace PipelineTraining() {
  return SixSteps<Pipeline>(
      "pipeline_1f1b",
      "device 1 of 4 in a pipeline, 2 parts of 4 layers each, 16 micro-batches by the interleaved "
      "schedule, sends and receives on streams of their own, 6 steps");
}

runtime::Trace OffloadTraining() {
  return SixSteps<Offload>("offload_train",
                           "16 layers whose activations are copied to the host and back on copy streams, 6 steps");
}

}  // namespace forebay::bench
