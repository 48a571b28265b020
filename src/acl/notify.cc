// Notifies, counted notifies, and words of memory that streams write and wait for.
#include "forebay/runtime/notify.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "forebay/runtime/context.h"
#include "forebay/runtime/memory_word.h"
#include "guard.h"
#include "timeout.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)
using runtime::NotifyKind;
using types::Condition;
using types::CounterOperation;

namespace {

Status CreateInto(void** notify, NotifyKind kind, uint64_t flag, uint64_t last_flag) {
  if (notify == nullptr) return NullArgument("notify");
  if (flag > last_flag) {
    return Status(Code::kParamInvalid, fmt::format("the flag of the notify is {}", flag),
                  fmt::format("Use a value up to {}", last_flag));
  }
  ASSIGN_OR_RETURN(runtime::Context * context, runtime::CurrentContext());
  ASSIGN_OR_RETURN(const uint64_t handle, runtime::Notify::Create(*context, kind));
  *notify = FromHandle(handle);
  return {};
}

Status FindOrNull(const void* notify, NotifyKind kind, runtime::Notify** found) {
  if (notify == nullptr) return NullArgument("notify");
  ASSIGN_OR_RETURN(*found, runtime::FindNotify(ToHandle(notify), kind));
  return {};
}

Status NumberInto(const void* notify, NotifyKind kind, uint32_t* number) {
  if (number == nullptr) return NullArgument("notifyId");
  runtime::Notify* object = nullptr;
  RETURN_IF_ERROR(FindOrNull(notify, kind, &object));
  *number = object->number();
  return {};
}

Status NoSuchMode(const char* what, int64_t value) {
  return Status(Code::kParamInvalid, fmt::format("there is no {} {}", what, value),
                "Use one of the enumerators in acl_rt.h");
}

std::optional<CounterOperation> OperationOf(aclrtCntNotifyRecordMode mode) noexcept {
  switch (mode) {
    case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE: return CounterOperation::kSet;
    case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE: return CounterOperation::kAdd;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE: return CounterOperation::kOr;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE: return CounterOperation::kAnd;
  }
  return std::nullopt;
}

std::optional<Condition> ConditionOf(aclrtCntNotifyWaitMode mode) noexcept {
  switch (mode) {
    case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE: return Condition::kLess;
    case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE: return Condition::kEqual;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE: return Condition::kGreater;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE: return Condition::kGreaterOrEqual;
    case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE: return Condition::kAllBits;
  }
  return std::nullopt;
}

}  // namespace

// ---- Notifies ----

aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
  return Guard("aclrtCreateNotify",
               [&] { return CreateInto(notify, NotifyKind::kPlain, flag, ACL_NOTIFY_DEVICE_USE_ONLY); });
}

aclError aclrtDestroyNotify(aclrtNotify notify) {
  return Guard("aclrtDestroyNotify", [&]() -> Status {
    if (notify == nullptr) return NullArgument("notify");
    return runtime::Notify::Destroy(ToHandle(notify), NotifyKind::kPlain);
  });
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  return Guard("aclrtRecordNotify", [&]() -> Status {
    runtime::Notify* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(notify, NotifyKind::kPlain, &object));
    return object->Record(ToHandle(notify), ToHandle(stream), CounterOperation::kSet, 1);
  });
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout) {
  return Guard("aclrtWaitAndResetNotify", [&]() -> Status {
    runtime::Notify* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(notify, NotifyKind::kPlain, &object));
    return object->Wait(ToHandle(notify), ToHandle(stream), Condition::kEqual, 1, /*clears=*/true,
                        InMilliseconds(timeout));
  });
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
  return Guard("aclrtGetNotifyId", [&] { return NumberInto(notify, NotifyKind::kPlain, notifyId); });
}

aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num) {
  return Guard("aclrtNotifyBatchReset", [&]() -> Status {
    if (notifies == nullptr) return NullArgument("notifies");
    if (num == 0) return Status(Code::kParamInvalid, "no notify is to be reset", "Pass at least one");
    RETURN_IF_ERROR(runtime::CurrentContext().status());
    std::vector<uint64_t> handles;
    for (size_t i = 0; i < num; ++i) {
      if (notifies[i] == nullptr) return NullArgument(fmt::format("notifies[{}]", i).c_str());
      handles.push_back(ToHandle(notifies[i]));
    }
    return runtime::Notify::ResetNow(handles, NotifyKind::kPlain);
  });
}

// ---- Counted notifies ----

aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag) {
  return Guard("aclrtCntNotifyCreate", [&] { return CreateInto(cntNotify, NotifyKind::kCounted, flag, 0); });
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify) {
  return Guard("aclrtCntNotifyDestroy", [&]() -> Status {
    if (cntNotify == nullptr) return NullArgument("cntNotify");
    return runtime::Notify::Destroy(ToHandle(cntNotify), NotifyKind::kCounted);
  });
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo* info) {
  return Guard("aclrtCntNotifyRecord", [&]() -> Status {
    if (info == nullptr) return NullArgument("info");
    runtime::Notify* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(cntNotify, NotifyKind::kCounted, &object));
    const auto operation = OperationOf(info->mode);
    if (!operation) return NoSuchMode("mode of a record", info->mode);
    return object->Record(ToHandle(cntNotify), ToHandle(stream), *operation, info->value);
  });
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyWaitInfo* info) {
  return Guard("aclrtCntNotifyWaitWithTimeout", [&]() -> Status {
    if (info == nullptr) return NullArgument("info");
    runtime::Notify* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(cntNotify, NotifyKind::kCounted, &object));
    const auto condition = ConditionOf(info->mode);
    if (!condition) return NoSuchMode("mode of a wait", info->mode);
    return object->Wait(ToHandle(cntNotify), ToHandle(stream), *condition, info->value, info->isClear != 0,
                        InMilliseconds(info->timeout));
  });
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream) {
  return Guard("aclrtCntNotifyReset", [&]() -> Status {
    runtime::Notify* object = nullptr;
    RETURN_IF_ERROR(FindOrNull(cntNotify, NotifyKind::kCounted, &object));
    return object->Record(ToHandle(cntNotify), ToHandle(stream), CounterOperation::kSet, 0);
  });
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId) {
  return Guard("aclrtCntNotifyGetId", [&] { return NumberInto(cntNotify, NotifyKind::kCounted, notifyId); });
}

// ---- Words of memory ----

aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return Guard("aclrtValueWrite", [&]() -> Status {
    if (devAddr == nullptr) return NullArgument("devAddr");
    if (flag != 0) return Status(Code::kParamInvalid, fmt::format("the flag of the write is {}", flag), "Use 0");
    return runtime::WriteWordOnStream(devAddr, value, ToHandle(stream));
  });
}

aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return Guard("aclrtValueWait", [&]() -> Status {
    static constexpr Condition kConditions[] = {Condition::kGreaterOrEqualCyclic, Condition::kEqual, Condition::kAnyBit,
                                                Condition::kSomeBitInNeither};
    if (devAddr == nullptr) return NullArgument("devAddr");
    if (flag >= std::size(kConditions)) return NoSuchMode("condition of a wait", flag);
    return runtime::WaitForWordOnStream(devAddr, kConditions[flag], value, ToHandle(stream));
  });
}
