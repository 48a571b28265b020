// Training steps of transformers: activations that wait for their gradients, Adam, mixed precision.
#include <algorithm>
#include <optional>

#include "traces.h"

namespace forebay::bench {
namespace {

constexpr uint64_t kHalf = 2;    // bytes of an activation or weight
constexpr uint64_t kSingle = 4;  // bytes of an optimizer state
constexpr uint32_t kCompute = 0;
constexpr uint32_t kCommunication = 1;

struct Shape {
  uint64_t layers, width, heads, feed_forward, vocabulary, batch, sequence;
  uint64_t tensor_parallel = 1;
  bool recompute = false;  // activations inside a layer are computed again for the gradients
  bool gated = false;      // feed-forward with a gate
  bool flash = false;      // attention without its matrix
  bool varying = false;    // every step has another sequence length
  bool sharded = false;    // weights are gathered for each layer, on a stream of their own
  int steps = 6;
};

class Training {
 public:
  Training(TraceBuilder& trace, const Shape& shape, uint64_t seed) : trace_(trace), shape_(shape), random_(seed) {
    const uint64_t width = shape.width;
    const uint64_t parallel = shape.tensor_parallel;
    const uint64_t feed_forward = width * shape.feed_forward / parallel;
    layer_ = {width * width * 3 / parallel,
              width * width / parallel,
              feed_forward * (shape.gated ? 2 : 1),
              feed_forward,
              width,
              width};
    AddWeight(shape.vocabulary * width / parallel);
    for (uint64_t i = 0; i < shape.layers; ++i) {
      for (const uint64_t elements : layer_) AddWeight(elements);
    }
    AddWeight(width);
  }

  void Run() {
    for (step_ = 0; step_ < shape_.steps; ++step_) {
      SetSizes(shape_.varying ? 64 + 16 * random_.Below(29) : shape_.sequence);
      const uint32_t tokens = trace_.Allocate(rows_ * 8);
      const uint32_t labels = trace_.Allocate(rows_ * 8);
      uint32_t flowing = trace_.Allocate(activation_);
      std::vector<Layer> layers(shape_.layers);
      for (Layer& layer : layers) flowing = Forward(flowing, !shape_.recompute, &layer);
      uint32_t loss = 0;
      uint32_t gradient = Head(flowing, &loss);
      for (std::size_t i = layers.size(); i-- > 0;) gradient = Backward(i, layers[i], gradient);
      for (const uint32_t id : {gradient, tokens, labels, loss}) trace_.Free(id);
      trace_.Synchronise(kCompute);
      if (shape_.sharded) trace_.Synchronise(kCommunication);
      Optimize();
      trace_.Step();
    }
  }

 private:
  struct Layer {
    uint32_t input = 0;
    std::vector<uint32_t> saved;
  };

  void AddWeight(uint64_t elements) {
    weights_.push_back(elements);
    trace_.Allocate(elements * kHalf);
  }

  void SetSizes(uint64_t sequence) {
    const uint64_t parallel = shape_.tensor_parallel;
    rows_ = shape_.batch * sequence;
    activation_ = rows_ * shape_.width * kHalf;
    query_key_value_ = rows_ * shape_.width * 3 * kHalf / parallel;
    feed_forward_ = rows_ * shape_.feed_forward * kHalf / parallel;
    const uint64_t attention_rows = shape_.batch * shape_.heads / parallel * sequence;
    attention_ = shape_.flash ? attention_rows * kSingle : attention_rows * sequence * kHalf;
  }

  uint64_t GatheredBytes() const { return (layer_[0] + layer_[1] + layer_[2] + layer_[3]) * kHalf; }

  std::optional<uint32_t> Gather() {
    if (!shape_.sharded) return std::nullopt;
    const uint32_t gathered = trace_.Allocate(GatheredBytes(), kCommunication);
    trace_.Wait(kCommunication, kCompute);
    return gathered;
  }

  void Release(std::optional<uint32_t> gathered) {
    if (!gathered) return;
    trace_.Wait(kCompute, kCommunication);
    trace_.Free(*gathered, kCommunication);
  }

  uint32_t Forward(uint32_t input, bool save, Layer* layer) {
    layer->input = input;
    const auto keep = [&](std::initializer_list<uint32_t> ids) {
      for (const uint32_t id : ids) {
        if (save) {
          layer->saved.push_back(id);
        } else {
          trace_.Free(id);
        }
      }
    };
    const std::optional<uint32_t> gathered = Gather();
    const uint32_t mean = trace_.Allocate(rows_ * kSingle);
    const uint32_t deviation = trace_.Allocate(rows_ * kSingle);
    const uint32_t normed = trace_.Allocate(activation_);
    const uint32_t query_key_value = trace_.Allocate(query_key_value_);
    trace_.Workspace(query_key_value_ / 3);
    trace_.Workspace(8 * kMiB + 4096);
    const uint32_t attention = trace_.Allocate(attention_);
    const uint32_t mixed = trace_.Allocate(activation_ / shape_.tensor_parallel);
    if (!shape_.flash) keep({trace_.Allocate(attention_ / kHalf)});
    const uint32_t projected = trace_.Allocate(activation_);
    const uint32_t mask = trace_.Allocate(rows_ * shape_.width);
    const uint32_t residual = trace_.Allocate(activation_);
    trace_.Free(projected);
    keep({mean, deviation, normed, query_key_value, attention, mixed, mask});
    const uint32_t second_mean = trace_.Allocate(rows_ * kSingle);
    const uint32_t second_deviation = trace_.Allocate(rows_ * kSingle);
    const uint32_t second_normed = trace_.Allocate(activation_);
    const uint32_t hidden = trace_.Allocate(feed_forward_ * (shape_.gated ? 2 : 1));
    const uint32_t activated = trace_.Allocate(feed_forward_);
    const uint32_t contracted = trace_.Allocate(activation_);
    const uint32_t output = trace_.Allocate(activation_);
    trace_.Free(contracted);
    keep({second_mean, second_deviation, second_normed, hidden, activated, residual});
    Release(gathered);
    return output;
  }

