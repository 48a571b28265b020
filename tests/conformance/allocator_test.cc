// Allocators that the program registers for its streams.
#include "acl/acl_rt_allocator.h"

#include <functional>
#include <thread>
#include <vector>

#include "conformance/support.h"

namespace conformance {
namespace {

// An allocator that calls the runtime itself, also for its own registration.
struct Arena {
  aclrtStream stream = nullptr;
  aclrtAllocatorDesc description = nullptr;
  int live = 0;

  static void* Allocate(aclrtAllocator allocator, size_t bytes) {
    auto* arena = static_cast<Arena*>(allocator);
    void* block = nullptr;
    EXPECT_OK(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtAllocatorUnregister(arena->stream));
    EXPECT_OK(aclrtAllocatorRegister(arena->stream, arena->description));
    ++arena->live;
    return block;
  }
  static void Free(aclrtAllocator allocator, aclrtAllocatorBlock block) {
    EXPECT_OK(aclrtSynchronizeDevice());
    EXPECT_OK(aclrtFree(block));
    --static_cast<Arena*>(allocator)->live;
  }
  static void* AllocateAt(aclrtAllocator allocator, size_t bytes, aclrtAllocatorAddr) {
    return Allocate(allocator, bytes);
  }
  static void* AddressOf(aclrtAllocatorBlock block) { return block; }

  aclrtAllocatorDesc Describe() {
    description = aclrtAllocatorCreateDesc();
    EXPECT_NE(nullptr, description);
    EXPECT_OK(aclrtAllocatorSetObjToDesc(description, this));
    EXPECT_OK(aclrtAllocatorSetAllocFuncToDesc(description, Allocate));
    EXPECT_OK(aclrtAllocatorSetFreeFuncToDesc(description, Free));
    EXPECT_OK(aclrtAllocatorSetAllocAdviseFuncToDesc(description, AllocateAt));
    EXPECT_OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, AddressOf));
    return description;
  }
};

struct Found {
  aclrtAllocatorDesc description = nullptr;
  aclrtAllocator object = nullptr;
  aclrtAllocatorAllocFunc allocate = nullptr;
  aclrtAllocatorFreeFunc free = nullptr;
  aclrtAllocatorAllocAdviseFunc allocate_at = nullptr;
  aclrtAllocatorGetAddrFromBlockFunc address_of = nullptr;

  aclError Get(aclrtStream stream) {
    return aclrtAllocatorGetByStream(stream, &description, &object, &allocate, &free, &allocate_at, &address_of);
  }
};

class Allocator : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtCreateStream(&arena_.stream));
    arena_.Describe();
  }
  void TearDown() override {
    EXPECT_OK(aclrtAllocatorDestroyDesc(arena_.description));
    WithDevice::TearDown();
  }
  Arena arena_;
};

TEST_F(Allocator, IsGivenBackAsItWasDescribed) {
  Found found;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, found.Get(arena_.stream));
  EXPECT_EQ(nullptr, found.object) << "outputs stay as they were";
  ASSERT_OK(aclrtAllocatorRegister(arena_.stream, arena_.description));
  ASSERT_OK(found.Get(arena_.stream));
  EXPECT_EQ(arena_.description, found.description);
  EXPECT_EQ(&arena_, found.object);
  EXPECT_EQ(&Arena::Allocate, found.allocate);
  EXPECT_EQ(&Arena::Free, found.free);
  EXPECT_EQ(&Arena::AllocateAt, found.allocate_at);
  EXPECT_EQ(&Arena::AddressOf, found.address_of);
}

TEST_F(Allocator, MayCallTheRuntimeWhileItWorks) {
  ASSERT_OK(aclrtAllocatorRegister(arena_.stream, arena_.description));
  Found found;
  ASSERT_OK(found.Get(arena_.stream));
  void* block = found.allocate(found.object, 4096);
  EXPECT_EQ(1, arena_.live);
  EXPECT_OK(aclrtMemsetAsync(found.address_of(block), 4096, 7, 4096, arena_.stream));
  found.free(found.object, block);
  EXPECT_EQ(0, arena_.live);
  EXPECT_OK(found.Get(arena_.stream)) << "it registered itself anew";
}

TEST_F(Allocator, TheLastOneRegisteredIsTheStreams) {
  Arena other;
  other.Describe();
  ASSERT_OK(aclrtAllocatorRegister(arena_.stream, arena_.description));
  ASSERT_OK(aclrtAllocatorRegister(arena_.stream, other.description));
  Found found;
  ASSERT_OK(found.Get(arena_.stream));
  EXPECT_EQ(&other, found.object);
  EXPECT_OK(aclrtAllocatorDestroyDesc(other.description));
}

