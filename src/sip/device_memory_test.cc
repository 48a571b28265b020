// Addresses and the memory behind them, which is moved and need not lie in one piece.
#include <algorithm>
#include <random>

#include "device_fixture.h"
#include "forebay/base/unique_fd.h"
#include "physical_memory.h"

namespace forebay::sip {
namespace {

TEST(PhysicalMemory, OneExtentWhereThereIsOneElseSeveral) {
  PhysicalMemory memory(100);
  EXPECT_EQ(memory.Take(30), (std::vector<Extent>{{0, 30}}));
  EXPECT_EQ(memory.Take(30), (std::vector<Extent>{{30, 30}}));
  memory.Give({0, 20});
  EXPECT_EQ(memory.Take(30), (std::vector<Extent>{{60, 30}})) << "in one piece, behind the small one";
  EXPECT_EQ(memory.Take(25), (std::vector<Extent>{{0, 20}, {90, 5}}));
  EXPECT_TRUE(memory.Take(6).empty());
  EXPECT_EQ(memory.free_bytes(), 5u);
  memory.Give({0, 30});
  memory.Give({60, 35});
  memory.Give({30, 30});
  EXPECT_EQ(memory.Take(100), (std::vector<Extent>{{0, 100}})) << "joined again";
}

TEST_F(SipDevice, MemoryThatIsInPiecesIsAllocatedAllTheSame) {
  Open(Small());
  std::vector<MemoryRange> ranges;
  for (int i = 0; i < 32; ++i) ranges.push_back(*AllocateMemory(2u << 20));
  for (std::size_t i = 0; i < ranges.size(); i += 2) device_->ReleaseAddresses(ranges[i].address);
  const auto large = AllocateMemory(32u << 20);
  ASSERT_TRUE(large.ok()) << large.status().ToString();
  std::byte* view = device_->HostViewOfDevice(large->address, large->bytes);
  ASSERT_NE(view, nullptr);
  for (uint64_t i = 0; i < large->bytes; i += 4096) {
    ASSERT_EQ(view[i], std::byte{0});
    view[i] = std::byte{1};
  }
  EXPECT_EQ(AllocateMemory(1).code(), Code::kMemoryAllocation);
  EXPECT_EQ(device_->memory_in_use(), 64u << 20);
  for (std::size_t i = 1; i < ranges.size(); i += 2) {
    EXPECT_EQ(device_->HostViewOfDevice(ranges[i].address, 1)[0], std::byte{0}) << "nobody else's";
    device_->ReleaseAddresses(ranges[i].address);
  }
  device_->ReleaseAddresses(large->address);
  EXPECT_EQ(device_->device_counters().mapped_bytes.load(), 0u);
}

TEST_F(SipDevice, AddressesAreReservedBeyondWhatMemoryThereIs) {
  Open(Small());
  const uint64_t address = *device_->ReserveAddresses(uint64_t{1} << 30);
  EXPECT_TRUE(device_->OwnsAddress(address + (1u << 30) - 1));
  EXPECT_EQ(device_->HostViewOfDevice(address, 1), nullptr);
  EXPECT_EQ(device_->memory_in_use(), 0u);
  EXPECT_EQ(ReadCounters().memory_ranges, 1u);
  EXPECT_EQ(device_->BackAddresses(address, 66u << 20).code(), Code::kMemoryAllocation);
  ASSERT_TRUE(device_->BackAddresses(address + (100u << 20), 64u << 20).ok());
  EXPECT_EQ(device_->BackAddresses(address, 2u << 20).code(), Code::kMemoryAllocation);
  EXPECT_NE(device_->HostViewOfDevice(address + (100u << 20), 64u << 20), nullptr);
  EXPECT_EQ(device_->HostViewOfDevice(address + (100u << 20), (64u << 20) + 1), nullptr);
  device_->UnbackAddresses(address, 101u << 20);
  EXPECT_EQ(device_->memory_in_use(), 64u << 20) << "half a granule is none";
  device_->UnbackAddresses(address, 102u << 20);
  EXPECT_EQ(device_->memory_in_use(), 62u << 20);
  EXPECT_EQ(ReadCounters().memory_bytes, 62u << 20);
  EXPECT_EQ(device_->device_counters().mapped_bytes.load(), 62u << 20);
  device_->ReleaseAddresses(address + 4096);
  device_->ReleaseAddresses(address);
  device_->ReleaseAddresses(address);
  EXPECT_EQ(device_->memory_in_use(), 0u);
  EXPECT_EQ(device_->device_counters().mapped_bytes.load(), 0u);
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{1} << 50, ~uint64_t{0}})
    EXPECT_EQ(device_->ReserveAddresses(bytes).code(), Code::kMemoryAllocation) << bytes;
}

