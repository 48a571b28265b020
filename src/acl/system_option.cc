// Options of the process and of a context.
#include <fmt/format.h>

#include <array>
#include <atomic>

#include "forebay/runtime/context.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

struct OptionRow {
  const char* name;
  int64_t highest;
};
// By number.
constexpr OptionRow kOptions[] = {{"ACL_OPT_DETERMINISTIC", 3},
                                  {"ACL_OPT_ENABLE_DEBUG_KERNEL", 1},
                                  {"ACL_OPT_STRONG_CONSISTENCY", 1},
                                  {"ACL_OPT_ENABLE_KERNEL_EARLY_START", 1}};
static_assert(std::size(kOptions) == runtime::Context::kOptions);

std::array<std::atomic<int64_t>, std::size(kOptions)> process_options{};

Result<std::size_t> IndexOf(aclSysParamOpt opt) {
  const auto index = static_cast<std::size_t>(static_cast<uint32_t>(opt));
  if (index >= std::size(kOptions)) {
    return Status(Code::kParamInvalid, fmt::format("there is no system option {}", static_cast<int>(opt)),
                  "See aclSysParamOpt");
  }
  return index;
}

Result<std::size_t> CheckSetting(aclSysParamOpt opt, int64_t value) {
  ASSIGN_OR_RETURN(const std::size_t index, IndexOf(opt));
  if (value < 0 || value > kOptions[index].highest) {
    return Status(Code::kParamInvalid, fmt::format("{} cannot be {}", kOptions[index].name, value),
                  fmt::format("Use 0 to {}", kOptions[index].highest));
  }
  return index;
}

}  // namespace

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return Guard("aclrtCtxGetSysParamOpt", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const std::size_t index, IndexOf(opt));
    ASSIGN_OR_RETURN(const runtime::Context* context, runtime::CurrentContext());
    const std::optional<int64_t> set = context->option(index);
    if (!set) {
      return Status(Code::kSystemOptionNotSet,
                    fmt::format("{} was never set in the calling thread's context", kOptions[index].name),
                    "Set it with aclrtCtxSetSysParamOpt, or take its default");
    }
    *value = *set;
    return {};
  });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return Guard("aclrtCtxSetSysParamOpt", [&]() -> Status {
    ASSIGN_OR_RETURN(const std::size_t index, CheckSetting(opt, value));
    ASSIGN_OR_RETURN(runtime::Context * context, runtime::CurrentContext());
    context->SetOption(index, value);
    return {};
  });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return Guard("aclrtGetSysParamOpt", [&]() -> Status {
    if (value == nullptr) return NullArgument("value");
    ASSIGN_OR_RETURN(const std::size_t index, IndexOf(opt));
    *value = process_options[index].load(std::memory_order_relaxed);
    return {};
  });
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return Guard("aclrtSetSysParamOpt", [&]() -> Status {
    ASSIGN_OR_RETURN(const std::size_t index, CheckSetting(opt, value));
    process_options[index].store(value, std::memory_order_relaxed);
    return {};
  });
}
