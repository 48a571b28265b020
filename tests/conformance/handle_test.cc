// Handles, for every call that takes one: null, stale, recycled, of another kind, made up, of another context or
// device, from before a reset, and destroyed by one thread while others use them.
#include <algorithm>
#include <atomic>
#include <random>

#include "conformance/handle_calls.h"

namespace conformance {
namespace {

constexpr const char* kMadeUp = "made up";
constexpr const char* kBeforeReset = "from before the reset";

class Handle : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    objects_.SetUp();
  }

  // One answer of a call that is refused: the code, and outputs as they were.
  static void ExpectRefused(const KindCall& call, aclError code, void* handle, const char* why) {
    Outputs::Get() = Outputs();
    ASSERT_CODE(code, call.call(handle)) << call.name << " with a handle that is " << why << " " << handle;
    ASSERT_TRUE(Outputs::Get().AreUntouched()) << call.name << " with a handle that is " << why;
  }
  // What a call answers to a handle that is not, or no longer, one of its kind.
  void ExpectBad(const KindCall& call, void* handle, const char* why) {
    // A context of a device that was reset since is told as one that is not there. So is a made-up one that was one in
    // an earlier test.
    const bool was_reset = std::strcmp(why, kBeforeReset) == 0 || std::strcmp(why, kMadeUp) == 0;
    if (call.kind == Kind::kContext && was_reset && call.call(handle) == ACL_ERROR_RT_CONTEXT_NULL) return;
    ExpectRefused(call, call.on_bad, handle, why);
  }
  // What the calls of a kind do to a handle that has become bad.
  void ExpectAllBad(Kind kind, void* handle, const char* why) {
    for (const KindCall& call : objects_.Calls()) {
      if (call.kind == kind) ExpectBad(call, handle, why);
    }
  }
  // Makes an object here, and uses it where `leave` leads to.
  void UseElsewhere(const std::function<void()>& leave, Where enough) {
    for (const KindCall& call : objects_.Calls()) {
      ASSERT_OK(aclrtSetCurrentContext(objects_.context()));
      void* const handle = objects_.Make(call.kind);
      leave();
      if (call.where >= enough) {
        EXPECT_CODE(call.on_live, call.call(handle)) << call.name;
      } else {
        ExpectRefused(call, call.elsewhere, handle, "of another place");
      }
    }
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    ASSERT_OK(aclrtSetCurrentContext(objects_.context()));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
  }

  Objects objects_;
};

TEST_F(Handle, LiveIsTaken) {
  for (const KindCall& call : objects_.Calls()) {
    void* const handle = objects_.Make(call.kind);
    EXPECT_CODE(call.on_live, call.call(handle)) << call.name;
    ASSERT_OK(aclrtSetCurrentContext(objects_.context()));
    EXPECT_OK(aclrtSynchronizeStreamWithTimeout(nullptr, 10000)) << call.name;
  }
}

TEST_F(Handle, NullStandsForTheDefaultStreamAndIsNothingElse) {
  for (const KindCall& call : objects_.Calls()) {
    if (call.on_null == ACL_SUCCESS) {
      EXPECT_OK(call.call(nullptr)) << call.name;
    } else {
      ExpectRefused(call, call.on_null, nullptr, "null");
    }
  }
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(nullptr, 10000));
}

TEST_F(Handle, DestroyedIsRefusedAlsoWhenAnotherTookItsPlace) {
  for (const Kind kind : kKinds) {
    if (kind == Kind::kList) continue;  // kernel_arguments_test has what is special about these
    void* const old = objects_.Make(kind);
    ASSERT_OK(objects_.Destroy(kind, old));
    ExpectAllBad(kind, old, "destroyed");
    std::vector<void*> others;
    for (int i = 0; i < 3; ++i) {
      others.push_back(objects_.Make(kind));
      ASSERT_NE(old, others.back());
    }
    ExpectAllBad(kind, old, "recycled");
    for (void* other : others) EXPECT_OK(objects_.Destroy(kind, other)) << "the calls hit another object";
  }
}

TEST_F(Handle, OtherKindsAreRefused) {
  for (const Kind kind : kKinds) {
    void* const handle = objects_.Make(kind);
    for (const KindCall& call : objects_.Calls()) {
      if (call.kind != kind) ExpectBad(call, handle, "of another kind");
    }
    EXPECT_OK(objects_.Destroy(kind, handle)) << "the calls hit it";
  }
}

TEST_F(Handle, MadeUpOnesAreRefused) {
  for (const KindCall& call : objects_.Calls()) {
    for (void* handle : MadeUpHandles(objects_.Make(call.kind))) ExpectBad(call, handle, kMadeUp);
  }
}

TEST_F(Handle, OfAnotherContextIsRefusedWhereItBelongsToItsContext) {
  aclrtContext other = nullptr;
  ASSERT_OK(aclrtCreateContext(&other, 0));
  UseElsewhere([&] { ASSERT_OK(aclrtSetCurrentContext(other)); }, Where::kItsDevice);
}

