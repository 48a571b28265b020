// Trains a small network to read handwritten digits, as an AscendCL program would on an NPU: one stream copies batches
// to the device, one computes, one copies the results back. Events alone order the three, and the host runs a few
// batches ahead of them.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "acl_support.h"

namespace {

constexpr uint32_t kPixels = 64;
constexpr uint32_t kClasses = 10;
constexpr uint32_t kHidden = 96;
constexpr uint32_t kBatch = 60;
constexpr uint32_t kBlocks = 4;     // of every kernel
constexpr size_t kDeviceSlots = 2;  // batches on the device: one is computed while the next is copied in
constexpr size_t kRunAhead = 4;     // batches the host may have submitted and not seen the result of
constexpr float kRate = 0.1F;       // falls to 0 in a straight line
constexpr float kMomentum = 0.9F;
constexpr float kDecay = 1e-3F;
constexpr size_t kHeldOut = 297;
constexpr double kGoal = 0.97;

// What lies in one piece of memory, on the host or on the device. Activations exist on the device only.
struct Parameters {
  float weights1[kPixels * kHidden], bias1[kHidden], weights2[kHidden * kClasses], bias2[kClasses];
};
struct Batch {
  float images[kBatch * kPixels];
  uint32_t labels[kBatch];
};
struct Activations {
  float hidden[kBatch * kHidden], hidden_gradient[kBatch * kHidden];
  float logits[kBatch * kClasses], logits_gradient[kBatch * kClasses];
};
struct Outcome {
  float loss[kBatch];
  uint32_t predicted[kBatch];
};
constexpr uint32_t kParameterCount = sizeof(Parameters) / sizeof(float);

struct Options {
  uint32_t seed = 1;
  uint32_t epochs = 50;
  bool quiet = false;
  std::string kernels;
  std::string data;
};

class BadInput : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// splitmix64: the same numbers on every machine, which the standard library's distributions do not promise.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  float Between(float low, float high) { return low + (high - low) * (static_cast<float>(Next() >> 40) * 0x1p-24F); }
  void Shuffle(std::vector<uint32_t>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Next() % i]);
  }

 private:
  uint64_t state_;
};

// ---- Options and data -----------------------------------------------------------------------------------------------

uint32_t ParseNumber(std::string_view text, uint32_t low, uint32_t high, const std::string& what) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    throw BadInput(what + " is \"" + std::string(text) + "\"; it has to be a whole number from " + std::to_string(low) +
                   " to " + std::to_string(high));
  }
  return value;
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  const auto beside_program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  options.kernels = beside_program / "digits_kernels.o";
  options.data = beside_program / "digits.csv";
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw BadInput(name + " needs a value behind it");
      return argv[++i];
    };
    if (name == "--seed") {
      options.seed = ParseNumber(value(), 0, UINT32_MAX, name);
    } else if (name == "--epochs") {
      options.epochs = ParseNumber(value(), 1, 10000, name);
    } else if (name == "--kernels") {
      options.kernels = std::filesystem::absolute(value());
    } else if (name == "--data") {
      options.data = value();
    } else if (name == "--quiet") {
      options.quiet = true;
    } else {
      throw BadInput("unknown option \"" + name +
                     "\"; there are --seed N, --epochs N, --quiet, --kernels PATH and --data PATH");
    }
  }
  if (!std::filesystem::exists(options.kernels)) {
    throw BadInput("there is no kernel binary " + options.kernels +
                   "; name the built digits_kernels.o with --kernels PATH");
  }
  return options;
}

struct Digits {
  std::vector<std::array<float, kPixels>> images;  // 0 is paper, 1 is ink
  std::vector<uint32_t> labels;
  std::vector<uint32_t> training, held_out;  // row numbers
};

