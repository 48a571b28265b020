// The contract between a kernel binary and the device that runs it. Plain data; no library is needed to read it.
//
// A kernel binary is an ELF shared object of the host's machine. It holds
//  - a section ".forebay.kernels": one KernelDescriptor per kernel, readable without relocation;
//  - an exported function "forebay_kernel_bind" that receives the device's service table once after loading;
//  - per kernel an exported entry stub "forebay_entry_<name>" that takes the packed arguments.
// It imports nothing but memory and string functions, libm, and the wrapped forms of abort and exit that it brings
// along.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace forebay::kernel_abi {

inline constexpr uint32_t kMagic = 0x4E4B4246;  // "FBKN"
inline constexpr uint32_t kVersion = 2;
inline constexpr char kSectionName[] = ".forebay.kernels";
inline constexpr char kBindSymbol[] = "forebay_kernel_bind";
inline constexpr char kEntryPrefix[] = "forebay_entry_";
inline constexpr uint32_t kMaxNameBytes = 128;  // with the terminating zero
inline constexpr uint32_t kMaxParameters = 128;
inline constexpr uint32_t kMaxArgumentBytes = 65536;

// What kind of core a kernel asks for: AIC, AIV, both, or any, when it says nothing.
enum class CoreType : uint32_t { kCube = 1, kVector = 2, kMix = 3, kAny = 4 };
enum class ParameterKind : uint16_t { kGlobalMemory = 1, kScalar = 2, kStruct = 3 };

struct ParameterDescriptor {
  uint32_t offset;     // bytes from the start of the packed arguments
  uint32_t size;       // bytes
  uint16_t alignment;  // bytes; arguments are laid out as the members of a C struct
  ParameterKind kind;
};

struct KernelDescriptor {
  uint32_t magic;
  uint32_t version;
  char name[kMaxNameBytes];
  CoreType core_type;
  uint32_t argument_bytes;  // where the last argument ends: the C struct's size without the padding at its end
  uint32_t parameter_count;
  // Of a kMix kernel: how many cube cores (high half) go with how many vector cores (low half). Else 0.
  uint32_t mix_ratio;
  ParameterDescriptor parameters[kMaxParameters];
};
static_assert(sizeof(KernelDescriptor) == 16 + 8 + kMaxNameBytes + sizeof(ParameterDescriptor) * kMaxParameters);

// Where a block finds itself.
struct BlockContext {
  uint32_t block_index;
  uint32_t block_count;
};

// Why a kernel gives up by itself.
enum class FailureCause : uint32_t { kAbort = 1, kExit = 2, kAssertion = 3 };

// What the device does for a running block. All functions are called from the block's own stack.
struct DeviceServices {
  uint32_t version;
  uint32_t reserved;
  const BlockContext* (*block_context)();
  void (*sync_all)();
  int (*print)(const char* format, va_list arguments);
  void (*fail)(FailureCause cause, const char* detail);  // does not return
};

using BindFunction = void (*)(const DeviceServices* services);
using EntryFunction = void (*)(const void* packed_arguments);

}  // namespace forebay::kernel_abi
