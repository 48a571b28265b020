// Reductions and random numbers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/memory_fixture.h"

namespace conformance {
namespace {

// ---- Reductions ----

class Reduce : public WithMemory {
 protected:
  template <typename T>
  static std::vector<T> Run(aclDataType type, aclrtReduceKind kind, const std::vector<T>& left,
                            const std::vector<T>& right) {
    T* destination = ToDevice(left);
    EXPECT_OK(aclrtReduceAsync(destination, ToDevice(right), left.size() * sizeof(T), kind, type, nullptr, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    return FromDevice(destination, left.size());
  }
  template <typename T>
  static void ExpectAll(aclDataType type, const std::vector<T>& left, const std::vector<T>& right,
                        const std::vector<T>& sums, T one) {
    std::vector<T> largest;
    std::vector<T> smallest;
    std::vector<T> equal;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto less = [type](T a, T b) {
        if (type != ACL_FLOAT16 && type != ACL_BF16) return a < b;
        return ValueOf(type, static_cast<uint16_t>(a)) < ValueOf(type, static_cast<uint16_t>(b));
      };
      largest.push_back(less(left[i], right[i]) ? right[i] : left[i]);
      smallest.push_back(less(right[i], left[i]) ? right[i] : left[i]);
      equal.push_back(left[i] == right[i] ? one : T{});
    }
    EXPECT_EQ(sums, Run(type, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, left, right)) << type;
    EXPECT_EQ(largest, Run(type, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, left, right)) << type;
    EXPECT_EQ(smallest, Run(type, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN, left, right)) << type;
    EXPECT_EQ(equal, Run(type, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, left, right)) << type;
  }
  static float ValueOf(aclDataType type, uint16_t bits) {
    if (type == ACL_FLOAT16) return aclFloat16ToFloat(bits);
    const uint32_t wide = uint32_t{bits} << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
  static std::vector<uint16_t> Halves(const std::vector<float>& values) {
    std::vector<uint16_t> halves;
    for (const float value : values) halves.push_back(aclFloatToFloat16(value));
    return halves;
  }
  static std::vector<uint16_t> Bfloats(const std::vector<float>& values) {
    std::vector<uint16_t> bfloats;
    for (const float value : values) {
      uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      bfloats.push_back(static_cast<uint16_t>(bits >> 16));
    }
    return bfloats;
  }
};

TEST_F(Reduce, IntegersWrapAround) {
  ExpectAll<int8_t>(ACL_INT8, {1, -2, 127, -128}, {5, -2, 1, -1}, {6, -4, -128, 127}, 1);
  ExpectAll<int16_t>(ACL_INT16, {1, -2, 32767}, {5, -2, 1}, {6, -4, -32768}, 1);
  ExpectAll<int32_t>(ACL_INT32, {1, -2, INT32_MAX}, {5, -2, 1}, {6, -4, INT32_MIN}, 1);
}

TEST_F(Reduce, FloatingPointTypesRoundToTheNearest) {
  ExpectAll<float>(ACL_FLOAT, {1.5F, -2, 1e30F}, {0.25F, -2, 1}, {1.75F, -4, 1e30F}, 1);
  // 2048 + 1 lies between two numbers of half precision, the lower one is even; 1 + 1/64 does for bf16.
  ExpectAll<uint16_t>(ACL_FLOAT16, Halves({1.5F, -2, 2048, 2050, 6e-8F}), Halves({0.25F, -2, 1, 1, 6e-8F}),
                      Halves({1.75F, -4, 2048, 2052, 1.2e-7F}), aclFloatToFloat16(1));
  ExpectAll<uint16_t>(ACL_BF16, Bfloats({1.5F, -2, 256, 258}), Bfloats({0.25F, -2, 1, 1}),
                      Bfloats({1.75F, -4, 256, 260}), Bfloats({1})[0]);
}

TEST_F(Reduce, WhatIsNoNumberWins) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  for (const aclrtReduceKind kind : {ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN}) {
    const std::vector<float> result = Run<float>(ACL_FLOAT, kind, {none, 1}, {1, none});
    EXPECT_TRUE(std::isnan(result[0]));
    EXPECT_TRUE(std::isnan(result[1]));
  }
  const std::vector<uint16_t> large = Run<uint16_t>(ACL_FLOAT16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, {0x7BFF}, {0x7BFF});
  EXPECT_EQ(0x7C00, large[0]) << "what is too large is infinite";
}

TEST_F(Reduce, RunsInTheOrderOfTheStream) {
  int32_t* sum = ToDevice(std::vector<int32_t>{0});
  const int32_t* one = ToDevice(std::vector<int32_t>{1});
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK(aclrtReduceAsync(sum, one, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, nullptr, nullptr));
  }
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(100, FromDevice(sum, 1)[0]);
}

TEST_F(Reduce, WhatDoesNotFitIsRefused) {
  int32_t* memory = ToDevice(std::vector<int32_t>{1, 2});
  const auto sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtReduceAsync(nullptr, memory, 8, sum, ACL_INT32, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtReduceAsync(memory, nullptr, 8, sum, ACL_INT32, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync(memory, memory, 8, sum, ACL_INT32, nullptr, memory));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync(memory, memory, 6, sum, ACL_INT32, nullptr, nullptr));
  for (const int kind : {9, 14}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
                aclrtReduceAsync(memory, memory, 8, NoSuch<aclrtReduceKind>(kind), ACL_INT32, nullptr, nullptr));
  }
  for (const int type : std::initializer_list<int>{ACL_UINT8, ACL_INT64, ACL_DOUBLE, ACL_BOOL, 99}) {
    EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                aclrtReduceAsync(memory, memory, 8, sum, NoSuch<aclDataType>(type), nullptr, nullptr));
  }
  void* pinned = AllocatePinned(8);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync(memory, pinned, 8, sum, ACL_INT32, nullptr, nullptr));
  ASSERT_OK(aclrtSetDevice(1));
  void* other = Allocate(8);
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync(memory, other, 8, sum, ACL_INT32, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync(memory, Unallocated(), 8, sum, ACL_INT32, nullptr, nullptr));
  EXPECT_OK(aclrtReduceAsync(memory, memory, 0, sum, ACL_INT32, nullptr, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ((std::vector<int32_t>{1, 2}), FromDevice(memory, 2));
}

TEST_F(Reduce, MemoryThatIsGoneWhenTheTaskRunsFailsIt) {
  int32_t* memory = ToDevice(std::vector<int32_t>{1, 2});
  void* large = Allocate(kLarge);
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  ASSERT_OK(aclrtReduceAsync(memory, static_cast<char*>(large) + kLarge / 2, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                             ACL_INT32, nullptr, nullptr));
  gate.WaitUntilReached();
  FreeForGood(large);
  Messages();
  gate.Open();
  EXPECT_EQ(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(nullptr));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("source at")) << text;
}

