// A bug that a quiet machine hides: the consumer on one stream reads what the producer on another one writes, and
// nothing makes it wait. The consumer's own preparation takes longer than the producer, so it usually comes late enough
// to be right. --with-event puts the missing event in.
#include <acl/acl.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

constexpr uint32_t kCount = 96 * 1024;
constexpr uint32_t kPower = 40;   // makes a `prepare` take longer than a `produce`
constexpr uint32_t kBlocks = 4;   // of every kernel
constexpr uint32_t kRounds = 64;  // each of them can go wrong

// Evaluates an AscendCL call; a failure is thrown with the call, the code and what the runtime says about it.
#define ACL_CHECK(call) CheckCall((call), #call)

void CheckCall(aclError code, const char* call) {
  if (code == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(call) + " failed with " + std::to_string(code) + ": " +
                           (message != nullptr ? message : "the runtime gives no reason"));
}

template <aclError (*Release)(void*)>
struct ReleaseBy {
  void operator()(void* resource) const { static_cast<void>(Release(resource)); }
};
using Memory = std::unique_ptr<void, ReleaseBy<aclrtFree>>;
using Stream = std::unique_ptr<void, ReleaseBy<aclrtDestroyStream>>;
using Event = std::unique_ptr<void, ReleaseBy<aclrtDestroyEvent>>;
using Binary = std::unique_ptr<void, ReleaseBy<aclrtBinaryUnLoad>>;

// Makes a resource with a call that stores its handle.
template <typename Resource, typename Create>
Resource Make(Create create) {
  void* handle = nullptr;
  ACL_CHECK(create(&handle));
  return Resource(handle);
}

struct Library {
  Library() { ACL_CHECK(aclInit(nullptr)); }
  ~Library() { static_cast<void>(aclFinalize()); }
};
struct Device {
  Device() { ACL_CHECK(aclrtSetDevice(0)); }
  ~Device() { static_cast<void>(aclrtResetDevice(0)); }
};

// The arguments are packed as the members of a C struct.
template <typename... Arguments>
void Launch(aclrtFuncHandle kernel, const Stream& stream, Arguments... arguments) {
  static_assert(((std::is_pointer_v<Arguments> || sizeof(Arguments) == 4) && ...), "not an address or 32 bits");
  alignas(8) unsigned char packed[8 * sizeof...(Arguments)] = {};
  size_t size = 0;
  const auto append = [&](auto value) {
    size = (size + sizeof(value) - 1) / sizeof(value) * sizeof(value);
    std::memcpy(packed + size, &value, sizeof(value));
    size += sizeof(value);
  };
  (append(arguments), ...);
  size = (size + 7) / 8 * 8;
  ACL_CHECK(aclrtLaunchKernelWithHostArgs(kernel, kBlocks, stream.get(), nullptr, packed, size, nullptr, 0));
}

std::vector<uint32_t> Powers() {
  std::vector<uint32_t> powers(kCount, 1);
  for (uint32_t i = 0; i < kCount; ++i) {
    for (uint32_t n = 0; n < kPower; ++n) powers[i] *= i;
  }
  return powers;
}

int Run(bool with_event) {
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "missing_event_kernels.o";
  const Library library;
  const Device device;
  const auto binary =
      Make<Binary>([&](void** handle) { return aclrtBinaryLoadFromFile(path.c_str(), nullptr, handle); });
  const auto find = [&](const char* name) {
    aclrtFuncHandle function = nullptr;
    ACL_CHECK(aclrtBinaryGetFunction(binary.get(), name, &function));
    return function;
  };
  const aclrtFuncHandle produce = find("produce"), prepare = find("prepare"), consume = find("consume");

  const std::vector<uint32_t> powers = Powers();
  std::vector<uint32_t> result(kCount);
  const size_t bytes = kCount * sizeof(uint32_t);
  const auto allocate = [&](void** handle) { return aclrtMalloc(handle, bytes, ACL_MEM_MALLOC_HUGE_FIRST); };
  const auto data_memory = Make<Memory>(allocate), table_memory = Make<Memory>(allocate),
             result_memory = Make<Memory>(allocate);
  ACL_CHECK(aclrtMemset(data_memory.get(), bytes, 0, bytes));
  // Behind the memory, so that they are gone before it is freed.
  const auto create_stream = [](void** handle) { return aclrtCreateStream(handle); };
  const auto create_event = [](void** handle) { return aclrtCreateEventExWithFlag(handle, ACL_EVENT_SYNC); };
  const auto producer = Make<Stream>(create_stream), consumer = Make<Stream>(create_stream);
  const auto produced = Make<Event>(create_event);

  uint32_t wrong_rounds = 0;
  for (uint32_t round = 1; round <= kRounds; ++round) {  // each writes other numbers, so old ones are noticed
    for (uint32_t third = 0; third < 3; ++third) {
      Launch(produce, producer, data_memory.get(), third * (kCount / 3), (third + 1) * (kCount / 3), round);
    }
    for (uint32_t half = 0; half < 2; ++half) {
      Launch(prepare, consumer, table_memory.get(), half * (kCount / 2), (half + 1) * (kCount / 2), kPower);
    }
    if (with_event) {
      ACL_CHECK(aclrtRecordEvent(produced.get(), producer.get()));
      ACL_CHECK(aclrtStreamWaitEvent(consumer.get(), produced.get()));
    }
    Launch(consume, consumer, data_memory.get(), table_memory.get(), result_memory.get(), 0U, kCount);

    // The rounds do not touch each other: all that can go wrong is the order within one.
    ACL_CHECK(aclrtSynchronizeStream(consumer.get()));
    ACL_CHECK(aclrtSynchronizeStream(producer.get()));
    ACL_CHECK(aclrtMemcpy(result.data(), bytes, result_memory.get(), bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    uint32_t wrong = 0, first = 0;
    for (uint32_t i = kCount; i-- > 0;) {
      if (result[i] != round * i + powers[i]) {
        ++wrong;
        first = i;
      }
    }
    if (wrong != 0 && wrong_rounds++ == 0) {
      std::printf("round %u: %u of %u results are wrong; number %u is %u and should be %u\n", round, wrong, kCount,
                  first, result[first], round * first + powers[first]);
    }
  }
  if (wrong_rounds == 0) {
    std::printf("right\n");
    return 0;
  }
  std::printf("wrong in %u of %u rounds%s\n", wrong_rounds, kRounds,
              with_event ? "" : "; the consumer does not wait for the producer, --with-event makes it");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool with_event = argc == 2 && std::string(argv[1]) == "--with-event";
  if (argc > 1 && !with_event) {
    std::fprintf(stderr, "missing_event: unknown option \"%s\"; there is only --with-event\n", argv[argc - 1]);
    return 2;
  }
  try {
    return Run(with_event);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "missing_event: %s\n", error.what());
    return 2;
  }
}
