// The exception module: what the runtime does when sip reports that something failed, or wants attention, on a device.
//
// A failed operator marks its stream, with the first failure kept; a failed device marks all of its streams. The
// application learns of it by query, synchronise or callback.
#pragma once

#include "forebay/sip/device.h"

namespace forebay::runtime {

class DeviceState;

class ExceptionModule final : public sip::Listener {
 public:
  explicit ExceptionModule(DeviceState* device) : device_(device) {}

  void OnTaskFailed(const sip::FaultReport& report) override;
  void OnDeviceFailed(const sip::FaultReport& report) override;
  void OnHostFunction(uint32_t stream, uint64_t entry) override;
  void OnPrint(std::string_view text) override;

 private:
  DeviceState* const device_;
};

}  // namespace forebay::runtime
