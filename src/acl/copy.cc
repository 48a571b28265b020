// Copies, fills and reductions.
#include "forebay/runtime/copy.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "forebay/runtime/device_state.h"
#include "guard.h"

using namespace forebay;       // NOLINT(google-build-using-namespace)
using namespace forebay::acl;  // NOLINT(google-build-using-namespace)

namespace {

using runtime::CopyRequest;
using runtime::Direction;
using runtime::Staging;

constexpr std::size_t kWidest = 5'000'000;   // of an asynchronous copy of rows
constexpr std::size_t kHighest = 5'242'880;  // rows

Status TooLong(std::size_t count, std::size_t room) {
  return Status(Code::kInvalidParam, fmt::format("{} bytes do not fit into the {} of the destination", count, room),
                "Check count against the room at the destination");
}

Status WrongKind(aclrtMemcpyKind kind, std::string_view possible, Code code) {
  return Status(code, fmt::format("the copy kind is {}", static_cast<int>(kind)), fmt::format("Use {}", possible));
}

Status ReservedNotNull(const char* name) {
  return Status(Code::kParamInvalid, fmt::format("the reserved argument {} is not NULL", name), "Pass NULL");
}

std::optional<Direction> DirectionOf(aclrtMemcpyKind kind) {
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_DEVICE:
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE: return Direction::kHostToDevice;
    case ACL_MEMCPY_DEVICE_TO_HOST: return Direction::kDeviceToHost;
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE: return Direction::kDeviceToDevice;
    case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE: return Direction::kWithinDevice;
    case ACL_MEMCPY_DEFAULT: return Direction::kByAddress;
    default: return std::nullopt;
  }
}

Status CopyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind, aclrtStream stream) {
  if (count == 0) return {};
  if (dst == nullptr || src == nullptr) return NullArgument(dst == nullptr ? "dst" : "src", Code::kParamInvalid);
  if (count > destMax) return TooLong(count, destMax);
  if (kind == ACL_MEMCPY_HOST_TO_HOST) {
    return Status(Code::kFeatureNotSupport, "an asynchronous copy from host to host", "Use memcpy, or aclrtMemcpy");
  }
  const auto direction = DirectionOf(kind);
  if (!direction) return WrongKind(kind, "one of aclrtMemcpyKind", Code::kParamInvalid);
  return runtime::CopyOnStream({dst, src, count, 1, 0, 0, *direction,
                                kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE ? Staging::kHost : Staging::kNone},
                               ToHandle(stream));
}

// ---- Rows ----

Status CheckRows(const CopyRequest& rows, aclrtMemcpyKind kind, bool within_device) {
  if (rows.destination == nullptr || rows.source == nullptr) {
    return NullArgument(rows.destination == nullptr ? "dst" : "src");
  }
  const bool known = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST ||
                     (within_device && kind == ACL_MEMCPY_DEVICE_TO_DEVICE);
  if (!known) {
    return WrongKind(
        kind, within_device ? "HOST_TO_DEVICE, DEVICE_TO_HOST or DEVICE_TO_DEVICE" : "HOST_TO_DEVICE or DEVICE_TO_HOST",
        Code::kInvalidParam);
  }
  if (rows.bytes > rows.destination_pitch || rows.bytes > rows.source_pitch) {
    return Status(Code::kInvalidParam,
                  fmt::format("a row of {} bytes is wider than the pitch, {} of the destination and {} of the source",
                              rows.bytes, rows.destination_pitch, rows.source_pitch),
                  "The pitch counts bytes from one row to the next");
  }
  return {};
}

// ---- Batches ----

// Whether an address lies where a batch says.
bool LiesAt(const void* address, const aclrtMemLocation& location) {
  const runtime::DeviceState* device = runtime::DeviceOfAddress(address);
  if (location.type == ACL_MEM_LOCATION_TYPE_DEVICE) {
    return device != nullptr && static_cast<uint32_t>(device->id()) == location.id;
  }
  return device == nullptr;
}

std::optional<Direction> DirectionOf(const aclrtMemcpyBatchAttr& attribute) {
  const auto is_host = [](const aclrtMemLocation& location) {
    return location.type == ACL_MEM_LOCATION_TYPE_HOST || location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED ||
           location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
  };
  const auto is_device = [](const aclrtMemLocation& location) { return location.type == ACL_MEM_LOCATION_TYPE_DEVICE; };
  if (is_host(attribute.srcLoc) && is_device(attribute.dstLoc)) return Direction::kHostToDevice;
  if (is_device(attribute.srcLoc) && is_host(attribute.dstLoc)) return Direction::kDeviceToHost;
  return std::nullopt;
}

