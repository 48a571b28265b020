#include <signal.h>

#include "device_fixture.h"

namespace forebay::sip {
namespace {

using SipDeviceProcess = SipDevice;

TEST_F(SipDeviceProcess, MissingFirmwareIsTheDevicesSetupFailure) {
  base::Configuration configuration = Small("process");
  configuration.firmware = "/nonexistent/forebay-npu";
  const auto opened = Device::Open(3, configuration, &listener_);
  EXPECT_EQ(opened.code(), Code::kDeviceSetup);
  EXPECT_EQ(opened.status().error()->device, 3);
}

TEST_F(SipDeviceProcess, DeathOfTheProcessIsADeviceFailure) {
  Open(Small("process"));
  ::kill(device_->process_id(), SIGKILL);
  const FaultReport report = listener_.AwaitDeviceFailure();
  EXPECT_EQ(report.severity, Severity::kDevice);
  EXPECT_EQ(report.code, Code::kLostHeartbeat);
  EXPECT_TRUE(device_->lost());
  EXPECT_EQ(AllocateMemory(1).code(), Code::kLostHeartbeat);
}

}  // namespace
}  // namespace forebay::sip
