// Kinds of handles, and what is expected of a call that takes one.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include "conformance/support.h"

namespace conformance {

// clang-format off
enum class Kind {
  kStream, kContext, kEvent, kNotify, kCounted, kBinary, kKept, kFunction, kList, kParameter, kBuffer, kAllocator,
  kPool
};
constexpr Kind kKinds[] = {
    Kind::kStream, Kind::kContext, Kind::kEvent, Kind::kNotify, Kind::kCounted, Kind::kBinary, Kind::kKept,
    Kind::kFunction, Kind::kList, Kind::kParameter, Kind::kBuffer, Kind::kAllocator,
    Kind::kPool};
// clang-format on

// Where an object can be used: in its context, in any of its device, anywhere.
enum class Where { kItsContext, kItsDevice, kAnywhere };

// A call, and what it answers. What is set here is what most calls with a handle of that kind do.
struct KindCall {
  Kind kind;
  const char* name;
  std::function<aclError(void*)> call;
  aclError on_null = ACL_ERROR_INVALID_PARAM;
  aclError on_live = ACL_SUCCESS;
  aclError on_bad = ACL_ERROR_RT_INVALID_HANDLE;
  Where where = Where::kAnywhere;
  aclError elsewhere = ACL_ERROR_RT_STREAM_CONTEXT;
  bool alone = false;  // answers otherwise when other threads do the same, or leaves something that they wait for

  KindCall(Kind k, const char* n, std::function<aclError(void*)> c) : kind(k), name(n), call(std::move(c)) {
    if (kind == Kind::kStream) on_null = ACL_SUCCESS;
    if (kind == Kind::kStream) where = Where::kItsContext;
    if (kind == Kind::kContext || kind == Kind::kEvent || kind == Kind::kKept) on_null = ACL_ERROR_RT_PARAM_INVALID;
    if (kind == Kind::kBuffer) on_bad = ACL_ERROR_INVALID_PARAM;
  }
  KindCall Null(aclError code) && { return (on_null = code, std::move(*this)); }
  KindCall Live(aclError code) && { return (on_live = code, std::move(*this)); }
  KindCall Bad(aclError code) && { return (on_bad = code, std::move(*this)); }
  KindCall Only(Where place) && { return (where = place, std::move(*this)); }
  KindCall Elsewhere(aclError code) && { return (elsewhere = code, std::move(*this)); }
  KindCall Alone() && { return (alone = true, std::move(*this)); }
};

// Outputs of the calls of a thread, to see whether they stay as they were.
struct Outputs {
  alignas(16) std::array<unsigned char, 128> bytes = Untouched<std::array<unsigned char, 128>>();
  static Outputs& Get() {
    thread_local Outputs outputs;
    return outputs;
  }
  bool AreUntouched() const { return IsUntouched(bytes); }
};
template <typename T>
T* Out(std::size_t number = 0) {
  static_assert(sizeof(T) <= 64);
  return reinterpret_cast<T*>(Outputs::Get().bytes.data() + number * 64);
}

}  // namespace conformance
