// The part of the driver's contract that is about where memory lies. Included by driver_contract.h.
#pragma once

#ifndef NEEDS_EXECUTION
#error "include contract/driver_contract.h"
#endif

namespace forebay::testing {

TYPED_TEST_P(DriverContract, MemoryIsOutOfReachUnlessMapped) {
  NEEDS_EXECUTION();
  this->Open();
  TestDevice& device = this->opened();
  TestStream stream = this->Stream(0);
  const uint64_t unmapped = device.Address(kTestMemoryBytes / 2);
  stream.Fill(MemorySpace::kDevice, unmapped, 1, 8);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  ASSERT_EQ(stream.failures(), 1u);
  this->device().DrainInterrupts();
  ASSERT_EQ(device.sink.Failures().size(), 1u);
  EXPECT_EQ(device.sink.Failures()[0].cause, FaultCause::kCopyAddress);
  EXPECT_EQ(device.sink.Failures()[0].address, unmapped);

  ASSERT_TRUE(this->device().Map(unmapped, kTestMemoryBytes / 2, 4096).ok());
  stream.Fill(MemorySpace::kDevice, unmapped, 1, 8);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(stream.failures(), 1u) << "mapped by now";
  EXPECT_EQ(device.View(kTestMemoryBytes / 2)[0], std::byte{1});
  ASSERT_TRUE(this->device().Unmap(unmapped, 4096).ok());
  stream.Fill(MemorySpace::kDevice, unmapped, 1, 8);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(stream.failures(), 2u);
}

TYPED_TEST_P(DriverContract, MemoryLiesWhereverItIsMappedAndKeepsWhatItHoldsUntilItIsDiscarded) {
  this->Open();
  TestDevice& device = this->opened();
  // Two pages side by side, from far apart, in the reverse order.
  const uint64_t first = device.Address(kTestWindowBytes - 8192);
  const uint64_t second = first + 4096;
  const uint64_t pages[] = {kTestMemoryBytes - 4096, kTestMemoryBytes / 2};
  ASSERT_TRUE(device.device->Map(first, pages[0], 4096).ok());
  ASSERT_TRUE(device.device->Map(second, pages[1], 4096).ok());
  std::byte* view = device.device->WindowView() + (first - kTestWindow);
  std::memset(view, 5, 8192);
  if (TypeParam::kExecutes) {
    EXPECT_EQ(device.device->bar().header->counters.mapped_bytes.load(), kTestMemoryBytes / 2 + 8192);
    TestStream stream = this->Stream(0);
    stream.Copy(MemorySpace::kDevice, device.Address(0), MemorySpace::kDevice, first, 8192);
    stream.Fill(MemorySpace::kDevice, first + 4000, 6, 200);  // across the two
    ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
    EXPECT_EQ(stream.failures(), 0u);
    EXPECT_EQ(device.View(8191)[0], std::byte{5});
    EXPECT_EQ(view[4199], std::byte{6});
  }
  // One request takes both away and puts the second where the first was.
  const types::MappingChange changes[] = {{first, 8192, types::kNothing, 0, 0}, {first, 4096, pages[1], 0, 0}};
  ASSERT_TRUE(device.device->ChangeMappings(changes).ok());
  EXPECT_EQ(view[200], std::byte{5}) << "what it held";
  view[200] = std::byte{7};
  ASSERT_TRUE(device.device->Map(second, pages[1], 4096).ok());
  EXPECT_EQ(view[4296], std::byte{7}) << "the same page twice";
  ASSERT_TRUE(device.device->Discard(pages[1], 4096).ok());
  EXPECT_EQ(view[200], std::byte{0});
  ASSERT_TRUE(device.device->Unmap(first, 8192).ok());
  if (!TypeParam::kExecutes) return;
  EXPECT_EQ(device.device->bar().header->counters.mapped_bytes.load(), kTestMemoryBytes / 2);
}

TYPED_TEST_P(DriverContract, RefusesToMapWhatIsNotThere) {
  NEEDS_EXECUTION();
  this->Open();
  for (const auto& [offset, bytes] :
       std::vector<std::pair<uint64_t, uint64_t>>{{kTestMemoryBytes + kTestPinnedBytes, 4096},
                                                  {kTestMemoryBytes, kTestPinnedBytes + 4096},
                                                  {0, kTestMemoryBytes + 4096},
                                                  {100, 4096},
                                                  {0, 100},
                                                  {0, 0},
                                                  {~uint64_t{4095}, 8192}}) {
    EXPECT_EQ(this->device().Map(kTestWindow, offset, bytes).code(), Code::kDriverInternal) << offset << "+" << bytes;
  }
  for (const auto& [address, bytes] :
       std::vector<std::pair<uint64_t, uint64_t>>{{kTestWindow - 4096, 4096},
                                                  {kTestWindow + kTestWindowBytes + kTestPinnedBytes, 4096},
                                                  {kTestWindow + 100, 4096},
                                                  {kTestWindow, 0},
                                                  {kTestWindow, 100},
                                                  {0, 4096},
                                                  {~uint64_t{4095}, 4096}}) {
    EXPECT_EQ(this->device().Map(address, 0, bytes).code(), Code::kDriverInternal) << address << "+" << bytes;
    EXPECT_EQ(this->device().Unmap(address, bytes).code(), Code::kDriverInternal) << address << "+" << bytes;
  }
}

}  // namespace forebay::testing
