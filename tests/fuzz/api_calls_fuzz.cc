// Sequences of AscendCL calls with handles that are live, destroyed, of other kinds, or made up: every call answers
// with a code that is documented, none hangs or crashes, and behind any sequence the device is whole after a reset.
#include <array>
#include <thread>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "forebay/fault_injection.h"
#include "forebay/runtime.h"
#include "fuzz/input.h"

namespace {

constexpr int32_t kPatienceMs = 2;
constexpr std::size_t kHostBytes = 4096;
alignas(64) std::array<unsigned char, kHostBytes> host_memory;

bool IsDocumented(aclError code) {
  static constexpr int kCodes[] = {
#define FOREBAY_CODE(enumerator, number, name, meaning) number,
#include "forebay/codes.def"
#undef FOREBAY_CODE
  };
  return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

// The handles of one kind, live and destroyed ones alike.
class Handles {
 public:
  void Keep(void* made) { handles_[next_++ % handles_.size()] = made; }
  void* Any(fuzz::Input& input) const { return handles_[input.Below(handles_.size())]; }

 private:
  std::array<void*, 4> handles_{};
  std::size_t next_ = 0;
};

// The objects of one input.
class Program {
 public:
  explicit Program(fuzz::Input& input) : input_(input) {}
  void Step();

 private:
  struct Call {
    const char* name;
    aclError (*run)(Program& program);
  };
  static const Call kCalls[];

  // One of that kind, and now and then something else.
  void* Handle(const Handles& kind) {
    if (!input_.OneIn(16)) return kind.Any(input_);
    const Handles* kinds[] = {&streams_, &events_, &contexts_, &notifies_, &counted_, &memory_, &binaries_, &pools_};
    if (input_.OneIn(2)) return kinds[input_.Below(std::size(kinds))]->Any(input_);
    return reinterpret_cast<void*>(input_.Number());
  }
  void* Stream() { return Handle(streams_); }
  // Memory of the device, at or near a block.
  void* Device() {
    const auto address = reinterpret_cast<uintptr_t>(memory_.Any(input_));
    return reinterpret_cast<void*>(address + (input_.OneIn(8) ? input_.Number() % 64 : 0));
  }
  std::size_t Bytes() { return input_.Number() % (kHostBytes + 1); }
  template <typename Make>
  aclError Keep(Handles& kind, const Make& make) {
    void* made = nullptr;
    const aclError code = make(&made);
    if (code == ACL_SUCCESS) kind.Keep(made);
    return code;
  }
  // What waits for the stream without a limit has nothing to wait for, or the stream is stopped first.
  aclError Settle(aclrtStream stream) {
    const aclError code = aclrtSynchronizeStreamWithTimeout(stream, kPatienceMs);
    return code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT ? aclrtStreamAbort(stream) : code;
  }
  aclError Launch(const char* kernel) {
    aclrtFuncHandle function = nullptr;
    if (aclrtBinaryGetFunction(Handle(binaries_), kernel, &function) != ACL_SUCCESS) return ACL_SUCCESS;
    struct {
      void* data;
      uint32_t count, value;
    } arguments{memory_.Any(input_), 1 + input_.Below(16), 7};
    return aclrtLaunchKernelWithHostArgs(function, 1 + input_.Below(3), Stream(), nullptr, &arguments,
                                         input_.OneIn(16) ? input_.Below(sizeof arguments + 1) : sizeof arguments,
                                         nullptr, 0);
  }

  fuzz::Input& input_;
  Handles streams_, events_, contexts_, notifies_, counted_, memory_, pinned_, binaries_, pools_;
};

const Program::Call Program::kCalls[] = {
    // What is made comes first: a random input begins with it more often.
    {"aclrtCreateStream", [](Program& p) { return p.Keep(p.streams_, aclrtCreateStream); }},
    {"aclrtCreateStreamWithConfig",
     [](Program& p) {
       return p.Keep(p.streams_, [&](void** made) {
         return aclrtCreateStreamWithConfig(made, p.input_.Below(9), p.input_.OneIn(8) ? p.input_.Take<uint32_t>() : 0);
       });
     }},
    {"aclrtCreateEvent", [](Program& p) { return p.Keep(p.events_, aclrtCreateEvent); }},
    {"aclrtCreateEventExWithFlag",
     [](Program& p) {
       return p.Keep(p.events_, [&](void** made) { return aclrtCreateEventExWithFlag(made, p.input_.Below(32)); });
     }},
    {"aclrtCreateContext",
     [](Program& p) {
       return p.Keep(p.contexts_, [&](void** made) { return aclrtCreateContext(made, p.input_.OneIn(8) ? 1 : 0); });
     }},
    {"aclrtCreateNotify",
     [](Program& p) { return p.Keep(p.notifies_, [](void** made) { return aclrtCreateNotify(made, 0); }); }},
    {"aclrtCntNotifyCreate",
     [](Program& p) { return p.Keep(p.counted_, [](void** made) { return aclrtCntNotifyCreate(made, 0); }); }},
    {"aclrtMalloc",
     [](Program& p) {
       return p.Keep(p.memory_, [&](void** made) {
         const std::size_t bytes = p.input_.OneIn(4) ? p.input_.Number() : kHostBytes;
         return aclrtMalloc(made, bytes, static_cast<aclrtMemMallocPolicy>(p.input_.Below(4)));
       });
     }},
    {"aclrtMallocHost",
     [](Program& p) { return p.Keep(p.pinned_, [](void** made) { return aclrtMallocHost(made, kHostBytes); }); }},
    {"aclrtBinaryLoadFromFile",
     [](Program& p) {
       return p.Keep(p.binaries_,
                     [](void** made) { return aclrtBinaryLoadFromFile(FUZZ_KERNEL_BINARY, nullptr, made); });
     }},
    {"aclrtMemPoolCreate",
     [](Program& p) {
       return p.Keep(p.pools_, [](void** made) {
         aclrtMemPoolProps properties{};
         properties.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
         properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
         return aclrtMemPoolCreate(made, &properties);
       });
     }},
    {"aclrtMemPoolMallocAsync",
     [](Program& p) {
       return p.Keep(p.memory_, [&](void** made) {
         return aclrtMemPoolMallocAsync(made, p.Bytes(), p.Handle(p.pools_), p.Stream());
       });
     }},
    // What is queued.
    {"fill", [](Program& p) { return p.Launch("fill"); }},
    {"add_one", [](Program& p) { return p.Launch("add_one"); }},
    {"nop", [](Program& p) { return p.Launch("nop"); }},
    {"aclrtRecordEvent", [](Program& p) { return aclrtRecordEvent(p.Handle(p.events_), p.Stream()); }},
    {"aclrtStreamWaitEvent", [](Program& p) { return aclrtStreamWaitEvent(p.Stream(), p.Handle(p.events_)); }},
    {"aclrtResetEvent", [](Program& p) { return aclrtResetEvent(p.Handle(p.events_), p.Stream()); }},
    {"aclrtRecordNotify", [](Program& p) { return aclrtRecordNotify(p.Handle(p.notifies_), p.Stream()); }},
    {"aclrtWaitAndResetNotify",
     [](Program& p) { return aclrtWaitAndResetNotify(p.Handle(p.notifies_), p.Stream(), p.input_.Below(2)); }},
    {"aclrtCntNotifyRecord",
     [](Program& p) {
       aclrtCntNotifyRecordInfo info{static_cast<aclrtCntNotifyRecordMode>(p.input_.Below(6)), p.input_.Below(9)};
       return aclrtCntNotifyRecord(p.Handle(p.counted_), p.Stream(), &info);
     }},
    {"aclrtCntNotifyWaitWithTimeout",
     [](Program& p) {
       aclrtCntNotifyWaitInfo info{};
       info.mode = static_cast<aclrtCntNotifyWaitMode>(p.input_.Below(6));
       info.value = p.input_.Below(9);
       info.timeout = 1;
       return aclrtCntNotifyWaitWithTimeout(p.Handle(p.counted_), p.Stream(), &info);
     }},
    {"aclrtValueWrite",
     [](Program& p) { return aclrtValueWrite(p.Device(), p.input_.Number(), p.input_.Below(4), p.Stream()); }},
    {"aclrtValueWait",
     [](Program& p) { return aclrtValueWait(p.Device(), p.input_.Number(), p.input_.Below(6), p.Stream()); }},
    {"aclrtMemsetAsync",
     [](Program& p) {
       return aclrtMemsetAsync(p.Device(), kHostBytes, p.input_.Take<int8_t>(), p.Bytes(), p.Stream());
     }},
    {"aclrtMemcpyAsync",
     [](Program& p) {
       // From pinned memory, so that the call does not wait for the copy.
       void* pinned = p.pinned_.Any(p.input_);
       const bool to_host = p.input_.OneIn(2);
       void* device = p.Device();
       aclrtMemcpyKind kind = to_host ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE;
       if (p.input_.OneIn(8)) kind = static_cast<aclrtMemcpyKind>(p.input_.Below(9));
       return aclrtMemcpyAsync(to_host ? pinned : device, kHostBytes, to_host ? device : pinned, p.Bytes(), kind,
                               p.Stream());
     }},
    {"aclrtMemcpyAsync within the device",
     [](Program& p) {
       return aclrtMemcpyAsync(p.Device(), kHostBytes, p.Device(), p.Bytes(), ACL_MEMCPY_DEVICE_TO_DEVICE, p.Stream());
     }},
    {"aclrtReduceAsync",
     [](Program& p) {
       return aclrtReduceAsync(p.Device(), p.Device(), p.Bytes(), static_cast<aclrtReduceKind>(10 + p.input_.Below(5)),
                               static_cast<aclDataType>(p.input_.Below(30)), p.Stream(), nullptr);
     }},
    {"aclrtLaunchHostFunc", [](Program& p) { return aclrtLaunchHostFunc(p.Stream(), [](void*) {}, nullptr); }},
    {"aclrtLaunchCallback",
     [](Program& p) {
       return aclrtLaunchCallback([](void*) {}, nullptr, static_cast<aclrtCallbackBlockType>(p.input_.Below(3)),
                                  p.Stream());
     }},
    {"aclrtMemPoolFreeAsync", [](Program& p) { return aclrtMemPoolFreeAsync(p.memory_.Any(p.input_), p.Stream()); }},
    {"aclrtGetOverflowStatus",
     [](Program& p) { return aclrtGetOverflowStatus(p.memory_.Any(p.input_), 64, p.Stream()); }},
    // What is asked.
    {"aclrtStreamQuery",
     [](Program& p) {
       aclrtStreamStatus status;
       return aclrtStreamQuery(p.Stream(), &status);
     }},
    {"aclrtStreamGetId",
     [](Program& p) {
       int32_t id = 0;
       return aclrtStreamGetId(p.Stream(), &id);
     }},
    {"aclrtGetStreamAttribute",
     [](Program& p) {
       aclrtStreamAttrValue value{};
       return aclrtGetStreamAttribute(p.Stream(), static_cast<aclrtStreamAttr>(p.input_.Below(6)), &value);
     }},
    {"aclrtQueryEventStatus",
     [](Program& p) {
       aclrtEventRecordedStatus status;
       return aclrtQueryEventStatus(p.Handle(p.events_), &status);
     }},
    {"aclrtEventElapsedTime",
     [](Program& p) {
       float ms = 0;
       return aclrtEventElapsedTime(&ms, p.Handle(p.events_), p.Handle(p.events_));
     }},
    {"aclrtPointerGetAttributes",
     [](Program& p) {
       aclrtPtrAttributes attributes{};
       return aclrtPointerGetAttributes(p.Handle(p.memory_), &attributes);
     }},
    {"aclrtQueryDeviceStatus",
     [](Program& p) {
       aclrtDeviceStatus status;
       return aclrtQueryDeviceStatus(p.input_.OneIn(8) ? p.input_.Take<int32_t>() : 0, &status);
     }},
    {"aclrtGetErrorVerbose",
     [](Program&) {
       aclrtErrorInfo info{};
       return aclrtGetErrorVerbose(0, &info);
     }},
    {"aclrtPeekAtLastError", [](Program&) { return aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL); }},
    {"aclGetRecentErrMsg",
     [](Program&) {
       const char* text = aclGetRecentErrMsg();
       FUZZ_EXPECT(text == nullptr || std::strlen(text) > 0, "an empty message");
       return ACL_SUCCESS;
     }},
    {"DumpState",
     [](Program&) {
       FUZZ_EXPECT(!forebay::DumpState().empty(), "an empty dump");
       return ACL_SUCCESS;
     }},
    // What waits.
    {"aclrtSynchronizeStreamWithTimeout",
     [](Program& p) { return aclrtSynchronizeStreamWithTimeout(p.Stream(), kPatienceMs); }},
    {"aclrtSynchronizeEventWithTimeout",
     [](Program& p) { return aclrtSynchronizeEventWithTimeout(p.Handle(p.events_), kPatienceMs); }},
    {"aclrtSynchronizeDeviceWithTimeout", [](Program&) { return aclrtSynchronizeDeviceWithTimeout(kPatienceMs); }},
    {"aclrtMemcpy",
     [](Program& p) {
       const bool to_host = p.input_.OneIn(2);
       void* device = p.Device();
       void* host = host_memory.data();
       return aclrtMemcpy(to_host ? host : device, kHostBytes, to_host ? device : host, p.Bytes(),
                          to_host ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE);
     }},
    {"aclrtMemset", [](Program& p) { return aclrtMemset(p.Device(), kHostBytes, p.input_.Take<int8_t>(), p.Bytes()); }},
    // What is changed or ended.
    {"aclrtSetCurrentContext", [](Program& p) { return aclrtSetCurrentContext(p.Handle(p.contexts_)); }},
    {"aclrtSetDevice", [](Program& p) { return aclrtSetDevice(p.input_.OneIn(8) ? p.input_.Take<int8_t>() : 0); }},
    {"aclrtSetStreamFailureMode",
     [](Program& p) { return aclrtSetStreamFailureMode(p.Stream(), p.input_.Below(3)); }},
    {"aclrtSetStreamAttribute",
     [](Program& p) {
       aclrtStreamAttrValue value{};
       value.failureMode = p.input_.Below(3);
       return aclrtSetStreamAttribute(p.Stream(), static_cast<aclrtStreamAttr>(p.input_.Below(6)), &value);
     }},
    {"aclrtStreamAbort", [](Program& p) { return aclrtStreamAbort(p.Stream()); }},
    {"aclrtStreamStop", [](Program& p) { return aclrtStreamStop(p.Stream()); }},
    {"aclrtDestroyStreamForce", [](Program& p) { return aclrtDestroyStreamForce(p.Stream()); }},
    {"aclrtDestroyStream",
     [](Program& p) {
       void* stream = p.Stream();
       if (p.Settle(stream) != ACL_SUCCESS) return ACL_SUCCESS;
       return aclrtDestroyStream(stream);
     }},
    {"aclrtDestroyEvent", [](Program& p) { return aclrtDestroyEvent(p.Handle(p.events_)); }},
    {"aclrtDestroyContext",
     [](Program& p) {
       void* context = p.Handle(p.contexts_);
       if (aclrtSynchronizeDeviceWithTimeout(kPatienceMs) != ACL_SUCCESS) return ACL_SUCCESS;
       return aclrtDestroyContext(context);
     }},
    {"aclrtDestroyNotify", [](Program& p) { return aclrtDestroyNotify(p.Handle(p.notifies_)); }},
    {"aclrtCntNotifyDestroy", [](Program& p) { return aclrtCntNotifyDestroy(p.Handle(p.counted_)); }},
    {"aclrtFree", [](Program& p) { return aclrtFree(p.Handle(p.memory_)); }},
    {"aclrtMemPoolDestroy", [](Program& p) { return aclrtMemPoolDestroy(p.Handle(p.pools_)); }},
    {"aclrtFreeHost", [](Program& p) { return aclrtFreeHost(p.pinned_.Any(p.input_)); }},
    {"aclrtBinaryUnLoad",
     [](Program& p) {
       if (aclrtSynchronizeDeviceWithTimeout(kPatienceMs) != ACL_SUCCESS) return ACL_SUCCESS;
       return aclrtBinaryUnLoad(p.Handle(p.binaries_));
     }},
    {"aclrtDeviceTaskAbort", [](Program& p) { return aclrtDeviceTaskAbort(0, p.input_.Below(3)); }},
    {"aclrtGetMemUceInfo",
     [](Program&) {
       std::array<aclrtMemUceInfo, 4> info{};
       std::size_t count = 0;
       const aclError code = aclrtGetMemUceInfo(0, info.data(), info.size(), &count);
       if (code != ACL_SUCCESS || count == 0) return code;
       return aclrtMemUceRepair(0, info.data(), count);
     }},
    {"aclrtResetDeviceForce",
     [](Program& p) {
       aclrtResetDeviceForce(0);
       (void)p;
       return aclrtSetDevice(0);
     }},
    {"InjectFaults",
     [](Program& p) {
       constexpr const char* kFaults[] = {
           "aicore_exception",           "aicore_trap@nth=2",      "ecc",
           "overheat@nth=3",             "memory_uce@nth=1",       "wait_timeout@nth=1",
           "oom@call=aclrtMalloc,nth=2", "drop_doorbell@p=0.5",    "api_error@call=aclrtRecordEvent,code=207007",
           "link_lost@nth=2",            "dma_error@p=0.3,seed=3", "slow@factor=3,p=0.2"};
       const forebay::Status status = forebay::InjectFaults(kFaults[p.input_.Below(std::size(kFaults))]);
       FUZZ_EXPECT(status.ok(), "%s", status.ToString().c_str());
       return ACL_SUCCESS;
     }},
    {"RemoveFaults",
     [](Program&) {
       forebay::RemoveFaults();
       return ACL_SUCCESS;
     }},
};

void Program::Step() {
  const Call& call = kCalls[input_.Below(std::size(kCalls))];
  aclError code = ACL_SUCCESS;
  if (input_.OneIn(16)) {
    // A thread has no device of its own.
    std::thread([&] { code = call.run(*this); }).join();
  } else {
    code = call.run(*this);
  }
  FUZZ_EXPECT(IsDocumented(code), "%s returned %d", call.name, code);
}

// The device works, and nothing of it is used by what came before.
void CheckWhole() {
  static std::size_t free_at_first = 0;
  FUZZ_EXPECT(aclrtSetDevice(0) == ACL_SUCCESS, "%s", aclGetRecentErrMsg());
  std::size_t free_now = 0, total = 0;
  FUZZ_EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total) == ACL_SUCCESS, "%s", aclGetRecentErrMsg());
  if (free_at_first == 0) free_at_first = free_now;
  FUZZ_EXPECT(free_now == free_at_first, "%zu bytes are free, at first it was %zu", free_now, free_at_first);
  void* device = nullptr;
  host_memory.fill(0x17);
  std::array<unsigned char, 64> back{};
  FUZZ_EXPECT(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS &&
                  aclrtMemcpy(device, 64, host_memory.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS &&
                  aclrtMemcpy(back.data(), 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS,
              "%s", aclGetRecentErrMsg());
  FUZZ_EXPECT(back[0] == 0x17 && back[63] == 0x17, "the device gives %d back", back[0]);
  FUZZ_EXPECT(aclrtFree(device) == ACL_SUCCESS, "%s", aclGetRecentErrMsg());
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("FOREBAY_DEVICE_MODE", "inline", 1);
  const std::pair<const char*, const char*> kParameters[] = {
      {"FOREBAY_DEVICES", "2"},        {"FOREBAY_DEVICE_MEMORY", "64"}, {"FOREBAY_PINNED_MEMORY", "16"},
      {"FOREBAY_INITIAL_POOL", "2"},   {"FOREBAY_STREAMS", "12"},       {"FOREBAY_EVENTS", "16"},
      {"FOREBAY_QUEUE_DEPTH", "64"},   {"FOREBAY_CORE_THREADS", "2"},   {"FOREBAY_RESET_TIMEOUT", "20"},
      {"FOREBAY_SUBMIT_TIMEOUT", "20"}};
  for (const auto& [name, value] : kParameters) setenv(name, value, 1);
  FUZZ_EXPECT(aclInit(nullptr) == ACL_SUCCESS, "%s", aclGetRecentErrMsg());
  CheckWhole();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t bytes) {
  fuzz::Input input(data, bytes);
  {
    Program program(input);
    for (int i = 0; i < 64 && !input.is_empty(); ++i) program.Step();
  }
  forebay::RemoveFaults();
  for (int32_t device : {0, 1}) aclrtResetDeviceForce(device);
  aclGetRecentErrMsg();
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  CheckWhole();
  return 0;
}