TEST_F(Handle, OfAnotherDeviceIsRefusedWhereItBelongsToItsDevice) {
  UseElsewhere([&] { ASSERT_OK(aclrtSetDevice(1)); }, Where::kAnywhere);
}

TEST_F(Handle, StreamsNeedAContext) {
  InThread([&] {
    for (const KindCall& call : objects_.Calls()) {
      if (call.kind != Kind::kStream || call.where == Where::kAnywhere) continue;
      for (void* handle : {static_cast<void*>(nullptr), static_cast<void*>(&objects_)}) {
        if (handle != nullptr || call.on_null == ACL_SUCCESS)
          ExpectRefused(call, ACL_ERROR_RT_CONTEXT_NULL, handle, "used without a context");
      }
    }
  });
}

TEST_F(Handle, FromBeforeTheResetIsRefused) {
  constexpr Kind kOfTheDevice[] = {Kind::kStream,  Kind::kContext, Kind::kEvent,    Kind::kNotify,
                                   Kind::kCounted, Kind::kBinary,  Kind::kFunction, Kind::kPool};
  for (const bool force : {false, true}) {
    std::vector<void*> old;
    for (const Kind kind : kOfTheDevice) old.push_back(objects_.Make(kind));
    ASSERT_OK(force ? aclrtResetDeviceForce(0) : aclrtResetDevice(0));
    ASSERT_OK(aclrtSetDevice(0));
    objects_.SetUp();
    for (std::size_t i = 0; i < old.size(); ++i) ExpectAllBad(kOfTheDevice[i], old[i], kBeforeReset);
  }
}

// Threads use, in an order that a seed decides, what another one destroys and makes anew.
TEST_F(Handle, DestroyedWhileOtherThreadsUseIt) {
  constexpr Kind kShared[] = {Kind::kStream, Kind::kContext, Kind::kEvent,    Kind::kNotify, Kind::kCounted,
                              Kind::kBinary, Kind::kKept,    Kind::kFunction, Kind::kPool};
  std::array<std::atomic<void*>, std::size(kKinds)> shared{};
  for (const Kind kind : kShared) shared[static_cast<std::size_t>(kind)] = objects_.Make(kind);
  std::vector<KindCall> calls;
  for (KindCall& call : objects_.Calls()) {
    if (shared[static_cast<std::size_t>(call.kind)] != nullptr && !call.alone) calls.push_back(std::move(call));
  }
  std::vector<std::thread> users;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    users.emplace_back([&, seed] {
      ASSERT_OK(aclrtSetCurrentContext(objects_.context()));
      std::mt19937 random(seed);
      for (int i = 0; i < 1000; ++i) {
        const KindCall& call = calls[random() % calls.size()];
        const aclError code = call.call(shared[static_cast<std::size_t>(call.kind)].load());
        // The last ones come of streams that were aborted or destroyed by force before they recorded an event, and of
        // launches that came just too late for their binary.
        const aclError expected[] = {call.on_live,
                                     call.on_bad,
                                     ACL_ERROR_RT_CONTEXT_NULL,
                                     ACL_ERROR_RT_STREAM_ABORT,
                                     ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                                     ACL_ERROR_RT_EVENT_NOT_COMPLETE,
                                     ACL_ERROR_RT_INVALID_DEVICE_FUNCTION};
        EXPECT_NE(std::end(expected), std::find(std::begin(expected), std::end(expected), code))
            << call.name << " " << code << " " << Messages();
        ASSERT_OK(aclrtSetCurrentContext(objects_.context()));
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    const Kind kind = kShared[static_cast<std::size_t>(i) % std::size(kShared)];
    void* const old = shared[static_cast<std::size_t>(kind)].exchange(objects_.Make(kind));
    EXPECT_OK(kind == Kind::kStream && i % 16 == 0 ? aclrtDestroyStreamForce(old) : objects_.Destroy(kind, old));
  }
  for (std::thread& user : users) user.join();
  EXPECT_NE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(nullptr, 10000)) << Messages();
}

TEST_F(Handle, DestroyedByManyThreadsIsDestroyedOnce) {
  for (const Kind kind : {Kind::kStream, Kind::kContext, Kind::kEvent, Kind::kNotify, Kind::kCounted, Kind::kBinary,
                          Kind::kKept, Kind::kPool}) {
    for (int round = 0; round < 10; ++round) {
      void* const handle = objects_.Make(kind);
      std::atomic<int> destroyed{0};
      std::vector<std::thread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          ASSERT_OK(aclrtSetCurrentContext(objects_.context()));
          const aclError code = objects_.Destroy(kind, handle);
          EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_INVALID_HANDLE) << code << Messages();
          destroyed += code == ACL_SUCCESS;
        });
      }
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(1, destroyed.load());
    }
  }
}

}  // namespace
}  // namespace conformance