struct Batch {
  void** dsts;
  size_t* destMaxs;
  void** srcs;
  size_t* sizes;
  size_t numBatches;
  aclrtMemcpyBatchAttr* attrs;
  size_t* attrsIndexes;
  size_t numAttrs;
};

Status CheckBatch(const Batch& batch) {
  const std::pair<const void*, const char*> arrays[] = {{batch.dsts, "dsts"},   {batch.destMaxs, "destMaxs"},
                                                        {batch.srcs, "srcs"},   {batch.sizes, "sizes"},
                                                        {batch.attrs, "attrs"}, {batch.attrsIndexes, "attrsIndexes"}};
  for (const auto& [array, name] : arrays) {
    if (array == nullptr) return NullArgument(name);
  }
  if (batch.numBatches == 0 || batch.numAttrs == 0 || batch.numAttrs > batch.numBatches) {
    return Status(Code::kParamInvalid,
                  fmt::format("numBatches is {} and numAttrs is {}", batch.numBatches, batch.numAttrs),
                  "Pass at least one copy, and 1 to numBatches attributes");
  }
  for (size_t k = 0; k < batch.numAttrs; ++k) {
    const size_t index = batch.attrsIndexes[k];
    if (index < batch.numBatches && (k == 0 ? index == 0 : index > batch.attrsIndexes[k - 1])) continue;
    return Status(Code::kParamInvalid,
                  fmt::format("attrsIndexes[{}] is {} in a batch of {} copies", k, index, batch.numBatches),
                  "The indexes begin with 0, grow, and stay below numBatches");
  }
  return {};
}

// What copy `i` of the batch, under attribute `k`, asks for.
Result<CopyRequest> RequestOf(const Batch& batch, size_t i, size_t k, Direction direction) {
  if (batch.sizes[i] == 0) return CopyRequest{};
  if (batch.dsts[i] == nullptr || batch.srcs[i] == nullptr) {
    return NullArgument(batch.dsts[i] == nullptr ? "dsts[i]" : "srcs[i]");
  }
  if (batch.sizes[i] > batch.destMaxs[i]) return TooLong(batch.sizes[i], batch.destMaxs[i]);
  for (const auto& [address, location, name] : {std::tuple{batch.dsts[i], batch.attrs[k].dstLoc, "dsts"},
                                                std::tuple{batch.srcs[i], batch.attrs[k].srcLoc, "srcs"}}) {
    if (LiesAt(address, location)) continue;
    return Status(Code::kParamInvalid,
                  fmt::format("{}[{}], {}, does not lie where attrs[{}] says: location type {}, id {}", name, i,
                              address, k, static_cast<int>(location.type), location.id),
                  "Give each copy the attribute of its addresses");
  }
  return CopyRequest{batch.dsts[i], batch.srcs[i], batch.sizes[i], 1, 0, 0, direction};
}

// Calls `run` with all copies of the batch, once each of them is fine. `failIndex`, unless NULL, says which one is not.
template <typename Run>
Status RunBatch(const Batch& batch, size_t* failIndex, Run run) {
  size_t refused = SIZE_MAX;
  if (failIndex == nullptr) failIndex = &refused;
  *failIndex = SIZE_MAX;
  RETURN_IF_ERROR(CheckBatch(batch));
  std::vector<CopyRequest> requests;
  if (batch.numBatches > requests.max_size()) {
    return Status(Code::kParamInvalid, fmt::format("numBatches is {}, more than any array holds", batch.numBatches),
                  "Pass the number of copies in the arrays");
  }
  requests.reserve(batch.numBatches);
  std::optional<Direction> common;
  for (size_t i = 0, k = 0; i < batch.numBatches; ++i) {
    if (k + 1 < batch.numAttrs && i == batch.attrsIndexes[k + 1]) ++k;
    const auto direction = DirectionOf(batch.attrs[k]);
    if (!common) common = direction;
    if (!direction || direction != common) {
      *failIndex = i;
      return Status(
          direction ? Code::kParamInvalid : Code::kFeatureNotSupport,
          fmt::format("copy {} of the batch goes from location type {} to {}", i,
                      static_cast<int>(batch.attrs[k].srcLoc.type), static_cast<int>(batch.attrs[k].dstLoc.type)),
          "All copies of a batch go from host to device, or all from device to host");
    }
    Result<CopyRequest> request = RequestOf(batch, i, k, *direction);
    if (!request.ok()) *failIndex = i;
    RETURN_IF_ERROR(request.status());
    requests.push_back(*request);
  }
  return run(requests, failIndex);
}

