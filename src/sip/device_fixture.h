// A small device for tests of sip, and a check that it gave everything back.
#pragma once

#include <gtest/gtest.h>

#include "forebay/base/macros.h"
#include "forebay/sip/device.h"

namespace forebay::sip {

class Quiet : public Listener {
 public:
  void OnTaskFailed(const FaultReport&) override {}
  void OnDeviceFailed(const FaultReport& report) override {
    base::MutexLock lock(mutex_);
    reports_.push_back(report);
    changed_.NotifyAll();
  }
  void OnHostFunction(uint32_t, uint64_t) override {}
  void OnPrint(std::string_view) override {}
  FaultReport AwaitDeviceFailure() {
    base::MutexLock lock(mutex_);
    while (reports_.empty()) changed_.Wait(mutex_);
    return reports_.front();
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<FaultReport> reports_ GUARDED_BY(mutex_);
};

inline base::Configuration Small(const char* mode = "inline") {
  base::Configuration configuration;
  EXPECT_TRUE(configuration.ApplyEnvironment().ok());
  configuration.device_mode = mode;
  configuration.device_memory = 64;
  configuration.pinned_memory = 16;
  configuration.streams = 8;
  configuration.events = 16;
  configuration.queue_depth = 64;
  return configuration;
}

class SipDevice : public ::testing::Test {
 protected:
  void Open(const base::Configuration& configuration) {
    auto opened = Device::Open(0, configuration, &listener_);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    device_ = *std::move(opened);
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(ReadCounters(), Counters{}) << "everything was given back";
  }

  // A reservation with physical memory behind all of it.
  Result<MemoryRange> AllocateMemory(uint64_t bytes) {
    MemoryRange range{0, (bytes + kMemoryGranule - 1) / kMemoryGranule * kMemoryGranule};
    ASSIGN_OR_RETURN(range.address, device_->ReserveAddresses(range.bytes));
    if (Status backed = device_->BackAddresses(range.address, range.bytes); !backed.ok()) {
      device_->ReleaseAddresses(range.address);
      return backed;
    }
    return range;
  }

  Quiet listener_;
  std::unique_ptr<Device> device_;
};

}  // namespace forebay::sip
