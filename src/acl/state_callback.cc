// Functions of the program that are called when a device or a stream comes or goes.
#include "forebay/runtime/state_callbacks.h"

#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback, void* args) {
  return Guard("aclrtRegDeviceStateCallback", [&]() -> Status {
    if (regName == nullptr) return NullArgument("regName");
    if (callback == nullptr) return runtime::RegisterDeviceCallback(regName, nullptr);
    return runtime::RegisterDeviceCallback(regName, [=](int32_t device, runtime::DeviceChange change) {
      constexpr aclrtDeviceState kStates[] = {ACL_RT_DEVICE_STATE_SET_PRE, ACL_RT_DEVICE_STATE_SET_POST,
                                              ACL_RT_DEVICE_STATE_RESET_PRE, ACL_RT_DEVICE_STATE_RESET_POST};
      callback(device, kStates[static_cast<int>(change)], args);
    });
  });
}

aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback, void* args) {
  return Guard("aclrtRegStreamStateCallback", [&]() -> Status {
    if (regName == nullptr) return NullArgument("regName");
    if (callback == nullptr) return runtime::RegisterStreamCallback(regName, nullptr);
    return runtime::RegisterStreamCallback(regName, [=](uint64_t stream, runtime::StreamChange change) {
      callback(
          FromHandle(stream),
          change == runtime::StreamChange::kCreated ? ACL_RT_STREAM_STATE_CREATE_POST : ACL_RT_STREAM_STATE_DESTROY_PRE,
          args);
    });
  });
}
