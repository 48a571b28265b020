#include "forebay/sip/device.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "device_fixture.h"

namespace forebay::sip {
namespace {

using types::FaultCause;

TEST(FaultTable, EveryCauseHasItsCodeAndSeverity) {
  struct Row {
    FaultCause cause;
    Code code;
    Severity severity;
  };
  const Row rows[] = {
      {FaultCause::kBadAddress, Code::kAicoreException, Severity::kOperator},
      {FaultCause::kIllegalInstruction, Code::kAicoreException, Severity::kOperator},
      {FaultCause::kArithmetic, Code::kAicoreException, Severity::kOperator},
      {FaultCause::kStackOverflow, Code::kAicoreException, Severity::kOperator},
      {FaultCause::kAbort, Code::kAicoreException, Severity::kOperator},
      {FaultCause::kExit, Code::kAicoreException, Severity::kOperator},
      {FaultCause::kTimeout, Code::kAicoreTimeout, Severity::kOperator},
      {FaultCause::kWaitTimeout, Code::kWaitTimeout, Severity::kOperator},
      {FaultCause::kDependency, Code::kDependencyFailed, Severity::kOperator},
      {FaultCause::kCopyAddress, Code::kSystemDma, Severity::kOperator},
      {FaultCause::kBadCommand, Code::kInternal, Severity::kOperator},
      {FaultCause::kSyncAll, Code::kAicoreException, Severity::kOperator},
      {FaultCause::kUnknownKernel, Code::kInvalidDeviceFunction, Severity::kOperator},
      {FaultCause::kPowerDown, Code::kLostHeartbeat, Severity::kDevice},
  };
  std::set<std::string> messages;
  for (const Row& row : rows) {
    types::InterruptRecord record{};
    record.cause = row.cause;
    record.block = -1;
    const FaultReport report = Classify(record);
    EXPECT_EQ(report.code, row.code) << static_cast<int>(row.cause);
    EXPECT_EQ(report.severity, row.severity) << static_cast<int>(row.cause);
    EXPECT_EQ(report.from_dependency, row.cause == FaultCause::kDependency);
    EXPECT_FALSE(report.advice.empty());
    messages.insert(report.message);
  }
  EXPECT_EQ(messages.size(), std::size(rows)) << "each in its own words";
  EXPECT_EQ(std::size(rows), static_cast<std::size_t>(FaultCause::kPowerDown)) << "a new cause needs a row";
}

TEST(FaultTable, CauseThatDoesNotExistIsTheDevicesFailure) {
  for (const uint32_t cause : {0u, 15u, 1000u, ~0u}) {
    types::InterruptRecord record{};
    record.cause = static_cast<FaultCause>(cause);
    EXPECT_EQ(Classify(record).severity, Severity::kDevice) << cause;
  }
}

TEST(FaultTable, DetailsOfTheRecordAreInTheText) {
  types::InterruptRecord record{};
  record.cause = FaultCause::kBadAddress;
  record.address = 0xabc;
  record.instruction = 0x123;
  record.block = 4;
  std::memset(record.text, 'x', sizeof record.text);  // not terminated, as a broken device might leave it
  const FaultReport report = Classify(record);
  EXPECT_TRUE(report.from_kernel);
  EXPECT_EQ(report.block, 4);
  EXPECT_NE(report.message.find("0xabc"), std::string::npos);
  EXPECT_NE(report.message.find("0x123"), std::string::npos);
  EXPECT_GE(std::count(report.message.begin(), report.message.end(), 'x'), 120);
}

TEST_F(SipDevice, UnknownPartIsRefusedByName) {
  base::Configuration configuration = Small();
  configuration.soc = "Ascend1";
  const auto opened = Device::Open(0, configuration, &listener_);
  EXPECT_EQ(opened.code(), Code::kDeviceSetup);
  EXPECT_NE(opened.status().ToString().find("Ascend1"), std::string::npos);
}

TEST_F(SipDevice, MemoryIsExhaustedWithItsCodeAndComesBack) {
  Open(Small());
  std::vector<MemoryRange> ranges;
  for (;;) {
    auto range = AllocateMemory(3 << 20);
    if (!range.ok()) {
      EXPECT_EQ(range.code(), Code::kMemoryAllocation);
      EXPECT_NE(range.status().ToString().find("4194304"), std::string::npos) << range.status().ToString();
      break;
    }
    EXPECT_EQ(range->bytes, 4u << 20) << "rounded up to 2 MiB";
    ranges.push_back(*range);
  }
  EXPECT_EQ(ranges.size(), 16u);
  EXPECT_EQ(device_->memory_in_use(), 64u << 20);
  EXPECT_EQ(ReadCounters().memory_ranges, 16u);
  for (const MemoryRange& range : ranges) device_->ReleaseAddresses(range.address);
  EXPECT_EQ(device_->memory_in_use(), 0u);
  EXPECT_EQ(device_->device_counters().mapped_bytes.load(), 0u);
}

TEST_F(SipDevice, AbsurdSizesAreRefused) {
  Open(Small());
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{65} << 20, ~uint64_t{0}, ~uint64_t{0} - (1 << 20)}) {
    EXPECT_EQ(AllocateMemory(bytes).code(), Code::kMemoryAllocation) << bytes;
    EXPECT_TRUE(bytes == 0 || device_->AllocatePinned(bytes).code() == Code::kMemoryAllocation) << bytes;
  }
}