  // The gradient of a weight: it stays from the first step on, later ones are added to it.
  void Gradient(std::size_t weight) {
    if (step_ == 0) {
      trace_.Allocate(weights_[weight] * kHalf);
    } else {
      trace_.Workspace(weights_[weight] * kHalf);
    }
  }

  // Loss and the gradient of what flowed out of the last layer.
  uint32_t Head(uint32_t flowing, uint32_t* loss) {
    const uint64_t logits = std::min<uint64_t>(rows_, 8192) * shape_.vocabulary / shape_.tensor_parallel;
    const uint32_t raw = trace_.Allocate(logits * kHalf);
    const uint32_t widened = trace_.Allocate(logits * kSingle);
    *loss = trace_.Allocate(512);
    const uint32_t logit_gradient = trace_.Allocate(logits * kHalf);
    trace_.Free(widened);
    trace_.Free(raw);
    const uint32_t gradient = trace_.Allocate(activation_);
    Gradient(0);
    trace_.Free(logit_gradient);
    trace_.Free(flowing);
    return gradient;
  }

  uint32_t Backward(std::size_t index, Layer& layer, uint32_t gradient) {
    std::optional<uint32_t> recomputed;
    if (shape_.recompute) {
      Layer again;
      recomputed = Forward(layer.input, true, &again);
      layer.saved = std::move(again.saved);
    }
    const std::optional<uint32_t> gathered = Gather();
    const std::size_t first = 1 + index * layer_.size();
    const uint32_t hidden = trace_.Allocate(feed_forward_ * (shape_.gated ? 2 : 1));
    Gradient(first + 3);
    const uint32_t middle = trace_.Allocate(activation_);
    Gradient(first + 2);
    trace_.Free(hidden);
    const uint32_t query_key_value = trace_.Allocate(query_key_value_);
    if (!shape_.flash) trace_.Workspace(attention_);
    trace_.Workspace(activation_ / shape_.tensor_parallel);
    Gradient(first + 1);
    Gradient(first);
    const uint32_t next = trace_.Allocate(activation_);
    for (const uint32_t id : {query_key_value, middle, gradient}) trace_.Free(id);
    Gradient(first + 4);
    Gradient(first + 5);
    trace_.FreeAll(layer.saved);
    if (recomputed) trace_.Free(*recomputed);
    trace_.Free(layer.input);
    Release(gathered);
    if (shape_.sharded) ReduceScatter(index);
    return next;
  }

  void ReduceScatter(std::size_t index) {
    const uint32_t bucket = trace_.Allocate(GatheredBytes(), kCommunication);
    const uint32_t shard = trace_.Allocate(GatheredBytes() / 8, kCommunication);
    trace_.Free(bucket, kCommunication);
    // Some stay, between the blocks of the first step, as they do where gradients are added up.
    if (step_ > 0 || index % 2 == 1) trace_.Free(shard, kCommunication);
  }

  void Optimize() {
    for (const uint64_t weight : weights_) {
      const uint64_t elements = shape_.sharded ? weight / 8 + 1 : weight;
      for (int state = 0; step_ == 0 && state < 3; ++state) trace_.Allocate(elements * kSingle);
      trace_.Workspace(elements * kSingle);
    }
  }

  TraceBuilder& trace_;
  const Shape shape_;
  TraceRandom random_;
  std::vector<uint64_t> layer_;    // elements of each weight of a layer
  std::vector<uint64_t> weights_;  // of all weights
  int step_ = 0;
  uint64_t rows_ = 0;
  uint64_t activation_ = 0;
  uint64_t query_key_value_ = 0;
  uint64_t feed_forward_ = 0;
  uint64_t attention_ = 0;
};

runtime::Trace Train(const char* name, const char* note, const Shape& shape, uint64_t seed) {
  TraceBuilder trace(name, note);
  Training(trace, shape, seed).Run();
  return std::move(trace).Finish();
}

Shape Llama7b() {
  Shape shape{16, 4096, 32, 11008, 32000, 4, 2048};
  shape.tensor_parallel = 2;
  shape.recompute = shape.gated = shape.flash = true;
  return shape;
}

}  // namespace

runtime::Trace Gpt2Training() {
  return Train("gpt2s_train", "GPT-2 small, batch 8, sequence 1024, half precision and Adam, 6 steps",
               {12, 768, 12, 3072, 50257, 8, 1024}, 1);
}

runtime::Trace BertTraining() {
  Shape shape{12, 768, 12, 3072, 30522, 32, 512};
  shape.varying = true;
  shape.steps = 10;
  return Train("bert_varlen", "BERT base, batch 32, another sequence length from 64 to 512 in each of 10 steps", shape,
               2);
}

runtime::Trace Llama7bRecompute() {
  return Train("llama7b_recomp",
               "Llama 7B, half of the layers on one of two devices of a tensor, recompute, flash attention, batch 4, "
               "sequence 2048, 6 steps",
               Llama7b(), 3);
}

runtime::Trace Llama7bSharded() {
  Shape shape = Llama7b();
  shape.sharded = true;
  return Train("llama7b_zero", "the same with sharded weights that are gathered on a communication stream, 6 steps",
               shape, 4);
}

}  // namespace forebay::bench
