// Random numbers as a task.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "forebay/runtime/copy.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

using types::Distribution;
using types::RandomCommand;

// Takes one parameter of a task over: the value, or its address.
Status Take(const aclrtRandomParaInfo& parameter, const char* name, std::initializer_list<std::size_t> sizes,
            uint8_t in_memory, uint64_t* value, RandomCommand* command) {
  if (parameter.isAddr > 1) {
    return Status(Code::kParamInvalid, fmt::format("isAddr of the parameter {} is {}", name, parameter.isAddr),
                  "0 says that it is the value, 1 that it is its address");
  }
  const std::size_t size = parameter.size;
  const bool fits =
      parameter.isAddr == 1 ? size == sizeof(void*) : std::find(sizes.begin(), sizes.end(), size) != sizes.end();
  if (!fits) {
    return Status(Code::kParamInvalid, fmt::format("size of the parameter {} is {}", name, size),
                  fmt::format("Use {} bytes, those of {}", parameter.isAddr == 1 ? sizeof(void*) : *sizes.begin(),
                              parameter.isAddr == 1 ? "an address" : "the data type"));
  }
  *value = 0;
  std::memcpy(value, parameter.valueOrAddr, size);
  if (parameter.isAddr == 1) command->in_memory |= in_memory;
  return {};
}

Status NoSuchNumbers(const aclrtRandomNumTaskInfo& info) {
  return Status(Code::kParamInvalid,
                fmt::format("there is no distribution {} of type {}",
                            static_cast<int>(info.randomNumFuncParaInfo.funcType), static_cast<int>(info.dataType)),
                "Uniform numbers are int32, uint32, int64, uint64, bf16, fp16 or fp32; the others bf16, fp16 or fp32");
}

Status Translate(const aclrtRandomNumTaskInfo& info, RandomCommand* command) {
  const auto& function = info.randomNumFuncParaInfo;
  const bool is_float = info.dataType == ACL_FLOAT || info.dataType == ACL_FLOAT16 || info.dataType == ACL_BF16;
  const bool is_integer = info.dataType == ACL_INT32 || info.dataType == ACL_UINT32 || info.dataType == ACL_INT64 ||
                          info.dataType == ACL_UINT64;
  if (!is_float && !(is_integer && function.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS)) {
    return NoSuchNumbers(info);
  }
  const std::size_t element = aclDataTypeSize(info.dataType);
  command->type = static_cast<int8_t>(info.dataType);
  command->destination = ToHandle(info.randomResultAddr);
  command->counter = ToHandle(info.randomCounterAddr);
  RETURN_IF_ERROR(Take(info.randomSeed, "randomSeed", {8, 4}, types::kSeedInMemory, &command->seed, command));
  RETURN_IF_ERROR(Take(info.randomNum, "randomNum", {8, 4}, types::kCountInMemory, &command->count, command));
  const auto take = [&](const aclrtRandomParaInfo& first, const char* first_name, const aclrtRandomParaInfo* second,
                        const char* second_name) -> Status {
    RETURN_IF_ERROR(Take(first, first_name, {element}, types::kFirstInMemory, &command->first, command));
    if (second == nullptr) return {};
    return Take(*second, second_name, {element}, types::kSecondInMemory, &command->second, command);
  };
  const auto& parameters = function.paramInfo;
  switch (function.funcType) {
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK:
      command->distribution = Distribution::kDropoutMask;
      return take(parameters.dropoutBitmaskInfo.dropoutRation, "dropoutRation", nullptr, nullptr);
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS:
      command->distribution = Distribution::kUniform;
      return take(parameters.uniformDisInfo.min, "min", &parameters.uniformDisInfo.max, "max");
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS:
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS:
      command->distribution = function.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS
                                  ? Distribution::kNormal
                                  : Distribution::kTruncatedNormal;
      return take(parameters.normalDisInfo.mean, "mean", &parameters.normalDisInfo.stddev, "stddev");
  }
  return NoSuchNumbers(info);
}

}  // namespace

aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo, const aclrtStream stream, void* reserve) {
  return Guard("aclrtRandomNumAsync", [&]() -> Status {
    if (taskInfo == nullptr) return NullArgument("taskInfo");
    if (reserve != nullptr) {
      return Status(Code::kParamInvalid, "the reserved argument reserve is not NULL", "Pass NULL");
    }
    if (taskInfo->randomResultAddr == nullptr) return NullArgument("randomResultAddr", Code::kParamInvalid);
    if (taskInfo->randomCounterAddr == nullptr) return NullArgument("randomCounterAddr", Code::kParamInvalid);
    RandomCommand command{};
    RETURN_IF_ERROR(Translate(*taskInfo, &command));
    return runtime::RandomOnStream(command, ToHandle(stream));
  });
}