TEST_F(SipDevice, FreeingTwiceOrWhatIsNotAllocatedHurtsNobody) {
  Open(Small());
  const MemoryRange first = *AllocateMemory(1);
  const MemoryRange second = *AllocateMemory(1);
  device_->HostViewOfDevice(second.address, 1)[0] = std::byte{9};
  device_->ReleaseAddresses(first.address);
  device_->ReleaseAddresses(first.address);
  device_->ReleaseAddresses(second.address + 4096);
  EXPECT_EQ(device_->HostViewOfDevice(second.address, 1)[0], std::byte{9}) << "still mapped and kept";
  EXPECT_EQ(device_->memory_in_use(), 2u << 20);
  device_->ReleaseAddresses(second.address);
}

TEST_F(SipDevice, FreshMemoryIsEmptyAlsoWhenItWasUsedBefore) {
  Open(Small());
  MemoryRange range = *AllocateMemory(1);
  device_->HostViewOfDevice(range.address, 1)[0] = std::byte{9};
  device_->ReleaseAddresses(range.address);
  range = *AllocateMemory(1);
  EXPECT_EQ(device_->HostViewOfDevice(range.address, 1)[0], std::byte{0});
  device_->ReleaseAddresses(range.address);
  MemoryRange pinned = *device_->AllocatePinned(1);
  device_->HostViewOfPinned(pinned.address)[0] = std::byte{9};
  device_->FreePinned(pinned);
  pinned = *device_->AllocatePinned(1);
  EXPECT_EQ(device_->HostViewOfPinned(pinned.address)[0], std::byte{0});
  device_->FreePinned(pinned);
}

TEST_F(SipDevice, PinnedMemoryIsExhaustedWithItsCode) {
  Open(Small());
  const MemoryRange most = *device_->AllocatePinned(15 << 20);
  EXPECT_EQ(device_->AllocatePinned(2 << 20).code(), Code::kMemoryAllocation);
  const MemoryRange rest = *device_->AllocatePinned(1 << 20);
  EXPECT_EQ(device_->AllocatePinned(1).code(), Code::kMemoryAllocation);
  EXPECT_EQ(ReadCounters().pinned_bytes, 16u << 20);
  device_->FreePinned(most);
  device_->FreePinned(rest);
}

TEST_F(SipDevice, QueuesAreExhaustedWithTheirCode) {
  Open(Small());
  std::set<uint32_t> slots;
  for (int i = 0; i < 8; ++i) slots.insert(device_->GrantQueue()->slot);
  EXPECT_EQ(slots.size(), 8u);
  EXPECT_EQ(device_->queues_available(), 0u);
  EXPECT_EQ(device_->GrantQueue().code(), Code::kResourceAllocFail);
  for (const uint32_t slot : slots) device_->ReturnQueue(slot);
  EXPECT_EQ(device_->queues_available(), 8u);
}

TEST_F(SipDevice, EventsAreExhaustedWithTheirCode) {
  Open(Small());
  std::set<uint32_t> events;
  for (int i = 0; i < 16; ++i) events.insert(*device_->AllocateEvent());
  EXPECT_EQ(events.size(), 16u);
  EXPECT_GE(*events.begin(), 8u) << "the first registers belong to the streams";
  EXPECT_EQ(device_->AllocateEvent().code(), Code::kNoEventResource);
  for (const uint32_t event : events) device_->FreeEvent(event);
}

TEST_F(SipDevice, HostViewOfWhatIsNotAllocatedIsNull) {
  Open(Small());
  const MemoryRange range = *AllocateMemory(1);
  EXPECT_NE(device_->HostViewOfDevice(range.address, range.bytes), nullptr);
  EXPECT_EQ(device_->HostViewOfDevice(range.address, range.bytes + 1), nullptr);
  EXPECT_EQ(device_->HostViewOfDevice(0, 1), nullptr);
  EXPECT_TRUE(device_->OwnsAddress(range.address));
  EXPECT_FALSE(device_->OwnsAddress(range.address - 1)) << "the window begins with the first range";
  device_->ReleaseAddresses(range.address);
}

TEST_F(SipDevice, NullDeviceOpensToo) {
  Open(Small("null"));
  const auto grant = device_->GrantQueue();
  ASSERT_TRUE(grant.ok());
  grant->Entry(0) = types::Command{};
  grant->Entry(0).entry_count = 1;
  grant->Publish(1);
  EXPECT_EQ(device_->WaitDone(grant->slot, 1, base::Deadline()), WaitResult::kDone);
  device_->ReturnQueue(grant->slot);
}

}  // namespace
}  // namespace forebay::sip