Status BatchNow(const Batch& batch, size_t* failIndex) {
  return RunBatch(batch, failIndex, [](const std::vector<CopyRequest>& requests, size_t* refused) {
    return runtime::CopyAllNow(requests, refused);
  });
}

Status BatchOnStream(const Batch& batch, size_t* failIndex, aclrtStream stream) {
  return RunBatch(batch, failIndex, [stream](const std::vector<CopyRequest>& requests, size_t* refused) {
    return runtime::CopyAllOnStream(requests, ToHandle(stream), refused);
  });
}

// ---- Fills ----

// The low byte of a value, four times.
uint32_t BytePattern(int32_t value) { return (static_cast<uint32_t>(value) & 0xFF) * 0x01010101u; }

Status CheckWords(const void* ptr, size_t memSize, size_t words) {
  if (ptr == nullptr) return NullArgument("ptr");
  if (words <= memSize / sizeof(uint32_t)) return {};
  return Status(Code::kInvalidParam, fmt::format("{} words do not fit into the {} bytes", words, memSize),
                "memSize counts bytes, N words of 4 bytes");
}

}  // namespace

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  (void)kind;  // the addresses tell the direction
  return Guard("aclrtMemcpy", [&]() -> Status {
    if (count == 0) return {};
    if (dst == nullptr || src == nullptr) return NullArgument(dst == nullptr ? "dst" : "src");
    if (count > destMax) return TooLong(count, destMax);
    return runtime::CopyNow({dst, src, count});
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  return Guard("aclrtMemcpyAsync", [&] { return CopyAsync(dst, destMax, src, count, kind, stream); });
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream) {
  return Guard("aclrtMemcpyAsyncWithCondition", [&] { return CopyAsync(dst, destMax, src, count, kind, stream); });
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  return Guard("aclrtMemcpy2d", [&]() -> Status {
    if (width == 0 || height == 0) return {};
    CopyRequest rows{dst, src, width, height, dpitch, spitch};
    rows.has_rows = true;
    RETURN_IF_ERROR(CheckRows(rows, kind, /*within_device=*/false));
    rows.direction = *DirectionOf(kind);
    return runtime::CopyNow(rows);
  });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
  return Guard("aclrtMemcpy2dAsync", [&]() -> Status {
    if (width == 0 || height == 0) return {};
    CopyRequest rows{dst, src, width, height, dpitch, spitch};
    rows.has_rows = true;
    RETURN_IF_ERROR(CheckRows(rows, kind, /*within_device=*/true));
    if (width > kWidest || height > kHighest) {
      return Status(Code::kInvalidParam, fmt::format("{} rows of {} bytes are too many", height, width),
                    fmt::format("Copy at most {} rows of at most {} bytes at a time", kHighest, kWidest));
    }
    rows.direction = *DirectionOf(kind);
    return runtime::CopyOnStream(rows, ToHandle(stream));
  });
}

aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex) {
  const Batch batch{dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
  return Guard("aclrtMemcpyBatch", [&] { return BatchNow(batch, failIndex); });
}

aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs) {
  const Batch batch{dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
  return Guard("aclrtMemcpyBatchV2", [&] { return BatchNow(batch, nullptr); });
}

aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex,
                               aclrtStream stream) {
  const Batch batch{dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
  return Guard("aclrtMemcpyBatchAsync", [&] { return BatchOnStream(batch, failIndex, stream); });
}

aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                 aclrtStream stream) {
  const Batch batch{dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
  return Guard("aclrtMemcpyBatchAsyncV2", [&] { return BatchOnStream(batch, nullptr, stream); });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return Guard("aclrtMemset", [&]() -> Status {
    if (count == 0) return {};
    if (devPtr == nullptr) return NullArgument("devPtr", Code::kParamInvalid);
    if (count > maxCount) return TooLong(count, maxCount);
    return runtime::FillNow(devPtr, BytePattern(value), count);
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  return Guard("aclrtMemsetAsync", [&]() -> Status {
    if (count == 0) return {};
    if (devPtr == nullptr) return NullArgument("devPtr", Code::kParamInvalid);
    if (count > maxCount) return TooLong(count, maxCount);
    return runtime::FillOnStream(devPtr, BytePattern(value), count, ToHandle(stream));
  });
}

aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
  return Guard("aclrtMemsetD32", [&]() -> Status {
    if (N == 0) return {};
    RETURN_IF_ERROR(CheckWords(ptr, memSize, N));
    return runtime::FillNow(ptr, value, N * sizeof value);
  });
}

aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream) {
  return Guard("aclrtMemsetD32Async", [&]() -> Status {
    if (N == 0) return {};
    RETURN_IF_ERROR(CheckWords(ptr, memSize, N));
    return runtime::FillOnStream(ptr, value, N * sizeof value, ToHandle(stream), /*host_at_once=*/true);
  });
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize) {
  return Guard("aclrtGetMemcpyDescSize", [&]() -> Status {
    if (descSize == nullptr) return NullArgument("descSize", Code::kParamInvalid);
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) {
      return WrongKind(kind, "INNER_DEVICE_TO_DEVICE", Code::kParamInvalid);
    }
    *descSize = runtime::kCopyDescriptorBytes;
    return {};
  });
}

aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr, void* dstAddr, size_t count,
                            void* config) {
  return Guard("aclrtSetMemcpyDesc", [&]() -> Status {
    for (const auto& [address, name] : {std::pair{desc, "desc"}, {srcAddr, "srcAddr"}, {dstAddr, "dstAddr"}}) {
      if (address == nullptr) return NullArgument(name);
    }
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) {
      return WrongKind(kind, "INNER_DEVICE_TO_DEVICE", Code::kParamInvalid);
    }
    if (count == 0) return Status(Code::kParamInvalid, "argument count is 0", "Describe a copy of at least 1 byte");
    if (config != nullptr) return ReservedNotNull("config");
    return runtime::WriteCopyDescriptor(desc, dstAddr, srcAddr, count);
  });
}

aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream) {
  return Guard("aclrtMemcpyAsyncWithDesc", [&]() -> Status {
    if (desc == nullptr) return NullArgument("desc");
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) {
      return WrongKind(kind, "INNER_DEVICE_TO_DEVICE", Code::kParamInvalid);
    }
    return runtime::CopyByDescriptor(desc, ToHandle(stream));
  });
}

aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset, const void** src, size_t count,
                                    size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream) {
  return Guard("aclrtMemcpyAsyncWithOffset", [&]() -> Status {
    if (count == 0) return {};
    if (dst == nullptr || src == nullptr) return NullArgument(dst == nullptr ? "dst" : "src", Code::kParamInvalid);
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) {
      return WrongKind(kind, "INNER_DEVICE_TO_DEVICE", Code::kParamInvalid);
    }
    if (count > destMax) return TooLong(count, destMax);
    return runtime::CopyIndirectly({dst, src, dstDataOffset, srcDataOffset, count}, ToHandle(stream));
  });
}

aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count, aclrtReduceKind kind, aclDataType type,
                          aclrtStream stream, void* reserve) {
  return Guard("aclrtReduceAsync", [&]() -> Status {
    if (dst == nullptr || src == nullptr) return NullArgument(dst == nullptr ? "dst" : "src");
    if (reserve != nullptr) return ReservedNotNull("reserve");
    if (kind < ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM || kind > ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL) {
      return Status(Code::kParamInvalid, fmt::format("there is no reduction {}", static_cast<int>(kind)),
                    "See aclrtReduceKind");
    }
    switch (type) {
      case ACL_INT8:
      case ACL_INT16:
      case ACL_INT32:
      case ACL_FLOAT16:
      case ACL_FLOAT:
      case ACL_BF16: break;
      default:
        return Status(Code::kFeatureNotSupport, fmt::format("a reduction of type {}", static_cast<int>(type)),
                      "Use int8, int16, int32, fp16, fp32 or bf16");
    }
    if (count % aclDataTypeSize(type) != 0) {
      return Status(Code::kParamInvalid,
                    fmt::format("{} bytes are no whole number of elements of {} bytes", count, aclDataTypeSize(type)),
                    "count is in bytes");
    }
    const auto operation = static_cast<types::ReduceOperation>(kind - ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
    return runtime::ReduceOnStream(dst, src, count, static_cast<DataType>(type), operation, ToHandle(stream));
  });
}