// ---- Random numbers ----

template <typename T>
aclrtRandomParaInfo Value(T value) {
  aclrtRandomParaInfo parameter{};
  parameter.size = sizeof value;
  std::memcpy(parameter.valueOrAddr, &value, sizeof value);
  return parameter;
}

aclrtRandomParaInfo At(const void* address) {
  aclrtRandomParaInfo parameter = Value(address);
  parameter.isAddr = 1;
  return parameter;
}

class RandomNumbers : public WithMemory {
 protected:
  struct Counter {
    uint64_t low;
    uint64_t high;
  };
  void SetUp() override {
    WithMemory::SetUp();
    counter_ = ToDevice(std::vector<Counter>{{0, 0}});
  }
  void SetCounter(Counter counter) {
    ASSERT_OK(aclrtMemcpy(counter_, sizeof counter, &counter, sizeof counter, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  // A task for `count` numbers with seed 1. The caller adds what it is about.
  aclrtRandomNumTaskInfo Task(aclDataType type, aclrtRandomNumFuncType function, std::size_t count) {
    aclrtRandomNumTaskInfo task{};
    task.dataType = type;
    task.randomNumFuncParaInfo.funcType = function;
    task.randomResultAddr = Allocate(std::max<std::size_t>(count, 1) * 8);
    task.randomCounterAddr = counter_;
    task.randomSeed = Value(uint64_t{1});
    task.randomNum = Value(uint64_t{count});
    return task;
  }
  template <typename T>
  aclrtRandomNumTaskInfo Uniform(aclDataType type, T lowest, T highest, std::size_t count) {
    aclrtRandomNumTaskInfo task = Task(type, ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, count);
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo = {Value(lowest), Value(highest)};
    return task;
  }
  aclrtRandomNumTaskInfo Normal(float mean, float deviation, std::size_t count, bool truncated) {
    aclrtRandomNumTaskInfo task = Task(
        ACL_FLOAT,
        truncated ? ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS : ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS, count);
    task.randomNumFuncParaInfo.paramInfo.normalDisInfo = {Value(mean), Value(deviation)};
    return task;
  }
  aclrtRandomNumTaskInfo Mask(float share, std::size_t count) {
    aclrtRandomNumTaskInfo task = Task(ACL_FLOAT, ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK, count);
    task.randomNumFuncParaInfo.paramInfo.dropoutBitmaskInfo = {Value(share)};
    return task;
  }
  template <typename T>
  static std::vector<T> Run(const aclrtRandomNumTaskInfo& task, std::size_t count) {
    EXPECT_OK(aclrtRandomNumAsync(&task, nullptr, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    return FromDevice(static_cast<T*>(task.randomResultAddr), count);
  }
  struct Moments {
    double mean = 0;
    double deviation = 0;
    double lowest = 0;
    double highest = 0;
  };
  template <typename T>
  static Moments MomentsOf(const std::vector<T>& values) {
    Moments moments{0, 0, static_cast<double>(values[0]), static_cast<double>(values[0])};
    double squares = 0;
    for (const T each : values) {
      const auto value = static_cast<double>(each);
      moments.mean += value;
      squares += value * value;
      moments.lowest = std::min(moments.lowest, value);
      moments.highest = std::max(moments.highest, value);
    }
    moments.mean /= static_cast<double>(values.size());
    moments.deviation = std::sqrt(squares / static_cast<double>(values.size()) - moments.mean * moments.mean);
    return moments;
  }

  Counter* counter_ = nullptr;
};

constexpr std::size_t kMany = 100000;

// The published answers of Philox 4x32-10. From 0 to just below 2^32 a word w becomes w - 1.
TEST_F(RandomNumbers, WordsAreThoseOfPhilox) {
  const struct {
    Counter counter;
    uint64_t seed;
    uint32_t words[4];
  } published[] = {
      {{0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{~uint64_t{0}, ~uint64_t{0}}, ~uint64_t{0}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x85a308d3243f6a88, 0x0370734413198a2e}, 0x299f31d0a4093822, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (const auto& answer : published) {
    SetCounter(answer.counter);
    aclrtRandomNumTaskInfo task = Uniform<uint32_t>(ACL_UINT32, 0, 0xFFFFFFFF, 4);
    task.randomSeed = Value(answer.seed);
    const std::vector<uint32_t> words = Run<uint32_t>(task, 4);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(answer.words[i], words[i] + 1);
  }
}

TEST_F(RandomNumbers, DependOnSeedAndCounterAlone) {
  const aclrtRandomNumTaskInfo task = Uniform<uint64_t>(ACL_UINT64, 0, ~uint64_t{0}, 100);
  const std::vector<uint64_t> first = Run<uint64_t>(task, 100);
  EXPECT_EQ(first, Run<uint64_t>(task, 100)) << "the counter is not changed";
  aclrtRandomNumTaskInfo other = task;
  other.randomSeed = Value(uint32_t{2});
  EXPECT_NE(first, Run<uint64_t>(other, 100));
  // Two 64-bit numbers are one step of the counter.
  SetCounter({10, 0});
  std::vector<uint64_t> later = Run<uint64_t>(task, 80);
  EXPECT_EQ(std::vector<uint64_t>(first.begin() + 20, first.end()), later);
  SetCounter({~uint64_t{0}, 0});
  later = Run<uint64_t>(task, 4);
  SetCounter({0, 1});
  EXPECT_EQ(later[2], Run<uint64_t>(task, 1)[0]) << "the counter has 128 bits";
}

TEST_F(RandomNumbers, UniformIntegersFillTheirRange) {
  const Moments moments = MomentsOf(Run<int32_t>(Uniform<int32_t>(ACL_INT32, -10, 10, kMany), kMany));
  EXPECT_EQ(-10, moments.lowest);
  EXPECT_EQ(9, moments.highest) << "the upper end is not reached";
  EXPECT_NEAR(-0.5, moments.mean, 0.1);
  const std::vector<int64_t> wide = Run<int64_t>(Uniform<int64_t>(ACL_INT64, INT64_MIN, INT64_MAX, kMany), kMany);
  const auto negative = std::count_if(wide.begin(), wide.end(), [](int64_t value) { return value < 0; });
  EXPECT_NEAR(kMany / 2.0, static_cast<double>(negative), 1000);
  EXPECT_EQ(std::vector<uint32_t>(8, 7), Run<uint32_t>(Uniform<uint32_t>(ACL_UINT32, 7, 7, 8), 8));
}

TEST_F(RandomNumbers, UniformFloatsFillTheirRange) {
  const Moments moments = MomentsOf(Run<float>(Uniform(ACL_FLOAT, 2.0F, 4.0F, kMany), kMany));
  EXPECT_GE(moments.lowest, 2);
  EXPECT_LT(moments.highest, 4);
  EXPECT_NEAR(3, moments.mean, 0.01);
  EXPECT_NEAR(2 / std::sqrt(12.0), moments.deviation, 0.01);
  const uint16_t zero = 0;
  std::vector<float> values;
  for (const uint16_t half : Run<uint16_t>(Uniform<uint16_t>(ACL_FLOAT16, zero, aclFloatToFloat16(1), kMany), kMany)) {
    values.push_back(aclFloat16ToFloat(half));
  }
  EXPECT_LT(MomentsOf(values).highest, 1);
  EXPECT_NEAR(0.5, MomentsOf(values).mean, 0.01);
  values.clear();
  for (const uint16_t bits : Run<uint16_t>(Uniform<uint16_t>(ACL_BF16, zero, 0x3F80, kMany), kMany)) {
    const uint32_t wide = uint32_t{bits} << 16;
    std::memcpy(&values.emplace_back(), &wide, sizeof wide);
  }
  EXPECT_LT(MomentsOf(values).highest, 1);
  EXPECT_NEAR(0.5, MomentsOf(values).mean, 0.01);
}

TEST_F(RandomNumbers, NormalNumbersHaveTheirShape) {
  std::vector<float> values = Run<float>(Normal(3, 2, kMany, false), kMany);
  const Moments moments = MomentsOf(values);
  EXPECT_NEAR(3, moments.mean, 0.03);
  EXPECT_NEAR(2, moments.deviation, 0.03);
  // The shares of the standard normal distribution below some points.
  for (const auto& [point, share] :
       {std::pair{-2.0, 0.02275}, {-1.0, 0.15866}, {0.0, 0.5}, {0.5, 0.69146}, {3.0, 0.99865}}) {
    const auto below =
        std::count_if(values.begin(), values.end(), [limit = 3 + 2 * point](float value) { return value < limit; });
    EXPECT_NEAR(share, static_cast<double>(below) / kMany, 0.006) << point;
  }
}

TEST_F(RandomNumbers, TruncatedNormalNumbersStayWithinTwoDeviations) {
  const Moments moments = MomentsOf(Run<float>(Normal(-1, 0.5F, kMany, true), kMany));
  EXPECT_GE(moments.lowest, -2);
  EXPECT_LE(moments.highest, 0);
  EXPECT_NEAR(-2, moments.lowest, 0.01);
  EXPECT_NEAR(-1, moments.mean, 0.01);
  EXPECT_NEAR(0.5 * 0.8796, moments.deviation, 0.01);
}

TEST_F(RandomNumbers, MaskDropsItsShare) {
  for (const double share : {0.0, 0.25, 1.0}) {
    const std::vector<uint8_t> mask = Run<uint8_t>(Mask(static_cast<float>(share), kMany), kMany / 8);
    double kept = 0;
    for (const uint8_t byte : mask) kept += __builtin_popcount(byte);
    EXPECT_NEAR(1 - share, kept / kMany, share == 0.25 ? 0.01 : 0) << share;
  }
  // 10 bits take 2 bytes, and no more.
  aclrtRandomNumTaskInfo task = Mask(0, 10);
  ASSERT_OK(aclrtMemset(task.randomResultAddr, 8, 0xEE, 8));
  EXPECT_EQ((std::vector<uint8_t>{0xFF, 0x03, 0xEE}), Run<uint8_t>(task, 3));
}

TEST_F(RandomNumbers, ParametersMayLieInDeviceMemory) {
  aclrtRandomNumTaskInfo task = Uniform<int32_t>(ACL_INT32, 5, 9, 100);
  const std::vector<int32_t> expected = Run<int32_t>(task, 100);
  task.randomNumFuncParaInfo.paramInfo.uniformDisInfo = {At(ToDevice(std::vector<int32_t>{5})),
                                                         At(ToDevice(std::vector<int32_t>{9}))};
  task.randomSeed = At(ToDevice(std::vector<uint64_t>{1}));
  uint64_t* count = ToDevice(std::vector<uint64_t>{0});
  task.randomNum = At(count);
  ASSERT_OK(aclrtMemset(task.randomResultAddr, 800, 0, 800));
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  EXPECT_OK(aclrtRandomNumAsync(&task, nullptr, nullptr));
  const uint64_t now = 100;
  ASSERT_OK(aclrtMemcpy(count, sizeof now, &now, sizeof now, ACL_MEMCPY_HOST_TO_DEVICE));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(expected, FromDevice(static_cast<int32_t*>(task.randomResultAddr), 100));
}

TEST_F(RandomNumbers, ParametersThatMakeNoSenseFailTheTask) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  for (const aclrtRandomNumTaskInfo& task :
       {Uniform<int32_t>(ACL_INT32, 9, 5, 8), Uniform(ACL_FLOAT, 1.0F, none, 8), Normal(0, -1, 8, false),
        Normal(none, 1, 8, true), Mask(1.5F, 8), Mask(-0.5F, 8)}) {
    EXPECT_OK(aclrtRandomNumAsync(&task, nullptr, nullptr));
    EXPECT_EQ(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream(nullptr)) << Messages();
  }
}

TEST_F(RandomNumbers, TasksThatDoNotFitAreRefused) {
  const aclrtRandomNumTaskInfo good = Uniform<int32_t>(ACL_INT32, 0, 9, 8);
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtRandomNumAsync(nullptr, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtRandomNumAsync(&good, nullptr, counter_));
  char host[64] = {};
  const std::vector<std::pair<const char*, std::function<void(aclrtRandomNumTaskInfo*)>>> changes = {
      {"no result", [](auto* task) { task->randomResultAddr = nullptr; }},
      {"no counter", [](auto* task) { task->randomCounterAddr = nullptr; }},
      {"result on the host", [&](auto* task) { task->randomResultAddr = host; }},
      {"counter on the host", [&](auto* task) { task->randomCounterAddr = host; }},
      {"parameter on the host", [&](auto* task) { task->randomSeed = At(host); }},
      {"too many", [](auto* task) { task->randomNum = Value(uint64_t{1} << 62); }},
      {"type", [](auto* task) { task->dataType = ACL_INT8; }},
      {"distribution", [](auto* task) { task->randomNumFuncParaInfo.funcType = NoSuch<aclrtRandomNumFuncType>(4); }},
      {"normal integers",
       [](auto* task) { task->randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS; }},
      {"size of a value",
       [](auto* task) { task->randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = Value(int64_t{9}); }},
      {"size of an address", [](auto* task) { task->randomSeed.isAddr = 1, task->randomSeed.size = 4; }},
      {"isAddr", [](auto* task) { task->randomSeed.isAddr = 2; }},
  };
  for (const auto& [name, change] : changes) {
    aclrtRandomNumTaskInfo task = good;
    change(&task);
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtRandomNumAsync(&task, nullptr, nullptr)) << name;
  }
  aclrtRandomNumTaskInfo nothing = good;
  nothing.randomNum = Value(uint64_t{0});
  EXPECT_OK(aclrtRandomNumAsync(&nothing, nullptr, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
}

}  // namespace
}  // namespace conformance