TEST_F(Allocator, StaysAsItWasWhenItsDescriptionChangesOrGoes) {
  Arena other;
  ASSERT_OK(aclrtAllocatorRegister(arena_.stream, arena_.description));
  ASSERT_OK(aclrtAllocatorSetObjToDesc(arena_.description, &other));
  Found found;
  ASSERT_OK(found.Get(arena_.stream));
  EXPECT_EQ(&arena_, found.object);
  const aclrtAllocatorDesc old = arena_.description;
  ASSERT_OK(aclrtAllocatorDestroyDesc(old));
  arena_.Describe();
  ASSERT_OK(found.Get(arena_.stream));
  EXPECT_EQ(&arena_, found.object);
  EXPECT_EQ(old, found.description);
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtAllocatorSetObjToDesc(old, &other));
}

TEST_F(Allocator, BelongsToOneStream) {
  aclrtStream other = nullptr;
  ASSERT_OK(aclrtCreateStream(&other));
  ASSERT_OK(aclrtAllocatorRegister(arena_.stream, arena_.description));
  Found found;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, found.Get(other));
  EXPECT_OK(aclrtAllocatorUnregister(other)) << "nothing happens";
  ASSERT_OK(found.Get(arena_.stream));
  EXPECT_OK(aclrtAllocatorUnregister(arena_.stream));
  EXPECT_OK(aclrtAllocatorUnregister(arena_.stream));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, found.Get(arena_.stream));
}

TEST_F(Allocator, GoesWithItsStream) {
  for (int i = 0; i < 100; ++i) {
    aclrtStream stream = nullptr;
    ASSERT_OK(aclrtCreateStream(&stream));
    Found found;
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, found.Get(stream)) << "a new stream has none";
    ASSERT_OK(aclrtAllocatorRegister(stream, arena_.description));
    ASSERT_OK(aclrtDestroyStream(stream));
    EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, found.Get(stream));
  }
}

TEST_F(Allocator, IsRegisteredOnlyWhole) {
  const aclrtAllocatorDesc empty = aclrtAllocatorCreateDesc();
  ASSERT_NE(nullptr, empty);
  const std::vector<std::function<aclError()>> parts = {
      [&] { return aclrtAllocatorSetObjToDesc(empty, &arena_); },
      [&] { return aclrtAllocatorSetAllocFuncToDesc(empty, Arena::Allocate); },
      [&] { return aclrtAllocatorSetFreeFuncToDesc(empty, Arena::Free); },
      [&] { return aclrtAllocatorSetAllocAdviseFuncToDesc(empty, Arena::AllocateAt); },
      [&] { return aclrtAllocatorSetGetAddrFromBlockFuncToDesc(empty, Arena::AddressOf); }};
  for (const auto& set : parts) {
    EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtAllocatorRegister(arena_.stream, empty));
    EXPECT_OK(set());
  }
  EXPECT_OK(aclrtAllocatorRegister(arena_.stream, empty));
  EXPECT_OK(aclrtAllocatorDestroyDesc(empty));
}

TEST_F(Allocator, NullIsRefused) {
  const aclrtAllocatorDesc description = arena_.description;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtAllocatorSetObjToDesc(description, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtAllocatorSetAllocFuncToDesc(description, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtAllocatorSetFreeFuncToDesc(description, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtAllocatorSetAllocAdviseFuncToDesc(description, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, nullptr));
  ASSERT_OK(aclrtAllocatorRegister(arena_.stream, description)) << "the description is as it was";
  Found found;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtAllocatorGetByStream(arena_.stream, nullptr, &found.object, &found.allocate,
                                                                 &found.free, &found.allocate_at, &found.address_of));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM,
              aclrtAllocatorGetByStream(arena_.stream, &found.description, &found.object, &found.allocate, &found.free,
                                        &found.allocate_at, nullptr));
  EXPECT_EQ(nullptr, found.object);
}

TEST_F(Allocator, ThreadsRegisterAndFindThemAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      ASSERT_OK(aclrtSetDevice(0));
      for (int i = 0; i < 50; ++i) {
        Arena arena;
        ASSERT_OK(aclrtCreateStream(&arena.stream));
        ASSERT_OK(aclrtAllocatorRegister(arena.stream, arena.Describe()));
        Found found;
        ASSERT_OK(found.Get(arena.stream));
        ASSERT_EQ(&arena, found.object);
        ASSERT_OK(aclrtAllocatorDestroyDesc(arena.description));
        ASSERT_OK(aclrtDestroyStream(arena.stream));
      }
      ASSERT_OK(aclrtResetDevice(0));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace conformance
