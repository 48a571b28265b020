// Turns a kernel function into a descriptor and an entry stub, from the function's own type. The generated wrapper of a
// kernel source uses it; nobody else needs to. C++17.
#ifndef FOREBAY_KERNEL_GLUE_H_
#define FOREBAY_KERNEL_GLUE_H_

#ifndef FOREBAY_KERNEL_BUILD
#error "forebay/kernel_glue.h belongs to the build of kernels, see forebay_add_kernel_binary() of CMake"
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "forebay/kernel_abi.h"

#if defined(__has_attribute)
#if __has_attribute(retain)
#define FOREBAY_KERNEL_RETAIN retain,
#endif
#endif
#ifndef FOREBAY_KERNEL_RETAIN
#define FOREBAY_KERNEL_RETAIN
#endif

namespace forebay::kernel_glue {

template <typename T>
constexpr kernel_abi::ParameterKind KindOf() {
  if constexpr (std::is_pointer_v<T>) {
    return kernel_abi::ParameterKind::kGlobalMemory;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return kernel_abi::ParameterKind::kScalar;
  } else {
    return kernel_abi::ParameterKind::kStruct;
  }
}

// Alignments above this do not fit the descriptor.
inline constexpr std::size_t kMaxAlignment = 4096;

// Whether T can be a parameter. A failure says why in words.
template <typename T>
constexpr bool CheckParameter() {
  static_assert(
      !std::is_reference_v<T>,
      "a kernel cannot take a reference: the host's object is not on the device. Pass a device pointer or a value");
  static_assert(std::is_reference_v<T> || std::is_trivially_copyable_v<T>,
                "a kernel's parameter must be trivially copyable: its bytes are copied to the device");
  if constexpr (std::is_reference_v<T>) {
    return false;
  } else {
    static_assert(alignof(T) <= kMaxAlignment, "a kernel's parameter must not be aligned to more than 4096 bytes");
    return std::is_trivially_copyable_v<T> && alignof(T) <= kMaxAlignment;
  }
}

// The value whose bytes begin at `from`, which need not be aligned.
template <typename T>
T Load(const unsigned char* from) {
  struct Raw {
    alignas(T) unsigned char bytes[sizeof(T)];
  } raw;
  std::memcpy(&raw, from, sizeof(T));
  return __builtin_bit_cast(T, raw);
}

// The ratio in __mix__(cube, vector).
constexpr uint32_t MixRatio(uint32_t cube = 1, uint32_t vector = 2) { return cube << 16 | (vector & 0xFFFF); }

// Only the specialisations below describe kernels.
template <typename Function>
struct Signature {
  template <typename>
  static constexpr bool kNever = false;
  static_assert(kNever<Function>, "a kernel is a plain function with a fixed list of parameters");
};

template <typename Return, typename... Parameters>
struct Signature<Return (*)(Parameters...)> {
  static_assert(std::is_void_v<Return>, "a kernel returns void: its results are in the memory it was given");
  static_assert(sizeof...(Parameters) <= kernel_abi::kMaxParameters, "a kernel has at most 128 parameters");
  static constexpr bool kValid = std::is_void_v<Return> && sizeof...(Parameters) <= kernel_abi::kMaxParameters &&
                                 (true && ... && CheckParameter<Parameters>());

  static constexpr kernel_abi::KernelDescriptor Describe(const char* name, kernel_abi::CoreType core_type,
                                                         uint32_t mix_ratio = 0) {
    kernel_abi::KernelDescriptor descriptor{};
    if constexpr (kValid) {
      descriptor.magic = kernel_abi::kMagic;
      descriptor.version = kernel_abi::kVersion;
      for (uint32_t i = 0; name[i] != 0; ++i) descriptor.name[i] = name[i];
      descriptor.core_type = core_type;
      descriptor.mix_ratio = mix_ratio;
      (Append<Parameters>(descriptor), ...);
    }
    return descriptor;
  }

  static void Call(Return (*function)(Parameters...), const void* packed_arguments) {
    if constexpr (kValid) {
      CallWith(function, static_cast<const unsigned char*>(packed_arguments), std::index_sequence_for<Parameters...>{});
    }
  }

 private:
  template <typename T>
  static constexpr void Append(kernel_abi::KernelDescriptor& descriptor) {
    const uint32_t alignment = alignof(T);
    const uint32_t offset = (descriptor.argument_bytes + alignment - 1) / alignment * alignment;
    static_assert(sizeof(T) <= kernel_abi::kMaxArgumentBytes, "a kernel's arguments take at most 65536 bytes");
    descriptor.parameters[descriptor.parameter_count] = {offset, static_cast<uint32_t>(sizeof(T)),
                                                         static_cast<uint16_t>(alignment), KindOf<T>()};
    descriptor.argument_bytes = offset + static_cast<uint32_t>(sizeof(T));
    ++descriptor.parameter_count;
  }

  template <std::size_t... kIndex>
  static void CallWith(Return (*function)(Parameters...), [[maybe_unused]] const unsigned char* packed,
                       std::index_sequence<kIndex...>) {
    constexpr kernel_abi::KernelDescriptor kLayout = Describe("", kernel_abi::CoreType::kVector);
    static_assert(kLayout.argument_bytes <= kernel_abi::kMaxArgumentBytes,
                  "a kernel's arguments take at most 65536 bytes");
    function(Load<Parameters>(packed + kLayout.parameters[kIndex].offset)...);
  }
};

template <typename Return, typename... Parameters>
struct Signature<Return (*)(Parameters...) noexcept> : Signature<Return (*)(Parameters...)> {};

}  // namespace forebay::kernel_glue

// Defines the descriptor and the entry stub of the kernel `function` under the name `name`. The last argument is the
// core type, and for a kernel of both kinds of cores their ratio. The alignment is given because compilers otherwise
// raise that of large objects and leave gaps between the descriptors.
#define FOREBAY_KERNEL_ENTRY(name, function, ...)                                                                     \
  namespace forebay::kernel_glue {                                                                                    \
  static_assert(sizeof(#name) <= ::forebay::kernel_abi::kMaxNameBytes, "a kernel's name has at most 127 characters"); \
  __attribute__((used, FOREBAY_KERNEL_RETAIN section(".forebay.kernels"),                                             \
                 aligned(4))) static constexpr ::forebay::kernel_abi::KernelDescriptor descriptor_of_##name =         \
      Signature<decltype(&function)>::Describe(#name, ::forebay::kernel_abi::CoreType::__VA_ARGS__);                  \
  }                                                                                                                   \
  extern "C" __attribute__((visibility("default"))) void forebay_entry_##name(const void* packed_arguments);          \
  extern "C" void forebay_entry_##name(const void* packed_arguments) {                                                \
    ::forebay::kernel_glue::Signature<decltype(&function)>::Call(&function, packed_arguments);                        \
  }

#endif  // FOREBAY_KERNEL_GLUE_H_