Digits ReadDigits(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw BadInput("cannot read the data " + path + " (" + std::generic_category().message(errno) +
                   "); name the file digits.csv of this example with --data PATH");
  }
  Digits digits;
  for (std::string line; std::getline(file, line);) {
    const auto row = static_cast<uint32_t>(digits.labels.size());
    const std::string where = path + ", line " + std::to_string(row + 1);
    if (const auto fields = std::count(line.begin(), line.end(), ',') + 1; fields != kPixels + 1) {
      throw BadInput(where + " has " + std::to_string(fields) +
                     " numbers, not 64 pixels and a label; is the file cut off?");
    }
    std::array<float, kPixels> image;
    std::string_view rest = line;
    const auto next_field = [&] {
      const std::string_view field = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(field.size() + 1, rest.size()));
      return field;
    };
    for (uint32_t i = 0; i < kPixels; ++i) {
      const uint32_t ink = ParseNumber(next_field(), 0, 16, where + ", pixel " + std::to_string(i + 1));
      image[i] = static_cast<float>(ink) / 16.0F;
    }
    digits.images.push_back(image);
    digits.labels.push_back(ParseNumber(next_field(), 0, kClasses - 1, where + ", the label"));
    (row % 6 == 0 && digits.held_out.size() < kHeldOut ? digits.held_out : digits.training).push_back(row);
  }
  if (digits.held_out.size() < kHeldOut) {
    throw BadInput(path + " has " + std::to_string(digits.labels.size()) + " rows, too few to hold " +
                   std::to_string(kHeldOut) + " of every sixth out; is the file cut off?");
  }
  return digits;
}

// ---- The pipeline ---------------------------------------------------------------------------------------------------

// When a stream worked on a batch, by the device's clock.
struct Span {
  uint64_t begin, end;
};
enum Stage : size_t { kCopyIn, kCompute, kCopyOut, kStages };

struct Totals {
  double loss = 0;
  size_t right = 0, rows = 0;
};

class Pipeline {
 public:
  Pipeline(const Digits& digits, const std::string& kernel_path, const Parameters& initial)
      : digits_(digits), kernels_(kernel_path) {
    ACL_CHECK(aclrtMemcpy(weights_.get(), sizeof(Parameters), &initial, sizeof(Parameters), ACL_MEMCPY_HOST_TO_DEVICE));
    ACL_CHECK(aclrtMemset(velocity_.get(), sizeof(Parameters), 0, sizeof(Parameters)));
  }

  // Queues a batch of at most kBatch rows; a learning rate above 0 makes it train on them. Waits only for the batch
  // kRunAhead before this one.
  void Submit(const uint32_t* row_numbers, uint32_t rows, float rate) {
    if (submitted_ - collected_ == kRunAhead) Collect();
    Lap& lap = laps_[submitted_ % kRunAhead];
    Slot& slot = slots_[submitted_ % kDeviceSlots];
    // The batch that used this slot before. kDeviceSlots is less than kRunAhead, so its events are still its own.
    const Lap* previous = submitted_ >= kDeviceSlots ? &laps_[(submitted_ - kDeviceSlots) % kRunAhead] : nullptr;
    ++submitted_;

    lap.rows = rows;
    for (uint32_t i = 0; i < rows; ++i) {
      std::copy_n(digits_.images[row_numbers[i]].data(), kPixels, lap.batch->images + i * kPixels);
      lap.batch->labels[i] = digits_.labels[row_numbers[i]];
    }

    if (previous != nullptr) copy_in_.WaitFor(previous->end[kCompute]);  // until then it reads slot.batch
    copy_in_.Record(lap.begin[kCopyIn]);
    copy_in_.Copy(slot.batch.get(), lap.batch.get(), ACL_MEMCPY_HOST_TO_DEVICE);
    copy_in_.Record(lap.end[kCopyIn]);

    compute_.WaitFor(lap.end[kCopyIn]);
    if (previous != nullptr) compute_.WaitFor(previous->end[kCopyOut]);  // until then it reads slot.outcome
    compute_.Record(lap.begin[kCompute]);
    Forward(slot, rows);
    if (rate > 0) BackwardAndUpdate(slot, rows, rate);
    compute_.Record(lap.end[kCompute]);

    copy_out_.WaitFor(lap.end[kCompute]);
    copy_out_.Record(lap.begin[kCopyOut]);
    copy_out_.Copy(lap.outcome.get(), slot.outcome.get(), ACL_MEMCPY_DEVICE_TO_HOST);
    copy_out_.Record(lap.end[kCopyOut]);
  }

  // Waits for everything submitted. What failed on the way is thrown here at the latest.
  void Drain() {
    while (collected_ < submitted_) Collect();
    for (const Stream* stream : {&copy_in_, &compute_, &copy_out_}) stream->Synchronize();
  }

  // What came back since the last call.
  Totals TakeTotals() { return std::exchange(totals_, Totals()); }

  const TaskCount& tasks() const { return tasks_; }
  const std::vector<Span>& spans(Stage stage) const { return spans_[stage]; }

 private:
  // What a batch needs on the device, and on the host.
  struct Slot {
    DeviceMemory<Batch> batch = NewOnDevice<Batch>();
    DeviceMemory<Outcome> outcome = NewOnDevice<Outcome>();
  };
  struct Lap {
    uint32_t rows = 0;
    PinnedMemory<Batch> batch = NewPinned<Batch>();
    PinnedMemory<Outcome> outcome = NewPinned<Outcome>();
    Event begin[kStages], end[kStages];
  };

