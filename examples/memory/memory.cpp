// A training step of a transformer, replayed from a trace: what a memory pool makes of it, with a picture of the pool
// over time (pool_over_time.svg) and one of its blocks at the end (pool.svg).
//
//   memory [TRACE [STEPS]]      sizes are divided by 64, so that a small device has room
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "forebay/forebay.h"

using namespace forebay;

namespace {

constexpr uint64_t kScale = 64;

void Check(const Status& status) {
  if (!status.ok()) std::exit((std::printf("%s\n", status.ToString().c_str()), 1));
}
template <typename T>
T Check(Result<T> result) {
  Check(result.status());
  return *std::move(result);
}

// One line: a ID BYTES STREAM | f ID STREAM | e FROM TO | y STREAM | i
struct Line {
  char operation = 0;
  uint64_t first = 0, second = 0, third = 0;
};

// The lines up to the first end of a step, and those of the step that repeats.
void Read(const std::string& path, std::vector<Line>* setup, std::vector<Line>* step) {
  std::ifstream file(path);
  if (!file) std::exit((std::printf("%s cannot be read\n", path.c_str()), 1));
  std::vector<Line>* lines = setup;
  for (std::string text; std::getline(file, text);) {
    Line line;
    std::istringstream words(text);
    if (!(words >> line.operation) || line.operation == '#') continue;
    words >> line.first >> line.second >> line.third;
    lines->push_back(line);
    if (line.operation == 'i') lines = step;
  }
}

class Replay {
 public:
  explicit Replay(MemoryPool& pool) : pool_(pool) {
    for (StreamHandle& stream : streams_) stream = Check(CreateStream());
    event_ = Check(CreateEvent());
  }
  ~Replay() {
    DestroyEvent(event_).IgnoreError();
    for (const StreamHandle stream : streams_) DestroyStream(stream).IgnoreError();
  }

  void Run(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
      switch (line.operation) {
        case 'a': {
          const uint64_t bytes = line.second / kScale + 1;
          void* address = Check(pool_.Alloc(bytes, streams_[line.third]));
          blocks_[line.first] = address;
          // Work that uses the block: without any there would be nothing to wait for.
          if (aclrtMemsetAsync(address, 1, 0, 1, streams_[line.third]) != ACL_SUCCESS) std::exit(1);
          live_ += bytes;
          most_live_ = std::max(most_live_, live_);
          sizes_[line.first] = bytes;
          break;
        }
        case 'f':
          Check(pool_.Free(blocks_.at(line.first), streams_[line.second]));
          live_ -= sizes_.at(line.first);
          break;
        case 'e':
          Check(RecordEvent(event_, streams_[line.first]));
          Check(StreamWaitEvent(streams_[line.second], event_));
          break;
        case 'y': Check(SynchronizeStream(streams_[line.first])); break;
        case 'i': pool_.MarkStep(); break;
        default: break;
      }
    }
  }
  uint64_t most_live() const { return most_live_; }

 private:
  MemoryPool& pool_;
  StreamHandle streams_[2] = {};
  EventHandle event_ = nullptr;
  std::map<uint64_t, void*> blocks_;
  std::map<uint64_t, uint64_t> sizes_;
  uint64_t live_ = 0, most_live_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const std::string here(arguments[0]);
  const std::string trace = count > 1 ? arguments[1] : here.substr(0, here.rfind('/') + 1) + "transformer_step.trace";
  const int steps = count > 2 ? std::atoi(arguments[2]) : 6;
  std::vector<Line> setup, step;
  Read(trace, &setup, &step);

  const Device device = Check(Device::Open(0));
  const auto pool = Check(MemoryPool::Create());
  pool->StartHistory();
  {
    Replay replay(*pool);
    std::printf("%-6s %14s %14s %8s %14s %16s\n", "step", "reserved MiB", "live MiB", "waste", "device calls",
                "reuses by event");
    uint64_t calls = 0, reuses = 0;
    for (int i = 1; i <= steps; ++i) {
      pool->ResetPeak(&MemoryPoolStatistics::reserved_peak);
      replay.Run(i == 1 ? setup : step);
      const MemoryPoolStatistics now = pool->statistics();
      const double reserved = static_cast<double>(now.reserved_peak), live = static_cast<double>(replay.most_live());
      std::printf("%-6d %14.1f %14.1f %7.1f%% %14llu %16llu\n", i, reserved / (1 << 20), live / (1 << 20),
                  (reserved / live - 1) * 100, static_cast<unsigned long long>(now.device_calls - calls),
                  static_cast<unsigned long long>(now.reuses_by_event - reuses));
      calls = now.device_calls;
      reuses = now.reuses_by_event;
    }
    std::ofstream("pool_over_time.svg") << pool->HistorySvg();
    std::ofstream("pool.svg") << pool->SnapshotSvg();
    std::ofstream("pool.trace") << pool->TakeHistory();
  }
  std::printf("pool_over_time.svg, pool.svg and pool.trace are written; try: forebay tune-memory pool.trace\n");
}
