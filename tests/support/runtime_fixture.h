// What tests of the runtime share: a device that is given back whole, kernels, tensors of words, and streams that are
// held up until the test says go.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "forebay/forebay.h"

namespace forebay::testing {

#define ASSERT_OK(expression) ASSERT_TRUE(::forebay::testing::IsOk(expression))
#define EXPECT_OK(expression) EXPECT_TRUE(::forebay::testing::IsOk(expression))

inline ::testing::AssertionResult IsOk(const Status& status) {
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status.ToString();
}
template <typename T>
::testing::AssertionResult IsOk(const Result<T>& result) {
  return IsOk(result.status());
}

// The value of a result that the test cannot go on without.
template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.status().ToString();
    std::abort();
  }
  return *std::move(result);
}

// The path of a kernel binary that the test named under KERNELS.
inline std::string KernelPath(const std::string& target) {
  const char* path = std::getenv(("TEST_KERNEL_" + target).c_str());
  return path != nullptr ? path : target + ".o";
}

inline bool IsInline() {
  const char* mode = std::getenv("FOREBAY_DEVICE_MODE");
  return mode != nullptr && std::string(mode) == "inline";
}

// A stream whose tasks behind this one wait until Release. Of the device only this stream is held up.
class HeldStream {
 public:
  explicit HeldStream(StreamHandle stream) {
    EXPECT_OK(LaunchHostFunction(stream, [gate = gate_.get_future().share()] { gate.wait(); }));
  }
  ~HeldStream() { Release(); }
  HeldStream(const HeldStream&) = delete;
  HeldStream& operator=(const HeldStream&) = delete;
  void Release() {
    if (!std::exchange(released_, true)) gate_.set_value();
  }

 private:
  std::promise<void> gate_;
  bool released_ = false;
};

// Puts a kernel on a stream, with its arguments given as values of the parameters' types.
template <typename... Arguments>
Status Launch(KernelHandle kernel, StreamHandle stream, uint32_t blocks, Arguments... arguments) {
  void* pointers[sizeof...(Arguments) + 1] = {static_cast<void*>(&arguments)...};
  return LaunchKernel(kernel, stream, pointers, static_cast<int32_t>(sizeof...(Arguments)), blocks);
}

// Kernels of one binary by name.
class Kernels {
 public:
  Kernels() = default;
  explicit Kernels(const std::string& target) : binary_(Must(LoadKernelBinary(KernelPath(target)))) {}
  KernelHandle operator[](const std::string& name) const { return Must(GetKernel(binary_, name)); }
  KernelBinaryHandle binary() const { return binary_; }

 private:
  KernelBinaryHandle binary_ = nullptr;
};

// Sets device 0, and checks at the end that everything was given back.
class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override { Open(); }
  void TearDown() override { Close(); }

  // For tests that set parameters first, or several times.
  void Open() {
    before_ = Runtime::Counters();
    ASSERT_OK(SetDevice(0));
    open_ = true;
    basic = Kernels("basic_kernels");
    pool = Must(MemoryPool::OfCurrentDevice());
  }
  void Close() {
    pool.reset();
    if (!std::exchange(open_, false)) return;
    EXPECT_OK(ResetDevice(0));
    EXPECT_EQ(Runtime::Counters(), before_);
  }
  void Reopen() {
    Close();
    Open();
  }
  // Everything again under other schedules.
  template <typename Body>
  void UnderSeeds(uint32_t count, Body body) {
    for (uint32_t seed = 1; seed <= count && !HasFailure(); ++seed) {
      SCOPED_TRACE("schedule seed:" + std::to_string(seed));
      Close();
      ASSERT_OK(Runtime::Configure("schedule", "seed:" + std::to_string(seed)));
      Open();
      body();
    }
    Close();
    ASSERT_OK(Runtime::Configure("schedule", ""));
  }

  RuntimeTensor Words(uint32_t n) { return Must(RuntimeTensor::FromPool(*pool, {n}, DataType::kUint32)); }
  RuntimeTensor Words(const std::vector<uint32_t>& values) {
    RuntimeTensor tensor = Words(static_cast<uint32_t>(values.size()));
    EXPECT_OK(Copy(tensor.address(), values.data(), tensor.bytes()));
    return tensor;
  }
  std::vector<uint32_t> Read(const RuntimeTensor& tensor) {
    std::vector<uint32_t> values(static_cast<std::size_t>(tensor.element_count()));
    EXPECT_OK(Copy(values.data(), tensor.address(), tensor.bytes()));
    return values;
  }
  // An empty log for the kernel `append`.
  RuntimeTensor Log(uint32_t room) { return Words(std::vector<uint32_t>(room + 1, 0)); }
  std::vector<uint32_t> Logged(const RuntimeTensor& log) {
    std::vector<uint32_t> values = Read(log);
    const uint32_t count = values.at(0);
    values.erase(values.begin());
    values.resize(count);
    return values;
  }

  Kernels basic;
  std::shared_ptr<MemoryPool> pool;

 private:
  ResourceCounters before_;
  bool open_ = false;
};

inline void PrintTo(const Status& status, std::ostream* out) { *out << status.ToString(); }

}  // namespace forebay::testing

namespace forebay {
inline void PrintTo(const ResourceCounters& c, std::ostream* out) {
  *out << "devices " << c.open_devices << ", ranges " << c.memory_ranges << ", memory " << c.memory_bytes << ", pinned "
       << c.pinned_bytes << ", streams " << c.streams << ", events " << c.events << ", images " << c.kernel_images;
}
}  // namespace forebay