  template <typename... Arguments>
  void Launch(aclrtFuncHandle kernel, Arguments... arguments) {
    compute_.Launch(kernel, kBlocks, arguments...);
  }

  void Forward(const Slot& slot, uint32_t rows) {
    Launch(matmul_, slot.batch->images, weights_->weights1, activations_->hidden, rows, kHidden, kPixels);
    Launch(add_bias_, activations_->hidden, weights_->bias1, rows, kHidden, uint32_t{1});
    Launch(matmul_, activations_->hidden, weights_->weights2, activations_->logits, rows, kClasses, kHidden);
    Launch(add_bias_, activations_->logits, weights_->bias2, rows, kClasses, uint32_t{0});
    Launch(softmax_cross_entropy_, activations_->logits, slot.batch->labels, slot.outcome->loss,
           slot.outcome->predicted, activations_->logits_gradient, rows, kClasses);
  }

  void BackwardAndUpdate(const Slot& slot, uint32_t rows, float rate) {
    Launch(matmul_transposed_left_, activations_->hidden, activations_->logits_gradient, gradient_->weights2, kHidden,
           kClasses, rows);
    Launch(bias_gradient_, activations_->logits_gradient, gradient_->bias2, rows, kClasses);
    Launch(matmul_transposed_right_, activations_->logits_gradient, weights_->weights2, activations_->hidden_gradient,
           rows, kHidden, kClasses);
    Launch(relu_gradient_, activations_->hidden_gradient, activations_->hidden, rows * kHidden);
    Launch(matmul_transposed_left_, slot.batch->images, activations_->hidden_gradient, gradient_->weights1, kPixels,
           kHidden, rows);
    Launch(bias_gradient_, activations_->hidden_gradient, gradient_->bias1, rows, kHidden);
    Launch(sgd_update_, weights_.get(), velocity_.get(), gradient_.get(), kParameterCount, rate, kMomentum, kDecay);
  }

  // Waits for the oldest batch, whose copy-out comes behind all its other tasks, and takes its results.
  void Collect() {
    const Lap& lap = laps_[collected_++ % kRunAhead];
    lap.end[kCopyOut].Synchronize();
    for (uint32_t i = 0; i < lap.rows; ++i) {
      totals_.loss += static_cast<double>(lap.outcome->loss[i]);
      totals_.right += lap.outcome->predicted[i] == lap.batch->labels[i];
    }
    totals_.rows += lap.rows;
    for (size_t stage = 0; stage < kStages; ++stage) {
      spans_[stage].push_back({lap.begin[stage].Microseconds(), lap.end[stage].Microseconds()});
    }
  }

  const Digits& digits_;
  KernelBinary kernels_;
  const aclrtFuncHandle matmul_ = kernels_.Find("matmul");
  const aclrtFuncHandle matmul_transposed_left_ = kernels_.Find("matmul_transposed_left");
  const aclrtFuncHandle matmul_transposed_right_ = kernels_.Find("matmul_transposed_right");
  const aclrtFuncHandle add_bias_ = kernels_.Find("add_bias");
  const aclrtFuncHandle softmax_cross_entropy_ = kernels_.Find("softmax_cross_entropy");
  const aclrtFuncHandle relu_gradient_ = kernels_.Find("relu_gradient");
  const aclrtFuncHandle bias_gradient_ = kernels_.Find("bias_gradient");
  const aclrtFuncHandle sgd_update_ = kernels_.Find("sgd_update");
  DeviceMemory<Parameters> weights_ = NewOnDevice<Parameters>();
  DeviceMemory<Parameters> velocity_ = NewOnDevice<Parameters>();
  DeviceMemory<Parameters> gradient_ = NewOnDevice<Parameters>();
  DeviceMemory<Activations> activations_ = NewOnDevice<Activations>();
  std::array<Slot, kDeviceSlots> slots_;
  std::array<Lap, kRunAhead> laps_;
  TaskCount tasks_;
  Stream copy_in_{tasks_}, compute_{tasks_}, copy_out_{tasks_};  // behind the memory: they end before it is freed
  size_t submitted_ = 0, collected_ = 0;
  Totals totals_;
  std::vector<Span> spans_[kStages];
};

// ---- Training and report --------------------------------------------------------------------------------------------

