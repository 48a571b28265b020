// A kernel of the program's own: y = scale * x + the polynomial of the coefficients at x. The coefficients are a small
// table that travels with the arguments, through a place holder. Then a launch that takes too long, and its end.
#include <acl/acl.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#define CHECK(call)                                                                  \
  do {                                                                               \
    const aclError code = (call);                                                    \
    if (code != ACL_SUCCESS) {                                                       \
      const char* text = aclGetRecentErrMsg();                                       \
      std::fprintf(stderr, "%s: %d %s\n", #call, code, text != nullptr ? text : ""); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

int main() {
  constexpr uint32_t kCount = 10000;
  constexpr size_t kBytes = kCount * sizeof(float);
  const float coefficients[] = {1.0F, -2.0F, 0.5F, 0.25F};
  uint32_t terms = 4;
  float scale = 3.0F;
  uint32_t count = kCount;

  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));
  const auto file = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "custom_kernel_kernels.o";
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle polynomial = nullptr, endless = nullptr;
  CHECK(aclrtBinaryLoadFromFile(file.c_str(), nullptr, &binary));
  CHECK(aclrtBinaryGetFunction(binary, "polynomial", &polynomial));
  CHECK(aclrtBinaryGetFunction(binary, "endless", &endless));

  std::vector<float> x(kCount), y(kCount);
  for (uint32_t i = 0; i < kCount; ++i) x[i] = static_cast<float>(i) / kCount;
  void *x_device = nullptr, *y_device = nullptr;
  CHECK(aclrtMalloc(&x_device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&y_device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(x_device, kBytes, x.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE));

  // The arguments, in the order of the kernel's parameters.
  aclrtArgsHandle arguments = nullptr;
  aclrtParamHandle table = nullptr, scale_parameter = nullptr, other = nullptr;
  CHECK(aclrtKernelArgsInit(polynomial, &arguments));
  CHECK(aclrtKernelArgsAppend(arguments, &x_device, sizeof x_device, &other));
  CHECK(aclrtKernelArgsAppend(arguments, &y_device, sizeof y_device, &other));
  CHECK(aclrtKernelArgsAppendPlaceHolder(arguments, &table));
  CHECK(aclrtKernelArgsAppend(arguments, &terms, sizeof terms, &other));
  CHECK(aclrtKernelArgsAppend(arguments, &scale, sizeof scale, &scale_parameter));
  CHECK(aclrtKernelArgsAppend(arguments, &count, sizeof count, &other));
  void* buffer = nullptr;
  CHECK(aclrtKernelArgsGetPlaceHolderBuffer(arguments, table, sizeof coefficients, &buffer));
  std::memcpy(buffer, coefficients, sizeof coefficients);

  aclrtLaunchKernelAttr attribute = {};
  attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attribute.value.timeout = 5;  // seconds
  aclrtLaunchKernelCfg config = {&attribute, 1};

  uint32_t wrong = 0;
  for (int round = 0; round < 2; ++round) {  // the second one with another scale
    if (round == 1) {
      scale = -1.0F;
      CHECK(aclrtKernelArgsParaUpdate(arguments, scale_parameter, &scale, sizeof scale));
    }
    CHECK(aclrtKernelArgsFinalize(arguments));
    CHECK(aclrtLaunchKernelWithConfig(polynomial, 8, stream, &config, arguments, nullptr));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(y.data(), kBytes, y_device, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (uint32_t i = 0; i < kCount; ++i) {
      float expected = 0;
      for (uint32_t n = terms; n-- > 0;) expected = expected * x[i] + coefficients[n];
      expected += scale * x[i];
      if (std::fabs(y[i] - expected) > 1e-5F) ++wrong;
    }
  }
  std::printf("%u results are wrong\n", wrong);

  // This one never ends by itself. The time is rounded up to what the hardware can do.
  aclrtArgsHandle none = nullptr;
  CHECK(aclrtKernelArgsInit(endless, &none));
  CHECK(aclrtKernelArgsFinalize(none));
  attribute.value.timeout = 1;
  CHECK(aclrtLaunchKernelWithConfig(endless, 1, stream, &config, none, nullptr));
  const aclError ended = aclrtSynchronizeStream(stream);
  std::printf("the endless kernel ended with %d\n", ended);
  if (ended != ACL_ERROR_RT_AICORE_TIMEOUT) ++wrong;

  CHECK(aclrtBinaryUnLoad(binary));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtFree(x_device));
  CHECK(aclrtFree(y_device));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return wrong == 0 ? 0 : 1;
}
