// What the device writes into the registers that it shares with the host, right or wrong, at any moment: no call
// crashes or hangs, and the next device works.
#include <array>

#include "forebay/forebay.h"
#include "fuzz/scripted_device.h"

using namespace forebay;

namespace {

constexpr int64_t kPatienceMs = 2;

// The objects of one input. What a call makes takes the place of an older one.
class Program {
 public:
  explicit Program(fuzz::Input& input) : input_(input) {}

  void Step() {
    fuzz::ScriptedDevice& device = *fuzz::ScriptedDevice::Open();
    StreamHandle& stream = streams_[input_.Below(streams_.size())];
    EventHandle& event = events_[input_.Below(events_.size())];
    void*& block = blocks_[input_.Below(blocks_.size())];
    switch (input_.Below(24)) {
      case 0: Keep(CreateStream(), stream); break;
      case 1:
        Settle(stream);
        DestroyStream(stream).IgnoreError();
        break;
      case 2: Keep(CreateEvent(), event); break;
      case 3: DestroyEvent(event).IgnoreError(); break;
      case 4: RecordEvent(event, stream).IgnoreError(); break;
      case 5: StreamWaitEvent(stream, event).IgnoreError(); break;
      case 6: SynchronizeStream(stream, kPatienceMs).IgnoreError(); break;
      case 7: SynchronizeEvent(event, kPatienceMs).IgnoreError(); break;
      case 8: SynchronizeDevice(kPatienceMs).IgnoreError(); break;
      case 9: QueryStreamStatus(stream).IgnoreError(); break;
      case 10: IsStreamIdle(stream).status().IgnoreError(); break;
      case 11: IsEventComplete(event).status().IgnoreError(); break;
      case 12: ElapsedMilliseconds(event, events_[0]).status().IgnoreError(); break;
      case 13: LaunchHostFunction(stream, [] {}).IgnoreError(); break;
      case 14: Launch(stream, block); break;
      case 15: Keep(pool_->Alloc(1 + input_.Below(0x8000), stream), block); break;
      case 16: pool_->Free(block, stream).IgnoreError(); break;
      case 17:
        Settle(stream);
        RecoverStream(stream).IgnoreError();
        break;
      case 18: GetStreamState(stream).status().IgnoreError(); break;
      case 19: DumpState(); break;
      case 20: Keep(LoadKernelBinary(FUZZ_KERNEL_BINARY), binary_); break;
      case 21: device.Complete(); break;
      case 22: device.AnswerWith(static_cast<int32_t>(input_.Number()), input_.Text(300)); break;
      default: device.Scribble(input_);
    }
  }

 private:
  template <typename T>
  static void Keep(Result<T> made, T& place) {
    if (made.ok()) place = *made;
  }
  void Launch(StreamHandle stream, void* block) {
    const auto kernel = GetKernel(binary_, "fill");
    if (!kernel.ok()) return;
    uint32_t count = 1, value = 2;
    void* arguments[] = {&block, &count, &value};
    LaunchKernel(*kernel, stream, arguments, 3).IgnoreError();
  }
  // What waits for all that is queued, without a limit, does so for as long as the device lives.
  static void Settle(StreamHandle stream) {
    fuzz::ScriptedDevice::Open()->Complete();
    if (!SynchronizeStream(stream, kPatienceMs).ok()) fuzz::ScriptedDevice::Open()->Lose();
  }

  fuzz::Input& input_;
  std::shared_ptr<MemoryPool> pool_ = *MemoryPool::OfCurrentDevice();
  std::array<StreamHandle, 3> streams_{};
  std::array<EventHandle, 4> events_{};
  std::array<void*, 4> blocks_{};
  KernelBinaryHandle binary_ = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const std::pair<const char*, const char*> kParameters[] = {
      {"devices", "1"},   {"device_memory", "64"}, {"pinned_memory", "16"}, {"initial_pool", "2"},
      {"streams", "6"},   {"events", "8"},         {"queue_depth", "64"},   {"request_timeout", "50"},
      {"heartbeat", "0"}, {"reset_timeout", "20"}, {"submit_timeout", "20"}};
  for (const auto& [name, value] : kParameters) {
    const Status set = Runtime::Configure(name, value);
    FUZZ_EXPECT(set.ok(), "%s", set.ToString().c_str());
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t bytes) {
  fuzz::Input input(data, bytes);
  const Status set = SetDevice(0);
  FUZZ_EXPECT(set.ok(), "the device does not start again: %s", set.ToString().c_str());
  {
    Program program(input);
    for (int i = 0; i < 64 && !input.is_empty(); ++i) program.Step();
  }
  fuzz::ScriptedDevice::Open()->Complete();
  if (!SynchronizeDevice(kPatienceMs).ok()) fuzz::ScriptedDevice::Open()->Lose();
  const Status reset = ResetDevice(0);
  FUZZ_EXPECT(fuzz::ScriptedDevice::Open() == nullptr, "the device stays: %s", reset.ToString().c_str());
  return 0;
}