Parameters InitialWeights(Random& random) {
  Parameters initial = {};
  const float limit1 = std::sqrt(6.0F / kPixels), limit2 = std::sqrt(6.0F / kHidden);
  for (float& weight : initial.weights1) weight = random.Between(-limit1, limit1);
  for (float& weight : initial.weights2) weight = random.Between(-limit2, limit2);
  return initial;
}

void SubmitAll(Pipeline& pipeline, const std::vector<uint32_t>& rows, float rate) {
  for (size_t first = 0; first < rows.size(); first += kBatch) {
    pipeline.Submit(rows.data() + first, static_cast<uint32_t>(std::min<size_t>(kBatch, rows.size() - first)), rate);
  }
}

// On a terminal one line that grows, elsewhere a line at every tenth.
void ShowProgress(uint32_t done, uint32_t all, const Totals& totals) {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (!terminal && done * 10 / all == (done - 1) * 10 / all) return;
  const std::string bar(done * 30 / all, '#');
  const double loss = totals.loss / static_cast<double>(totals.rows);
  std::printf("%straining [%-30s] %3u %%  loss %.4f%s", terminal ? "\r" : "", bar.c_str(), done * 100 / all, loss,
              terminal && done < all ? "" : "\n");
  std::fflush(stdout);
}

// In microseconds.
double Length(const std::vector<Span>& spans) {
  uint64_t sum = 0;
  for (const Span& span : spans) sum += span.end - span.begin;
  return static_cast<double>(sum);
}

// The microseconds in which two streams worked at once. A span runs from the event behind the waits of a batch, right
// before its first task, to the event after its last task. The spans of one stream follow each other in time, so the
// two lists are walked like sorted ones. A span contains the gaps between its tasks: it shows that the stream had a
// batch in hand, not that a core was busy; and time stamps are whole microseconds, so short copies are roughly known.
double Common(const std::vector<Span>& a, const std::vector<Span>& b) {
  uint64_t sum = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size(); a[i].end < b[j].end ? ++i : ++j) {
    const uint64_t begin = std::max(a[i].begin, b[j].begin), end = std::min(a[i].end, b[j].end);
    if (begin < end) sum += end - begin;
  }
  return static_cast<double>(sum);
}

void Report(const Pipeline& pipeline, double seconds) {
  const TaskCount& count = pipeline.tasks();
  const size_t tasks = count.kernels + count.copies + count.records + count.waits;
  std::printf("tasks: %zu (%zu kernels, %zu copies, %zu event records, %zu event waits) in %.2f s, %.1f us a task\n",
              tasks, count.kernels, count.copies, count.records, count.waits, seconds,
              seconds * 1e6 / static_cast<double>(tasks));
  const auto &in = pipeline.spans(kCopyIn), &compute = pipeline.spans(kCompute), &out = pipeline.spans(kCopyOut);
  const double copying = Length(in) + Length(out), hidden = Common(in, compute) + Common(out, compute);
  std::printf("streams: copy in %.1f ms, compute %.1f ms, copy out %.1f ms; %.0f %% of the copying while computing\n",
              Length(in) / 1e3, Length(compute) / 1e3, Length(out) / 1e3, copying > 0 ? 100 * hidden / copying : 0.0);
}

int Run(const Options& options) {
  const Digits digits = ReadDigits(options.data);
  const Library library;
  const Device device(0);
  Random random(options.seed);
  Pipeline pipeline(digits, options.kernels, InitialWeights(random));

  const auto start = std::chrono::steady_clock::now();
  std::vector<uint32_t> order = digits.training;
  for (uint32_t epoch = 0; epoch < options.epochs; ++epoch) {
    random.Shuffle(order);
    SubmitAll(pipeline, order, kRate * (1.0F - static_cast<float>(epoch) / static_cast<float>(options.epochs)));
    const Totals totals = pipeline.TakeTotals();
    if (!options.quiet) ShowProgress(epoch + 1, options.epochs, totals);
  }
  pipeline.Drain();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  Report(pipeline, elapsed.count());

  pipeline.TakeTotals();
  SubmitAll(pipeline, digits.held_out, 0.0F);
  pipeline.Drain();
  const Totals held_out = pipeline.TakeTotals();
  const double accuracy = static_cast<double>(held_out.right) / static_cast<double>(held_out.rows);
  std::printf("held-out digits right: %zu of %zu (%.2f %%)\n", held_out.right, held_out.rows, 100.0 * accuracy);
  return accuracy >= kGoal ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(ParseOptions(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "digits: %s\n", error.what());
    return 2;
  }
}
