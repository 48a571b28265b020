// A device whose registers the test writes: it executes nothing, and answers what it is told to answer.
#pragma once

#include <memory>
#include <string>

#include "forebay/base/mutex.h"
#include "fuzz/input.h"
#include "soft/soft_device.h"

namespace fuzz {

class ScriptedDevice final : public forebay::driver::SoftDevice {
 public:
  // The one that is open; null when there is none.
  static ScriptedDevice* Open();

  ScriptedDevice(const forebay::driver::DeviceOptions& options, forebay::driver::InterruptSink* sink);
  ~ScriptedDevice() override;
  forebay::Status PowerOn();
  int process_id() const noexcept override;

  // What a device writes, sane or not.
  void Scribble(Input& input);
  // Every task is done, as on a device that works; host functions are asked for.
  void Complete();
  // What requests are answered with from now on. 0: as a device that works does.
  void AnswerWith(int32_t result, std::string_view text);
  void Lose() { MarkLost("the test has had enough"); }

 private:
  void ServeRequest() override;
  bool CanCutOff() const override { return true; }
  void Raise(const forebay::types::InterruptRecord& record);
  forebay::types::InterruptRecord MakeRecord(Input& input) const;

  forebay::types::BootParameters boot_;
  forebay::base::Mutex mutex_;
  int32_t answer_ GUARDED_BY(mutex_) = 0;
  std::string text_ GUARDED_BY(mutex_);
};

}  // namespace fuzz
