// Other models: convolutions, a mixture of experts, serving.
#include <algorithm>
#include <cmath>

#include "traces.h"

namespace forebay::bench {
namespace {

constexpr uint64_t kHalf = 2;
constexpr uint64_t kSingle = 4;
constexpr uint32_t kCompute = 0;
constexpr uint32_t kCopies = 1;

struct Convolution {
  uint64_t in, out, kernel, side;
  uint64_t WeightBytes() const { return in * out * kernel * kernel * kSingle; }
  uint64_t Columns() const { return in * kernel * kernel * side * side * kSingle; }
};

std::vector<Convolution> Resnet50Layers() {
  struct Stage {
    uint64_t blocks, width;
  };
  constexpr Stage kStages[] = {{3, 64}, {4, 128}, {6, 256}, {3, 512}};
  std::vector<Convolution> layers = {{3, 64, 7, 112}};
  uint64_t in = 64;
  uint64_t side = 56;
  for (const Stage& stage : kStages) {
    for (uint64_t block = 0; block < stage.blocks; ++block) {
      if (block == 0 && stage.width != 64) side /= 2;
      layers.push_back({in, stage.width, 1, side});
      layers.push_back({stage.width, stage.width, 3, side});
      layers.push_back({stage.width, stage.width * 4, 1, side});
      if (block == 0) layers.push_back({in, stage.width * 4, 1, side});
      in = stage.width * 4;
    }
  }
  return layers;
}

// Memory of requests that are served: keys and values of all layers, in groups of four.
class Serving {
 public:
  Serving(TraceBuilder& trace, bool paged, uint64_t seed) : trace_(trace), paged_(paged), random_(seed) {
    trace_.Allocate(kVocabulary * kWidth * kHalf);
    for (uint64_t layer = 0; layer < kLayers; ++layer) {
      trace_.Allocate(kWidth * kWidth * 4 * kHalf);
      trace_.Allocate(kWidth * kFeedForward * 3 * kHalf);
      trace_.Allocate(kWidth * kHalf * 2);
    }
    trace_.Allocate(kVocabulary * kWidth * kHalf);
  }

