// Kernels and operators: loading them, and putting them on a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "forebay/status.h"
#include "forebay/tensor.h"
#include "forebay/types.h"

#pragma GCC visibility push(default)
namespace forebay {

// Loads a kernel binary made by forebay_add_kernel_binary onto the calling thread's device.
// Errors: kFileOpen; kParamInvalid for a file that is not a kernel binary of this machine, and says why.
Result<KernelBinaryHandle> LoadKernelBinary(const std::string& path);
// Kernels of the binary become stale; launches already queued still run. Errors: kInvalidHandle.
Status UnloadKernelBinary(KernelBinaryHandle binary);
// Errors: kKernelLookup when the binary has no kernel of that name.
Result<KernelHandle> GetKernel(KernelBinaryHandle binary, const std::string& name);

// A kernel of the program itself: `symbol`, an address in the program, stands for the kernel `name` of its binary.
struct EmbeddedKernel {
  const void* symbol = nullptr;
  const char* name = nullptr;
};
// Makes kernels known by addresses, which aclrtGetFuncBySymbol and aclrtLaunchKernelWithArgsArray take. The binary
// stays where it is, and is loaded onto a device when one of its kernels is asked for there. Needs no device. Errors:
// kKernelDuplicate for an address that stands for a kernel already.
Status RegisterKernels(const void* binary, std::size_t bytes, const EmbeddedKernel* kernels, std::size_t count);

// Puts one launch of `kernel` on the stream and returns without waiting. `args` points to `arg_count` pointers, one to
// the value of each parameter in declared order; the values are copied. `block_count`: 1 to 65535. Errors:
// kInvalidHandle; kParamInvalid for a wrong count of arguments or too many blocks; kInvalidParam for 0 blocks; the
// first failure of a stopped stream.
Status LaunchKernel(KernelHandle kernel, StreamHandle stream, void* args[], int32_t arg_count,
                    uint32_t block_count = 1);
// The synchronous model: the same on the default stream, and waits for the result.
Status LaunchKernel(KernelHandle kernel, void* args[], int32_t arg_count, uint32_t block_count = 1);

// A scalar argument, kept by value.
class Scalar {
 public:
  template <typename T>
  Scalar(T value)
      : bytes_(reinterpret_cast<const std::byte*>(&value),  // NOLINT(google-explicit-constructor)
               reinterpret_cast<const std::byte*>(&value) + sizeof value) {}
  const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// What the layer above asks for: a kernel with tensors. It expands into atomic tasks: copies of `uploads`, waits for
// the streams whose results it takes, the kernel, a record, and the callback.
struct Operator {
  struct Upload {
    RuntimeTensor tensor;
    const void* host = nullptr;  // tensor.bytes() bytes; pageable memory may be changed when the call returns
  };

  KernelHandle kernel = nullptr;
  // The kernel's pointer parameters, in declared order: the inputs, then the outputs.
  std::vector<RuntimeTensor> inputs;
  std::vector<RuntimeTensor> outputs;
  // Its other parameters, in declared order.
  std::vector<Scalar> scalars;
  uint32_t block_count = 1;
  std::vector<Upload> uploads;
  std::function<void()> on_done;  // runs on a thread of the runtime after the kernel
};

// Puts an operator on a stream and returns without waiting. Where it reads what another stream writes, or writes what
// another stream still uses, the runtime inserts the event itself; the other stream goes on. Tensors count up until the
// operator has run.
// Errors: as LaunchKernel; kStreamContext for a tensor of another device.
Status LaunchOperator(const Operator& op, StreamHandle stream);
// The synchronous model: on the default stream, and waits for the result.
Status LaunchOperator(const Operator& op);

// Copies between host and device, in either direction; the addresses tell which. The calling thread copies; no stream
// is waited for. Errors: kParamInvalid for memory that is not allocated on the device.
Status Copy(void* destination, const void* source, std::size_t bytes);

}  // namespace forebay
#pragma GCC visibility pop