TEST_F(SipDevice, BackingIsRefusedWhereItIsNotAsSaid) {
  Open(Small());
  const uint64_t address = *device_->ReserveAddresses(8u << 20);
  ASSERT_TRUE(device_->BackAddresses(address, 4u << 20).ok());
  const std::pair<uint64_t, uint64_t> bad[] = {{address + (4u << 20), 0},
                                               {address + (4u << 20), 4096},
                                               {address + 4096, 2u << 20},
                                               {address + (2u << 20), 4u << 20},
                                               {address + (4u << 20), 6u << 20},
                                               {address + (8u << 20), 2u << 20},
                                               {0, 2u << 20}};
  for (const auto& [at, bytes] : bad) {
    EXPECT_EQ(device_->BackAddresses(at, bytes).code(), Code::kParamInvalid) << std::hex << at << "+" << bytes;
  }
  const MemoryRange backed{address, 2u << 20};
  EXPECT_EQ(device_->MoveBacking(address + (2u << 20), {&backed, 1}).code(), Code::kParamInvalid) << "taken";
  EXPECT_EQ(device_->MoveBacking(address + (8u << 20), {&backed, 1}).code(), Code::kParamInvalid) << "not reserved";
  const MemoryRange empty{address + (4u << 20), 2u << 20};
  EXPECT_EQ(device_->MoveBacking(address + (6u << 20), {&empty, 1}).code(), Code::kParamInvalid) << "nothing there";
  EXPECT_EQ(device_->MoveBacking(address + (4u << 20), {}).code(), Code::kParamInvalid);
  EXPECT_EQ(device_->memory_in_use(), 4u << 20);
  EXPECT_NE(device_->HostViewOfDevice(address, 4u << 20), nullptr) << "nothing has changed";
  device_->ReleaseAddresses(address);
}

TEST_F(SipDevice, MemoryMovesToOtherAddressesAndStaysTheDevices) {
  Open(Small());
  const uint64_t address = *device_->ReserveAddresses(256u << 20);
  ASSERT_TRUE(device_->BackAddresses(address, 64u << 20).ok());
  std::byte* view = device_->HostViewOfDevice(address, 64u << 20);
  for (uint64_t i = 0; i < (64u << 20); i += 2u << 20) view[i] = std::byte{9};
  // Every other granule: side by side they are enough for one large block.
  std::vector<MemoryRange> holes;
  for (uint64_t i = 0; i < (64u << 20); i += 4u << 20) holes.push_back({address + i, 2u << 20});
  const uint64_t to = address + (128u << 20);
  ASSERT_TRUE(device_->MoveBacking(to, holes).ok());
  EXPECT_EQ(device_->memory_in_use(), 64u << 20);
  EXPECT_EQ(device_->device_counters().mapped_bytes.load(), 64u << 20);
  view = device_->HostViewOfDevice(to, 32u << 20);
  ASSERT_NE(view, nullptr);
  std::fill_n(view, 32u << 20, std::byte{3});
  for (const MemoryRange& hole : holes) {
    EXPECT_EQ(device_->HostViewOfDevice(hole.address, 1), nullptr);
    EXPECT_EQ(device_->HostViewOfDevice(hole.address + hole.bytes, hole.bytes)[0], std::byte{9});
  }
  // And a part of it back.
  const MemoryRange part{to + (30u << 20), 2u << 20};
  ASSERT_TRUE(device_->MoveBacking(address, {&part, 1}).ok());
  EXPECT_NE(device_->HostViewOfDevice(address, 4u << 20), nullptr);
  device_->ReleaseAddresses(address);
  EXPECT_EQ(device_->device_counters().mapped_bytes.load(), 0u);
  const MemoryRange all = *AllocateMemory(64u << 20);
  view = device_->HostViewOfDevice(all.address, all.bytes);
  EXPECT_EQ(std::count(view, view + all.bytes, std::byte{0}), int64_t{64} << 20) << "given back and empty";
  device_->ReleaseAddresses(all.address);
}