  void Run(int steps) {
    for (int step = 0; step < steps; ++step) {
      while (requests_.size() < kMostRequests && random_.Below(3) != 0) Begin();
      Generate();
      for (std::size_t i = 0; i < requests_.size();) {
        Request& request = requests_[i];
        if (++request.length < request.target) {
          Grow(request);
          ++i;
          continue;
        }
        for (const uint32_t id : request.blocks) trace_.Free(id);
        requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (step % 8 == 7) trace_.Synchronise(kCompute);
      if (step % 64 == 63) trace_.Step();
    }
  }

 private:
  static constexpr uint64_t kLayers = 32, kWidth = 4096, kFeedForward = 11008, kVocabulary = 32000;
  static constexpr uint64_t kGroups = 4, kPage = 16;  // tokens
  static constexpr uint64_t kTokenBytes = kWidth * 2 * kHalf * (kLayers / kGroups);
  static constexpr std::size_t kMostRequests = 24;

  struct Request {
    uint64_t length = 0;
    uint64_t target = 0;
    uint64_t capacity = 0;
    std::vector<uint32_t> blocks;
  };

  void Grow(Request& request) {
    if (paged_) {
      const uint64_t pages = (request.length + kPage - 1) / kPage;
      while (request.blocks.size() < pages * kGroups) request.blocks.push_back(trace_.Allocate(kPage * kTokenBytes));
      return;
    }
    if (request.length <= request.capacity) return;
    const uint64_t more = std::max<uint64_t>(64, request.capacity / 4);
    request.capacity = request.capacity == 0 ? request.length : request.capacity + more;
    std::vector<uint32_t> grown;
    for (uint64_t group = 0; group < kGroups; ++group) {
      grown.push_back(trace_.Allocate(request.capacity * kTokenBytes));
      if (!request.blocks.empty()) trace_.Free(request.blocks[group]);
    }
    request.blocks = grown;
  }

  // What flows through some layers for `tokens` of them; returns the last.
  uint32_t Layers(uint64_t tokens, int count) {
    uint32_t flowing = trace_.Allocate(tokens * kWidth * kHalf);
    for (int layer = 0; layer < count; ++layer) {
      const uint32_t attention = trace_.Allocate(tokens * kWidth * 3 * kHalf);
      const uint32_t hidden = trace_.Allocate(tokens * kFeedForward * 2 * kHalf);
      const uint32_t next = trace_.Allocate(tokens * kWidth * kHalf);
      for (const uint32_t id : {attention, hidden, flowing}) trace_.Free(id);
      flowing = next;
    }
    return flowing;
  }

  void Begin() {
    Request request;
    request.length = 32 + static_cast<uint64_t>(std::exp(random_.Part() * 5.0) * 6);
    request.target = request.length + 16 + static_cast<uint64_t>(std::exp(random_.Part() * 5.5));
    const uint32_t prompt = trace_.Allocate(request.length * 8, kCopies);
    trace_.Wait(kCopies, kCompute);
    const uint32_t flowing = Layers(request.length, 4);
    Grow(request);
    trace_.Free(flowing);
    trace_.Wait(kCompute, kCopies);
    trace_.Free(prompt, kCopies);
    requests_.push_back(request);
  }

  void Generate() {
    const uint64_t tokens = requests_.size();
    if (tokens == 0) return;
    const uint32_t flowing = Layers(tokens, 2);
    const uint32_t logits = trace_.Allocate(tokens * kVocabulary * kSingle);
    trace_.Free(flowing);
    trace_.Workspace(tokens * 4);
    trace_.Free(logits);
  }

  TraceBuilder& trace_;
  const bool paged_;
  TraceRandom random_;
  std::vector<Request> requests_;
};

}  // namespace

runtime::Trace Resnet50Training() {
  constexpr uint64_t kBatch = 64;
  TraceBuilder trace("resnet50_train",
                     "ResNet-50, batch 64, workspaces of convolutions, input on a copy stream, 6 steps");
  const std::vector<Convolution> layers = Resnet50Layers();
  for (const Convolution& layer : layers) {
    trace.Allocate(layer.WeightBytes());
    for (int i = 0; i < 4; ++i) trace.Allocate(layer.out * kSingle);
  }
  trace.Allocate(2048 * 1000 * kSingle);
  const auto workspace = [&](const Convolution& layer) { return layer.Columns() * std::min<uint64_t>(kBatch, 8); };
  for (int step = 0; step < 6; ++step) {
    std::vector<uint32_t> saved = {trace.Allocate(kBatch * 3 * 224 * 224 * kSingle, kCopies)};
    trace.Wait(kCopies, kCompute);
    for (const Convolution& layer : layers) {
      const uint64_t output = kBatch * layer.out * layer.side * layer.side * kSingle;
      saved.push_back(trace.Allocate(output));
      trace.Workspace(layer.kernel == 1 ? 4096 : std::min(workspace(layer), 256 * kMiB));
      for (const uint64_t bytes : {layer.out * kSingle, layer.out * kSingle, output, output / 32})
        saved.push_back(trace.Allocate(bytes));
    }
    const uint32_t scores = trace.Allocate(kBatch * 1000 * kSingle);
    trace.Workspace(kBatch * 1000 * kSingle);
    uint32_t gradient = trace.Allocate(kBatch * 2048 * 49 * kSingle);
    for (std::size_t i = layers.size(); i-- > 0;) {
      const Convolution& layer = layers[i];
      trace.Workspace(layer.kernel == 1 ? kMiB : std::min(workspace(layer) * 2, 512 * kMiB));
      if (step == 0) {
        trace.Allocate(layer.WeightBytes());
      } else {
        trace.Workspace(layer.WeightBytes());
      }
      const uint64_t side = i > 0 ? layer.side : 224;
      const uint32_t next = trace.Allocate(kBatch * layer.in * side * side * kSingle);
      trace.Free(gradient);
      gradient = next;
      for (int k = 0; k < 5; ++k) {
        trace.Free(saved.back());
        saved.pop_back();
      }
    }
    trace.Free(gradient);
    trace.Free(scores);
    trace.Wait(kCompute, kCopies);
    trace.Free(saved.back(), kCopies);
    trace.Synchronise(kCompute);
    for (std::size_t i = 0; step == 0 && i < layers.size(); ++i) trace.Allocate(layers[i].WeightBytes());
    trace.Step();
  }
  return std::move(trace).Finish();
}

runtime::Trace MixtureTraining() {
  constexpr uint64_t kWidth = 2048, kFeedForward = 1408, kExperts = 32, kLayers = 12, kTokens = 16384;
  TraceBuilder trace("moe_train", "mixture of 32 experts, 12 layers, random routing, 4 steps");
  TraceRandom random(5);
  for (uint64_t layer = 0; layer < kLayers; ++layer) trace.Allocate(kExperts * kWidth * kFeedForward * 3 * kHalf / 4);
  for (int step = 0; step < 4; ++step) {
    std::vector<uint32_t> saved;
    for (uint64_t layer = 0; layer < kLayers; ++layer) {
      saved.push_back(trace.Allocate(kTokens * kWidth * kHalf));
      saved.push_back(trace.Allocate(kTokens * kExperts * kSingle));
      std::vector<double> share(kExperts);
      double sum = 0;
      for (double& part : share) sum += part = std::exp(1.5 * random.Part());
      const uint32_t sent = trace.Allocate(kTokens * 2 * kWidth * kHalf, kCopies);
      trace.Wait(kCopies, kCompute);
      for (uint64_t expert = 0; expert < kExperts; expert += 4) {
        uint64_t tokens = 0;
        for (uint64_t k = 0; k < 4; ++k) tokens += static_cast<uint64_t>(share[expert + k] / sum * kTokens * 2);
        for (const uint64_t width : {kWidth, kFeedForward * 2, kFeedForward})
          saved.push_back(trace.Allocate(tokens * width * kHalf));
      }
      trace.Wait(kCompute, kCopies);
      trace.Free(sent, kCopies);
    }
    for (; !saved.empty(); saved.pop_back()) {
      trace.Workspace((1 + random.Below(64)) * kMiB / 2);
      trace.Free(saved.back());
    }
    trace.Synchronise(kCompute);
    trace.Synchronise(kCopies);
    trace.Step();
  }
  return std::move(trace).Finish();
}

runtime::Trace Llama7bServingContiguous() {
  TraceBuilder trace("llama7b_serve_contig",
                     "serving Llama 7B, keys and values in contiguous blocks that grow, 640 steps");
  Serving(trace, false, 11).Run(640);
  return std::move(trace).Finish();
}

runtime::Trace Llama7bServingPaged() {
  TraceBuilder trace("llama7b_serve_paged", "serving Llama 7B, keys and values in pages of 16 tokens, 640 steps");
  Serving(trace, true, 12).Run(640);
  return std::move(trace).Finish();
}

}  // namespace forebay::bench