TEST_F(SipDevice, MovesAtRandomLoseNothing) {
  Open(Small());
  constexpr uint64_t kSlots = 64;
  const uint64_t address = *device_->ReserveAddresses(kSlots * kMemoryGranule);
  std::vector<bool> backed(kSlots);
  std::mt19937 random(7);
  const auto at = [&](uint64_t slot) { return address + slot * kMemoryGranule; };
  for (int round = 0; round < 400; ++round) {
    const uint64_t slot = random() % kSlots;
    const uint64_t other = random() % kSlots;
    if (!backed[slot]) {
      backed[slot] = device_->BackAddresses(at(slot), kMemoryGranule).ok();
    } else if (!backed[other]) {
      const MemoryRange from{at(slot), kMemoryGranule};
      ASSERT_TRUE(device_->MoveBacking(at(other), {&from, 1}).ok());
      backed[slot] = false;
      backed[other] = true;
    } else {
      device_->UnbackAddresses(at(slot), kMemoryGranule);
      backed[slot] = false;
    }
    const auto count = static_cast<uint64_t>(std::count(backed.begin(), backed.end(), true));
    ASSERT_EQ(device_->memory_in_use(), count * kMemoryGranule);
    ASSERT_EQ(device_->device_counters().mapped_bytes.load(), count * kMemoryGranule);
    for (uint64_t i = 0; i < kSlots; ++i) ASSERT_EQ(device_->HostViewOfDevice(at(i), 1) != nullptr, backed[i]) << i;
  }
  device_->ReleaseAddresses(address);
}

TEST_F(SipDevice, PhysicalMemoryIsMappedAtCommonAddressesAndByOtherDevices) {
  Open(Small());
  auto second = Device::Open(1, Small(), &listener_);
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  Device& other = **second;
  const uint64_t at = kMappedAddresses.base + (uint64_t{1} << 30);
  // In an application that holds its devices the addresses are reserved by it.
  const auto addresses = base::Mapping::Reserve(8u << 20, reinterpret_cast<void*>(at));
  ASSERT_TRUE(addresses.ok());
  ASSERT_TRUE(device_->OwnCommon({at, 8u << 20}).ok());
  EXPECT_FALSE(device_->OwnsAddress(at)) << "nothing is mapped";
  const auto extents = device_->TakePhysical(5000);
  ASSERT_TRUE(extents.ok());
  EXPECT_EQ(ReadCounters().memory_bytes, 8192u);
  ASSERT_TRUE(device_->MapExtents(at + 4096, *extents, 0).ok());
  EXPECT_TRUE(device_->OwnsAddress(at + 4096));
  EXPECT_EQ(device_->HostViewOfDevice(at + 4096, 8193), nullptr);
  std::byte* view = device_->HostViewOfDevice(at + 4096, 8192);
  ASSERT_NE(view, nullptr);
  view[8191] = std::byte{7};
  EXPECT_EQ(device_->ExtentsAt(at + 4096, 8192), *extents);
  // The other device has a window of its own for it.
  const auto file = other.OpenFile(device_->memory_file());
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  const uint64_t there = *other.ReserveAddresses(8192);
  ASSERT_TRUE(other.MapExtents(there, *extents, *file).ok());
  EXPECT_EQ(other.HostViewOfDevice(there, 8192)[8191], std::byte{7});
  EXPECT_TRUE(other.ExtentsAt(there, 8192).empty()) << "none of its own memory";
  EXPECT_EQ(other.memory_in_use(), 0u);
  EXPECT_FALSE(other.MapExtents(there + (1u << 20), *extents, *file + 1).ok()) << "no such file";
  other.UnmapExtents(there, 8192);
  EXPECT_EQ(other.HostViewOfDevice(there, 1), nullptr);
  other.ReleaseAddresses(there);
  other.CloseFile(*file);
  device_->UnmapExtents(at + 4096, 8192);
  device_->DisownCommon(at);
  device_->GivePhysical(*extents);
  EXPECT_EQ(device_->device_counters().mapped_bytes.load(), 0u);
  EXPECT_EQ(other.device_counters().mapped_bytes.load(), 0u);
}

}  // namespace
}  // namespace forebay::sip
